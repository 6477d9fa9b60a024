"""Takes samples of a loop: calibrates, warms up, and times whole batches."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from serbench_runner.loops import Batch
from serbench_runner.usage import now_ns, reading, together, used

_MAX_WARMUPS = 8

_PASSES_OF_WATCHING, _PASSES_FOR_ONE = 5, 10
"""The cost of watching a sample, in passes; and the number of passes in a sample for each pass that may go
into watching. If a sample has fewer passes, only some randomly drawn samples are watched."""

_LEAST_WATCHED = 12
"""On average, at least one of this many samples is watched."""


@dataclass(frozen=True)
class Watch:
    """The functions that change values and look at results between timed passes, while nothing is timed.

    Attributes:
        renew: changes values before a sample; its argument says whether ``shift``, which changes them in the
            midst of a sample, will follow.
        write_down: writes down the result of the last pass before a change, and of the last pass of all.
    """

    renew: Callable[[bool], None]
    shift: Callable[[], None]
    write_down: Callable[[Any], None]
    draws: random.Random


@dataclass(frozen=True)
class Sampler:
    """The settings by which samples are taken.

    Attributes:
        sample_ns: the shortest time of a sample.
        iterations: the passes of each sample; 0 for as many as last ``sample_ns``.
    """

    sample_ns: int
    samples: int
    iterations: int

    def sample(self, batch: Batch, watch: Watch | None) -> Iterator[dict[str, Any]]:
        """Yields the fields of each sample as it is taken."""
        warmups, settled = 0, False
        if self.iterations:
            iterations = self.iterations
            batch(max(iterations // 100, 1))
        else:
            iterations, warmups, settled = self._warmed_up(batch)
        for _ in range(self.samples):
            left = 0
            if watch and _is_watched(iterations, watch.draws):
                elapsed, usage, left = _watched(batch, iterations, watch)
            else:
                elapsed, usage, _ = _timed(batch, iterations)
            yield {
                "iterations": iterations,
                "elapsed_ns": elapsed,
                **usage,
                "warmups": warmups,
                "settled": settled,
                "left": left,
            }

    def _warmed_up(self, batch: Batch) -> tuple[int, int, bool]:
        """The iterations of a sample after warm-up, the number of batches that the warm-up took, and whether
        the times of the last two agreed."""
        iterations = self._calibrated(batch)
        previous, warmups, settled = 0, 0, False
        # A pass that is itself longer than a few samples is warm after two.
        while warmups < _MAX_WARMUPS and not settled and not (warmups >= 2 and previous > 4 * self.sample_ns):
            elapsed = _time(batch, iterations)
            warmups += 1
            settled = previous != 0 and abs(elapsed - previous) * 50 <= previous
            previous = elapsed
        if 0 < previous < self.sample_ns:  # warm code may be faster than it was at calibration
            iterations = iterations * self.sample_ns // previous + 1
        return iterations, warmups, settled

    def _calibrated(self, batch: Batch) -> int:
        """The number of iterations that last about ``sample_ns`` or longer."""
        iterations = 1
        while True:
            elapsed = _time(batch, iterations)
            if elapsed >= self.sample_ns:
                return iterations
            # A tenth more than the rule of three gives, so that noise rarely leaves a sample too short; from
            # a batch that is itself too short for scaling, at most ten times as many.
            scaled = 11 * iterations * self.sample_ns // (10 * elapsed)
            if elapsed >= self.sample_ns // 4:
                return max(scaled, iterations + 1)
            iterations = min(max(scaled, 2 * iterations), 10 * iterations)


def _time(batch: Batch, iterations: int) -> int:
    start = now_ns()
    batch(iterations)
    return max(now_ns() - start, 1)


def _timed(batch: Batch, iterations: int) -> tuple[int, dict[str, int], Any]:
    """The time of a batch, the differences of the system's counters, and the result of the last pass."""
    before = reading()
    start = now_ns()
    result = batch(iterations)
    elapsed = max(now_ns() - start, 1)
    return elapsed, used(before, reading()), result


def _is_watched(iterations: int, draws: random.Random) -> bool:
    enough = _PASSES_OF_WATCHING * _PASSES_FOR_ONE
    return (
        iterations >= enough or draws.randrange(_LEAST_WATCHED) == 0 or draws.randrange(enough) < iterations
    )


def _watched(batch: Batch, iterations: int, watch: Watch) -> tuple[int, dict[str, int], int]:
    """Takes a sample before and in the midst of which values change; returns its time, its counters, and how
    many results were written down.

    The result of the last pass is written down, and that of the last pass before the change, so that a codec
    which is honest only at the end of a sample is caught.
    """
    watch.renew(iterations > 1)
    if iterations == 1:
        elapsed, usage, result = _timed(batch, 1)
        watch.write_down(result)
        return elapsed, usage, 1
    # Any number of passes comes before the change, or all but the last, so that the first pass after it is
    # looked at too.
    last = watch.draws.randrange(4) == 0
    done = iterations - 1 if last else watch.draws.randrange(1, iterations)
    elapsed, usage, result = _timed(batch, done)
    watch.write_down(result)
    del result  # two of a large message alive at once take longer
    watch.shift()
    more, also, result = _timed(batch, iterations - done)
    watch.write_down(result)
    return elapsed + more, together(usage, also), 2
