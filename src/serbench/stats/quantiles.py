"""Quantiles of single calls, and from which call on a program is as fast as later ones."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from statistics import median

LEVELS = {
    "least": 0, "p25": 250, "p50": 500, "p75": 750, "p90": 900, "p95": 950, "p99": 990, "p99_5": 995,
    "p99_9": 999,
}  # fmt: skip
"""Name of a quantile → how many of a thousand calls are faster. ``worst``, the slowest call, has none."""

WINDOW = 101
"""How many calls in a row are looked at together, by their median: as many as a collection or an interrupt in
their midst does not move, and far fewer than a compiler takes to be done with them. Of few calls, an eighth
of all."""

AS_FAST = 1.1
"""How many times as long as later calls the median of some calls may take to be as fast as those. On an idle
machine, medians of so many calls of one message differ by 2 to 5 % from each other."""

_LEAST_CALLS = 40
"""The fewest calls of which an eighth has a median."""

_MOST_LEFT = 2
"""The share, as a divisor, of all calls that are the later ones."""


def quantiles(times: Sequence[int]) -> Mapping[str, int]:
    """Return the quantiles of ``LEVELS`` and the ``worst``, in the unit of ``times``.

    The one of level p is the least time that at least (1000 - p) of 1000 calls reach or exceed: so that one
    call in a thousand takes ``p99_9`` or longer. One that fewer than a whole call would reach is left out.

    Raises:
        ValueError: there are no times.
    """
    if not times:
        raise ValueError("no times")
    ordered, count = sorted(times), len(times)
    known = {name: level for name, level in LEVELS.items() if count * (1000 - level) >= 1000}
    return {name: ordered[count * level // 1000] for name, level in known.items()} | {"worst": ordered[-1]}


def as_fast_from(times: Sequence[int]) -> int | None:
    """Return from which call on calls are as fast as later ones: the first that itself, and in
    the median of the window that begins with it, takes at most ``AS_FAST`` times the median of the second
    half. None where that half has no such window before it,
    or there are fewer than 40 calls."""
    later = len(times) // _MOST_LEFT
    window = min(WINDOW, len(times) // 8) | 1
    if len(times) < _LEAST_CALLS:
        return None
    limit = AS_FAST * median(times[later:])
    among = sorted(times[:window])
    for first in range(later - window):
        if times[first] <= limit and among[window // 2] <= limit:
            return first
        del among[bisect_left(among, times[first])]
        insort(among, times[first + window])
    return None
