"""Makes one table of several CSV files: its columns, and the type of each column."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from serbench.errors import InputError
from serbench.imports.base import refused
from serbench.imports.csv.dialect import Dialect, dialect_of
from serbench.imports.csv.guessing import GuessedColumn
from serbench.imports.csv.lines import Row
from serbench.imports.csv.values import Convert, guessed, wanted
from serbench.imports.declaring import Findings
from serbench.imports.json.paths import WHOLE, member, shown
from serbench.imports.json.settings import MOST_MEMBERS, PathSettings, WantedValues, checked_members
from serbench.imports.names import ScopeNames, enum_of_texts, identifier, wire
from serbench.model.names import pascal
from serbench.model.types import Enum, Field, Optional, Record, Ref, Type, string
from serbench.text import safe

MOST_COLUMNS = 10_000

_ROWS = 1000
"""How many rows are read at once."""

_HIGHEST_TABLE = 30
"""A table that begins at this line or above may have something else above it that is no title."""


@dataclass(frozen=True)
class CsvFile:
    """A CSV file.

    Attributes:
        header: the names of its columns; ``column_1``, ``column_2``, … if it has no header.
    """

    file: Path
    dialect: Dialect
    header: tuple[str, ...]

    def chunks(self) -> Iterator[list[Row]]:
        """Reads rows with their lines, a thousand at a time; raises InputError if a row does not have one
        cell for each column."""
        rows = self.dialect.rows(self.file)
        for _ in range(self.dialect.has_header + self.dialect.has_units):
            next(rows, None)
        while some := list(islice(rows, _ROWS)):
            for number, (line, row) in enumerate(some):
                if len(row) != len(self.header):
                    raise self._uneven(line, row, some[number + 1 :])
            yield some

    def _uneven(self, line: int, row: Sequence[str], below: Sequence[Row]) -> InputError:
        """Returns the error for the first row with more or fewer cells than the header."""
        name = shlex.quote(str(self.file))
        remedy = "a cell that contains the delimiter must be quoted; --framing sets the delimiter"
        if row[0].startswith("#"):
            remedy = f"comments may stand above the header alone; grep -v '^#' {name} leaves them out"
        elif (
            line <= _HIGHEST_TABLE
            and len(row) > len(self.header)
            and {len(cells) for _, cells in below} == {len(row)}
        ):
            remedy = (
                f"a table seems to begin there: tail -n +{line} {name} > table.csv leaves out what is above"
            )
        many = "1 cell" if len(row) == 1 else f"{len(row)} cells"
        return refused(self.file, f"line {line}", many, f"{len(self.header)} as in the first row", remedy)


def source(file: Path, framing: str) -> CsvFile:
    """Finds the dialect and the header of a file; raises InputError if it cannot be read, or more than one
    dialect fits."""
    dialect = dialect_of(file, framing)
    line, first = next(dialect.rows(file), (1, []))
    if not first:
        raise refused(file, "", "no line with a cell", "rows")
    if len(first) > MOST_COLUMNS:
        raise refused(file, f"line {line}", f"{len(first)} cells", f"{MOST_COLUMNS} at most")
    header = first if dialect.has_header else [f"column_{n}" for n in range(1, len(first) + 1)]
    return CsvFile(file, dialect, dialect.names or tuple(header))


def check_same(sources: Sequence[CsvFile]) -> None:
    """Raises InputError if a file has other columns than the first one."""
    for each in sources[1:]:
        if each.dialect.has_header != sources[0].dialect.has_header:
            found = "a header" if each.dialect.has_header else "no header"
            expected = "the first line to be as in the first file"
            raise refused(each.file, "", found, expected, "--framing header or rows says which")
        if each.header != sources[0].header:
            of_first = f"of which not all are those of {sources[0].file.name}, or in another order"
            found, remedy = f"{len(each.header)} columns, {of_first}", "import files of one header at a time"
            raise refused(each.file, "", found, "columns of the first file", remedy)


class CsvTable(Findings):
    """The type of a row, inferred from all rows of some files.

    Attributes:
        root: the record of a row.
        also: the enums that it refers to.
        paths: the path of each column, as the user is shown it.
        converts: for each column, the function that makes values of its cells.
    """

    def __init__(self, sources: Sequence[CsvFile], settings: PathSettings, name: str):
        """Infers the type, called ``name``; raises InputError if a row is not valid, or a setting does not
        fit its column."""
        super().__init__()
        self._sources = sources
        self.also: list[Enum] = []
        self._has_told_empty = False
        called = self.type_names.of(pascal(identifier(name)))
        left_out = dict.fromkeys(what for each in self._sources for what in each.dialect.left_out)
        self.lose(WHOLE, *left_out)
        written = self._written()
        paths = [safe(member(WHOLE, each), lines=False) for each in written]
        said = [settings.at(path) for path in paths]
        settings.check(paths)
        columns = self._columns(said)
        names, fields = ScopeNames(), []
        self.converts: list[Convert] = []
        for n, (each, path, column, asked) in enumerate(zip(written, paths, columns, said, strict=True)):
            makes = self._wanted(column, asked, path, each) if asked else self._guessed(column, path)
            type, convert, why = makes
            called_here = names.of(each)
            fields.append(Field(called_here, type, wire=wire(each, called_here)))
            self.converts.append(convert)
            why = "; ".join(filter(None, (why, "" if n else sources[0].dialect.why)))
            self.tell(shown(path), "cells, some empty" if column.is_empty else "cells", type, why)
        self.paths = [shown(path) for path in paths]
        self.root = Record(called, fields)

    def _written(self) -> list[str]:
        """Returns the names of the columns, of which none is empty, and no two are the same."""
        names, made = ScopeNames(), []
        header = self._sources[0].header
        taken = set(header)
        for number, each in enumerate(header, 1):
            name = each or names.of(f"column_{number}")
            if not each:
                self.lose(name, "the column has no name, so it gets this one")
            elif name in made:
                name = next(more for n in range(2, len(header) + 2) if (more := f"{each}_{n}") not in taken)
                taken.add(name)
                what = "another column has the same name, so the later one gets this one"
                self.lose(shown(safe(name, lines=False)), what)
            made.append(name)
        return made

    def _columns(self, said: Sequence[WantedValues]) -> list[GuessedColumn]:
        columns = [GuessedColumn(MOST_MEMBERS if asked.kind == "enum" else 0) for asked in said]
        for each in self._sources:
            following = 0
            for some in each.chunks():
                if len(columns) == 1:
                    following = self._note_empty_lines(some, following)
                for column, cells in zip(columns, zip(*(row for _, row in some), strict=True), strict=True):
                    column.add(cells)
        return columns

    def _note_empty_lines(self, rows: Sequence[Row], following: int) -> int:
        """Notes a loss, once, if there are empty lines: in a table of one column, they might be empty cells.

        Args:
            following: the line after the last row so far; 0 before the first.

        Returns:
            The line after the last of ``rows``.
        """
        for line, row in rows:
            if following and line > following and not self._has_told_empty:
                self._has_told_empty = True
                self.lose(WHOLE, 'empty lines between rows are skipped; write an empty cell as ""')
            following = line + 1 + row[0].count("\n")
        return following

    def _guessed(self, column: GuessedColumn, path: str) -> tuple[Type, Convert, str]:
        guess = column.guess(shown(path))
        self.lose(shown(path), *guess.losses)
        type = Optional(guess.type) if column.is_empty else guess.type
        return type, guessed(guess.type, column.is_empty), guess.why

    def _wanted(
        self, column: GuessedColumn, asked: WantedValues, path: str, written: str
    ) -> tuple[Type, Convert, str]:
        enum = self._enum(column, path, written) if asked.kind == "enum" else None
        if enum:
            base: Type = Ref(enum.name)
        elif asked.type:
            base = asked.type
        elif asked.word == "optional":
            base = column.guess(shown(path)).type
        else:
            raise asked.unsuitable(path, "cells")
        # An empty cell can be an empty text; for all other types it can only mean that the value is absent.
        is_optional = asked.optional or (column.is_empty and base != string)
        convert = wanted(base, is_optional, asked.optional and base != string, column.plain, enum)
        return Optional(base) if is_optional else base, convert, ""

    def _enum(self, column: GuessedColumn, path: str, written: str) -> Enum:
        members = checked_members(shown(path), column.members)
        made = enum_of_texts(self.type_names.of(pascal(identifier(written))), members)
        self.also.append(made)
        return made
