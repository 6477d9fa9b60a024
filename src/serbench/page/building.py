"""Builds the page's script and style from ``page/`` of a checkout, with Node.js; needs no package of
Python's."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from serbench.errors import SetupError
from serbench.paths import PROJECT
from serbench.whole import write_atomically

SOURCES = PROJECT / "page"
"""Of a checkout; an installed package has none."""

BUILT = Path(__file__).resolve().parent / "built"

CHARTS = Path(__file__).resolve().parents[1] / "report" / "charts" / "specs"
"""The charts that pages and pictures share; the script has them in it."""

PROGRAMS = {"node": "nodejs", "npm": "npm"}
"""What builds, with the system packages that have it."""

_STAMP = "sources.sha256"


def is_built() -> bool:
    """Whether what is built is of these very sources."""
    stamp = BUILT / _STAMP
    return stamp.exists() and stamp.read_text() == _digest()


def build(announce: Callable[[str], None]) -> None:
    """Builds ``SOURCES``, unless that was done; the first time its packages are got before.

    Raises:
        SetupError: the packages are not to be had, or the sources do not build.
    """
    if is_built():
        return
    get_packages(announce)
    announce("building the page")
    BUILT.mkdir(exist_ok=True)
    _run("node", "build.mjs", str(BUILT))
    write_atomically(BUILT / _STAMP, _digest())


def get_packages(announce: Callable[[str], None], to_check: bool = False) -> None:
    """Gets what the sources are built with, as ``package-lock.json`` has it, unless it is there.

    Args:
        to_check: gets what they are checked with too, which is four times as much.

    Raises:
        SetupError: npm failed.
    """
    stamp = SOURCES / "node_modules" / _STAMP
    lock = hashlib.sha256((SOURCES / "package-lock.json").read_bytes()).hexdigest()
    wanted = [lock, *(["to check"] if to_check else [])]
    there = stamp.read_text().splitlines() if stamp.exists() else []
    if there[: len(wanted)] == wanted:
        return
    announce("getting the page's packages with npm")
    # None of them runs a script of its own while it is installed.
    _run("npm", "ci", *([] if to_check else ["--omit=dev"]), "--ignore-scripts", "--no-audit", "--no-fund")
    stamp.write_text("\n".join(wanted))


def _digest() -> str:
    """Of all that the built files follow from."""
    digest = hashlib.sha256()
    for path in sorted(_sources()):
        digest.update(f"{path.name}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _sources() -> Iterator[Path]:
    yield from (path for path in (SOURCES / "src").rglob("*") if path.is_file())
    yield from (SOURCES / name for name in ("package.json", "package-lock.json", "build.mjs"))
    yield from CHARTS.glob("*.json")


def _run(*command: str) -> None:
    done = subprocess.run(
        command, cwd=SOURCES, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"}
    )
    if done.returncode:
        said = "\n".join(f"  {line}" for line in (done.stdout + done.stderr).strip().splitlines()[-8:])
        raise SetupError(f"{' '.join(command[:2])} failed in {SOURCES}:\n{said}")
