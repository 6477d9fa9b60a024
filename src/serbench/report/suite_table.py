"""A suite's table: the published rows in their order, with our figures and, if asked for, theirs beside
them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from serbench.codecs.codec import FEATURES
from serbench.measure.manifest import Manifest
from serbench.measure.store import Run
from serbench.report.checked import LEGEND, harmed, shows_checks, together, unseen
from serbench.report.lossy import marked
from serbench.report.notes import legend, notes_of
from serbench.report.numbers import count, duration, rounded, spread
from serbench.report.rows import Row
from serbench.report.run_table import heading_of
from serbench.report.table import Table, fitting, terminal_width
from serbench.report.trust import trust_of
from serbench.report.verdict_lines import trust_line
from serbench.workloads.suite import Published, Suite, SuiteRow

_TIMES = (
    "Times: one pass over all messages, mean over rounds without the lowest and highest fifth; "
    "± half of the 95 % interval. reuse: buffers and objects are used again; fresh: new ones for each "
    "message."
)


def suite_tables(
    suite: Suite, run: Run, rows: Sequence[Row], published: bool, width: int | None = None
) -> list[Table]:
    """One table per workload, or several where the operations do not fit ``width`` columns (the terminal's
    for None)."""
    room = width or terminal_width()
    tables = []
    for workload in run.manifest.workloads:
        view = _View(suite, workload, [r for r in rows if r.workload == workload], run.manifest, published)
        made = view.tables(run.manifest.operations, room)
        made[0].verdict = [trust_line(trust_of(run, view.rows))]
        tables += made
        tables[-1].notes += view.notes(len(run.manifest.operations), run.manifest.target)
    if "characteristics" in suite.columns:
        tables.append(_characteristics(suite, run))
    if tables:
        notes = [f"{each.name}: {each.note}" for each in suite.rows if each.note] if published else []
        flaws = [f"- {flaw}" for flaw in suite.flaws]
        heading = f"Flaws of the published measurement ({suite.source}) that this one avoids:"
        foremost, others = legend(run)
        tables[-1].notes = [*foremost, *tables[-1].notes, *notes, "", heading, *flaws, "", _TIMES, *others]
    return tables


def _characteristics(suite: Suite, run: Run) -> Table:
    """What each row's format can do, from ``codec.toml`` as it was when the run was made."""
    names = {row.codec: row.name for row in suite.rows}
    features = run.manifest.features
    headings = ["row", *(name.replace("_", "\n", 1).replace("_", " ") for name in FEATURES)]
    order = [row.codec for row in suite.rows if row.codec in features]
    order += [codec for codec in features if codec not in names]
    body = [
        [names.get(codec, codec), *("yes" if features[codec].get(name) else "–" for name in FEATURES)]
        for codec in order
    ]
    meanings = [f"{name.replace('_', ' ')}: {meaning}" for name, meaning in FEATURES.items()]
    return Table(f"suite {suite.name}: characteristics", headings, body, notes=["; ".join(meanings), ""])


