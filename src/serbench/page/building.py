"""Builds the page's script and style from ``page/`` of a checkout, with Node.js; needs no Python package."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from serbench.errors import SetupError
from serbench.paths import PROJECT
from serbench.system.stamp import Stamp, contents, sha256_of

SOURCES = PROJECT / "page"
"""The page's sources in a checkout; an installed package has none."""

BUILT = Path(__file__).resolve().parent / "built"

CHARTS = Path(__file__).resolve().parents[1] / "report" / "charts" / "specs"
"""The charts that pages and pictures share; they are built into the script."""

PROGRAMS = {"node": "nodejs", "npm": "npm"}
"""The programs that build the page, each with the system package that has it."""

_STAMP = "sources.sha256"


def is_built() -> bool:
    """Whether the built files were made from the sources as they are now."""
    return _built().holds()


def build(announce: Callable[[str], None]) -> None:
    """Gets the packages that build ``SOURCES`` and builds these, if they have changed since the last build.

    Raises:
        SetupError: the packages cannot be had, or the sources do not build.
    """
    if is_built():
        return
    get_packages(announce)
    announce("building the page")
    BUILT.mkdir(exist_ok=True)
    _built().clear()
    _run("node", "build.mjs", str(BUILT))
    _built().set()


def get_packages(announce: Callable[[str], None], to_check: bool = False) -> None:
    """Gets the packages that build the page, as ``package-lock.json`` has them, unless they are there.

    Args:
        to_check: whether to get also the packages that check the sources, four times as much in all.

    Raises:
        SetupError: npm failed.
    """
    path, lock = SOURCES / "node_modules" / _STAMP, (SOURCES / "package-lock.json").read_bytes()
    few, full = Stamp(path, sha256_of(lock)), Stamp(path, sha256_of(lock, "to check"))
    if full.holds() or (not to_check and few.holds()):
        return
    announce("getting the page's packages with npm")
    # No package may run a script of its own while it is installed.
    _run("npm", "ci", *([] if to_check else ["--omit=dev"]), "--ignore-scripts", "--no-audit", "--no-fund")
    (full if to_check else few).set()


def _built() -> Stamp:
    """The file that records from which state of the sources the built files were made."""
    files = [path for path in (SOURCES / "src").rglob("*") if path.is_file()]
    files += [SOURCES / name for name in ("package.json", "package-lock.json", "build.mjs")]
    charts = contents(CHARTS, CHARTS.glob("*.json"))
    return Stamp(BUILT / _STAMP, sha256_of(*contents(SOURCES, files), *charts))


def _run(*command: str) -> None:
    done = subprocess.run(
        command, cwd=SOURCES, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"}
    )
    if done.returncode:
        said = "\n".join(f"  {line}" for line in (done.stdout + done.stderr).strip().splitlines()[-8:])
        raise SetupError(f"{' '.join(command[:2])} failed in {SOURCES}:\n{said}")
