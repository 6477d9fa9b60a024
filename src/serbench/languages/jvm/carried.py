"""The jars that a JVM program carries for a codec, and their licences by the project files that Maven keeps
beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from xml.etree import ElementTree

from serbench.languages.base import Carried

KIND = "jars on the class path; neither those of Scala's own library, nor the adapter and generated code"

_MOST_PARENTS = 10
"""The project files that are read on the way to one that names a licence."""


@dataclass(frozen=True)
class _Project:
    """The contents of a project file of Maven; nothing of a file that is not there or no XML."""

    path: Path

    @cached_property
    def _root(self) -> ElementTree.Element:
        try:
            return ElementTree.parse(self.path).getroot()
        except (OSError, ElementTree.ParseError):
            return ElementTree.Element("project")

    def _said(self, path: str) -> str:
        return (self._root.findtext("/".join(f"{{*}}{each}" for each in path.split("/"))) or "").strip()

    @property
    def needs(self) -> set[str]:
        """The artifacts that it needs, by their names without group."""
        found = self._root.findall("{*}dependencies/{*}dependency/{*}artifactId")
        return {(each.text or "").strip() for each in found}

    @property
    def parent(self) -> _Project | None:
        """The project from which it inherits what it does not say; Maven keeps it in the same repository."""
        group, artifact, version = (
            self._said(f"parent/{each}") for each in ("groupId", "artifactId", "version")
        )
        own = self._said("groupId") or group
        if not artifact or len(self.path.parents) < own.count(".") + 4:
            return None
        repository = self.path.parents[own.count(".") + 3]  # above group, artifact and version
        folder = repository.joinpath(*group.split("."), artifact, version)
        return _Project(folder / f"{artifact}-{version}.pom")

    @property
    def licences(self) -> list[str]:
        project: _Project | None = self
        for _ in range(_MOST_PARENTS):
            if project is None:
                break
            found = project._root.findall("{*}licenses/{*}license/{*}name")
            if named := [" ".join((each.text or "").split()) for each in found]:
                return named
            project = project.parent
        return []


def _artifact(jar: Path) -> str:
    """Return the name of the artifact that a jar in Maven's repository is."""
    return jar.parent.parent.name


def carried(jars: Iterable[Path], runtime: Sequence[str]) -> Carried:
    """Return the parts that a program carries for the library of a class path.

    Args:
        runtime: the artifacts, ``group:artifact:version``, that every program here has on its class path.
    """
    there = {_artifact(jar): jar for jar in jars if jar.suffix == ".jar"}
    left = [each.split(":")[1] for each in runtime]
    while left:
        jar = there.pop(left.pop(), None)
        left += _Project(jar.with_suffix(".pom")).needs if jar else ()
    licences = {name for jar in there.values() for name in _Project(jar.with_suffix(".pom")).licences}
    size = sum(jar.stat().st_size for jar in there.values())
    return Carried(KIND, {"shipped": size}, len(there), sorted(licences))
