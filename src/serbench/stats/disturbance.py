"""Which samples something else on the machine disturbed.

Page faults are recorded and no sign of it: under the policy ``fresh`` they are a codec's own work.
"""

from __future__ import annotations

from typing import Protocol

LOST_SHARE = 0.01
"""A sample is disturbed that was off its core for more than so much of its time: half of the finest target of a ratio, 2 %."""

SWITCH_NS = 10_000_000
"""Where a system does not tell for how long others had the core: one switch in so much time is the timer's and daemons' usual."""


class Timed(Protocol):
    """What is asked of a sample. Times are nanoseconds; -1 stands for what the system does not tell.

    Attributes:
        waited_ns: the runner was ready, and another process had its core.
        stolen_ns: the hypervisor gave the core's time to others.
    """

    elapsed_ns: int
    waited_ns: int
    stolen_ns: int
    involuntary_switches: int


def own_ns(sample: Timed) -> int:
    """Nanoseconds of a sample without those in which another process had its core, where the system tells; at least 1."""
    return max(1, sample.elapsed_ns - max(0, sample.waited_ns))


def is_disturbed(sample: Timed) -> bool:
    """Whether other processes or the hypervisor took more than ``LOST_SHARE`` of a sample.

    Where the system does not tell how long it waited, more involuntary switches than one in each ``SWITCH_NS`` and one more
    count.
    """
    waited, stolen = sample.waited_ns, sample.stolen_ns
    lost = (waited if waited > 0 else 0) + (stolen if stolen > 0 else 0)
    if lost > LOST_SHARE * sample.elapsed_ns:
        return True
    return waited < 0 and sample.involuntary_switches > 1 + sample.elapsed_ns / SWITCH_NS
