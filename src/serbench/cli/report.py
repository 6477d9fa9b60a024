"""``serbench report``: write runs as a page to look at and pass on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from serbench.cli import options
from serbench.cli.console import announce
from serbench.cli.export import runs_named, write_output
from serbench.cli.options import option
from serbench.languages.install import may_install
from serbench.measure.store import Run
from serbench.page.assets import assets
from serbench.page.contents import Installation
from serbench.page.document import page
from serbench.paths import Paths
from serbench.report.kept import asked_of
from serbench.selecting.catalogue import load_variants
from serbench.selecting.conforming import load_conformance
from serbench.selecting.selection import READING
from serbench.selecting.suite import load_suites
from serbench.text import shortened

_LONGEST_TITLE = 200

_WORKLOADS_NAMED = 3

_PATHS_NAMED = 4


def report(
    run: Annotated[
        list[str] | None,
        typer.Argument(
            help="Ids of runs, or their first characters; the first is compared with each of the "
            "others. Default: the newest run."
        ),
    ] = None,
    output: Annotated[Path, option("FILE", "Output file.", "-O", "--output")] = Path("report.html"),
    title: Annotated[str | None, option("TEXT", "Title of the page.")] = None,
    no_install: options.NoInstall = False,
) -> None:
    """Write a report of runs: one self-contained HTML file, which needs no network.

    It shows the verdict, a chart of size against time, every figure with its interval, a calculator for your
    own load, and how everything was measured. It contains no values of your data.
    """
    paths = Paths.default()
    runs = runs_named(paths, run or [], every=False)
    built = assets(announce, (lambda: False) if no_install else may_install)
    told = shortened(title or title_of(runs), _LONGEST_TITLE)
    write_output(output, page(runs, known_here(paths), told, built))


def known_here(paths: Paths) -> Installation:
    """The codecs and suites of this installation, with the user's own codecs, and what was seen of them."""
    variants, suites = load_variants(*paths.all_codecs), load_suites(paths.suites)
    return Installation(variants, suites, load_conformance(paths.codecs))


def title_of(runs: Sequence[Run]) -> str:
    """The default title of a page: what was asked, such as ``orders: which serializer?``"""
    if len(runs) == 1 and (asked := asked_of(runs[0])):
        return asked
    workloads = dict.fromkeys(name for run in runs for name in run.manifest.workloads)
    datasets = {name: data for run in runs for name, data in run.manifest.datasets.items()}
    parts = {name: data.paths for name, data in datasets.items() if data.whole}
    verbs = {"read" if data.operation == READING else "change" for data in datasets.values() if data.whole}
    verb = " or ".join(sorted(verbs, reverse=True))
    sets = list(dict.fromkeys(paths for name in workloads if (paths := parts.get(name))))
    what = "which serializer?"
    if len(sets) == 1 and len(sets[0].split(",")) <= _PATHS_NAMED:
        what = f"which serializer to {verb} {sets[0].replace(',', ', ')}?"
    elif sets:
        what = f"which serializer to {verb} {f'{len(sets)} sets of' if len(sets) > 1 else 'some'} fields?"
    wholes = [name for name in workloads if name not in parts]
    more = len(wholes) - _WORKLOADS_NAMED
    named = ", ".join(wholes[:_WORKLOADS_NAMED]) + (f" and {more} more" if more > 0 else "")
    return f"{named}: {what}" + (f" {len(runs)} runs compared" if len(runs) > 1 else "")
