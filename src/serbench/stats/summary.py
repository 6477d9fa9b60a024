"""From samples to figures: medians with distribution-free intervals, ratios paired by round.

Pure functions over plain numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean, median

CONFIDENCE = 0.95

ROUNDS_TO_RANK = 6
"""The fewest values whose whole range covers their median with ``CONFIDENCE``: 1 - 2 / 2^6 = 96.9 %."""


TRIM = 0.2
"""The share of rounds that a test leaves out on each side: a round in ten or so is hit by something else on the machine."""


@dataclass(frozen=True)
class Interval:
    """A figure with an interval; ``coverage`` is the confidence that the interval truly has."""

    median: float
    low: float
    high: float
    coverage: float

    @property
    def relative_half_width(self) -> float:
        """Half the interval's width as a share of the median."""
        return (self.high - self.low) / 2 / self.median if self.median else 0.0

    @property
    def relative_reach(self) -> float:
        """How far the interval reaches from the median, on the side where it reaches farther, as a share of the median."""
        return max(self.high - self.median, self.median - self.low) / self.median if self.median else 0.0


def median_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """The median of independent values with an interval between two of them, whatever their distribution.

    The interval from the k-th smallest to the k-th greatest of n values covers the true median with probability
    1 - 2 P(X < k) for X binomial (n, 1/2). The narrowest with at least ``confidence`` is taken; where n is too small
    for that, the whole range, and ``coverage`` says what it has.

    Source: H. A. David and H. N. Nagaraja, "Order Statistics", 3rd edition (2003), section 7.1.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("no values")
    ordered = sorted(values)
    n = len(ordered)
    k, coverage = _order_statistic(n, confidence)
    return Interval(median(ordered), ordered[k - 1], ordered[n - k], coverage)


@lru_cache(maxsize=1024)
def _order_statistic(n: int, confidence: float) -> tuple[int, float]:
    """The k of the interval from the k-th smallest to the k-th greatest of n values, and what it covers."""
    from scipy.special import bdtr, bdtrik  # of scipy.stats.binom, which takes half a second to import

    # The greatest k with P(X < k) = P(X <= k - 1) at most half of what the interval may miss.
    missed = (1 - confidence) / 2
    estimate = float(bdtrik(missed, n, 0.5))
    k = int(estimate) + 2 if math.isfinite(estimate) else 1
    while k > 1 and bdtr(k - 1, n, 0.5) > missed:
        k -= 1
    return k, max(0.0, 1 - 2 * float(bdtr(k - 1, n, 0.5)))


def two_sided_p(difference: float, error: float, freedom: float) -> float:
    """The probability of so great a difference by chance, by Student's t; ``error`` is its standard error."""
    from scipy.special import stdtr  # of scipy.stats.t.sf without its checks, which cost more than it

    if error == 0:
        return 1.0 if abs(difference) < 1e-12 else 0.0
    return 2 * float(stdtr(freedom, -abs(difference) / error))


Rounds = Mapping[int, float]
"""A cell's figure in each round: round number → nanoseconds."""


@dataclass(frozen=True)
class Trimmed:
    """A trimmed mean, its standard error, and the degrees of freedom of a t-test of it."""

    mean: float
    error: float
    freedom: int


def trimmed(values: Sequence[float], trim: float = TRIM) -> Trimmed:
    """The mean without the least and the greatest values, and its standard error from their winsorized variance.

    Args:
        values: two or more.
        trim: the share of values that is left out on each side, rounded down.

    Source: J. W. Tukey and D. H. McLaughlin, "Less vulnerable confidence and significance procedures for location based on a
    single sample", Sankhya A 25 (1963), in the form of K. K. Yuen, Biometrika 61 (1974).
    """
    ordered = sorted(values)
    cut = int(trim * len(ordered))
    kept = ordered[cut : len(ordered) - cut]
    winsorized = [kept[0]] * cut + kept + [kept[-1]] * cut
    centre = fmean(winsorized)
    squares = math.fsum((value - centre) ** 2 for value in winsorized)
    return Trimmed(fmean(kept), math.sqrt(squares / (len(kept) * (len(kept) - 1))), len(kept) - 1)


def paired_ratio(numerator: Rounds, denominator: Rounds) -> Interval | None:
    """The ratio taken inside each round that both have, then summarised; None where they share no round."""
    shared = sorted(numerator.keys() & denominator.keys())
    return median_interval([numerator[r] / denominator[r] for r in shared]) if shared else None


def geometric_mean_ratio(pairs: Sequence[tuple[Rounds, Rounds]]) -> Interval | None:
    """The geometric mean of several ratios, taken inside each round that all have, then summarised; None where there is none.

    Only of ratios: the geometric mean is the one that does not depend on what they are relative to (P. J. Fleming and J. J.
    Wallace, "How not to lie with statistics: the correct way to summarize benchmark results", CACM 29 (1986)).
    """
    shared = set.intersection(*(set(rounds) for pair in pairs for rounds in pair))
    if not shared:
        return None
    means = [math.exp(fmean(math.log(first[r] / second[r]) for first, second in pairs)) for r in sorted(shared)]
    return median_interval(means)
