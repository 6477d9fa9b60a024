"""Ratios on many machines: one ratio for a kind, how far its machines are apart, and kinds that disagree."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import TypeVar

from serbench.stats.summary import ROUNDS_TO_RANK, Interval, geometric_interval

OUT_OF_LINE = 3.5
"""How far from the median of its kind a machine may be and count, in robust standard deviations."""

NEVER_OUT_OF_LINE = 0.05
"""A machine that is nearer than this to the median, as a logarithm, is in line, however close the others
are."""

_FEWEST_IN_LINE = 3
"""The fewest machines of which one can be out of line: if two differ, nobody can say which of them is."""

_TURNS = 30

Name = TypeVar("Name", bound=Hashable)


def on_all(of_each: Sequence[Interval]) -> Interval:
    """Summarise a ratio that each machine of a kind has: the interval tells how far the machines are apart.

    With at least ``ROUNDS_TO_RANK`` machines, it is the interval of the machines' estimates, taken as
    independent values. With fewer, it reaches over the intervals of all, since how far two machines happen to
    be apart says next to nothing of a third.

    Raises:
        ValueError: no ratio is given.
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
    """Whether kinds disagree who is faster: one ratio is below 1, one above, beyond their intervals."""
    known = [each for each in ratios if each.coverage]
    return any(each.high < 1 for each in known) and any(each.low > 1 for each in known)


@dataclass(frozen=True)
class Levels:
    """How fast each machine of a kind is, compared with the others of that kind.

    Attributes:
        effects: for each machine, the difference of the logarithms of its figures from those of all machines;
            None if it has no figure that another has.
        residual: the variance of the logarithms of figures that remains when these differences are deducted:
            how far machines are apart even at the same clock. None where there are too few figures to tell.
    """

    effects: Sequence[float | None]
    residual: float | None


def levels_of(figures: Sequence[Mapping[Name, float]]) -> Levels:
    """Estimates how fast each machine is, even where machines lack some of the figures.

    By least squares, an effect of each machine and one of each figure are fitted to the logarithms, in turns.

    Source: H. Scheffe, "The Analysis of Variance" (1959), section 4.1.

    Args:
        figures: the figures of each machine, as logarithms.
    """
    counts = Counter(name for own in figures for name in own)
    shared = [{name: at for name, at in own.items() if counts[name] > 1} for own in figures]
    names = {name: fmean(own[name] for own in shared if name in own) for name in counts if counts[name] > 1}
    effects = [0.0] * len(shared)
    for _ in range(_TURNS):
        effects = [fmean(own[name] - names[name] for name in own) if own else 0.0 for own in shared]
        middle = fmean(each for each, own in zip(effects, shared, strict=True) if own) if names else 0.0
        effects = [each - middle if own else 0.0 for each, own in zip(effects, shared, strict=True)]
        pairs = list(zip(shared, effects, strict=True))
        names = {name: fmean(own[name] - each for own, each in pairs if name in own) for name in names}
    left = [own[name] - each - names[name] for own, each in zip(shared, effects, strict=True) for name in own]
    freedom = len(left) - sum(map(bool, shared)) - len(names) + 1
    residual = math.fsum(each * each for each in left) / freedom if left and freedom > 0 else None
    return Levels([each if own else None for each, own in zip(effects, shared, strict=True)], residual)


def out_of_line(effects: Sequence[float | None]) -> list[bool]:
    """Tells which machines of a kind are not like the others: the modified z-score of their effect is above
    ``OUT_OF_LINE``. A machine without an effect (None) counts as like the others.

    Source: B. Iglewicz and D. C. Hoaglin, "How to detect and handle outliers" (1993), section 3.3.
    """
    known = [each for each in effects if each is not None]
    if len(known) < _FEWEST_IN_LINE:
        return [False] * len(effects)
    middle = median(known)
    deviation = median(abs(each - middle) for each in known)
    return [
        each is not None
        and abs(each - middle) > NEVER_OUT_OF_LINE
        and 0.6745 * abs(each - middle) > OUT_OF_LINE * deviation
        for each in effects
    ]


def error_of_ratio(residual: float, machines: int) -> float:
    """The error that differing machines add to the log ratio of two figures of so many machines each."""
    return math.sqrt(2 * residual / machines)
