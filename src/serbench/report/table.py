"""Tables in four formats from the same cells: for a terminal, Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from serbench.text import safe, safe_json


@dataclass
class Table:
    """Text cells under headings.

    Attributes:
        numeric: indices of columns that are set flush right.
        notes: lines below the table.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: frozenset[int] = frozenset()
    notes: list[str] = field(default_factory=list)

    @property
    def width(self) -> int:
        """Columns that it takes on a terminal when nothing is broken over lines."""
        lines = [self.headings, *self.rows]
        widest = [max(len(part) for line in lines for part in line[n].split("\n")) for n in range(len(self.headings))]
        return sum(widest) + 2 * len(widest)


def terminal_width() -> int:
    """Columns of the terminal; 120 where standard output is none."""
    return shutil.get_terminal_size((120, 24)).columns


def print_table(table: Table, width: int | None = None) -> None:
    """Prints for people: fitted to the terminal, plain where standard output is none."""
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table as RichTable

    console = Console(width=width or terminal_width(), highlight=False, emoji=False)
    drawn = RichTable(
        title=escape(safe(table.title)),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for n, heading in enumerate(table.headings):
        drawn.add_column(
            escape(safe(heading)),
            justify="right" if n in table.numeric else "left",
            overflow="fold",
            no_wrap=n == 0 or n in table.numeric,
        )
    for row in table.rows:
        drawn.add_row(*(escape(safe(cell)) for cell in row))
    console.print(drawn)
    for note in table.notes:
        console.print(escape(safe(note)), soft_wrap=False)


def markdown(table: Table) -> str:
    """A Markdown table with its title and notes."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"

    rule = line(["---:" if n in table.numeric else "---" for n in range(len(table.headings))])
    parts = [f"**{table.title}**", "", line(table.headings), rule, *map(line, table.rows)]
    if table.notes:
        parts += ["", *(f"- {note}" for note in table.notes)]
    return "\n".join(parts) + "\n"


def to_csv(records: Sequence[dict[str, Any]]) -> str:
    """Records as CSV; the headings are the keys in the order of their first appearance."""
    headings = list(dict.fromkeys(key for record in records for key in record))
    out = io.StringIO()
    writer = csv.DictWriter(out, headings, lineterminator="\n")
    writer.writeheader()
    for record in records:
        writer.writerow({k: " ".join(map(str, v)) if isinstance(v, list) else v for k, v in record.items()})
    return out.getvalue()


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
