"""Writes tables to files."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from serbench.export.columns import TABLES, Columns, Kind
from serbench.report.show import as_cell
from serbench.system.extras import need_packages
from serbench.text import safe_json

if TYPE_CHECKING:
    import pyarrow

FORMATS = ("csv", "json", "parquet")


def written(name: str, columns: Columns, format: str) -> bytes:
    """Write a table as CSV, as JSON (records without values that are unknown) or as Parquet.

    In CSV, text that a spreadsheet would take for a formula has a ``'`` before it.

    Raises:
        SetupError: for Parquet, pyarrow is not installed.
    """
    if format == "parquet":
        need_packages("parquet", "pyarrow")
        import pyarrow
        from pyarrow import parquet

        sink = pyarrow.BufferOutputStream()
        parquet.write_table(arrow_table(name, columns), sink, compression="zstd")
        return bytes(sink.getvalue())
    return (_as_csv(columns) if format == "csv" else _as_json(columns)).encode()


def _as_csv(columns: Columns) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*([as_cell(value) for value in values] for values in columns.values()), strict=True))
    return out.getvalue()


def _as_json(columns: Columns) -> str:
    rows = zip(*columns.values(), strict=True)
    records = [
        {name: value for name, value in zip(columns, row, strict=True) if value is not None} for row in rows
    ]
    return safe_json(json.dumps(records, indent=1, ensure_ascii=False)) + "\n"


def arrow_table(name: str, columns: Columns) -> pyarrow.Table:
    """Make a table for Arrow; each column has its declared type even if it has no value."""
    import pyarrow

    types: dict[Kind, Any] = {
        "text": pyarrow.string(),
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "boolean": pyarrow.bool_(),
    }
    fields = [pyarrow.field(column.name, types[column.kind]) for column in TABLES[name]]
    return pyarrow.table(columns, schema=pyarrow.schema(fields))
