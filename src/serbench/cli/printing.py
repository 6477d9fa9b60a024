"""How the tables of a run are printed, by ``run`` and by ``show``."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from serbench.cli import options
from serbench.cli.console import announce
from serbench.command import COMMAND
from serbench.measure.store import Run
from serbench.paths import Paths
from serbench.report.rows import Row
from serbench.report.show import show_run
from serbench.report.tables import tables_of
from serbench.selection import Need


@dataclass(frozen=True)
class Shown:
    """The options that say how the tables of a run are shown."""

    published: options.ShowPublished = False
    relative_to: options.RelativeTo = None
    full: options.AllNotes = False
    format: options.OutputFormat = options.Format.table


def print_run(run: Run, paths: Paths, shown: Shown, need: str | None = None) -> list[Row]:
    """Prints the tables of a run, and returns its rows. If ``run`` has only the codecs that meet a need,
    ``need`` is its text."""
    tables, rows, costs = tables_of(
        run, paths.suites, shown.published, shown.relative_to, options.width_of(shown.format)
    )
    records = [row.to_json() for row in rows] + [cost.to_json() for cost in costs]
    narrowed = f" --need {shlex.quote(need)}" if need else ""
    # Published figures are not shown without the flaws that they have, which are among the notes.
    all_notes = shown.full or shown.published
    show_run(
        tables, records, shown.format.value, "" if all_notes else f"{COMMAND} show {run.id}{narrowed} --full"
    )
    return rows


def tell_left_out(need: Need, codecs: Sequence[str], left: Sequence[str]) -> None:
    """Announces the codecs that do not meet the need, and the needed languages without a selected codec.

    Args:
        codecs: all codecs that were selected.
        left: those of them that meet the need.
    """
    if others := [codec for codec in codecs if codec not in left]:
        announce(f"left out by --need {need.text}: {', '.join(others)}")
    for language in need.languages:
        if not any(codec.startswith(f"{language}/") for codec in left):
            announce(f"no codec of {language} is selected; to measure those too: -c '{language}/*' -c ...")
