"""Tables of filters: what it takes to read the fields of a condition of every message, and more of those
that match. It is computed from the measured times of each, round by round."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from serbench.codecs.codec import WHOLE
from serbench.measure.store import Run
from serbench.report.computed import OPERATION, Computed, FilterOf, computed_of, filters_of
from serbench.report.lossy import marked
from serbench.report.numbers import duration, ratio, rounded, spread
from serbench.report.parts import share_of
from serbench.report.rows import Row, with_ranks
from serbench.report.table import Table, fitting, grid
from serbench.report.verdict import verdict_of
from serbench.report.verdict_lines import lines_of
from serbench.stats.stopping import Cell
from serbench.stats.summary import Interval, Rounds, geometric_interval, paired_ratio
from serbench.stats.ties import Doubts

_LAYOUTS = (
    ("way", "condition", "match", "filter", "±", "×best", "everything", "share", "#"),
    ("way", "condition", "filter", "×best", "everything", "share", "#"),
    ("way", "filter", "×best", "share", "#"),
    ("filter", "×best", "share", "#"),
)
_HEADINGS = {
    "condition": "condition",
    "match": "each\nmatch",
    "filter": "filter,\ncomputed",
    "everything": "every\nfield",
    "share": "of every\nfield",
}
_OF_PARTS = ("condition", "match", "everything")

_SPOILT = ("disturbed", "deducted_rounds", "unsettled")
"""Counts of what disturbed a row: a filter has the greater one of its parts."""


@dataclass(frozen=True)
class FilterRow(Row):
    """The computed time of a filter, which ranks as measured ones do. Its ``paths`` are those that are read
    of messages that match, empty where that is everything; its ``way`` is that of the condition.

    Attributes:
        conditions: the path and the operator of each condition.
        share: of the messages, those that match; ``matching`` is their number.
        parts: the measured times that it is computed of, of a pass over all messages: of ``condition``, of
            ``match``, as if each message matched, and of ``everything`` where that was measured.
    """

    conditions: Sequence[tuple[str, str]] = ()
    matching: int = 0
    share: float = 0.0
    parts: Sequence[tuple[str, Interval]] = ()

    def to_json(self) -> dict[str, Any]:
        told = {
            "computed": True,
            "condition_paths": [path for path, _ in self.conditions],
            "condition_operators": [sign for _, sign in self.conditions],
            "matching": self.matching,
            "share": round(self.share, 7),
        }
        return {**super().to_json(), **told, **{f"{name}_ns": round(t.estimate, 3) for name, t in self.parts}}


def filter_rows(run: Run, rows: Sequence[Row]) -> list[FilterRow]:
    """The rows of all filters of a run, of codecs of which all parts were measured.

    Args:
        rows: all measured rows of the run.
    """
    return [row for filter in filters_of(run.manifest) for row in rows_of_filter(run, filter, rows)]


def filter_tables(run: Run, workload: str, rows: Sequence[Row], room: int) -> list[Table]:
    """The tables of the filter that ends with reading ``workload``, one for each memory policy, below the
    verdict on them; no table where no filter does.

    Args:
        rows: all measured rows of the run.
        room: columns that tables have to fit.
    """
    for filter in filters_of(run.manifest):
        own = rows_of_filter(run, filter, rows) if filter.workload == workload else []
        if own:
            policies = dict.fromkeys(row.memory for row in own)
            by_policy = [[row for row in own if row.memory == each] for each in policies]
            tables = [_table(run, filter, each, room) for each in by_policy]
            verdict = verdict_of(run, workload, own)
            tables[0].verdict, tables[0].verdict_records = lines_of(run, verdict), verdict.to_json()
            tables[-1].notes = [*notes_on_filter(filter, own), *tables[-1].notes]
            return tables
    return []


def rows_of_filter(run: Run, filter: FilterOf, rows: Sequence[Row]) -> list[FilterRow]:
    """The rows of a filter, ranked under each memory policy.

    Args:
        rows: all measured rows of the run.
    """
    measured = {_cell_of(row): row for row in rows if row.time}
    figures = {cell: run.taken.cells[cell].figures() for cell in measured}
    made: list[Row] = []
    for operation in run.manifest.operations_of(filter.workload):
        table: list[Row] = []
        times: dict[str, Rounds] = {}
        for each in computed_of(filter, run.taken, figures):
            if each.condition[3] == operation:
                row = _Parts(each, measured, figures).row()
                table.append(row)
                times[row.name] = each.rounds(figures)
        made += with_ranks(table, times, Doubts(of_times={row.name: row.doubt for row in table}), None)
    return [row for row in made if isinstance(row, FilterRow)]


def _cell_of(row: Row) -> Cell:
    return row.codec, row.workload, row.compiler, row.cell


@dataclass(frozen=True)
class _Parts:
    """The measured rows and figures of one codec from which the time of a filter is computed."""

    computed: Computed
    measured: Mapping[Cell, Row]
    figures: Mapping[Cell, Rounds]

    @property
    def everything(self) -> Row | None:
        """The row of reading everything; None where that was not measured."""
        codec, _, compiler, operation = self.computed.condition
        return self.measured.get((codec, self.computed.filter.whole, compiler, operation))

    def row(self) -> FilterRow:
        """The row of the filter, without a rank."""
        computed, filter = self.computed, self.computed.filter
        rounds, further = computed.rounds(self.figures), computed.further
        first, then = self.measured[computed.condition], self.measured[computed.match]
        assert first.time and then.time and first.mean_ns and then.mean_ns
        added = [self.measured[cell] for cell in computed.parts]
        weight = further * then.time.estimate / (first.time.estimate + further * then.time.estimate)
        doubt = (1 - weight) * first.doubt + weight * then.doubt
        parts = [("condition", first), ("match", then), ("everything", self.everything)]
        own = {each.name: getattr(first, each.name) for each in fields(Row)}
        own |= {name: max(getattr(each, name) for each in added) for name in _SPOILT}
        own |= {
            "workload": filter.workload,
            "operation": OPERATION,
            "paths": filter.paths,
            "unchecked": first.unchecked or then.unchecked,
            "view": first.view and (then.view or not further),
            "time": geometric_interval(rounds.values(), doubt),
            "mean_ns": first.mean_ns + further * then.mean_ns,
            "rounds": len(rounds),
            "samples": sum(each.samples for each in added),
            "doubt": doubt,
            "allocated_bytes": None,
            "of_everything": self._of_everything(rounds, doubt),
        }
        return FilterRow(
            **own,
            conditions=filter.filtered.conditions,
            matching=filter.filtered.matching,
            share=filter.share,
            parts=[(name, row.time) for name, row in parts if row and row.time],
        )

    def _of_everything(self, rounds: Rounds, doubt: float) -> Interval | None:
        whole = self.everything
        if whole is None or self.measured[self.computed.condition].way_reason:
            return None
        return paired_ratio(rounds, self.figures[_cell_of(whole)], math.hypot(doubt, whole.doubt))


def _table(run: Run, filter: FilterOf, rows: Sequence[FilterRow], room: int) -> Table:
    """The table of one memory policy in the fullest layout that fits."""
    ordered = sorted(rows, key=lambda row: row.time.estimate if row.time else 0.0)
    tables = [_laid_out(run, filter, ordered, layout) for layout in _LAYOUTS]
    (table,) = fitting([[each] for each in tables], room)
    missing = [each for each in _LAYOUTS[0] if each not in _LAYOUTS[tables.index(table)]]
    if missing:
        table.notes.append(
            f"Left out to fit {room} columns: {', '.join(missing)}; --format markdown shows all."
        )
    return table


def _laid_out(run: Run, filter: FilterOf, rows: Sequence[FilterRow], columns: Sequence[str]) -> Table:
    messages = max(filter.messages, 1)

    def cells(row: FilterRow, column: str) -> list[str]:
        of = {name: duration(time.scaled(1 / messages)) for name, time in row.parts}
        assert row.time
        shown = {
            "way": row.way + ("‡" if row.unchecked else ""),
            "filter": duration(row.time.scaled(1 / messages)) + ("?" if row.undercuts else ""),
            "±": spread(row.time),
            "×best": ratio(row.ratio) if row.ratio else "–",
            "share": share_of(row),
            "#": row.rank_shown,
        }
        return [of.get(column, "–") if column in _OF_PARTS else shown[column]]

    return grid(
        f"{filter.title} ({rows[0].memory})",
        {"codec": lambda row: marked(row.name, row.codec, run.manifest)},
        rows,
        columns,
        lambda column: [_HEADINGS.get(column, column)],
        cells,
        (0, 1) if columns[0] == "way" else (0,),
    )


def notes_on_filter(filter: FilterOf, rows: Sequence[FilterRow]) -> Iterator[str]:
    """Notes on how the times of filters come about, the most important first."""
    share = f"{rounded(100 * filter.share, 2)} %"
    yield (
        "A filter's time is computed: the time to read the condition's fields of every message, and "
        f"{share} of the time to read on, both measured on all messages. It holds where those that match are "
        "like the others."
    )
    if not filter.share:
        yield "No message matches, so this is the time of the condition alone."
    elif filter.share == 1:
        yield "Every message matches, so reading everything at once does the same."
    if any(row.way == WHOLE for row in rows):
        yield f"{WHOLE}: the condition has decoded all, so of a match only its further values are read."
