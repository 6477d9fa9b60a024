"""Isolated processes, which can pass each other nothing but what we hand over (``alone.py`` starts them)."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from serbench.system import alone


def apart(folder: Path, hidden: Sequence[Path] = ()) -> list[str]:
    """The words in front of a command that isolate it: it can write to ``folder`` alone, and the ``hidden``
    folders look empty to it."""
    return [*_starter(), str(folder), *map(str, hidden), "--"]


@cache
def has_namespaces() -> bool:
    """Whether this system can isolate processes; where it cannot, each only has a home folder of its own."""
    if sys.platform != "linux":
        return False
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        return subprocess.run([*_starter(), folder], capture_output=True, check=False).returncode == 0


def _starter() -> list[str]:
    return [sys.executable, "-I", "-S", str(Path(alone.__file__))]
