"""``serbench show``: print the table of a run."""

from __future__ import annotations

from typing import Annotated

import typer

from serbench.cli import options
from serbench.cli.console import announce
from serbench.command import COMMAND
from serbench.measure.store import find_run
from serbench.paths import Paths
from serbench.report.show import show as show_tables
from serbench.report.tables import tables_of


def register(app: typer.Typer) -> None:
    app.command("show", short_help="Print the table of a run.", epilog=f"Example: {COMMAND} show --format markdown")(show)


def show(
    run: Annotated[str | None, typer.Argument(help="A run's id or its beginning; the newest where none is given.")] = None,
    published: options.ShowPublished = False,
    relative_to: options.RelativeTo = None,
    format: options.OutputFormat = options.Format.table,
) -> None:
    """Print the table of a run, also of one that was killed."""
    paths = Paths.default()
    tables, rows, costs = tables_of(
        find_run(paths.runs, run, note=announce), paths.suites, published, relative_to, options.width_of(format)
    )
    show_tables(tables, [row.to_json() for row in rows] + [cost.to_json() for cost in costs], format.value)
