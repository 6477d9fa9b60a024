"""The verdict on one workload: which libraries are fastest, smallest, and unbeaten in both, by how much.

It says in words what the ranks say (``stats/ties.py``), and has no statistic of its own. Codecs that share a
rank are too close to call, or, where the times of one vary too much, their order is not known. The margin is
the ratio of the first library ranked behind to the best: two variants of one library are no rivals. Floors
and references do not take part, nor do constant-time views among other rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from serbench.measure.manifest import Data
from serbench.measure.store import Run
from serbench.report.alone import Alone
from serbench.report.gathering import gathered
from serbench.report.rows import Row, too_few_rounds
from serbench.report.trust import Trust, trust_of
from serbench.selecting.selection import HEADLINE
from serbench.stats.summary import ROUNDS_TO_RANK, Interval


def are_known(first: Sequence[Row]) -> bool:
    """Whether rows that may be the fastest all have rank 1 and are near each other: then one row is the
    fastest, and several are too close to call. Else the rounds do not tell which of them is the fastest."""
    return all(row.rank == 1 and not row.not_known for row in first)


def _rounded(name: str, ratio: Interval) -> dict[str, Any]:
    """A ratio, and the ends of its interval where it has one, as entries of JSON that begin with ``name``."""
    ends = [round(ratio.low, 5), round(ratio.high, 5)] if ratio.coverage else None
    return {name: round(ratio.estimate, 5), f"{name}_interval": ends}


@dataclass(frozen=True)
class Fastest:
    """Which codecs are first in one operation under one memory policy.

    Attributes:
        first: the rows that may be the fastest, the best first.
        next: the first row of another library that is ranked behind them; its ``ratio`` is to the best. None
            where there is none.
        few_rounds: how many rounds there were, where these are too few to separate any codecs; else 0.
    """

    operation: str
    memory: str
    first: Sequence[Row]
    next: Row | None
    few_rounds: int = 0

    @property
    def is_known(self) -> bool:
        return are_known(self.first)

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "verdict": "fastest",
            "operation": self.operation,
            "memory": self.memory,
            "codecs": [row.name for row in self.first],
            "too_close_to_call": len(self.first) > 1 and self.is_known,
            "not_known": not self.is_known,
        }
        if self.next and self.next.ratio:
            data |= {"next": self.next.name, **_rounded("next_ratio", self.next.ratio)}
        return data | ({"few_rounds": self.few_rounds} if self.few_rounds else {})


@dataclass(frozen=True)
class Beside:
    """The best reference in one operation: its ``ratio`` is to the fastest library."""

    operation: str
    memory: str
    row: Row

    @property
    def is_known(self) -> bool:
        """Whether there are enough rounds of it to compare it with a library."""
        return self.row.rounds >= ROUNDS_TO_RANK and bool(self.row.ratio and self.row.ratio.coverage)

    def to_json(self) -> dict[str, Any]:
        assert self.row.ratio is not None
        data = {"verdict": "reference", "operation": self.operation, "memory": self.memory}
        told = {"codecs": [self.row.name], "what": self.row.reference}
        return {**data, **told, **_rounded("ratio", self.row.ratio)}


@dataclass(frozen=True)
class Smallest:
    """The codecs of the fewest bytes, over all messages; ``next`` is the smallest of another library."""

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
    """The verdict above the table of one workload.

    Attributes:
        fastest: for writing and reading where they were measured, else for every operation; without those in
            which no codec has a rank.
        best_in_both: the rows that have rank 1 in all of writing and reading; empty unless both were
            measured.
        front: the Pareto front of size against time, from small to large: the rows for which no other row is
            as small, has as good a rank in all that ``fastest`` has, and is better in one of these. Empty
            where ranks tell nothing.
        beside: the best reference in each operation that ``fastest`` has, where there is one.
    """

    workload: str
    data: Data | None
    trust: Trust
    fastest: Sequence[Fastest]
    smallest: Smallest | None
    best_in_both: Sequence[Row]
    front: Sequence[Row]
    beside: Sequence[Beside] = ()

    @property
    def is_learnt(self) -> bool:
        """Whether a single message was measured, whose branches a processor learns."""
        return bool(self.data and self.data.messages == 1 and not self.data.number_of)

    def to_json(self, alone: Sequence[Alone] = ()) -> list[dict[str, Any]]:
        """A record in plain values for each statement; ratios are of ``next`` to the first of ``codecs``.

        Args:
            alone: the factors between a message alone and one among others, where a sweep found them.
        """
        records: list[dict[str, Any]] = [
            {"verdict": "trust", "trusted": self.trust.level, "reasons": list(self.trust.reasons)}
        ]
        records += [each.to_json() for each in self.fastest]
        records += [self.smallest.to_json()] if self.smallest else []
        for name, rows in (("best_in_both", self.best_in_both), ("front_of_size_and_time", self.front)):
            records += [{"verdict": name, "codecs": [row.name for row in rows]}] if rows else []
        records += [each.to_json() for each in self.beside]
        records += [{"verdict": "one_message", **each.to_json()} for each in alone if self.is_learnt]
        return [{"workload": self.workload, **record} for record in records]


def verdict_of(run: Run, workload: str, rows: Sequence[Row]) -> Verdict:
    """The verdict on the rows of one workload."""
    cells = _judged(rows)
    fastest = [each for cell, own in cells.items() if (each := _fastest(*cell, own))]
    telling = [each for each in fastest if not each.few_rounds]
    ranked = {(row.name, *cell): row for cell, own in cells.items() for row in own if _contends(row)}
    sizes = _sizes(rows)
    in_all = [row for row in sizes if all((row.name, *cell) in ranked for cell in cells)]
    own = {row.name: [ranked[row.name, *cell] for cell in cells] for row in in_all}
    both = len({operation for operation, _ in cells} & set(HEADLINE)) == len(HEADLINE)
    known = bool(telling) and all(each.is_known for each in fastest)
    places = {
        name: [place_of(row, cells[row.operation, row.memory]) for row in each] for name, each in own.items()
    }
    data = run.manifest.datasets.get(workload)
    is_part = bool(data and data.whole)
    return Verdict(
        workload,
        data,
        trust_of(run, rows),
        fastest,
        None if is_part else _smallest(sizes),
        [row for row in in_all if {each.rank for each in own[row.name]} == {1}] if both and known else [],
        pareto_front(in_all, places) if telling and len(in_all) > 1 and not is_part else [],
        [found for cell, own in cells.items() if (found := _beside(*cell, own))],
    )


@dataclass(frozen=True)
class RankPlace:
    """The places that a row may have in one operation: its rank, or a range where that is not known."""

    best: int
    worst: int


def place_of(row: Row, rows: Sequence[Row]) -> RankPlace:
    """The place of a ranked row among those of its operation: a range, by its interval, where the order is
    not known, or where it may be the fastest though its rank is a later one."""
    rank = row.rank or 0
    known = not row.not_known and (rank == 1 or not row.may_lead)
    if known or row.ratio is None:
        return RankPlace(rank, rank)
    others = [each.ratio for each in rows if _contends(each) and each.name != row.name and each.ratio]
    if not row.ratio.coverage:  # no round that it shares with the best, or a single one
        return RankPlace(1, 1 + len(others))
    return RankPlace(
        1 + sum(each.high < row.ratio.low for each in others),
        1 + sum(each.low <= row.ratio.high for each in others),
    )


def _judged(rows: Sequence[Row]) -> dict[tuple[str, str], list[Row]]:
    """The rows by operation and memory policy: those of writing and reading if measured, else all."""
    cells = gathered(((row.operation, row.memory), row) for row in rows)
    headline = {cell: own for cell, own in cells.items() if cell[0] in HEADLINE}
    return headline or cells


def _contends(row: Row) -> bool:
    """Whether a row has a rank among codecs that handle whole messages, and so is no constant-time view."""
    return bool(row.rank) and not row.view


def _fastest(operation: str, memory: str, rows: Sequence[Row]) -> Fastest | None:
    contenders = [row for row in rows if row.time and row.competes and not row.view]
    if contenders and (few := too_few_rounds(contenders)):
        return Fastest(operation, memory, [], None, few)
    ranked = sorted(
        filter(_contends, contenders), key=lambda row: (row.rank or 0, row.time.estimate if row.time else 0)
    )
    if not ranked:
        return None
    first = [row for row in ranked if row.may_lead]
    behind = [row for row in ranked if not row.may_lead]
    return Fastest(operation, memory, first, _other_library(first, behind))


def _other_library(first: Sequence[Row], behind: Sequence[Row]) -> Row | None:
    """The first of the rows ``behind`` whose library none of the rows ``first`` has; None without any."""
    before = {row.library for row in first}
    return next((row for row in behind if row.library not in before), None)


def _beside(operation: str, memory: str, rows: Sequence[Row]) -> Beside | None:
    references = [row for row in rows if row.reference and row.ratio and not row.view]
    if not references or not any(map(_contends, rows)):
        return None
    return Beside(operation, memory, min(references, key=lambda row: row.ratio.estimate if row.ratio else 0))


def _sizes(rows: Sequence[Row]) -> list[Row]:
    """One row for each contender that was measured, the smallest first."""
    by_name = {
        row.name: row for row in reversed(rows) if row.time and row.competes and row.size_bytes is not None
    }
    names = dict.fromkeys(row.name for row in rows if row.name in by_name)
    return sorted((by_name[name] for name in names), key=lambda row: row.size_bytes or 0)


def _smallest(sizes: Sequence[Row]) -> Smallest | None:
    if not sizes:
        return None
    least = sizes[0].size_bytes or 0
    first = [row for row in sizes if row.size_bytes == least]
    return Smallest(first, least, _other_library(first, sizes[len(first) :]))


def pareto_front(rows: Sequence[Row], places: Mapping[str, Sequence[RankPlace]]) -> list[Row]:
    """The rows that no other row dominates for certain. A row does if in size and in all ``places``, its
    worst ones compared with the other's best, it is as good or better, and better in one."""

    def is_beaten(row: Row) -> bool:
        at_best = (row.size_bytes or 0, *(place.best for place in places[row.name]))
        return any(
            at_worst != at_best and all(a <= b for a, b in zip(at_worst, at_best, strict=True))
            for other in rows
            if other is not row
            for at_worst in [(other.size_bytes or 0, *(place.worst for place in places[other.name]))]
        )

    return [row for row in rows if not is_beaten(row)]
