"""``serbench test``: run the project's own tests."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Annotated

import typer

from serbench.building.prepare import known_variants
from serbench.cli.options import flag
from serbench.errors import SetupError
from serbench.paths import INSTALLED, PROJECT, Paths
from serbench.selecting.selection import select_variants
from serbench.system.command import STARTED_AS
from serbench.system.examples import CODECS
from serbench.system.extras import need_packages


def test(
    arguments: Annotated[
        list[str] | None, typer.Argument(help="Options for pytest, such as -k canonical.")
    ] = None,
    codec: Annotated[
        list[str] | None,
        typer.Option("--codec", "-c", help=f"Run only the tests of these codecs, such as {CODECS}."),
    ] = None,
    quick: Annotated[
        bool, flag("--quick", "Skip tests that build or take long; the summary names what was skipped.")
    ] = False,
) -> None:
    """Run the tests of serbench itself; installs and builds what they need."""
    if INSTALLED:
        raise SetupError(
            "the tests are not part of an installed serbench; run ./serbench test in a clone of its "
            "repository"
        )
    need_packages("test", "pytest", "xdist", "hypothesis")
    # Raises the error for a pattern that matches nothing before any test runs.
    select_variants(codec or [], known_variants(Paths.default()))
    environment = {name: value for name, value in os.environ.items() if name != STARTED_AS}
    # Tests that share builds stay together in one process, as tests/conftest.py groups them.
    asked = [
        "--numprocesses=auto",
        "--dist=loadgroup",
        *(["--quick"] if quick else []),
        *(f"--codec={pattern}" for pattern in codec or ()),
    ]
    words = [sys.executable, "-m", "pytest", *asked, *(arguments or [])]
    sys.exit(subprocess.run(words, cwd=PROJECT, env=environment).returncode)
