"""The command line: each command is a thin module that calls the pipeline and prints what it gives."""

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
"""Command → module of this package, in the order of the help; imported only where its command is asked
for."""


def main() -> None:
    """Runs the command line; ends.py says how it ends."""
    if sys.argv[1:] == ["--version"]:  # answered before anything heavy is imported
        print(f"serbench {__version__}")
        return
    from serbench.cli.ends import end_well
    from serbench.command import COMMAND

    register(sys.argv[1:2])
    end_well(lambda: app(prog_name=COMMAND))


def register(words: list[str]) -> None:
    """Adds the command that ``words`` begin with; all of them where it is none of these, which help and
    errors name."""
    for module in [MODULES[word] for word in words if word in MODULES] or dict.fromkeys(MODULES.values()):
        import_module(f"serbench.cli.{module}").register(app)
