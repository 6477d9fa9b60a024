"""Checks whether copying takes longer for some places of source and destination in memory."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterable, Mapping
from statistics import median

from serbench.doctor.verdicts import check, good, mind
from serbench.system.finding import Finding

PAGE, STEP = 4096, 16
"""The bytes of a page, and of the steps in which addresses differ within it: malloc's alignment."""

SIZE = 16 * 1024
"""Bytes of a copy: more than the 2 KiB from which on the C library may use ``rep movsb``, and few enough to
stay in the core's nearest caches."""

SLOW = 3.0
"""A copy is slow if it takes so many times as long as the median one. On a Zen 3, ``rep movsb`` takes 21
times as long if the destination lies 16 bytes above the source, or seven times with the cost of a call from
Python; other copies there took at most 1.4 times as long."""


def look_at_copies(copies: int = 10) -> dict[int, float]:
    """The nanoseconds that the C library takes to copy ``SIZE`` bytes, by how far the addresses of source and
    destination differ within a page.

    The time of Python's call is included. Each figure is the least of a few batches of ``copies``, or of more
    if it seems slow: disturbances only make a copy longer.
    """
    memory = ctypes.create_string_buffer(4 * SIZE + 4 * PAGE)
    source = (ctypes.addressof(memory) // PAGE + 1) * PAGE + STEP  # as malloc places a large block
    first = source + 2 * SIZE

    def least(difference: int, batches: int) -> float:
        return min(_time(first + difference, source, copies) for _ in range(batches))

    times = {difference: least(difference, 4) for difference in range(0, PAGE, STEP)}
    usual = median(times.values())
    return {each: min(ns, least(each, 40)) if ns > SLOW / 2 * usual else ns for each, ns in times.items()}


def _time(destination: int, source: int, copies: int) -> float:
    # On Linux, the C library copies by the same code as when nothing may overlap, if nothing does.
    copy, clock = ctypes.memmove, time.perf_counter_ns
    start = clock()
    for _ in range(copies):
        copy(destination, source, SIZE)
    return (clock() - start) / copies


@check("place of data")
def check_copies(times: Mapping[int, float]) -> Finding:
    """Judges whether some copies are slow, by the times that ``look_at_copies`` returns."""
    usual, slowest = median(times.values()), max(times.values())
    slow = [difference for difference, ns in sorted(times.items()) if ns >= SLOW * usual]
    figures = {"slowest_copy": round(slowest / usual, 2), "slow_differences": slow}
    took = f"copying {SIZE // 1024} KiB takes {usual:,.0f} ns"
    if not slow:
        found = f"{took}, at most {slowest:,.0f}, for any offset of source and destination in their pages"
        return good(found, "", figures)
    return mind(
        f"{took}, but {slowest:,.0f} where the destination lies {_listed(slow)} bytes above the "
        f"source modulo {PAGE} (glibc bug 30994); each process draws a different place, so "
        "intervals include this",
        "enough rounds average this out; to measure a codec without it, set "
        "GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=1000000000",
        figures,
    )


def _listed(differences: Iterable[int], most: int = 4) -> str:
    """The differences of addresses in words: ``16 or 32``, or ``16, 32, 48, 64 or 7 others of 256``."""
    every = [str(each) for each in differences]
    if len(every) <= most:
        return " or ".join(filter(None, (", ".join(every[:-1]), every[-1])))
    return f"{', '.join(every[:most])} or {len(every) - most} others of {PAGE // STEP}"
