"""Finds out how a CSV file is written: what separates its cells, and whether the first line is a header."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from serbench.errors import InputError
from serbench.imports.base import refused
from serbench.imports.csv.lines import TITLE, lines_of
from serbench.imports.packed import opened

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}

FRAMINGS: Mapping[str, str] = {
    "auto": (
        "the delimiter that gives the first lines equal numbers of cells; the first line is a header "
        "unless one of its cells is a number, a date or similar"
    ),
    "header": "the first line is a header",
    "rows": "there is no header",
    **{name: f"cells are separated by {name}s" for name in DELIMITERS},
    "semicolon+rows": "a delimiter and a header setting, joined by +",
}

TAB_SUFFIXES = (".tsv", ".tab")

_LINES, _BYTES = 1000, 1 << 20
"""A file is judged by its first lines, until there are so many lines or bytes."""

VALUE = re.compile(
    r"[-+]?[\d.,]*\d[\d.,]*([eE][-+]?\d+)?%?|\d{1,4}[-/.]\d\d?[-/.]\d{1,4}([T ].*)?|true|false", re.IGNORECASE
)
"""Matches cells that look like a value and not like the name of a column."""


@dataclass(frozen=True)
class Dialect:
    """How a file is written.

    Attributes:
        delimiter: the character between cells.
        has_header: whether the first line is a header.
        why: why it is taken to be one or not; empty if the user said so.
    """

    delimiter: str
    has_header: bool
    why: str = ""


def dialect_of(file: Path, framing: str) -> Dialect:
    """The dialect of a file, as ``framing`` says or else as its first lines show. Raises InputError if there
    is no such framing, the file cannot be read, or more than one delimiter fits."""
    words = framing.split("+") if framing else []
    for word in words:
        if word not in FRAMINGS or "+" in word:
            raise InputError(f"framing: found '{framing[:100]}'; expected {', '.join(FRAMINGS)}")
    said = [DELIMITERS[word] for word in words if word in DELIMITERS]
    if len(said) > 1 or {"header", "rows"} <= set(words):
        raise InputError(f"framing: found '{framing[:100]}'; expected one delimiter, and header or rows")
    if file.name.lower().removesuffix(".gz").removesuffix(".zst").endswith(TAB_SUFFIXES):
        said = said or ["\t"]
    lines = _first_lines(file)
    delimiter = said[0] if said else _delimiter(file, lines)
    if "header" in words or "rows" in words:
        return Dialect(delimiter, "header" in words)
    return _with_header(delimiter, _cells(lines, delimiter))


def _first_lines(file: Path) -> list[str]:
    found, size = [], 0
    with opened(file, TITLE) as stream:
        for line in islice(lines_of(file, stream), _LINES):
            found.append(line)
            size += len(line)
            if size > _BYTES:
                break
    return found


def _cells(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """The rows in the lines, up to a row that is not valid CSV or goes on behind the last line."""
    found: list[list[str]] = []
    try:
        for row in csv.reader(iter(lines), delimiter=delimiter, strict=True):
            if row:
                found.append(row)
    except csv.Error:
        pass
    return found


def _delimiter(file: Path, lines: Sequence[str]) -> str:
    """The delimiter that gives all rows the same number of cells, and more than one; if there is none, the
    one that gives the most rows as many cells as the first."""
    counts = {each: [len(row) for row in _cells(lines, each)] for each in DELIMITERS.values()}
    even = [each for each, cells in counts.items() if cells and cells[0] > 1 and len(set(cells)) == 1]
    if len(even) > 1:
        names = [name for name, each in DELIMITERS.items() if each in even]
        remedy = f"choose one with {' or '.join(f'--framing {name}' for name in names)}"
        raise refused(
            file,
            "",
            f"as many cells in each line with {' as with '.join(names)} between them",
            "one of these",
            remedy,
        )
    if even:
        return even[0]
    several = [each for each, cells in counts.items() if cells and cells[0] > 1]
    return max(several, key=lambda each: counts[each].count(counts[each][0])) if several else ","


def _with_header(delimiter: str, rows: Sequence[Sequence[str]]) -> Dialect:
    first = rows[0] if rows else []
    if any(VALUE.fullmatch(cell.strip()) for cell in first):
        return Dialect(
            delimiter,
            False,
            "the first line has values, so it is no header; use --framing header if it is one",
        )
    if not any(cell.strip() for cell in first):
        return Dialect(delimiter, False, "the first line is empty, so it is no header")
    return Dialect(
        delimiter,
        True,
        "the first line has no values, so it is the header; use --framing rows if it is a row",
    )
