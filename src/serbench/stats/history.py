"""Compares versions of a library that were measured in the same rounds: each with the newest, and each with
the one before it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from serbench.stats.summary import CONFIDENCE, ROUNDS_TO_RANK, Interval, Rounds, paired_ratio

THRESHOLD = 0.03
"""The share by which a version has to differ for certain from the one before it to have changed, unless
another share is asked for. Two builds of the same version differ by some of that, which rounds do not show:
their code lies in other places."""

Change = Literal["slower", "faster", ""]


@dataclass(frozen=True)
class Times:
    """The nanoseconds of a pass in each round, and the standard error of their logarithms that rounds do not
    show."""

    rounds: Rounds
    doubt: float = 0.0


def comparisons(versions: int, series: int, halving: int = 0) -> int:
    """The number of comparisons in a history of so many versions and operations: all but the newest are
    compared with the newest, and all but the oldest with the one before, which is one pair the same.

    Args:
        halving: how many of the versions are measured between two others, which are then measured once more:
            these have been compared with each other, and are compared with the newest again.
    """
    return max(1, series * (2 * versions - 3 + 3 * halving))


def ratio_of(version: Times, other: Times, family: int) -> Interval | None:
    """The ratio of two versions' times; None with fewer shared rounds than anything is concluded from. The
    intervals of all ``family`` comparisons hold together with ``CONFIDENCE`` (Bonferroni)."""
    if len(version.rounds.keys() & other.rounds.keys()) < ROUNDS_TO_RANK:
        return None
    confidence = 1 - (1 - CONFIDENCE) / family
    doubt = math.hypot(version.doubt, other.doubt)
    return paired_ratio(version.rounds, other.rounds, doubt, confidence)


def change_of(ratio: Interval | None, threshold: float) -> Change:
    """The change of a version from the one before: ``slower`` or ``faster`` where the interval lies wholly
    beyond the threshold, a share."""
    if ratio is None:
        return ""
    return "slower" if ratio.low > 1 + threshold else "faster" if ratio.high < 1 / (1 + threshold) else ""


def unseen(ratios: Sequence[Interval | None]) -> float:
    """The greatest change that intervals leave open, as a share: the furthest that one reaches from 1."""
    return max((max(each.high - 1, 1 / each.low - 1) for each in ratios if each), default=0.0)
