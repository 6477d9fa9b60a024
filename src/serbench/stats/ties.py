"""Tie groups: which contenders are separated, which are not, and whose variation is the cause.

Pure functions over plain numbers.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

from serbench.stats.comparison import without_drift
from serbench.stats.summary import (
    CONFIDENCE,
    ROUNDS_TO_RANK,
    Interval,
    Rounds,
    paired_ratio,
    trimmed,
    two_sided_p,
    typical,
)

SHARE_OF_TEST = 0.5
"""The share of the permitted error that tests may use. The rest is spent by stopping: rounds end where
intervals look narrow, which they sometimes do by chance (by simulation, tests/test_trust.py)."""

UNSTEADY = 0.1
"""Where two contenders share a rank but seem to be farther apart than this share, the one with the greater
error is called unsteady. In a quick run no contender is, if times vary as they do on a shared machine: 1.75 %
from process to process (by simulation)."""


Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class Standing:
    """The standing of one contender.

    Attributes:
        rank: 1 for the first group.
        ratio: its time divided by that of the best.
        unsteady: whether it shares its rank with a contender that seems to be far from it, because its own
            times vary too much to tell.
    """

    rank: int
    ratio: Interval
    unsteady: bool = False


def fastest(cells: Mapping[Name, Rounds]) -> Name | None:
    """The contender with the least typical time, to which ratios are taken; None where there is no
    contender."""
    return min(cells, key=lambda name: typical(cells[name].values()), default=None)


def standings(cells: Mapping[Name, Rounds], spread: float = 0.0) -> dict[Name, Standing]:
    """Ranks of contenders in tie groups, the best first.

    In the order of their ratios to the best, each contender joins the group before it unless it is separated
    from one of that group's members; else it opens the next group. So a contender whose times vary too much
    to be separated from anybody ties with its neighbours, but does not tie them with each other. A group's
    rank is one more than the number of contenders before it.

    Two are separated where ``separation`` is at most (1 - ``CONFIDENCE``) times ``SHARE_OF_TEST``, divided by
    the number of all pairs of contenders (Bonferroni): nobody knew before which of them would meet, so any
    pair may have been compared.

    Args:
        spread: a standard error of log ratios that rounds do not show, which is added to theirs.
    """
    best = fastest(cells)
    if best is None:
        return {}
    ratios = {
        name: paired_ratio(rounds, cells[best], spread) or _unpaired_ratio(rounds, cells[best])
        for name, rounds in cells.items()
    }
    level = (1 - CONFIDENCE) * SHARE_OF_TEST / max(1, math.comb(len(cells), 2))
    groups: dict[int, list[Name]] = {}
    rank = 1
    for position, name in enumerate(sorted(ratios, key=lambda name: ratios[name].estimate), start=1):
        if any(separation(cells[name], cells[member], spread) <= level for member in groups.get(rank, ())):
            rank = position
        groups.setdefault(rank, []).append(name)
    unsteady = _unsteady(cells, ratios, groups.values())
    return {
        name: Standing(rank, ratios[name], name in unsteady)
        for rank, members in groups.items()
        for name in members
    }


def _unsteady(
    cells: Mapping[Name, Rounds], ratios: Mapping[Name, Interval], groups: Collection[list[Name]]
) -> set[Name]:
    """The unsteady contenders: of each pair in a group that is farther apart than ``UNSTEADY``, the one whose
    own time is known less well."""
    apart = [
        (first, second)
        for members in groups
        for first, second in combinations(members, 2)
        if ratios[second].estimate > (1 + UNSTEADY) * ratios[first].estimate
        and len(cells[first].keys() & cells[second].keys()) >= ROUNDS_TO_RANK
    ]
    if not apart:
        return set()
    errors = {
        name: trimmed([math.log(time) for time in rounds.values()]).error if len(rounds) > 1 else math.inf
        for name, rounds in without_drift(cells).items()
    }
    return {max(pair, key=lambda name: errors[name]) for pair in apart}


def separation(first: Rounds, second: Rounds, spread: float = 0.0) -> float:
    """The two-sided p-value of two contenders being equally fast, paired by round; 1 below ``ROUNDS_TO_RANK``
    shared rounds.

    It is the t-test of the trimmed mean of log ratios. A test of medians could not give 95 % over many pairs
    with the few rounds that are affordable, and one of plain means would be blinded by a single disturbed
    round.
    """
    logs = [math.log(first[r] / second[r]) for r in sorted(first.keys() & second.keys())]
    if len(logs) < ROUNDS_TO_RANK:
        return 1.0
    centre = trimmed(logs)
    return two_sided_p(centre.mean, math.hypot(centre.error, spread), centre.freedom)


def _unpaired_ratio(numerator: Rounds, denominator: Rounds) -> Interval:
    """The ratio of contenders that share no round, without any confidence."""
    ratio = typical(numerator.values()) / typical(denominator.values())
    return Interval(ratio, ratio, ratio, 0.0)
