"""What a ratio is on machines of one kind, and where kinds contradict each other.

Pure functions over plain numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from serbench.stats.summary import ROUNDS_TO_RANK, Interval, geometric_interval


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
