"""Takes samples of work done in Python as ``runners/cpp/source/sampler.cpp`` does of codecs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Batch = Callable[[int], object]
"""Runs so many iterations, one after the other."""

MAX_WARMUPS = 8

LONG = 4
"""An iteration as long as so many samples is warm after one, and one sample of it a round is enough."""


@dataclass(frozen=True)
class Sampler:
    """How samples are taken.

    Attributes:
        sample_ns: least duration of a sample.
        clock: nanoseconds of a monotonic clock.
    """

    sample_ns: int
    samples: int
    clock: Callable[[], int] = time.perf_counter_ns

    def sample(self, batch: Batch) -> Iterator[dict[str, Any]]:
        """Calibrates, warms up until two batches in a row agree within 2 %, and yields samples as docs/protocol.md has them."""
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
        """How many iterations last at least ``sample_ns``, and how long the last batch lasted."""
        iterations = 1
        while True:
            elapsed = self._time(batch, iterations)
            if elapsed >= self.sample_ns:
                return iterations, elapsed
            # A tenth more than the rule of three gives, so that noise rarely leaves a sample too short; from a batch that is
            # itself too short for scaling, at most ten times as many.
            scaled = 11 * iterations * self.sample_ns // (10 * elapsed)
            if elapsed >= self.sample_ns // 4:
                return max(scaled, iterations + 1), elapsed
            iterations = min(max(scaled, 2 * iterations), 10 * iterations)

    def _time(self, batch: Batch, iterations: int) -> int:
        start = self.clock()
        batch(iterations)
        return max(self.clock() - start, 1)

    def _take(self, batch: Batch, iterations: int) -> dict[str, Any]:
        before = _usage()
        elapsed = self._time(batch, iterations)
        after = _usage()
        # -1 says that the system does not tell
        spent = {name: -1 if count < 0 else after[name] - count for name, count in before.items()}
        return {"iterations": iterations, "elapsed_ns": elapsed, **spent}


def _usage() -> dict[str, int]:
    """What this process used so far, and what others took, by the names of docs/protocol.md; -1 for unknown."""
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "involuntary_switches": used.ru_nivcsw,
        "waited_ns": _waited_ns(),
        "page_faults": used.ru_minflt + used.ru_majflt,
        "stolen_ns": _stolen_ns(),
    }


def _waited_ns() -> int:
    """Time that this thread was ready to run and did not, the second number of its scheduler statistics (Linux's
    Documentation/scheduler/sched-stats.rst)."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return -1


def _stolen_ns() -> int:
    """Time that the hypervisor gave to others, from the first line of /proc/stat (proc(5), the eighth number)."""
    try:
        ticks = int(Path("/proc/stat").read_text().split(maxsplit=9)[8])
    except (OSError, ValueError, IndexError):
        return -1
    return ticks * (1_000_000_000 // os.sysconf("SC_CLK_TCK"))
