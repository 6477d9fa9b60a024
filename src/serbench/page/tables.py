"""Tables as plain HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from serbench.report.table import Said, Table
from serbench.text import safe


def html_table(table: Table, room: int, level: str = "h2") -> Iterator[str]:
    """A table below its title and verdict, with its notes; of its rows the first ``room``."""
    yield f"<{level}>{html_text(table.title)}</{level}>"
    yield from map(said_html, table.verdict)
    if table.headings and table.rows[:room]:
        yield '<table class="plain">'
        yield f"<tr>{_cells(table, table.headings, 'th')}"
        yield from (f"<tr>{_cells(table, row, 'td')}" for row in table.rows[:room])
        yield "</table>"
    if notes := [note for note in table.notes if note]:
        yield "<ul>"
        yield from (f"<li>{html_text(note)}" for note in notes)
        yield "</ul>"


def said_html(said: Said) -> str:
    """A line of a verdict as a paragraph."""
    return f"<p><b>{html_text(said.label)}</b>: {html_text(said.text)}</p>"


def _cells(table: Table, cells: Sequence[str], tag: str) -> str:
    # HTML closes cells, rows and items by itself.
    return "".join(
        f"<{tag}{' align=right' if n in table.numeric else ''}>{html_text(cell)}"
        for n, cell in enumerate(cells)
    )


def html_text(text: str) -> str:
    """A text as HTML, without characters that would be obeyed."""
    return escape(safe(text)).replace("_\n", "_").replace("\n", "<br>")
