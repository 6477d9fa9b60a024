"""The verdict on the codecs of one workload: which are fastest, smallest, and unbeaten in both, and by how
much.

It says in words what the ranks say (``stats/ties.py``), and has no statistic of its own. Codecs that share a
rank are too close to call. The margin is the ratio of the first codec that is ranked behind to the best. Rows
without a rank (the floor, what was disturbed too much) do not take part, nor do constant-time views among
other rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from serbench.measure.manifest import Data
from serbench.measure.store import Run
from serbench.report.rows import Row
from serbench.report.trust import Trust, too_few_rounds, trust_of
from serbench.selection import HEADLINE


@dataclass(frozen=True)
class Fastest:
    """Which codecs are first in one operation under one memory policy.

    Attributes:
        first: the rows of rank 1, the best first; where there are several, they are too close to call.
        next: the first row that is ranked behind them; its ``ratio`` is to the best. None where there is
            none.
        few_rounds: how many rounds there were, where these are too few to separate any codecs; else 0.
    """

    operation: str
    memory: str
    first: Sequence[Row]
    next: Row | None
    few_rounds: int = 0

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "verdict": "fastest",
            "operation": self.operation,
            "memory": self.memory,
            "codecs": [row.name for row in self.first],
            "too_close_to_call": len(self.first) > 1,
        }
        if self.next and self.next.ratio:
            ratio = self.next.ratio
            interval = [round(ratio.low, 5), round(ratio.high, 5)] if ratio.coverage else None
            data |= {
                "next": self.next.name,
                "next_ratio": round(ratio.estimate, 5),
                "next_ratio_interval": interval,
            }
        return data | ({"few_rounds": self.few_rounds} if self.few_rounds else {})


@dataclass(frozen=True)
class Smallest:
    """Which codecs take the fewest bytes, all messages together; ``next`` is the smallest of the others, None
    where there is none."""

    first: Sequence[Row]
    size_bytes: int
    next: Row | None

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "verdict": "smallest",
            "codecs": [row.name for row in self.first],
            "size_bytes": self.size_bytes,
        }
        return data | ({"next": self.next.name, "next_size_bytes": self.next.size_bytes} if self.next else {})


@dataclass(frozen=True)
class Verdict:
    """What is said above the table of one workload.

    Attributes:
        fastest: for writing and reading where they were measured, else for every operation; without those in
            which no codec has a rank.
        best_in_both: the rows that have rank 1 in all of writing and reading; empty unless both were
            measured.
        front: the Pareto front of size against time, from small to large: the rows for which no other row is
            as small, has as good a rank in all that ``fastest`` has, and is better in one of these. Empty
            where ranks tell nothing.
    """

    workload: str
    data: Data | None
    trust: Trust
    fastest: Sequence[Fastest]
    smallest: Smallest | None
    best_in_both: Sequence[Row]
    front: Sequence[Row]

    def to_json(self) -> list[dict[str, Any]]:
        """A record for each thing that is said, in plain values; ratios are of the time of ``next`` to that
        of the first of ``codecs``."""
        records: list[dict[str, Any]] = [
            {"verdict": "trust", "trusted": self.trust.level, "reasons": list(self.trust.reasons)}
        ]
        records += [each.to_json() for each in self.fastest]
        records += [self.smallest.to_json()] if self.smallest else []
        for name, rows in (("best_in_both", self.best_in_both), ("front_of_size_and_time", self.front)):
            records += [{"verdict": name, "codecs": [row.name for row in rows]}] if rows else []
        return [{"workload": self.workload, **record} for record in records]


def verdict_of(run: Run, workload: str, rows: Sequence[Row]) -> Verdict:
    """The verdict on the rows of one workload."""
    cells = _judged(rows)
    fastest = [each for cell, own in cells.items() if (each := _fastest(*cell, own))]
    telling = [each for each in fastest if not each.few_rounds]
    ranks = {
        (row.name, row.operation, row.memory): row.rank
        for own in cells.values()
        for row in own
        if _contends(row)
    }
    in_all = [row for row in _sizes(rows) if all((row.name, *cell) in ranks for cell in cells)]
    places = {row.name: [ranks[row.name, *cell] or 0 for cell in cells] for row in in_all}
    both = len({operation for operation, _ in cells} & set(HEADLINE)) == len(HEADLINE)
    return Verdict(
        workload,
        run.manifest.datasets.get(workload),
        trust_of(run, rows),
        fastest,
        _smallest(_sizes(rows)),
        [row for row in in_all if set(places[row.name]) == {1}] if both and telling else [],
        pareto_front(in_all, places) if telling and len(in_all) > 1 else [],
    )


def _judged(rows: Sequence[Row]) -> dict[tuple[str, str], list[Row]]:
    """The rows by operation and memory policy, in their order: those of writing and reading where they were
    measured, else all."""
    cells: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        cells.setdefault((row.operation, row.memory), []).append(row)
    headline = {cell: own for cell, own in cells.items() if cell[0] in HEADLINE}
    return headline or cells


def _contends(row: Row) -> bool:
    """Whether the row has a rank among codecs that read or write whole messages; constant-time views have
    ranks among themselves."""
    return bool(row.rank) and not row.view


def _fastest(operation: str, memory: str, rows: Sequence[Row]) -> Fastest | None:
    ranked = sorted(
        (row for row in rows if _contends(row)),
        key=lambda row: (row.rank or 0, row.ratio.estimate if row.ratio else 0),
    )
    if not ranked:
        return None
    first = [row for row in ranked if row.rank == 1]
    behind = ranked[len(first) :]
    return Fastest(operation, memory, first, behind[0] if behind else None, too_few_rounds(ranked))


def _sizes(rows: Sequence[Row]) -> list[Row]:
    """One row for each contender that was measured, the smallest first."""
    by_name = {
        row.name: row for row in reversed(rows) if row.time and not row.floor and row.size_bytes is not None
    }
    names = dict.fromkeys(row.name for row in rows if row.name in by_name)
    return sorted((by_name[name] for name in names), key=lambda row: row.size_bytes or 0)


def _smallest(sizes: Sequence[Row]) -> Smallest | None:
    if not sizes:
        return None
    least = sizes[0].size_bytes or 0
    first = [row for row in sizes if row.size_bytes == least]
    return Smallest(first, least, sizes[len(first)] if len(first) < len(sizes) else None)


def pareto_front(rows: Sequence[Row], places: Mapping[str, Sequence[int]]) -> list[Row]:
    """The rows that no other row dominates. A row dominates another if it is as good or better in size and in
    each of its ``places``, and better in one."""
    points = {row.name: (row.size_bytes or 0, *places[row.name]) for row in rows}

    def is_beaten(point: tuple[int, ...]) -> bool:
        return any(
            other != point and all(a <= b for a, b in zip(other, point, strict=True))
            for other in points.values()
        )

    return [row for row in rows if not is_beaten(points[row.name])]
