"""Finds the dialect of a CSV file: the delimiter between its cells, and whether its first line is a
header."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from serbench.errors import InputError
from serbench.imports.base import refused
from serbench.imports.csv.guessing import MISSING, NOT_NUMBERS
from serbench.imports.csv.lines import TITLE, lines_of
from serbench.imports.packed import ending_of, opened

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}

FRAMINGS: Mapping[str, str] = {
    "auto": (
        "the delimiter that gives the first lines equal numbers of cells; the first line is a header "
        "unless one of its cells is a number, a date or similar"
    ),
    "header": "the first line is a header",
    "rows": "there is no header",
    "units": "the first line is a header, and the second one, of units or the like, is skipped",
    "groups": "the first line, of names above several columns, is skipped, and the second one is a header",
    **{name: f"cells are separated by {name}s" for name in DELIMITERS},
    "semicolon+rows": "a delimiter and a header setting, joined by +",
}

TAB_SUFFIXES = (".tsv", ".tab")

_LINES, _BYTES = 1000, 1 << 20
"""The most lines and bytes at the beginning of a file by which its dialect is found."""

VALUE = re.compile(
    r"[-+]?[\d.,]*\d[\d.,]*([eE][-+]?\d+)?%?|\d{1,4}[-/.]\d\d?[-/.]\d{1,4}([T ].*)?|true|false", re.IGNORECASE
)
"""Matches cells that look like a value and not like the name of a column."""

_SEPARATOR = re.compile(r'"?sep=(?P<sign>[^"\r\n])"?\s*', re.IGNORECASE)
"""Matches the line by which Excel is told what separates cells."""

_MOST_TITLES = 10
"""The most lines that are taken for a title above the header."""

_NO_UNIT = frozenset({"", *MISSING, *NOT_NUMBERS})

_FIRST_LINE = ("header", "rows", "units", "groups")
"""The words for a framing that say what a file's first line is."""


@dataclass(frozen=True)
class Dialect:
    """The way in which a file of CSV is written.

    Attributes:
        delimiter: the character between cells.
        has_header: whether the first line that is not skipped is a header.
        why: the reason to take that line for a header or not; empty if the user said so.
        skipped: how many lines above the header, or above the first row, are skipped.
        has_units: whether the row below the header is skipped too.
        is_spaced: whether there is a space behind each delimiter, which belongs to no cell.
        left_out: for each group of skipped lines, and for spaces, words that say which they are, and why.
    """

    delimiter: str
    has_header: bool
    why: str = ""
    skipped: int = 0
    has_units: bool = False
    is_spaced: bool = False
    left_out: tuple[str, ...] = ()

    def below(self, skipped: int, *left_out: str) -> Dialect:
        """Returns the dialect of the whole file, if this is that of the lines below its first ``skipped``
        lines; ``left_out`` tells the user why these are skipped."""
        return replace(self, skipped=self.skipped + skipped, left_out=(*left_out, *self.left_out))


def dialect_of(file: Path, framing: str) -> Dialect:
    """Finds the dialect of a file, as ``framing`` says or else as its first lines show. Raises InputError if
    there is no framing of that name, the file cannot be read, or more than one delimiter fits."""
    words = framing.split("+") if framing else []
    for word in words:
        if word not in FRAMINGS or "+" in word:
            raise InputError(f"framing: found '{framing[:100]}'; expected {', '.join(FRAMINGS)}")
    said = [DELIMITERS[word] for word in words if word in DELIMITERS]
    first = [word for word in words if word in _FIRST_LINE]
    if len(said) > 1 or len(first) > 1:
        expected = f"one delimiter, and one of {', '.join(_FIRST_LINE)}"
        raise InputError(f"framing: found '{framing[:100]}'; expected {expected}")
    lines = _first_lines(file)
    skipped, left_out = 0, []
    if lines and (of_excel := _SEPARATOR.fullmatch(lines[0])):
        said = said or [of_excel["sign"]]
        names = {sign: f"{name}s" for name, sign in DELIMITERS.items()}
        separated = f"separated by {names.get(of_excel['sign'], repr(of_excel['sign']))}"
        skipped, left_out = 1, [f"line 1 says that cells are {separated}: it is no row, and is skipped"]
    elif ending_of(file) in TAB_SUFFIXES:
        said = said or ["\t"]
    comments = _comments(file, lines[skipped:], said)
    if comments:
        skipped += comments
        left_out.append(f"lines above line {skipped + 1} begin with #: they are skipped as comments")
    found = _below(file, lines[skipped:], said, first).below(skipped, *left_out)
    if _is_spaced(_cells(lines[found.skipped :], found.delimiter)):
        told = "there is a space behind each delimiter: it is left out"
        found = replace(found, is_spaced=True, left_out=(*found.left_out, told))
    return found


