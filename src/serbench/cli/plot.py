"""``serbench plot``: draw the pictures of a run."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

from serbench.cli import options
from serbench.cli.console import Steps, announce
from serbench.cli.options import option
from serbench.errors import SelectionError
from serbench.measure.parts import shown_parts, whole_or_part
from serbench.measure.store import Run
from serbench.paths import Paths
from serbench.report.charts.curve import drawn as curve
from serbench.report.charts.curve import lines_of
from serbench.report.charts.drawing import chart
from serbench.report.charts.heat import heats_of
from serbench.report.charts.heat_drawing import heat_chart
from serbench.report.charts.icicle import why_drawings
from serbench.report.charts.metrics import metric_charts
from serbench.report.charts.picture import filter_pictures, pictures_of
from serbench.report.charts.pixels import Spec, png_of, svg_of
from serbench.report.charts.releases import releases_of, svg
from serbench.report.charts.scatter import filled, scatters_of
from serbench.report.charts.slowest import slowest_of
from serbench.report.kept import history_of, why_of
from serbench.report.machines_table import parts_with_rows
from serbench.report.rows import rows_of
from serbench.report.sweeps import in_sweeps
from serbench.selecting.selection import find_suite
from serbench.selecting.suite import Suite, load_suites
from serbench.system.command import COMMAND
from serbench.system.extras import need_packages
from serbench.system.stamp import sha256_of
from serbench.text import safe

_LONGEST_NAME = 200
"""The most bytes of a file's name without its ending; file systems allow 255 with it."""


def plot(
    run: options.OneRun = None,
    suite: Annotated[
        str | None, option("NAME", f"Draw the newest run of this suite. See: {COMMAND} list suites")
    ] = None,
    output: Annotated[
        Path | None,
        option(
            "FOLDER",
            "Folder for the files, created if it does not exist. Default: plots/RUN beside the runs",
            "-O",
            "--output",
        ),
    ] = None,
) -> None:
    """Draw the results of a run as PNG and SVG: sizes, the time of each operation, that of a filter, size
    against time, where shares of the fields are read, time over the share, of single calls the
    quantiles, the throughput of several threads, the way to the first message, and what is shipped.

    Of a run of why: the bytes of the parts as boxes below each other, and the time of each part. Of a run of
    history: time and size over the releases. Of a run of several machines: how far each codec is behind the
    fastest on each, as a heat map.

    Prints the path of each file on standard output.
    """
    need_packages("plot", "vl_convert")
    paths = Paths.default()
    suites = load_suites(paths.suites)
    find_suite(suite, suites)  # refuses a name that no suite has
    chosen = _chosen(paths.runs, run, suite)
    drawings = list(_drawings(chosen, suites.get(chosen.manifest.suite or "")))
    if not drawings:
        raise SelectionError(f"run {chosen.id} has nothing to draw; to see why: {COMMAND} show {chosen.id}")
    folder = output or paths.home / "plots" / chosen.id
    folder.mkdir(parents=True, exist_ok=True)
    with Steps("drawing") as steps:
        for n, (name, drawn) in enumerate(drawings):
            steps.step(n, len(drawings), name)
            svg, png = (folder / f"{_file_name(name)}.{ending}" for ending in ("svg", "png"))
            spec = drawn()
            svg.write_text(svg_of(spec), encoding="utf-8")
            png.write_bytes(png_of(spec))
            print(safe(svg), safe(png), sep="\n", flush=True)


def _file_name(name: str) -> str:
    """The name of a picture's files. One with many paths would be longer than file systems allow: of it, the
    beginning, a digest and the end are kept."""
    if len(name.encode()) <= _LONGEST_NAME:
        return name
    return f"{name[:60]}-{sha256_of(name)[:8]}{name[-40:]}"


def _drawings(run: Run, suite: Suite | None) -> Iterator[tuple[str, Callable[[], Spec | str]]]:
    """The name of each picture's files, and the function that makes the picture."""
    if run.manifest.cluster:
        for heat in heats_of(run, parts_with_rows(run), suite):
            yield heat.name, partial(heat_chart, heat)
        return
    if why := why_of(run):
        yield from why_drawings(why)
        return
    if history := history_of(run):
        for releases in releases_of(history):
            yield releases.name, partial(svg, releases)
        return
    rows = rows_of(run)
    swept = in_sweeps(run)  # which one picture shows
    own = [row for row in rows if row.workload not in swept]
    for picture in (*pictures_of(run, own, suite), *filter_pictures(run, rows, suite)):
        yield picture.name, partial(chart, picture)
    for scatter in scatters_of(run, own, suite):
        yield scatter.name, partial(filled, scatter)
    for lines in (*lines_of(run, rows), *slowest_of(run)):
        yield lines.name, partial(curve, lines)
    yield from metric_charts(run)


def _chosen(runs: Path, name: str | None, suite: str | None) -> Run:
    """The run that is asked for.

    Raises:
        SelectionError: there is no such run, or the named run is of another suite.
    """
    found = whole_or_part(runs, name, suite, announce)
    parts = shown_parts(found)
    if len(parts) == 1:
        found = parts[0]
    elif parts:
        announce(f"to draw one of them: {COMMAND} plot {shlex.quote(parts[0].id)}")
    own = found.manifest.suite
    if suite is not None and own != suite:
        what = f"of suite {own}" if own else "of no suite"
        raise SelectionError(f"run {found.id} is {what}, not of {suite}; leave out --suite to draw it")
    return found
