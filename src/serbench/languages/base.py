"""What core asks of a language, and of its toolchains: each is one compiler, which builds the language's
programs.

A language is a folder beside this file with a ``LANGUAGE`` in its ``language.py``. What only some toolchains
can do is an ability of its own: an attribute that is None where there is no such thing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import msgspec

from serbench.codec import Codec, Variant
from serbench.edition import Edition
from serbench.finding import Finding
from serbench.paths import Paths
from serbench.traits import Traits
from serbench.workload import Workload

Progress = Callable[[int, int, str], None]
"""Called with steps done, steps in all, and what is being built."""

Pair = tuple[Variant, str]
"""A codec variant with the name of a workload, for which toolchains build programs."""

Failures = dict[tuple[str, str], str]
"""For each (variant id, workload) that did not build, the first error."""


@dataclass(frozen=True)
class Found:
    """What was found of a codec's library: a version where it is there, else what is missing."""

    installed: bool
    version: str
    missing: str


@dataclass(frozen=True)
class Order:
    """What toolchains are made for: every codec of a language with every workload, so that a selection
    configures nothing anew.

    Attributes:
        codecs: of the language, the usual ones.
        compilers: as the user names them; none for the language's default.
        editions: other codecs or libraries that are built beside, each with its codecs of the language; the
            usual one where none is asked for.
        asked: names of the workloads of the selection.
    """

    paths: Paths
    codecs: Sequence[Codec]
    workloads: Sequence[Workload]
    compilers: Sequence[str] = ()
    editions: Sequence[tuple[Edition, Sequence[Codec]]] = ()
    asked: Collection[str] = ()


class Links(Protocol):
    """Can link a program again with its functions in other places."""

    def link_layouts(
        self, pairs: Sequence[Pair], count: int, progress: Progress
    ) -> Mapping[tuple[str, str], list[tuple[str, ...]] | str]:
        """Links runners that were built ``count`` times more.

        Returns:
            For each (variant id, workload) the commands that start its layouts, or why there are none.
        """


class Program(Protocol):
    """The least program that uses a codec."""

    def compile_ns(self) -> int:
        """Nanoseconds to compile it, generators and libraries left out; raises BuildError where that
        fails."""

    def binary_size(self) -> Mapping[str, int]:
        """Its bytes without symbols: of the ``file``, and of ``text``, ``data`` and ``bss``; raises
        SetupError or BuildError."""


