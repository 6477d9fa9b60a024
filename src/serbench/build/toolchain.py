"""What a toolchain is: one compiler of one language, which builds that language's cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from serbench.codec import Variant

Progress = Callable[[int, int, str], None]
"""Called with steps done, steps in all, and what is being built."""


@dataclass(frozen=True)
class Found:
    """What was found of a codec's library: a version where it is there, else what is missing."""

    installed: bool
    version: str
    missing: str


class Toolchain(Protocol):
    """Builds the cells of one language.

    Attributes:
        found: by codec name, filled by ``configure``.
    """

    found: dict[str, Found]

    @property
    def language(self) -> str: ...

    @property
    def name(self) -> str:
        """Part of a cell's identity, such as ``g++``."""

    def notices(self) -> Sequence[str]:
        """What a user should know of the environment before anything is built."""

    def missing_packages(self) -> Sequence[str]:
        """The apt packages of its programs that are not on the path."""

    def configure(self) -> None:
        """Generates the sources and looks for the libraries; does nothing where nothing has changed.

        Raises:
            SetupError: a program is missing.
            BuildError: the build tool failed; holds what it said.
        """

    def build(self, cells: Iterable[tuple[Variant, str]], progress: Progress) -> dict[tuple[str, str], str]:
        """Builds the cells whose library is there; for each (variant id, workload) that did not build, the first error."""

    def command(self, variant: Variant, workload: str) -> tuple[str, ...]:
        """Starts the runner of a cell that was built."""

    def describe(self) -> Mapping[str, Any]:
        """For the manifest of a run: ``compiler``, ``flags`` and ``linking``, in words."""
