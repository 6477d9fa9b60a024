"""The tables of a run: those of its suite if it has one, else tables of codecs by operations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from serbench.measure.store import Run
from serbench.report.calls_table import calls_of, calls_tables
from serbench.report.cost_table import cost_tables, costs_of
from serbench.report.figures import Figures
from serbench.report.filters import filter_rows
from serbench.report.footprint_table import footprint_tables, footprints_of
from serbench.report.lossy import losses
from serbench.report.overview_table import overview_table
from serbench.report.rows import Row, rows_of
from serbench.report.run_table import run_tables
from serbench.report.shipped_table import shipped_of, shipped_tables
from serbench.report.suite_table import suite_tables
from serbench.report.table import Table
from serbench.report.threads_table import threads_of, threads_tables
from serbench.report.wire_table import wire_tables, wires_of
from serbench.selecting.suite import Suite, load_suites


def tables_of(
    run: Run, suites: Path, published: bool = False, relative_to: str | None = None, width: int | None = None
) -> tuple[list[Table], list[Row], list[Figures]]:
    """The tables of a run, the rows of times that they show, and the figures of all other metrics.

    Args:
        width: columns that tables are made for; None for the terminal's.
    """
    rows = rows_of(run, relative_to)
    suite = load_suites(suites).get(run.manifest.suite or "")
    tables, others = tables_with(run, rows, suite, published, relative_to, width)
    return tables, [*rows, *filter_rows(run, rows)], others


def tables_with(
    run: Run,
    rows: Sequence[Row],
    suite: Suite | None,
    published: bool = False,
    relative_to: str | None = None,
    width: int | None = None,
    times_first: bool = False,
) -> tuple[list[Table], list[Figures]]:
    """The same as ``tables_of``, where the rows of times and the run's suite are known. On a terminal, times
    come last, just above the prompt; on a page, with ``times_first``, at its top."""
    costs, wires, footprints, shipped = costs_of(run), wires_of(run), footprints_of(run), shipped_of(run)
    called, threads = calls_of(run), threads_of(run)
    names = {row.codec: row.name for row in suite.rows} if suite else {}
    tables = cost_tables(run, costs, suite, published)
    tables += shipped_tables(run, shipped, names)
    tables += wire_tables(run, wires, rows, names, width)
    tables += footprint_tables(run, footprints, width)
    tables += calls_tables(run, called, width)
    tables += threads_tables(run, threads, width)
    if run.manifest.operations:
        times = times_of(run, rows, suite, published, relative_to, width)
        tables = [*times, *tables] if times_first else [*tables, *times]
    elif tables:
        tables[-1].notes += losses([run.manifest])
    if tables and run.manifest.own:
        tables[-1].notes += [f"Not built in, but added by whoever measured: {', '.join(run.manifest.own)}."]
    return tables, [*costs, *shipped, *wires, *footprints, *called, *threads]


def times_of(
    run: Run,
    rows: Sequence[Row],
    suite: Suite | None,
    published: bool = False,
    relative_to: str | None = None,
    width: int | None = None,
) -> list[Table]:
    """The tables of times alone: those of the run's suite, where there is one."""
    if suite:
        return suite_tables(suite, run, rows, published, width)
    overview = overview_table(run, rows)
    return [*([overview] if overview else []), *run_tables(run, rows, width, relative_to)]
