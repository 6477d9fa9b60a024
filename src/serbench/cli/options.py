"""Options that several commands share, so that one name means one thing everywhere."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from serbench.cli.quantities import TIMES, seconds
from serbench.codecs.codec import FEATURES
from serbench.languages import chosen_settings, compiler_options, languages
from serbench.measure.process import SILENCE_LIMIT_S
from serbench.selecting.need import Need, parse_need
from serbench.system import examples
from serbench.system.command import COMMAND


class TableFormat(str, Enum):
    """How a table is printed."""

    table = "table"
    markdown = "markdown"
    csv = "csv"
    json = "json"


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
        help="Codec or pattern, or 'popular' for the best-known codec of each language and format; "
        f"may be repeated. Examples: {examples.CODECS}",
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
        help="Memory policy, reuse or fresh; may be repeated. Default: reuse, but both for deserialize.",
    ),
]
OneRun = Annotated[
    str | None, typer.Argument(help="Id of a run, or its first characters. Default: the newest run.")
]
Runs = Annotated[
    list[str] | None,
    typer.Argument(help="Ids of runs, or their first characters. Default: the newest run."),
]
OutputFormat = Annotated[
    TableFormat,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="How to print tables: table, markdown, csv or json.",
    ),
]
SuiteName = Annotated[
    str | None,
    typer.Option(
        "--suite",
        metavar="NAME",
        help=f"Measure what a published table shows: its rows, data and operations. See: {COMMAND} list "
        "suites",
    ),
]
ShowPublished = Annotated[
    bool, typer.Option("--published", help="Show the published figures of the suite beside ours.")
]
RelativeTo = Annotated[
    str | None,
    typer.Option(
        "--relative-to",
        metavar="CODEC",
        help=f"Show ratios to this codec instead of to the best one. Examples: {examples.REFERENCES}",
    ),
]
AllNotes = Annotated[
    bool, typer.Option("--full", help="Print all notes below the tables, not only the first lines.")
]
Needs = Annotated[
    str | None,
    typer.Option(
        "--need",
        metavar="WHAT",
        help="Select only codecs that have these features, or that these languages can all read. "
        f"Examples: {examples.NEEDS}. Features: {', '.join(FEATURES)}",
    ),
]
NoInstall = Annotated[
    bool, typer.Option("--no-install", help="Never install system packages; print how to get them instead.")
]

Compilers = Annotated[
    list[str] | None,
    typer.Option(
        *(option.flag for option in compiler_options()),
        metavar="COMMAND",
        help=f"{' or '.join(option.title for option in compiler_options())}; may be repeated to compare "
        "several. Default: "
        f"{', '.join(option.default for option in compiler_options())}",
    ),
]
_EDITIONS = "May be repeated to compare several, which are editions of one kind."

Revisions = Annotated[
    list[str] | None,
    typer.Option(
        "--revision",
        metavar="REV",
        help="Edition with the adapters of this git revision ('.' for the working tree). " + _EDITIONS,
    ),
]
Prefixes = Annotated[
    list[str] | None,
    typer.Option(
        "--prefix",
        metavar="DIR",
        help="Edition with the libraries in this folder instead of SERBENCH_PREFIX. " + _EDITIONS,
    ),
]
Profiles = Annotated[
    list[str] | None,
    typer.Option(
        "--profile",
        metavar="LANGUAGE:SETTINGS",
        help="Edition with the programs of a language built with these settings, such as "
        f"{' or '.join(f'{name}:{each.examples}' for name, each in chosen_settings().items())}. {_EDITIONS} "
        f"Default: {', '.join(f'{name}:{each.usual}' for name, each in chosen_settings().items())}",
    ),
]
TimeLimit = Annotated[
    float,
    typer.Option(
        "--time-limit",
        metavar="TIME",
        parser=seconds(least=0.1),
        show_default=False,
        help=f"Time without output after which a runner counts as hung, {TIMES}. "
        f"Default: {SILENCE_LIMIT_S:g}s.",
    ),
]
TIME_LIMIT_DEFAULT = SILENCE_LIMIT_S


def need_of(text: str | None) -> Need | None:
    """The need that ``--need`` names; None if it was not given.

    Raises:
        SelectionError: it has a word that is not a need.
    """
    return None if text is None else parse_need(text, list(languages()))
