"""Makes figures of samples: trimmed means of logarithms with their intervals, and ratios paired by round."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from statistics import fmean, median

from serbench.stats.distributions import student_quantile, student_tail

CONFIDENCE = 0.95

ROUNDS_TO_RANK = 6
"""The fewest rounds from which anything is concluded: with one left out on each side, four remain."""

TRIM = 0.2
"""The share of rounds that is left out on each side: a round in ten or so is hit by something else on the
machine."""


@dataclass(frozen=True)
class Interval:
    """A figure and its interval; ``coverage`` is the interval's confidence, 0 where there is no interval."""

    estimate: float
    low: float
    high: float
    coverage: float

    @property
    def relative_half_width(self) -> float:
        """Half the interval's width as a share of the estimate."""
        return (self.high - self.low) / 2 / self.estimate if self.estimate else 0.0

    @property
    def relative_reach(self) -> float:
        """The longer way from the estimate to an end of the interval, as a share of the estimate."""
        return (
            max(self.high - self.estimate, self.estimate - self.low) / self.estimate if self.estimate else 0.0
        )

    def scaled(self, factor: float) -> Interval:
        """The interval of the figure times ``factor``."""
        return Interval(factor * self.estimate, factor * self.low, factor * self.high, self.coverage)


def median_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """The median of independent values with an interval between two of them, whatever their distribution.

    The interval from the k-th smallest to the k-th greatest of n values covers the true median with
    probability 1 - 2 P(X < k) for X binomial (n, 1/2). The narrowest with at least ``confidence`` is taken.
    Where n is too small for that, it is the whole range, and ``coverage`` says what confidence that has. This
    is for a few values that repeat the same work, such as compilations; times of codecs are summarised by
    ``geometric_interval``.

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
    """The k for the interval from the k-th smallest to the k-th greatest of n values, and its confidence."""
    missed, all_outcomes = (1 - confidence) / 2, 2**n
    k, exactly, below = 1, 1, 1  # the number of outcomes with X = k - 1, and with X < k
    while True:
        exactly = exactly * (n - k + 1) // k
        if (below + exactly) / all_outcomes > missed:
            return k, max(0.0, 1 - 2 * (below / all_outcomes))
        below += exactly
        k += 1


def two_sided_p(difference: float, error: float, freedom: float) -> float:
    """The probability that chance makes so great a difference, by Student's t; ``error`` is its standard
    error."""
    if error == 0:
        return 1.0 if abs(difference) < 1e-12 else 0.0
    return 2 * student_tail(abs(difference) / error, freedom)


Rounds = Mapping[int, float]
"""A cell's figure in each round: round number → nanoseconds."""


@dataclass(frozen=True)
class Trimmed:
    """A trimmed mean or a difference of two, its standard error, and the degrees of freedom of a t-test."""

    mean: float
    error: float
    freedom: float


def trimmed(values: Sequence[float], trim: float = TRIM) -> Trimmed:
    """The mean without the least and the greatest values, and its standard error from their winsorized
    variance.

    Args:
        values: two or more.
        trim: the share of values that is left out on each side, rounded down.

    Source: J. W. Tukey and D. H. McLaughlin, "Less vulnerable confidence and significance procedures for
    location based on a single sample", Sankhya A 25 (1963), in the form of K. K. Yuen, Biometrika 61 (1974).
    """
    ordered = sorted(values)
    cut = int(trim * len(ordered))
    kept = ordered[cut : len(ordered) - cut]
    winsorized = [kept[0]] * cut + kept + [kept[-1]] * cut
    centre = fmean(winsorized)
    squares = math.fsum((value - centre) ** 2 for value in winsorized)
    return Trimmed(fmean(kept), math.sqrt(squares / (len(kept) * (len(kept) - 1))), len(kept) - 1)


def typical(values: Iterable[float]) -> float:
    """The geometric trimmed mean of positive values: the estimate of ``geometric_interval``."""
    ordered = sorted(values)
    cut = int(TRIM * len(ordered))
    return math.exp(fmean(map(math.log, ordered[cut : len(ordered) - cut])))


