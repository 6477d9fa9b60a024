"""The processor cores that serbench may use."""

from __future__ import annotations

import os
from pathlib import Path

_OWN_PROCESSES = 2
"""How many processes serbench itself keeps at work on a machine of few cores."""


def usable_cores() -> int:
    """Return the number of cores that processes started here may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def crowding() -> float:
    """Return how many times as long work takes now as on an idle machine, since others want its cores: the
    load of the last minute for each core, at least 1. Two processes of serbench itself are no crowd."""
    try:
        load = os.getloadavg()[0]
    except OSError:
        return 1.0
    return max(1.0, load / max(_OWN_PROCESSES, os.cpu_count() or 1))


def spread_cores(cores: Path = Path("/sys/devices/system/cpu")) -> tuple[list[int], int]:
    """Return the numbers of the usable cores in the order in which threads get them, and how many of the
    first share no execution units with each other. The last core is the first, since the first handles most
    interrupts. Empty, and the number of usable cores, where a process cannot be kept on cores.

    Args:
        cores: the system's folder of cores, whose topology says which are two names of one.
    """
    if not hasattr(os, "sched_getaffinity"):
        return [], usable_cores()
    first: dict[str, int] = {}
    again: list[int] = []
    for core in sorted(os.sched_getaffinity(0), reverse=True):
        try:
            siblings = (cores / f"cpu{core}/topology/thread_siblings_list").read_text()
        except OSError:
            siblings = str(core)
        if first.setdefault(siblings, core) != core:
            again.append(core)
    return [*first.values(), *again], len(first)
