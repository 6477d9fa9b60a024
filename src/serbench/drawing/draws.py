"""Random draws, bit by bit as published recipes of data prescribe them."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Sequence

_WORDS = 624
_MASK = 0xFFFFFFFF

Draw = Callable[[], int]
"""A function that returns the next raw draw, 0 to 2^32 - 1."""


def mt19937(seed: int = 5489) -> Draw:
    """Return the standard 32-bit Mersenne Twister, ``std::mt19937(seed)``.

    Source: M. Matsumoto and T. Nishimura, "Mersenne Twister", ACM TOMACS 8 (1998), ``init_genrand`` of the
    2002 version. Python's own generator is the same twister; only its seeding differs.
    """
    state = [seed & _MASK]
    for n in range(1, _WORDS):
        previous = state[-1]
        state.append((1812433253 * (previous ^ previous >> 30) + n) & _MASK)
    return _twister(state)


def mt19937_from_seed_seq(seeds: Sequence[int]) -> Draw:
    """Return ``std::mt19937`` seeded by ``std::seed_seq`` (C++20 [rand.eng.mers] and [rand.util.seedseq])."""
    state = seed_seq(seeds, _WORDS)
    if state[0] >> 31 == 0 and not any(state[1:]):
        state[0] = 1 << 31
    return _twister(state)


def seed_seq(seeds: Sequence[int], n: int) -> list[int]:
    """Return the ``n`` words that ``std::seed_seq(seeds).generate`` writes (C++20 [rand.util.seedseq])."""

    def mix(x: int) -> int:
        return x ^ x >> 27

    b = [0x8B8B8B8B] * n
    s = len(seeds)
    t = 11 if n >= 623 else 7 if n >= 68 else 5 if n >= 39 else 3 if n >= 7 else (n - 1) // 2
    p = (n - t) // 2
    q = p + t
    m = max(s + 1, n)
    for k in range(m):
        r1 = 1664525 * mix(b[k % n] ^ b[(k + p) % n] ^ b[(k - 1) % n]) & _MASK
        r2 = r1 + (s if k == 0 else k % n + seeds[k - 1] if k <= s else k % n) & _MASK
        b[(k + p) % n] = b[(k + p) % n] + r1 & _MASK
        b[(k + q) % n] = b[(k + q) % n] + r2 & _MASK
        b[k % n] = r2
    for k in range(m, m + n):
        r3 = 1566083941 * mix(b[k % n] + b[(k + p) % n] + b[(k - 1) % n] & _MASK) & _MASK
        r4 = r3 - k % n & _MASK
        b[(k + p) % n] ^= r3
        b[(k + q) % n] ^= r4
        b[k % n] = r4
    return b


def below(draw: Draw, n: int) -> int:
    """Draw a number from 0 to n - 1, by the method of D. Lemire, "Fast Random Integer Generation in an
    Interval" (2019)."""
    product = draw() * n
    low = product & _MASK
    if low < n:
        threshold = ((1 << 32) - n) % n
        while low < threshold:
            product = draw() * n
            low = product & _MASK
    return product >> 32


def to_f32(value: float) -> float:
    """Return ``value`` rounded to single precision."""
    rounded: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return rounded


def _twister(state: list[int]) -> Draw:
    generator = random.Random()
    generator.setstate((3, (*state, _WORDS), None))
    bits = generator.getrandbits
    return lambda: bits(32)
