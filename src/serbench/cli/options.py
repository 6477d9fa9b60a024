"""Options that several commands share, so that one name means one thing everywhere."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any

import typer

from serbench.cli.quantities import TIMES, seconds
from serbench.codecs.codec import ALL_FEATURES
from serbench.languages import choices_of, chosen_settings, compiler_options, languages
from serbench.measure.process import SILENCE_LIMIT_S
from serbench.paths import Paths
from serbench.report.table import UNBOUNDED, terminal_width
from serbench.selecting.conforming import load_conformance
from serbench.selecting.evolved import load_evolution
from serbench.selecting.need import Need, parse_need
from serbench.selecting.selection import METRICS
from serbench.system import examples
from serbench.system.command import COMMAND, READS, SWEEPS, UPDATES, WHERE


def option(metavar: str, help: str, *flags: str, **more: Any) -> Any:
    """Declare an option with a value; ``flags`` are its names, unless it is named as its parameter is."""
    return typer.Option(*flags, metavar=metavar, help=help, **more)


def flag(name: str, help: str) -> Any:
    """Declare an option without a value, which is off unless it is given."""
    return typer.Option(name, help=help)


class TableFormat(str, Enum):
    """How a table is printed."""

    table = "table"
    markdown = "markdown"
    csv = "csv"
    json = "json"

    @property
    def room(self) -> int:
        """The columns that a table may take: those of the terminal, or any number for programs."""
        return terminal_width() if self is TableFormat.table else UNBOUNDED


Workloads = Annotated[
    list[str] | None,
    option(
        "NAME",
        f"Workload, with parameters after a colon; may be repeated. Example: {examples.WORKLOAD}",
        "-w",
        "--workload",
    ),
]
Reads = Annotated[
    list[str] | None,
    option(
        "PATHS",
        "Read only these paths of each message, such as 'id, lines[].sku'; 'first' for its first value, "
        "'10%' for this share of all values, 'shares' for 1, 3, 10 and 30 % of them. May be repeated to "
        "compare several.",
        READS,
    ),
]
Updates = Annotated[
    list[str] | None,
    option(
        "PATHS",
        "Change the integers, floats and bools at these paths in the bytes of each message, such as "
        "'lines[].price'. May be repeated to compare several.",
        UPDATES,
    ),
]
Sweeps = Annotated[
    str | None,
    option(
        "WHAT",
        "Measure each workload with ever more messages, from one to four times what the last cache holds: "
        "'messages', or their numbers, as in 'messages=1,64,4096'. Copies have other values. With 'size' or "
        "'size=1,64,4096', the longest list of each message has ever more items instead.",
        SWEEPS,
    ),
]
Conditions = Annotated[
    list[str] | None,
    option(
        "CONDITION",
        "Reckon what a filter takes that reads only the messages that meet a condition, such as "
        "'status=paid' or 'lines[].price>=10'. It reads the paths that are asked for, or else everything. "
        "May be repeated: all have to hold.",
        WHERE,
    ),
]
Metrics = Annotated[
    list[str] | None,
    option(
        "NAME",
        f"What to measure: {', '.join(METRICS)}; may be repeated. Default: time, or for a suite what its "
        "table shows.",
    ),
]
Codecs = Annotated[
    list[str] | None,
    option(
        "PATTERN",
        "Codec or pattern, or 'popular' for the best-known codec of each language and format; "
        f"may be repeated. Examples: {examples.CODECS}",
        "-c",
        "--codec",
    ),
]
Operations = Annotated[
    list[str] | None,
    option(
        "PATTERN",
        "Operation or pattern; may be repeated. Example: -o encode -o 'decode*'",
        "-o",
        "--operation",
    ),
]
MemoryPolicies = Annotated[
    list[str] | None,
    option(
        "POLICY",
        "Memory policy, reuse or fresh; may be repeated. Default: reuse, but both for deserialize.",
        "--memory",
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
    TableFormat, option("FORMAT", "How to print tables: table, markdown, csv or json.", "--format")
]
SuiteName = Annotated[
    str | None,
    option(
        "NAME",
        f"Measure what a published table shows: its rows, data and operations. See: {COMMAND} list suites",
        "--suite",
    ),
]
ShowPublished = Annotated[bool, flag("--published", "Show the published figures of the suite beside ours.")]
RelativeTo = Annotated[
    str | None,
    option(
        "CODEC",
        f"Show ratios to this codec instead of to the best one. Examples: {examples.REFERENCES}",
        "--relative-to",
    ),
]
AllNotes = Annotated[bool, flag("--full", "Print all notes below the tables, not only the first lines.")]
Needs = Annotated[
    str | None,
    option(
        "WHAT",
        "Select only codecs that have these features, or that these languages can all read. "
        f"Examples: {examples.NEEDS}. Features: {', '.join(ALL_FEATURES)}",
        "--need",
    ),
]
NoInstall = Annotated[
    bool, flag("--no-install", "Never install system packages; print how to get them instead.")
]

Compilers = Annotated[
    list[str] | None,
    option(
        "COMMAND",
        f"{' or '.join(each.title for each in compiler_options())}; may be repeated to compare "
        "several. Default: "
        f"{', '.join(each.default for each in compiler_options())}",
        *(each.flag for each in compiler_options()),
    ),
]
_EDITIONS = "May be repeated to compare several, which are editions of one kind."

Revisions = Annotated[
    list[str] | None,
    option(
        "REV",
        "Edition with the adapters of this git revision ('.' for the working tree). " + _EDITIONS,
        "--revision",
    ),
]
Prefixes = Annotated[
    list[str] | None,
    option(
        "DIR",
        "Edition with the libraries in this folder instead of SERBENCH_PREFIX. " + _EDITIONS,
        "--prefix",
    ),
]
Profiles = Annotated[
    list[str] | None,
    option(
        "LANGUAGE:SETTINGS",
        "Edition with the programs of a language built with these settings, such as "
        f"{' or '.join(f'{name}:{each.examples}' for name, each in chosen_settings().items())}. {_EDITIONS} "
        f"Default: {', '.join(f'{name}:{each.usual}' for name, each in chosen_settings().items())}",
        "--profile",
    ),
]
Allocators = Annotated[
    list[str] | None,
    option(
        "NAME",
        "Edition of compiled programs that are linked with this memory allocator, beside the usual one: "
        f"{', '.join(choices_of('allocator'))}. May be repeated.",
        "--allocator",
    ),
]
Engines = Annotated[
    list[str] | None,
    option(
        "NAME",
        "Edition of programs that another engine runs, beside the usual one: "
        f"{', '.join(choices_of('engine'))}. May be repeated.",
        "--engine",
    ),
]
Versions = Annotated[
    list[str] | None,
    option(
        "CODEC=VERSION",
        "Edition of a codec with its library in this version, 'latest', 'previous' or the path of a package, "
        f"beside the usual one. May be repeated. Example: {examples.VERSION}",
        "--version",
    ),
]
TimeLimit = Annotated[
    float,
    option(
        "TIME",
        f"Time without output after which a runner counts as hung, {TIMES}. Default: {SILENCE_LIMIT_S:g}s.",
        "--time-limit",
        parser=seconds(least=0.1),
        show_default=False,
    ),
]
TIME_LIMIT_DEFAULT = SILENCE_LIMIT_S


def need_of(text: str | None) -> Need | None:
    """The need that ``--need`` names; None if it was not given.

    Raises:
        SelectionError: it has a word that is not a need.
        FileError: the table of evolution, or that of conformance, is not valid.
    """
    if text is None:
        return None
    codecs = Paths.default().codecs
    return parse_need(text, list(languages()), load_evolution(codecs), load_conformance(codecs).profiles)
