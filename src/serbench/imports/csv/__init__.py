"""CSV and TSV: a row is a message, and the types of the columns are inferred from all rows.

The dialect of a file follows from its first lines (dialect.py). The first pass notes facts about the cells of
each column (guessing.py, tables.py), in bounded memory; the second makes values of cells (values.py). The
mapping says what was guessed, and why; the user can set other types.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from serbench.imports.base import Format, Imported, Request, refused
from serbench.imports.csv.beginning import beginning
from serbench.imports.csv.dialect import FRAMINGS, TAB_SUFFIXES
from serbench.imports.csv.lines import Row
from serbench.imports.csv.tables import CsvFile, CsvTable, check_same, source
from serbench.imports.json.recognise import beginning as begins_json
from serbench.imports.json.settings import PathSettings
from serbench.imports.json.values import Unfit
from serbench.text import shortened

ROW = "Row"


def read(request: Request) -> Imported:
    """Infers the types of the columns from all rows of all files, which make one dataset.

    Raises:
        InputError: a file cannot be read, is not CSV, or has other columns than the first; or a setting is
            wrong.
    """
    settings = PathSettings.parse(request.settings)
    sources = [source(file, request.framing) for file in (*request.files, *request.data)]
    check_same(sources)
    table = CsvTable(sources, settings, request.root or ROW)
    return Imported(table.root, table.also, table.mapping, table.losses, partial(_values, sources, table))


def _values(sources: Sequence[CsvFile], table: CsvTable) -> Iterator[Any]:
    for file in sources:
        for some in file.chunks():
            try:
                cells = zip(*(row for _, row in some), strict=True)
                columns = [convert(each) for convert, each in zip(table.converts, cells, strict=True)]
            except (Unfit, ValueError, KeyError):  # the last two only if the file has been changed meanwhile
                raise _refusal(file, some, table) from None
            yield from zip(*columns, strict=True)


def _refusal(source: CsvFile, rows: Sequence[Row], table: CsvTable) -> Exception:
    """Returns the error for the first cell of some rows that does not fit the type of its column."""
    for line, row in rows:
        for path, convert, cell in zip(table.paths, table.converts, row, strict=True):
            found, expected = f"a cell of {len(cell)} characters", "what it was at the first reading"
            try:
                convert((cell,))
            except (Unfit, ValueError, KeyError) as error:
                if isinstance(error, Unfit):
                    found, expected = error.found, error.expected
                return refused(source.file, f"line {line}, {shortened(path, 300)}", found, expected)
    found = "rows that are not of their types"
    return refused(source.file, f"line {rows[0][0]}", found, "cells of the columns")


FORMAT = Format(
    name="csv",
    title="CSV",
    suffixes=(".csv", *TAB_SUFFIXES),
    recognises=lambda head: not begins_json(head),
    read=read,
    framings=FRAMINGS,
    beginning=beginning,
    readings=2,
)
