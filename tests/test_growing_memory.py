"""Tests of the check for memory that grows with every pass, by looks at made-up programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from serbench.measure.said import SampleSaid
from serbench.verification.watching import GROWN_BYTES, Sampled, agreed_growth

CELL = "encode:reuse"
Grown = Callable[[int], int]
"""A function that returns the bytes that a process adds to its memory in its n-th pass."""


def settles(number: int) -> int:
    return 5 * GROWN_BYTES if number < 32 else 0


def leaks(number: int) -> int:
    return GROWN_BYTES


@pytest.mark.parametrize("pass_ns", [100_000, 10_000_000, 100_000_000])
def test_memory_that_settles_over_passes_does_not_grow_however_long_they_take(pass_ns: int) -> None:
    assert grown(settles, pass_ns) == {}


@pytest.mark.parametrize("pass_ns", [100_000, 10_000_000, 100_000_000])
def test_memory_that_is_lost_with_every_pass_grows(pass_ns: int) -> None:
    assert grown(leaks, pass_ns) == {CELL: GROWN_BYTES}


def test_fast_codecs_are_looked_at_no_longer_than_they_need() -> None:
    looks: list[int] = []
    grown(leaks, 100_000, looks)
    assert looks == [2, 8, 8, 8, 8]


def grown(program: Grown, pass_ns: int, looks: list[int] | None = None) -> dict[str, int]:
    """Return the cells whose memory is said to grow in a program with passes of this duration; add to
    ``looks`` how many samples each look asked for."""

    def look(cells: Sequence[str], sample_ns: int, samples: int) -> Sampled:
        if looks is not None:
            looks.append(samples)
        passes = -(-sample_ns // pass_ns)
        return {cell: [sample(number, passes) for number in range(samples)] for cell in cells}

    def sample(number: int, passes: int) -> SampleSaid:
        added = sum(program(number * passes + n) for n in range(passes))
        return SampleSaid(
            operation="encode",
            memory="reuse",
            iterations=passes,
            elapsed_ns=passes * pass_ns,
            grown_bytes=added,
        )

    return agreed_growth(look, look([CELL], 2_000_000, 2))
