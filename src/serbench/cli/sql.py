"""``serbench sql``: query runs in SQL."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from serbench.cli import options
from serbench.cli.export import runs_named
from serbench.cli.options import option
from serbench.export.query import ask
from serbench.paths import Paths
from serbench.report.show import show
from serbench.report.table import Table


def sql(
    query: Annotated[
        str, typer.Argument(help="A query on the tables runs, codecs, cells, costs and samples.")
    ],
    run: Annotated[
        list[str] | None,
        option("RUN", "Query only this run, given by its id or first characters; may be repeated."),
    ] = None,
    format: options.OutputFormat = options.TableFormat.table,
) -> None:
    """Query all runs in SQL, with DuckDB.

    Tables, columns and useful queries are in docs/data.md. Needs the extra serbench[sql].
    """
    headings, rows = ask(query, runs_named(Paths.default(), run or [], every=not run))
    records = [dict(zip(headings, row, strict=True)) for row in rows]
    numeric = frozenset(
        n for n in range(len(headings)) if any(isinstance(row[n], int | float) for row in rows)
    )
    table = Table(
        f"rows: {len(rows):,}", headings, [[_cell(value) for value in row] for row in rows], numeric
    )
    show([table], records, format.value)


def _cell(value: Any) -> str:
    """A value for people: whole numbers with commas, others with six digits."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
    return str(value)