def geometric_interval(
    values: Iterable[float], spread: float = 0.0, confidence: float = CONFIDENCE
) -> Interval:
    """The geometric trimmed mean of positive, independent values with its interval; a single value has no
    interval.

    Args:
        spread: a standard error of the logarithm that the values do not show, which is added to theirs.
        confidence: that of the interval; more than ``CONFIDENCE`` where it is one of several.

    Around the trimmed mean of logarithms, it is the interval of the t-test by which ranks are given
    (``trimmed``), widened where it does not reach both means of ``_moved``. Times with two modes need that:
    where about as many values belong to the second mode as are left out, all of them may be left out, and the
    t-test's error does not show them.

    Raises:
        ValueError: there are no values.
    """
    logs = sorted(map(math.log, values))
    if not logs:
        raise ValueError("no values")
    if len(logs) == 1:
        return Interval(math.exp(logs[0]), math.exp(logs[0]), math.exp(logs[0]), 0.0)
    centre = trimmed(logs)
    half = _t_quantile(centre.freedom, confidence) * math.hypot(centre.error, spread)
    lower, upper = _moved(logs)
    low, high = min(centre.mean - half, lower), max(centre.mean + half, upper)
    return Interval(math.exp(centre.mean), _exp(low), _exp(high), confidence)


def _moved(ordered: Sequence[float]) -> tuple[float, float]:
    """The trimmed mean with both of its cuts moved down, and with both moved up, by two standard deviations.

    The standard deviation is that of how many of n values lie below the quantile at which the distribution is
    cut, which is binomial (n, ``TRIM``). At least half as many values are kept as the trimmed mean keeps.
    """
    n = len(ordered)
    cut = int(TRIM * n)
    move = math.ceil(2 * math.sqrt(n * TRIM * (1 - TRIM)))
    first = max(0, cut - move)
    end = max(n - cut - move, first + (n - 2 * cut + 1) // 2)
    sums = [0.0, *accumulate(ordered)]
    return (sums[end] - sums[first]) / (end - first), (sums[n - first] - sums[n - end]) / (end - first)


@lru_cache(maxsize=1024)
def _t_quantile(freedom: float, confidence: float) -> float:
    """How many standard errors an interval of this confidence reaches to either side, by Student's t."""
    return student_quantile((1 + confidence) / 2, freedom)


def _exp(logarithm: float) -> float:
    """The exponential of ``logarithm``, within bounds, so that it can still be multiplied: the interval of
    two rounds that differ a thousandfold goes beyond all numbers."""
    return math.exp(max(-300.0, min(300.0, logarithm)))


def paired_ratio(
    numerator: Rounds, denominator: Rounds, spread: float = 0.0, confidence: float = CONFIDENCE
) -> Interval | None:
    """The ratio in each round that both have, summarised by ``geometric_interval``; None if there is none."""
    shared = numerator.keys() & denominator.keys()
    ratios = (numerator[r] / denominator[r] for r in shared)
    return geometric_interval(ratios, spread, confidence) if shared else None


def geometric_mean_ratio(pairs: Sequence[tuple[Rounds, Rounds]], spread: float = 0.0) -> Interval | None:
    """The geometric mean of several ratios, taken inside each round that all have, then summarised as
    ``geometric_interval`` does; None where they share no round.

    It is for ratios only: the geometric mean is the one that does not depend on what they are relative to (P.
    J. Fleming and J. J. Wallace, "How not to lie with statistics: the correct way to summarize benchmark
    results", CACM 29 (1986)).
    """
    shared = set.intersection(*(set(rounds) for pair in pairs for rounds in pair))
    if not shared:
        return None
    return geometric_interval(
        (math.exp(fmean(math.log(first[r] / second[r]) for first, second in pairs)) for r in shared), spread
    )


def share_of_part(whole: Rounds, without: Rounds, spread: float = 0.0) -> Interval | None:
    """The share of a time that a part takes, by the time ``without`` it in the same rounds; None with fewer
    shared rounds than anything is concluded from. It is below 0 where the part makes the whole faster.

    Args:
        spread: a standard error of the logarithm of the ratio that rounds do not show.
    """
    if len(whole.keys() & without.keys()) < ROUNDS_TO_RANK:
        return None
    left = paired_ratio(without, whole, spread)
    return left and Interval(1 - left.estimate, 1 - left.high, 1 - left.low, left.coverage)
