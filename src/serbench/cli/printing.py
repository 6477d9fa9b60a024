"""How the tables of a run are printed, by ``run`` and by ``show``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from serbench.cli import options
from serbench.cli.console import announce
from serbench.codecs.codec import Variant
from serbench.measure.parts import name_of
from serbench.measure.store import Run
from serbench.paths import Paths
from serbench.report.kinds_lines import kinds_tables
from serbench.report.machines_table import MachineRun, machine_of, machines_tables, titled_parts
from serbench.report.rows import Row
from serbench.report.show import show_run
from serbench.report.table import UNBOUNDED, Table
from serbench.report.tables import tables_of
from serbench.selecting.conforming import HeldCodec
from serbench.selecting.evolved import SeenCodec
from serbench.selecting.need import Need, unknown_of
from serbench.system.command import COMMAND


@dataclass(frozen=True)
class Shown:
    """The options that say how the tables of a run are shown."""

    published: options.ShowPublished = False
    relative_to: options.RelativeTo = None
    full: options.AllNotes = False
    format: options.OutputFormat = options.TableFormat.table


def print_run(run: Run, paths: Paths, shown: Shown, need: str | None = None) -> list[Row]:
    """Prints the tables of a run, and returns its rows. If ``run`` has only the codecs that meet a need,
    ``need`` is its text. A run of several machines has tables for each, below a verdict on all."""
    # Other formats than tables for a terminal have room for everything.
    width = None if shown.format is options.TableFormat.table else UNBOUNDED
    tables: list[Table] = []
    rows: list[Row] = []
    records: list[dict[str, Any]] = []
    parts: list[MachineRun] = []
    for titled, own in titled_parts(run):
        of_one, rows_of_one, costs = tables_of(own, paths.suites, shown.published, shown.relative_to, width)
        known = {table.next_step for table in tables}
        told = machine_of(own)
        for table in of_one:
            step = "" if table.next_step in known else table.next_step
            said = [told | record for record in table.verdict_records]
            title = f"{titled}{table.title}"
            tables.append(replace(table, title=title, next_step=step, verdict_records=said))
        rows += rows_of_one
        records += [told | each.to_json() for each in (*rows_of_one, *costs)]
        if told:
            parts.append(MachineRun(name_of(own), told["kind"], own, rows_of_one))
    tables = [*(kinds_tables(parts) if run.manifest.cluster else []), *tables, *machines_tables(run)]
    narrowed = f" --need {shlex.quote(need)}" if need else ""
    # Published figures are not shown without the flaws that they have, which are among the notes.
    all_notes = shown.full or shown.published
    show_run(
        tables, records, shown.format.value, "" if all_notes else f"{COMMAND} show {run.id}{narrowed} --full"
    )
    return rows


def tell_left_out(
    need: Need,
    codecs: Sequence[str],
    left: Sequence[str],
    known: Mapping[str, Variant],
    seen: Mapping[str, SeenCodec],
    held: Mapping[str, HeldCodec],
) -> None:
    """Announces the codecs that do not meet the need, those of which it is not known, and the needed
    languages without a selected codec.

    Args:
        codecs: all codecs that were selected.
        left: the codecs that meet the need.
        known: all codecs that there are.
        seen: the outcomes of changes by codec.
        held: the outcomes of cases of conformance by codec.
    """
    if others := [codec for codec in codecs if codec not in left]:
        announce(f"left out by --need {need.text}: {', '.join(others)}")
    for each in unknown_of(need, others, known, seen, held):
        announce(each)
    for language in need.languages:
        if not any(codec.startswith(f"{language}/") for codec in left):
            announce(f"no codec of {language} is selected; to measure those too: -c '{language}/*' -c ...")
