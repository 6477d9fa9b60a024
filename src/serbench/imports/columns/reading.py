"""Reads rows of files of columns as values of the type model, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from serbench.errors import InputError
from serbench.imports.base import refused
from serbench.imports.columns.arrays import Convert
from serbench.imports.columns.cost import cost_of
from serbench.imports.columns.trial import MOST_ROWS, batches
from serbench.imports.following import was_read
from serbench.imports.json.values import Unfit

WINDOW = 32 << 20
"""The most bytes that the values of the rows made at once may take; a single row may take more, up to
``MOST_OF_A_ROW``."""

MOST_OF_A_ROW = 640 << 20


def rows_of(kind: str, files: Sequence[Path], columns: Sequence[Convert]) -> Iterator[tuple[Any, ...]]:
    """Makes a value of each row by ``columns``, a function for each column; raises InputError with the number
    of the row if a row does not fit its type."""
    for file in files:
        before = told = 0
        size = file.stat().st_size
        for batch, share in batches(kind, str(file)):
            for some in _windows(file, batch, before):
                yield from _values(file, some, columns, before)
                before += some.num_rows
            was_read(int(size * share) - told)
            told = int(size * share)
        was_read(size - told)


def _windows(file: Path, batch: Any, before: int) -> Iterator[Any]:
    """Cuts a batch into parts whose values fit into ``WINDOW``; raises InputError for a row whose values take
    too much memory. ``before`` is the number of rows of the file before the batch."""
    done, count = 0, min(batch.num_rows, MOST_ROWS)
    while done < batch.num_rows:
        some = batch.slice(done, min(count, batch.num_rows - done))
        cost = sum(map(cost_of, some.columns))
        if cost > WINDOW and some.num_rows > 1:
            count = max(1, min(some.num_rows - 1, some.num_rows * WINDOW // cost))
            continue
        if cost > MOST_OF_A_ROW:
            found = f"a row whose values take some {cost >> 20} MiB of memory"
            raise refused(file, f"row {before + done + 1}", found, f"at most {MOST_OF_A_ROW >> 20} MiB")
        yield some
        done += some.num_rows


def _values(file: Path, batch: Any, columns: Sequence[Convert], before: int) -> Iterator[tuple[Any, ...]]:
    try:
        made = [convert(column) for convert, column in zip(columns, batch.columns, strict=True)]
    except (Unfit, UnicodeDecodeError) as error:
        raise _refusal(file, batch, columns, before) from error
    yield from zip(*made, strict=True)


def _refusal(file: Path, batch: Any, columns: Sequence[Convert], before: int) -> InputError:
    """Returns the error for the first row of a batch that does not fit its type."""
    for row in range(batch.num_rows):
        for field, convert, column in zip(batch.schema, columns, batch.columns, strict=True):
            try:
                convert(column.slice(row, 1))
            except Unfit as error:
                return refused(
                    file, f"row {before + row + 1}, {error.path}", error.found, error.expected, error.remedy
                )
            except UnicodeDecodeError:
                return refused(
                    file, f"row {before + row + 1}, {field.name}", "text that is not valid UTF-8", "text"
                )
    return refused(file, f"row {before + 1}", "what is not of its type", "values of the schema")
