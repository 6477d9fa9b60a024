"""The command line: each command is a thin module that calls the pipeline and prints what it gives."""

from __future__ import annotations

import sys
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
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


def main() -> None:
    """Runs the command line; ends.py says how it ends."""
    if sys.argv[1:] == ["--version"]:  # answered before anything heavy is imported
        print(f"serbench {__version__}")
        return
    from serbench.cli import compare, doctor, encode, listing, plot, run, setup, show, test, verify
    from serbench.cli.ends import end_well
    from serbench.command import COMMAND

    for command in (run, show, compare, plot, listing, verify, encode, doctor, setup, test):
        command.register(app)
    end_well(lambda: app(prog_name=COMMAND))
