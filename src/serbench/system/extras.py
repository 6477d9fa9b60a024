"""Installs optional parts of serbench, which are extras of its Python package.

The environment of a checkout gets what serbench needs to run, and an extra when it is first needed: all
extras are ten times as much, and whoever waits for a first table wants none.
"""

from __future__ import annotations

import importlib
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path

from serbench.errors import SetupError
from serbench.paths import INSTALLED, PROJECT
from serbench.system.locked import blocks_of, subset
from serbench.system.locks import holding

EXTRAS = ("cluster", "docs", "parquet", "plot", "sql", "test")
"""The extras of ``pyproject.toml``."""

ENVIRONMENT = PROJECT / ".venv"
"""The Python environment that the launcher of a checkout makes."""

_told: list[Callable[[str], None]] = []


def tell_by(announce: Callable[[str], None]) -> None:
    """Have installations announced by ``announce``."""
    _told[:] = [announce]


def need_packages(extra: str, *modules: str) -> None:
    """Check that the modules of an extra of serbench can be imported; in a checkout's own environment,
    install the extra where they cannot. Raise SetupError, which says how to install it, where modules are
    missing."""
    if not _missing(modules):
        return
    if _is_own():
        install(extra)
    if missing := _missing(modules):
        raise SetupError(
            f"this needs {', '.join(missing)}, from the extra serbench[{extra}]; get it: {_how(extra)}"
        )


def install(extra: str) -> None:
    """Install the locked packages of an extra into a checkout's environment, as far as they are missing.
    Raise SetupError where this is another environment, or pip fails."""
    if not _is_own():
        raise SetupError(f"the environment {sys.prefix} is not serbench's own; get it: {_how(extra)}")
    needed = subset(PROJECT, [extra])
    with holding(PROJECT / ".venv.lock"), tempfile.NamedTemporaryFile("w", suffix=".lock") as file:
        if not lacking(needed):
            return
        file.write(needed)
        file.flush()
        for announce in _told:
            announce(f"installing the Python packages for serbench[{extra}] (once) ...")
        words = ["install", "--quiet", "--disable-pip-version-check", "--require-hashes", "-r", file.name]
        done = subprocess.run([sys.executable, "-m", "pip", *words], capture_output=True, text=True)
    importlib.invalidate_caches()
    if done.returncode:
        raise SetupError(
            f"the Python packages for serbench[{extra}] could not be installed: {done.stderr.strip()[-500:]}"
        )


def lacking(lock: str) -> list[str]:
    """Return the packages of a lock file that are not installed in the locked version, including those for
    other systems."""
    lacks = []
    for name, (text, _) in blocks_of(lock).items():
        pinned = re.findall(r"^\S+==(\S+)", text, re.MULTILINE)
        try:
            if version(name) not in pinned:
                lacks.append(name)
        except PackageNotFoundError:
            lacks.append(name)
    return lacks


def _missing(modules: Sequence[str]) -> list[str]:
    return [name for name in modules if not find_spec(name)]


def _is_own() -> bool:
    return not INSTALLED and Path(sys.prefix) == ENVIRONMENT and (ENVIRONMENT / "requirements.lock").exists()


def _how(extra: str) -> str:
    """Return the command that installs an extra."""
    with_pip = [shlex.quote(sys.executable), "-m pip install"]
    with_uv = ["uv pip install --python", shlex.quote(sys.executable)]
    return " ".join([*(with_pip if find_spec("pip") else with_uv), *_packages_of(extra)])


def _packages_of(extra: str) -> list[str]:
    """Return the packages of an extra by their own names: pip may not find serbench in a package index."""
    try:
        required = requires("serbench") or []
    except PackageNotFoundError:  # a checkout that is run as it is
        return [shlex.quote(f"{PROJECT}[{extra}]")]
    return [
        line.partition(";")[0].strip()
        for line in required
        if re.search(rf"""extra == ['"]{extra}['"]""", line)
    ]
