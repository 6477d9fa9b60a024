"""``serbench compare``: what changed from one run to another."""

from __future__ import annotations

from typing import Annotated

import typer

from serbench.cli import options
from serbench.cli.console import announce
from serbench.cli.ends import end_shown
from serbench.cli.options import flag, option
from serbench.cli.quantities import percent
from serbench.errors import SelectionError
from serbench.languages import contending_options
from serbench.measure.parts import single
from serbench.paths import Paths
from serbench.report.compare_counts import Counted, compare_counts, counts_table
from serbench.report.compare_table import REGRESSION, Compared, compare_sides, compare_table, halves, whole
from serbench.report.show import show


def compare(
    before: Annotated[str, typer.Argument(metavar="RUN_A", help="Id of a run, or its first characters.")],
    after: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN_B",
            help=f"The run to compare with it. Default: compare the two {contending_options()} within RUN_A.",
        ),
    ] = None,
    threshold: Annotated[
        float,
        option(
            "PERCENT",
            "A cell that is slower by more than this is a regression; the exit status is then 1. "
            f"Default: {REGRESSION:.0%}.",
            parser=percent,
            show_default=False,
        ),
    ] = REGRESSION,
    changed: Annotated[bool, flag("--changed", "Show only the cells that changed.")] = False,
    format: options.OutputFormat = options.TableFormat.table,
) -> None:
    """Compare two runs: what became faster or slower, and what is too close to call.

    Compares times, and instructions if both runs have them. Exits with status 1 if a cell became slower, or
    takes more instructions, by more than the threshold.
    """
    paths = Paths.default()
    old = single(paths.runs, before, note=announce)
    first, second = (whole(old), whole(single(paths.runs, after, note=announce))) if after else halves(old)
    found, counts = compare_sides(first, second, threshold), compare_counts(first, second, threshold)
    if not (found.cells or counts):
        raise SelectionError(
            f"{first.name} and {second.name} have nothing to compare: no cell has, in both and on the same "
            "data, times of 3 rounds or instructions counted by the same tool"
        )
    tables = [compare_table(found, first, second, threshold, changed)] if found.cells else []
    tables += [counts_table(counts, first, second, threshold, changed)] if counts else []
    cells: list[Compared | Counted] = [*found.cells, *counts]
    show(tables, [each.to_json() for each in cells], format.value)
    end_shown(any(each.regression for each in cells))
