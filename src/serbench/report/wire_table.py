"""What messages cost on the wire: their size after compression, and the time of compressing, a few tables for
each workload."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from serbench.measure.compressors import COMPRESSORS
from serbench.measure.manifest import Manifest
from serbench.measure.store import Run
from serbench.report.lossy import marked
from serbench.report.numbers import count, duration, mean_size
from serbench.report.rows import Row
from serbench.report.table import Table, fitting, terminal_width
from serbench.report.wires import KINDS, Wire
from serbench.stats.summary import Interval

PLAIN = "plain"
"""The column of messages that are not compressed."""

LINKS = {"1 Gbit/s": 1e9, "100 Mbit/s": 1e8}
"""The speeds, in bits a second, for which sending messages is computed."""

_NAMED = 6
"""The most pairs that a note on unsettled times names; on a busy machine, nearly all pairs are unsettled."""


@dataclass(frozen=True)
class _Line:
    """One codec's figures by compressor, and its own time to serialize a message where that was measured."""

    name: str
    wires: Mapping[str, Wire]
    serialize: Interval | None

    @property
    def plain_size(self) -> float:
        return next(iter(self.wires.values())).plain_size

    def size(self, compressor: str) -> float | None:
        """Bytes of a message."""
        if compressor == PLAIN:
            return self.plain_size
        return self.wires[compressor].size if compressor in self.wires else None

    def time(self, compressor: str, direction: str) -> Interval | None:
        return self.wires[compressor].time(direction) if compressor in self.wires else None

    def sent(self, compressor: str) -> Interval | None:
        """Nanoseconds to serialize and compress a message. The ends of both intervals are added, which gives
        the widest interval that the sum can have."""
        if self.serialize is None or compressor == PLAIN:
            return self.serialize
        packing = self.time(compressor, "compress")
        return None if packing is None else _sum(self.serialize, packing)

    @property
    def least(self) -> float:
        return min(size for name in (PLAIN, *COMPRESSORS) if (size := self.size(name)) is not None)


def _sum(one: Interval, other: Interval) -> Interval:
    coverage = min(one.coverage, other.coverage)
    return Interval(one.estimate + other.estimate, one.low + other.low, one.high + other.high, coverage)


def wire_tables(
    run: Run, wires: Sequence[Wire], rows: Sequence[Row], names: Mapping[str, str], width: int | None = None
) -> list[Table]:
    """Tables that fit ``width`` columns (the terminal's for None), for each workload and kind of parcel, the
    least bytes first.

    Args:
        rows: hold the time of serialize:reuse, where the run measured it.
        names: codec → its name in the suite.
    """
    room = width or terminal_width()
    tables: list[Table] = []
    for workload in run.manifest.workloads:
        own = [wire for wire in wires if wire.workload == workload]
        before = len(tables)
        for kind in KINDS:
            lines = _lines([wire for wire in own if wire.parcel == kind], rows, names, run.manifest)
            if lines:
                title = _title(run, workload, kind, next(iter(lines[0].wires.values())))
                tables += _of_kind(title, lines, room)
        if own and before == len(tables):
            tables.append(Table(f"{workload}: bytes on the wire", ["codec"], []))
        if own:
            tables[-1].notes += _notes(own)
    if tables:
        tables[-1].notes += _legend(run, wires, any("+" in table.title for table in tables))
    return tables


def _lines(
    wires: Sequence[Wire], rows: Sequence[Row], names: Mapping[str, str], manifest: Manifest
) -> list[_Line]:
    by_name: dict[str, dict[str, Wire]] = {}
    for wire in wires:
        if wire.compressor in COMPRESSORS and wire.messages:
            by_name.setdefault(wire.name, {})[wire.compressor] = wire
    serialize = {
        (row.name, row.workload): row for row in rows if (row.operation, row.memory) == ("serialize", "reuse")
    }
    lines = []
    for name, own in by_name.items():
        any_wire = next(iter(own.values()))
        shown = f"{names.get(any_wire.codec, any_wire.codec)} {any_wire.compiler}".rstrip()
        row = serialize.get((name, any_wire.workload))
        lines.append(_Line(marked(shown, any_wire.codec, manifest), own, _of_a_message(row)))
    return sorted(lines, key=lambda line: (line.least, line.plain_size))


def _of_a_message(row: Row | None) -> Interval | None:
    if row is None or row.time is None or not row.messages:
        return None
    return row.time.scaled(1 / row.messages)


def _title(run: Run, workload: str, kind: str, wire: Wire) -> str:
    in_all = run.manifest.datasets[workload].messages if workload in run.manifest.datasets else wire.messages
    if in_all == 1:
        return workload
    alone = f"{count(wire.messages)} of {count(in_all)}"
    blocks = f"{count(wire.parcels)} of {count(wire.messages // max(wire.parcels, 1))}"
    return f"{workload}, {KINDS[kind]} ({alone if kind == 'message' else blocks})"


