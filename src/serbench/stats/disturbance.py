"""Tells which samples were disturbed by something else on the machine.

Page faults are recorded too, but are no sign of that: under the policy ``fresh`` they are a codec's own work.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

LOST_SHARE = 0.01
"""A sample is disturbed if it was off its core for more than this share of its time: half of the finest
target of a ratio, 2 %."""

SWITCH_NS = 10_000_000
"""The time in which one involuntary context switch is usual, because of the timer and of daemons. Switches
tell of disturbances where a system does not tell how long other processes had the core."""


TICK_NS = 10_000_000
"""The length of a tick, in which stolen time is reported (USER_HZ, as Linux has it on all machines of today),
though it is counted finer. So one more tick means that anything up to two ticks was stolen, and n more ticks
that more than n - 1 were."""

AFTERMATH, AFTERMATH_AT_MOST = 0.01, 0.04
"""The standard error, as a share, of a time from which the time of other processes was deducted: the first if
they had the core for a moment, the second if nearly always. They change caches and branch predictors, and no
counter tells how much that costs. With the core for a third of the time, 37 of 39 times were within 4 % of an
idle machine's, and the other two within 7 % (docs/laboratory/other-work.md)."""

MOST_DOUBT = 0.05
"""A time whose error is greater than this share is left out, unless more than half of the rounds have no
better."""

DOUBT_OF_ALL = 0.2
"""If the error of all contenders' figures is greater than this share, nothing can be said of them: two
that seem 1.5-fold apart may be equal."""


class Timed(Protocol):
    """The fields of a sample. Times are in nanoseconds; -1 stands for what the system does not report.
    Samples of the same codec, workload, compiler and round are of one process.

    Attributes:
        waited_ns: how long a thread of the runner was ready while another process had the core; time that the
            runner's own threads or children took does not count.
        own_ns: processor time of the runner's threads and children.
        stolen_ns: the time that the hypervisor gave to other guests on the cores where the runner may run, in
            whole ticks.
    """

    elapsed_ns: int
    waited_ns: int
    own_ns: int
    stolen_ns: int
    involuntary_switches: int
    round: int
    codec: str
    workload: str
    compiler: str


def own_ns(sample: Timed) -> int:
    """The nanoseconds of a sample in which no other process had its core, as far as is known; at least 1.

    The result is never less than the runner's own processor time: the wait is read around the sample, so it
    may include a wait just before or after the sample, which must not be deducted.
    """
    left = sample.elapsed_ns - max(0, sample.waited_ns)
    return max(1, left, min(sample.own_ns, sample.elapsed_ns))


def is_disturbed(sample: Timed) -> bool:
    """Whether other processes or the hypervisor certainly took more than ``LOST_SHARE`` of a sample.

    A single tick of stolen time is not certain; ``Thefts`` judges those. Where the system does not tell how
    long the runner waited, a sample is disturbed if it has more involuntary context switches than 1 + its
    time / ``SWITCH_NS``.
    """
    waited, stolen = sample.waited_ns, sample.stolen_ns - TICK_NS
    lost = (waited if waited > 0 else 0) + (stolen if stolen > 0 else 0)
    if lost > LOST_SHARE * sample.elapsed_ns:
        return True
    return waited < 0 and sample.involuntary_switches > 1 + sample.elapsed_ns / SWITCH_NS


class Deducted(NamedTuple):
    """The time of a disturbed sample, without what others took of it.

    Attributes:
        ns: nanoseconds.
        doubt: its standard error, as a share, beyond what differs from sample to sample.
    """

    ns: float
    doubt: float


def deducted(sample: Timed) -> Deducted:
    """The time of a disturbed sample without what others took of it.

    The system counts the time that other processes had the core, so it is deducted, and what they leave
    behind is in doubt (``AFTERMATH``). Stolen time is told in ticks, so it is not deducted; all of it and a
    tick more is in doubt. Where the system does not count the time of others, all time without the core is in
    doubt; where it does not count the runner's own, the time of others is.
    """
    if sample.waited_ns >= 0 and sample.own_ns >= 0:
        left, unknown = own_ns(sample), 0
    else:
        left = sample.elapsed_ns
        unknown = sample.waited_ns if sample.own_ns < 0 <= sample.waited_ns else left - max(0, sample.own_ns)
    if sample.stolen_ns > 0:
        unknown += sample.stolen_ns + TICK_NS
    others = 1 - left / sample.elapsed_ns
    aftermath = AFTERMATH + (AFTERMATH_AT_MOST - AFTERMATH) * others
    return Deducted(left, max(unknown, 0) / sample.elapsed_ns + aftermath)


S = TypeVar("S", bound=Timed)


class Thefts(Generic[S]):
    """Finds the samples that are disturbed because two ticks of stolen time came close after each other.

    From one tick to the next, one tick of time was stolen. So where two ticks come within ``TICK_NS /
    LOST_SHARE`` (1 s) of one process's samples, more than ``LOST_SHARE`` of these samples' time was stolen.
    Nobody can tell from which of them, so all from the first to the last are disturbed. A tick that has no
    other one so near proves nothing, and no sample is left out for it.
    """

    def __init__(self) -> None:
        self._since: list[S] = []  # the samples of one process since its last tick, that one first

    def take(self, sample: S) -> Sequence[S]:
        """Adds the next sample of a run, and returns the samples that turn out to be disturbed: some of the
        latest up to this one, or none. A sample may be returned more than once."""
        if sample.stolen_ns <= 0 and not self._since:  # as nearly all samples are
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


def _process(sample: Timed) -> tuple[int, str, str, str]:
    return (sample.round, sample.codec, sample.workload, sample.compiler)
