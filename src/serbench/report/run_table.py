"""The tables of a run: one per workload, codecs in rows, operations in columns, the best first."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import median

from serbench.measure.earlier import NOTE
from serbench.measure.manifest import Data
from serbench.measure.store import Run
from serbench.report.checked import LEGEND, harmed, letters, shows_checks
from serbench.report.lossy import losses, marked
from serbench.report.numbers import count, duration, growth_in_words, mean_size, ratio, speed, spread
from serbench.report.rows import Row
from serbench.report.table import Table, fitting, terminal_width
from serbench.report.trust import is_unsettled, is_wide, stolen_share
from serbench.report.verdict import verdict_of
from serbench.report.verdict_lines import lines_of, next_step
from serbench.selection import OPERATION_NOTES
from serbench.stats.disturbance import LOST_SHARE
from serbench.stats.summary import ROUNDS_TO_RANK
from serbench.stats.ties import UNSTEADY

LONGEST_REASON = 400
"""Characters of a reason below a table."""

_DAMAGED_SHOWN = 5

_LONGEST_HEADING = 12

TIMES = (
    "Times: one pass over all messages, divided by their number; mean over rounds without the lowest "
    "and highest fifth, ± half of the 95 % interval. Ratios are taken inside each round."
)

# What an operation's columns show: the fullest layout that fits is taken. Of many messages, times are of one,
# with the speed.
_LAYOUTS = (
    ("checks", "time", "MB/s", "±", "ratio", "#"),
    ("checks", "time", "MB/s", "ratio", "#"),
    ("checks", "time", "±", "ratio", "#"),
    ("checks", "time", "ratio", "#"),
    ("time", "ratio", "#"),
    ("ratio", "#"),
)
_NAMED = {"time": "times"}


def run_tables(
    run: Run, rows: Sequence[Row], width: int | None = None, relative_to: str | None = None
) -> list[Table]:
    """Tables that fit ``width`` columns (the terminal's for None); more operations than fit are split over
    several. Above the first of each workload stands the verdict on it.

    Ratios are to the best, or to the codec ``relative_to``.
    """
    room = width or terminal_width()
    tables: list[Table] = []
    verdicts = []
    for workload in run.manifest.workloads:
        own = [r for r in rows if r.workload == workload]
        view = _View(run, workload, own, relative_to)
        made = view.fitting(room)
        verdicts.append(verdict_of(run, workload, own))
        made[0].verdict, made[0].verdict_records = lines_of(run, verdicts[-1]), verdicts[-1].to_json()
        made[-1].notes = [
            *absent(own),
            *view.key(),
            *made[-1].notes,
            *notes_of(own, len(view.operations), run.manifest.target),
        ]
        tables += made
    if tables:
        foremost, others = legend(run)
        tables[-1].notes = [*foremost, *tables[-1].notes, TIMES, *others]
        tables[-1].next_step = next_step(run, verdicts)
    return tables


@dataclass(frozen=True)
class _View:
    """The rows of one workload, as its tables show them."""

    run: Run
    workload: str
    rows: Sequence[Row]
    relative_to: str | None

    @property
    def operations(self) -> Sequence[str]:
        return self.run.manifest.operations

    @property
    def data(self) -> Data | None:
        return self.run.manifest.datasets.get(self.workload)

    @property
    def messages(self) -> int:
        """How many messages times and sizes are divided by."""
        return max(self.data.messages, 1) if self.data else 1

    def fitting(self, room: int) -> list[Table]:
        """As few tables as possible, then as full as possible."""
        whole = _LAYOUTS if self.messages > 1 else [columns for columns in _LAYOUTS if "MB/s" not in columns]
        layouts = {
            (per_table, columns): [
                self.table(self.operations[n : n + per_table], columns)
                for n in range(0, len(self.operations), per_table)
            ]
            for per_table in range(len(self.operations), 0, -1)
            for columns in whole
        }
        tables = fitting(layouts.values(), room)
        (columns,) = (columns for (_, columns), each in layouts.items() if each is tables)
        dropped = [_NAMED.get(column, column) for column in whole[0] if column not in columns]
        if not shows_checks(self.run.manifest, self.operations):
            dropped = [column for column in dropped if column != "checks"]
        elif "checks" in columns:
            tables[-1].notes.append(LEGEND)
        if harm := shows_checks(self.run.manifest, self.operations) and self.harm():
            tables[-1].notes.append(harm)
        if dropped:
            tables[-1].notes.append(
                f"Left out to fit {room} columns: {', '.join(dropped)}; --format markdown has all."
            )
        return list(tables)

    def harm(self) -> str:
        return harmed(self.run.manifest.hostile, [(row.codec, row.name) for row in self.rows if row.time])

    def table(self, operations: Sequence[str], columns: Sequence[str]) -> Table:
        cells = cells_by_operation(self.rows)
        codecs = {r.name: r.codec for r in self.rows}
        measured = dict.fromkeys(
            r.name for r in self.rows if r.time and f"{r.operation}:{r.memory}" in operations
        )
        names = sorted(measured, key=lambda name: _order([cells[name, o] for o in operations]))
        manifest = self.run.manifest
        with_checks = "checks" in columns and shows_checks(manifest, operations)
        columns = [column for column in columns if column != "checks"]
        keys = ["codec", *(["checks"] if with_checks else [])]
        per_message = "\nper message" if "time" in columns else "\nper\nmessage"
        headings = [*keys, f"size{per_message}" if self.messages > 1 else "size"]
        for operation in operations:
            headings += self.headings(operation, columns)
        body = []
        for name in names:
            line = [marked(name, codecs[name], manifest)]
            line += [letters(manifest.checks.get(codecs[name]))] if with_checks else []
            line.append(self.size(next((r.size_bytes for r in self.rows if r.name == name), None)))
            for operation in operations:
                line += self.cell(cells[name, operation], columns)
            body.append(line)
        title = f"{self.workload}: {described(self.data)}"
        return Table(title, headings, body, frozenset(range(len(keys), len(headings))))

    def headings(self, operation: str, columns: Sequence[str]) -> list[str]:
        compared = f"×{(self.relative_to or 'best').rpartition('/')[2]}"
        if "time" not in columns:
            return [f"{heading_of(operation, narrow=True)}\n{compared}", *columns[1:]]
        time = heading_of(operation) + ("\nper message" if self.messages > 1 else "")
        meant = {"time": time, "ratio": compared}
        return [meant.get(column, column) for column in columns]

    def size(self, size_bytes: int | None) -> str:
        return (
            count(size_bytes)
            if size_bytes is None or self.messages == 1
            else mean_size(size_bytes / self.messages)
        )

    def cell(self, row: Row, columns: Sequence[str]) -> list[str]:
        compared = row.relative if self.relative_to else row.ratio
        if not row.time:
            return ["–" if row.status == "unsupported" else row.status, *([""] * (len(columns) - 1))]
        marks = ("°" if row.view else "") + ("†" if row.remembers else "") + ("?" if row.undercuts else "")
        shown = {
            "time": duration(row.time.scaled(1 / self.messages)),
            "MB/s": speed(self.data.canonical_bytes, row.time) if self.data else "–",
            "±": spread(row.time),
            "ratio": ratio(compared) if compared else "–",
            "#": row.rank_shown,
        }
        shown[columns[0]] += marks
        return [shown[column] for column in columns]

    def key(self) -> list[str]:
        """What the columns mean, in short."""
        compared = f"× to {self.relative_to}" if self.relative_to else "× to the best"
        notes = [
            f"{compared}. Equal #: too close to call. reuse: buffers and objects used again; fresh: "
            "made anew for each message."
        ]
        if self.messages > 1:
            notes.append("MB/s: of the uncompressed reference size, which is the same for every codec.")
        return notes


def described(data: Data | None) -> str:
    """``1 message, 8,413 bytes uncompressed reference size``."""
    if data is None:
        return "of unknown data"
    messages = f"{count(data.messages)} message{'s' if data.messages != 1 else ''}"
    return f"{messages}, {count(data.canonical_bytes)} bytes uncompressed reference size"


def heading_of(operation: str, narrow: bool = False) -> str:
    """An operation with its memory policy, such as ``serialize:reuse``, over two lines; a long name is broken
    itself, and where columns are to be ``narrow`` one of two parts."""
    name, _, memory = operation.partition(":")
    if len(name) > _LONGEST_HEADING:
        first, _, last = name.rpartition("_")
        name = f"{first}_\n{last}"
    elif narrow:
        name = re.sub("^de(?=serialize)", "de-\n", name)
    return f"{name}\n{memory}"


def cells_by_operation(rows: Sequence[Row]) -> dict[tuple[str, str], Row]:
    """Rows of one workload by contender's name and operation with memory policy."""
    return {(r.name, f"{r.operation}:{r.memory}"): r for r in rows}


def _order(rows: Sequence[Row]) -> tuple[bool, float, float]:
    """The floor first, then by the geometric mean of the ratios to the best; those that have none by their
    times."""
    ratios = [r.ratio.estimate for r in rows if r.ratio]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.inf
    return (not any(r.floor for r in rows), mean, sum(r.time.estimate for r in rows if r.time))


def notes_of(rows: Sequence[Row], operations_in_all: int, target: float | None = None) -> list[str]:
    """One line for each reason why cells have no figure, with the codecs and operations that it holds for,
    and what is to be known of those that have; ``target`` is the run's."""
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
            "°: a constant-time view, which takes no longer for a longer message, "
            "or a native_roundtrip with one in it; ranked and compared with its like alone."
        )
    notes += [
        note
        for name, note in OPERATION_NOTES.items()
        if any(row.operation == name and row.time for row in rows)
    ]
    measured = (
        _undercutting(rows),
        _remembering(rows),
        _unsettled(rows),
        _unsteady(rows),
        _unconverged(rows, target),
    )
    return [*notes, *chain.from_iterable(measured), *_disturbed(rows)]