@dataclass(frozen=True)
class _View:
    """One workload of a suite."""

    suite: Suite
    workload: str
    rows: Sequence[Row]
    manifest: Manifest
    published: bool

    def tables(self, operations: Sequence[str], room: int) -> list[Table]:
        """The tables that fit ``room`` columns, as few as possible."""
        layouts = [
            [
                self.table(operations[n : n + per_table], with_sizes=n == 0)
                for n in range(0, len(operations), per_table)
            ]
            for per_table in range(len(operations), 0, -1)
        ]
        return list(fitting(layouts, room))

    def table(self, operations: Sequence[str], with_sizes: bool) -> Table:
        sizes = ["size", *(["published", "differs"] if self.published else [])] if with_sizes else []
        headings = ["row", *sizes]
        for operation in operations:
            extra = [
                heading
                for column, heading in (("interval", "±"), ("mean", "mean"))
                if column in self.suite.columns
            ]
            headings += [
                heading_of(operation),
                *extra,
                *(["published"] if self.shows_published(operation) else []),
            ]
        body = [
            self.line(each, compiler, operations, with_sizes)
            for each in self.lines()
            for compiler in self.compilers(each)
        ]
        return Table(
            f"suite {self.suite.name}, {self.workload}", headings, body, frozenset(range(1, len(headings)))
        )

    def lines(self) -> list[SuiteRow]:
        """The published rows, and after them the other codecs that the run has."""
        known = {each.codec for each in self.suite.rows}
        besides = dict.fromkeys(row.codec for row in self.rows if row.codec not in known)
        return [*self.suite.rows, *(SuiteRow(codec, codec, {}) for codec in besides)]

    def compilers(self, each: SuiteRow) -> list[str]:
        return list(dict.fromkeys(row.compiler for row in self.rows if row.codec == each.codec)) or [""]

    def shows_published(self, operation: str) -> bool:
        """Whether there is a published time of this operation."""
        return self.published and any(operation in self.theirs(each).times for each in self.suite.rows)

    def theirs(self, each: SuiteRow) -> Published:
        return each.published.get(self.workload, Published(None, {}))

    def line(self, each: SuiteRow, compiler: str, operations: Sequence[str], with_sizes: bool) -> list[str]:
        own = {
            f"{r.operation}:{r.memory}": r
            for r in self.rows
            if (r.codec, r.compiler) == (each.codec, compiler)
        }
        theirs = self.theirs(each)
        line = [marked(f"{each.name} {compiler}".rstrip(), each.codec, self.manifest)]
        if with_sizes:
            size = next((r.size_bytes for r in own.values()), None)
            line += [count(size), *(_published_size(size, theirs.size_bytes) if self.published else [])]
        for operation in operations:
            row = own.get(operation)
            mark = "" if not row else "°" if row.view else "?" if row.undercuts else ""
            line.append(duration(row.time) + mark if row and row.time else _why_not(row))
            if "interval" in self.suite.columns:
                line.append(spread(row.time) if row and row.time else "")
            if "mean" in self.suite.columns:
                line.append(_nanoseconds(row.mean_ns) if row and row.mean_ns else "")
            if self.shows_published(operation):
                time = theirs.times.get(operation)
                line.append("" if time is None else _nanoseconds(time * self.suite.scale_ns))
        return line

    def notes(self, operations: int, target: float | None) -> list[str]:
        """What the columns mean, and why rows have no figures."""
        notes = []
        if self.published:
            notes.append(
                f"published times: {self.suite.time_unit}, per pass, measured on other machines with other "
                "versions"
            )
        there = {r.codec for r in self.rows}
        missing = [each.name for each in self.suite.rows if each.codec not in there]
        if missing:
            notes.append(f"not in serbench yet, or not selected: {', '.join(missing)}")
        if shows_checks(self.manifest, self.manifest.operations):
            named = [(each.codec, each.name) for each in self.lines() if each.codec in there]
            notes.append(f"{LEGEND} {together(self.manifest, named)}.")
            notes += filter(None, [unseen(self.manifest, named), harmed(self.manifest.hostile, named)])
        return notes + notes_of(self.rows, operations, target)


def _published_size(ours: int | None, theirs: int | float | None) -> list[str]:
    """A published size, and by how much ours differs. A size that was published rounded is a float here; ours
    is equal to it where it rounds to the same."""
    if theirs is None:
        return ["–", ""]
    if isinstance(theirs, int):
        shown, slack = count(theirs), 0.0
    else:
        shown, slack = f"{theirs / 1e6:g} M", 10 ** (math.floor(math.log10(theirs)) - 2) / 2
    if ours is None:
        return [shown, ""]
    return [shown, "=" if abs(ours - theirs) <= slack else f"{ours - theirs:+,.0f}"]


def _why_not(row: Row | None) -> str:
    if row is None or row.status == "unsupported":
        return "–"
    return row.status.replace("_", " ")


def _nanoseconds(value: float) -> str:
    for scale, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if value >= scale:
            return f"{rounded(value / scale, 3)} {unit}"
    return f"{rounded(value, 3)} ns"
