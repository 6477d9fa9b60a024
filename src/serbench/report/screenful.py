"""The part of a run's tables that a terminal has room for, drawn again and again while it is measured."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from serbench.report.show import parts_of, print_part
from serbench.report.table import Table

if TYPE_CHECKING:
    from rich.console import Console

_FEW_ROWS = 5
"""The rows that are shown at least: lines of the verdict above them are left out, until there is room."""


@dataclass(frozen=True)
class Screen:
    """A terminal for whose size the lines of tables are made.

    Attributes:
        console: makes a console like the terminal's, with a given width and output.
    """

    width: int
    height: int
    console: Callable[[int, io.StringIO], Console]

    def lines(self, table: Table) -> list[str]:
        """The lines of a part of a table, as it is printed."""
        out = io.StringIO()
        print_part(table, self.width, lambda width: self.console(width, out))
        return out.getvalue().rstrip().splitlines()


def screenful(tables: Sequence[Table], screen: Screen) -> list[str]:
    """Lines that fit the screen: notes are left out, then the last rows; the last line says how many."""
    parts = [part for table in tables for part in parts_of(table, screen.width, all_notes=False)[0]]
    bare = [replace(part, notes=[]) for part in parts]
    if sum(_height(row) for part in parts for row in part.rows) < screen.height:
        for shown in (parts, bare):
            lines = _below_each_other([screen.lines(part) for part in shown])
            if len(lines) <= screen.height:
                return lines
    return _top(bare, screen)


def _top(parts: Sequence[Table], screen: Screen) -> list[str]:
    """The first rows of the first tables, and a line on how much is left out."""
    drawn: list[list[str]] = []
    missing, tables = 0, len(parts)
    for part in parts:
        left = screen.height - 1 - len(_below_each_other([*drawn, [""]]))
        shown = _cut(part, left, screen)
        if drawn and not shown.rows:
            break
        drawn.append(screen.lines(shown))
        missing, tables = len(part.rows) - len(shown.rows), tables - 1
        if missing:
            break
    return [*_below_each_other(drawn)[: screen.height - 1], _more(missing, tables)[: screen.width]][
        -screen.height :
    ]


def _cut(part: Table, height: int, screen: Screen) -> Table:
    """The part with as many rows as fit; if they are very few, lines of its verdict make room for more."""
    if not part.rows:
        return part
    for kept in range(len(part.verdict), -1, -1):
        head = replace(part, verdict=part.verdict[:kept], rows=part.rows[:1])
        left = height - len(screen.lines(head)) + _height(part.rows[0])
        rows = sum(end <= left for end in accumulate(map(_height, part.rows)))
        if rows >= min(_FEW_ROWS, len(part.rows)):
            break
    return replace(head, rows=part.rows[:rows])


def _height(row: Sequence[str]) -> int:
    return max(cell.count("\n") for cell in row) + 1


def _below_each_other(tables: Sequence[Sequence[str]]) -> list[str]:
    """The lines of all tables, an empty one between two."""
    return [line for n, lines in enumerate(tables) for line in ([""] if n else []) + [*lines]]


def _more(rows: int, tables: int) -> str:
    told = [
        f"{count} more {what}{'s' if count > 1 else ''}"
        for count, what in ((rows, "row"), (tables, "table"))
        if count
    ]
    return f"… {' and '.join(told)}" if told else ""