def _told(reason: str) -> str:
    """A reason as a line can hold it: without what a runner printed, where that is a stack trace."""
    if len(reason) <= LONGEST_REASON:
        return reason
    told = reason.partition("; it printed: ")[0]
    return (
        f"{told if len(told) <= LONGEST_REASON else told[:LONGEST_REASON] + '…'} "
        "(--format json has all of it)"
    )


def _undercutting(rows: Sequence[Row]) -> list[str]:
    """The cells that are faster than what nobody undercuts by doing the work better."""
    cells = ", ".join(f"{row.name} {row.operation}:{row.memory}" for row in rows if row.undercuts)
    if not cells:
        return []
    return [
        f"?: faster than the floor, which only copies the message: {cells}. "
        "Either its bytes are far fewer than the message has, or it does not do all of the work; "
        "look at how it does it before you believe it."
    ]


def _remembering(rows: Sequence[Row]) -> list[str]:
    """What is less work for some since the objects were encoded before."""
    kept = {row.name: row.remembers for row in rows if row.time and row.remembers}
    told = [
        f"{', '.join(name for name in kept if kept[name] == what)}: {what}"
        for what in dict.fromkeys(kept.values())
    ]
    if not told:
        return []
    return [
        f"†: encodes objects that were encoded before and remember of it ({'; '.join(told)}); "
        "serialize and roundtrip do not."
    ]


