"""Reads the system's counters of this process and of its core, before and after a sample."""

from __future__ import annotations

import os
import resource
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

now_ns = time.monotonic_ns
"""The clock of samples. The name is bound before any codec is loaded, so that no codec can replace the
clock."""

_SECOND_NS = 1_000_000_000


@dataclass(frozen=True)
class Reading:
    """The values of the system's counters at one moment, times in nanoseconds; None for a counter that the
    system does not have.

    Attributes:
        delayed_ns: the time for which threads were ready and did not run, over all threads.
        stolen_ns: the time that the hypervisor took from the cores on which this process may run.
        own_ns: the processor time of all threads, and of children, ended or alive.
    """

    involuntary_switches: int
    page_faults: int
    delayed_ns: int | None
    stolen_ns: int | None
    resident_bytes: int
    own_ns: int
    clock_ns: int


def reading() -> Reading:
    """The values of the counters now."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    of_children = int(_SECOND_NS * (children.ru_utime + children.ru_stime)) + _living_children_ns("self")
    delayed, stolen, resident = _delayed_ns(), _stolen_ns(), _resident_bytes()
    return Reading(
        involuntary_switches=own.ru_nivcsw,
        page_faults=own.ru_minflt + own.ru_majflt,
        delayed_ns=delayed,
        stolen_ns=stolen,
        resident_bytes=resident,
        # Last and next to each other, since of the time between two readings what is ours is taken off.
        own_ns=of_children + time.process_time_ns(),
        clock_ns=now_ns(),
    )


def used(before: Reading, after: Reading) -> dict[str, int]:
    """The differences between two readings, by the names of fields in samples; -1 for unknown."""
    own = max(0, after.own_ns - before.own_ns)
    left = after.clock_ns - before.clock_ns - own
    waited = stolen = -1
    if before.delayed_ns is not None and after.delayed_ns is not None:
        waited = max(0, min(after.delayed_ns - before.delayed_ns, left))
    if before.stolen_ns is not None and after.stolen_ns is not None:
        stolen = after.stolen_ns - before.stolen_ns
    return {
        "involuntary_switches": after.involuntary_switches - before.involuntary_switches,
        "waited_ns": waited,
        "page_faults": after.page_faults - before.page_faults,
        "stolen_ns": stolen,
        "own_ns": own,
        "grown_bytes": max(0, after.resident_bytes - before.resident_bytes),
    }


def together(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    """The sums of the counters of two parts of a sample; -1 if either is unknown."""
    return {name: -1 if -1 in (n, other[name]) else n + other[name] for name, n in one.items()}


def count_threads() -> int:
    """The number of threads of this process, with those of libraries; 0 if the system does not tell."""
    with suppress(OSError):
        return len(os.listdir("/proc/self/task"))  # noqa: PTH208  # the shortest way there is
    return 0


def _delayed_ns() -> int | None:
    """The time for which threads were ready and did not run: the second number of each thread's scheduler
    statistics (Linux's Documentation/scheduler/sched-stats.rst)."""
    try:
        return sum(int(path.read_text().split()[1]) for path in Path("/proc/self/task").glob("*/schedstat"))
    except (OSError, ValueError, IndexError):
        return None


def _stolen_ns() -> int | None:
    """The stolen time of this process's cores: the eighth number of each core's line in /proc/stat
    (proc(5))."""
    try:
        cores = {f"cpu{core}" for core in os.sched_getaffinity(0)}
        lines = [line.split() for line in Path("/proc/stat").read_text().splitlines() if line[:3] == "cpu"]
        ticks = [int(words[8]) for words in lines if words[0] in cores]
    except (AttributeError, OSError, ValueError, IndexError):
        return None
    return sum(ticks) * (_SECOND_NS // os.sysconf("SC_CLK_TCK")) if ticks else None


def _resident_bytes() -> int:
    """The resident memory of this process: the second number of statm (proc(5)), which counts pages."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    return 0


def _living_children_ns(process: str) -> int:
    """The processor time of the living children of a process, and of their children: the fourteenth and
    fifteenth number of their stat (proc(5)), which follow a name of any characters."""
    total = 0
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            for child in path.read_text().split():
                words = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
                total += (int(words[11]) + int(words[12])) * (_SECOND_NS // os.sysconf("SC_CLK_TCK"))
                total += _living_children_ns(child)
    return total
