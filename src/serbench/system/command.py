"""The command by which serbench was started, for messages that say what to do next, and since when its user
has been waiting."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from serbench.paths import INSTALLED

STARTED_AS = "SERBENCH_STARTED_AS"
"""The environment variable with the name by which the launcher of a checkout was started."""

SET_UP = "SERBENCH_SET_UP_S"
"""The environment variable with the whole seconds that the launcher took to set up the Python environment."""


def _command() -> str:
    """Return the command by which serbench was started; only its name, if the search path finds the same
    program."""
    started = os.environ.get(STARTED_AS) or sys.argv[0]
    if Path(started).name == "serbench":
        return "serbench" if shutil.which("serbench") == started else shlex.quote(started)
    return "python -m serbench" if INSTALLED else "./serbench"


COMMAND = _command()


READS, UPDATES = "--read", "--update"
"""The options that name the paths that are read of messages, and those whose values change."""

SWEEPS = "--sweep"
"""The option that measures a workload with ever more messages."""

WHERE = "--where"
"""The option whose words have values of the user's data."""

HIDDEN = "…"
"""Stands for the value of a condition in a command line that is kept."""

_BEFORE_VALUE = re.compile(r"[^=!<>]*[=!<>]{1,2}")


def words_to_keep(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a command line as they may be kept: the values of conditions are left out, since
    they are values of the user's data."""
    kept: list[str] = []
    for before, word in zip(("", *words), words, strict=False):
        flag = f"{WHERE}=" if word.startswith(f"{WHERE}=") else ""
        path = _BEFORE_VALUE.match(word.removeprefix(flag))
        hidden = f"{flag}{path[0] if path else ''}{HIDDEN}"
        kept.append(hidden if flag or before == WHERE else word)
    return tuple(kept)


def values_of(words: Sequence[str], option: str) -> list[str]:
    """Return the values that a command line gives an option, of which it may have several."""
    pairs = zip(("", *words), words, strict=False)
    flag = f"{option}="
    return [
        word.removeprefix(flag) if word.startswith(flag) else word
        for before, word in pairs
        if word.startswith(flag) or before == option
    ]


def waiting_since() -> float:
    """Return when the user began to wait, by the monotonic clock: now, less what setting up took."""
    return time.monotonic() - float(os.environ.get(SET_UP) or 0)
