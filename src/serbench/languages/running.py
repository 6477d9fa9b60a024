"""Writes the sources of programs, runs the tools that build them, and tells in a line why a tool failed."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from serbench.system.files import write_if_changed
from serbench.system.guard import marked_environment


def write_folder(directory: Path, texts: Mapping[Path, str]) -> None:
    """Make ``directory`` hold these files and no others; a file whose text stays the same is not touched."""
    for path, text in texts.items():
        write_if_changed(path, text)
    for path in [*directory.rglob("*")]:
        if path.is_file() and path not in texts:
            path.unlink()  # a file of a workload or variant that is no more, or of a library's own generator


def failure_of(
    command: Sequence[str], folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> str:
    """Run a command in a folder; return all of its output if it failed, or nothing.

    Args:
        environment: its variables; those of serbench's own process where none are given.
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
    """Return the first line that tells of an error, or ``otherwise``; without addresses, which say nothing to
    a reader of a table.

    Args:
        said: the output of a program.
        pattern: the pattern of lines with an error; its group, if any, is the error itself.
        place: the words in place of an address.
    """
    lines = filter(None, map(str.strip, said.splitlines()))
    found = next(filter(None, (re.search(pattern, line) for line in lines)), None)
    line = otherwise if found is None else found[1] if found.re.groups else found.string
    return re.sub(r"[`\"]?\b\w+(?:\+\w+)?://[^\s`\"]+[`\"]?", place, line)