def _is_spaced(rows: Sequence[Sequence[str]]) -> bool:
    """Whether all cells that have something before them in their row begin with a space."""
    behind = [cell for row in rows for cell in row[1:]]
    return any(map(str.strip, behind)) and all(cell.startswith(" ") for cell in behind if cell)


def _comments(file: Path, lines: Sequence[str], said: Sequence[str]) -> int:
    """Returns how many lines there are up to the last comment above the header; comments begin with ``#``.
    The last comment is itself the header if it has as many cells as the first row, unless it is written like
    a sentence above a header."""
    rest = next((n for n, line in enumerate(lines) if line.strip() and not line.startswith("#")), 0)
    marked = [n for n, line in enumerate(lines[:rest]) if line.startswith("#")]
    if not marked:
        return 0
    last = marked[-1]
    delimiter = said[0] if said else _delimiter(file, lines[rest:])
    above, row = (_cells([line], delimiter) for line in (lines[last], lines[rest]))
    is_header = above and row and 1 < len(above[0]) == len(row[0])
    if is_header and (lines[last][1:2].strip() or _has_value(row[0])):
        return last
    return last + 1


def _below(file: Path, lines: Sequence[str], said: Sequence[str], first: Sequence[str]) -> Dialect:
    """Finds the dialect of the lines below comments. ``said`` holds the delimiter that the user named, and
    ``first`` the user's word for the first line; each is empty if the user named none."""
    titles = None if first else _titles(lines, said or tuple(DELIMITERS.values()))
    if titles:
        delimiter, skipped = titles
        what = "line is" if skipped == 1 else f"{skipped} lines are"
        found = _with_header(file, delimiter, lines[skipped:])
        told = f"the first {what} skipped as a title, with other cells than the rows below"
        return found.below(skipped, told)
    delimiter = said[0] if said else _delimiter(file, lines)
    if not first:
        return _with_header(file, delimiter, lines)
    if first[0] == "groups":
        return _below_groups(lines, delimiter, _GROUPS)
    if first[0] == "units":
        return Dialect(delimiter, True, has_units=True, left_out=(_UNITS,))
    return Dialect(delimiter, first[0] == "header")


_UNITS = "the line below the header is skipped as one of units or the like"
_GROUPS = "the line above the header is skipped as one of names above several columns"


def _first_lines(file: Path) -> list[str]:
    found, size = [], 0
    with opened(file, TITLE) as stream:
        for line in islice(lines_of(file, stream), _LINES):
            found.append(line)
            size += len(line)
            if size > _BYTES:
                break
    return found


def _rows(lines: Sequence[str], delimiter: str) -> list[tuple[int, list[str]]]:
    """Returns the rows of some lines, each with the number of the line at which it ends, up to a row that is
    not valid CSV or goes on behind the last line."""
    reader = csv.reader(iter(lines), delimiter=delimiter, strict=True)
    found = []
    with suppress(csv.Error):
        for row in reader:
            if row:
                found.append((reader.line_num, row))
    return found


