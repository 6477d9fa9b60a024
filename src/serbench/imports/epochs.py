"""Tells numbers that probably count time since 1970, by their size and by the name of their field.

Nothing is made of them by itself: identifiers can be as large. The user is told the ``--set`` that makes
timestamps of them, if they are whole.
"""

from __future__ import annotations

import re

from serbench.dataset.edges import PER_SECOND
from serbench.imports.base import setting
from serbench.imports.hints import words_of

_FIRST, _LAST = 631_152_000, 4_102_444_800
"""The beginnings of 1990 and 2100 in seconds. Numbers between them may be times, in at most one unit each."""

_RECENT, _SOON = 946_684_800, 2_208_988_800
"""The beginnings of 2000 and 2040 in seconds: the range for numbers whose name does not tell a time."""

_NEAR = 10 * 366 * 86_400
"""The most seconds between a field's numbers, if its unit is in ``_USUAL`` or its name is of any numbers."""

_USUAL = ("s", "ns")
"""The units in which times have as many digits as counts in the billions, or identifiers of 64 bits."""

_OF_TIMES = """
    at time timestamp ts t tstamp epoch date datetime day created updated modified changed deleted published
    expires expiry expiration exp iat nbf start started begin end ended finished stop seen since until when
    due deadline birth birthday dob sent received login logged sec secs second seconds ms milli millis
    millisecond milliseconds us micro micros microseconds ns nano nanos nanoseconds
"""
"""Words in the names of times."""

_OF_OTHERS = """
    id ids uid ref reference card tracking phone mobile fax tel ean upc gtin isbn issn sku barcode hash
    digest checksum crc seed nonce count no size bytes length offset price amount cost total sum balance fee
    quantity qty port code serial account iban population volume capacity
"""
"""Words in the names of other large numbers."""

_OF_ANY = "key number num"
"""Words in the names of numbers of any kind, such as the keys of a histogram."""

_NAMES = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}

_TIMES, _OTHERS, _ANY = (frozenset(words.split()) for words in (_OF_TIMES, _OF_OTHERS, _OF_ANY))

_NAME = re.compile(r'[^.]*(\."\$\w+")*$')
"""Matches the name at the end of a path, with the names of wrappers around its value, such as those of
MongoDB's JSON: ``at."$date"."$numberLong"``."""


def probable_unit(path: str, low: float, high: float) -> str:
    """Returns the unit, such as ``ms``, in which the numbers at a path, from ``low`` to ``high``, probably
    count time since 1970; empty if they probably do not."""
    for unit, per_second in PER_SECOND.items():
        if _FIRST * per_second <= low <= high < _LAST * per_second:
            return unit if _is_plausible(path, low, high, unit) else ""
    return ""


def _is_plausible(path: str, low: float, high: float, unit: str) -> bool:
    name = _NAME.search(path)
    words = set(words_of(name[0])) if name else set[str]()
    if not words.isdisjoint(_TIMES):
        return True
    per_second = PER_SECOND[unit]
    if not words.isdisjoint(_OTHERS) or not (_RECENT * per_second <= low and high < _SOON * per_second):
        return False
    doubts = (unit in _USUAL) + (not words.isdisjoint(_ANY))
    return doubts == 0 or (doubts == 1 and 0 < high - low <= _NEAR * per_second)


def hint(path: str, shown: str, which: str, low: int, high: int, is_optional: bool = False) -> str:
    """Tells the user the setting that makes timestamps of the numbers at a path; empty if they probably are
    none.

    Args:
        shown: the path as the user writes it in a setting.
        which: the numbers that were looked at, in words.
        low, high: the least and the greatest of these numbers.
        is_optional: whether the setting has to say that a value may be missing.
    """
    if not (unit := probable_unit(path, low, high)):
        return ""
    type = f"optional<timestamp in {unit}>" if is_optional else f"timestamp in {unit}"
    return (
        f"{which} are probably timestamps in {_NAMES[unit]} since 1970; {setting(shown, type)} makes them so"
    )


def of_fractions(path: str, which: str, low: float, high: float, what: str) -> str:
    """Tells the user that the numbers at a path, some of which have a fraction, probably count time; empty if
    they probably do not.

    Args:
        which: the numbers that were looked at, in words.
        low, high: the least and the greatest of these numbers.
        what: the values that their type makes of them: ``numbers`` or ``texts``.
    """
    if not (unit := probable_unit(path, low, high)):
        return ""
    told = f"{which} are probably {_NAMES[unit]} since 1970 with a fraction"
    return f"{told}; timestamps are whole numbers, so these stay {what}"
