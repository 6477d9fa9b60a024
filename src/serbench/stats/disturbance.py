"""Which samples something else on the machine disturbed.

Page faults are recorded and no sign of it: under the policy ``fresh`` they are a codec's own work.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Protocol

LOST_SHARE = 0.01
"""A sample is disturbed that was off its core for more than so much of its time: half of the finest target of a ratio, 2 %."""

SWITCH_NS = 10_000_000
"""Where a system does not tell for how long others had the core: one switch in so much time is the timer's and daemons' usual."""


TICK_NS = 10_000_000
"""Stolen time is told in ticks of 1/100 s (USER_HZ, as Linux has it on all machines of today), though it is counted finer: one
more tick says that between nothing and two ticks were stolen, n more that it was more than n - 1."""


class Timed(Protocol):
    """What is asked of a sample. Times are nanoseconds; -1 stands for what the system does not tell.

    Attributes:
        waited_ns: a thread of the runner was ready, and another process had the core: never time that the runner's own threads
            or children took.
        own_ns: processor time of the runner's threads and children.
        stolen_ns: the hypervisor gave time to others of the core or cores that the runner may run on, in whole ticks.
    """

    elapsed_ns: int
    waited_ns: int
    own_ns: int
    stolen_ns: int
    involuntary_switches: int


def own_ns(sample: Timed) -> int:
    """Nanoseconds of a sample without those in which another process had its core, where the system tells; at least 1.

    No less than the runner's own processor time: a process that loses its core between the sample and the reading around it
    waits, too, and that would be deducted from a sample that it is not part of.
    """
    left = sample.elapsed_ns - max(0, sample.waited_ns)
    return max(1, left, min(sample.own_ns, sample.elapsed_ns))


def is_disturbed(sample: Timed) -> bool:
    """Whether other processes or the hypervisor certainly took more than ``LOST_SHARE`` of a sample.

    One tick of stolen time is not certain; ``Thefts`` judges those. Where the system does not tell how long it waited, more
    involuntary switches than one in each ``SWITCH_NS`` and one more count.
    """
    waited, stolen = sample.waited_ns, sample.stolen_ns - TICK_NS
    lost = (waited if waited > 0 else 0) + (stolen if stolen > 0 else 0)
    if lost > LOST_SHARE * sample.elapsed_ns:
        return True
    return waited < 0 and sample.involuntary_switches > 1 + sample.elapsed_ns / SWITCH_NS


class Thefts:
    """Judges single ticks of stolen time by the samples around them.

    From one tick to the next, one tick of time was stolen. So where two come within ``TICK_NS / LOST_SHARE`` (1 s) of one
    process's samples, more than ``LOST_SHARE`` was stolen of these, from the first to the last, and nobody can tell from which
    of them: all are disturbed. A tick that has no other so near says nothing, and is no reason to leave a sample out.
    """

    def __init__(self) -> None:
        self._process: Hashable = None
        self._since: list[tuple[int, Callable[[], None]]] = []  # the samples since the last tick: their time, what marks them

    @property
    def looking(self) -> bool:
        """Whether a tick was taken in; without one, what was stolen of no sample need not be looked at."""
        return bool(self._since)

    def look(self, process: Hashable, sample: Timed, mark: Callable[[], None]) -> None:
        """Takes in the next sample of a process; calls ``mark`` of each that turns out to be disturbed, once or more."""
        if process != self._process:
            self._process, self._since = process, []
        if sample.stolen_ns <= 0:
            if self._since:
                self._since.append((sample.elapsed_ns, mark))
            return
        if self._since and sum(elapsed for elapsed, _ in self._since) + sample.elapsed_ns < TICK_NS / LOST_SHARE:
            for _, each in [*self._since, (0, mark)]:
                each()
        self._since = [(sample.elapsed_ns, mark)]
