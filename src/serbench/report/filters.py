"""Tables of filters: what it takes to read the fields of a condition of every message, and more of those
that match. It is computed from the measured times of each, round by round."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

from serbench.codecs.codec import WHOLE
from serbench.measure.filtered import Filtered
from serbench.measure.store import Run
from serbench.report.lossy import marked
from serbench.report.numbers import count, duration, ratio, rounded, spread
from serbench.report.parts import share_of
from serbench.report.rows import Row, with_ranks
from serbench.report.table import Table, fitting, grid
from serbench.report.verdict import verdict_of
from serbench.report.verdict_lines import lines_of
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


def filter_rows(run: Run, rows: Sequence[Row]) -> list[Row]:
    """The rows of all filters of a run, of codecs of which all parts were measured.

    Args:
        rows: all measured rows of the run.
    """
    return [row for workload in run.manifest.workloads for row in _ranked(run, workload, rows)]


def filter_tables(run: Run, workload: str, rows: Sequence[Row], room: int) -> list[Table]:
    """The tables of the filter that ends with reading ``workload``, one for each memory policy, below the
    verdict on them; no table where no filter does.

    Args:
        rows: all measured rows of the run.
        room: columns that tables have to fit.
    """
    own = _ranked(run, workload, rows)
    policies = dict.fromkeys(row.memory for row in own)
    tables = [_table(run, workload, [row for row in own if row.memory == each], room) for each in policies]
    if tables:
        verdict = verdict_of(run, workload, own)
        tables[0].verdict, tables[0].verdict_records = lines_of(run, verdict), verdict.to_json()
        tables[-1].notes = [*_notes(own), *tables[-1].notes]
    return tables


def _ranked(run: Run, workload: str, rows: Sequence[Row]) -> list[FilterRow]:
    """The rows of the filter that ends with reading ``workload``, ranked under each memory policy.

    It is the workload that is read of messages that match, or the one with the fields of the condition, where
    everything is read of those.
    """
    datasets = run.manifest.datasets
    whole = datasets[workload].whole if workload in datasets else ""
    filtered = datasets[whole].filtered if whole in datasets else None
    if filtered is None or workload not in (filtered.then or (filtered.reads,)):
        return []
    match = workload if filtered.then else whole
    measured = {(row.name, row.workload, row.cell): row for row in rows if row.time}
    made: list[Row] = []
    for cell in run.manifest.operations_of(workload):
        table: list[Row] = []
        figures: dict[str, Rounds] = {}
        for row in [row for row in rows if (row.workload, row.cell) == (filtered.reads, cell) and row.time]:
            of_match, of_all = (measured.get((row.name, each, cell)) for each in (match, whole))
            if of_match is None:
                continue
            parts = _Parts(run, row, of_match, of_all, filtered.matching / max(datasets[whole].messages, 1))
            if rounds := parts.rounds():
                figures[row.name] = rounds
                table.append(parts.row(workload, filtered, datasets[workload].paths if filtered.then else ""))
        made += with_ranks(table, figures, Doubts(of_times={row.name: row.doubt for row in table}), None)
    return [row for row in made if isinstance(row, FilterRow)]


@dataclass(frozen=True)
class _Parts:
    """The measured rows of one codec from which the time of a filter is computed.

    Attributes:
        condition: of reading the fields of the condition.
        match: of reading further, as if each message matched.
        everything: of reading everything; None where that was not measured.
        share: the share of messages that match.
    """

    run: Run
    condition: Row
    match: Row
    everything: Row | None
    share: float

    @property
    def further(self) -> float:
        """How often the part of a match is read for each message: never where the condition has read it
        already, since it decodes everything, or has the same fields."""
        has_all = self.condition.way == WHOLE or self.condition.workload == self.match.workload
        return 0.0 if has_all else self.share

    def rounds(self) -> Rounds:
        """The time of a pass over all messages in each round that has both parts, in nanoseconds."""
        first, then = self._figures(self.condition), self._figures(self.match)
        if not self.further:
            return first
        return {r: first[r] + self.further * then[r] for r in sorted(first.keys() & then.keys())}

    def row(self, workload: str, filtered: Filtered, paths: str) -> FilterRow:
        """The row of the filter, without a rank."""
        rounds, first, then = self.rounds(), self.condition, self.match
        assert first.time and then.time and first.mean_ns and then.mean_ns
        added = [first, then] if self.further else [first]
        weight = self.further * then.time.estimate / (first.time.estimate + self.further * then.time.estimate)
        doubt = (1 - weight) * first.doubt + weight * then.doubt
        parts = [("condition", first), ("match", then), ("everything", self.everything)]
        own = {each.name: getattr(first, each.name) for each in fields(Row)}
        own |= {name: max(getattr(each, name) for each in added) for name in _SPOILT}
        own |= {
            "workload": workload,
            "operation": "filter",
            "paths": paths,
            "unchecked": first.unchecked or then.unchecked,
            "view": first.view and (then.view or not self.further),
            "time": geometric_interval(rounds.values(), doubt),
            "mean_ns": first.mean_ns + self.further * then.mean_ns,
            "rounds": len(rounds),
            "samples": sum(each.samples for each in added),
            "doubt": doubt,
            "allocated_bytes": None,
            "of_everything": self._of_everything(rounds, doubt),
        }
        return FilterRow(
            **own,
            conditions=filtered.conditions,
            matching=filtered.matching,
            share=self.share,
            parts=[(name, row.time) for name, row in parts if row and row.time],
        )

    def _of_everything(self, rounds: Rounds, doubt: float) -> Interval | None:
        if self.everything is None or self.condition.way == WHOLE:
            return None
        return paired_ratio(rounds, self._figures(self.everything), math.hypot(doubt, self.everything.doubt))

    def _figures(self, row: Row) -> Rounds:
        return self.run.taken.cells[row.codec, row.workload, row.compiler, row.cell].figures()


def _table(run: Run, workload: str, rows: Sequence[FilterRow], room: int) -> Table:
    """The table of one memory policy in the fullest layout that fits."""
    messages = max(run.manifest.datasets[workload].messages, 1)
    ordered = sorted(rows, key=lambda row: row.time.estimate if row.time else 0.0)
    tables = [_laid_out(run, ordered, layout, messages) for layout in _LAYOUTS]
    (table,) = fitting([[each] for each in tables], room)
    missing = [each for each in _LAYOUTS[0] if each not in _LAYOUTS[tables.index(table)]]
    if missing:
        table.notes.append(
            f"Left out to fit {room} columns: {', '.join(missing)}; --format markdown shows all."
        )
    return table


def _laid_out(run: Run, rows: Sequence[FilterRow], columns: Sequence[str], messages: int) -> Table:
    first = rows[0]
    whole = run.manifest.datasets[first.workload].whole
    read = f"{first.paths.replace(',', ', ')} is" if first.paths else "everything is"
    title = (
        f"{whole}, where {_conditions(first)}: {_matching(first, messages)}; of those {read} read "
        f"({first.memory})"
    )

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
        title,
        {"codec": lambda row: marked(row.name, row.codec, run.manifest)},
        rows,
        columns,
        lambda column: [_HEADINGS.get(column, column)],
        cells,
        (0, 1) if columns[0] == "way" else (0,),
    )


def _conditions(row: FilterRow) -> str:
    """The conditions in words, without their values: ``status = … and n > …``."""
    return " and ".join(f"{path} {sign} …" for path, sign in row.conditions)


def _matching(row: FilterRow, messages: int) -> str:
    return f"{count(row.matching)} of {count(messages)} messages match, {rounded(100 * row.share, 2)} %"


def _notes(rows: Sequence[FilterRow]) -> Iterator[str]:
    """Notes on how the times of filters come about, the most important first."""
    share = f"{rounded(100 * rows[0].share, 2)} %"
    yield (
        "A filter's time is computed: the time to read the condition's fields of every message, and "
        f"{share} of the time to read on, both measured on all messages. It holds where those that match are "
        "like the others."
    )
    if not rows[0].share:
        yield "No message matches, so this is the time of the condition alone."
    elif rows[0].share == 1:
        yield "Every message matches, so reading everything at once does the same."
    if any(row.way == WHOLE for row in rows):
        yield f"{WHOLE}: the condition has decoded everything, so nothing is read a second time."
