"""The costs of messages on the wire and their tables: size after compression, and the time to compress."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from serbench.measure.compressors import COMPRESSORS
from serbench.measure.events import WireEvent, WireFailure, WireParcels, WireSample, WireSize
from serbench.measure.store import Run
from serbench.measure.taken import CellSamples
from serbench.report.figures import Figures
from serbench.report.gathering import gathered
from serbench.report.lossy import marked
from serbench.report.metric_table import METRICS, Lines, metric_tables
from serbench.report.numbers import count, duration
from serbench.report.rows import Row
from serbench.report.table import Table, grid, terminal_width
from serbench.stats.summary import Interval, geometric_interval

KINDS = {"message": "each message alone", "block": "blocks of messages"}

PLAIN = "plain"
"""The column of messages that are not compressed."""

LINKS = {"1 Gbit/s": 1e9, "100 Mbit/s": 1e8}
"""The speeds, in bits a second, for which sending messages is computed."""

_NAMED = 6
"""The most unsettled times that a note names; on a busy machine, nearly all are unsettled."""


@dataclass(frozen=True, kw_only=True)
class Wire(Figures):
    """How one compressor did on the parcels of a codec variant and workload. Times are of one message.

    Attributes:
        parcel: ``message`` or ``block``: what is compressed at once; empty where the codec wrote nothing.
            ``byte`` for a message of one byte, which no codec wrote.
        compressor: empty where ``reason`` holds for all compressors.
        parcels: the number of parcels, of their messages, and of bytes before compression.
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
        """The mean bytes of a message before compression; None if unknown."""
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
        """In how many rounds times had not settled when the warm-up ended."""
        return len({number for each in self.samples.values() for number in each.unsettled})


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
                "unsettled_rounds": len({n for each in samples.values() for n in each.unsettled}),
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
    """Whether a run has an event's codec and workload (none for the message of one byte) and compressor."""
    manifest = run.manifest
    known = event.codec in ("", *manifest.codecs) and event.workload in ("", *manifest.workloads)
    return known and (isinstance(event, WireParcels) or event.compressor in ("", *COMPRESSORS))


def wire_tables(
    run: Run, wires: Sequence[Wire], rows: Sequence[Row], names: Mapping[str, str], width: int | None = None
) -> list[Table]:
    """Tables for each workload and kind of parcel that fit ``width`` columns (None: the terminal's).

    Args:
        rows: hold the time of serialize:reuse, where the run measured it.
        names: codec → its name in the suite.
    """
    room = width or terminal_width()
    tables: list[Table] = []
    for workload in run.manifest.workloads:
        own = [wire for wire in wires if wire.workload == workload]
        serialize = {
            row.name: row.time.scaled(1 / row.messages)
            for row in rows
            if (row.workload, row.cell) == (workload, "serialize:reuse") and row.time and row.messages
        }
        before = len(tables)
        for kind in KINDS:
            if lines := _lines(run, [wire for wire in own if wire.parcel == kind], serialize, names):
                tables += _of_kind(_title(run, workload, kind, lines), lines, room)
        if own and before == len(tables):
            tables.append(Table(f"{workload}: bytes on the wire", ["codec"], []))
        if own:
            tables[-1].notes += _notes(own)
    if tables:
        tables[-1].notes += _legend(run, wires, any("+" in table.title for table in tables))
    return tables


def _lines(
    run: Run, wires: Sequence[Wire], serialize: Mapping[str, Interval], names: Mapping[str, str]
) -> Lines:
    """The figures of each codec by compressor, the least bytes first, with the times to serialize added."""
    lines: dict[str, dict[str, Figures]] = {}
    for wire in wires:
        own, parcels = serialize.get(wire.name), wire.parcels
        if parcels is None or wire.compressor not in COMPRESSORS:
            continue
        name = f"{names.get(wire.codec, wire.codec)} {wire.compiler}".rstrip()
        nothing = Figures(wire.codec, wire.workload)
        counts = {"parcels": parcels.parcels, "messages": parcels.messages}
        plain = replace(nothing, values={**counts, **_known(wire.plain_size, own)})
        line = lines.setdefault(
            marked(name, wire.codec, run.manifest), {PLAIN: plain, **dict.fromkeys(COMPRESSORS, nothing)}
        )
        sent = _sum(own, wire.values["compress_ns"]) if own and "compress_ns" in wire.values else None
        line[wire.compressor] = replace(wire, values={**wire.values, **_known(wire.size, sent)})

    def least(line: Mapping[str, Figures]) -> tuple[float, float]:
        return min(row.values.get("bytes", math.inf) for row in line.values()), line[PLAIN].values["bytes"]

    return dict(sorted(lines.items(), key=lambda item: least(item[1])))


def _known(bytes: float | None, sent_ns: Interval | None) -> dict[str, Any]:
    """The values of a message that are known: its bytes, and the time to serialize and compress it."""
    return {name: value for name, value in (("bytes", bytes), ("sent_ns", sent_ns)) if value is not None}


def _sum(one: Interval, other: Interval) -> Interval:
    """The sum of two times, with the widest interval that it can have: the ends are added."""
    coverage = min(one.coverage, other.coverage)
    return Interval(one.estimate + other.estimate, one.low + other.low, one.high + other.high, coverage)


