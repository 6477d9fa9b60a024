"""Editions: the adapters of a git revision, the libraries of another folder, a language's build with other
settings, or another version of some libraries, which are built and measured beside the usual ones."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serbench.errors import SelectionError
from serbench.paths import INSTALLED, Paths
from serbench.system.git import commit_of, unpack
from serbench.system.stamp import sha256_of

WORKING_TREE = "."


@dataclass(frozen=True)
class Profile:
    """How a language builds its programs: ``settings`` as the user gives them, empty for the usual ones."""

    language: str
    settings: str


@dataclass(frozen=True)
class Version:
    """The version of the libraries of some codecs: ``text`` as its package manager has it, or the path of a
    package that was built here; ``codecs`` by id."""

    codecs: tuple[str, ...]
    text: str


def is_path(version: str) -> bool:
    """Whether a version is the path of a package."""
    return "/" in version or version.startswith(".")


@dataclass(frozen=True)
class Edition:
    """The origin of the adapters and the libraries of some units.

    Attributes:
        codecs: the folders of codecs; if several have a codec of one name, that of the first counts.
        label: follows the compiler in the names of its units; empty for the usual edition.
        prefix: replaces ``SERBENCH_PREFIX``; None for the value in the environment.
        profile: the build settings of the one language that has this edition; None for an edition of all.
        version: the version of the libraries of its codecs, which alone have this edition; None for the
            usual versions, and all codecs.
    """

    codecs: tuple[Path, ...]
    label: str = ""
    prefix: Path | None = None
    profile: Profile | None = None
    version: Version | None = None

    @property
    def is_of_tree(self) -> bool:
        """Whether it is built of the working tree, with nothing else than the usual edition has."""
        return self.label in ("", WORKING_TREE) and not (self.prefix or self.profile or self.version)

    def name(self, compiler: str) -> str:
        return f"{compiler}@{self.label}" if self.label else compiler

    def has(self, codec: str) -> bool:
        """Whether a codec, by its id, is built in this edition."""
        return self.version is None or codec in self.version.codecs

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables under which the build is configured, with ``prefix`` if there is one."""
        return {**os.environ, "SERBENCH_PREFIX": str(self.prefix)} if self.prefix else dict(os.environ)


KINDS = {"revision": "revisions", "prefix": "prefixes", "profile": "profiles", "version": "versions"}
"""Kind of edition, which is the name of its option → the field of a manifest that lists these editions."""


@dataclass(frozen=True)
class Editions:
    """The editions that a user asks for, all of one kind, since otherwise a difference would have several
    causes.

    Attributes:
        kind: one of ``KINDS``; empty for the usual edition alone.
        named: the editions in the user's words: git revisions, of which ``.`` is the working tree; folders in
            which libraries are installed; settings of a language's build; or versions, ``CODEC=VERSION``.
        alone: whether versions are built without the usual edition beside them.
    """

    kind: str = ""
    named: tuple[str, ...] = ()
    alone: bool = False

    @classmethod
    def of(
        cls, given: Mapping[str, Sequence[str] | None], words: Mapping[str, str] | None = None
    ) -> Editions:
        """Return the editions in ``given`` (kind → names); raise SelectionError where two kinds have any.
        ``words`` has the option by which a kind was given, where it has not the kind's name."""
        kinds = [kind for kind in KINDS if given.get(kind)]
        if len(kinds) > 1:
            options = " and ".join(f"--{(words or {}).get(kind, kind)}" for kind in kinds)
            raise SelectionError(f"{options} cannot be combined: a difference would have {len(kinds)} causes")
        return cls(kinds[0], tuple(given[kinds[0]] or ())) if kinds else cls()

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of a manifest that list these editions; nothing for the usual edition."""
        alone = {"alone": True} if self.alone else {}
        return {KINDS[self.kind]: self.named, **alone} if self.kind else {}


def editions(
    paths: Paths, asked: Editions, profiles_of: Callable[[str], Sequence[Profile]] | None = None
) -> list[Edition]:
    """Return the editions that are asked for; the usual one if none is. ``profiles_of`` reads the settings of
    a language's build. Versions come beside the usual edition, since only their codecs have them. Raise
    SelectionError where there is no such revision, or a prefix is not a folder."""
    names = dict.fromkeys(asked.named)
    if asked.kind == "version":
        texts: dict[str, list[str]] = {}
        for codec, _, text in (each.partition("=") for each in names):
            texts.setdefault(text, []).append(codec)
        versions = [Version(tuple(codecs), text) for text, codecs in texts.items()]
        beside = [Edition(paths.all_codecs, each.text, version=each) for each in versions]
        return beside if asked.alone else [Edition(paths.all_codecs), *beside]
    if asked.kind == "profile" and profiles_of:
        profiles = dict.fromkeys(profile for each in names for profile in profiles_of(each))
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
    folder = paths.revisions / commit
    if not folder.exists():
        unpacked = folder.with_suffix(".new")
        if why := unpack(paths.project, commit, "codecs", unpacked):
            raise SelectionError(f"--revision {revision} has no codecs: {why}")
        unpacked.replace(folder)
    return (folder / "codecs",)


def folder_name(name: str, prefix: str = "") -> str:
    """Return the name of the build folder for a compiler's ``name`` and an edition's ``prefix``, unique to
    them: it has a digest of both, unless there is no prefix and ``name`` can be a folder's name."""
    plain = re.sub(r"[^A-Za-z0-9.+@~^-]", "_", name)[:100]
    if plain == name and not prefix:
        return plain
    return f"{plain}-{sha256_of(name, prefix)[:12]}"
