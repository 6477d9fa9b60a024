"""Editions: the adapters of a git revision, the libraries of another folder, or a language's build with other
settings, which are built and measured beside the usual ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serbench.errors import SelectionError
from serbench.paths import INSTALLED, Paths
from serbench.system.git import commit_of, unpack

WORKING_TREE = "."


@dataclass(frozen=True)
class Profile:
    """How a language builds its programs: ``settings`` as the user gives them, empty for the usual ones."""

    language: str
    settings: str


@dataclass(frozen=True)
class Edition:
    """The origin of the adapters and the libraries of some units.

    Attributes:
        codecs: the folders of codecs; if several have a codec of one name, that of the first counts.
        label: follows the compiler in the names of its units; empty for the usual edition.
        prefix: replaces ``SERBENCH_PREFIX``; None for the value in the environment.
        profile: the build settings of the one language that has this edition; None for an edition of all.
    """

    codecs: tuple[Path, ...]
    label: str = ""
    prefix: Path | None = None
    profile: Profile | None = None

    def name(self, compiler: str) -> str:
        return f"{compiler}@{self.label}" if self.label else compiler

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables under which the build is configured, with ``prefix`` if there is one."""
        return {**os.environ, "SERBENCH_PREFIX": str(self.prefix)} if self.prefix else dict(os.environ)


KINDS = {"revision": "revisions", "prefix": "prefixes", "profile": "profiles"}
"""Kind of edition, which is the name of its option → the field of a manifest that lists these editions."""


@dataclass(frozen=True)
class Editions:
    """The editions that a user asks for, all of one kind, since otherwise a difference would have several
    causes.

    Attributes:
        kind: one of ``KINDS``; empty for the usual edition alone.
        named: the editions in the user's words: git revisions, of which ``.`` is the working tree; folders in
            which libraries are installed; or settings of a language's build.
    """

    kind: str = ""
    named: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, Sequence[str] | None]) -> Editions:
        """Return the editions in ``given`` (kind → names); raise SelectionError where two kinds have any."""
        kinds = [kind for kind in KINDS if given.get(kind)]
        if len(kinds) > 1:
            options = " and ".join(f"--{kind}" for kind in kinds)
            raise SelectionError(f"{options} cannot be combined: a difference would have {len(kinds)} causes")
        return cls(kinds[0], tuple(given[kinds[0]] or ())) if kinds else cls()

    @property
    def fields(self) -> dict[str, Any]:
        """The field of a manifest that lists these editions; nothing for the usual edition."""
        return {KINDS[self.kind]: self.named} if self.kind else {}


def editions(
    paths: Paths, asked: Editions, profile_of: Callable[[str], Profile] | None = None
) -> list[Edition]:
    """Return the editions that are asked for; the usual one if none is. ``profile_of`` reads the settings of
    a language's build. Raise SelectionError where there is no such revision, or a prefix is not a folder."""
    names = dict.fromkeys(asked.named)
    if asked.kind == "profile" and profile_of:
        profiles = dict.fromkeys(map(profile_of, names))
        return [Edition(paths.all_codecs, each.settings, profile=each) for each in profiles]
    if asked.kind == "revision":
        if INSTALLED:
            raise SelectionError(
                "--revision needs the git repository of a clone, which an installed serbench does not have"
            )
        return [Edition(_codecs_of(paths, each), each) for each in names]
    for each in names:
        if not Path(each).is_dir():
            raise SelectionError(
                f"--prefix {each} is not a folder; expected an install prefix with include, lib, bin"
            )
    return [Edition(paths.all_codecs, each, Path(each).resolve()) for each in names] or [
        Edition(paths.all_codecs)
    ]


def _codecs_of(paths: Paths, revision: str) -> tuple[Path, ...]:
    """Return the folder ``codecs`` as it was at a revision, unpacked into serbench's home if it is not there
    yet. The user's own codecs are not in it, since they belong to no revision."""
    if revision == WORKING_TREE:
        return paths.all_codecs
    commit = commit_of(paths.project, revision)
    if not commit:
        raise SelectionError(
            f"--revision {revision} is not a git revision of this project; expected one such as HEAD~1, or ."
        )
    folder = paths.home / "revisions" / commit
    if not folder.exists():
        unpacked = folder.with_suffix(".new")
        if why := unpack(paths.project, commit, "codecs", unpacked):
            raise SelectionError(f"--revision {revision} has no codecs: {why}")
        unpacked.replace(folder)
    return (folder / "codecs",)
