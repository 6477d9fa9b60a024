"""The wire costs that a run holds, by codec, kind of parcel and compressor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from serbench.measure.compressors import COMPRESSORS
from serbench.measure.events import WireEvent, WireFailure, WireParcels, WireSample, WireSize
from serbench.measure.store import Run
from serbench.measure.taken import CellSamples
from serbench.report.figures import Figures
from serbench.stats.summary import geometric_interval

KINDS = {"message": "each message alone", "block": "blocks of messages"}


@dataclass(frozen=True, kw_only=True)
class Wire(Figures):
    """The result of one compressor on the parcels that one codec variant × workload wrote. Times are
    nanoseconds of one message.

    Attributes:
        parcel: ``message`` or ``block``: what is compressed at once; empty where the codec wrote nothing.
            ``byte`` for a message of one byte, which no codec wrote.
        compressor: empty where the reason holds for all of them.
        parcels: how many there are, with their messages and bytes before compression.
        samples: those of all messages together, by ``compress`` or ``decompress``.
    """

    parcel: str
    compressor: str
    parcels: WireParcels | None = None
    samples: Mapping[str, CellSamples] = field(default_factory=dict)

    def place(self) -> dict[str, Any]:
        return {"metric": "wire", "parcel": self.parcel, "compressor": self.compressor}

    @property
    def plain_size(self) -> float | None:
        """Bytes of a message as it was written."""
        return self.parcels.bytes / self.parcels.messages if self.parcels else None

    @property
    def size(self) -> float | None:
        """The mean bytes of a message on the wire, after compression; None if unknown."""
        compressed = self.values.get("wire_bytes")
        return None if compressed is None or not self.parcels else compressed / self.parcels.messages

    @property
    def rounds(self) -> int:
        return len({number for samples in self.samples.values() for number in samples.rounds})

    @property
    def unsettled(self) -> int:
        """Rounds in which times had not settled when the warm-up ended."""
        return _unsettled(self.samples)


def _unsettled(samples: Mapping[str, CellSamples]) -> int:
    return len({number for each in samples.values() for number in each.unsettled})


def wires_of(run: Run) -> list[Wire]:
    """The wire costs of a run, in the order of workloads, codecs, kinds of parcel and compressors."""
    found: dict[tuple[str, ...], list[WireEvent]] = {}
    parcels: dict[tuple[str, ...], WireParcels] = {}
    for event in run.taken.costs:
        if not isinstance(event, WireEvent) or not _is_of(run, event):
            continue
        own = (*event.identity, event.parcel)
        if isinstance(event, WireParcels):
            parcels[own] = event
            continue
        events = found.setdefault((*own, event.compressor), [])
        if isinstance(event, WireFailure) and event.parcel and not event.compressor:
            # It holds for all compressors: the process failed, perhaps after its last sample.
            for key in [key for key in found if key[:4] == own]:
                found[key] = [event]
        elif isinstance(event, WireFailure):
            events[:] = [event]
        else:
            events.append(event)
    workloads, codecs = run.manifest.workloads, run.manifest.codecs
    orders = [["", *workloads], ["", *codecs], ["", *KINDS, "byte"], ["", *COMPRESSORS]]

    def place(wire: Wire) -> list[int]:
        own = (wire.workload, wire.codec, wire.parcel, wire.compressor)
        return [order.index(each) for order, each in zip(orders, own, strict=True)]

    return sorted((_wire(key, events, parcels.get(key[:4])) for key, events in found.items()), key=place)


def _wire(key: tuple[str, ...], events: Sequence[WireEvent], parcels: WireParcels | None) -> Wire:
    codec, workload, compiler, parcel, compressor = key
    values: dict[str, Any] = {}
    samples: dict[str, CellSamples] = {}
    reason = "" if parcels else "the journal does not say how many messages its samples cover"
    for event in events:
        match event:
            case WireSize() if parcels:
                values |= {"library": event.library, "parcels": parcels.parcels}
                values |= {"messages": parcels.messages, "plain_bytes": parcels.bytes}
                values |= {"wire_bytes": event.bytes}
            case WireSample() if parcels:
                samples.setdefault(event.direction, CellSamples()).add(event)
            case WireFailure():
                reason = event.reason
    for direction, own in samples.items():
        if parcels and (figures := own.figures().values()):
            time = geometric_interval(ns / parcels.messages for ns in figures)
            values |= {
                f"{direction}_ns": time,
                "coverage": time.coverage,
                "rounds": len(own.rounds),
                "unsettled_rounds": _unsettled(samples),
                "disturbed_samples": own.disturbed_count,
                "deducted_rounds": own.deducted_rounds,
            }
    return Wire(
        codec,
        workload,
        reason=reason,
        compiler=compiler,
        values=values,
        parcel=parcel,
        compressor=compressor,
        parcels=parcels,
        samples=samples,
    )


def _is_of(run: Run, event: WireEvent) -> bool:
    """Whether an event is about a codec and workload that the run has, or about the message of one byte, and
    about a compressor that is known."""
    manifest = run.manifest
    known = event.codec in ("", *manifest.codecs) and event.workload in ("", *manifest.workloads)
    return known and (isinstance(event, WireParcels) or event.compressor in ("", *COMPRESSORS))
