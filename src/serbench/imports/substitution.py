"""Values in place of others: of the same size and kind, the same for the same, and telling nothing of them to
who has no key.

A substitution is a keyed function of the value alone, so it needs no table of what it has seen. What can be
at most 2^20 values is permuted among them, so that different values stay different: a Feistel network over
the numbers below n with cycle-walking, by J. Black and P. Rogaway, "Ciphers with Arbitrary Finite Domains"
(CT-RSA 2002), of ten rounds as FF1 has (NIST SP 800-38G). Of more, each becomes a draw, and two meet by
chance: of 100,000 different ones among 2^24, 3 in 1,000. Both come from keyed BLAKE2b, and what is longer
than its digest from SHAKE-256 of that.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import blake2b, shake_256
from secrets import token_bytes

from serbench.imports.alike import characters_like, integers_like, length_of, reals_like, rounded

KEY_BYTES = 32

_PERMUTED = 1 << 20
_ROUNDS = 10
_PERMUTATIONS = 512
"""That are kept, each of at most 20 KiB."""

_REMEMBERED = 1 << 16
"""Results at most that are kept, since values come again."""

_REMEMBERED_TEXT = 64
"""Characters at most of a string whose result is kept, so that it is bounded what they take."""

_PRINTED = re.compile(rb"[\t\n\r -~]{8,}")
"""Bytes that are text."""

_TRIES = 200
"""For a float that is as long. After them, or where it is the only one, another is taken that may be a few
bytes longer."""


class Substitution:
    """A keyed substitution. Equal values become equal values, in whatever field they are."""

    def __init__(self, key: bytes | None = None):
        """``key`` is for tests; else one is drawn, which nobody learns."""
        self._key = token_bytes(KEY_BYTES) if key is None else key
        self._permutation = lru_cache(_PERMUTATIONS)(self._new_permutation)
        self._short_text = lru_cache(_REMEMBERED)(self._text)
        self._positive = lru_cache(_REMEMBERED)(self._positive_real)

    def among(self, n: int, index: int, kind: bytes) -> int:
        """A number below ``n`` in place of one, for values of one kind."""
        if n <= 1:
            return index
        return self._permutation(n, kind)(index) if n <= _PERMUTED else self._drawn(n, index, kind)

    def integer(self, value: int, attempt: int = 0) -> int:
        """One of as many bytes in every format and as many digits; another for each ``attempt``, where one is
        taken.

        The bounds of integer types and of decimals are where numbers get longer, so it is within those that
        ``value`` is within.
        """
        least, most = integers_like(value)
        return least + self.among(most - least + 1, value - least, b"integer %d %d" % (attempt, least))

    def octets(self, value: bytes) -> bytes:
        """As many bytes; what is ASCII text stays text."""
        if _PRINTED.fullmatch(value):
            return self.text(value.decode("ascii")).encode("ascii")
        n = len(value)
        if n <= 4:
            return self.among(1 << 8 * n, int.from_bytes(value), b"octets").to_bytes(n)
        return self._draw(b"octets", value, n)

    def text(self, value: str, attempt: int = 0) -> str:
        """A string with a character of the same kind in every place; another for each ``attempt``, where one
        is taken."""
        return (
            self._short_text(value, attempt) if len(value) <= _REMEMBERED_TEXT else self._text(value, attempt)
        )

    def real(self, value: float, single: bool) -> float:
        """A float of the same sign that text and binary formats write with as many bytes; zero, infinities
        and NaN stay."""
        return math.copysign(self._positive(abs(rounded(value, single)), single), value)

    def _new_permutation(self, n: int, kind: bytes) -> Callable[[int], int]:
        side = math.isqrt(n - 1) + 1
        drawn = memoryview(self._draw(b"permutation %d" % n, kind, 2 * _ROUNDS * side)).cast("H")
        rounds = [drawn[k * side : (k + 1) * side] for k in range(_ROUNDS)]

        def permuted(index: int) -> int:
            while True:
                left, right = divmod(index, side)
                for function in rounds:
                    left, right = right, (left + function[right]) % side
                index = left * side + right
                if index < n:
                    return index

        return permuted

    def _drawn(self, n: int, index: int, kind: bytes) -> int:
        width = (n.bit_length() + 7) // 8
        return int.from_bytes(self._draw(kind, index.to_bytes(width), width + 8)) % n

    def _draw(self, kind: bytes, value: bytes, count: int) -> bytes:
        """So many bytes that follow from the key and a value of a kind."""
        seed = blake2b(kind + b"\0" + value, digest_size=64, key=self._key, person=b"serbench twin").digest()
        return seed[:count] if count <= len(seed) else shake_256(seed).digest(count)

    def _text(self, value: str, attempt: int) -> str:
        pools = characters_like(value)
        n = 1
        for pool in pools:
            n *= len(pool)
            if n > _PERMUTED:
                drawn = self._draw(b"text %d" % attempt, value.encode(), len(pools))
                return "".join([pool[place % len(pool)] for pool, place in zip(pools, drawn, strict=True)])
        return self._permuted_text(value, pools, n, attempt) if n > 1 else value

    def _permuted_text(self, value: str, pools: Sequence[str], n: int, attempt: int) -> str:
        index = 0
        for character, pool in zip(value, pools, strict=True):
            index = index * len(pool) + pool.index(character)
        index = self.among(n, index, b"text %d %b" % (attempt, "".join(pool[0] for pool in pools).encode()))
        made = []
        for pool in reversed(pools):
            index, place = divmod(index, len(pool))
            made.append(pool[place])
        return "".join(reversed(made))

    def _positive_real(self, value: float, single: bool) -> float:
        reals = reals_like(value, single)
        if reals is None:
            return value
        index, kind = reals.index, b"real %d %d" % (single, reals.count)
        length = length_of(value, single, reals.few)
        others = []
        for _ in range(min(_TRIES, 2 * reals.count)):
            index = (
                self.among(reals.count, index, kind) if reals.few else self._drawn(reals.count, index, kind)
            )
            found = reals.at(index)
            if found == value:
                break
            if length_of(found, single, reals.few) == length:
                return found
            others.append(found)
        return next((each for each in others if 0 < each < math.inf), value)
