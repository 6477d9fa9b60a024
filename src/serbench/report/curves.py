"""Curves of reading: the time that each codec takes for a greater and greater share of the fields, and up to
which share it takes less than for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from serbench.codecs.codec import WAYS, WHOLE
from serbench.measure.store import Run
from serbench.report.gathering import gathered
from serbench.report.parts import UNCHECKED
from serbench.report.rows import Row
from serbench.stats.summary import ROUNDS_TO_RANK


@dataclass(frozen=True)
class Curve:
    """The times of one codec.

    Attributes:
        parts: a row for each set of paths that was measured, those of the fewest fields first.
        whole: the row of reading every field.
        shares: the shares of the fields that were asked for, all below 1 and the smallest first.
    """

    parts: Sequence[Row]
    whole: Row
    shares: Sequence[float]

    @property
    def name(self) -> str:
        return self.whole.name

    @property
    def way(self) -> str:
        """The way by which the codec reads, or several, marked if something is unchecked at any share."""
        ways = "/".join(dict.fromkeys(row.way for row in self.parts))
        return ways + (UNCHECKED if any(row.unchecked for row in self.parts) else "")

    @property
    def is_whole(self) -> bool:
        """Whether the codec reads by the program of the whole schema at each share."""
        return all(row.way_reason for row in self.parts)

    @property
    def below(self) -> dict[float, bool]:
        """Whether the codec surely takes less time for each share than for every field; empty where that
        cannot be told of every share, or where the codec decodes everything."""
        pairs = [(share_read(row), row.of_everything) for row in self.parts]
        if self.is_whole or min(row.rounds for row in (*self.parts, self.whole)) < ROUNDS_TO_RANK:
            return {}
        by_share = gathered((share, found is not None and found.high < 1) for share, found in pairs)
        return {share: all(each) for share, each in by_share.items()}


@dataclass(frozen=True)
class Curves:
    """The curves of a workload and an operation with its memory policy, the fastest codec first.

    Attributes:
        last: the last workload that reads a part, in the order of the run.
        shares: the shares of the fields that are read, all below 1 and the smallest first.
    """

    workload: str
    operation: str
    last: str
    shares: Sequence[float]
    curves: Sequence[Curve]


def share_read(row: Row) -> float:
    """The share of the fields that a row reads, 1 where it reads messages whole."""
    return 1.0 if row.share_of_fields is None else row.share_of_fields


def curves_of(run: Run, rows: Sequence[Row]) -> Iterator[Curves]:
    """The curves of each workload of which at least two different shares of the fields are read."""
    datasets = run.manifest.datasets
    wholes = {name: data.whole for name, data in datasets.items() if data.whole}
    measured = {(row.workload, row.cell, row.name): row for row in rows if row.time}
    parts = gathered(
        ((wholes[row.workload], row.cell), row)
        for row in rows
        if row.workload in wholes and row.time and share_read(row) < 1
    )
    for (workload, operation), found in parts.items():
        shares = sorted({share_read(row) for row in found})
        by_name = gathered((row.name, row) for row in sorted(found, key=share_read))
        curves = [
            Curve(own, measured[workload, operation, name], shares)
            for name, own in by_name.items()
            if (workload, operation, name) in measured
        ]
        if len(shares) > 1 and curves:
            last = [name for name in run.manifest.workloads if wholes.get(name) == workload][-1]
            yield Curves(workload, operation, last, shares, sorted(curves, key=_least))


def _least(curve: Curve) -> float:
    """The time for the smallest share."""
    first = curve.parts[0].time
    return first.estimate if first else 0.0


def percent(share: float) -> str:
    """Write a share of the fields: ``3 %``, or ``1.8 %`` below 10 %."""
    return f"{100 * share:.{0 if share >= 0.0995 else 1}f}".removesuffix(".0") + " %"


def reach(curve: Curve) -> str:
    """Name the shares for which a codec surely takes less time than for every field, such as ``up to 30 %``;
    a dash where nothing is known of them."""
    below = [share for share, is_below in curve.below.items() if is_below]
    if not curve.below:
        return "–"
    if not below:
        return "nowhere"
    if _is_broken(curve):
        return f"at {', '.join(map(percent, below))}"
    return f"up to {percent(below[-1])}"


def in_words(curve: Curve) -> str:
    """Say up to which share of the fields a codec takes less time than for all of them, by the shares that
    were measured alone; empty where nothing can be concluded."""
    if curve.is_whole:
        return WAYS[WHOLE]
    if not curve.below:
        return ""
    others = [percent(share) for share, is_below in curve.below.items() if not is_below]
    if len(others) == len(curve.below):
        return f"not surely below everything at any share, from {others[0]} of the fields on"
    said = f"below everything {reach(curve)} of the fields"
    if not others:
        return said
    where = f"at {', '.join(others)}" if _is_broken(curve) else f"from {others[0]} on"
    return f"{said}, not surely {where}"


def _is_broken(curve: Curve) -> bool:
    """Whether a codec takes less time for a share though not for a smaller one, or lacks a share."""
    known = [*curve.below.values()]
    return known != sorted(known, reverse=True) or len(known) < len(curve.shares)


def told(words_of: Iterable[tuple[str, str]]) -> Iterator[str]:
    """A sentence for each thing that is said ``in_words`` of codecs, given as pairs of a codec's name and the
    words on it."""
    for words, names in gathered((words, name) for name, words in words_of).items():
        if words:
            yield f"{', '.join(names)}: {words}."
