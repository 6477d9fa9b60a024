"""The interface of languages, with defaults for abilities that most languages do not have.

A language is a folder beside this file with a ``LANGUAGE`` in its ``language.py``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import msgspec

from serbench.codecs.codec import Codec
from serbench.codecs.edition import is_path
from serbench.codecs.traits import Traits
from serbench.languages.base import BuildOrder, OtherSampler, Toolchain
from serbench.paths import Paths
from serbench.system.finding import Finding


@dataclass(frozen=True)
class Tools:
    """The programs that a language's builds start.

    Attributes:
        needed: programs without which nothing is built.
        useful: program → what cannot be built without it.
    """

    needed: Sequence[str] = ()
    useful: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CompilerOption:
    """The option of the command line by which a user names a language's compilers.

    Attributes:
        flag: the option itself, such as ``--cc``.
        title: the name of the option's value.
        default: the compiler where none is named.
    """

    flag: str
    title: str
    default: str


class Settings(Protocol):
    """The settings that a user may choose for the builds of a language (``--profile``).

    Attributes:
        usual: the name of the usual settings.
        choices: the name of each setting → its values besides the usual one, where they can be listed.
        examples: other settings, as a user writes them.
    """

    @property
    def usual(self) -> str: ...
    @property
    def choices(self) -> Mapping[str, Sequence[str]]: ...
    @property
    def examples(self) -> str: ...
    def problem(self, text: str) -> str:
        """The fault of settings that a user names; empty where there is no fault."""


class Versions(Protocol):
    """The published versions of codecs' libraries, for ``--version``, by a language's package manager."""

    def usual(self, codec: Codec) -> str:
        """The version that is measured usually; empty where the package manager takes the newest."""

    def published(self, codec: Codec) -> Sequence[str]:
        """Every version of a codec's library, in any order; raises SetupError where the package manager does
        not tell, as without a network."""

    def released(self, codec: Codec) -> Mapping[str, str]:
        """The days on which versions were published, such as ``2026-11-29``; versions of which the package
        manager does not tell it are left out, and by default all are."""
        return {}

    def withdrawn(self, codec: Codec, asked: str = "") -> Collection[str]:
        """The versions that were withdrawn, as the package manager told with the published ones; by default
        none. They are measured where a user names them.

        Args:
            asked: the version that a user names, if any: some package managers tell it of one version alone.
        """
        return ()

    def problem(self, codec: Codec, version: str) -> str:
        """The fault of a version or path that a user names for a codec's library, before the package manager
        is asked; empty where there is no fault."""

    def pinned(self, codec: Codec, version: str) -> Codec:
        """The codec with its library in a version, or with that at a path, and else as it is."""


def fault_of_package(has_library: bool, version: str, ending: str, expected: str) -> str:
    """Return the fault of a version where packages that are built here are files with this ending; empty
    where there is none. ``expected`` says in words what such a file is, and who makes it."""
    path = Path(version)
    if not has_library:
        return "this codec has no library"
    if not is_path(version):
        return ""
    if path.suffix != ending:
        return f"found {path}, expected {expected}"
    return "" if path.exists() else f"there is no file {path}"


@dataclass(frozen=True)
class KnownWork:
    """A runner whose passes take a known time, for ``doctor --deep``, with the dataset that it is given."""

    command: tuple[str, ...]
    dataset: str
    compiler: str
    flags: str


class Language(ABC):
    """One language: its part of ``codec.toml``, its toolchains, and the findings of ``doctor`` on them.

    Attributes:
        table: the language's own table of ``codec.toml``; ``options`` is its type.
        variant_keys: the language's own keys of a variant in ``codec.toml``: name, type and default.
        glue_file: the name of the file that the text of ``glue.py`` is written to.
        codec_files: the files that every codec has beside its ``codec.toml``.
        fetcher: the name of the package manager that fetches libraries whenever they are looked for.
        settings: the settings of builds that users may choose; None where there are none.
        versions: the versions of libraries that users may choose; None where there is no such choice.
        other_sampler: the sampler by which a toolchain's ``cross_checks`` check serbench's; None for none.
    """

    traits: Traits
    table: str
    options: type[msgspec.Struct]
    variant_keys: Sequence[tuple[str, Any, Any]] = ()
    glue_file: str
    codec_files: Sequence[str] = ()
    fetcher: str = ""
    compiler_option: CompilerOption | None = None
    settings: Settings | None = None
    versions: Versions | None = None
    other_sampler: OtherSampler | None = None
    tools: Tools = Tools()

    def problems(self, declared: Any, folder: Path) -> Iterable[str]:
        """The faults of a ``codec.toml`` and of its folder that the types of its fields cannot show."""
        return [f"there is no {name} beside it" for name in self.codec_files if not (folder / name).exists()]

    def links_dynamically(self, options: Any) -> bool:
        """Whether a codec's library, by its ``options``, is a shared one, though no linker flag says so."""
        return False

    def how_to_get(self, codec: Codec) -> str:
        """How to get a codec's library that no package manager of this machine has."""
        return f"{self.fetcher} fetches it when there is a network; see {codec.homepage}"

    @abstractmethod
    def toolchains(self, order: BuildOrder) -> Sequence[Toolchain]:
        """A toolchain for each compiler and edition, not yet configured."""

    def check_builds(self, paths: Paths) -> Sequence[Finding]:
        """The findings of ``doctor`` on what was built."""
        return ()

    def known_work(self, paths: Paths, compilers: Sequence[str]) -> KnownWork | None:
        """Build the runner whose passes take a known time, or return None where the language has none. Raises
        SetupError without such a compiler, and BuildError with its output where it failed."""
        return None
