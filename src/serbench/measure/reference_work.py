"""The program that does the fixed work of the calibration loop; it imports nothing of serbench.

It prints one JSON object with the nanoseconds of each kind of work.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable
from statistics import median

_HASHED = bytes(range(256)) * 256  # 64 KiB stay in the nearest caches
_HASHINGS = 64
_COPIED_BYTES = 64 << 20  # more than the last cache of most machines, so that the memory itself is at work
_REPETITIONS = 5


def _hash() -> None:
    digest = hashlib.sha256()
    for _ in range(_HASHINGS):
        digest.update(_HASHED)


def _median_ns(work: Callable[[], object]) -> int:
    """Return the median nanoseconds of a few repetitions; a first repetition, which is not counted, touches
    pages and loads code."""
    work()
    elapsed = []
    for _ in range(_REPETITIONS):
        start = time.perf_counter_ns()
        work()
        elapsed.append(time.perf_counter_ns() - start)
    return int(median(elapsed))


def _main() -> None:
    source = _HASHED * (_COPIED_BYTES // len(_HASHED))
    target = memoryview(bytearray(_COPIED_BYTES))

    def copy() -> None:
        target[:] = source

    json.dump({"integer_ns": _median_ns(_hash), "memory_ns": _median_ns(copy)}, sys.stdout)


if __name__ == "__main__":
    _main()
