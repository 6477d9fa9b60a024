"""Compilers that leave out the optimiser, for tests of what generated code does and not of how fast it does it."""

from __future__ import annotations

import shutil
from pathlib import Path


def compilers_without_optimiser(folder: Path) -> str | None:
    """Writes ``g++-O0`` and ``gcc-O0`` into ``folder``, the compilers of these names with ``-O0`` behind all other flags.

    Returns: the command of the C++ compiler, to be given as ``--cxx`` is; None where there is no g++ to run.
    """
    for name in ("g++", "gcc"):
        real = shutil.which(name)
        if not real:
            return None
        folder.mkdir(parents=True, exist_ok=True)
        script = folder / f"{name}-O0"
        script.write_text(f'#!/bin/sh\nexec "{real}" "$@" -O0\n')
        script.chmod(0o755)
    return str(folder / "g++-O0")
