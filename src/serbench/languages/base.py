"""The interface of toolchains: a toolchain is one compiler, and builds the programs of one language.

Abilities that only some toolchains have are protocols: a toolchain is a subclass of those that it has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from serbench.codecs.codec import Codec, Variant
from serbench.codecs.edition import Edition, folder_name
from serbench.model import Schema
from serbench.paths import Paths
from serbench.workload import Workload

Progress = Callable[[int, int, str], None]
"""Called with steps done, steps in all, and what is being built."""

Pair = tuple[Variant, str]
"""A codec variant with the name of a workload, for which toolchains build programs."""

Failures = dict[tuple[str, str], str]
"""(variant id, workload) → the first error, for each pair that did not build."""


@dataclass(frozen=True)
class Found:
    """The result of looking for a codec's library: its version, or why it is missing."""

    installed: bool
    version: str
    missing: str


@dataclass(frozen=True)
class BuildOrder:
    """The codecs and workloads that toolchains are made for: every codec of a language with every workload,
    so that another selection needs no new configuration.

    Attributes:
        codecs: the usual codecs of the language.
        compilers: as the user names them; none for the language's default.
        editions: the editions that are built beside each other, each with its codecs of the language; none
            for the usual one.
        asked: names of the workloads that were selected.
        selected: names of the codecs that were; empty for all of the language.
    """

    paths: Paths
    codecs: Sequence[Codec]
    workloads: Sequence[Workload]
    compilers: Sequence[str] = ()
    editions: Sequence[tuple[Edition, Sequence[Codec]]] = ()
    asked: Collection[str] = ()
    selected: Collection[str] = ()

    @property
    def every_edition(self) -> Sequence[tuple[Edition, Sequence[Codec]]]:
        """The editions, or the usual one alone, each with its codecs."""
        return self.editions or [(Edition(self.paths.all_codecs), self.codecs)]


def of_editions(usual: Any, order: BuildOrder) -> list[Any]:
    """Return the toolchain of each edition, as a copy of the usual one, for a language whose libraries come
    from its package manager: another folder of libraries (``--prefix``) changes nothing for it."""
    own = [each for each in order.editions if each[0].prefix is None]
    return [replace(usual, codecs=codecs, edition=of, found={}) for of, codecs in own] or [usual]


def edition_folder(folder: Path, edition: Edition | None) -> Path:
    """Return the folder in which an edition is built, where ``folder`` is that of the usual one."""
    if edition is None or edition.is_of_tree:
        return folder
    return folder / "editions" / folder_name(edition.label)


@runtime_checkable
class Links(Protocol):
    """A toolchain that can link a program again with its functions in other places."""

    def link_layouts(
        self, pairs: Sequence[Pair], count: int, progress: Progress
    ) -> Mapping[tuple[str, str], list[tuple[str, ...]] | str]:
        """Link each of the built runners another ``count`` times.

        Returns:
            For each (variant id, workload), the commands that start its layouts, or why there are none.
        """


class Program(Protocol):
    """The least program that uses a codec."""

    def compile_ns(self) -> int:
        """The nanoseconds to compile the program, generators and libraries left out; raises BuildError."""

    def binary_size(self) -> Mapping[str, int]:
        """The program's bytes without symbols: of the ``file``, and of ``text``, ``data`` and ``bss``; raises
        SetupError or BuildError."""


