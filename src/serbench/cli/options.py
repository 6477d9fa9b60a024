"""Options that several commands share, so that one name means one thing everywhere."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from serbench import examples
from serbench.codec import FEATURES
from serbench.command import COMMAND
from serbench.errors import SelectionError
from serbench.languages import compiler_options, languages
from serbench.measure.process import SILENCE_LIMIT_S
from serbench.report.table import UNBOUNDED
from serbench.selection import Need, parse_need


class Format(str, Enum):
    """How a table is printed."""

    table = "table"
    markdown = "markdown"
    csv = "csv"
    json = "json"


def width_of(format: Format) -> int | None:
    """Columns that tables are made for: the terminal's (None) where one is drawn; nothing has to be left out
    of others."""
    return None if format is Format.table else UNBOUNDED


Workloads = Annotated[
    list[str] | None,
    typer.Option(
        "-w",
        "--workload",
        metavar="NAME",
        help=f"Workload, with parameters after a colon; may be repeated. Example: {examples.WORKLOAD}",
    ),
]
Codecs = Annotated[
    list[str] | None,
    typer.Option(
        "-c",
        "--codec",
        metavar="PATTERN",
        help=f"Codec or pattern; may be repeated. Examples: {examples.CODECS}",
    ),
]
Operations = Annotated[
    list[str] | None,
    typer.Option(
        "-o",
        "--operation",
        metavar="PATTERN",
        help="Operation or pattern; may be repeated. Example: -o encode -o 'decode*'",
    ),
]
MemoryPolicies = Annotated[
    list[str] | None,
    typer.Option(
        "--memory",
        metavar="POLICY",
        help="Memory policy, reuse or fresh; may be repeated. Default: reuse, and for deserialize both.",
    ),
]
OutputFormat = Annotated[
    Format,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="How to print the table on standard output: table, markdown, csv or json.",
    ),
]
SuiteName = Annotated[
    str | None,
    typer.Option(
        "--suite",
        metavar="NAME",
        help=f"A published table: its rows, data and operations. See: {COMMAND} list suites",
    ),
]
ShowPublished = Annotated[
    bool, typer.Option("--published", help="Show the published figures of a suite beside ours.")
]
RelativeTo = Annotated[
    str | None,
    typer.Option(
        "--relative-to",
        metavar="CODEC",
        help=f"Show ratios to this codec in place of those to the best. Examples: {examples.REFERENCES}",
    ),
]
AllNotes = Annotated[
    bool, typer.Option("--full", help="Print all notes below tables, in place of the first lines.")
]
Needs = Annotated[
    str | None,
    typer.Option(
        "--need",
        metavar="WHAT",
        help="Leave only codecs that can do this: features, and languages that have to read the same bytes. "
        f"Examples: {examples.NEEDS}. Features: {', '.join(FEATURES)}",
    ),
]
NoInstall = Annotated[
    bool, typer.Option("--no-install", help="Never install system packages; say how to get them instead.")
]

Compilers = Annotated[
    list[str] | None,
    typer.Option(
        *(option.flag for option in compiler_options()),
        metavar="COMMAND",
        help=f"{' or '.join(option.title for option in compiler_options())}; may be repeated, "
        "and is part of the cell then. Default: "
        f"{', '.join(option.default for option in compiler_options())}",
    ),
]
Revisions = Annotated[
    list[str] | None,
    typer.Option(
        "--revision",
        metavar="REV",
        help="Take the adapters as they were at a git revision, '.' for the working tree; "
        "may be repeated, and is part of the cell then.",
    ),
]
Prefixes = Annotated[
    list[str] | None,
    typer.Option(
        "--prefix",
        metavar="DIR",
        help="Take libraries from this folder, in place of SERBENCH_PREFIX; may be repeated, "
        "and is part of the cell then.",
    ),
]
TimeLimit = Annotated[
    float,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        min=0.1,
        help="Seconds after which a runner that says nothing counts as hanging.",
    ),
]
TIME_LIMIT_DEFAULT = SILENCE_LIMIT_S


def need_of(text: str | None) -> Need | None:
    """What ``--need`` asks for; None where it was not given.

    Raises:
        SelectionError: it has a word that is no need.
    """
    return None if text is None else parse_need(text, list(languages()))


def percent(text: str | None) -> float | None:
    """``2%``, ``2 %`` or ``2`` as the share 0.02; None for None.

    Raises:
        SelectionError: it is no number above 0.
    """
    if text is None:
        return None
    try:
        share = float(text.rstrip("% ")) / 100
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise SelectionError(
            f"found '{text}' where a percentage above 0 and below 100 was expected, such as 2%"
        )
    return share
