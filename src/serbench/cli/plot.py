"""``serbench plot``: draw the pictures of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from serbench.cli.console import Steps, announce
from serbench.command import COMMAND
from serbench.errors import SelectionError
from serbench.examples import epilog
from serbench.extras import need_packages
from serbench.measure.store import Run, find_run
from serbench.paths import Paths
from serbench.report.charts.drawing import to_png, to_svg
from serbench.report.charts.picture import pictures_of
from serbench.report.rows import rows_of
from serbench.selection import find_suite
from serbench.suite import load_suites
from serbench.text import safe


def register(app: typer.Typer) -> None:
    app.command(
        "plot",
        short_help="Draw the pictures of a run.",
        epilog=epilog("plot"),
    )(plot)


def plot(
    run: Annotated[str | None, typer.Argument(help="A run's id or its beginning; the newest where none is given.")] = None,
    suite: Annotated[
        str | None, typer.Option("--suite", metavar="NAME", help=f"The newest run of this suite. See: {COMMAND} list suites")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-O",
            "--output",
            metavar="FOLDER",
            help="Where the files go; made if need be. Default: plots/RUN beside its runs",
        ),
    ] = None,
) -> None:
    """Draw the pictures of a run, as PNG and SVG: the sizes, and the time of each operation.

    Prints the path of each file on standard output.
    """
    need_packages("plot", "altair", "vl_convert")
    paths = Paths.default()
    suites = load_suites(paths.suites)
    find_suite(suite, suites)  # refuses a name that no suite has
    chosen = _chosen(paths.runs, run, suite)
    pictures = pictures_of(chosen, rows_of(chosen), suites.get(chosen.manifest.suite or ""))
    if not pictures:
        raise SelectionError(f"run {chosen.id} has no figure to draw; what became of it: {COMMAND} show {chosen.id}")
    folder = output or paths.home / "plots" / chosen.id
    folder.mkdir(parents=True, exist_ok=True)
    with Steps("drawing") as steps:
        for n, picture in enumerate(pictures):
            steps.step(n, len(pictures), picture.name)
            svg, png = folder / f"{picture.name}.svg", folder / f"{picture.name}.png"
            svg.write_text(to_svg(picture), encoding="utf-8")
            png.write_bytes(to_png(picture))
            print(safe(svg), safe(png), sep="\n", flush=True)


def _chosen(runs: Path, name: str | None, suite: str | None) -> Run:
    """The run that is asked for.

    Raises:
        SelectionError: there is none, or the one that is named is of another suite.
    """
    found = find_run(runs, name, suite, announce)
    own = found.manifest.suite
    if suite is not None and own != suite:
        what = f"of suite {own}" if own else "of no suite"
        raise SelectionError(f"run {found.id} is {what}, not of {suite}; leave out --suite to draw it")
    return found
