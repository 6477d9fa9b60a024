"""Takes timed samples of work that is done in Python, by the method by which runners sample codecs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Batch = Callable[[int], object]
"""A function that runs a number of iterations one after the other."""

MAX_WARMUPS = 8

LONG = 4
"""An iteration that lasts longer than so many samples counts as warm after one run, and is sampled only
once."""


@dataclass(frozen=True)
class Sampler:
    """The settings for taking samples.

    Attributes:
        sample_ns: the least duration of a sample.
        clock: returns the nanoseconds of a monotonic clock.
    """

    sample_ns: int
    samples: int
    clock: Callable[[], int] = time.perf_counter_ns

    def sample(self, batch: Batch) -> Iterator[dict[str, Any]]:
        """Find how many iterations of ``batch`` fill a sample, warm up until two batches in a row agree
        within 2 %, and yield samples with the fields of docs/protocol.md."""
        iterations, elapsed = self._calibrate(batch)
        if iterations == 1 and elapsed > LONG * self.sample_ns:
            yield self._take(batch, 1) | {"warmups": 1, "settled": True}
            return
        previous, warmups, settled = 0, 0, False
        while warmups < MAX_WARMUPS and not settled:
            elapsed = self._time(batch, iterations)
            warmups += 1
            settled = previous > 0 and abs(elapsed - previous) * 50 <= previous
            previous = elapsed
        if previous < self.sample_ns:  # warm code may be faster than it was at calibration
            iterations = iterations * self.sample_ns // previous + 1
        for _ in range(self.samples):
            yield self._take(batch, iterations) | {"warmups": warmups, "settled": settled}

    def _calibrate(self, batch: Batch) -> tuple[int, int]:
        """Return how many iterations last at least ``sample_ns``, and how long the last batch lasted."""
        iterations = 1
        while True:
            elapsed = self._time(batch, iterations)
            if elapsed >= self.sample_ns:
                return iterations, elapsed
            # A tenth more than the rule of three gives, so that noise rarely leaves a sample too short; from
            # a batch that is itself too short for scaling, at most ten times as many.
            scaled = 11 * iterations * self.sample_ns // (10 * elapsed)
            if elapsed >= self.sample_ns // 4:
                return max(scaled, iterations + 1), elapsed
            iterations = min(max(scaled, 2 * iterations), 10 * iterations)

    def _time(self, batch: Batch, iterations: int) -> int:
        start = self.clock()
        batch(iterations)
        return max(self.clock() - start, 1)

    def _take(self, batch: Batch, iterations: int) -> dict[str, Any]:
        before = _reading()
        elapsed = self._time(batch, iterations)
        return {"iterations": iterations, "elapsed_ns": elapsed, **_used(before, _reading())}


_Reading = dict[str, int | None]
"""The system's counters of this process, named as in docs/protocol.md, and ``delayed_ns``, the time for which
all its threads together were ready and did not run; None for a counter that the system lacks."""


def _reading() -> _Reading:
    import resource

    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    of_children = int(1e9 * (children.ru_utime + children.ru_stime))
    return {
        "involuntary_switches": own.ru_nivcsw,
        "delayed_ns": _delayed_ns(),
        "page_faults": own.ru_minflt + own.ru_majflt,
        "stolen_ns": _stolen_ns(),
        # Read last and one right after the other, since our own time is subtracted from that of the clock.
        "own_ns": of_children + time.process_time_ns(),
        "clock_ns": time.monotonic_ns(),
    }


def _used(before: _Reading, after: _Reading) -> dict[str, int]:
    """Return how much the system's counters grew between two readings, by the names of docs/protocol.md; -1
    for a counter that the system lacks."""
    pairs = ((name, before[name], now) for name, now in after.items())
    used = {name: now - then for name, then, now in pairs if then is not None and now is not None}
    own = max(0, used["own_ns"])
    waited = max(0, min(used["delayed_ns"], used["clock_ns"] - own)) if "delayed_ns" in used else -1
    return {
        "involuntary_switches": used["involuntary_switches"],
        "waited_ns": waited,
        "page_faults": used["page_faults"],
        "stolen_ns": used.get("stolen_ns", -1),
        "own_ns": own,
    }


def _delayed_ns() -> int | None:
    """Return the time for which threads of this process were ready and did not run, the second number of
    their scheduler statistics (Linux's Documentation/scheduler/sched-stats.rst)."""
    try:
        return sum(int(path.read_text().split()[1]) for path in Path("/proc/self/task").glob("*/schedstat"))
    except (OSError, ValueError, IndexError):
        return None


def _stolen_ns() -> int | None:
    """Return the time that the hypervisor gave to other machines, the eighth number of each core's line in
    /proc/stat (proc(5))."""
    try:
        cores = {f"cpu{core}" for core in os.sched_getaffinity(0)}
        lines = [
            line.split() for line in Path("/proc/stat").read_text().splitlines() if line.startswith("cpu")
        ]
        ticks = [int(words[8]) for words in lines if words[0] in cores]
    except (AttributeError, OSError, ValueError, IndexError):
        return None
    return sum(ticks) * (1_000_000_000 // os.sysconf("SC_CLK_TCK")) if ticks else None
