"""Limits how long a runner may print nothing; the time for which other processes kept it from a core does not
count."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from pathlib import Path

MOST_TIMES = 10
"""The longest limit on a machine whose cores are all taken, as a multiple of the limit on an idle machine."""

_FRESH_S = 1.0
"""The seconds for which a reading of threads' waiting times is reused, since a runner may print often."""


class Patience:
    """The time limit of a runner that works and prints nothing.

    The time for which the runner had to wait for a core is added to its limit: on a busy machine, a runner
    that prepares much data may well get a fifth of a core.

    Attributes:
        limit_s: the seconds for which it may print nothing where it has a core to itself.
        deadline: when to check again whether the limit is over, in seconds of the monotonic clock.
    """

    def __init__(self, process: int, limit_s: float):
        self.limit_s = limit_s
        self._process = process
        self._read_at = -_FRESH_S
        self._delays: dict[str, float] = {}
        self.renew()

    def renew(self) -> None:
        """Start the limit anew, since the runner has printed something."""
        self._begun = time.monotonic()
        self.deadline = self._begun + self.limit_s
        if self._begun - self._read_at >= _FRESH_S:
            self._read_at, self._delays = self._begun, dict(_delays(self._process))

    def is_over(self) -> bool:
        """Whether the runner has used up its limit; otherwise, move the deadline."""
        if time.monotonic() < self.deadline:
            return False
        self.deadline = self._begun + min(self.limit_s + self._waited_s(), MOST_TIMES * self.limit_s)
        return time.monotonic() >= self.deadline

    def _waited_s(self) -> float:
        """Return the longest time for which a thread of the runner was ready and had no core."""
        return longest_wait(self._delays, _delays(self._process))


def longest_wait(before: Mapping[str, float], now: Mapping[str, float]) -> float:
    """Return the seconds for which the thread that waited longest was ready and had no core, between two
    readings of ``waits_of``; 0 where there are no threads."""
    return max((wait - before.get(thread, 0.0) for thread, wait in now.items()), default=0.0)


def waits_of(process: int) -> dict[str, float]:
    """Return, for each thread of a process, the seconds for which it was ready and had no core, the second
    number of its scheduler statistics (Linux's Documentation/scheduler/sched-stats.rst); empty on other
    systems."""
    found: dict[str, float] = {}
    for thread in _threads(process):
        with contextlib.suppress(OSError, ValueError, IndexError):  # it has ended meanwhile
            found[thread.name] = int((thread / "schedstat").read_text().split()[1]) / 1e9
    return found


def _delays(process: int) -> dict[str, float]:
    """Return ``waits_of`` a process and of all processes that it and its children have started."""
    found: dict[str, float] = {}
    left = [process]
    while left:
        found |= waits_of(each := left.pop())
        for thread in _threads(each):
            with contextlib.suppress(OSError, ValueError):
                left += map(int, (thread / "children").read_text().split())
    return found


def _threads(process: int) -> list[Path]:
    """Return the folders in /proc of a process's threads; none where the process has ended."""
    try:
        return list(Path(f"/proc/{process}/task").iterdir())
    except OSError:
        return []
