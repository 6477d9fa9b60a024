"""Random draws, bit by bit as Rust's crates ``rand`` 0.8 and ``rand_pcg`` 0.3 make them, for published
recipes that use these crates."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate

from serbench.drawing.draws import Draw, to_f32

_WORD, _LONG = (1 << 32) - 1, (1 << 64) - 1
_MULTIPLIER = 6364136223846793005


def pcg32(state: int, stream: int) -> Draw:
    """Return the generator ``Lcg64Xsh32::new(state, stream)``: M. O'Neill, "PCG: A Family of Simple Fast
    Space-Efficient Statistically Good Algorithms for Random Number Generation" (2014), PCG-XSH-RR with 64
    bits of state."""
    increment = stream << 1 & _LONG | 1
    now = ((state + increment) * _MULTIPLIER + increment) & _LONG

    def draw() -> int:
        nonlocal now
        old = now
        now = (old * _MULTIPLIER + increment) & _LONG
        shifted = ((old >> 18 ^ old) >> 27) & _WORD
        turn = old >> 59
        return (shifted >> turn | shifted << (32 - turn)) & _WORD

    return draw


class Rand:
    """Draws the same values as Rust's ``rand::Rng``. A range excludes its end, as Rust's ``low..high``.

    Args:
        draw: returns raw words of 32 bits.
    """

    def __init__(self, draw: Draw):
        self.u32 = draw

    def u64(self) -> int:
        low = self.u32()
        return self.u32() << 32 | low

    def u8(self) -> int:
        return self.u32() & 0xFF

    def u16(self) -> int:
        return self.u32() & 0xFFFF

    def i8(self) -> int:
        return (self.u8() ^ 0x80) - 0x80

    def i32(self) -> int:
        return (self.u32() ^ 1 << 31) - (1 << 31)

    def i64(self) -> int:
        return (self.u64() ^ 1 << 63) - (1 << 63)

    def f32(self) -> float:
        """Draw a number from 0 to 1, without 1, in steps of 2^-24."""
        return (self.u32() >> 8) / (1 << 24)

    def f64(self) -> float:
        """Draw a number from 0 to 1, without 1, in steps of 2^-53."""
        return (self.u64() >> 11) / (1 << 53)

    def happens(self, probability: float = 0.5) -> bool:
        """Draw True with this probability, as ``gen_bool`` of Rust's ``rand`` does."""
        return self.u64() < int(probability * 2.0**64)

    def short_in(self, low: int, high: int) -> int:
        """Draw an integer from ``low`` to ``high - 1``, as the crate does for types of 8 and 16 bits."""
        span = high - low
        return low + self._below(span, _WORD - (_WORD - span + 1) % span, self.u32, 32)

    def in_range(self, low: int, high: int) -> int:
        """Draw an integer from ``low`` to ``high - 1``, as the crate does for types of 32 bits."""
        span = high - low
        return low + self._below(span, (span << 32 - span.bit_length()) - 1, self.u32, 32)

    def size_in(self, low: int, high: int) -> int:
        """Draw an integer from ``low`` to ``high - 1``, as the crate does for a ``usize`` of 64 bits."""
        span = high - low
        return low + self._below(span, (span << 64 - span.bit_length()) - 1, self.u64, 64)

    @staticmethod
    def _below(span: int, zone: int, draw: Callable[[], int], bits: int) -> int:
        while True:
            product = draw() * span
            if product & (1 << bits) - 1 <= zone:
                return product >> bits

    def f32_in(self, low: float, high: float) -> float:
        """Draw a number from ``low`` to below ``high``, in steps of 2^-23 of the range, rounded to f32."""
        scale = to_f32(high - low)
        while (drawn := to_f32(to_f32((self.u32() >> 9) / (1 << 23) * scale) + low)) >= high:
            pass
        return drawn

    def f64_in(self, low: float, high: float) -> float:
        """Draw a number from ``low`` to below ``high``, in steps of 2^-52 of the range."""
        while (drawn := (self.u64() >> 12) / (1 << 52) * (high - low) + low) >= high:
            pass
        return drawn

    def one_of(self, items: Sequence[str]) -> str:
        """Draw one of ``items``, by drawing its index."""
        return items[self.size_in(0, len(items))]

    def weighted(self, weights: Sequence[float]) -> int:
        """Draw an index by weights, as ``WeightedIndex`` does with weights in single precision."""
        *bounds, total = accumulate(map(to_f32, weights), lambda sum, weight: to_f32(sum + weight))
        drawn = to_f32((self.u32() >> 9) / (1 << 23) * total)
        return sum(bound <= drawn for bound in bounds)


def square_root_f32(value: float) -> float:
    """Return the square root in single precision."""
    return to_f32(math.sqrt(value))
