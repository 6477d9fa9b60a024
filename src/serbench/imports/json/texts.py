"""The facts about strings at a place: what form they have, and how many are different."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from serbench.dataset.edges import PER_SECOND
from serbench.imports.json.keys import UUID

_LONGEST_VERSION = 200
"""The most characters of a string that is looked at as a version of software."""

_UUID = re.compile(UUID)
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_LOCAL = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_FRACTION = re.compile(r"\.(\d*[1-9])", re.ASCII)
_DECIMAL = re.compile(r"([1-9]\d{8,18})\.\d+", re.ASCII)
_DIGITS = re.compile(r"[1-9]\d{8,18}", re.ASCII)
_VERSION = re.compile(
    r"([\^~=v]|[<>]=?) ?\d[^\s,|]*(( ?\|\|? ?| - |, ?| ).*)?|\d+\.(\d+|[xX*])\.(\d+|[xX*])([-+][\w.+-]+)?"
    r"|\d+\.[xX*]|\*|latest|next|(npm|workspace|file|git\+?\w*|github):\S+",
    re.ASCII,
)
"""Matches versions of software and ranges of them, and no decimal numbers or IP addresses."""

MOST_DISTINCT = 17
"""How many different strings are counted; an enum is not proposed for so many."""


@dataclass(slots=True, eq=False)
class Text:
    """Facts about the strings at a path.

    Attributes:
        uuid: whether all of them are UUIDs.
        count: how many there are in the sample.
        distinct: hashes of a few different ones in the sample; hashes, so that no string is kept.
        looks: the form that all strings in the sample have: ``timestamp``, ``local timestamp``, ``date``,
            ``digits``, ``decimal`` (digits, some with a fraction) or ``version`` (of software, or a range of
            versions); empty if they have none in common, None before the first string.
        digits: the least and the greatest number in the sample, if all strings are digits; their whole parts,
            if some have a fraction.
        fraction: the most digits of a second's fraction in the sample, without zeros at the end, if all
            strings are times.
        is_far: whether some time in the sample is in a year that 64 bits of nanoseconds do not reach.
    """

    uuid: bool = True
    count: int = 0
    distinct: set[int] = field(default_factory=set)
    looks: str | None = None
    digits: tuple[int, int] = (1 << 64, 0)
    fraction: int = 0
    is_far: bool = False

    def add(self, text: str, in_sample: bool) -> None:
        if self.uuid and not _UUID.fullmatch(text):
            self.uuid = False
        if not in_sample:
            return
        self.count += 1
        if len(self.distinct) < MOST_DISTINCT:
            self.distinct.add(hash(text))
        if self.looks != "":
            self.looks = _common(self.looks, _looks(text))
            if self.looks in ("digits", "decimal"):
                whole, (low, high) = int(text.partition(".")[0]), self.digits
                self.digits = min(low, whole), max(high, whole)
            elif self.looks in ("timestamp", "local timestamp"):
                self.is_far |= not "1678" <= text[:4] <= "2261"
                if found := _FRACTION.search(text):
                    self.fraction = max(self.fraction, len(found[1]))

    def merge(self, other: Text) -> None:
        self.uuid &= other.uuid
        self.count += other.count
        if len(self.distinct) < MOST_DISTINCT:
            self.distinct |= other.distinct
        if other.looks is not None:
            self.looks = _common(self.looks, other.looks)
            self.digits = min(self.digits[0], other.digits[0]), max(self.digits[1], other.digits[1])
            self.fraction = max(self.fraction, other.fraction)
            self.is_far |= other.is_far

    @property
    def setting(self) -> str:
        """The type that a user may set to make numbers of the times or dates in the sample, with the coarsest
        unit that holds all of them, but never seconds; empty if they are none, or no unit does."""
        if self.looks not in ("timestamp", "local timestamp"):
            return "date" if self.looks == "date" else ""
        least = 10 ** max(self.fraction, 3)
        unit = next((unit for unit, per_second in PER_SECOND.items() if per_second >= least), "")
        return f"{self.looks} in {unit}" if unit and not (unit == "ns" and self.is_far) else ""


def _common(a: str | None, b: str) -> str:
    """Returns the form that texts of two forms have in common; there are none of ``a`` yet if it is None."""
    return b if a in (None, b) else "decimal" if {a, b} == {"digits", "decimal"} else ""


def _looks(text: str) -> str:
    """Returns the form of a text: one that a setting can make another type of, or that tells maps from
    records."""
    if _TIMESTAMP.fullmatch(text):
        return "timestamp"
    if _LOCAL.fullmatch(text):
        return "local timestamp"
    if _DATE.fullmatch(text):
        return "date"
    if _DIGITS.fullmatch(text):
        return "digits"
    if _DECIMAL.fullmatch(text):
        return "decimal"
    return "version" if len(text) <= _LONGEST_VERSION and _VERSION.fullmatch(text) else ""