def _of_kind(title: str, lines: Sequence[_Line], room: int) -> list[Table]:
    """The tables of bytes and of the times to compress and to decompress; where serializing was measured,
    also of all steps together."""

    def compress(line: _Line, name: str) -> str:
        return _shown(line.time(name, "compress"))

    def decompress(line: _Line, name: str) -> str:
        return _shown(line.time(name, "decompress"))

    everything = [PLAIN, *COMPRESSORS]
    tables = _matrix(
        f"{title}: bytes on the wire", lines, everything, lambda line, name: _bytes(line.size(name)), room
    )
    tables += _matrix(f"{title}: compress", lines, list(COMPRESSORS), compress, room)
    tables += _matrix(f"{title}: decompress", lines, list(COMPRESSORS), decompress, room)
    if any(line.serialize for line in lines):
        sent = _matrix(
            f"{title}: serialize + compress",
            lines,
            everything,
            lambda line, name: _shown(line.sent(name)),
            room,
        )
        tables += [*sent, _quickest(f"{title}: serialize + compress + send, fastest", lines)]
    return tables


def _matrix(
    title: str,
    lines: Sequence[_Line],
    compressors: Sequence[str],
    cell: Callable[[_Line, str], str],
    room: int,
) -> list[Table]:
    """Codecs by compressors, in as few tables as fit."""

    def of(part: Sequence[str]) -> Table:
        body = [[line.name, *(cell(line, name) for name in part)] for line in lines]
        return Table(title, ["codec", *part], body, frozenset(range(1, len(part) + 1)))

    layouts = [
        [of(compressors[n : n + per_table]) for n in range(0, len(compressors), per_table)]
        for per_table in range(len(compressors), 0, -1)
    ]
    return list(fitting(layouts, room))


def _quickest(title: str, lines: Sequence[_Line]) -> Table:
    """For each link, the compressor by which a message is sent soonest, and the time that this takes."""
    headings = ["codec", *(heading for link in LINKS for heading in (link, "by"))]
    body = []
    for line in lines:
        cells = [line.name]
        for bits_per_s in LINKS.values():
            out = {}
            for name in (PLAIN, *COMPRESSORS):
                sent, size = line.sent(name), line.size(name)
                if sent is not None and size is not None:
                    ns = size * 8 / bits_per_s * 1e9
                    out[name] = _sum(sent, Interval(ns, ns, ns, 1.0))
            best = min(out, key=lambda name: out[name].estimate, default=None)
            cells += [_shown(out[best]), best] if best else ["–", ""]
        body.append(cells)
    return Table(title, headings, body, frozenset({1, 3}))


def _shown(time: Interval | None) -> str:
    return "–" if time is None else duration(time)


def _bytes(size: float | None) -> str:
    return "–" if size is None else mean_size(size)


def _notes(wires: Sequence[Wire]) -> list[str]:
    """One line for each reason why there is no figure, with all that it holds for; then what was not settled
    or was disturbed."""
    by_reason: dict[str, list[str]] = {}
    for wire in wires:
        if wire.reason:
            who = " ".join(filter(None, (wire.name, wire.compressor)))
            by_reason.setdefault(wire.reason, []).append(who)
    notes = [f"{', '.join(dict.fromkeys(who))}: {reason}" for reason, who in by_reason.items()]
    restless = [wire for wire in wires if wire.unsettled and 2 * wire.unsettled >= wire.rounds]
    if len(restless) > _NAMED:
        most = (
            f"{len(restless)} of {len(wires)} pairs of codec and compressor; --format json names them "
            "(unsettled_rounds)"
        )
        notes.append(f"Still warming up when timing began, in half of their rounds or more: {most}.")
    elif restless:
        cells = ", ".join(f"{w.name} {w.compressor} ({w.unsettled})" for w in restless)
        notes.append(f"Still warming up when timing began (rounds): {cells}.")
    return [*notes, *_disturbed(wires)]


def _disturbed(wires: Sequence[Wire]) -> list[str]:
    """How many samples something else took time from, and in how many figures they count all the same."""
    taken = [samples for wire in wires for samples in wire.taken.values()]
    disturbed = sum(samples.disturbed_count for samples in taken)
    if not disturbed:
        return []
    note = (
        f"{disturbed} of {sum(samples.count for samples in taken)} compressor samples were disturbed and "
        "left out"
    )
    if deducted := sum(samples.deducted_rounds > 0 for samples in taken):
        note += (
            f", except in {deducted} of {len(taken)} figures, from which the lost time is deducted where a "
            "round has no others; --format json names them (deducted_rounds)"
        )
    return [f"{note}."]


def _legend(run: Run, wires: Sequence[Wire], with_sum: bool) -> list[str]:
    libraries = dict.fromkeys(wire.library for wire in wires if wire.library)
    calls = [
        f"{wire.compressor} {duration(there)} and {duration(back)}"
        for wire in wires
        if wire.parcel == "byte" and (there := wire.time("compress")) and (back := wire.time("decompress"))
    ]
    rounds = max((wire.rounds for wire in wires), default=0)
    lines = [
        "Bytes and times are averages per message. Times: mean without the lowest and highest fifth "
        f"over {rounds} round{'s' if rounds != 1 else ''}, on one core; compressors keep their "
        "state between calls."
    ]
    if calls:
        lines.append(
            f"Times to compress and to decompress a message of one byte: {', '.join(calls)}. This fixed cost "
            "of a call, part of it due to the Python package, is included in all times."
        )
    if any(wire.parcel == "block" for wire in wires):
        lines.append(
            "In a block, each message follows its length in four bytes, which are included in plain and "
            "compressed bytes."
        )
    if with_sum:
        lines.append(
            "serialize is serialize:reuse; send is bytes divided by the speed of the link, without protocol "
            "overhead."
        )
    lines.append(f"{', '.join(libraries)}; run {run.id} · {run.manifest.machine.processor_in_words}")
    return lines
