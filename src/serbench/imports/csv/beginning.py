"""Recognises CSV by the beginning of a file whose ending does not tell its format.

Any text may have the same number of commas in each line by chance, as a log with a comma in the time of each
line. So only text that also has a header of names above a column of values is taken for CSV.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from serbench.imports.csv.dialect import DELIMITERS, VALUE
from serbench.imports.packed import unpacked_head

_LEAST_ROWS = 3
_NAME = re.compile(r"[^\W\d][\w .:/()%-]{0,59}")


def beginning(head: bytes) -> str:
    """Tells the user how the first bytes of a file, which may be packed, show that it is CSV; empty if they
    do not."""
    try:
        text = unpacked_head(head).rpartition(b"\n")[0].decode()
    except UnicodeDecodeError:
        return ""
    fitting = [(name, rows) for name, each in DELIMITERS.items() if (rows := _table(text, each))]
    if len(fitting) != 1:
        return ""
    ((name, rows),) = fitting
    return f"begins with {len(rows)} lines of {len(rows[0])} cells separated by {name}s, the first of names"


def _table(text: str, delimiter: str) -> Sequence[Sequence[str]]:
    """Returns the rows of a text if all have the same number of cells, and the first has names; else none."""
    try:
        rows = [row for row in csv.reader(text.splitlines(), delimiter=delimiter, strict=True) if row]
    except csv.Error:
        return ()
    if len(rows) < _LEAST_ROWS or len(rows[0]) < 2 or len({len(row) for row in rows}) > 1:
        return ()
    names, *values = rows
    if len(set(names)) < len(names) or not all(_NAME.fullmatch(name.strip()) for name in names):
        return ()
    columns = zip(*values, strict=True)
    return rows if any(all(VALUE.fullmatch(cell.strip()) for cell in column) for column in columns) else ()
