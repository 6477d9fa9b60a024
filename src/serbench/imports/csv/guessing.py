"""Guesses the types of CSV columns from all of their cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite

from serbench.imports.base import setting
from serbench.imports.epochs import hint, of_fractions
from serbench.imports.json.plain import Simple, may_be_enum, times
from serbench.imports.json.texts import Text
from serbench.model.types import Logical, bool_, f64, i32, i64, string, u64

BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}

NOT_NUMBERS = {
    text: float(text)
    for word in ("nan", "inf", "-inf", "infinity", "-infinity")
    for text in (word, word.upper(), word.title())
} | {"NaN": float("nan")}

MISSING = frozenset(("NA", "N/A", "n/a", "NULL", "null", "None", "none", "\\N", "-", "."))
"""Words that stand for a missing value in columns that the user wants to be optional, and not of text."""

INTEGER = re.compile(r"0|-?[1-9][0-9]*")
NUMBER = re.compile(r"-?(0|[1-9][0-9]*|(?=\.[0-9]))(\.[0-9]*)?([eE][-+]?[0-9]+)?")
_DECIMAL_COMMA, _THOUSANDS = "a decimal comma", "commas between thousands"
_POINTS = "points between thousands"
"""The words for a decimal comma in numbers that are all whole."""

_WAYS = {
    _DECIMAL_COMMA: re.compile(r"-?(0|[1-9][0-9]*|[1-9][0-9]{0,2}(\.[0-9]{3})+|(?=,))(,[0-9]+)?"),
    _THOUSANDS: re.compile(rf"{NUMBER.pattern}|-?[1-9][0-9]{{0,2}}(,[0-9]{{3}})+(\.[0-9]*)?"),
}
"""A way in which people write numbers, in words → the cells that are written so."""

_DIGITS = re.compile(r"[0-9]+")

_WHOLES = {
    i32: "all are whole numbers of 32 bits at most",
    i64: "all are whole numbers, and some are beyond 32 bits",
    u64: "all are whole numbers, none is negative, and some are beyond 63 bits",
}
"""Type of whole numbers → why it is taken, in words. The first type that holds all numbers is taken."""

SAMPLE = 2000
"""The number of rows in which texts are examined for what else they could be."""

LONGEST_DIGITS = 17
"""The most digits of a number that a double keeps; where numbers have more, the user is told of rounding."""


class GuessedColumn:
    """Facts about the cells of one column. No cell is kept, except as a member of an enum.

    Attributes:
        members: the different texts in the order of the rows, at most one more than an enum may have; None if
            the user wants no enum.
        is_empty: whether some cell is empty.
    """

    def __init__(self, most_members: int = 0) -> None:
        self.members: dict[str, None] | None = {} if most_members else None
        self.is_empty = self._is_filled = False
        self._most_members = most_members
        self._bool = self._integer = self._number = self._missing = self._padded = True
        self._low: int | None = None
        self._high: int | None = None
        self._rounds = self._has_words = self._has_numbers = False
        self._ways, self._wholes = {*_WAYS}, {*_WAYS}
        self._has_commas = self._has_signs = self._lacks = False
        self._text = Text()
        self._in_sample = 0

    def add(self, cells: Sequence[str]) -> None:
        """Notes the facts of some more cells of the column, in the order of the rows."""
        distinct = set(cells)
        if "" in distinct:
            self.is_empty = True
            distinct.discard("")
        if not distinct:
            return
        self._is_filled = True
        if self.members is not None and len(self.members) <= self._most_members:
            self.members.update(dict.fromkeys(cell for cell in cells if cell))
        self._bool = self._bool and distinct <= BOOLS.keys()
        self._add_numbers(distinct)
        self._add_texts(cells, distinct)

    def _add_numbers(self, distinct: set[str]) -> None:
        if self._integer:
            self._integer = all(map(INTEGER.fullmatch, distinct))
            if self._integer:
                self._has_numbers = True
                numbers = [*map(_whole, distinct)]
                self._low = min(numbers) if self._low is None else min(self._low, *numbers)
                self._high = max(numbers) if self._high is None else max(self._high, *numbers)
                return
        if self._number or self._missing:
            rest = {cell for cell in distinct if not NUMBER.fullmatch(cell)}
            self._missing = self._missing and rest <= MISSING | NOT_NUMBERS.keys()
            self._has_numbers = self._has_numbers or len(rest) < len(distinct)
            if self._number:
                is_finite = all(isfinite(float(cell)) for cell in distinct - rest if _may_be_infinite(cell))
                self._number = is_finite and rest <= NOT_NUMBERS.keys()
                self._missing = self._missing and is_finite
                self._has_words = self._has_words or bool(rest)
                self._rounds = self._rounds or any(
                    len(cell) > LONGEST_DIGITS and _digits(cell) > LONGEST_DIGITS for cell in distinct - rest
                )

        if self._ways:
            self._add_ways(distinct)

    def _add_ways(self, distinct: set[str]) -> None:
        """Notes in which ways the cells are numbers with commas, or with points between thousands."""
        found = distinct - MISSING - NOT_NUMBERS.keys()
        asked = self._ways
        if self._number:  # the cells are as computers write them, with which commas between thousands go
            asked = asked & {_DECIMAL_COMMA}
        else:
            self._lacks = self._lacks or not distinct.isdisjoint(MISSING)
            self._has_commas = self._has_commas or any("," in cell for cell in found)
            self._has_signs = (
                self._has_commas or self._has_signs or any(cell.count(".") > 1 for cell in found)
            )
        self._ways = self._ways - {way for way in asked if not all(map(_WAYS[way].fullmatch, found))}
        wholes = self._wholes & self._ways if distinct.isdisjoint(NOT_NUMBERS) else ()
        self._wholes = {way for way in wholes if all(_is_whole(_plain(way, cell)) for cell in found)}

    def _add_texts(self, cells: Sequence[str], distinct: set[str]) -> None:
        self._padded = self._padded and all(map(_DIGITS.fullmatch, distinct))
        in_sample = self._in_sample < SAMPLE
        for cell in distinct:
            self._text.add(cell, in_sample)
        self._in_sample += in_sample * len(cells)

    def guess(self, path: str) -> Simple:
        """Decides the type of the column, which settings call ``path``, if the user has not set one."""
        if not self._is_filled:
            return Simple(string, "all cells are empty")
        if self._bool:
            return Simple(bool_, "all are true or false")
        if self._integer:
            return self._whole(path)
        if self._number and self._has_numbers:
            words = "; some are NaN or infinite" if self._has_words else ""
            what = f"some have more than {LONGEST_DIGITS} digits, which doubles round"
            why = f"all are numbers{words}"
            if self._text.looks == "decimal":
                told = of_fractions(path, f"those in the first {SAMPLE} rows", *self._text.digits, "numbers")
                why = "; ".join(filter(None, (why, told)))
            return Simple(f64, why, (what,) if self._rounds else ())
        if self._text.uuid:
            return Simple(Logical("uuid", string), "all are UUIDs; they remain strings")
        return Simple(string, self._of_text(path))

    def _whole(self, path: str) -> Simple:
        low, high = self._low or 0, self._high or 0
        for type, why in _WHOLES.items():
            if type.bounds[0] <= low and high <= type.bounds[1]:
                return Simple(type, "; ".join(filter(None, (why, hint(path, path, "they", low, high)))))
        return Simple(string, "some whole numbers are beyond 64 bits, so all stay texts")

    def _of_text(self, path: str) -> str:
        if why := times(self._text, path, f"those in the first {SAMPLE} rows"):
            return why
        if self._padded:
            return "all are digits, but some begin with zero, which a number would not keep"
        if self._missing and self._has_numbers:
            said = setting(path, "optional<f64>")
            return f"all are numbers except words such as NA; {said} treats these as absent"
        if why := self._of_written(path):
            return why
        distinct = len(self._text.distinct)
        if may_be_enum(self._in_sample, distinct):
            said = setting(path, "enum")
            return f"{distinct} different texts in the first {SAMPLE} rows; {said} makes an enum of them"
        return ""

    def _of_written(self, path: str) -> str:
        """Tells that texts are numbers with commas or with points between thousands, and the setting that
        makes numbers of them if they are written in one way only; empty if they are none."""
        if not self._ways or not self._has_signs:
            return ""
        ways = [way for way in _WAYS if way in self._ways] if self._has_commas else [_POINTS]
        what = f"all are numbers with {' or '.join(ways)}"
        if len(self._ways) > 1:
            return f"{what}: what they mean is not sure, so they stay texts"
        low, high = i64.bounds
        fits = low <= (self._low or 0) and (self._high or 0) <= high
        type = "i64" if self._ways <= self._wholes and fits else "f64"
        if self._lacks:
            what, type = f"{what} except words such as NA", f"optional<{type}>"
        return f"{what}; {setting(path, type)} reads them"

    def plain(self, cell: str) -> str:
        """Returns the number in a cell as computers write it, if all cells were seen to be numbers with such
        signs, in one way only; else the cell as it is."""
        if not self._has_signs or len(self._ways) != 1:
            return cell
        [way] = self._ways
        return _plain(way, cell)


def _plain(way: str, cell: str) -> str:
    return cell.replace(",", "") if way == _THOUSANDS else cell.replace(".", "").replace(",", ".")


def _is_whole(cell: str) -> bool:
    """Whether a cell is a whole number that surely fits 64 bits."""
    return len(cell) <= 18 and INTEGER.fullmatch(cell) is not None


def _whole(cell: str) -> int:
    """Returns the number in a cell, or some number that no type holds if the cell has more digits than any
    type."""
    return int(cell) if len(cell) <= 30 else 1 << 100


def _may_be_infinite(cell: str) -> bool:
    return "e" in cell or "E" in cell or len(cell) > 300


def _digits(cell: str) -> int:
    mantissa = cell.lower().partition("e")[0]
    return len(mantissa.replace("-", "").replace(".", "").strip("0"))
