"""``serbench export``: write runs as tidy tables."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from serbench.cli import options
from serbench.cli.console import announce
from serbench.cli.options import flag, option
from serbench.errors import SelectionError, SerbenchError, unknown
from serbench.export.columns import TABLES
from serbench.export.files import FORMATS, written
from serbench.export.tables import table_of
from serbench.measure.parts import each_part, whole_or_part
from serbench.measure.store import Run, list_runs
from serbench.paths import Paths
from serbench.system.whole import write_atomically
from serbench.text import safe


def export(
    run: options.Runs = None,
    table: Annotated[
        str, option("NAME", f"Table to export: {', '.join(TABLES)}.", "--table", "-t")
    ] = "cells",
    every: Annotated[bool, flag("--all", "Export every run.")] = False,
    output: Annotated[
        Path | None,
        option(
            "FILE", "Output file; its ending sets the format. Default: standard output.", "-O", "--output"
        ),
    ] = None,
    format: Annotated[
        str | None,
        option(
            "FORMAT", f"Output format: {', '.join(FORMATS)}. Default: from the ending of --output, else csv."
        ),
    ] = None,
) -> None:
    """Export runs as tidy tables, one value per cell: cells, samples, costs, codecs or runs.

    The columns are explained in docs/data.md. Parquet needs the extra serbench[parquet].
    """
    if table not in TABLES:
        raise unknown("table", table, TABLES)
    wanted = _format(output, format)
    columns = table_of(table, runs_named(Paths.default(), run or [], every))
    if output:
        write_output(output, written(table, columns, wanted))
    elif wanted == "parquet" and sys.stdout.isatty():
        raise SelectionError("Parquet cannot be shown on a terminal; write it to a file: -O FILE")
    else:
        sys.stdout.buffer.write(written(table, columns, wanted))


def write_output(file: Path, contents: str | bytes) -> None:
    """Writes the file that ``--output`` names, and prints its path; raises SerbenchError if that fails."""
    try:
        write_atomically(file, contents)
    except OSError as error:
        raise SerbenchError(f"{file} cannot be written: {error.strerror}") from error
    print(safe(file))


def runs_named(paths: Paths, names: list[str], every: bool) -> list[Run]:
    """The runs of these names, ``every`` run, or the newest; for a run of several machines, its parts.

    Raises:
        SelectionError: there is no run, a name is not that of a run, or both names and all are asked for.
    """
    if every and names:
        raise SelectionError(f"found both --all and the run {names[0]}; expected only one of them")
    if every:
        return list(each_part(list_runs(paths.runs, announce)))
    asked: list[str | None] = [*dict.fromkeys(names)] or [None]
    return list(each_part(whole_or_part(paths.runs, name, note=announce) for name in asked))


def _format(output: Path | None, format: str | None) -> str:
    """The format that is asked for, or else the one that the file's ending tells.

    Raises:
        SelectionError: there is no such format, or the ending tells none.
    """
    told = format or (output.suffix.removeprefix(".").lower() if output else "csv")
    if told in FORMATS:
        return told
    if format is None:
        raise SelectionError(f"{output}: unknown ending; choose a format with --format: {', '.join(FORMATS)}")
    raise unknown("format", told, FORMATS)
