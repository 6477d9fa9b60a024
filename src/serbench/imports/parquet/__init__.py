"""Parquet files, read by pyarrow: a row is a message."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from serbench.imports.base import Format, Imported, Request
from serbench.imports.beginnings import bytes_of
from serbench.imports.columns.files import imported
from serbench.imports.columns.mapping import Told
from serbench.imports.columns.trial import parquet_file

MOST_STATISTICS = 100_000
"""The most statistics (one for each column of each row group) that are looked at for nulls."""


def read(request: Request) -> Imported:
    """Imports the schema and the rows of Parquet files.

    Raises:
        InputError: the files are not Parquet, do not fit together, or have what the type model cannot
            express.
        SetupError: pyarrow is not installed.
    """
    return imported(request, "parquet", "Parquet", _told, _never_null)


def _told(file: Path) -> Told:
    """Returns a function that returns Parquet's own type of a column, by its number; empty if it has none."""
    schema = parquet_file(str(file)).schema

    def told(number: int) -> str:
        if number >= len(schema):
            return ""
        column = schema.column(number)
        if column.physical_type == "INT96":
            return "INT96"
        return "INTERVAL" if column.converted_type == "INTERVAL" else str(column.logical_type.type)

    return told


def _never_null(file: Path) -> Any:
    """Returns a function that tells whether the statistics of a column without parts, by its path, show that
    it has no nulls."""
    metadata = parquet_file(str(file)).metadata

    @cache
    def numbers() -> dict[str, int]:
        return {metadata.schema.column(number).path: number for number in range(metadata.num_columns)}

    def never(column: str) -> bool:
        groups = metadata.num_row_groups
        if column not in numbers() or groups * metadata.num_columns > MOST_STATISTICS:
            return False
        parts = (metadata.row_group(group).column(numbers()[column]).statistics for group in range(groups))
        return bool(groups) and all(
            part is not None and part.has_null_count and part.null_count == 0 for part in parts
        )

    return never


beginning = bytes_of((b"PAR1", "begins with PAR1"))

FORMAT = Format(
    name="parquet",
    title="Parquet",
    suffixes=(".parquet", ".parq", ".pq"),
    read=read,
    recognises=lambda head: bool(beginning(head)),
    beginning=beginning,
    has_signature=True,
    readings=2,
)
