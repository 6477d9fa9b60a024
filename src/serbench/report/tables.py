"""The tables of a run: those of its suite where it was one, else codecs by operations."""

from __future__ import annotations

from pathlib import Path

from serbench.measure.store import Run
from serbench.report.rows import Row, rows_of
from serbench.report.run_table import run_tables
from serbench.report.suite_table import suite_tables
from serbench.report.table import Table
from serbench.suite import load_suites


def tables_of(run: Run, suites: Path, published: bool = False) -> tuple[list[Table], list[Row]]:
    """The tables of a run and the rows behind them; ``suites`` is the folder of suites."""
    rows = rows_of(run)
    suite = load_suites(suites).get(run.manifest.get("suite") or "")
    return (suite_tables(suite, run, rows, published) if suite else run_tables(run, rows)), rows
