"""Verdicts and tables as plain HTML, for whatever runs no script: mail, text browsers, previews in CI."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from serbench.measure.store import Run
from serbench.page.parts import finding_html
from serbench.page.tables import html_table, html_text, said_html
from serbench.report.conformance_map import map_table, maps_of
from serbench.report.rows import Row
from serbench.report.tables import tables_with
from serbench.report.verdict import verdict_of
from serbench.report.verdict_lines import lines_of
from serbench.selecting.conforming import SeenConformance
from serbench.selecting.suite import Suite
from serbench.system.command import COMMAND

COLUMNS = 150
"""The width that tables are made for, in columns of a terminal: four operations with their times."""

MOST_ROWS = 400
"""The most rows of a run that are written: they take some 50 kB, a twentieth of the page's script."""


NOTHING_SEEN = SeenConformance()


def plain(
    runs: Iterable[tuple[Run, Sequence[Row], Suite | None]], seen: SeenConformance = NOTHING_SEEN
) -> str:
    """The tables of runs as they are on a terminal, each run given with its rows of times and its suite; then
    how its codecs keep to their formats, as far as that was ``seen``."""
    return "\n".join(chain.from_iterable(_run(*each, seen) for each in runs))


def _run(run: Run, rows: Sequence[Row], suite: Suite | None, seen: SeenConformance) -> Iterator[str]:
    if found := [*finding_html(run)]:
        yield from found
        return
    if suite:  # whose tables are as they were published, and of a verdict have the line on trust alone
        for workload in run.manifest.workloads:
            own = [row for row in rows if row.workload == workload]
            yield f"<h2>{html_text(workload)}</h2>"
            yield from map(said_html, lines_of(run, verdict_of(run, workload, own))[1:])
    tables, _ = tables_with(run, rows, suite, width=COLUMNS, times_first=True)
    room = MOST_ROWS
    for table in tables:
        yield from html_table(table, room)
        room = max(room - len(table.rows), 0)
    if any(table.rows for table in tables) and sum(len(table.rows) for table in tables) > MOST_ROWS:
        yield f"<p>The first {MOST_ROWS} rows; all of them: {html_text(f'{COMMAND} show {run.id}')}</p>"
    for each in maps_of(run, seen):
        yield from html_table(map_table(each), MOST_ROWS)
