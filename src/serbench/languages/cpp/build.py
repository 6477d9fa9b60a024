"""Configures and builds the C++ runners with CMake and Ninja; C and Rust build theirs by a subclass."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from serbench.codecs.codec import Codec, Variant
from serbench.codecs.edition import Edition, folder_name
from serbench.errors import BuildError
from serbench.languages.base import (
    BuildsLeastPrograms,
    Carried,
    Counts,
    CrossChecks,
    Failures,
    Found,
    Links,
    Pair,
    Progress,
    Toolchain,
)
from serbench.languages.cpp.allocators import allocator_of, described, linked_with, missing_package
from serbench.languages.cpp.conan import Conan
from serbench.languages.cpp.configure import Configuration, read_report, tail
from serbench.languages.cpp.cost import LeastProgram, built_without, carried, compile_commands
from serbench.languages.cpp.environment import build_environment, notices
from serbench.languages.cpp.generate import (
    COUNTING,
    CPP_SOURCES,
    CROSS_CHECK,
    MINIMAL,
    Sources,
    target_name,
    write_cells,
)
from serbench.languages.cpp.layouts import Linker, link_all
from serbench.languages.cpp.ninja import Ninja, first_error
from serbench.languages.cpp.programs import need, package_of
from serbench.languages.cpp.sanitizers import FLAGS, Sanitizers, check_runtime
from serbench.languages.cpp.steps import telling
from serbench.paths import Paths
from serbench.system.files import write_if_changed
from serbench.workload import Workload


@dataclass
class CppBuild(Toolchain, Links, BuildsLeastPrograms, Counts, CrossChecks):
    """The build of all C++ runners with one compiler. Other languages that are built with CMake have a
    subclass.

    Attributes:
        folder: the name of the folder of the language's builds, and of that of its measuring program in
            ``runners``.
        standard: the flag for the edition of the language.
        sources: the generator of the sources of its programs.
        compiler: the compiler's command.
        codecs: the codecs of the edition.
        edition: the place that codecs and their libraries come from; None for the usual one.
        asked: names of the selected workloads, which are configured besides those that were configured
            before; where it is empty, all workloads that are not imported are.
        selected: names of the selected codecs, whose libraries are looked for again if they were missing;
            where it is empty, those of all codecs are.
        log: all that Ninja printed on programs that did not build.
        sanitized: whether its programs report their own faults, see sanitizers.py.
    """

    folder: ClassVar[str] = "cpp"
    standard: ClassVar[str] = "-std=c++20"
    sources: ClassVar[Sources] = CPP_SOURCES

    paths: Paths
    compiler: str
    codecs: Sequence[Codec]
    workloads: Sequence[Workload]
    found: dict[str, Found] = field(default_factory=dict)
    edition: Edition | None = None
    asked: Collection[str] = ()
    selected: Collection[str] = ()
    sanitized: bool = False
    log: str = ""

    @property
    def language(self) -> str:
        return self.folder

    @property
    def compilers(self) -> Mapping[str, str]:
        """The compiler commands of the build: CMake's name of a language, such as ``CXX`` → command."""
        return {"CXX": self.compiler}

    @property
    def name(self) -> str:
        return self.edition.name(self.compiler) if self.edition else self.compiler

    @property
    def sanitizers(self) -> Sanitizers | None:
        build = replace(self, sanitized=True, found={})
        return Sanitizers(build, build.directory / "generated", (self.paths.runners, *self.paths.all_codecs))

    @property
    def fetches(self) -> Conan | None:
        return self._conan

    @property
    def _conan(self) -> Conan:
        return Conan(self.paths.project, self.paths.home / "conan")

    @property
    def directory(self) -> Path:
        folder = self.paths.builds / self.folder
        # One level deeper than other builds, so that doctor does not read it.
        folder = folder / "sanitized" if self.sanitized else folder
        return folder / folder_name(self.name, str(self.edition.prefix or "") if self.edition else "")

    @property
    def static(self) -> bool:
        """Whether executables are linked statically; macOS has no static system libraries."""
        return sys.platform.startswith("linux")

    @property
    def flags(self) -> str:
        """The flags that every program is compiled and linked with."""
        return f"{self.standard} {self.optimization}" + (
            " -static" if self.static and not self.sanitized else ""
        )

    @property
    def optimization(self) -> str:
        """The flags for optimization, or for sanitizers."""
        return FLAGS if self.sanitized else "-O3 -DNDEBUG"

    @property
    def _settings(self) -> str:
        """The settings of this edition's profile; empty for the usual ones."""
        return self.edition.profile.settings if self.edition and self.edition.profile else ""

    @property
    def _allocator_words(self) -> str:
        """The words at the end of every link, with an allocator where the edition has one of its own; raises
        SetupError where it is missing."""
        name = "" if self.sanitized else allocator_of(self._settings)
        return linked_with(name, need(self.compiler), self._given) if name else ""

    def command(self, variant: Variant, workload: str, end: str = "") -> tuple[str, ...]:
        return (str(self.directory / "cells" / target_name(variant, workload, end)),)

    def describe(self) -> Mapping[str, Any]:
        done = subprocess.run([need(self.compiler), "--version"], capture_output=True, text=True)
        version = done.stdout.splitlines()[0] if done.stdout else self.compiler
        allocator = allocator_of(self._settings)
        return {
            "compiler": version,
            "flags": self.flags + (f", with {described(allocator)}" if allocator else ""),
            "linking": "static" if "-static" in self.flags else "dynamic",
        }

    def notices(self) -> Sequence[str]:
        return notices(self._given, self.flags)

    def missing_packages(self) -> Sequence[str]:
        missing = [program for program in ("cmake", *self.compilers.values()) if not shutil.which(program)]
        packages = [package for program in missing if (package := package_of(program))]
        allocator = allocator_of(self._settings)
        if allocator and shutil.which(self.compiler):
            packages.append(missing_package(allocator, self.compiler, self._given))
        return [*filter(None, packages)]

    def configure(self) -> None:
        """Writes all sources and has CMake look for libraries; raises SetupError also where programs are to
        be sanitized and the compiler has no sanitizers."""
        for compiler in self.compilers.values() if self.sanitized else ():
            check_runtime(compiler, self.optimization, self.environment)
        self.found = self._configuration.update(self._write_cells(), self.selected)

    def build_minimal(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        return self.build(pairs, progress, MINIMAL)

    def build_counting(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        """Builds runners that count allocations: the objects of the usual ones, linked in another way."""
        return self.build(pairs, progress, COUNTING)

    def cannot_count(self, variant: Variant) -> str:
        if self.static and not variant.codec.dynamic:
            return ""
        return "linked dynamically: allocations in its shared libraries cannot be counted"

    def counting(self, variant: Variant, workload: str) -> tuple[str, ...]:
        return self.command(variant, workload, COUNTING)

    def build_peak(self, progress: Progress) -> tuple[str, ...]:
        log = self._ninja.build(["serbench_peak"], telling({}, progress))
        if log is not None:
            raise BuildError(f"the program that measures peak memory did not build:\n{tail(log)}")
        return (str(self.directory / "serbench_peak"),)

    def build_cross_check(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        return self.build(pairs, progress, CROSS_CHECK)

    def cross_check(self, variant: Variant, workload: str, sampler: str) -> tuple[str, ...]:
        return (*self.command(variant, workload, CROSS_CHECK), sampler)

    def other_found(self) -> Found:
        """Whether the last ``configure`` found Google Benchmark, which is the other sampler."""
        return read_report(self.directory / "found" / "google-benchmark")

    def link_layouts(
        self, pairs: Sequence[Pair], count: int, progress: Progress
    ) -> dict[tuple[str, str], list[tuple[str, ...]] | str]:
        linker = Linker(self.directory, self.environment)

        def job(variant: Variant, workload: str) -> list[tuple[str, ...]]:
            name = target_name(variant, workload)
            paths = linker.link(self.directory / "cells" / name, self._ninja.commands(name), count)
            return [(str(path),) for path in paths]

        jobs = [partial(job, *pair) for pair in pairs]
        linked = link_all(jobs, lambda done, total: progress(done, total, "layouts"))
        return {(v.id, w): each for (v, w), each in zip(pairs, linked, strict=True)}

    def minimal(self, variant: Variant, workload: str) -> LeastProgram:
        """The least program that uses a codec variant, once built, with the commands that compile it: its own
        source and the sources that the codec's generators made."""
        name = target_name(variant, workload, MINIMAL)
        folders = self.directory / "generated", variant.codec.directory
        commands = compile_commands(self._ninja.commands(name), *folders)
        return LeastProgram(self.directory / "cells" / name, commands)

    def carried(self, pairs: Iterable[Pair], progress: Progress) -> Mapping[tuple[str, str], Carried | str]:
        wanted = list(pairs)
        failed = self.build_minimal(wanted, progress)
        found: dict[tuple[str, str], Carried | str] = {key: f"did not build: {failed[key]}" for key in failed}
        for variant, workload in wanted:
            if (variant.id, workload) not in found:
                without = self._without(workload, variant.codec.dynamic)
                told = carried(self.minimal(variant, workload), without, variant.codec.licence)
                found[variant.id, workload] = told
        return found

    def _without(self, workload: str, dynamic: bool) -> LeastProgram:
        """The least program of a workload without a codec, linked as those of codecs are."""
        runners, folder = self.paths.runners, self.directory / "generated" / workload
        name, text, others = self.sources.without(self.schema(workload).plain(), runners)
        write_if_changed(folder / name, text)
        flags = [flag for flag in self.flags.split() if not (dynamic and flag == "-static")]
        includes = [runners / "cpp" / "include", runners / self.folder / "include", folder]
        compiler = need(next(iter(self.compilers.values())))
        command = [compiler, *flags, *(f"-I{each}" for each in includes), *map(str, (folder / name, *others))]
        command += self._allocator_words.split()
        executable = self.directory / "cells" / f"{workload}{'.dynamic' if dynamic else ''}.without"
        return built_without(command, executable, self.environment)

    def build(self, pairs: Iterable[Pair], progress: Progress, end: str = "") -> Failures:
        targets = {target_name(variant, name, end): (variant, name) for variant, name in pairs}
        known = {variant.id for codec in self.codecs for variant in codec.variants.values()}
        failed = {(v.id, w): f"{self.name} has no {v.id}" for v, w in targets.values() if v.id not in known}
        wanted = {
            target: (v, w)
            for target, (v, w) in targets.items()
            if (v.id, w) not in failed and self._has_library(v)
        }
        failed |= self._unknown(wanted)
        wanted = {target: (v, w) for target, (v, w) in wanted.items() if (v.id, w) not in failed}
        log = self._ninja.build(wanted, telling(wanted, progress)) if wanted else None
        if log is None:
            return failed
        path = self.directory / "build.log"
        self.log += log  # a message may name the log of another batch
        path.write_text(self.log)
        for target, (v, w) in wanted.items():
            if not self._ninja.is_up_to_date(target):
                failed[v.id, w] = f"{_cause(log, target)}; all of it: {path}"
        return failed

    def _unknown(self, targets: Mapping[str, Pair]) -> Failures:
        """The pairs whose target Ninja does not know, each with the reason; for one unknown target Ninja
        would build none of the others.

        Ninja's list is as old as the last configuration, so it is configured anew where anything is missing.
        """
        if targets.keys() <= self._ninja.targets():
            return {}
        self.found = self._configuration.configure(self._write_cells())
        known = self._ninja.targets()
        why = {True: "though the library was found", False: "since its library is no longer found"}
        return {
            (v.id, w): f"the build in {self.directory} has no target {target}, {why[self._has_library(v)]}"
            for target, (v, w) in targets.items()
            if target not in known
        }

    def _has_library(self, variant: Variant) -> bool:
        found = self.found.get(variant.codec.name)
        return bool(found and found.installed)

    def _write_cells(self) -> list[Path]:
        generated = self.directory / "generated"
        return write_cells(generated, self.codecs, self._needed(generated), self.sources)

    def _needed(self, generated: Path) -> list[Workload]:
        """The workloads to configure: selected ones, else all but imports, and those configured before."""
        by_default = [w.name for w in self.workloads if w.origin is None] if not self.asked else ()
        names = {*self.asked, *by_default}
        return [w for w in self.workloads if w.name in names or (generated / w.name).exists()]

    @property
    def environment(self) -> dict[str, str]:
        """The environment of CMake, Ninja and the compiler."""
        return build_environment(self._given)

    @property
    def _given(self) -> Mapping[str, str]:
        return self.edition.environment if self.edition else os.environ

    @property
    def _ninja(self) -> Ninja:
        return Ninja(self.directory, self.environment)

    @property
    def _configuration(self) -> Configuration:
        source = self.paths.runners / self.folder
        fetched, shared = self._conan.folder, self.paths.shared_objects
        return Configuration(
            source, self.directory, self.compilers, self.environment, fetched, shared,
            self.static and not self.sanitized, self.optimization, self.codecs, self.sanitized,
            self._allocator_words,
        )  # fmt: skip


def _cause(log: str, target: str) -> str:
    """The first error of the step that failed for ``target``, which may be that of its IDL's compiler."""
    codec, _, workload = target.split(".")[:3]  # the rest says which program of the pair
    idl = (f"serbench_idl_{codec}_{workload}", f"/{workload}/{codec}/")
    return first_error(
        log,
        [f"{target}.dir/", f"cells/{target}", *idl, f"serbench_workload_{workload}.dir/", "serbench_runner"],
    )
