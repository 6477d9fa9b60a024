"""Which values are alike: as long in every format, and of the same kind. A twin has one of these in place of
a value."""

from __future__ import annotations

import math
import re
import struct
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from string import ascii_lowercase, ascii_uppercase, digits

from serbench.draws import to_f32

_WIDEST = 1024
_DIGITS_OF_WIDEST = 308
"""The greatest number whose digits count; decimals have hardly more than 76."""


_UNSIGNED = 1 << 64


def _cuts() -> list[int]:
    """Where some format begins to write a longer integer: varints and zigzag of seven bits, whole bytes of
    either sign, the small ones of CBOR and MessagePack."""
    bits = {n for n in range(_WIDEST + 1) if n % 7 in (0, 6) or n % 8 in (0, 7)}
    return sorted({24, 32} | {1 << n for n in bits})


_DECIMAL = [10**n for n in range(1, _DIGITS_OF_WIDEST + 1)]
_CUTS = sorted({0, *_cuts(), *_DECIMAL})
_NEGATIVE_CUTS = sorted({0, *_cuts(), *(power - 1 for power in _DECIMAL)})
"""Of what a negative number has as its complement, which is what most formats write."""


def integers_like(value: int) -> tuple[int, int]:
    """The least and the greatest integer that every format writes with as many bytes, and with as many
    digits.

    0 and -1 are like no other. From 2^63 to 2^64, they are also as long as the negative numbers that formats
    without unsigned ones have in their place. Beyond 308 digits, only the bytes count.
    """
    if value < 0:
        low, high = _between(~value, _NEGATIVE_CUTS)
        return ~high, ~low
    low, high = _between(value, _CUTS)
    if _UNSIGNED // 2 <= value < _UNSIGNED:
        least, most = integers_like(value - _UNSIGNED)
        return max(low, least + _UNSIGNED), min(high, most + _UNSIGNED)
    return low, high


def _between(magnitude: int, cuts: list[int]) -> tuple[int, int]:
    if magnitude < 1 << _WIDEST:
        k = bisect_right(cuts, magnitude)
        return cuts[k - 1], cuts[k] - 1
    whole, rest = divmod(magnitude.bit_length() - 1, 8)
    sign = 8 * whole + 7
    return (1 << sign, (1 << sign + 1) - 1) if rest == 7 else (1 << 8 * whole, (1 << sign) - 1)


_MARKS = " !#$%&'()*+,-./:;<=>?@[]^_`{|}~"
_ESCAPED_SHORT = '"\\\b\t\n\f\r'
"""By JSON, with two characters."""

_ESCAPED_LONG = "".join(chr(n) for n in range(32) if chr(n) not in _ESCAPED_SHORT)

_HEXADECIMAL = re.compile(r"[0-9a-f-]{8,}|[0-9A-F-]{8,}")
_FEWEST = 3
"""Letters and digits of a string whose punctuation may stay, so that it has a thousand others that are like
it."""

_SHORT = 3
"""Bytes of a string that nothing can hide."""


class _Pools(dict[str, str]):
    """The characters that are like each, itself among them."""

    def __init__(self, *pools: str):
        super().__init__({character: pool for pool in pools for character in pool})

    def __missing__(self, character: str) -> str:
        pool = character if character.isascii() else _beyond_ascii(character)
        self[character] = pool
        return pool


_POOLS = _Pools(ascii_lowercase, ascii_uppercase, digits)
_HEXADECIMAL_POOLS = _Pools("abcdef", "ABCDEF", digits)
_MARKED_POOLS = _Pools(ascii_lowercase, ascii_uppercase, digits, _MARKS, _ESCAPED_SHORT, _ESCAPED_LONG)


def characters_like(text: str) -> list[str]:
    """For each character those that are like it in this string, always in the same order.

    Letters of ASCII are like those of their case, digits like digits; of a string that is hexadecimal, only
    such letters. Punctuation and spaces are like themselves alone, but in a string that has next to nothing
    else. Beyond ASCII, characters are like those of their category in the same 256, as far as UTF-8 writes
    them with as many bytes.
    """
    pools = _HEXADECIMAL_POOLS if _HEXADECIMAL.fullmatch(text) else _POOLS
    found = [pools[character] for character in text]
    changing = sum(islice((1 for pool in found if len(pool) > 1), _FEWEST))
    if changing < _FEWEST and len(text) > _SHORT:
        return [_MARKED_POOLS[character] for character in text]
    return found


def _beyond_ascii(character: str) -> str:
    return _of_category(ord(character) >> 8, len(character.encode()), unicodedata.category(character))


@lru_cache(4096)
def _of_category(block: int, width: int, category: str) -> str:
    alike = (chr(n) for n in range(block << 8, (block + 1) << 8) if not 0xD800 <= n < 0xE000)
    return "".join(c for c in alike if len(c.encode()) == width and unicodedata.category(c) == category)


