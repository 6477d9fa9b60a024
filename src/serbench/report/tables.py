"""The tables of a run: those of its suite where it was one, else codecs by operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from serbench.measure.store import Run
from serbench.report.cost_table import COSTS, Cost, Line, cost_table, costs_of
from serbench.report.footprint_table import Footprint, footprint_tables, footprints_of
from serbench.report.lossy import losses, marked
from serbench.report.overview_table import overview_table
from serbench.report.rows import Row, rows_of
from serbench.report.run_table import run_tables
from serbench.report.suite_table import suite_tables
from serbench.report.table import Table
from serbench.report.wire_table import wire_tables
from serbench.report.wires import Wire, wires_of
from serbench.stats.summary import median_interval
from serbench.workloads.suite import Suite, SuiteRow, load_suites


def tables_of(
    run: Run, suites: Path, published: bool = False, relative_to: str | None = None, width: int | None = None
) -> tuple[list[Table], list[Row], list[Cost | Wire | Footprint]]:
    """The tables of a run, the rows of times that they show, and the records of all else that they show;
    ``suites`` is the folder of suites.

    Args:
        width: columns that tables are made for; None for the terminal's.
    """
    rows = rows_of(run, relative_to)
    suite = load_suites(suites).get(run.manifest.suite or "")
    tables, others = tables_with(run, rows, suite, published, relative_to, width)
    return tables, rows, others


def tables_with(
    run: Run,
    rows: Sequence[Row],
    suite: Suite | None,
    published: bool = False,
    relative_to: str | None = None,
    width: int | None = None,
    times_first: bool = False,
) -> tuple[list[Table], list[Cost | Wire | Footprint]]:
    """As ``tables_of``, where the rows of times and the run's suite are known. On a terminal times come last,
    where the eye is; on a page, with ``times_first``, at its top."""
    costs, wires, footprints = costs_of(run), wires_of(run), footprints_of(run)
    tables = _cost_tables(run, costs, suite, published)
    tables += wire_tables(
        run, wires, rows, {row.codec: row.name for row in suite.rows} if suite else {}, width
    )
    tables += footprint_tables(run, footprints, width)
    if run.manifest.operations:
        times = times_of(run, rows, suite, published, relative_to, width)
        tables = [*times, *tables] if times_first else [*tables, *times]
    elif tables:
        tables[-1].notes += losses([run.manifest])
    if tables and run.manifest.own:
        tables[-1].notes += [f"Not built in, but added by whoever measured: {', '.join(run.manifest.own)}."]
    return tables, [*costs, *wires, *footprints]


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


def _cost_tables(run: Run, costs: Sequence[Cost], suite: Suite | None, published: bool) -> list[Table]:
    """A table of costs for each workload, in the order of the suite's rows, else the least first."""
    metrics = [metric for metric in run.manifest.metrics if metric in COSTS]
    tables = []
    for workload in run.manifest.workloads if metrics else ():
        own = [cost for cost in costs if cost.workload == workload]
        if suite:
            lines = [
                Line(
                    f"{row.name} {cost.compiler}".rstrip(),
                    cost,
                    _published_s(row, workload) if published else None,
                )
                for row in suite.rows
                for cost in own
                if cost.codec == row.codec
            ]
            known = {row.codec for row in suite.rows}
            lines += [Line(cost.name, cost) for cost in own if cost.codec not in known]
        else:
            lines = [Line(cost.name, cost) for cost in sorted(own, key=_order)]
        lines = [replace(line, name=marked(line.name, line.cost.codec, run.manifest)) for line in lines]
        linking = {t.linking for t in run.manifest.toolchains if t.linking}
        tables.append(
            cost_table(
                f"{workload}: compile time and binary size", lines, metrics, ", ".join(sorted(linking))
            )
        )
    return tables


def _order(cost: Cost) -> tuple[float, int]:
    return (median_interval(cost.compile_s).estimate if cost.compile_s else 0.0, cost.size.get("file", 0))


def _published_s(row: SuiteRow, workload: str) -> float | None:
    published = row.published.get(workload)
    return published.compile_s if published else None
