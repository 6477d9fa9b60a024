"""Where things are: the project's own folders, and those for what it makes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Paths:
    """The folders of one installation.

    Attributes:
        project: holds ``workloads``, ``codecs``, ``suites`` and ``runners``.
        home: holds what serbench makes: datasets, builds and runs; never in git.
    """

    project: Path
    home: Path

    @classmethod
    def default(cls) -> Paths:
        """The project that this file is part of; ``SERBENCH_HOME`` moves what it makes elsewhere."""
        return cls(PROJECT, Path(os.environ.get("SERBENCH_HOME") or PROJECT / ".serbench").resolve())

    @property
    def workloads(self) -> Path:
        return self.project / "workloads"

    @property
    def codecs(self) -> Path:
        return self.project / "codecs"

    @property
    def suites(self) -> Path:
        return self.project / "suites"

    @property
    def runners(self) -> Path:
        return self.project / "runners"

    @property
    def datasets(self) -> Path:
        return self.home / "datasets"

    @property
    def builds(self) -> Path:
        return self.home / "build"

    @property
    def runs(self) -> Path:
        return self.home / "runs"
