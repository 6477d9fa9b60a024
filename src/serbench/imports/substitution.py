"""Replaces values by others of the same size and kind, for twins. Equal values get equal replacements, which
tell nothing about the values to anybody without the key.

A substitution is a keyed function of the value alone, so it needs no table of earlier values. If a value has
at most 2^20 others like it, all of these are permuted, so that different values stay different: by a Feistel
network over the numbers below n with cycle-walking (J. Black and P. Rogaway, "Ciphers with Arbitrary Finite
Domains", CT-RSA 2002), of ten rounds as FF1 has (NIST SP 800-38G). If there are more, a replacement is drawn,
and two different values may get the same by chance: 3 in 1,000 of 100,000 different values among 2^24.
Permutations and draws come from keyed BLAKE2b; where more bytes are needed than its digest has, from
SHAKE-256 of that digest.
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
"""The number of permutations that are kept, each of at most 20 KiB."""

_REMEMBERED = 1 << 16
"""The number of results that are kept, since values come again."""

_REMEMBERED_TEXT = 64
"""The most characters of a string whose result is kept, so that the memory of results is bounded."""

_PRINTED = re.compile(rb"[\t\n\r -~]{8,}")
"""Matches bytes that are replaced as text."""

_TRIES = 200
"""How often a float of the same length is drawn; after that, one is taken that may be a few bytes longer."""


class Substitution:
    """A keyed substitution. Equal values get equal replacements, whatever fields they are in."""

    def __init__(self, key: bytes | None = None):
        """``key`` is for tests alone; by default, a key is drawn and told to nobody."""
        self._key = token_bytes(KEY_BYTES) if key is None else key
        self._permutation = lru_cache(_PERMUTATIONS)(self._new_permutation)
        self._short_text = lru_cache(_REMEMBERED)(self._text)
        self._positive = lru_cache(_REMEMBERED)(self._positive_real)

    def among(self, n: int, index: int, kind: bytes) -> int:
        """The number below ``n`` that replaces ``index``, by a substitution for this ``kind`` of values."""
        if n <= 1:
            return index
        return self._permutation(n, kind)(index) if n <= _PERMUTED else self._drawn(n, index, kind)

    def integer(self, value: int, attempt: int = 0) -> int:
        """An integer that takes as many bytes as ``value`` in every format and has as many digits; each
        ``attempt`` gives another integer, for callers that cannot use the first.

        If ``value`` is within the bounds of an integer type or decimal, the replacement is too: numbers
        beyond the bounds are longer.
        """
        least, most = integers_like(value)
        return least + self.among(most - least + 1, value - least, b"integer %d %d" % (attempt, least))

    def octets(self, value: bytes) -> bytes:
        """Other bytes of the same number; ASCII text becomes other text."""
        if _PRINTED.fullmatch(value):
            return self.text(value.decode("ascii")).encode("ascii")
        n = len(value)
        if n <= 4:
            return self.among(1 << 8 * n, int.from_bytes(value), b"octets").to_bytes(n)
        return self._draw(b"octets", value, n)

    def text(self, value: str, attempt: int = 0) -> str:
        """A string with a character of the same kind in every place; each ``attempt`` gives another string,
        for callers that cannot use the first."""
        return (
            self._short_text(value, attempt) if len(value) <= _REMEMBERED_TEXT else self._text(value, attempt)
        )

    def real(self, value: float, single: bool) -> float:
        """A float of the same sign that text and binary formats write in as many bytes (``_TRIES`` has the
        exception); zero, infinities and NaN stay as they are."""
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
        """Draws ``count`` bytes that depend on the key, the kind and the value alone."""
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
