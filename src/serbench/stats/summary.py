"""From samples to figures: medians with distribution-free intervals, ratios paired by round.

Pure functions over plain numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

CONFIDENCE = 0.95

ROUNDS_TO_RANK = 6
"""The fewest values whose whole range covers their median with ``CONFIDENCE``: 1 - 2 / 2^6 = 96.9 %."""


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
    from scipy.stats import binom  # slow to import, and needed only when a table is made

    ordered = sorted(values)
    n = len(ordered)
    # The greatest k with P(X < k) = P(X <= k - 1) at most half of what the interval may miss.
    k = int(binom.ppf((1 - confidence) / 2, n, 0.5))
    while k > 1 and 2 * binom.cdf(k - 1, n, 0.5) > 1 - confidence:
        k -= 1
    k = max(k, 1)
    coverage = max(0.0, 1 - 2 * float(binom.cdf(k - 1, n, 0.5)))
    return Interval(median(ordered), ordered[k - 1], ordered[n - k], coverage)


Rounds = Mapping[int, float]
"""A cell's figure in each round: round number → nanoseconds."""


def round_figures(samples: Sequence[tuple[int, float]]) -> dict[int, float]:
    """The median of a process's samples, for each round; ``samples`` holds (round, nanoseconds per iteration)."""
    by_round: dict[int, list[float]] = {}
    for number, value in samples:
        by_round.setdefault(number, []).append(value)
    return {number: median(values) for number, values in by_round.items()}


def paired_ratio(numerator: Rounds, denominator: Rounds) -> Interval | None:
    """The ratio taken inside each round that both have, then summarised; None where they share no round."""
    shared = sorted(numerator.keys() & denominator.keys())
    return median_interval([numerator[r] / denominator[r] for r in shared]) if shared else None