@runtime_checkable
class BuildsLeastPrograms(Protocol):
    """A toolchain that can build the least program that uses a codec, to measure compile time and size."""

    def build_minimal(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        """Build the least programs of pairs, as ``Toolchain.build`` builds runners."""

    def minimal(self, variant: Variant, workload: str) -> Program:
        """The least program of a pair that was built."""


@runtime_checkable
class Counts(Protocol):
    """A toolchain that can build runners that count allocations, and the program that tells peak memory."""

    def cannot_count(self, variant: Variant) -> str:
        """Why the allocations of a codec cannot be seen; empty where they can."""

    def build_counting(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        """Build runners that count their allocations, as ``Toolchain.build`` builds others."""

    def counting(self, variant: Variant, workload: str) -> tuple[str, ...]:
        """The command that starts the counting runner of a pair that was built."""

    def build_peak(self, progress: Progress) -> tuple[str, ...]:
        """Build the program that starts a runner and tells its peak memory; return the words before the
        runner's command, or raise BuildError."""


@dataclass(frozen=True)
class OtherSampler:
    """Another program that takes samples of the same passes, against which serbench's own sampler is checked.

    Attributes:
        title: the sampler's name for people; ``name``, its word on a command line of a program with both.
        codecs: the codecs that are cross-checked, on ``workload``.
        packages: the system packages that have the sampler, by package manager; none where the language
            brings it.
        rounds: the number of rounds of processes, which differ by some per cent even if they run the same
            program; the interval of a ratio becomes the narrower the more there are.
        sample_ns, samples: the length and the number of the samples of both, in each process.
        warmup_ns: the longest warm-up of a runner with a JIT compiler; None where there is no such compiler.
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


@runtime_checkable
class CrossChecks(Protocol):
    """A toolchain that can build runners with another sampler beside serbench's own."""

    def other_found(self) -> Found:
        """Whether the other sampler is there: a system package was looked for by ``configure``, a package of
        the language's own package manager is fetched now."""

    def build_cross_check(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        """Build runners with both samplers, as ``Toolchain.build`` builds others."""

    def cross_check(self, variant: Variant, workload: str, sampler: str) -> tuple[str, ...]:
        """The command that starts the runner with both samplers of a pair that was built; ``sampler`` takes
        the samples."""


LEAST_KIND = (
    "the least program that reads and writes a message, with adapter and generated code, without symbols, "
    "less one without the codec"
)
"""The kind of ``Carried`` where programs are compiled to machine code."""


@dataclass(frozen=True)
class Carried:
    """The parts that a program carries for a codec: its library, the packages that this needs, and where they
    are weighed as a program, the adapter and generated code too.

    Attributes:
        kind: the thing that was weighed, in words, such as ``jars``.
        bytes: name of a figure → bytes; ``shipped`` is the thing itself, others are it compressed, or made
            for another place. A difference of two programs may be negative.
        packages: the number of packages, the library itself among them; None where nobody tells.
        licences: the licences of these packages, as their own metadata say.
        missing: name of a figure → why there is none.
    """

    kind: str
    bytes: Mapping[str, int]
    packages: int | None = None
    licences: Sequence[str] = ()
    missing: Mapping[str, str] = field(default_factory=dict)


LEAK = "leak"
"""The kind of a fault that loses memory."""


@dataclass(frozen=True)
class Fault:
    """A fault of a program that a sanitizer reports.

    Attributes:
        kind: the sanitizer's own word, such as ``heap-buffer-overflow``, or ``LEAK``.
        file: the source of the innermost call outside of standard libraries, by the part of its path that is
            the same on every machine. Where no source is known: the shared library, with 0 for ``line``; or
            empty where only the ``function`` is known.
        is_ours: whether the fault is in an adapter, in generated code or in the measuring program, and not
            in the library.
        detail: the report's own words, with addresses and values.
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
        """The file and line of the fault, or its function where no line is known."""
        if self.line:
            return f"{self.file}:{self.line}"
        return " in ".join(filter(None, (self.function, self.file))) or "nobody knows where"


class Sanitizes(Protocol):
    """A builder of runners that report wrong uses of memory, and behaviour that their language leaves
    undefined.

    Attributes:
        toolchain: the toolchain that builds such runners in a folder of their own, not yet configured; its
            ``configure`` raises SetupError where the compiler has no sanitizers.
    """

    @property
    def toolchain(self) -> Toolchain: ...

    def command(self, command: Sequence[str], folder: Path, whole_stacks: bool) -> tuple[str, ...]:
        """The words that start a runner built by ``toolchain``, whose usual ones are ``command``; each
        process writes its report to a file of its own in ``folder``. With ``whole_stacks``, allocations have
        whole stacks, which takes several times as long."""

    def faults(self, said: str, codec: Codec) -> list[Fault]:
        """The faults that a codec's programs had, by the text of a sanitizer's report."""


class Fetches(Protocol):
    """A source of libraries that no package manager of this machine has."""

    def can_fetch(self, codec: Codec) -> bool: ...

    def fetch(self, codecs: Sequence[Codec], announce: Callable[[str], None]) -> None:
        """Announce, download and build the libraries of codecs that can be fetched, so that ``configure``
        finds them; raises SetupError, which says how else to get a library, where that fails."""


class Toolchain(ABC):
    """Builds the programs of one language.

    Attributes:
        found: codec name → the state of its library; filled by ``configure``, and completed by ``build``
            where libraries are fetched only then.
        workloads: the workloads for which the toolchain can build programs.
        codecs: the codecs of its edition.
        edition: the place that codecs and their libraries come from; None for the usual one.
    """

    found: dict[str, Found]
    workloads: Sequence[Workload]
    codecs: Sequence[Codec]
    edition: Edition | None = None

    @property
    @abstractmethod
    def language(self) -> str: ...

    @property
    @abstractmethod
    def name(self) -> str:
        """The toolchain's name, which is part of a unit's identity, such as a compiler's command."""

    @property
    def layouts(self) -> Links | None:
        return self if isinstance(self, Links) else None

    @property
    def least_programs(self) -> BuildsLeastPrograms | None:
        return self if isinstance(self, BuildsLeastPrograms) else None

    @property
    def counters(self) -> Counts | None:
        return self if isinstance(self, Counts) else None

    @property
    def cross_checks(self) -> CrossChecks | None:
        return self if isinstance(self, CrossChecks) else None

    @property
    def sanitizers(self) -> Sanitizes | None:
        return None

    @property
    def fetches(self) -> Fetches | None:
        return None

    def notices(self) -> Sequence[str]:
        """Messages on the environment for the user, before anything is built."""
        return ()

    def missing_packages(self) -> Sequence[str]:
        """The apt packages of programs that the toolchain needs and that are not on the path."""
        return ()

    @abstractmethod
    def configure(self) -> None:
        """Generate the sources and look for the libraries; do nothing where nothing has changed.

        Raises:
            SetupError: a program is missing.
            BuildError: the build tool failed; holds its output.
        """

    @abstractmethod
    def build(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        """Build the runners of pairs whose library is there; return the error of each that failed."""

    @abstractmethod
    def command(self, variant: Variant, workload: str) -> tuple[str, ...]:
        """The words that start the runner of a pair that was built.

        The words change with everything that the runner is made of, so that a result that is kept under these
        words holds for this build alone; where an interpreter is started, a digest is among the words.
        """

    def calling(self, variant: Variant, workload: str, dataset: Path) -> tuple[str, ...]:
        """The words that start the runner whose single calls are timed, of a pair that was built: other ones
        where the usual runner starts others that measure. What they need may be made, by a process that
        writes and reads messages of ``dataset``; raises BuildError where it cannot be."""
        return self.command(variant, workload)

    def carried(self, pairs: Iterable[Pair], progress: Progress) -> Mapping[tuple[str, str], Carried | str]:
        """The parts that a program carries for each pair whose runner was built, by (variant id, workload);
        or why nobody can tell."""
        return {(variant.id, workload): "its toolchain does not tell" for variant, workload in pairs}

    @abstractmethod
    def describe(self) -> Mapping[str, Any]:
        """The toolchain's entries in the manifest of a run: ``compiler``, ``flags`` and ``linking``."""

    def own(self, variant: Variant) -> Variant:
        """A variant of the usual edition as this edition has it: with its own adapter, and its own version of
        the library."""
        if self.edition is None:
            return variant
        codec = next((each for each in self.codecs if each.name == variant.codec.name), variant.codec)
        return replace(codec.variants.get(variant.name, variant), codec=codec)

    def with_library(self, pairs: Iterable[Pair]) -> list[Pair]:
        """The pairs whose library is there."""
        return [(variant, name) for variant, name in pairs if self.found[variant.codec.name].installed]

    def schema(self, workload: str) -> Schema:
        """The schema of one of the toolchain's workloads."""
        return next(each.schema for each in self.workloads if each.name == workload)
