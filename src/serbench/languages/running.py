"""Runs the programs that build codecs, and tells in a line why one of them failed."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from serbench.system.guard import marked_environment


def failure_of(
    command: Sequence[str], folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> str:
    """Runs a command in a folder; all that it said where it failed, else nothing.

    Args:
        environment: ours if it is not given.
    """
    done = subprocess.run(
        command,
        cwd=folder,
        env=marked_environment(environment),
        capture_output=True,
        text=True,
        errors="replace",
    )
    said = done.stderr.strip() or done.stdout.strip() or f"it ended with status {done.returncode}"
    return said if done.returncode else ""


def first_error(
    said: str, pattern: str = "", otherwise: str = "it failed", place: str = "its registry"
) -> str:
    """The first line that tells of an error, or ``otherwise``; without addresses, which say nothing to a
    reader of a table.

    Args:
        said: all that a program said.
        pattern: a line with an error matches it; a group of it is the error without what stands before.
        place: the words that stand for an address.
    """
    lines = filter(None, map(str.strip, said.splitlines()))
    found = next(filter(None, (re.search(pattern, line) for line in lines)), None)
    line = otherwise if found is None else found[1] if found.re.groups else found.string
    return re.sub(r"[`\"]?\b\w+(?:\+\w+)?://[^\s`\"]+[`\"]?", place, line)