@dataclass(frozen=True)
class Reals:
    """Floats that are alike.

    Attributes:
        count: of them, or of more, of which some are not.
        index: of the one that was asked for.
        at: the float at an index.
        few: whether their digits are few, so that two that are equal are no chance.
    """

    count: int
    index: int
    at: Callable[[int], float]
    few: bool = True


_HALF, _SINGLE, _DOUBLE = 11, 24, 53
"""Bits of the numbers that these precisions hold."""

_FRACTION_BITS = 10
"""At most of what is taken for a fraction like 0.25, and not for one in decimal digits."""

_DIGITS, _DIGITS_OF_SINGLE = 15, 6
"""So many decimal digits are always told apart."""


def reals_like(value: float, single: bool) -> Reals | None:
    """Of positive floats those that are like ``value``, of single precision or not; None for zero, infinity
    and NaN.

    Whole numbers are like those of as many digits, fractions of two like those with the same denominator,
    numbers of few decimal digits like those of as many in the same places, and all others like those with the
    same exponent. Which is written the same in binary formats and as decimal text is decided by
    ``length_of``.
    """
    if not value or not math.isfinite(value):
        return None
    above, below = value.as_integer_ratio()
    places = below.bit_length() - 1
    if (
        places <= _FRACTION_BITS
        and above < 1 << (_SINGLE if places else _DOUBLE)
        and not (single and _is_cut(value))
    ):
        return _fractions(above, places)
    return _decimals(value, single) or _of_exponent(value, _SINGLE if single else _DOUBLE)


def _is_cut(value: float) -> bool:
    """Whether a number of single precision is nearest to one of few digits without being it: 9876.54 is a
    fraction over 1024."""
    return float(_digits_of(value, True)) != value


def _digits_of(value: float, single: bool) -> str:
    return f"{value:.{_DIGITS_OF_SINGLE - 1}e}" if single else f"{value:.{_DIGITS - 1}e}"


def _fractions(above: int, places: int) -> Reals:
    """Those over 2 to the power of ``places``, of which the upper part is odd; whole numbers where that is 0,
    and of great ones those of single precision where ``above`` is."""
    low, high = integers_like(above >> places)
    least, most = low << places, ((high + 1) << places) - 1
    for bits in (_HALF, _SINGLE):
        if above < 1 << bits:
            most = min(most, (1 << bits) - 1)
        else:
            least = max(least, 1 << bits)
    beyond = 1 << max(above.bit_length() - _SINGLE, 0)
    step = 2 if places else 1 if above % beyond else beyond
    least += (above - least) % step
    return Reals(
        (most - least) // step + 1, (above - least) // step, lambda k: (least + step * k) / (1 << places)
    )


def _decimals(value: float, single: bool) -> Reals | None:
    written = _digits_of(value, single)
    if rounded(float(written), single) != value:
        return None
    mantissa, exponent = written.split("e")
    shortest = mantissa.replace(".", "").rstrip("0")
    places, least = int(exponent) - len(shortest) + 1, 10 ** (len(shortest) - 1)
    return Reals(9 * least, int(shortest) - least, lambda k: rounded(float(f"{least + k}e{places}"), single))


def _of_exponent(value: float, precision: int) -> Reals:
    fraction, exponent = math.frexp(value)
    bits = precision - 1
    index = int(math.ldexp(2 * fraction - 1, bits))
    single = precision == _SINGLE
    return Reals(
        1 << bits,
        index,
        lambda k: rounded(math.ldexp((1 << bits) + k, exponent - 1 - bits), single),
        few=False,
    )


def rounded(value: float, single: bool) -> float:
    """To single precision where that is asked for; what is beyond it becomes infinite."""
    if not single:
        return value
    try:
        return to_f32(value)
    except OverflowError:
        return math.inf


def length_of(value: float, single: bool, few: bool) -> tuple[int, ...]:
    """What decides on the bytes of a float: its shortest decimal text, and where its digits are few, the
    least precision that holds it."""
    text = _shortest_single(value) if single else repr(value)
    if not few:
        return (len(text),)
    is_single = single or rounded(value, True) == value
    return len(text), is_single, is_single and _is_half(value)


def _shortest_single(value: float) -> str:
    """Where fewer digits do, more do too; most have six or less, or eight and more."""
    if rounded(float(text := f"{value:.6g}"), True) == value:
        return text
    text = f"{value:.9g}"
    for fewer in (8, 7):
        if rounded(float(shorter := f"{value:.{fewer}g}"), True) != value:
            return text
        text = shorter
    return text


def _is_half(value: float) -> bool:
    try:
        return bool(struct.unpack("<e", struct.pack("<e", value))[0] == value)
    except OverflowError:
        return False
