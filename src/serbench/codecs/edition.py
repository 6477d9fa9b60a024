"""Editions: the adapters of a git revision, the libraries of another folder, or a language's build with other
settings, built and measured beside the usual ones."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from serbench.errors import SelectionError
from serbench.paths import INSTALLED, Paths

WORKING_TREE = "."


@dataclass(frozen=True)
class Profile:
    """How a language builds its programs: ``settings`` as the user says them, empty for the usual ones."""

    language: str
    settings: str


@dataclass(frozen=True)
class Edition:
    """The source of the adapters and the libraries of one set of units.

    Attributes:
        codecs: the folders of codecs; if several have a codec of one name, that of the first counts.
        label: stands behind the compiler in the names of its units; empty for the usual edition.
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
        """The environment in which the build is configured, the first time and again."""
        return {**os.environ, "SERBENCH_PREFIX": str(self.prefix)} if self.prefix else dict(os.environ)


def editions(
    paths: Paths, revisions: Sequence[str], prefixes: Sequence[str], profiles: Sequence[Profile] = ()
) -> list[Edition]:
    """One edition for each revision, prefix or profile; the usual one if none is given.

    Args:
        revisions: git revisions; ``.`` is the working tree.
        prefixes: folders in which libraries are installed.

    Raises:
        SelectionError: two kinds of them are given, there is no such revision, or a prefix is not a folder.
    """
    given = {"--revision": revisions, "--prefix": prefixes, "--profile": profiles}
    if len(kinds := [option for option, values in given.items() if values]) > 1:
        raise SelectionError(
            f"{' and '.join(kinds)} cannot be combined: a difference would have {len(kinds)} causes"
        )
    if profiles:
        return [Edition(paths.all_codecs, each.settings, profile=each) for each in dict.fromkeys(profiles)]
    if revisions and INSTALLED:
        raise SelectionError(
            "--revision needs the git repository of a clone, which an installed serbench does not have"
        )
    if revisions:
        return [Edition(_codecs_of(paths, each), each) for each in dict.fromkeys(revisions)]
    for each in prefixes:
        if not Path(each).is_dir():
            raise SelectionError(
                f"--prefix {each} is not a folder; expected an install prefix with include, lib, bin"
            )
    return [Edition(paths.all_codecs, each, Path(each).resolve()) for each in dict.fromkeys(prefixes)] or [
        Edition(paths.all_codecs)
    ]


def _codecs_of(paths: Paths, revision: str) -> tuple[Path, ...]:
    """The folder ``codecs`` as it was at a revision, unpacked into serbench's home if it is not there yet.
    The user's own codecs are not among them, since they belong to no revision."""
    if revision == WORKING_TREE:
        return paths.all_codecs
    found = _git(paths, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if found.returncode:
        raise SelectionError(
            f"--revision {revision} is not a git revision of this project; expected one such as HEAD~1, or ."
        )
    commit = found.stdout.decode().strip()
    folder = paths.home / "revisions" / commit
    if not folder.exists():
        archive = _git(paths, "archive", "--format=tar", commit, "codecs")
        if archive.returncode:
            raise SelectionError(
                f"--revision {revision} has no codecs: {archive.stderr.decode(errors='replace').strip()}"
            )
        unpacked = folder.with_suffix(".new")
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
            tar.extractall(unpacked, filter="data")
        unpacked.replace(folder)
    return (folder / "codecs",)


def _git(paths: Paths, *words: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["git", *words], cwd=paths.project, capture_output=True)
    except OSError as error:
        raise SelectionError(f"--revision needs git: {error}") from error
