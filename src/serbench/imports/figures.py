"""The lengths, numbers and magnitudes that parts of real messages have, from published sources.

They were counted in google/fleetbench (commit 703e5e5 of July 2026, ``fleetbench/proto/access_message0.cc``
to ``19.cc``: 80 functions that set the fields of 5,753 messages and sub-messages, whose shapes follow what
Google's services send). Lengths and magnitudes are those of its calls that set one value: 2,837 strings and
bytes, 5,850 integers. Presence and numbers of items are those of every field of every message there.

That such messages are typical of a fleet, and that most of them are small (at most 8 bytes 24 %, 32 bytes 56
%, 512 bytes 93 %), is in S. Karandikar et al., "A Hardware Accelerator for Protocol Buffers", MICRO 2021.
These sizes are not used here: those of made-up messages follow from the schema.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from random import Random
from typing import TypeVar

Choice = TypeVar("Choice")

Knots = Sequence[tuple[float, int]]
"""Points of a distribution, in ascending order: a share of all (0 to 1), and the number that this share does
not exceed."""

TEXT_BYTES: Knots = (
    (0.0, 1), (0.1, 2), (0.25, 5), (0.5, 11), (0.75, 24), (0.9, 52), (0.95, 104), (0.99, 505),
    (0.999, 17_688),
)  # fmt: skip
"""Lengths of strings and bytes. The longest thousandth, of up to a megabyte, is left out."""

VARINT_BYTES = (34.0, 8.3, 8.7, 16.0, 9.0, 2.1, 6.2, 9.4, 6.4)
"""Per cent of the integers that take one, two, … nine bytes of seven bits each. None is negative."""

PLAIN_ITEMS: Knots = (
    (0.0, 1),
    (0.45, 1),
    (0.5, 2),
    (0.6, 3),
    (0.7, 4),
    (0.8, 8),
    (0.9, 20),
    (0.95, 72),
    (0.99, 790),
    (1.0, 790),
)
"""How many items a list of numbers, strings or bytes has if it is not empty. The longest hundredth, of up to
20,179, is left out."""

COMPOSITE_ITEMS: Knots = ((0.0, 1), (0.82, 1), (0.82, 2), (1.0, 2))
"""How many items a list of messages has if it is not empty; Fleetbench has none of more than two."""

PLAIN_FILLED, COMPOSITE_FILLED = 0.40, 0.75
"""How often a list is not empty: one of numbers, strings or bytes (of 2,264), and one of messages (of
2,564)."""

PLAIN_PRESENT, COMPOSITE_PRESENT = 0.39, 0.72
"""How often an optional field is present: a number, string or bytes (of 28,776), and a message (of 4,731)."""

DEPTH: Knots = (
    (0.0, 1), (0.05, 2), (0.12, 3), (0.23, 4), (0.4, 5), (0.55, 6), (0.66, 7), (0.74, 8), (0.8, 9),
    (0.86, 10), (0.89, 11), (0.92, 12), (0.94, 13), (0.96, 14), (0.98, 15), (0.99, 16), (1.0, 17),
)  # fmt: skip
"""How many levels down a sub-message is."""

SUB_MESSAGES: Knots = ((0.0, 1), (0.1, 12), (0.25, 30), (0.5, 52), (0.75, 112), (0.9, 156), (1.0, 228))
"""How many sub-messages a message has, on all levels together."""


class Draws:
    """Draws random values from a seed, the same ones in every version of Python.

    Only two methods of ``random.Random`` are used: ``random``, which Python promises to keep, and
    ``getrandbits``, which gives the words of the Mersenne Twister as they come. Neither uses the platform's
    mathematical library.
    """

    def __init__(self, seed: int):
        generator = Random(seed)
        self.share: Callable[[], float] = generator.random
        """Draws a float from 0 to 1, without 1."""
        self.bits: Callable[[int], int] = generator.getrandbits
        """Draws a number of so many bits."""

    def below(self, n: int) -> int:
        """Draws an integer from 0 to ``n - 1``."""
        return int(self.share() * n) if n <= 1 << 50 else self.bits(n.bit_length() + 50) % n

    def between(self, low: int, high: int) -> int:
        """Draws an integer from ``low`` to ``high``, both included."""
        return low + self.below(high - low + 1)

    def of(self, choices: Sequence[Choice]) -> Choice:
        """Draws one of ``choices``, each equally likely."""
        return choices[int(self.share() * len(choices))]

    def octets(self, n: int) -> bytes:
        """Draws ``n`` bytes."""
        return self.bits(8 * n).to_bytes(n, "little") if n else b""

    def from_knots(self, knots: Knots) -> Callable[[], int]:
        """Returns a function that draws integers from the distribution whose quantiles are ``knots``, with
        straight lines between them."""
        shares, values = [share for share, _ in knots], [value for _, value in knots]
        spans = [
            (share, value, (following - value) / (beyond - share or 1))
            for (share, value), (beyond, following) in pairwise(knots)
        ]
        share_of, last = self.share, len(knots) - 1

        def draw() -> int:
            share = share_of()
            k = bisect_right(shares, share) - 1
            if k >= last:
                return values[last]
            begin, value, slope = spans[k]
            return value + int((share - begin) * slope)

        return draw

    def integers(self, high: int) -> Callable[[], int]:
        """Returns a function that draws integers from 0 to ``high``, each magnitude as often, among those
        that fit, as was published."""
        ranges = []
        for n in range(len(VARINT_BYTES)):
            low, beyond = (1 << 7 * n if n else 0), min(1 << 7 * (n + 1), high + 1)
            if low < beyond:
                ranges.append((low, beyond - low))
        *sums, all_of_them = accumulate(VARINT_BYTES[: len(ranges)])
        share_of, below = self.share, self.below

        def draw() -> int:
            low, count = ranges[bisect_right(sums, share_of() * all_of_them)]
            return low + below(count)

        return draw
