"""Tells which values are alike: of the same kind, and written in as many bytes by every format. In a twin, a
value that is alike stands in place of each value."""

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

from serbench.drawing.draws import to_f32

_WIDEST = 1024
_DIGITS_OF_WIDEST = 308
"""The most digits by which integers are compared. Longer ones, and those of more than ``_WIDEST`` bits, are
alike if they have as many bytes: hardly any decimal has more than 76 digits."""


_UNSIGNED = 1 << 64


def _cuts() -> list[int]:
    """Returns the integers from which on some format takes more bytes: varints, plain and zigzag, with seven
    bits to a byte; whole bytes, signed and unsigned; the small integers of CBOR and MessagePack."""
    bits = {n for n in range(_WIDEST + 1) if n % 7 in (0, 6) or n % 8 in (0, 7)}
    return sorted({24, 32} | {1 << n for n in bits})


_DECIMAL = [10**n for n in range(1, _DIGITS_OF_WIDEST + 1)]
_CUTS = sorted({0, *_cuts(), *_DECIMAL})
_NEGATIVE_CUTS = sorted({0, *_cuts(), *(power - 1 for power in _DECIMAL)})
"""The complements (``~value``) of negative integers from which on some format takes more bytes or digits."""


def integers_like(value: int) -> tuple[int, int]:
    """Returns the least and the greatest of the integers that every format writes in as many bytes as
    ``value``, and with as many digits.

    0 and -1 are like no other. From 2^63 to 2^64, the negative numbers that formats without unsigned integers
    write instead have to be equally long too. Beyond 308 digits, only the bytes count.
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
"""The characters that JSON writes as a backslash and one character; other control characters take six."""

_ESCAPED_LONG = "".join(chr(n) for n in range(32) if chr(n) not in _ESCAPED_SHORT)

_HEXADECIMAL = re.compile(r"[0-9a-f-]{8,}|[0-9A-F-]{8,}")
_FEWEST = 3
"""A string with fewer letters and digits than this gets other punctuation too, so that at least a thousand
strings are like it."""

_SHORT = 3
"""Strings of at most so many characters keep their punctuation, since so short ones cannot be hidden."""


class _Pools(dict[str, str]):
    """Character → the characters that are alike, itself included; for characters beyond ASCII, they are found
    when they are first asked for."""

    def __init__(self, *pools: str):
        super().__init__({character: pool for pool in pools for character in pool})

    def __missing__(self, character: str) -> str:
        pool = character
        if not character.isascii():
            category = unicodedata.category(character)
            pool = _of_category(ord(character) >> 8, len(character.encode()), category)
        self[character] = pool
        return pool


_POOLS = _Pools(ascii_lowercase, ascii_uppercase, digits)
_HEXADECIMAL_POOLS = _Pools("abcdef", "ABCDEF", digits)
_MARKED_POOLS = _Pools(ascii_lowercase, ascii_uppercase, digits, _MARKS, _ESCAPED_SHORT, _ESCAPED_LONG)


def characters_like(text: str) -> list[str]:
    """Returns for each character of ``text`` the characters that are like it in this text, always in the same
    order.

    ASCII letters are like the letters of their case, and digits like digits; in a hexadecimal string, letters
    are like hexadecimal ones only. Punctuation and spaces are like themselves alone, except in a string that
    has next to nothing else. Beyond ASCII, characters are alike that have the same Unicode category, belong
    to the same block of 256 and take as many bytes in UTF-8.
    """
    pools = _HEXADECIMAL_POOLS if _HEXADECIMAL.fullmatch(text) else _POOLS
    found = [pools[character] for character in text]
    changing = sum(islice((1 for pool in found if len(pool) > 1), _FEWEST))
    if changing < _FEWEST and len(text) > _SHORT:
        return [_MARKED_POOLS[character] for character in text]
    return found


@lru_cache(4096)
def _of_category(block: int, width: int, category: str) -> str:
    alike = (chr(n) for n in range(block << 8, (block + 1) << 8) if not 0xD800 <= n < 0xE000)
    return "".join(c for c in alike if len(c.encode()) == width and unicodedata.category(c) == category)


@dataclass(frozen=True)
class Reals:
    """Numbered floats that may be like a given float; ``length_of`` tells which of them are.

    Attributes:
        count: how many floats there are.
        index: the index of the given float.
        at: gives the float at an index.
        few: whether they have few digits, so that equal floats among the data are hardly a coincidence.
    """

    count: int
    index: int
    at: Callable[[int], float]
    few: bool = True


_HALF, _SINGLE, _DOUBLE = 11, 24, 53
"""Bits of the significand in half, single and double precision."""

_FRACTION_BITS = 10
"""Numbers with at most so many binary places are taken for fractions like 0.25, the others for decimal
numbers."""

_DIGITS, _DIGITS_OF_SINGLE = 15, 6
"""The numbers of decimal digits that always survive in a double, and in a single."""


def reals_like(value: float, single: bool) -> Reals | None:
    """Returns the floats that may be like a positive ``value``, in single or double precision; None for zero,
    infinity and NaN.

    A whole number may be like those of as many digits, a fraction over a power of two like those with the
    same denominator, a number of few decimal digits like those with as many digits in the same places, and
    any other like those with the same exponent. ``length_of`` decides which of these floats binary formats
    and decimal text write in as many bytes.
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
    """Whether a float in single precision is only the nearest one to a number of few decimal digits, and not
    that number itself, as for 9876.54, which becomes a fraction over 1024."""
    return float(_digits_of(value, True)) != value


def _digits_of(value: float, single: bool) -> str:
    return f"{value:.{_DIGITS_OF_SINGLE - 1}e}" if single else f"{value:.{_DIGITS - 1}e}"


def _fractions(above: int, places: int) -> Reals:
    """Returns the numbers that may be like ``above / 2**places``: odd numbers over the same power
    of two; if ``places`` is 0, whole numbers, which single precision holds if it holds ``above``."""
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
    """Returns ``value``, rounded to single precision if ``single``; a value too great for that becomes
    infinite."""
    if not single:
        return value
    try:
        return to_f32(value)
    except OverflowError:
        return math.inf


def length_of(value: float, single: bool, few: bool) -> tuple[int, ...]:
    """Returns the properties of a float on which the number of its bytes depends: the length of its shortest
    decimal text and, if its digits are ``few``, whether single and half precision hold it."""
    text = _shortest_single(value) if single else repr(value)
    if not few:
        return (len(text),)
    is_single = single or rounded(value, True) == value
    return len(text), is_single, is_single and _is_half(value)


def _shortest_single(value: float) -> str:
    """Returns the shortest decimal text of a float in single precision. Six digits are tried first, and then
    nine and fewer, since most floats need at most six or at least eight."""
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
