"""The packages that a Python program carries for a codec: its library and all that this requires, as pip
installed them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from email import message_from_string
from functools import cached_property
from pathlib import Path

from serbench.languages.base import Carried

KIND = "wheels as pip installs them, with compiled modules; neither the adapter nor generated code"

_CLASSIFIER = "License :: "
_NAMED = 60
"""The longest licence that is taken for a name; a longer one is the licence's whole text."""


@dataclass(frozen=True)
class _Installed:
    """A package in a folder that pip filled, by its folder of metadata."""

    metadata: Path

    @cached_property
    def _told(self) -> Mapping[str, Sequence[str]]:
        message = message_from_string((self.metadata / "METADATA").read_text(errors="replace"))
        return {key: [str(each) for each in message.get_all(key) or ()] for key in set(message.keys())}

    @property
    def name(self) -> str:
        return bare(self._told["Name"][0])

    @property
    def licences(self) -> list[str]:
        """The licence by its expression (PEP 639), or else by classifiers, or by the older field."""
        expression = self._told.get("License-Expression", ())
        classified = [
            each.rpartition(" :: ")[2]
            for each in self._told.get("Classifier", ())
            if each.startswith(_CLASSIFIER) and each != f"{_CLASSIFIER}OSI Approved"
        ]
        older = [each for each in self._told.get("License", ()) if len(each) <= _NAMED]
        return [*expression] or classified or older

    @property
    def bytes(self) -> int:
        """The bytes of the files that pip recorded, compiled modules among them."""
        lines = (self.metadata / "RECORD").read_text(errors="replace").splitlines()
        files = (self.metadata.parent / line.rsplit(",", 2)[0].strip('"') for line in lines)
        return sum(file.stat().st_size for file in files if file.is_file())

    def needs(self, extras: Iterable[str]) -> list[str]:
        """The requirements that hold in general, and those of these extras; whether a marker of another kind
        holds is seen by what is installed."""
        lines = self._told.get("Requires-Dist", ())
        asked = set(map(bare, extras))
        return [
            line
            for line in lines
            if not (of := re.findall(r"extra\s*==\s*['\"]([^'\"]+)", line)) or asked & set(map(bare, of))
        ]


def bare(name: str) -> str:
    """Return a package's name in the spelling by which names are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def carried(folder: Path | None, requirements: Sequence[str]) -> Carried:
    """Return the parts that a program carries for ``requirements``, which pip brought into ``folder`` with
    what only a build needs; None where the library is Python's own."""
    if folder is None:
        return Carried(KIND, {"shipped": 0}, 0)
    there = {each.name: each for each in map(_Installed, folder.glob("*.dist-info"))}
    found: dict[str, _Installed] = {}
    left = [*requirements]
    seen = set[str]()
    while left:
        line = left.pop(0)
        if line in seen:
            continue
        seen.add(line)
        name, extras = re.match(r"\s*([\w.-]+)\s*(?:\[([^\]]*)\])?", line).groups()  # type: ignore[union-attr]
        if package := there.get(bare(name)):
            found[package.name] = package
            left += package.needs(each.strip() for each in (extras or "").split(","))
    licences = sorted({each for package in found.values() for each in package.licences})
    return Carried(KIND, {"shipped": sum(each.bytes for each in found.values())}, len(found), licences)
