"""Takes samples with pyperf, for cross-checks of our own sampler.

pyperf works with two kinds of processes: a manager, and workers that find out how many loops take long enough
and then measure. serbench starts this process without a manager, and it does all that workers do.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pyperf

from serbench_runner.cell import Cell
from serbench_runner.loops import Operation, compiled_once
from serbench_runner.sampler import Sampler, Watch
from serbench_runner.usage import Reading, reading, used

_WARMUPS = 1
"""The number of values that pyperf discards by default."""

_CORES = (
    ["--affinity", ",".join(map(str, sorted(os.sched_getaffinity(0))))]
    if hasattr(os, "sched_getaffinity")
    else []
)
"""The option that keeps this process on the cores that serbench gave it; pyperf would move it to other cores
if the system keeps some free."""


class Readings:
    """A hook of pyperf that reads the system's counters before and after each value, outside of the timed
    part."""

    taken: list[dict[str, int]] = []  # noqa: RUF012  # all hooks share it, since pyperf makes them itself

    def __enter__(self) -> None:
        self._before: Reading = reading()

    def __exit__(self, *_: object) -> None:
        self.taken.append(used(self._before, reading()))

    def teardown(self, _metadata: object) -> None:
        """Does nothing, so that pyperf's results get no further metadata."""


_runner: list[pyperf.Runner] = []  # it allows one in a process


def by_pyperf(
    sampler: Sampler, cell: Cell, operation: Operation, messages: list[Any], watch: Watch | None
) -> Iterator[dict[str, Any]]:
    """Yields the fields of the samples that pyperf takes of an operation; each of pyperf's values is a
    sample."""
    del watch  # in a cross-check, nothing changes meanwhile
    once = compiled_once(cell, operation, messages)
    loops = sampler.iterations or _calibrated(operation.name, once, sampler)
    words = ["--loops", str(loops), "--warmups", str(_WARMUPS), "--values", str(sampler.samples)]
    Readings.taken.clear()
    values = _bench(f"{operation.name} values", once, words).get_values()
    for value, usage in zip(values, Readings.taken[-len(values) :], strict=True):
        yield {
            "iterations": loops,
            "elapsed_ns": max(round(value * loops * 1e9), 1),
            **usage,
            "warmups": _WARMUPS,
            "settled": True,  # it does not look at that
        }


def _calibrated(name: str, once: Callable[[], Any], sampler: Sampler) -> int:
    """The number of loops that last as long as a sample, as pyperf finds it."""
    words = ["--calibrate-loops", "--values", "1", "--min-time", str(sampler.sample_ns / 1e9)]
    (run,) = _bench(f"{name} calibration", once, words).get_runs()
    return int(run.get_loops())


def _bench(name: str, once: Callable[[], Any], words: list[str]) -> Any:
    """pyperf's benchmark of a function, run as by a pyperf worker that is started with these words."""
    if not _runner:
        _runner.append(pyperf.Runner())
    runner = _runner[0]
    unread = os.open(os.devnull, os.O_WRONLY)  # it closes what it has written its results to
    runner.args = None
    runner.parse_args(["--worker", "--pipe", str(unread), "--hook", "serbench", *_CORES, *words])
    return runner.bench_func(name, once)
