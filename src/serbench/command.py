"""What the user types to start serbench, for messages that say what to do next."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

from serbench.paths import INSTALLED

STARTED_AS = "SERBENCH_STARTED_AS"
"""The environment variable with the name by which the launcher of a checkout was started."""


def _command() -> str:
    """The command by which serbench was started, shortened to its name if the search path finds the same
    program by it."""
    started = os.environ.get(STARTED_AS) or sys.argv[0]
    if Path(started).name == "serbench":
        return "serbench" if shutil.which("serbench") == started else shlex.quote(started)
    return "python -m serbench" if INSTALLED else "./serbench"


COMMAND = _command()
