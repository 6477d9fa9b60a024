"""Prints tables for people, and records for programs: terminal, Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from serbench.report.table import Table, divided, terminal_width, with_names_broken
from serbench.text import safe, safe_json

_MARKDOWN = re.compile(r"[\\`*|<>&\[\]]")
"""What starts markup, a link, an image or a reference, or ends a cell. An underscore inside a word does none of these."""

_FORMULA = re.compile(r"\A[\s]*[=+\-@\t\r]")
"""What a spreadsheet takes for a formula (OWASP, "CSV injection")."""


def print_table(table: Table, width: int | None = None) -> None:
    """Prints for people: fitted to the terminal, plain where standard output is none. What does not fit side by side is set
    below; no figure is cut."""
    room = width or terminal_width()
    for part in divided(_safe(table), room):
        _print_part(with_names_broken(part, room), room)


def _safe(table: Table) -> Table:
    """The same table with no character in it that a terminal would obey."""
    return replace(
        table,
        title=safe(table.title),
        headings=[*map(safe, table.headings)],
        rows=[[*map(safe, row)] for row in table.rows],
        notes=[*map(safe, table.notes)],
    )


def _print_part(table: Table, room: int) -> None:
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table as RichTable

    figures = sum(table.column_width(n) + 2 if n in table.numeric else 3 for n in range(len(table.headings)))
    console = Console(width=max(room, figures), highlight=False, emoji=False)
    drawn = RichTable(
        title=escape(table.title) or None,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for n, heading in enumerate(table.headings):
        figure = n in table.numeric
        drawn.add_column(
            escape(heading),
            justify="right" if figure else "left",
            overflow="fold",
            no_wrap=figure,
            min_width=table.column_width(n) if figure else None,
        )
    for row in table.rows:
        drawn.add_row(*(escape(cell) for cell in row))
    console.print(drawn)
    for note in table.notes:
        Console(width=room, highlight=False, emoji=False).print(escape(note), soft_wrap=False)


def markdown(table: Table) -> str:
    """A Markdown table with its title and notes; text in it is text, whatever markup it holds."""
    table = _safe(table)

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(_as_markdown(cell) for cell in cells) + " |"

    rule = "| " + " | ".join("---:" if n in table.numeric else "---" for n in range(len(table.headings))) + " |"
    parts = [f"**{_as_markdown(table.title)}**", "", line(table.headings), rule, *map(line, table.rows)]
    if table.notes:
        parts += ["", *(f"- {_as_markdown(note)}" for note in table.notes)]
    return "\n".join(parts) + "\n"


def _as_markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\g<0>", text.replace("_\n", "_").replace("\n", " "))


def to_csv(records: Sequence[dict[str, Any]]) -> str:
    """Records as CSV; the headings are the keys in the order of their first appearance. Text that a spreadsheet would take for
    a formula has a ``'`` before it."""
    headings = list(dict.fromkeys(key for record in records for key in record))
    out = io.StringIO()
    writer = csv.DictWriter(out, headings, lineterminator="\n")
    writer.writeheader()
    for record in records:
        writer.writerow({key: _as_cell(value) for key, value in record.items()})
    return out.getvalue()


def _as_cell(value: Any) -> Any:
    text = " ".join(map(str, value)) if isinstance(value, list) else value
    if not isinstance(text, str):
        return text
    return f"'{safe(text)}" if _FORMULA.match(text) else safe(text)


def show(tables: Sequence[Table], records: Sequence[dict[str, Any]], format: str) -> None:
    """Prints to standard output: the tables for people, or the records for programs."""
    if format == "json":
        print(safe_json(json.dumps(list(records), indent=1, ensure_ascii=False)))
    elif format == "csv":
        print(to_csv(records), end="")
    elif format == "markdown":
        print("\n".join(markdown(table) for table in tables), end="")
    else:
        for table in tables:
            print_table(table)
