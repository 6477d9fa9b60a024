"""Reads the rows of CSV files, plain or packed, with the line on which each begins, in bounded memory."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import IO

from serbench.errors import InputError
from serbench.imports.base import refused
from serbench.imports.encodings import not_utf8, zero_byte
from serbench.imports.packed import MARK, opened

TITLE = "CSV"

LONGEST = 16 << 20
"""The most bytes of a line, and characters of a cell."""

Row = tuple[int, list[str]]

csv.field_size_limit(LONGEST)


def rows_of(file: Path, delimiter: str, skipped: int = 0, is_spaced: bool = False) -> Iterator[Row]:
    """Reads all rows that have a cell, below the first ``skipped`` lines, each with the line on which it
    begins; leaves out spaces behind delimiters where a file ``is_spaced``.

    Raises:
        InputError: the file cannot be read or unpacked, is not UTF-8, or has quotes where CSV does not allow
            them.
    """
    with opened(file, TITLE) as stream:
        lines = islice(lines_of(file, stream), skipped, None)
        reader = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=is_spaced)
        begin = skipped + 1
        while True:
            try:
                row = next(reader, None)
            except csv.Error as error:
                raise _refusal(file, begin, str(error)) from None
            if row is None:
                return
            if row:
                yield begin, row
            begin = skipped + reader.line_num + 1


def lines_of(file: Path, stream: IO[bytes]) -> Iterator[str]:
    """Reads the lines of a file as text; raises InputError if one is too long or not UTF-8."""
    number = 0
    while line := stream.readline(LONGEST + 1):
        number += 1
        if len(line) > LONGEST:
            raise refused(
                file, f"line {number}", f"more than {LONGEST >> 20} MiB in one line", "lines of rows"
            )
        if number == 1:
            line = line.removeprefix(MARK)
        if b"\0" in line:
            raise zero_byte(file, f"line {number}", line)
        try:
            yield line.decode()
        except UnicodeDecodeError:
            raise not_utf8(file, f"line {number}", line) from None


def _refusal(file: Path, line: int, said: str) -> InputError:
    """Returns the error for a row of which Python's reader of CSV said ``said``."""
    remedy = ""
    if "new-line" in said:
        found, expected = "lines that end in CR alone", "LF or CR LF"
        remedy = f"tr '\\r' '\\n' < {quote(str(file))} makes LF of it"
    elif "larger than" in said:
        found = f"a cell of more than {LONGEST >> 20} Mi characters, or a quote that does not end"
        expected = "cells of rows"
    elif "end of data" in said:
        found, expected = "a quote that does not end", "one behind the cell"
    else:
        found, expected = "more behind the quote that ends a cell", "the delimiter"
        remedy = 'in a quoted cell, a quote is written twice: ""'
    return refused(file, f"line {line}", found, expected, remedy)
