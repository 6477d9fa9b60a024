"""A table as text cells under headings, and how wide it is on a terminal."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from rich.cells import cell_len

IN_FULL, BROKEN = 32, 12
"""Up to how many columns a name stays on one line: ``IN_FULL`` while a table has room, ``BROKEN`` however
little room there is."""

UNBOUNDED = 1_000_000
"""The width where output goes to no terminal."""

_GAP = 2
"""Columns between two cells."""

_BREAKS = re.compile(r"(?<=[/:\s_.,=-])")
"""Names are broken after one of these characters, where possible."""

_SPACES = re.compile(r"(?<=\s)")


Tone = Literal["", "good", "care", "bad"]

Of = TypeVar("Of")
"""The type of a table's lines before they are text, such as codecs."""

How = TypeVar("How")
"""The type of a layout of tables, such as a sequence of columns."""


@dataclass(frozen=True)
class Said:
    """A line above a table: its topic, its text, and the ``tone`` that a terminal shows by colour."""

    label: str
    text: str
    tone: Tone = ""


@dataclass
class Table:
    """Text cells under headings; without headings it is a verdict alone.

    Attributes:
        numeric: indices of columns that are set flush right, and whose cells are never broken or cut, since
            half a number is another number.
        notes: lines below the table, the most important first.
        verdict: lines above it.
        verdict_records: the same in plain values, for ``--format json``.
        next_step: the command to type next.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: frozenset[int] = frozenset()
    notes: list[str] = field(default_factory=list)
    verdict: Sequence[Said] = ()
    verdict_records: Sequence[dict[str, Any]] = ()
    next_step: str = ""

    @property
    def width(self) -> int:
        """The width of the table on a terminal, in columns, when nothing is broken over lines."""
        return self.width_with(None)

    def width_with(self, names: int | None) -> int:
        """The width of the table with text broken over lines of ``names`` columns; None breaks no text."""
        return sum(self.column_width(n, names) + _GAP for n in range(len(self.headings)))

    def column_width(self, n: int, names: int | None = None) -> int:
        """The width of column ``n`` with its heading, with text broken as in ``width_with``."""
        widest = max(cell_len(part) for line in (self.headings, *self.rows) for part in line[n].split("\n"))
        return widest if names is None or n in self.numeric else min(widest, names)


def grid(
    title: str,
    keys: Mapping[str, Callable[[Of], str]],
    lines: Iterable[Of],
    groups: Sequence[str] = (),
    heads: Callable[[str], Sequence[str]] = lambda group: [group],
    cells: Callable[[Of, str], Sequence[str]] = lambda line, group: [],
    texts: Collection[int] = (0,),
    notes: Iterable[str] = (),
) -> Table:
    """A table of lines with groups of columns, such as codecs with operations.

    Args:
        keys: the columns before the groups: each heading with the function that gives the text below it.
        heads: gives the headings of a group, below which ``cells`` of a line and that group stand.
        texts: the indices of columns of text; all others hold figures.
    """
    headings = [*keys, *(head for group in groups for head in heads(group))]
    rows = []
    for line in lines:
        first = [shown(line) for shown in keys.values()]
        rows.append([*first, *(cell for group in groups for cell in cells(line, group))])
    return Table(title, headings, rows, frozenset(range(len(headings))) - frozenset(texts), [*notes])


def in_parts(
    groups: Sequence[str],
    layouts: Sequence[How],
    room: int,
    table: Callable[[Sequence[str], How], Table],
) -> tuple[list[Table], How]:
    """Divide groups of columns over as few tables as fit ``room``, in the fullest layout that needs no more;
    return the tables and the layout.

    Args:
        layouts: the ways to lay out a group, the fullest first.
        table: makes the table of some of the groups in a layout.
    """
    tried = [
        ([table(groups[n : n + per_table], layout) for n in range(0, len(groups), per_table)], layout)
        for per_table in range(len(groups), 0, -1)
        for layout in layouts
    ]
    chosen = fitting([tables for tables, _ in tried], room)
    return next(each for each in tried if each[0] is chosen)


def terminal_width() -> int:
    """Columns of the terminal; 120 where standard output is none."""
    return shutil.get_terminal_size((120, 24)).columns


def fitting(layouts: Iterable[Sequence[Table]], room: int) -> Sequence[Table]:
    """The first layout all of whose tables fit ``room`` columns, with names in full or else with long names
    broken over lines. Where none fits, the last layout, which is divided when it is printed."""
    tried = list(layouts)
    for names in (IN_FULL, BROKEN):
        for tables in tried:
            if all(table.width_with(names) <= room for table in tables):
                return tables
    return tried[-1]


def divided(table: Table, room: int) -> list[Table]:
    """The same table in parts that fit ``room`` columns, one below the other. Each part has the columns
    before the first numeric one (in a table of text, the first column), and as many others as fit; words stay
    whole. A part with one other column may be wider, since digits are never cut."""
    if table.numeric:
        widths = [table.column_width(n, BROKEN) + _GAP for n in range(len(table.headings))]
    else:
        widths = [min(_longest(table, n, _SPACES), IN_FULL) + _GAP for n in range(len(table.headings))]
    if sum(widths) <= room:
        return [table]
    first = min(table.numeric, default=1)
    keys = list(range(first))
    key_width = sum(widths[:first])
    groups: list[list[int]] = [[]]
    left = room - key_width
    for n, width in enumerate(widths[first:], start=first):
        if groups[-1] and width > left:
            groups.append([])
            left = room - key_width
        groups[-1].append(n)
        left -= width
    parts = [_columns(table, [*keys, *group]) for group in groups]
    parts[0] = replace(parts[0], title=table.title, verdict=table.verdict)
    parts[-1] = replace(parts[-1], notes=table.notes, next_step=table.next_step)
    return parts


def _columns(table: Table, chosen: Sequence[int]) -> Table:
    return Table(
        "",
        [table.headings[n] for n in chosen],
        [[row[n] for n in chosen] for row in table.rows],
        frozenset(new for new, old in enumerate(chosen) if old in table.numeric),
    )


def with_names_broken(table: Table, room: int) -> Table:
    """The same table with the names in its first column broken over lines, as far as it takes to fit ``room``
    columns once the other columns of text are broken too."""
    text = [n for n in range(1, len(table.headings)) if n not in table.numeric]
    too_wide = table.width - room - sum(max(0, table.column_width(n) - BROKEN) for n in text)
    if too_wide <= 0 or 0 in table.numeric:
        return table
    names = max(BROKEN, table.column_width(0) - too_wide)
    return replace(table, rows=[[_broken(row[0], names), *row[1:]] for row in table.rows])


def with_words_whole(table: Table, room: int) -> Table:
    """The same table with its text over lines that fit ``room`` columns: broken at spaces if that is enough,
    else at separators too, and inside words only if they are wider. The widest columns give way first."""
    text = [n for n in range(len(table.headings)) if n not in table.numeric]
    widths = {n: table.column_width(n) for n in text}
    left = room - sum(table.column_width(n) for n in table.numeric) - _GAP * len(table.headings)
    for breaks in (_SPACES, _BREAKS):
        least = {n: _longest(table, n, breaks) for n in text}
        while sum(widths.values()) > left and (wider := [n for n in text if widths[n] > least[n]]):
            widths[max(wider, key=lambda n: widths[n])] -= 1

    def lines(cells: Sequence[str]) -> list[str]:
        return [over_lines(cell, widths[n]) if n in widths else cell for n, cell in enumerate(cells)]

    return replace(table, headings=lines(table.headings), rows=[lines(row) for row in table.rows])


def _longest(table: Table, n: int, breaks: re.Pattern[str]) -> int:
    """The width of the longest piece of text in column ``n`` between places where it may be broken."""
    lines = (line for row in (table.headings, *table.rows) for line in row[n].split("\n"))
    return max((cell_len(part.rstrip()) for line in lines for part in breaks.split(line)), default=0)


def over_lines(text: str, width: int) -> str:
    """Break text over lines of ``width`` columns: at spaces if that is enough, else at separators too."""
    broken = []
    for line in text.split("\n"):
        at_spaces = all(cell_len(word) <= width for word in line.split())
        broken.append(_broken(line, width, _SPACES if at_spaces else _BREAKS))
    return "\n".join(broken)


def _broken(name: str, width: int, breaks: re.Pattern[str] = _BREAKS) -> str:
    """``name`` over lines of at most ``width`` columns, after a separator where there is one."""
    lines = [""]
    for piece in breaks.split(name):
        if lines[-1] and cell_len(lines[-1]) + cell_len(piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
        while cell_len(lines[-1].rstrip()) > width:
            lines[-1:] = [lines[-1][:width], lines[-1][width:]]
    return "\n".join(line.rstrip() for line in lines)
