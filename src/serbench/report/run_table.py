"""The tables of a run: one per workload, codecs in rows, operations in columns, the best first."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from serbench.measure.manifest import Data
from serbench.measure.store import Run
from serbench.report.alone import alone_of
from serbench.report.checked import LEGEND, letters, remarks, shows_checks
from serbench.report.curve_table import curve_table
from serbench.report.curves import curves_of
from serbench.report.filters import filter_tables
from serbench.report.gathering import gathered
from serbench.report.languages_table import languages_table
from serbench.report.lossy import marked
from serbench.report.notes import absent, legend, notes_of
from serbench.report.numbers import count, duration, ratio, size_per_message, speed, spread
from serbench.report.other_orders import order_line, orders_to_json, other_orders
from serbench.report.parts import notes_on_parts, share_of, way_of
from serbench.report.rows import WAITING, Row
from serbench.report.sweep_table import sweep_tables
from serbench.report.sweeps import changes_to_json, in_sweeps, sweeps_of
from serbench.report.table import Table, grid, in_parts, terminal_width
from serbench.report.verdict import verdict_of
from serbench.report.verdict_lines import lines_of, next_step
from serbench.selecting.selection import UPDATING

_LONGEST_HEADING = 12
_PATHS_NAMED = 6

TIMES = (
    "Times are per message: one pass over all messages divided by their number; mean over rounds without the "
    "lowest and highest fifth, ± half of the 95 % interval. Ratios are taken within each round."
)

# The columns of an operation: the fullest layout that fits is taken. Where there are many messages,
# times are for one of them, and the speed is shown too.
_LAYOUTS = (
    ("checks", "time", "MB/s", "±", "ratio", "#"),
    ("checks", "time", "MB/s", "ratio", "#"),
    ("checks", "time", "±", "ratio", "#"),
    ("checks", "time", "ratio", "#"),
    ("time", "ratio", "#"),
    ("ratio", "#"),
)
# Where only a part of the messages is read, MB/s would be of what is passed over, too.
_LAYOUTS_OF_PARTS = (
    ("checks", "time", "±", "ratio", "share", "#"),
    ("checks", "time", "ratio", "share", "#"),
    ("time", "ratio", "share", "#"),
    ("ratio", "share", "#"),
)
_NAMED = {"time": "times"}
_HEADINGS = {"share": "of every\nfield"}


def run_tables(
    run: Run, rows: Sequence[Row], width: int | None = None, relative_to: str | None = None
) -> list[Table]:
    """Tables that fit ``width`` columns (the terminal's for None), several where not all operations fit into
    one. Above the first of each workload stands the verdict on it."""
    room = width or terminal_width()
    tables: list[Table] = []
    verdicts = []
    curves = gathered((each.last, curve_table(run, each)) for each in curves_of(run, rows))
    swept = gathered((each.workload, each) for each in sweeps_of(run, rows))
    beside = in_sweeps(run)
    for workload in run.manifest.workloads:
        if workload in beside:
            continue
        own = [r for r in rows if r.workload == workload]
        view = _View(run, workload, own, relative_to)
        made = view.fitting(room)
        verdicts.append(verdict_of(run, workload, own))
        alone = alone_of(run, workload, rows)
        orders = other_orders(run, verdicts[-1], rows)
        made[0].verdict = [*lines_of(run, verdicts[-1], alone), *order_line(orders)]
        made[0].verdict_records = [
            *verdicts[-1].to_json(alone),
            *orders_to_json(verdicts[-1], orders),
            *(record for each in swept.get(workload, ()) for record in changes_to_json(each)),
        ]
        made[-1].notes = [
            *absent(own),
            *view.key(),
            *made[-1].notes,
            *notes_of(own, len(view.operations), run.manifest.target),
        ]
        tables += made
        if across := languages_table(run, workload, own):
            tables.append(across)
        tables += curves.get(workload, [])
        tables += filter_tables(run, workload, rows, room)
        tables += [table for each in swept.get(workload, ()) for table in sweep_tables(run, each, room)]
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
        return self.run.manifest.operations_of(self.workload)

    @property
    def data(self) -> Data | None:
        return self.run.manifest.datasets.get(self.workload)

    @property
    def is_part(self) -> bool:
        """Whether a part of another workload's messages is read."""
        return bool(self.data and self.data.whole)

    @property
    def messages(self) -> int:
        """The number of messages by which times and sizes are divided."""
        return max(self.data.messages, 1) if self.data else 1

    def fitting(self, room: int) -> list[Table]:
        """The tables that fit ``room`` columns, and notes on their columns."""
        manifest = self.run.manifest
        whole: Sequence[Sequence[str]] = _LAYOUTS_OF_PARTS if self.is_part else _LAYOUTS
        if self.is_part and self.data and self.data.operation == UPDATING:
            whole = [[column for column in columns if column != "share"] for columns in whole]
        if self.messages == 1:
            whole = [columns for columns in whole if "MB/s" not in columns]
        tables, columns = in_parts(self.operations, whole, room, self.table)
        with_checks = shows_checks(manifest, self.operations)
        if with_checks:
            measured = [(row.codec, row.name) for row in self.rows if row.time]
            tables[-1].notes += [LEGEND] * ("checks" in columns)
            tables[-1].notes += remarks(manifest, measured)
        missing = [c for c in whole[0] if c not in columns and (with_checks or c != "checks")]
        if missing:
            dropped = ", ".join(_NAMED.get(column, column) for column in missing)
            tables[-1].notes.append(
                f"Left out to fit {room} columns: {dropped}; --format markdown shows all."
            )
        return tables

    def table(self, operations: Sequence[str], columns: Sequence[str]) -> Table:
        manifest = self.run.manifest
        cells = {(row.name, row.cell): row for row in self.rows}
        first = {row.name: row for row in reversed(self.rows)}
        measured = dict.fromkeys(
            r.name for r in self.rows if (r.time or r.status == WAITING) and r.cell in operations
        )
        names = sorted(measured, key=lambda name: _order([cells[name, o] for o in operations]))
        keys = {"codec": lambda name: marked(name, first[name].codec, manifest)}
        if "checks" in columns and shows_checks(manifest, operations):
            keys["checks"] = lambda name: letters(manifest.checks.get(first[name].codec))
        if self.is_part:
            keys["way"] = lambda name: way_of(first[name])
        texts = range(len(keys))
        per_message = "\nper message" if "time" in columns else "\nper\nmessage"
        keys[f"size{per_message if self.messages > 1 else ''}"] = lambda name: self.size(first[name])
        shown = [column for column in columns if column != "checks"]
        return grid(
            f"{self.workload}: {described(self.data)}",
            keys,
            names,
            operations,
            lambda operation: self.headings(operation, shown),
            lambda name, operation: self.cell(cells[name, operation], shown),
            texts,
        )

    def headings(self, operation: str, columns: Sequence[str]) -> list[str]:
        compared = f"×{(self.relative_to or 'best').rpartition('/')[2]}"
        if "time" not in columns:
            narrow = f"{heading_of(operation, narrow=True)}\n{compared}"
            return [narrow, *(_HEADINGS.get(column, column) for column in columns[1:])]
        time = heading_of(operation) + ("\nper message" if self.messages > 1 else "")
        meant = {**_HEADINGS, "time": time, "ratio": compared}
        return [meant.get(column, column) for column in columns]

    def size(self, row: Row) -> str:
        return "–" if row.size_bytes is None else size_per_message(row.size_bytes, self.messages)

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
            "share": share_of(row),
            "#": row.rank_shown,
        }
        shown[columns[0]] += marks
        return [shown[column] for column in columns]

    def key(self) -> list[str]:
        """Notes on the meaning of the columns, in a few words."""
        compared = f"× to {self.relative_to}" if self.relative_to else "× to the best"
        notes = [
            f"{compared}. Equal ranks (#): too close to call. reuse: buffers and objects are used again; "
            "fresh: new ones for each message."
        ]
        if self.is_part:
            notes += notes_on_parts(self.rows)
        elif self.messages > 1:
            notes.append("MB/s are of the uncompressed reference size, which is the same for every codec.")
        return notes


