"""The folders that come with serbench, the user's own, and those that serbench makes."""

from __future__ import annotations

import contextlib
import hashlib
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from serbench.errors import SelectionError

PACKAGE = Path(__file__).resolve().parent

INSTALLED = (PACKAGE / "data").is_dir()
"""Whether serbench runs from an installed package, whose folder ``data`` has what a checkout has beside
``src`` (``pyproject.toml`` says so)."""

PROJECT = PACKAGE / "data" if INSTALLED else PACKAGE.parents[1]


@dataclass(frozen=True)
class Paths:
    """The folders of one installation.

    Attributes:
        project: holds ``workloads``, ``codecs``, ``suites``, ``conformance`` and ``runners``.
        home: holds what serbench makes: datasets, builds and runs; never in git.
        own: the user's folders that contain ``codecs`` or ``workloads``. If several declare the same name,
            the first counts, and all of them come before ``project``.
    """

    project: Path
    home: Path
    own: tuple[Path, ...] = ()

    @classmethod
    def default(cls) -> Paths:
        """Return the folders of this serbench; raise SelectionError where ``SERBENCH_PATH`` names a folder
        with neither codecs nor workloads.

        The user's own folders are the current one and those of ``SERBENCH_PATH``. ``home`` is the value of
        ``SERBENCH_HOME``, or else ``.serbench`` in a checkout, or else the user's cache folder.
        """
        home = Path(os.environ.get("SERBENCH_HOME") or _usual_home()).resolve()
        return cls(PROJECT, home, _own_folders(PROJECT))

    @property
    def workloads(self) -> Path:
        """The folder of the workloads that are built in."""
        return self.project / "workloads"

    @property
    def codecs(self) -> Path:
        """The folder of the codecs that are built in."""
        return self.project / "codecs"

    @property
    def all_workloads(self) -> tuple[Path, ...]:
        """Every folder of workloads, the user's first."""
        return tuple(folder / "workloads" for folder in (*self.own, self.home / "imported", self.project))

    @property
    def imported(self) -> Path:
        """The folder of the workloads that were imported on this machine."""
        return self.home / "imported" / "workloads"

    @property
    def all_codecs(self) -> tuple[Path, ...]:
        """Every folder of codecs, the user's first."""
        return tuple(folder / "codecs" for folder in (*self.own, self.project))

    @property
    def suites(self) -> Path:
        return self.project / "suites"

    @property
    def conformance(self) -> Path:
        """The folder of the catalogues of cases by which codecs are held to their formats."""
        return self.project / "conformance"

    @property
    def runners(self) -> Path:
        return self.project / "runners"

    @property
    def revisions(self) -> Path:
        """The folder of this project's codecs as they were at revisions of its repository."""
        return self.home / "revisions"

    @property
    def datasets(self) -> Path:
        return self.home / "datasets"

    @property
    def builds(self) -> Path:
        """The folder of builds of exactly these codecs and workloads. A user with codecs or workloads of
        their own gets another folder, so that builds of different codecs with the same names cannot mix.

        Each version of an installed package has another folder too, named by the package's list of files:
        build tools compare the times of files, and those of installed files say nothing.
        """
        if not INSTALLED and not self.own:
            return self.all_builds
        parts = [*map(str, (self.project, *self.own)), _list_of_files() if INSTALLED else ""]
        digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]
        return self.all_builds / "of" / (f"{self.own[0].name}-{digest}" if self.own else digest)

    @property
    def all_builds(self) -> Path:
        """The folder of builds of all codecs and workloads, whoever they are of."""
        return self.home / "build"

    @property
    def shared_objects(self) -> Path:
        """The folder of objects that builds of several languages share, each in a folder that is named by the
        digest of what it is made of."""
        return self.all_builds / "shared"

    @property
    def encoded(self) -> Path:
        """The folder of messages that readers of a part are given, as programs of the whole wrote them."""
        return self.home / "encoded"

    @property
    def hostile(self) -> Path:
        """The folder of the smallest messages that were found to crash codecs or to do other harm to them."""
        return self.home / "hostile"

    @property
    def runs(self) -> Path:
        return self.home / "runs"


def _usual_home() -> Path:
    if not INSTALLED:
        return PROJECT / ".serbench"
    from platformdirs import user_cache_path  # imported here, since a checkout does not need it

    return Path(user_cache_path("serbench", appauthor=False))


def _own_folders(project: Path) -> tuple[Path, ...]:
    """Return the user's folders: the current one if it has codecs or workloads, and those of
    ``SERBENCH_PATH``; without ``project``."""
    folders = []
    with contextlib.suppress(OSError):  # the current folder may have been removed
        folders += [here for here in [Path.cwd()] if _has_own(here)]
    for entry in filter(None, os.environ.get("SERBENCH_PATH", "").split(os.pathsep)):
        if not _has_own(Path(entry)):
            raise SelectionError(
                f"SERBENCH_PATH: found {entry}, which has neither "
                "codecs/<language>/<name>/codec.toml nor workloads/<name>.py; expected folders "
                f"that do, separated by '{os.pathsep}'"
            )
        folders.append(Path(entry).resolve())
    return tuple(folder for folder in dict.fromkeys(folders) if folder != project)


def _has_own(folder: Path) -> bool:
    return any(
        any(folder.glob(pattern))
        for pattern in ("codecs/*/*/codec.toml", "workloads/*.py", "workloads/*/workload.json")
    )


@cache
def _list_of_files() -> str:
    """Return the list of files that the installer wrote for this package: every file with its digest."""
    lists = PACKAGE.parent.glob("serbench-*.dist-info/RECORD")
    return "\n".join(path.read_text() for path in sorted(lists))
