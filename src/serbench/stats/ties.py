"""Tie groups: who is separated from whom, and who is not.

Pure functions over plain numbers.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from serbench.stats.summary import CONFIDENCE, ROUNDS_TO_RANK, Interval, Rounds, paired_ratio, trimmed, two_sided_p

SHARE_OF_TEST = 0.5
"""The share of what a test may err that is left for it: rounds end where intervals look narrow, by chance too, which costs the
rest (by simulation, tests/test_trust.py)."""


Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class Standing:
    """Where one contender stands: its rank, 1 for the first group, and its ratio to the best."""

    rank: int
    ratio: Interval


def standings(cells: Mapping[Name, Rounds]) -> dict[Name, Standing]:
    """Ranks of contenders in tie groups, the best first.

    In the order of their ratios to the best, the one with the least median, each contender joins the group before it unless
    it is separated from that group's first member; else it opens the next group. A group's rank is one more than the number
    of contenders before it.

    Separated means ``separation`` at most (1 - ``CONFIDENCE``) times ``SHARE_OF_TEST``, divided by the number of all pairs of
    contenders (Bonferroni): which of them would be first was not known before, so any pair may have been compared.
    """
    if not cells:
        return {}
    best = min(cells, key=lambda name: median(cells[name].values()))
    ratios = {name: paired_ratio(rounds, cells[best]) or _unpaired_ratio(rounds, cells[best]) for name, rounds in cells.items()}
    level = (1 - CONFIDENCE) * SHARE_OF_TEST / max(1, math.comb(len(cells), 2))
    result: dict[Name, Standing] = {}
    leader: Name | None = None
    rank = 0
    for position, name in enumerate(sorted(ratios, key=lambda name: ratios[name].median), start=1):
        if leader is None or separation(cells[name], cells[leader]) <= level:
            leader, rank = name, position
        result[name] = Standing(rank, ratios[name])
    return result


def separation(first: Rounds, second: Rounds) -> float:
    """The two-sided p-value of two contenders being equally fast, paired by round; 1 below ``ROUNDS_TO_RANK`` shared rounds.

    A t-test of the trimmed mean of log ratios: a median's test could not give 95 % over many pairs with the few rounds that are
    affordable, and a plain mean's would be blinded by one disturbed round.
    """
    logs = [math.log(first[r] / second[r]) for r in sorted(first.keys() & second.keys())]
    if len(logs) < ROUNDS_TO_RANK:
        return 1.0
    centre = trimmed(logs)
    return two_sided_p(centre.mean, centre.error, centre.freedom)


def _unpaired_ratio(numerator: Rounds, denominator: Rounds) -> Interval:
    """For contenders that share no round, a ratio without any confidence."""
    ratio = median(numerator.values()) / median(denominator.values())
    return Interval(ratio, ratio, ratio, 0.0)
