"""The wire costs that a run holds, by codec, kind of parcel and compressor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from serbench.measure.compressors import COMPRESSORS
from serbench.measure.events import WireEvent, WireFailure, WireParcels, WireSample, WireSize
from serbench.measure.store import Run
from serbench.measure.taken import CellSamples
from serbench.stats.summary import Interval, geometric_interval

KINDS = {"message": "each message alone", "block": "blocks of messages"}


@dataclass
class Wire:
    """What one compressor makes of parcels that one codec variant × workload wrote. Figures are for all of
    its parcels together, but for the properties that are said to be for a message.

    Attributes:
        parcel: ``message`` or ``block``: what is compressed at once; empty where the codec wrote nothing.
            ``byte`` for a message of one byte, which no codec wrote.
        compressor: empty where the reason holds for all of them.
        bytes: after compression; ``plain_bytes`` before it.
        taken: samples by ``compress`` or ``decompress``; of all messages together.
        reason: why there is no figure; empty where there is.
    """

    codec: str
    workload: str
    compiler: str
    parcel: str
    compressor: str
    library: str = ""
    parcels: int = 0
    messages: int = 0
    plain_bytes: int = 0
    bytes: int | None = None
    taken: dict[str, CellSamples] = field(default_factory=dict)
    reason: str = ""

    @property
    def name(self) -> str:
        """The codec variant, and the compiler where there are several."""
        return f"{self.codec} {self.compiler}".rstrip()

    @property
    def plain_size(self) -> float:
        """Bytes of a message as it was written."""
        return self.plain_bytes / self.messages

    @property
    def size(self) -> float | None:
        """Bytes of a message on the wire."""
        return None if self.bytes is None else self.bytes / self.messages

    def time(self, direction: str) -> Interval | None:
        """Nanoseconds for a message, in the direction ``compress`` or ``decompress``."""
        figures = self.taken.get(direction, CellSamples()).figures().values()
        return geometric_interval(ns / self.messages for ns in figures) if figures else None

    @property
    def rounds(self) -> int:
        return len({number for samples in self.taken.values() for number in samples.rounds})

    @property
    def unsettled(self) -> int:
        """Rounds in which times had not settled when the warm-up ended."""
        return len({number for samples in self.taken.values() for number in samples.unsettled})

    def to_json(self) -> dict[str, Any]:
        """Plain values for ``--format json``; times are nanoseconds of one message, absent ones left out."""
        data: dict[str, Any] = {
            "codec": self.codec,
            "workload": self.workload,
            "compiler": self.compiler,
            "metric": "wire",
            "parcel": self.parcel,
            "compressor": self.compressor,
            "reason": self.reason,
        }
        if self.bytes is not None:
            data |= {"library": self.library, "parcels": self.parcels, "messages": self.messages}
            data |= {"plain_bytes": self.plain_bytes, "wire_bytes": self.bytes}
        for direction, samples in self.taken.items():
            if time := self.time(direction):
                data |= {
                    f"{direction}_ns": round(time.estimate, 3),
                    f"{direction}_interval_ns": [round(time.low, 3), round(time.high, 3)],
                    "coverage": round(time.coverage, 4),
                    "rounds": len(samples.rounds),
                    "unsettled_rounds": self.unsettled,
                    "disturbed_samples": samples.disturbed_count,
                    "deducted_rounds": samples.deducted_rounds,
                }
        return data


def wires_of(run: Run) -> list[Wire]:
    """The wire costs that a run holds, in the order of its workloads, codecs, kinds of parcel and
    compressors."""
    made: dict[tuple[str, ...], Wire] = {}
    parcels: dict[tuple[str, ...], WireParcels] = {}
    for event in run.taken.costs:
        if not isinstance(event, WireEvent) or not _is_of(run, event):
            continue
        own = (*event.identity, event.parcel)
        if isinstance(event, WireParcels):
            parcels[own] = event
            continue
        wire = made.setdefault((*own, event.compressor), Wire(*own, event.compressor))
        if own in parcels:
            known = parcels[own]
            wire.parcels, wire.messages, wire.plain_bytes = known.parcels, known.messages, known.bytes
        match event:
            case WireSize():
                wire.bytes, wire.library = event.bytes, event.library
            case WireSample():
                wire.taken.setdefault(event.direction, CellSamples()).add(event)
            case WireFailure():
                # It holds for all compressors where none is named: the process failed, perhaps after its last
                # sample.
                for each in made.values() if event.parcel and not event.compressor else [wire]:
                    if (each.codec, each.workload, each.compiler, each.parcel) == own:
                        each.reason, each.bytes, each.taken = event.reason, None, {}
    for wire in made.values():
        if not wire.messages and not wire.reason:  # its line of the journal is damaged
            wire.reason, wire.bytes, wire.taken = (
                "the journal does not say how many messages its samples cover",
                None,
                {},
            )
    workloads, codecs = run.manifest.workloads, run.manifest.codecs
    orders = [["", *workloads], ["", *codecs], ["", *KINDS, "byte"], ["", *COMPRESSORS]]

    def place(wire: Wire) -> list[int]:
        own = (wire.workload, wire.codec, wire.parcel, wire.compressor)
        return [order.index(each) for order, each in zip(orders, own, strict=True)]

    return sorted(made.values(), key=place)


def _is_of(run: Run, event: WireEvent) -> bool:
    """Whether an event is about a codec and workload that the run has, or about the message of one byte, and
    about a compressor that is known."""
    manifest = run.manifest
    known = event.codec in ("", *manifest.codecs) and event.workload in ("", *manifest.workloads)
    return known and (isinstance(event, WireParcels) or event.compressor in ("", *COMPRESSORS))
