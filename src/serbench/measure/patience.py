"""Limits how long a runner may say nothing; the time that others took from it does not count."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

MOST_TIMES = 10
"""The limit on a machine whose cores are all taken, as a multiple of that on one that is idle."""

_FRESH_S = 1.0
"""The waiting time of threads is read again only after this many seconds, since a runner may speak often."""


class Patience:
    """How long we wait for a runner that works on something and says nothing.

    A runner that had to wait for a core has that time added to its limit: on a busy machine, one that
    prepares much data may well get a fifth of a core.

    Attributes:
        limit_s: seconds that it may say nothing where it has a core to itself.
        deadline: when to look again whether the limit is over, in seconds of the monotonic clock.
    """

    def __init__(self, process: int, limit_s: float):
        self.limit_s = limit_s
        self._process = process
        self._read_at = -_FRESH_S
        self._delays: dict[str, float] = {}
        self.renew()

    def renew(self) -> None:
        """Begins anew, since the runner has said something."""
        self._begun = time.monotonic()
        self.deadline = self._begun + self.limit_s
        if self._begun - self._read_at >= _FRESH_S:
            self._read_at, self._delays = self._begun, dict(_delays(self._process))

    def is_over(self) -> bool:
        """Whether the runner has used up its limit; moves the deadline where it has not."""
        if time.monotonic() < self.deadline:
            return False
        self.deadline = self._begun + min(self.limit_s + self._waited_s(), MOST_TIMES * self.limit_s)
        return time.monotonic() >= self.deadline

    def _waited_s(self) -> float:
        """The longest that one of its threads was ready and had no core."""
        now = _delays(self._process)
        return max((delay - self._delays.get(thread, 0.0) for thread, delay in now.items()), default=0.0)


def _delays(process: int) -> dict[str, float]:
    """Thread of a process or of its children → seconds that it was ready and had no core, the second number
    of its scheduler statistics (Linux's Documentation/scheduler/sched-stats.rst); empty on other systems."""
    found: dict[str, float] = {}
    left = [process]
    while left:
        for thread in _threads(left.pop()):
            with contextlib.suppress(OSError, ValueError, IndexError):  # it has ended meanwhile
                found[thread.name] = int((thread / "schedstat").read_text().split()[1]) / 1e9
                left += map(int, (thread / "children").read_text().split())
    return found


def _threads(process: int) -> list[Path]:
    """The folders of a process's threads; none where it has ended."""
    try:
        return list(Path(f"/proc/{process}/task").iterdir())
    except OSError:
        return []