def _unsettled(rows: Sequence[Row]) -> list[str]:
    """The cells whose times had not settled when they were measured, in at least half of their rounds."""
    restless = [row for row in rows if is_unsettled(row)]
    cells = ", ".join(f"{row.name} {row.operation}:{row.memory} ({row.unsettled})" for row in restless)
    return [f"Still warming up when timing began (rounds): {cells}."] if cells else []


def _unsteady(rows: Sequence[Row]) -> list[str]:
    """The cells that share a rank only because their own times vary too much."""
    cells = ", ".join(f"{row.name} {row.operation}:{row.memory}" for row in rows if row.unsteady)
    if not cells:
        return []
    return [
        f"Unsteady (~): {cells}. Its times vary so much from round to round that it cannot be told "
        f"from others of its rank, though they seem more than {100 * UNSTEADY:g} % apart; "
        "the others' times do not."
    ]


def _unconverged(rows: Sequence[Row], target: float | None) -> list[str]:
    """The cells whose ratio to the best is not known as well as was wanted."""
    wide = [row for row in rows if is_wide(row, target)]
    reaches = [(row, 100 * row.ratio.relative_reach) for row in wide if row.ratio]
    cells = ", ".join(
        f"{row.name} {row.operation}:{row.memory} ({reach:.{1 if reach < 10 else 0}f} %)"
        for row, reach in reaches
    )
    return [f"Ratios that are not within ±{100 * (target or 0):g} %: {cells}."] if cells else []


def _disturbed(rows: Sequence[Row]) -> list[str]:
    """How many samples something else took time from, another process or the hypervisor, and whether they
    could be left out."""
    disturbed, taken = sum(row.disturbed for row in rows), sum(row.samples for row in rows)
    if not disturbed:
        return []
    share = f"{100 * LOST_SHARE:g} %"
    overrun = [f"{row.name} {row.operation}:{row.memory}" for row in rows if row.overrun]
    if not overrun:
        return [
            f"{disturbed:,} of {taken:,} samples left out: another process used the core for more "
            f"than {share} of their time."
        ]
    where = "all cells" if len(overrun) == sum(row.time is not None for row in rows) else ", ".join(overrun)
    return [
        f"{disturbed:,} of {taken:,} samples disturbed: another process used the core for more "
        f"than {share} of their time. They are left out, but not of {where}: too few rounds would remain, "
        "so they count, less that time. Not to be trusted, and so without rank, and nothing is compared "
        "to them. Measure again when the machine is quiet."
    ]


