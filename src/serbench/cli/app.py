"""The command line: each command is a thin module that calls the pipeline and prints what that returns."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Annotated, Any

import typer

from serbench import __version__

_HELP: dict[str, Any] = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    name="serbench",
    help="Which serializer should I use, for my data, in my languages, on my machine?",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings=_HELP,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"serbench {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


COMMANDS = {
    "import": ("importing.import_", "Make a workload from your schema and data."),
    "try": ("importing.try_", "Import your schema and data, and measure them quickly."),
    "run": ("run.run", "Verify and measure codecs, and print the results."),
    "show": ("show.show", "Print the results of a run."),
    "compare": ("compare.compare", "Compare two runs: what became faster or slower."),
    "plot": ("plot.plot", "Draw the results of a run as pictures."),
    "report": ("report.report", "Write a report of runs as one HTML file."),
    "serve": ("serve.serve", "Serve the report of a run while it is measured."),
    "export": ("export.export", "Export runs as CSV, JSON or Parquet tables."),
    "sql": ("sql.sql", "Query all runs in SQL."),
    "list": ("listing.list_kind", "List codecs, workloads, operations, suites, runs or machines."),
    "why": ("why.why", "Show what each part of the messages costs."),
    "history": ("history.history", "Show which version of a library changed its times."),
    "verify": ("verify.verify", "Check that every codec round-trips the data."),
    "advise": ("advise.advise", "Show which changes of a schema save bytes and lose nothing."),
    "encode": ("encode.encode", "Write sample files, one per codec."),
    "doctor": ("doctor.doctor", "Check whether this machine is fit for measuring."),
    "setup": ("setup.setup", "Install what codecs need, and build them."),
    "workload": ("workload.app", "Remove or rename imported workloads."),
    "test": ("test.test", "Run the tests of serbench itself."),
}
"""Command → its module in this package with its function, and what it does, in the order of the help; a
module is imported only if its command is used."""

_PASSED_ON = {"test": {"allow_extra_args": True, "ignore_unknown_options": True}}
"""Settings of the commands that pass options which they do not know on to another program."""


def main() -> None:
    """Runs the command line and ends the process, as ends.py describes."""
    if sys.argv[1:] == ["--version"]:  # answered before anything heavy is imported
        print(f"serbench {__version__}")
        return
    from serbench.cli.ends import end_well
    from serbench.system.command import COMMAND
    from serbench.system.extras import tell_by

    tell_by(lambda line: print(line, file=sys.stderr, flush=True))
    register(sys.argv[1:2])
    end_well(lambda: app(prog_name=COMMAND))


def register(words: list[str], to: typer.Typer = app) -> None:
    """Add to the app the commands that ``words`` name; if they name none, all, for help and errors."""
    from serbench.cli.grouped import grouped
    from serbench.system.examples import epilog

    for name in [word for word in words if word in COMMANDS] or COMMANDS:
        place, short_help = COMMANDS[name]
        module, _, function = place.partition(".")
        command = getattr(import_module(f"serbench.cli.{module}"), function)
        if isinstance(command, typer.Typer):
            to.add_typer(command, name=name, short_help=short_help)
        else:
            settings = {**_HELP, **_PASSED_ON.get(name, {})}
            add = to.command(name, short_help=short_help, epilog=epilog(name), context_settings=settings)
            add(grouped(command))