def _title(run: Run, workload: str, kind: str, lines: Lines) -> str:
    first = next(iter(lines.values()))[PLAIN].values
    parcels, messages = first["parcels"], first["messages"]
    in_all = run.manifest.datasets[workload].messages if workload in run.manifest.datasets else messages
    if in_all == 1:
        return workload
    alone = f"{count(messages)} of {count(in_all)}"
    blocks = f"{count(parcels)} of {count(messages // max(parcels, 1))}"
    return f"{workload}, {KINDS[kind]} ({alone if kind == 'message' else blocks})"


def _of_kind(title: str, lines: Lines, room: int) -> list[Table]:
    """Tables of one kind of parcel: of bytes, of times to compress and to decompress and, if serializing was
    timed, of all steps together."""
    everything = [PLAIN, *COMPRESSORS]
    shown = {"size": everything, "compress": everything[1:], "decompress": everything[1:]}
    sent = any("sent_ns" in line[PLAIN].values for line in lines.values())
    shown |= {"sent": everything} if sent else {}
    tables = [
        table
        for metric, compressors in shown.items()
        for table in metric_tables(METRICS[metric], title, lines, compressors, room)
    ]
    return [*tables, _quickest(title, lines)] if sent else tables


def _quickest(title: str, lines: Lines) -> Table:
    """The table of the compressor by which each codec sends a message soonest over each network link of
    ``LINKS``, with the time that this takes."""

    def cells(name: str, link: str) -> list[str]:
        times = {
            compressor: _sum(row.values["sent_ns"], Interval(ns, ns, ns, 1.0))
            for compressor, row in lines[name].items()
            if row.values.keys() >= {"sent_ns", "bytes"}
            for ns in [row.values["bytes"] * 8 / LINKS[link] * 1e9]
        }
        best = min(times, key=lambda compressor: times[compressor].estimate, default=None)
        return [duration(times[best]), best] if best else ["–", ""]

    title = f"{title}: serialize + compress + send, fastest"
    return grid(title, {"codec": str}, lines, [*LINKS], lambda link: [link, "by"], cells, texts=(0, 2, 4))


def _notes(wires: Sequence[Wire]) -> Iterator[str]:
    """A line for each reason why a figure is missing, then lines on what was unsettled or disturbed."""
    by_reason = gathered(
        (wire.reason, " ".join(filter(None, (wire.name, wire.compressor)))) for wire in wires if wire.reason
    )
    yield from (f"{', '.join(dict.fromkeys(who))}: {reason}" for reason, who in by_reason.items())
    restless = [wire for wire in wires if wire.unsettled and 2 * wire.unsettled >= wire.rounds]
    if len(restless) > _NAMED:
        yield (
            f"Still warming up when timing began, in half of their rounds or more: {len(restless)} of "
            f"{len(wires)} pairs of codec and compressor; --format json names them (unsettled_rounds)."
        )
    elif restless:
        cells = ", ".join(f"{w.name} {w.compressor} ({w.unsettled})" for w in restless)
        yield f"Still warming up when timing began (rounds): {cells}."
    # How many samples something else took time from, and in how many figures they count all the same.
    taken = [samples for wire in wires for samples in wire.samples.values()]
    if disturbed := sum(samples.disturbed_count for samples in taken):
        deducted = sum(samples.deducted_rounds > 0 for samples in taken)
        excepted = (
            f", except in {deducted} of {len(taken)} figures, from which the lost time is deducted where a "
            "round has no others; --format json names them (deducted_rounds)"
        )
        yield (
            f"{disturbed} of {sum(samples.count for samples in taken)} compressor samples were disturbed and "
            f"left out{excepted if deducted else ''}."
        )


def _legend(run: Run, wires: Sequence[Wire], with_sum: bool) -> Iterator[str]:
    rounds = max((wire.rounds for wire in wires), default=0)
    yield (
        "Bytes and times are averages per message. Times: mean without the lowest and highest fifth "
        f"over {rounds} round{'s' if rounds != 1 else ''}, on one core; compressors keep their "
        "state between calls."
    )
    both = ("compress_ns", "decompress_ns")
    calls = [
        f"{wire.compressor} {' and '.join(duration(wire.values[name]) for name in both)}"
        for wire in wires
        if wire.parcel == "byte" and wire.values.keys() >= set(both)
    ]
    if calls:
        yield (
            f"Times to compress and to decompress a message of one byte: {', '.join(calls)}. This fixed cost "
            "of a call, part of it due to the Python package, is included in all times."
        )
    if any(wire.parcel == "block" for wire in wires):
        yield (
            "In a block, each message follows its length in four bytes, which are included in plain and "
            "compressed bytes."
        )
    if with_sum:
        yield (
            "serialize is serialize:reuse; send is bytes divided by the speed of the link, without protocol "
            "overhead."
        )
    libraries = dict.fromkeys(wire.values["library"] for wire in wires if "library" in wire.values)
    yield f"{', '.join(libraries)}; run {run.id} · {run.manifest.machine.processor_in_words}"
