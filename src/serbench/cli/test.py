"""``serbench test``: the project's own tests."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Annotated

import typer

from serbench.command import COMMAND, STARTED_AS
from serbench.errors import SetupError
from serbench.install import need_packages
from serbench.paths import INSTALLED, PROJECT


def register(app: typer.Typer) -> None:
    app.command(
        "test",
        short_help="Run the tests of serbench itself.",
        epilog=f"Example: {COMMAND} test -k canonical",
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": ["-h", "--help"]},
    )(test)


def test(
    arguments: Annotated[list[str] | None, typer.Argument(help="Options for pytest, such as -k canonical.")] = None,
) -> None:
    """Run all tests of serbench itself; installs and builds what they need."""
    if INSTALLED:
        raise SetupError("the tests are not installed with serbench: they need a clone of its repository, with ./serbench test")
    need_packages("test", "pytest", "hypothesis")
    environment = {name: value for name, value in os.environ.items() if name != STARTED_AS}
    words = [sys.executable, "-m", "pytest", *(arguments or [])]
    sys.exit(subprocess.run(words, cwd=PROJECT, env=environment).returncode)
