"""Which samples something else on the machine disturbed.

Page faults are recorded and no sign of it: under the policy ``fresh`` they are a codec's own work.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

LOST_SHARE = 0.01
"""A sample is disturbed that was off its core for more than so much of its time: half of the finest target of
a ratio, 2 %."""

SWITCH_NS = 10_000_000
"""Where a system does not tell for how long others had the core: one switch in so much time is the timer's
and daemons' usual."""


TICK_NS = 10_000_000
"""Stolen time is told in ticks of 1/100 s (USER_HZ, as Linux has it on all machines of today), though it is
counted finer: one more tick says that between nothing and two ticks were stolen, n more that it was more than
n - 1."""


class Timed(Protocol):
    """The fields of a sample. Times are in nanoseconds; -1 stands for what the system does not report.

    Attributes:
        waited_ns: a thread of the runner was ready, and another process had the core: never time that the
            runner's own threads or children took.
        own_ns: processor time of the runner's threads and children.
        stolen_ns: the hypervisor gave time to others of the core or cores that the runner may run on, in
            whole ticks.
    """

    elapsed_ns: int
    waited_ns: int
    own_ns: int
    stolen_ns: int
    involuntary_switches: int


def own_ns(sample: Timed) -> int:
    """Nanoseconds of a sample without those in which another process had its core, where the system tells; at
    least 1.

    No less than the runner's own processor time: a process that loses its core between the sample and the
    reading around it waits, too, and that would be deducted from a sample that it is not part of.
    """
    left = sample.elapsed_ns - max(0, sample.waited_ns)
    return max(1, left, min(sample.own_ns, sample.elapsed_ns))


def is_disturbed(sample: Timed) -> bool:
    """Whether other processes or the hypervisor certainly took more than ``LOST_SHARE`` of a sample.

    One tick of stolen time is not certain; ``Thefts`` judges those. Where the system does not tell how long
    it waited, more involuntary switches than one in each ``SWITCH_NS`` and one more count.
    """
    waited, stolen = sample.waited_ns, sample.stolen_ns - TICK_NS
    lost = (waited if waited > 0 else 0) + (stolen if stolen > 0 else 0)
    if lost > LOST_SHARE * sample.elapsed_ns:
        return True
    return waited < 0 and sample.involuntary_switches > 1 + sample.elapsed_ns / SWITCH_NS


class OfProcess(Timed, Protocol):
    """A sample with what names its process: of each round, unit by unit."""

    round: int
    codec: str
    workload: str
    compiler: str


S = TypeVar("S", bound=OfProcess)


class Thefts(Generic[S]):
    """Judges single ticks of stolen time by the samples around them.

    From one tick to the next, one tick of time was stolen. So where two come within ``TICK_NS / LOST_SHARE``
    (1 s) of one process's samples, more than ``LOST_SHARE`` was stolen of these, from the first to the last,
    and nobody can tell from which of them: all are disturbed. A tick that has no other so near says nothing,
    and is no reason to leave a sample out.
    """

    def __init__(self) -> None:
        self._since: list[S] = []  # the samples of one process since its last tick, that one first

    def take(self, sample: S) -> Sequence[S]:
        """Takes in the next sample of a run; returns those that turn out to be disturbed: the last ones that
        were taken in, with this one. A sample may be among them more than once."""
        if sample.stolen_ns <= 0 and not self._since:  # of a million samples, nearly all
            return ()
        if self._since and _process(sample) != _process(self._since[0]):
            self._since = []
        since = self._since
        if sample.stolen_ns <= 0:
            if since:
                since.append(sample)
            return ()
        self._since = [sample]
        near = since and sum(each.elapsed_ns for each in since) + sample.elapsed_ns < TICK_NS / LOST_SHARE
        return [*since, sample] if near else ()


def _process(sample: OfProcess) -> tuple[int, str, str, str]:
    return (sample.round, sample.codec, sample.workload, sample.compiler)
