"""``serbench compare``: what changed from one run to another."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from serbench.cli import options
from serbench.cli.asking import What
from serbench.cli.baseline import measured_against
from serbench.cli.console import announce
from serbench.cli.effort import Effort
from serbench.cli.ends import end_shown
from serbench.cli.options import flag, option
from serbench.cli.quantities import percent
from serbench.errors import SelectionError
from serbench.languages import contending_options
from serbench.measure.parts import single
from serbench.paths import Paths
from serbench.report.comment import comment as comment_on
from serbench.report.compare_counts import Counted, compare_counts, counts_table, why_uncounted
from serbench.report.compare_figures import (
    METRICS,
    ComparedFigure,
    compare_figures,
    figures_tables,
    refuse_other_metrics,
)
from serbench.report.compare_table import (
    REGRESSION,
    Compared,
    Side,
    compare_sides,
    compare_table,
    halves,
    whole,
)
from serbench.report.show import show


@dataclass(frozen=True)
class Library:
    """Options that name the two sides of a library that are measured for a comparison."""

    baseline: Annotated[
        str | None,
        option(
            "VERSION|FOLDER|REVISION",
            "Measure codecs beside this version of their library, or with the library in this folder, and "
            "compare the two; with -c, and in place of RUN_A.",
        ),
    ] = None
    candidate: Annotated[
        str | None,
        option(
            "VERSION|FOLDER|REVISION",
            "With --baseline: what is compared with it, in place of the version that codec.toml names, or of "
            "the working tree. Example: --baseline before/dist/mine-1.0.whl --candidate dist/mine-1.1.whl",
        ),
    ] = None
    rounds: Annotated[
        int | None, option("N", "With --baseline: number of rounds. Default: as many as run plans.", min=3)
    ] = None


def compare(
    before: Annotated[
        str | None, typer.Argument(metavar="RUN_A", help="Id of a run, or its first characters.")
    ] = None,
    after: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN_B",
            help=f"The run to compare with it. Default: compare the two {contending_options()} within RUN_A.",
        ),
    ] = None,
    workload: options.Workloads = None,
    codec: options.Codecs = None,
    metric: options.Metrics = None,
    quick: Annotated[bool, flag("--quick", "With --baseline: measure fewer rounds.")] = False,
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
    comment: Annotated[
        Path | None,
        option("FILE", "Write what changed to this file, as short Markdown for a pull request."),
    ] = None,
    changed: Annotated[bool, flag("--changed", "Show only the cells that changed.")] = False,
    format: options.OutputFormat = options.TableFormat.table,
    *,
    library: Library,
) -> None:
    """Compare two runs: what became faster or slower, and what is too close to call.

    Compares times, instructions, single calls, threads and what is shipped, as far as both runs have them.
    Exits with status 1 if a figure became worse by more than the threshold.
    """
    what = What(workload, codec, metric=metric)
    first, second = _sides(before, after, library, what, Effort(rounds=library.rounds, quick=quick))
    refuse_other_metrics(first, second)
    found, counts = compare_sides(first, second, threshold), compare_counts(first, second, threshold)
    figures = compare_figures(first, second, threshold)
    if not (found.cells or counts or figures):
        raise SelectionError(
            f"{first.name} and {second.name} have nothing to compare: no cell has, in both and on the same "
            f"data, times of 3 rounds, instructions counted by the same tool, or figures of "
            f"{', '.join(METRICS)}{why_uncounted(first, second)}"
        )
    tables = [compare_table(found, first, second, threshold, changed)] if found.cells else []
    tables += [counts_table(counts, first, second, threshold, changed)] if counts else []
    tables += figures_tables(figures, first, second, threshold, changed)
    cells: list[Compared | Counted | ComparedFigure] = [*found.cells, *counts, *figures]
    if comment:
        comment.write_text(comment_on(found, [*counts, *figures], first, second, threshold))
    show(tables, [each.to_json() for each in cells], format.value)
    end_shown(any(each.regression for each in cells))


def _sides(
    before: str | None,
    after: str | None,
    library: Library,
    what: What,
    effort: Effort,
) -> tuple[Side, Side]:
    """The two sides to compare: runs that are named, halves of one, or those that are measured for this.

    Raises:
        SelectionError: options of two of these are mixed, or nothing is named.
    """
    if library.baseline is not None:
        if before:
            raise SelectionError(f"--baseline measures a run of its own; expected no RUN_A, found {before}")
        return measured_against(library.baseline, library.candidate, what, effort)
    if not before:
        raise SelectionError("there is nothing to compare; expected RUN_A, or --baseline with -c CODEC")
    if what != What() or effort != Effort() or library.candidate:
        raise SelectionError(
            "-w, -c, --candidate, --metric, --quick and --rounds say what --baseline measures; "
            "a run has its own"
        )
    paths = Paths.default()
    old = single(paths.runs, before, note=announce)
    return (whole(old), whole(single(paths.runs, after, note=announce))) if after else halves(old)
