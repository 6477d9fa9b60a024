"""Isolated processes, which can pass each other nothing but what we hand over (``alone.py`` starts them)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from serbench.system import alone


def apart(folder: Path, hidden: Sequence[Path] = ()) -> list[str]:
    """The words in front of a command that isolate it: it can write to ``folder`` alone, and the ``hidden``
    folders look empty to it."""
    starter = [sys.executable, "-I", "-S", alone.__file__]
    return [*starter, str(folder), *map(str, hidden), "--"]
