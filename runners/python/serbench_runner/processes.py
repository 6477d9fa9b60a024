"""Takes samples of several processes that do the same operation at once, each with objects of its own.

Threads of a Python with a global lock take turns, so that programs which use several cores have processes.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from typing import Any, TextIO

from serbench_runner.errors import Refused, told
from serbench_runner.loops import Batch
from serbench_runner.sampler import Sampler, Watch
from serbench_runner.usage import now_ns, reading, used

WARM_UPS = 2
"""The samples that are thrown away before the first, in which a process copies what it changes."""

_BATCHES = 20
"""About how many batches a process does in the time of a sample; it looks at the clock after each."""


def sample_together(
    sampler: Sampler, count: int, ready: Callable[[], tuple[Batch, Watch | None]]
) -> Iterator[dict[str, Any]]:
    """Yields the fields of samples of ``count`` processes, which begin together: the passes of all of them,
    the mean of the times that they took, and the sums of their counters.

    Args:
        ready: prepares the operation, in each process.

    Raises:
        Refused: a process failed.
    """
    children = [_Child(sampler, ready) for _ in range(count)]
    try:
        for number in range(WARM_UPS + sampler.samples):
            for each in children:
                each.hear()  # it is ready
            for each in children:
                each.begin()
            told_by = [each.hear() for each in children]
            if number >= WARM_UPS:
                yield _summed(told_by)
    finally:
        for each in children:
            each.end()


def _summed(samples: list[dict[str, int]]) -> dict[str, Any]:
    """The fields of one sample, from those of each process; -1 for a counter that one does not know."""
    values = {name: [each[name] for each in samples] for name in samples[0]}
    fields = {name: -1 if -1 in own else sum(own) for name, own in values.items()}
    fields["elapsed_ns"] //= len(samples)
    return {**fields, "warmups": WARM_UPS, "settled": True}


class _Child:
    """A process that takes samples, as seen by the one that directs it."""

    def __init__(self, sampler: Sampler, ready: Callable[[], tuple[Batch, Watch | None]]):
        from_parent, self._to_child = os.pipe()
        from_child, to_parent = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            os.close(self._to_child)
            os.close(from_child)
            with os.fdopen(to_parent, "w", buffering=1) as says:
                _serve(sampler, ready, from_parent, says)
            os._exit(0)
        os.close(from_parent)
        os.close(to_parent)
        self._heard = os.fdopen(from_child)

    def begin(self) -> None:
        """Has the process begin a sample."""
        os.write(self._to_child, b"!")

    def hear(self) -> dict[str, Any]:
        """The next answer of the process; raises Refused where it failed."""
        line = self._heard.readline()
        if not line:
            raise Refused("one of several processes that measured at once has died")
        said: dict[str, Any] = json.loads(line)
        if "error" in said:
            raise Refused(said["error"])
        return said

    def end(self) -> None:
        """Ends the process, which waits for its next sample, or was left because another one failed."""
        os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
        os.close(self._to_child)
        self._heard.close()


def _serve(
    sampler: Sampler, ready: Callable[[], tuple[Batch, Watch | None]], begin: int, says: TextIO
) -> None:
    """Takes samples in this process whenever a byte can be read from ``begin``; says that it is ready before
    each, and what it took after each."""
    try:
        batch, watch = ready()
        passes = _passes(batch, sampler.sample_ns // _BATCHES)
        while True:
            if watch:
                watch.renew(False)
            says.write('{"ready": true}\n')
            if not os.read(begin, 1):
                return
            fields, result = _sample(batch, passes, sampler.sample_ns)
            if watch:
                watch.write_down(result)
                fields["left"] = 1
            says.write(json.dumps(fields) + "\n")
    except BaseException as error:
        says.write(json.dumps({"error": told(error) if isinstance(error, Exception) else repr(error)}) + "\n")


def _passes(batch: Batch, wanted_ns: int) -> int:
    """The number of passes that last about so long, or 1 where one lasts longer."""
    passes = 1
    while True:
        start = now_ns()
        batch(passes)
        elapsed = max(now_ns() - start, 1)
        if elapsed >= wanted_ns // 2:
            return passes
        passes *= 2


def _sample(batch: Batch, passes: int, sample_ns: int) -> tuple[dict[str, int], Any]:
    """The fields of a sample of this process alone, and the result of its last pass."""
    before, iterations = reading(), 0
    start = now_ns()
    while (elapsed := now_ns() - start) < sample_ns:
        result = batch(passes)
        iterations += passes
    return {"iterations": iterations, "elapsed_ns": elapsed, **used(before, reading())}, result
