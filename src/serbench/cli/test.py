"""``serbench test``: the project's own tests."""

from __future__ import annotations

import subprocess
import sys
from typing import Annotated

import typer

from serbench.paths import PROJECT


def register(app: typer.Typer) -> None:
    app.command(
        "test",
        short_help="Run the tests of serbench itself.",
        epilog="Example: ./serbench test -k canonical",
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": ["-h", "--help"]},
    )(test)


def test(
    arguments: Annotated[list[str] | None, typer.Argument(help="Options for pytest, such as -k canonical.")] = None,
) -> None:
    """Run all tests of serbench itself; installs and builds what they need."""
    sys.exit(subprocess.run([sys.executable, "-m", "pytest", *(arguments or [])], cwd=PROJECT).returncode)
