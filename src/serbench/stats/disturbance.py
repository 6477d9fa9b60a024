"""Which samples something else on the machine disturbed.

Page faults are recorded and no sign of it: under the policy ``fresh`` they are a codec's own work.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LOST_SHARE = 0.01
"""A sample is disturbed that was off its core for more than so much of its time: half of the finest target of a ratio, 2 %."""

SWITCH_NS = 10_000_000
"""Where a system does not tell for how long others had the core: one switch in so much time is the timer's and daemons' usual."""


def own_ns(sample: Mapping[str, Any]) -> int:
    """Nanoseconds of a sample without those in which another process had its core, where the system tells; at least 1."""
    elapsed: int = sample["elapsed_ns"]
    waited: int = sample.get("waited_ns", 0)
    return max(1, elapsed - max(0, waited))


def is_disturbed(sample: Mapping[str, Any]) -> bool:
    """Whether other processes or the hypervisor took more than ``LOST_SHARE`` of a sample.

    ``waited_ns`` is the time that the runner was ready and another process had its core, ``stolen_ns`` what the hypervisor
    gave to others; each is absent or -1 where the system does not tell. Without the first, more involuntary switches than one
    for each ``SWITCH_NS`` and one more count.
    """
    elapsed: int = sample["elapsed_ns"]
    waited: int = sample.get("waited_ns", -1)
    stolen: int = sample.get("stolen_ns", -1)
    lost = (waited if waited > 0 else 0) + (stolen if stolen > 0 else 0)
    if lost > LOST_SHARE * elapsed:
        return True
    return waited < 0 and sample.get("involuntary_switches", 0) > 1 + elapsed / SWITCH_NS