def _together(codecs: Sequence[str]) -> str:
    """``language/codec:one, other`` for two variants of one codec."""
    variants: dict[str, list[str]] = {}
    for codec in codecs:
        name, _, variant = codec.partition(":")
        variants.setdefault(name, []).append(variant)
    return ", ".join(
        f"{name}:{', '.join(names)}" if names != [""] else name for name, names in variants.items()
    )


def absent(rows: Sequence[Row]) -> list[str]:
    """A line that names the codecs of which nothing was measured; the reasons are notes of their own."""
    measured = {row.name for row in rows if row.time}
    by_status: dict[str, list[str]] = {}
    for row in rows:
        if row.name not in measured and row.name not in by_status.setdefault(
            row.status.replace("_", " "), []
        ):
            by_status[row.status.replace("_", " ")].append(row.name)
    told = [f"{_together(names)} ({status})" for status, names in by_status.items() if names]
    return [f"Without figures: {', '.join(told)}."] if told else []


def legend(run: Run) -> tuple[list[str], list[str]]:
    """What is to be said of the whole run: before all else, and after it."""
    manifest = run.manifest
    foremost = []
    if not run.taken.ended:
        foremost.append(
            "This run did not end: it was killed or is still going on. "
            f"{manifest.rounds} rounds were planned."
        )
    if run.is_earlier:
        foremost.append(NOTE)
    lines = []
    if manifest.floors:
        lines.append(
            f"{', '.join(manifest.floors)}: the floor, a mere copy; it is no contender and has no rank."
        )
    there = {unit.codec for unit in run.taken.units.values() if unit.status == "ok"}
    lines += losses([manifest], there)
    lines += [
        f"Memory grows with every pass: {unit.codec} × {unit.workload}, {growth_in_words(unit.growth)}."
        for unit in run.taken.units.values()
        if unit.growth
    ]
    if max((len(cell.rounds) for cell in run.taken.cells.values()), default=0) < ROUNDS_TO_RANK:
        lines.append(
            f"Fewer than {ROUNDS_TO_RANK} rounds separate nothing with 95 % confidence: all ranks are 1."
        )
    lines += [
        f"run {run.id} · {manifest.machine.processor_in_words}",
        *filter(None, [manifest.machine.surroundings]),
        *(f"{t.compiler} · {t.flags}" for t in manifest.toolchains if not t.missing),
    ]
    lines += _stolen(stolen_share(run.taken))
    drift = _drift(run.taken.references)
    if drift:
        lines.append(drift)
    if manifest.dynamic:
        lines.append(
            f"Not linked statically, since its library is a shared one only: {', '.join(manifest.dynamic)}."
        )
    if damaged := run.taken.damaged:
        more = f", and {len(damaged) - _DAMAGED_SHOWN} more" if len(damaged) > _DAMAGED_SHOWN else ""
        lines.append(f"Damaged and left out: {', '.join(damaged[:_DAMAGED_SHOWN])}{more}.")
    return foremost, lines


def _stolen(share: float) -> list[str]:
    if not share:
        return []
    return [
        f"The hypervisor took {100 * share:.1f} % of the core's time in all samples, from most of them too "
        "little to be told of one. Times are longer by so much; ratios are not, "
        "as far as it took as much from both."
    ]


def _drift(references: Mapping[int, Mapping[str, int]]) -> str:
    """How much the machine changed from round to round, by the reference kernel; empty with fewer than two
    rounds of it."""
    kinds = sorted({kind for figures in references.values() for kind in figures})
    ranges = []
    for kind in kinds:
        times = [figures[kind] for figures in references.values() if kind in figures]
        least, most = (100 * (extreme / median(times) - 1) for extreme in (min(times), max(times)))
        ranges.append(f"{kind.removesuffix('_ns')} work {least:+.0f} to {most:+.0f} %")
    if len(references) < 2 or not ranges:
        return ""
    return (
        f"Machine speed varied (calibration loop, {len(references)} rounds): "
        f"{', '.join(ranges)} of the median."
    )
