"""The command line: each command is a thin module that calls the pipeline and prints what that returns."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Annotated

import typer

from serbench import __version__

app = typer.Typer(
    name="serbench",
    help="Which serializer should I use, for my data, in my languages, on my machine?",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
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


MODULES = {
    "import": "importing",
    "try": "importing",
    "run": "run",
    "show": "show",
    "compare": "compare",
    "plot": "plot",
    "report": "report",
    "serve": "serve",
    "export": "export",
    "sql": "sql",
    "list": "listing",
    "verify": "verify",
    "encode": "encode",
    "doctor": "doctor",
    "setup": "setup",
    "workload": "workload",
    "test": "test",
}
"""Command → module of this package, in the order of the help; a module is imported only if its command is
used."""


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


def register(words: list[str]) -> None:
    """Adds to the app the command that ``words`` begin with; if they do not begin with a command, all
    commands, since help and errors name them."""
    for module in [MODULES[word] for word in words if word in MODULES] or dict.fromkeys(MODULES.values()):
        import_module(f"serbench.cli.{module}").register(app)