class BuildsLeastPrograms(Protocol):
    """Can build the least program that uses a codec, whose compile time and size are measured."""

    def build_minimal(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        """As ``Toolchain.build``."""

    def minimal(self, variant: Variant, workload: str) -> Program:
        """One that was built."""


class Counts(Protocol):
    """Can build what counts the allocations of a runner, and what tells its peak memory."""

    def cannot_count(self, variant: Variant) -> str:
        """Why the allocations of a codec cannot be seen; empty where they can."""

    def build_counting(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        """As ``Toolchain.build``, the runners linked so that they count allocations."""

    def counting(self, variant: Variant, workload: str) -> tuple[str, ...]:
        """As ``Toolchain.command``, for the runner that counts, once built."""

    def build_peak(self, progress: Progress) -> tuple[str, ...]:
        """Builds the program that starts a runner and tells its peak memory; returns what comes before the
        runner's command.

        Raises:
            BuildError: it did not build.
        """


@dataclass(frozen=True)
class OtherSampler:
    """Another program that takes samples of the same passes.

    Attributes:
        title: what people call it; ``name`` is its word on the command line of a program with both samplers.
        packages: that have it, by package manager.
        codecs: that are cross-checked, on ``workload``.
    """

    title: str
    name: str
    packages: Mapping[str, str]
    codecs: Sequence[str]
    workload: str


class CrossChecks(Protocol):
    """Can build runners with another sampler beside ours."""

    def other_found(self) -> Found:
        """Whether the last ``configure`` found the other sampler."""

    def build_cross_check(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        """As ``Toolchain.build``, the runners with both samplers."""

    def cross_check(self, variant: Variant, workload: str, sampler: str) -> tuple[str, ...]:
        """As ``Toolchain.command``, for the runner with both samplers, once built; ``sampler`` takes the
        samples."""


LEAK = "leak"
"""The kind of fault of memory that is lost."""


@dataclass(frozen=True)
class Fault:
    """What a sanitizer tells that a program does wrong.

    Attributes:
        kind: the sanitizer's own word, such as ``heap-buffer-overflow``, or ``LEAK``.
        file: the source of the innermost call that is no standard library's, as far as it is the same on
            every machine; the shared library where no source is known, with 0 for its ``line``, and empty
            where only its ``function`` is.
        is_ours: whether that is an adapter, what we generate, or the measuring program, and not the library.
        detail: what is told of it, with addresses and values.
        stack: the calls, innermost first.
    """

    kind: str
    file: str
    line: int
    function: str
    is_ours: bool
    detail: str = ""
    stack: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """File and line, or the function where they are not known."""
        if self.line:
            return f"{self.file}:{self.line}"
        return " in ".join(filter(None, (self.function, self.file))) or "nobody knows where"


class Sanitizes(Protocol):
    """Can build runners that tell what they do wrong with memory, or do that their language leaves undefined.

    Attributes:
        toolchain: builds them, in a folder of their own; not yet configured. Its ``configure`` raises
            SetupError where the compiler has no sanitizers.
    """

    @property
    def toolchain(self) -> Toolchain: ...

    def command(self, command: Sequence[str], folder: Path, whole_stacks: bool) -> tuple[str, ...]:
        """Starts such a runner so that each process leaves what it tells in a file of its own in ``folder``;
        of allocations with ``whole_stacks``, which takes several times as long."""

    def faults(self, said: str, codec: Codec) -> list[Fault]:
        """What one of these files tells of."""


class Fetches(Protocol):
    """Can bring libraries that no package manager of this machine has."""

    def can_fetch(self, codec: Codec) -> bool: ...

    def fetch(self, codecs: Sequence[Codec], announce: Callable[[str], None]) -> None:
        """Downloads and builds the libraries of codecs that it can fetch, announced before; ``configure``
        finds them then.

        Raises:
            SetupError: it could not; says how else they are to be had.
        """


class Toolchain(Protocol):
    """Builds the programs of one language.

    Attributes:
        found: by codec name, filled by ``configure``.
    """

    found: dict[str, Found]

    @property
    def language(self) -> str: ...

    @property
    def name(self) -> str:
        """Part of a unit's identity, such as a compiler's command."""

    @property
    def layouts(self) -> Links | None: ...

    @property
    def least_programs(self) -> BuildsLeastPrograms | None: ...

    @property
    def counters(self) -> Counts | None: ...

    @property
    def cross_checks(self) -> CrossChecks | None: ...

    @property
    def sanitizers(self) -> Sanitizes | None: ...

    @property
    def fetches(self) -> Fetches | None: ...

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

    def build(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        """Builds the runners of pairs whose library is there."""

    def command(self, variant: Variant, workload: str) -> tuple[str, ...]:
        """Starts the runner of a pair that was built."""

    def describe(self) -> Mapping[str, Any]:
        """For the manifest of a run: ``compiler``, ``flags`` and ``linking``, in words."""


@dataclass(frozen=True)
class Tools:
    """The programs that a language's builds start.

    Attributes:
        needed: without which nothing is built.
        useful: what is not to be had without each of the others.
    """

    needed: Sequence[str] = ()
    useful: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CompilerOption:
    """The option of the command line by which a user names a language's compilers.

    Attributes:
        flag: such as ``--cc``.
        title: of what it takes.
        default: the compiler where none is named.
    """

    flag: str
    title: str
    default: str


@dataclass(frozen=True)
class KnownWork:
    """A runner whose passes take a known time; ``command`` and ``dataset`` are what a plan's unit takes."""

    command: tuple[str, ...]
    dataset: str
    compiler: str
    flags: str


class Language(Protocol):
    """One language: its part of ``codec.toml``, its toolchains, and what ``doctor`` can say of them.

    Attributes:
        table: the language's own table of ``codec.toml``; ``options`` is its type.
        variant_keys: further keys of a variant there: name, type and default.
        glue_file: what the text of ``glue.py`` is written to.
    """

    @property
    def traits(self) -> Traits: ...
    @property
    def table(self) -> str: ...
    @property
    def options(self) -> type[msgspec.Struct]: ...
    @property
    def variant_keys(self) -> Sequence[tuple[str, Any, Any]]: ...
    @property
    def glue_file(self) -> str: ...
    @property
    def compiler_option(self) -> CompilerOption | None: ...

    def problems(self, declared: Any, folder: Path) -> Iterable[str]:
        """What no type says of a ``codec.toml`` and of the folder that it is in."""

    def links_dynamically(self, options: Any) -> bool:
        """Whether a codec's library exists only as a shared one."""

    def how_to_get(self, codec: Codec) -> str:
        """Where a codec's library is to be had that no package manager of this machine has."""

    def toolchains(self, order: Order) -> Sequence[Toolchain]:
        """One for each compiler and edition, not yet configured."""

    @property
    def tools(self) -> Tools: ...
    @property
    def other_sampler(self) -> OtherSampler | None:
        """What its toolchains' ``cross_checks`` hold ours against."""

    def check_builds(self, paths: Paths) -> Sequence[Finding]:
        """What ``doctor`` finds of what was built."""

    def known_work(self, paths: Paths, compilers: Sequence[str]) -> KnownWork | None:
        """Builds the runner of known work; None where the language has none.

        Raises:
            SetupError: there is no such compiler.
            BuildError: it ended with an error; holds what it said.
        """
