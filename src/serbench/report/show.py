"""Prints tables for people, and records for programs: terminal, Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from serbench.report.table import Table, divided, terminal_width, with_names_broken, with_words_whole
from serbench.text import safe, safe_json

if TYPE_CHECKING:
    from rich.console import Console

_MARKDOWN = re.compile(r"[\\`*|<>&\[\]]")
"""Characters that start markup, a link, an image or a reference, or end a cell. An underscore inside a word
does none of these."""

_FORMULA = re.compile(r"\A[\s]*[=+\-@\t\r]")
"""Text that a spreadsheet takes for a formula (OWASP, "CSV injection")."""


NOTES_SHOWN = 3
"""How many lines of notes are shown below a table, unless all are asked for."""

_COLOURS = {"": "", "good": "green", "care": "yellow", "bad": "bold red"}


def print_table(table: Table, width: int | None = None, all_notes: bool = True) -> int:
    """Prints a table for people, fitted to the terminal: columns that do not fit side by side are printed
    below each other, and no figure is cut. Returns how many notes were left out (0 with ``all_notes``)."""
    room = width or terminal_width()
    parts, hidden = parts_of(table, room, all_notes)
    for part in parts:
        print_part(part, room)
    return hidden


def parts_of(table: Table, room: int, all_notes: bool) -> tuple[list[Table], int]:
    """The table as it is printed for people, and how many notes were left out. It is in parts that fit
    ``room`` columns, with text broken into lines, and without characters that a terminal would obey."""
    shown = _safe(table)
    hidden = 0
    if not all_notes:
        shown.notes, hidden = foremost(shown.notes, room)
    named = [with_names_broken(part, room) if part.numeric else part for part in divided(shown, room)]
    return [with_words_whole(part, room) for part in named], hidden


def foremost(notes: Sequence[str], room: int) -> tuple[list[str], int]:
    """The first notes that fit ``NOTES_SHOWN`` lines together, and how many are left out. Where the first
    note is too long by itself, its beginning is taken."""
    told = [note for note in notes if note]
    shown: list[str] = []
    left = NOTES_SHOWN
    for note in told:
        lines = _wrapped(note, room)
        if len(lines) > left:
            break
        left -= len(lines)
        shown.append(note)
    if told and not shown:
        beginning = textwrap.shorten(
            " ".join(_wrapped(told[0], room)[:NOTES_SHOWN]), NOTES_SHOWN * room - room // 4, placeholder=" …"
        )
        return [beginning if beginning.endswith("…") else f"{beginning} …"], len(told)
    return shown, len(told) - len(shown)


def _wrapped(text: str, room: int, indent: int = 0) -> list[str]:
    """Lines of at most ``room`` columns, broken at spaces if possible; all but the first indented."""
    from rich.console import Console
    from rich.text import Text

    lines = Text(text).wrap(Console(width=room), max(room - indent, 1))
    return [
        line.plain.rstrip() if n == 0 else " " * indent + line.plain.rstrip() for n, line in enumerate(lines)
    ]


def _safe(table: Table) -> Table:
    """The same table without characters that a terminal would obey."""
    return replace(
        table,
        title=safe(table.title),
        headings=[*map(safe, table.headings)],
        rows=[[*map(safe, row)] for row in table.rows],
        notes=[*map(safe, table.notes)],
        verdict=[
            replace(each, label=safe(each.label), text=safe(each.text, lines=False)) for each in table.verdict
        ],
        next_step=safe(table.next_step, lines=False),
    )


def _stdout(width: int) -> Console:
    from rich.console import Console

    return Console(width=width, highlight=False, emoji=False)


def print_part(table: Table, room: int, console_of: Callable[[int], Console] = _stdout) -> None:
    """Prints a part that ``parts_of`` made; ``console_of`` gives a console for a width."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table as RichTable

    figures = sum(table.column_width(n) + 2 if n in table.numeric else 3 for n in range(len(table.headings)))
    console, narrow = console_of(max(room, figures)), console_of(room)
    if table.verdict:
        _print_verdict(narrow, table, room)
    if not table.headings:
        narrow.print()
        return
    drawn = RichTable(
        title=None if table.verdict else escape(table.title) or None,
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
        narrow.print(escape(note), soft_wrap=False)


def _print_verdict(console: Console, table: Table, room: int) -> None:
    """Prints a table's title, and below it the verdict, in colour where the terminal has colours."""
    from rich.text import Text

    console.print(Text(table.title, style="bold"))
    console.print()
    labels = max(len(said.label) for said in table.verdict) + 3
    for said in table.verdict:
        for n, line in enumerate(_wrapped(said.text, room, labels)):
            label = f" {said.label}" if n == 0 else ""
            console.print(Text.assemble((label.ljust(labels), "bold"), (line.strip(), _COLOURS[said.tone])))


def markdown(table: Table) -> str:
    """A Markdown table with its title and notes; markup in texts is escaped."""
    table = _safe(table)

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(_as_markdown(cell) for cell in cells) + " |"

    rule = line(["---:" if n in table.numeric else "---" for n in range(len(table.headings))])
    parts = [f"**{_as_markdown(table.title)}**", ""]
    if table.verdict:
        parts += [
            *(f"- **{_as_markdown(said.label)}**: {_as_markdown(said.text)}" for said in table.verdict),
            "",
        ]
    parts += [line(table.headings), rule, *map(line, table.rows)] if table.headings else []
    if table.notes:
        parts += ["", *(f"- {_as_markdown(note)}" for note in table.notes)]
    if table.next_step:
        parts += ["", f"Next: {_as_markdown(table.next_step)}"]
    return "\n".join(parts).rstrip("\n") + "\n"


def _as_markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\g<0>", text.replace("_\n", "_").replace("\n", " "))


def to_csv(records: Sequence[dict[str, Any]]) -> str:
    """Records as CSV; the headings are the keys in the order of their first appearance. Text that a
    spreadsheet would take for a formula has a ``'`` before it."""
    headings = list(dict.fromkeys(key for record in records for key in record))
    out = io.StringIO()
    writer = csv.DictWriter(out, headings, lineterminator="\n")
    writer.writeheader()
    for record in records:
        writer.writerow({key: as_cell(value) for key, value in record.items()})
    return out.getvalue()


def as_cell(value: Any) -> Any:
    """A value as a cell of CSV: lists as words, texts without control characters, formulas behind a ``'``."""
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


def show_run(
    tables: Sequence[Table], records: Sequence[dict[str, Any]], format: str, all_notes_by: str = ""
) -> None:
    """Prints the tables of a run as ``show`` does, and what to type next. JSON has verdicts and notes too.

    Args:
        all_notes_by: the command that prints all notes; where it is given, people are shown few lines of
            them.
    """
    if format == "json":
        show([], [*records, *_told(tables)], format)
    elif format != "table":
        show(tables, records, format)
    else:
        hidden = sum(print_table(table, all_notes=not all_notes_by) for table in tables)
        if hidden:
            print(f"{hidden} more note{'s' if hidden > 1 else ''}: {all_notes_by}")
        for table in tables:
            if table.next_step:
                print(f"Next: {safe(table.next_step, lines=False)}")


def _told(tables: Sequence[Table]) -> Iterator[dict[str, Any]]:
    """The texts above and below the tables, as records."""
    for table in tables:
        yield from table.verdict_records
        yield from ({"note": note, "table": table.title} for note in table.notes if note)
        if table.next_step:
            yield {"next_step": table.next_step}
