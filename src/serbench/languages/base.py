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

from serbench.codecs.codec import Codec, Variant
from serbench.codecs.edition import Edition
from serbench.codecs.traits import Traits
from serbench.paths import Paths
from serbench.system.finding import Finding
from serbench.workloads.workload import Workload

Progress = Callable[[int, int, str], None]
"""Called with steps done, steps in all, and what is being built."""

Pair = tuple[Variant, str]
"""A codec variant with the name of a workload, for which toolchains build programs."""

Failures = dict[tuple[str, str], str]
"""(variant id, workload) → the first error, for each pair that did not build."""


@dataclass(frozen=True)
class Found:
    """What was found of a codec's library: a version where it is there, else what is missing."""

    installed: bool
    version: str
    missing: str


@dataclass(frozen=True)
class Order:
    """What toolchains are made for: every codec of a language with every workload, so that another selection
    needs no new configuration.

    Attributes:
        codecs: the usual codecs of the language.
        compilers: as the user names them; none for the language's default.
        editions: the editions that are built beside each other, each with its codecs of the language; none
            for the usual one.
        asked: names of the workloads that were selected.
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
        """Builds the least programs of pairs, as ``Toolchain.build`` does runners."""

    def minimal(self, variant: Variant, workload: str) -> Program:
        """The least program of a pair, once built."""


class Counts(Protocol):
    """Can build what counts the allocations of a runner, and what tells its peak memory."""

    def cannot_count(self, variant: Variant) -> str:
        """Why the allocations of a codec cannot be seen; empty where they can."""

    def build_counting(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        """Builds runners that are linked so that they count allocations, as ``Toolchain.build`` does
        others."""

    def counting(self, variant: Variant, workload: str) -> tuple[str, ...]:
        """The command that starts the runner that counts, once built."""

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
        codecs: the codecs that are cross-checked, on ``workload``.
        packages: the system packages that have it, by package manager; none where the language brings it.
        rounds: of processes, which differ by some per cent even if they run the same program; the interval of
            a ratio becomes the narrower the more there are.
        sample_ns, samples: of both samplers, in each process.
        warmup_ns: most that a runner with a JIT compiler warms up for; None where there is no such thing.
    """

    title: str
    name: str
    codecs: Sequence[str]
    workload: str
    packages: Mapping[str, str] = field(default_factory=dict)
    rounds: int = 40
    sample_ns: int = 2_000_000
    samples: int = 20
    warmup_ns: int | None = None


class CrossChecks(Protocol):
    """Can build runners with another sampler beside ours."""

    def other_found(self) -> Found:
        """Whether the other sampler is there: a system package by the last ``configure``; what the language's
        own package manager has is brought now."""

    def build_cross_check(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        """Builds runners with both samplers, as ``Toolchain.build`` does others."""

    def cross_check(self, variant: Variant, workload: str, sampler: str) -> tuple[str, ...]:
        """The command that starts the runner with both samplers, once built; ``sampler`` takes the
        samples."""


LEAK = "leak"
"""The kind of a fault by which memory is lost."""


@dataclass(frozen=True)
class Fault:
    """What a sanitizer reports that a program does wrong.

    Attributes:
        kind: the sanitizer's own word, such as ``heap-buffer-overflow``, or ``LEAK``.
        file: the source of the innermost call outside of standard libraries, by the part of its path that is
            the same on every machine. Where no source is known, it is the shared library, with 0 for
            ``line``, or empty where only the ``function`` is known.
        is_ours: whether that place is in an adapter, in generated code or in the measuring program, and not
            in the library.
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
    """Can build runners that report what they do wrong with memory, and what they do that their language
    leaves undefined.

    Attributes:
        toolchain: builds them, in a folder of their own; not yet configured. Its ``configure`` raises
            SetupError where the compiler has no sanitizers.
    """

    @property
    def toolchain(self) -> Toolchain: ...

    def command(self, command: Sequence[str], folder: Path, whole_stacks: bool) -> tuple[str, ...]:
        """The command that starts such a runner so that each process writes its report to a file of its own
        in ``folder``. With ``whole_stacks``, allocations have whole stacks, which takes several times as
        long."""

    def faults(self, said: str, codec: Codec) -> list[Fault]:
        """The faults that the text of one of these files reports."""


class Fetches(Protocol):
    """Can bring libraries that no package manager of this machine has."""

    def can_fetch(self, codec: Codec) -> bool: ...

    def fetch(self, codecs: Sequence[Codec], announce: Callable[[str], None]) -> None:
        """Downloads and builds the libraries of codecs that it can fetch, after announcing it, so that
        ``configure`` finds them.

        Raises:
            SetupError: that failed; the message says how else to get them.
        """


class Toolchain(Protocol):
    """Builds the programs of one language.

    Attributes:
        found: codec name → what was found of its library; filled by ``configure``.
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
        """What the manifest of a run says of it, in words: ``compiler``, ``flags`` and ``linking``."""


@dataclass(frozen=True)
class Tools:
    """The programs that a language's builds start.

    Attributes:
        needed: programs without which nothing is built.
        useful: program → what cannot be had without it.
    """

    needed: Sequence[str] = ()
    useful: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CompilerOption:
    """The option of the command line by which a user names a language's compilers.

    Attributes:
        flag: such as ``--cc``.
        title: what its value is called.
        default: the compiler where none is named.
    """

    flag: str
    title: str
    default: str


class Settings(Protocol):
    """The settings that a user may choose for the builds of a language (``--profile``).

    Attributes:
        usual: what the usual ones are called.
        examples: others, as a user says them.
    """

    @property
    def usual(self) -> str: ...
    @property
    def examples(self) -> str: ...
    def problem(self, text: str) -> str:
        """What is wrong with settings that a user names; empty for nothing."""


@dataclass(frozen=True)
class KnownWork:
    """A runner whose passes take a known time; ``command`` and ``dataset`` are as a plan's task has them."""

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
    @property
    def settings(self) -> Settings | None:
        """None for a language whose builds have one way alone."""

    def problems(self, declared: Any, folder: Path) -> Iterable[str]:
        """The faults of a ``codec.toml`` and of its folder that the types of its fields cannot show."""

    def links_dynamically(self, options: Any) -> bool:
        """Whether a codec's library exists only as a shared one."""

    def how_to_get(self, codec: Codec) -> str:
        """How to get a codec's library that no package manager of this machine has."""

    def toolchains(self, order: Order) -> Sequence[Toolchain]:
        """One for each compiler and edition, not yet configured."""

    @property
    def tools(self) -> Tools: ...
    @property
    def other_sampler(self) -> OtherSampler | None:
        """The sampler against which its toolchains' ``cross_checks`` hold ours."""

    def check_builds(self, paths: Paths) -> Sequence[Finding]:
        """What ``doctor`` finds of what was built."""

    def known_work(self, paths: Paths, compilers: Sequence[str]) -> KnownWork | None:
        """Builds the runner of known work; None where the language has none.

        Raises:
            SetupError: there is no such compiler.
            BuildError: it ended with an error; holds what it said.
        """
