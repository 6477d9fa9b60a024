"""Finds the dialect of a CSV file: the delimiter between its cells, and whether its first line is a
header."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from pathlib import Path

from serbench.errors import InputError
from serbench.imports.base import refused
from serbench.imports.csv.guessing import MISSING, NOT_NUMBERS
from serbench.imports.csv.lines import TITLE, Row, lines_of, rows_of
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
    "both": "the header has two lines, and names are made of both, such as A_x of x below A",
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

_FIRST_LINE = ("header", "rows", "units", "groups", "both")
"""The words for a framing that say what a file's first line is."""

_ABOVE = ("groups", "both")
"""The words that say that the first line has names above several columns, and may have fewer cells."""


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
        names: the names of the columns, if the header does not have them as they are; else empty.
        left_out: for each group of skipped lines, and for spaces, words that say which they are, and why.
    """

    delimiter: str
    has_header: bool
    why: str = ""
    skipped: int = 0
    has_units: bool = False
    is_spaced: bool = False
    names: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    def rows(self, file: Path) -> Iterator[Row]:
        """Reads the rows of a file that is written in this way, as ``rows_of`` does."""
        return rows_of(file, self.delimiter, self.skipped, self.is_spaced)

    def below(self, skipped: int, *left_out: str) -> Dialect:
        """Returns the dialect of the whole file, if this is that of the lines below its first ``skipped``
        lines; ``left_out`` tells the user why these are skipped."""
        return replace(self, skipped=self.skipped + skipped, left_out=(*left_out, *self.left_out))


@dataclass(frozen=True)
class _Said:
    """The user's words for a framing: the name of a delimiter, and what the first line is; each may be
    empty."""

    delimiter: str
    first: str

    def option(self, word: str) -> str:
        """Returns the option that says one word more."""
        more = (self.first, "") if word in DELIMITERS else ("", self.delimiter)
        return f"--framing {'+'.join(filter(None, (more[1], word, more[0])))}"


def _said(framing: str) -> _Said:
    words = framing.split("+") if framing else []
    if any(word not in FRAMINGS or "+" in word for word in words):
        raise InputError(f"framing: found '{framing[:100]}'; expected {', '.join(FRAMINGS)}")
    delimiters = [word for word in words if word in DELIMITERS]
    first = [word for word in words if word in _FIRST_LINE]
    if len(delimiters) > 1 or len(first) > 1:
        expected = f"one delimiter, and one of {', '.join(_FIRST_LINE)}"
        raise InputError(f"framing: found '{framing[:100]}'; expected {expected}")
    return _Said("".join(delimiters), "".join(first))


def dialect_of(file: Path, framing: str) -> Dialect:
    """Finds the dialect of a file, as ``framing`` says or else as its first lines show. Raises InputError if
    there is no framing of that name, the file cannot be read, or more than one delimiter fits."""
    said = _said(framing)
    lines = _first_lines(file)
    skipped, left_out, of_file = 0, [], "\t" if ending_of(file) in TAB_SUFFIXES else ""
    if lines and (of_excel := _SEPARATOR.fullmatch(lines[0])):
        of_file, skipped = of_excel["sign"], 1
        left_out.append(f"line 1 says that cells are {_separated(of_file)}: it is no row, and is skipped")
    delimiter = DELIMITERS.get(said.delimiter, "") or of_file
    rest = [line for line in lines[skipped:] if not line.startswith("#")]
    if of_file and not said.delimiter and all(len(row) == 1 for row in _cells(rest, of_file)):
        titles = _titles(rest, [*DELIMITERS.values()])
        fitting = [titles[0]] if titles else _fitting(rest)
        if len(fitting) == 1:
            told = f"no cells are {_separated(of_file)}: they are taken to be {_separated(*fitting)}"
            left_out.append(told)
            delimiter = fitting[0]
    comments = _comments(file, lines[skipped:], said, delimiter)
    if comments:
        skipped += comments
        left_out.append(f"lines above line {skipped + 1} begin with #: they are skipped as comments")
    found = _below(file, lines[skipped:], said, delimiter).below(skipped, *left_out)
    if _is_spaced(lines[found.skipped :], found.delimiter):
        told = "there is a space behind each delimiter: spaces at the beginning of cells are left out"
        return replace(found, is_spaced=True, left_out=(*found.left_out, told))
    return found


def _is_spaced(lines: Sequence[str], delimiter: str) -> bool:
    """Whether a space follows each delimiter that has a cell behind it."""
    sign, is_spaced = re.escape(delimiter), False
    for found in re.finditer(rf'"[^"]*"|{sign}(?=( *)([^{sign}\r\n]?))', "".join(lines)):
        if found[2] and not found[1]:
            return False
        is_spaced = is_spaced or bool(found[2])
    return is_spaced


def _comments(file: Path, lines: Sequence[str], said: _Said, delimiter: str) -> int:
    """Returns how many lines there are up to the last comment above the header; comments begin with ``#``.
    The last comment is itself the header if it has as many cells as the first row, unless it is written like
    a sentence above a header."""
    rest = next((n for n, line in enumerate(lines) if line.strip() and not line.startswith("#")), 0)
    marked = [n for n, line in enumerate(lines[:rest]) if line.startswith("#")]
    if not marked:
        return 0
    last = marked[-1]
    delimiter = delimiter or _delimiter(file, lines[rest:], said)
    above, row = (_cells([line], delimiter) for line in (lines[last], lines[rest]))
    is_header = above and row and 1 < len(above[0]) == len(row[0])
    if is_header and (lines[last][1:2].strip() or _has_value(row[0])):
        return last
    return last + 1


def _below(file: Path, lines: Sequence[str], said: _Said, delimiter: str) -> Dialect:
    """Finds the dialect of the lines below comments. ``delimiter`` is empty if nothing says which it is."""
    titles = _titles(lines, [delimiter] if delimiter else [*DELIMITERS.values()])
    if titles and said.first in _ABOVE and not _second_header(_cells(lines[titles[1] :], titles[0])):
        titles = None  # a line of names of groups may have fewer cells
    if not titles:
        return _headed(file, delimiter or _delimiter(file, lines, said), lines, said)
    delimiter, skipped = titles
    what = "line is" if skipped == 1 else f"{skipped} lines are"
    told = f"the first {what} skipped as a title, with other cells than the rows below"
    return _headed(file, delimiter, lines[skipped:], said).below(skipped, told)


def _headed(file: Path, delimiter: str, lines: Sequence[str], said: _Said) -> Dialect:
    """Returns the dialect of lines that have a header, or whose first one is a row."""
    if said.first == "groups":
        return _below_groups(lines, delimiter, _GROUPS)
    if said.first == "both":
        first, second = (*_cells(lines, delimiter), [], [])[:2]
        told = "the header has two lines, and names are made of both"
        return replace(_below_groups(lines, delimiter, told), names=_both(first, second))
    if said.first == "units":
        return Dialect(delimiter, True, has_units=True, left_out=(_UNITS,))
    return (
        Dialect(delimiter, said.first == "header") if said.first else _guessed(file, delimiter, lines, said)
    )


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
    is_spaced = _is_spaced(lines, delimiter)
    reader = csv.reader(iter(lines), delimiter=delimiter, strict=True, skipinitialspace=is_spaced)
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
    """Finds a title above the header: rows of fewer cells than all rows below, of which the first has names,
    or the first two have. Returns the delimiter, and how many lines there are up to the end of the title;
    None if there is no title, or more than one delimiter fits."""
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
            and (
                (all(cell.strip() for cell in names) and not _has_value(names))
                or _second_header([row for _, row in rows[above:]]) in _ABOVE
            )
        ):
            found.append((delimiter, rows[above - 1][0]))
    return found[0] if len(found) == 1 else None


def _separated(delimiter: str) -> str:
    names = {sign: f"{name}s" for name, sign in DELIMITERS.items()}
    return f"separated by {names.get(delimiter, repr(delimiter))}"


def _fitting(lines: Sequence[str]) -> list[str]:
    """Returns the delimiters that give all rows the same number of cells, and more than one."""
    counts = {each: {len(row) for row in _cells(lines, each)} for each in DELIMITERS.values()}
    return [each for each, found in counts.items() if len(found) == 1 and max(found) > 1]


def _delimiter(file: Path, lines: Sequence[str], said: _Said) -> str:
    """Returns the delimiter that gives all rows the same number of cells, and more than one; if none does,
    the delimiter by which the most rows have as many cells as the first."""
    even = _fitting(lines)
    if len(even) > 1:
        names = [name for name, each in DELIMITERS.items() if each in even]
        found = f"as many cells in each line with {' as with '.join(names)} between them"
        remedy = f"choose one with {' or '.join(map(said.option, names))}"
        raise refused(file, "", found, "one of these", remedy)
    if even:
        return even[0]
    counts = {each: [len(row) for row in _cells(lines, each)] for each in DELIMITERS.values()}
    several = [each for each, cells in counts.items() if cells and cells[0] > 1]
    return max(several, key=lambda each: counts[each].count(counts[each][0])) if several else ","


def _has_value(cells: Sequence[str]) -> bool:
    return any(VALUE.fullmatch(cell.strip()) for cell in cells)


def _guessed(file: Path, delimiter: str, lines: Sequence[str], said: _Said) -> Dialect:
    rows = _cells(lines, delimiter)
    second = _second_header(rows)
    if second == "both":
        found = "two lines of names, neither of which names each column alone"
        both, units, groups = map(said.option, ("both", "units", "groups"))
        remedy = f"{both} makes it of both, {units} takes the first line for it, and {groups} the second"
        raise refused(file, "", found, "one header of distinct names", remedy)
    if second == "groups":
        return _below_groups(lines, delimiter, f"{_GROUPS}; {said.option('both')} takes it into names")
    first = rows[0] if rows else []
    if _has_value(first):
        why = f"the first line has values, so it is no header; use {said.option('header')} if it is one"
        return Dialect(delimiter, False, why)
    if not any(cell.strip() for cell in first):
        return Dialect(delimiter, False, "the first line is empty, so it is no header")
    why = f"the first line has no values, so it is the header; use {said.option('rows')} if it is a row"
    if second == "units":
        keeps = f"{said.option('header')} keeps it"
        left_out = f"{_UNITS}, since it has no value where all others have one; {keeps}"
        return Dialect(delimiter, True, why, has_units=True, left_out=(left_out,))
    if second:
        skips = f"{said.option('units')} skips it"
        why = f"{why}; the second line has no value where all others have one; {skips}"
    return Dialect(delimiter, True, why)


def _second_header(rows: Sequence[Sequence[str]]) -> str:
    """Tells whether the first two rows are both headers, by the columns in which all other rows have values.
    Returns ``units`` if the second row has units, ``groups`` if the first names groups of columns, ``both``
    if only both together name each column, as below merged cells, ``perhaps`` if the second may have units;
    else empty."""
    if len(rows) < 4 or len({len(row) for row in rows}) > 1:
        return ""
    first, second, *body = rows
    typed = [n for n, cells in enumerate(zip(*body, strict=True)) if _are_values(cells)]
    named = [n for n in typed if second[n].strip() not in _NO_UNIT]
    if not named or _has_value(second):
        return ""
    above = [cell.strip() for cell in first]
    if any(below.strip() not in _NO_UNIT and above[n] in ("", *above[:n]) for n, below in enumerate(second)):
        is_complete = all(cell.strip() for cell in second) and len(set(second)) == len(second)
        return "groups" if is_complete else "both"
    if _has_value(first):
        return ""
    return "units" if len(typed) > 1 and len(named) * 2 >= len(typed) else "perhaps"


def _both(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    """Returns the names of columns below two lines, of which the first has names of several columns, each
    written above all of these or above the first of them."""
    made, group = [], ""
    for above, below in zip_longest(first, second, fillvalue=""):
        group = above.strip() or group
        is_named = below.strip() not in _NO_UNIT
        made.append("_".join(filter(None, (group, below.strip()))) if is_named else above.strip())
    return tuple(made)


def _are_values(cells: Sequence[str]) -> bool:
    filled = [cell.strip() for cell in cells if cell.strip()]
    return bool(filled) and all(map(VALUE.fullmatch, filled))
