"""What a ratio is on machines of one kind, how far these are apart, and where kinds contradict each other.

Pure functions over plain numbers.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from statistics import fmean, median, variance
from typing import TypeVar

from serbench.stats.summary import ROUNDS_TO_RANK, Interval, geometric_interval

OUT_OF_LINE = 3.5
"""How far a machine may be from the median of its kind, in robust standard deviations."""

NEVER_OUT_OF_LINE = 0.05
"""A machine that is nearer than this to the median, as a logarithm, is in line, however close the others
are."""

_FEWEST_IN_LINE = 3
"""Of two machines that differ, nobody can say which is out of line."""

Name = TypeVar("Name", bound=Hashable)


def on_all(of_each: Sequence[Interval]) -> Interval:
    """A ratio on machines of one kind, by that on each: how far equal machines are apart is in its interval.

    From as many machines as it takes rounds to rank, it is what the machines' estimates tell as independent
    values. Of fewer, it reaches over the intervals of all, since how far two of them happen to be apart says
    next to nothing of a third.

    Raises:
        ValueError: there is none.
    """
    estimates = geometric_interval(each.estimate for each in of_each)
    if len(of_each) >= ROUNDS_TO_RANK:
        return estimates
    return Interval(
        estimates.estimate,
        min(each.low for each in of_each),
        max(each.high for each in of_each),
        min(each.coverage for each in of_each),
    )


def changes_sides(ratios: Sequence[Interval]) -> bool:
    """Whether one of the ratios is below 1 and another above, beyond their intervals."""
    known = [each for each in ratios if each.coverage]
    return any(each.high < 1 for each in known) and any(each.low > 1 for each in known)


def offsets(levels: Sequence[Mapping[Name, float]]) -> list[float]:
    """How far each machine is from the median of its kind: the median over all figures that machines have in
    common, as a logarithm.

    Args:
        levels: the figures of each machine, as logarithms.
    """
    common = set.intersection(*map(set, levels)) if levels else set()
    middle = {name: median(own[name] for own in levels) for name in common}
    return [median(own[name] - middle[name] for name in common) if common else 0.0 for own in levels]


def out_of_line(offsets: Sequence[float]) -> list[bool]:
    """Which machines of a kind are not like the others, by ``offsets``: the modified z-score is above
    ``OUT_OF_LINE``.

    Source: B. Iglewicz and D. C. Hoaglin, "How to detect and handle outliers" (1993), section 3.3.
    """
    if len(offsets) < _FEWEST_IN_LINE:
        return [False] * len(offsets)
    middle = median(offsets)
    deviation = median(abs(each - middle) for each in offsets)
    return [
        abs(each - middle) > NEVER_OUT_OF_LINE and 0.6745 * abs(each - middle) > OUT_OF_LINE * deviation
        for each in offsets
    ]


def scales(levels: Sequence[Mapping[Name, float]]) -> list[float]:
    """By what the logarithms of each machine's figures differ from those of all machines of its kind, on
    average over the figures that all have; zeros where they have none in common."""
    common = set.intersection(*map(set, levels)) if levels else set()
    if not common:
        return [0.0] * len(levels)
    own = [fmean(each[name] for name in common) for each in levels]
    return [each - fmean(own) for each in own]


def apartness(levels: Sequence[Mapping[Name, float]]) -> float | None:
    """The variance of a log ratio from machine to machine of a kind, by the ratios between all figures that
    the machines have in common; None where that cannot be told.

    It is how far equal machines are apart in a ratio, which is what remains when their clocks are divided
    out: one has its memory laid out in another way, or another neighbour.
    """
    common = sorted(set.intersection(*map(set, levels)), key=str) if levels else []
    pairs = list(combinations(common, 2))
    if len(levels) < 2 or not pairs:
        return None
    return fmean(variance(own[first] - own[second] for own in levels) for first, second in pairs)


def error_of_all(apart: Sequence[float], machines: int) -> float:
    """The standard error that the machines' being apart adds to a log ratio which all of them took together.

    Args:
        apart: ``apartness`` of each table of the kind; it is taken to be the same in all.
    """
    return math.sqrt(fmean(apart) / machines) if apart else 0.0