def described(data: Data | None) -> str:
    """Describe data: ``1 message, 8,413 bytes uncompressed reference size``."""
    if data is None:
        return "of unknown data"
    messages = f"{count(data.messages)} message{'s' if data.messages != 1 else ''}"
    done = "changed" if data.operation == UPDATING else "read"
    if data.whole and data.fields and done == "read" and data.paths.count(",") >= _PATHS_NAMED:
        return f"{messages}, of which {count(data.fields)} fields are read"
    if data.whole:
        return f"{messages}, of which {data.paths.replace(',', ', ')} is {done}"
    return f"{messages}, {count(data.canonical_bytes)} bytes uncompressed reference size"


def heading_of(operation: str, narrow: bool = False) -> str:
    """Write an operation with its memory policy over two lines. A long name is broken too; where columns are
    to be ``narrow``, so is ``deserialize``."""
    name, _, memory = operation.partition(":")
    if len(name) > _LONGEST_HEADING:
        first, _, last = name.rpartition("_")
        name = f"{first}_\n{last}"
    elif narrow:
        name = re.sub("^de(?=serialize)", "de-\n", name)
    return f"{name}\n{memory}"


def _order(rows: Sequence[Row]) -> tuple[bool, float, float]:
    """A key that sorts floors first, then by the geometric mean of ratios to the best, then by times."""
    ratios = [r.ratio.estimate for r in rows if r.ratio]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.inf
    return (not any(r.floor for r in rows), mean, sum(r.time.estimate for r in rows if r.time))
