"""The tables of a run: one per workload, codecs in rows, operations in columns, the best first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median

from serbench.measure.earlier import NOTE
from serbench.measure.manifest import Data
from serbench.measure.store import Run
from serbench.report.checked import LEGEND, letters, shows_checks
from serbench.report.lossy import losses, marked
from serbench.report.numbers import count, duration, ratio, spread
from serbench.report.rows import Row
from serbench.report.table import Table, fitting, terminal_width
from serbench.selection import OPERATION_NOTES
from serbench.stats.disturbance import LOST_SHARE, TICK_NS
from serbench.stats.summary import ROUNDS_TO_RANK
from serbench.stats.ties import UNSTEADY

LONGEST_REASON = 400
"""Characters of a reason below a table."""

_DAMAGED_SHOWN = 5

_LONGEST_HEADING = 12

# What an operation's columns show: the fullest layout that fits is taken.
_LAYOUTS = (
    ("checks", "time", "±", "ratio", "#"),
    ("checks", "time", "ratio", "#"),
    ("time", "ratio", "#"),
    ("time", "#"),
)
_NAMED = {"ratio": "ratios"}


def run_tables(run: Run, rows: Sequence[Row], width: int | None = None, relative_to: str | None = None) -> list[Table]:
    """Tables that fit ``width`` columns (the terminal's for None); more operations than fit are split over several.

    Ratios are to the best, or to the codec ``relative_to``.
    """
    room = width or terminal_width()
    tables = []
    for workload in run.manifest.workloads:
        of_workload = [r for r in rows if r.workload == workload]
        tables += _fitting(run, workload, of_workload, room, relative_to)
        tables[-1].notes += notes_of(of_workload, len(run.manifest.operations), run.manifest.target)
    if tables:
        tables[-1].notes += legend(run)
    return tables


def _fitting(run: Run, workload: str, rows: Sequence[Row], room: int, relative_to: str | None) -> list[Table]:
    """The tables of one workload: as few as possible, then as full as possible."""
    operations = run.manifest.operations
    layouts = {
        (per_table, columns): [
            _table(run, workload, rows, operations[n : n + per_table], columns, relative_to)
            for n in range(0, len(operations), per_table)
        ]
        for per_table in range(len(operations), 0, -1)
        for columns in _LAYOUTS
    }
    tables = fitting(layouts.values(), room)
    (columns,) = (columns for (_, columns), each in layouts.items() if each is tables)
    dropped = [_NAMED.get(column, column) for column in _LAYOUTS[0] if column not in columns]
    if not shows_checks(run.manifest, operations):
        dropped = [column for column in dropped if column != "checks"]
    elif "checks" in columns:
        tables[-1].notes.append(LEGEND)
    if dropped:
        tables[-1].notes.append(f"Left out to fit {room} columns: {', '.join(dropped)}; --format markdown has all.")
    return list(tables)


def _table(
    run: Run, workload: str, rows: Sequence[Row], operations: Sequence[str], columns: Sequence[str], relative_to: str | None
) -> Table:
    cells = cells_by_operation(rows)
    codecs = {r.name: r.codec for r in rows}
    measured = dict.fromkeys(r.name for r in rows if r.time and f"{r.operation}:{r.memory}" in operations)
    names = sorted(measured, key=lambda name: _order([cells[name, o] for o in operations]))
    with_checks = "checks" in columns and shows_checks(run.manifest, operations)
    columns = [column for column in columns if column != "checks"]
    keys = ["codec", *(["checks"] if with_checks else [])]
    headings = [*keys, "size"]
    for operation in operations:
        meant = {"time": heading_of(operation), "ratio": f"×{(relative_to or 'best').rpartition('/')[2]}"}
        headings += [meant.get(column, column) for column in columns]
    body = []
    for name in names:
        line = [marked(name, codecs[name], run.manifest)]
        line += [letters(run.manifest.checks.get(codecs[name]))] if with_checks else []
        line.append(count(next((r.size_bytes for r in rows if r.name == name), None)))
        for operation in operations:
            line += _cell(cells[name, operation], columns, relative_to is not None)
        body.append(line)
    title = f"{workload}: {described(run.manifest.datasets.get(workload))}"
    return Table(title, headings, body, frozenset(range(len(keys), len(headings))))


def described(data: Data | None) -> str:
    """``1 message, 8,413 canonical bytes``."""
    if data is None:
        return "of unknown data"
    return f"{count(data.messages)} message{'s' if data.messages != 1 else ''}, {count(data.canonical_bytes)} canonical bytes"


def heading_of(operation: str) -> str:
    """An operation with its memory policy, such as ``serialize:reuse``, over two lines; a long name is broken itself."""
    name, _, memory = operation.partition(":")
    if len(name) > _LONGEST_HEADING:
        first, _, last = name.rpartition("_")
        name = f"{first}_\n{last}"
    return f"{name}\n{memory}"


def cells_by_operation(rows: Sequence[Row]) -> dict[tuple[str, str], Row]:
    """Rows of one workload by contender's name and operation with memory policy."""
    return {(r.name, f"{r.operation}:{r.memory}"): r for r in rows}


def _cell(row: Row, columns: Sequence[str], relative: bool) -> list[str]:
    compared = row.relative if relative else row.ratio
    if not row.time:
        return ["–" if row.status == "unsupported" else row.status, *([""] * (len(columns) - 1))]
    shown = {
        "time": duration(row.time) + ("°" if row.view else "") + ("†" if row.remembers else ""),
        "±": spread(row.time),
        "ratio": ratio(compared) if compared else "–",
        "#": row.rank_shown,
    }
    return [shown[column] for column in columns]


def _order(rows: Sequence[Row]) -> tuple[bool, float, float]:
    """The floor first, then by the geometric mean of the ratios to the best; those that have none by their times."""
    ratios = [r.ratio.estimate for r in rows if r.ratio]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.inf
    return (not any(r.floor for r in rows), mean, sum(r.time.estimate for r in rows if r.time))


def notes_of(rows: Sequence[Row], operations_in_all: int, target: float | None = None) -> list[str]:
    """One line for each reason why cells have no figure, with the codecs and operations that it holds for, and what is to be
    known of those that have; ``target`` is the run's."""
    by_codec: dict[tuple[str, str, str], list[str]] = {}
    for row in rows:
        if row.status != "ok":
            # Operations that are not offered make one line together.
            reason = "" if row.reason.startswith("offers no ") else _told(row.reason)
            by_codec.setdefault((row.name, row.status, reason), []).append(f"{row.operation}:{row.memory}")
    by_reason: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for (codec, status, reason), operations in by_codec.items():
        by_reason.setdefault((status, reason, tuple(operations)), []).append(codec)
    notes = []
    for (status, reason, cells), codecs in by_reason.items():
        who = _together(codecs)
        if not reason:
            lacking = ", ".join(dict.fromkeys(cell.partition(":")[0] for cell in cells))
            notes.append(f"{who} {'offers' if len(codecs) == 1 else 'offer'} no {lacking}")
        else:
            where = who if len(cells) == operations_in_all else f"{who} {', '.join(cells)}"
            notes.append(f"{where}: {status.replace('_', ' ')}: {reason}")
    if any(row.view and row.time for row in rows):
        notes.append(
            "°: a constant-time view, which takes no longer for a longer message, or a native_roundtrip with one in it; ranked "
            "and compared with its like alone."
        )
    notes += [note for name, note in OPERATION_NOTES.items() if any(row.operation == name and row.time for row in rows)]
    return [*notes, *_remembering(rows), *_unsettled(rows), *_unsteady(rows), *_unconverged(rows, target), *_disturbed(rows)]


def _told(reason: str) -> str:
    """A reason as a line can hold it: without what a runner printed, where that is a stack trace."""
    if len(reason) <= LONGEST_REASON:
        return reason
    told = reason.partition("; it printed: ")[0]
    return f"{told if len(told) <= LONGEST_REASON else told[:LONGEST_REASON] + '…'} (--format json has all of it)"


def _remembering(rows: Sequence[Row]) -> list[str]:
    """What is less work for some since the objects were encoded before."""
    kept = {row.name: row.remembers for row in rows if row.time and row.remembers}
    told = [f"{', '.join(name for name in kept if kept[name] == what)}: {what}" for what in dict.fromkeys(kept.values())]
    if not told:
        return []
    return [
        f"†: encodes objects that were encoded before and remember of it ({'; '.join(told)}); serialize and roundtrip do not."
    ]


def _unsettled(rows: Sequence[Row]) -> list[str]:
    """The cells whose times had not settled when they were measured, in at least half of their rounds."""
    restless = [row for row in rows if row.time and 2 * row.unsettled >= row.rounds]
    cells = ", ".join(f"{row.name} {row.operation}:{row.memory} ({row.unsettled})" for row in restless)
    return [f"Not settled when the warm-up ended, in so many rounds: {cells}."] if cells else []


def _unsteady(rows: Sequence[Row]) -> list[str]:
    """The cells that share a rank only because their own times vary too much."""
    cells = ", ".join(f"{row.name} {row.operation}:{row.memory}" for row in rows if row.unsteady)
    if not cells:
        return []
    return [
        f"Unsteady (~): {cells}. Its times vary so much from round to round that it cannot be told from others of its rank, "
        f"though they seem more than {100 * UNSTEADY:g} % apart; the others' times do not."
    ]


def _unconverged(rows: Sequence[Row], target: float | None) -> list[str]:
    """The cells whose ratio to the best is not known as well as was wanted."""
    wide = [row for row in rows if target and row.rank and row.ratio and row.ratio.relative_reach > target]
    reaches = [(row, 100 * row.ratio.relative_reach) for row in wide if row.ratio]
    cells = ", ".join(f"{row.name} {row.operation}:{row.memory} ({reach:.{1 if reach < 10 else 0}f} %)" for row, reach in reaches)
    return [f"Ratios that are not within ±{100 * (target or 0):g} %: {cells}."] if cells else []


def _disturbed(rows: Sequence[Row]) -> list[str]:
    """How many samples something else took time from, and whether they could be left out."""
    disturbed, taken = sum(row.disturbed for row in rows), sum(row.samples for row in rows)
    if not disturbed:
        return []
    share = f"{100 * LOST_SHARE:g} %"
    overrun = [f"{row.name} {row.operation}:{row.memory}" for row in rows if row.overrun]
    if not overrun:
        return [f"{disturbed} of {taken} samples disturbed and left out: others took more than {share} of their time."]
    where = "all cells" if len(overrun) == sum(row.time is not None for row in rows) else ", ".join(overrun)
    return [
        f"{disturbed} of {taken} samples disturbed: others took more than {share} of their time. They are left out, but not of "
        f"{where}: too few rounds would remain, so they count, less the time that others had the core. Not to be trusted, and so "
        "without rank, and nothing is compared to them. Measure again when the machine is quiet."
    ]


def _together(codecs: Sequence[str]) -> str:
    """``language/codec:one, other`` for two variants of one codec."""
    variants: dict[str, list[str]] = {}
    for codec in codecs:
        name, _, variant = codec.partition(":")
        variants.setdefault(name, []).append(variant)
    return ", ".join(f"{name}:{', '.join(names)}" if names != [""] else name for name, names in variants.items())


def legend(run: Run) -> list[str]:
    """What the columns mean, and what the run was measured with."""
    manifest = run.manifest
    lines = [
        "Times: one pass over all messages, mean over rounds without the lowest and highest fifth; ± half of the 95 % interval; "
        "× to the best, paired by round. Equal # means not separated. reuse: buffers and objects are used again; fresh: made "
        "anew for each message.",
        f"run {run.id} · {manifest.machine.processor_in_words}",
        *filter(None, [manifest.machine.surroundings]),
        *(f"{t.compiler} · {t.flags}" for t in manifest.toolchains if not t.missing),
    ]
    lines += _stolen(run.taken.stolen_ns, run.taken.sampled_ns)
    drift = _drift(run.taken.references)
    if drift:
        lines.append(drift)
    if max((len(cell.rounds) for cell in run.taken.cells.values()), default=0) < ROUNDS_TO_RANK:
        lines.insert(1, f"Fewer than {ROUNDS_TO_RANK} rounds separate nothing with 95 % confidence: all ranks are 1.")
    there = {unit.codec for unit in run.taken.units.values() if unit.status == "ok"}
    lines[1:1] = losses([manifest], there)
    if run.is_earlier:
        lines.insert(0, NOTE)
    if not run.taken.ended:
        lines.insert(0, f"This run did not end: it was killed or is still going on. {manifest.rounds} rounds were planned.")
    if manifest.dynamic:
        lines.append(f"Not linked statically, since its library is a shared one only: {', '.join(manifest.dynamic)}.")
    if manifest.floors:
        lines.insert(1, f"{', '.join(manifest.floors)}: the floor, a mere copy; it is no contender and has no rank.")
    if damaged := run.taken.damaged:
        more = f", and {len(damaged) - _DAMAGED_SHOWN} more" if len(damaged) > _DAMAGED_SHOWN else ""
        lines.append(f"Damaged and left out: {', '.join(damaged[:_DAMAGED_SHOWN])}{more}.")
    return lines


def _stolen(stolen_ns: int, sampled_ns: int) -> list[str]:
    """How much the hypervisor took, where that is more than a sample may lose: over all samples, ticks tell it well."""
    if stolen_ns <= max(TICK_NS, LOST_SHARE * sampled_ns):
        return []
    return [
        f"The hypervisor took {100 * stolen_ns / sampled_ns:.1f} % of the core's time in all samples, from most of them too "
        "little to be told of one. Times are longer by so much; ratios are not, as far as it took as much from both."
    ]


def _drift(references: Mapping[int, Mapping[str, int]]) -> str:
    """How much the machine changed from round to round, by the reference kernel; empty with fewer than two rounds of it."""
    kinds = sorted({kind for figures in references.values() for kind in figures})
    ranges = []
    for kind in kinds:
        times = [figures[kind] for figures in references.values() if kind in figures]
        least, most = (100 * (extreme / median(times) - 1) for extreme in (min(times), max(times)))
        ranges.append(f"{kind.removesuffix('_ns')} work {least:+.0f} to {most:+.0f} %")
    if len(references) < 2 or not ranges:
        return ""
    return f"Drift of the machine over {len(references)} rounds, by fixed work: {', '.join(ranges)} of the median."