def _cells(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    return [row for _, row in _rows(lines, delimiter)]


def _below_groups(lines: Sequence[str], delimiter: str, told: str) -> Dialect:
    """Returns the dialect of lines whose first row names groups of columns; ``told`` tells the user so."""
    return Dialect(delimiter, True).below(next((end for end, _ in _rows(lines, delimiter)), 0), told)


def _titles(lines: Sequence[str], delimiters: Sequence[str]) -> tuple[str, int] | None:
    """Finds a title above the header: rows of fewer cells than all rows below, of which the first has names.
    Returns the delimiter, and how many lines there are up to the end of the title; None if there is no title,
    or more than one delimiter fits."""
    found = []
    for delimiter in delimiters:
        rows = _rows(lines, delimiter)
        counts = [len(row) for _, row in rows]
        above = next((n for n, count in enumerate(counts) if count == counts[-1]), 0)
        names = rows[above][1] if rows else []
        if len(set(counts)) == 1 and counts[0] > 1:
            return None
        if (
            1 <= above <= _MOST_TITLES
            and len(rows) >= above + 2
            and set(counts[above:]) == {counts[-1]}
            and max(counts[:above]) < counts[-1]
            and all(cell.strip() for cell in names)
            and not _has_value(names)
        ):
            found.append((delimiter, rows[above - 1][0]))
    return found[0] if len(found) == 1 else None


def _delimiter(file: Path, lines: Sequence[str]) -> str:
    """Returns the delimiter that gives all rows the same number of cells, and more than one; if none does,
    the delimiter by which the most rows have as many cells as the first."""
    counts = {each: [len(row) for row in _cells(lines, each)] for each in DELIMITERS.values()}
    even = [each for each, cells in counts.items() if cells and cells[0] > 1 and len(set(cells)) == 1]
    if len(even) > 1:
        names = [name for name, each in DELIMITERS.items() if each in even]
        found = f"as many cells in each line with {' as with '.join(names)} between them"
        remedy = f"choose one with {' or '.join(f'--framing {name}' for name in names)}"
        raise refused(file, "", found, "one of these", remedy)
    if even:
        return even[0]
    several = [each for each, cells in counts.items() if cells and cells[0] > 1]
    return max(several, key=lambda each: counts[each].count(counts[each][0])) if several else ","


def _has_value(cells: Sequence[str]) -> bool:
    return any(VALUE.fullmatch(cell.strip()) for cell in cells)


def _with_header(file: Path, delimiter: str, lines: Sequence[str]) -> Dialect:
    rows = _cells(lines, delimiter)
    second = _second_header(rows)
    if second == "both":
        found = "two lines of names, neither of which names each column alone"
        remedy = "--framing units takes the first line for it, and --framing groups the second"
        raise refused(file, "", found, "one header of distinct names", remedy)
    if second == "groups":
        return _below_groups(lines, delimiter, f"{_GROUPS}; --framing header or rows keeps it")
    first = rows[0] if rows else []
    if _has_value(first):
        why = "the first line has values, so it is no header; use --framing header if it is one"
        return Dialect(delimiter, False, why)
    if not any(cell.strip() for cell in first):
        return Dialect(delimiter, False, "the first line is empty, so it is no header")
    why = "the first line has no values, so it is the header; use --framing rows if it is a row"
    if second == "units":
        left_out = f"{_UNITS}, since it has no value where all others have one; --framing header keeps it"
        return Dialect(delimiter, True, why, has_units=True, left_out=(left_out,))
    if second:
        why = f"{why}; {second}"
    return Dialect(delimiter, True, why)


def _second_header(rows: Sequence[Sequence[str]]) -> str:
    """Tells whether the first two rows are both headers, by the columns in which all other rows have values.
    Returns ``units`` if the second row has units, ``groups`` if the first names groups of columns, ``both``
    if only both together name each column, as below merged cells, advice for the user if the second may have
    units; else empty."""
    if len(rows) < 4 or len({len(row) for row in rows}) > 1:
        return ""
    first, second, *body = rows
    typed = [n for n, cells in enumerate(zip(*body, strict=True)) if _are_values(cells)]
    named = [n for n in typed if second[n].strip() not in _NO_UNIT]
    if not named or _has_value(second):
        return ""
    filled = [cell for cell in first if cell.strip()]
    if len(set(filled)) < len(first) and all(cell.strip() for cell in second):
        return "groups" if len(set(second)) == len(second) else "both"
    over_several = (b.strip() and not a.strip() for a, b in zip(first, second, strict=True))
    if len(set(filled)) < len(filled) or any(over_several):
        return "both"
    if _has_value(first):
        return ""
    if len(typed) > 1 and len(named) * 2 >= len(typed):
        return "units"
    return "the second line has no value where all others have one; --framing units skips it"


def _are_values(cells: Sequence[str]) -> bool:
    filled = [cell.strip() for cell in cells if cell.strip()]
    return bool(filled) and all(map(VALUE.fullmatch, filled))
