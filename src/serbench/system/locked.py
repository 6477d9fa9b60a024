"""Finds the packages of ``requirements.lock`` that serbench needs to run, or that an extra needs.

``python locked.py PROJECT FOLDER`` writes lock files to the folder: ``pip.lock`` with pip alone, and
``half.lock`` and ``other_half.lock`` with the packages that serbench needs to run, which can be installed at
the same time.

The launcher runs this file by its path before there is an environment, so it uses only the standard
library.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_OWN = "serbench"


def normalized(name: str) -> str:
    """Return the normal form of a package's name, which all its spellings share (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def named_by(project: Path, extras: Iterable[str]) -> set[str]:
    """Return the packages that ``pyproject.toml`` names for serbench itself and for these extras."""
    declared = tomllib.loads((project / "pyproject.toml").read_text())["project"]
    named: set[str] = set()
    left, seen = ["", *extras], set[str]()
    while left:
        extra = left.pop()
        if extra in seen:
            continue
        seen.add(extra)
        for line in declared["optional-dependencies"][extra] if extra else declared["dependencies"]:
            found = _NAME.match(line)
            assert found, line
            if normalized(found[0]) == _OWN:  # an extra that has others
                left += [each.strip() for each in line.partition("[")[2].partition("]")[0].split(",")]
            else:
                named.add(normalized(found[0]))
    return named


def blocks_of(lock: str) -> dict[str, tuple[str, set[str]]]:
    """Return, for each package in a lock file, its lines and the packages that need it (``# via``). The lines
    may have several versions, for several versions of Python."""
    blocks: dict[str, tuple[str, set[str]]] = {}
    for block in re.split(r"\n(?=[A-Za-z0-9])", lock):
        if found := _NAME.match(block):
            via = block.partition("# via")[2].replace("#", " ").split()
            before, others = blocks.get(normalized(found[0]), ("", set[str]()))
            of_all = others | {normalized(each) for each in via}
            blocks[normalized(found[0])] = (f"{before}{block.rstrip()}\n", of_all)
    return blocks


def subset(project: Path, extras: Iterable[str] = ()) -> str:
    """Return the part of the lock file with all packages that serbench and these extras need, directly or
    not."""
    blocks = blocks_of((project / "requirements.lock").read_text())
    wanted, more = set[str](), named_by(project, extras) & blocks.keys()
    while more:
        wanted |= more
        more = {name for name, (_, via) in blocks.items() if via & wanted} - wanted
    return "".join(text for name, (text, _) in blocks.items() if name in wanted)


def alone(project: Path, names: Iterable[str]) -> str:
    """Return the part of the lock file with these packages, without those that they need."""
    blocks = blocks_of((project / "requirements.lock").read_text())
    return "".join(blocks[name][0] for name in names if name in blocks)


def write_locks(project: Path, folder: Path) -> None:
    """Write the lock files by which the launcher makes an environment."""
    needed = [text for text, _ in blocks_of(subset(project)).values()]
    # Packages that belong together, such as grpcio and grpcio-tools, are neighbours, and often alike in size.
    halves = {"half": needed[::2], "other_half": needed[1::2]}
    for name, texts in {"pip": [alone(project, ["pip"])], **halves}.items():
        (folder / f"{name}.lock").write_text("".join(texts))


if __name__ == "__main__":
    write_locks(Path(sys.argv[1]), Path(sys.argv[2]))
