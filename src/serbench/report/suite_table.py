"""A suite's table: the published rows in their order, with our figures and, if asked for, theirs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from serbench.codecs.codec import ALL_FEATURES, SEEN_FEATURES
from serbench.measure.manifest import Manifest
from serbench.measure.store import Run
from serbench.report.checked import LEGEND, remarks, shows_checks, together
from serbench.report.lossy import marked
from serbench.report.notes import legend, notes_of
from serbench.report.numbers import count, duration, spread
from serbench.report.rows import Row
from serbench.report.run_table import heading_of
from serbench.report.table import Table, grid, in_parts, terminal_width
from serbench.report.trust import trust_of
from serbench.report.verdict_lines import trust_line
from serbench.selecting.suite import Published, Suite, SuiteRow
from serbench.stats.summary import Interval

_TIMES = (
    "Times: one pass over all messages, mean over rounds without the lowest and highest fifth; "
    "± half of the 95 % interval. reuse: buffers and objects are used again; fresh: new ones for each "
    "message."
)

_Line = tuple[SuiteRow, str, Mapping[str, Row]]
"""A row of the suite, a compiler, and operation → the row of times that was measured of both."""


def suite_tables(
    suite: Suite, run: Run, rows: Sequence[Row], published: bool, width: int | None = None
) -> list[Table]:
    """A table per workload, or several if they would not fit ``width`` columns (None: the terminal's)."""
    room = width or terminal_width()
    tables = []
    for workload in run.manifest.workloads:
        view = _View(suite, workload, [r for r in rows if r.workload == workload], run.manifest, published)
        made = view.tables(run.manifest.operations, room)
        made[0].verdict = [trust_line(trust_of(run, view.rows))]
        tables += made
        tables[-1].notes += view.notes()
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
    """The features of each row's format, from ``codec.toml`` as it was when the run was made."""
    names = {row.codec: row.name for row in suite.rows}
    features = run.manifest.features
    order = [row.codec for row in suite.rows if row.codec in features]
    order += [codec for codec in features if codec not in names]
    meanings = [f"{name.replace('_', ' ')}: {meaning}" for name, meaning in ALL_FEATURES.items()]
    return grid(
        f"suite {suite.name}: characteristics",
        {"row": lambda codec: names.get(codec, codec)},
        order,
        [*ALL_FEATURES],
        lambda name: [name.replace("_", "\n", 1).replace("_", " ")],
        lambda codec, name: [_has(features[codec], name)],
        range(1 + len(ALL_FEATURES)),
        ["; ".join(meanings), ""],
    )


def _has(features: Mapping[str, bool], name: str) -> str:
    """Whether a codec has a feature, in a word or a sign; ``?`` where that was not seen."""
    return "?" if name in SEEN_FEATURES and name not in features else "yes" if features.get(name) else "–"


@dataclass(frozen=True)
class _View:
    """The rows of one workload, as the tables of a suite show them."""

    suite: Suite
    workload: str
    rows: Sequence[Row]
    manifest: Manifest
    published: bool

    def tables(self, operations: Sequence[str], room: int) -> list[Table]:
        """The tables that fit ``room`` columns, as few as possible."""
        return in_parts(operations, [operations[0]], room, self.table)[0]

    def table(self, operations: Sequence[str], first: str) -> Table:
        """The table of some operations; it has a column of sizes if the operation ``first`` is among them."""
        keys = {"row": self.name}
        if first in operations:
            keys["size"] = lambda line: count(_size(line))
        if first in operations and self.published:
            keys["published"] = lambda line: _published(self.theirs(line[0]).size_bytes)[0]
            keys["differs"] = lambda line: _differs(_size(line), self.theirs(line[0]).size_bytes)
        title = f"suite {self.suite.name}, {self.workload}"
        return grid(title, keys, self.lines(), operations, self.headings, self.cells)

    def lines(self) -> list[_Line]:
        """The published rows, and after them the other codecs that the run has; each with every compiler."""
        found: dict[str, dict[str, dict[str, Row]]] = {}
        for row in self.rows:
            found.setdefault(row.codec, {}).setdefault(row.compiler, {})[row.cell] = row
        known = {each.codec for each in self.suite.rows}
        besides = [SuiteRow(codec, codec, {}) for codec in found if codec not in known]
        return [
            (each, compiler, own)
            for each in (*self.suite.rows, *besides)
            for compiler, own in found.get(each.codec, {"": {}}).items()
        ]

    def shows_published(self, operation: str) -> bool:
        """Whether there is a published time of this operation."""
        return self.published and any(operation in self.theirs(each).times for each in self.suite.rows)

    def theirs(self, each: SuiteRow) -> Published:
        return each.published.get(self.workload, Published(None, {}))

    def name(self, line: _Line) -> str:
        each, compiler, _ = line
        return marked(f"{each.name} {compiler}".rstrip(), each.codec, self.manifest)

    def headings(self, operation: str) -> list[str]:
        chosen = {"interval": "±", "mean": "mean"}
        extra = [heading for column, heading in chosen.items() if column in self.suite.columns]
        return [heading_of(operation), *extra, *(["published"] if self.shows_published(operation) else [])]

    def cells(self, line: _Line, operation: str) -> list[str]:
        row = line[2].get(operation)
        mark = "" if not row else "°" if row.view else "?" if row.undercuts else ""
        cells = [duration(row.time) + mark if row and row.time else _why_not(row)]
        if "interval" in self.suite.columns:
            cells.append(spread(row.time) if row and row.time else "")
        if "mean" in self.suite.columns:
            cells.append(_nanoseconds(row.mean_ns) if row and row.mean_ns else "")
        if self.shows_published(operation):
            time = self.theirs(line[0]).times.get(operation)
            cells.append("" if time is None else _nanoseconds(time * self.suite.scale_ns))
        return cells

    def notes(self) -> Iterator[str]:
        """The meaning of the columns, and why rows have no figures."""
        if self.published:
            yield (
                f"published times: {self.suite.time_unit}, per pass, measured on other machines with other "
                "versions"
            )
        there = {r.codec for r in self.rows}
        if missing := [each.name for each in self.suite.rows if each.codec not in there]:
            yield f"not in serbench yet, or not selected: {', '.join(missing)}"
        manifest = self.manifest
        if shows_checks(manifest, manifest.operations):
            named = [(each.codec, each.name) for each, _, _ in self.lines() if each.codec in there]
            yield f"{LEGEND} {together(manifest, named)}."
            yield from remarks(manifest, named)
        yield from notes_of(self.rows, len(manifest.operations), manifest.target)


def _size(line: _Line) -> int | None:
    return next((row.size_bytes for row in line[2].values()), None)


def _published(size: int | float | None) -> tuple[str, float]:
    """A published size in words, and how far the true one may be from it; a float is a rounded size."""
    if size is None or isinstance(size, int):
        return count(size), 0.0
    return f"{size / 1e6:g} M", 10 ** (math.floor(math.log10(size)) - 2) / 2


def _differs(ours: int | None, theirs: int | float | None) -> str:
    """The difference of our size from a published one; ``=`` where both are the same once rounded."""
    if ours is None or theirs is None:
        return ""
    return "=" if abs(ours - theirs) <= _published(theirs)[1] else f"{ours - theirs:+,.0f}"


def _why_not(row: Row | None) -> str:
    if row is None or row.status == "unsupported":
        return "–"
    return row.status.replace("_", " ")


def _nanoseconds(value: float) -> str:
    return duration(Interval(value, value, value, 1.0))
