"""Fetches the modules of codecs with Go, and builds each cell as a module of its own."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from serbench.codecs.codec import Codec, Variant
from serbench.codecs.edition import Edition, folder_name, is_path
from serbench.errors import BuildError
from serbench.languages.base import Carried, Counts, CrossChecks, Failures, Found, Pair, Progress, Toolchain
from serbench.languages.go.carried import LEAST_FLAGS, carried, without
from serbench.languages.go.options import options_of
from serbench.languages.go.sources import MODULE, SUMS, cell_files, least_source, module_files
from serbench.languages.go.toolchain import (
    building_environment,
    fetching_environment,
    go_version,
    need_go,
    notices,
)
from serbench.languages.go.versions import DEVELOPED, content_of, required, resolve, tools
from serbench.languages.install import missing_program
from serbench.languages.running import failure_of, first_error, write_folder
from serbench.model.names import as_identifier
from serbench.paths import Paths
from serbench.system.cores import usable_cores
from serbench.system.files import write_if_changed
from serbench.system.stamp import Stamp, contents, sha256_of
from serbench.workload import Workload

FLAGS = ("-trimpath", "-ldflags=-buildid=")
"""The flags of ``go build``. Programs have neither paths nor an identifier, so that the same sources give the
same bytes."""

CROSS_CHECK = "crosscheck"
"""The build tag of sources that only programs with both samplers, ours and Go's own, are built from."""

LEAST = "least"
"""The build tag of the least programs that use a codec."""

COUNTING = "counting"
"""The build tag of sources that only programs that count their allocations are built from."""


@dataclass
class GoBuild(Toolchain, Counts, CrossChecks):
    """The build of all Go cells."""

    paths: Paths
    codecs: Sequence[Codec]
    workloads: Sequence[Workload]
    edition: Edition | None = None
    found: dict[str, Found] = field(default_factory=dict)

    language = "go"

    @property
    def name(self) -> str:
        return self.edition.name("go") if self.edition else "go"

    @property
    def directory(self) -> Path:
        return self.paths.builds / "go" / folder_name(self.name)

    @property
    def _version(self) -> str:
        """The version of this edition's libraries; empty for the usual ones."""
        return self.edition.version.text if self.edition and self.edition.version else ""

    @cached_property
    def content(self) -> str:
        """A digest of the library's folder where this edition is of one; else empty."""
        return content_of(self._version)

    @property
    def _runner(self) -> Path:
        return self.paths.runners / "go"

    def describe(self) -> Mapping[str, Any]:
        runtime = ("GOGC=100, a heap of 16 MiB besides", "GOMAXPROCS=the cores it may run on")
        flags = " ".join(("CGO_ENABLED=0 go build", *FLAGS))
        return {"compiler": go_version(need_go()), "flags": "; ".join((flags, *runtime)), "linking": "static"}

    def notices(self) -> Sequence[str]:
        return notices(os.environ)

    def configure(self) -> None:
        """Have Go fetch the modules of every codec, unless the same modules were fetched."""
        go = need_go()
        self.found = {codec.name: self._resolve(go, codec) for codec in self.codecs}

    def _resolve(self, go: str, codec: Codec) -> Found:
        if absent := missing_program(options_of(codec).programs):
            return Found(False, "", absent)
        if missing := self._pin(codec):
            return Found(False, "", missing)
        folder, modules = self.directory / "modules" / codec.name, self.modules(codec)
        experiment = options_of(codec).experiment

        def fetch() -> str:
            for name in (MODULE, SUMS):
                write_if_changed(folder / name, modules.get(name, ""))
            if said := failure_of([go, "mod", "download"], folder, fetching_environment(go, experiment)):
                return f"Go cannot fetch its modules: {_first_error(said, folder)}"
            said = self._build_tools(go, codec, folder)
            return said and f"its generators cannot be built: {_first_error(said, folder)}"

        state = sha256_of(
            go_version(go), experiment, modules[MODULE], modules.get(SUMS, ""), *filter(None, [self.content])
        )
        if missing := Stamp(folder / "resolved", state).once(fetch):
            return Found(False, "", missing)
        if not options_of(codec).module:
            return Found(True, go_version(go), "")
        number = required(modules[MODULE], options_of(codec).module)
        return Found(True, DEVELOPED if is_path(self._version) else number, "")

    def modules(self, codec: Codec) -> Mapping[str, str]:
        """Return the files that name a codec's modules: its own, or those that Go wrote for a version."""
        if not self._version:
            return module_files(codec, self._runner)
        return {path.name: path.read_text() for path in self._lock(codec).glob("go.*")}

    def _lock(self, codec: Codec) -> Path:
        """Return the folder of the files that name a codec's modules in this edition's version."""
        given = module_files(codec, self._runner)
        state = sha256_of(self._version, *given.values(), self.content)
        return self.directory / "locks" / f"{codec.name}-{state[:16]}"

    def _pin(self, codec: Codec) -> str:
        """Have Go find the modules of a codec in this edition's version, once; return the error, or
        nothing."""
        if not self._version:
            return ""
        lock, given = self._lock(codec), module_files(codec, self._runner)

        def pin() -> str:
            said = resolve(codec, self._version, given, lock)
            return said and f"Go cannot resolve its modules: {_first_error(said, lock)}"

        return Stamp(lock / "pinned", lock.name, lock / MODULE).once(pin, keeps_failure=True)

    def _build_tools(self, go: str, codec: Codec, folder: Path) -> str:
        """Build the generators that ``go.mod`` names as tools; return the output of a failure, or nothing."""
        found = tools((folder / MODULE).read_text())
        if not found:
            return ""
        command = [go, "build", "-o", f"{self._tools_of(codec)}{os.sep}", *found]
        return failure_of(command, folder, building_environment(go, ""))

    def _tools_of(self, codec: Codec) -> Path:
        return self.directory / "tools" / codec.name

    def build(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        return self._build(pairs, progress, "")

    def other_found(self) -> Found:
        """Return Go's version: the other sampler, ``testing.B``, is in Go's standard library."""
        return Found(True, go_version(need_go()), "")

    def build_cross_check(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        return self._build(pairs, progress, CROSS_CHECK)

    def cross_check(self, variant: Variant, workload: str, sampler: str) -> tuple[str, ...]:
        return (str(self._program(variant, workload, CROSS_CHECK)), sampler)

    def cannot_count(self, variant: Variant) -> str:
        return ""

    def build_counting(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        return self._build(pairs, progress, COUNTING)

    def counting(self, variant: Variant, workload: str) -> tuple[str, ...]:
        return (str(self._program(variant, workload, COUNTING)),)

    def build_peak(self, progress: Progress) -> tuple[str, ...]:
        go, program = need_go(), self.directory / "peak"
        command = [go, "build", *FLAGS, "-o", str(program), "./peak"]
        if said := failure_of(command, self._runner, building_environment(go, "")):
            raise BuildError(f"the program that measures peak memory did not build: {said}")
        return (str(program),)

    def carried(self, pairs: Iterable[Pair], progress: Progress) -> Mapping[tuple[str, str], Carried | str]:
        go, wanted = need_go(), list(pairs)
        failed = self._build(wanted, progress, LEAST)
        found: dict[tuple[str, str], Carried | str] = {key: f"did not build: {failed[key]}" for key in failed}
        less: dict[str, int] = {}
        for variant, workload in wanted:
            if workload not in less:
                folder = self.directory / "sources" / f"without__{as_identifier(workload)}"
                less[workload] = without(go, folder, self.schema(workload), self._runner)
            program = self._program(variant, workload, LEAST)
            if (variant.id, workload) not in found:
                found[variant.id, workload] = carried(go, program, variant.codec, less[workload])
        return found

    def _build(self, pairs: Iterable[Pair], progress: Progress, tag: str) -> Failures:
        """Build cells in parallel, under the build tag ``tag``; one that has not changed is left alone."""
        go = need_go()
        wanted = self.with_library(pairs)
        cells = [_Cell(self, go, variant, self.schema(name), name, tag) for variant, name in wanted]
        left = [cell for cell in cells if not cell.stamp.holds()]
        failures: Failures = {}
        with ThreadPoolExecutor(max_workers=usable_cores()) as workers:
            begun = {workers.submit(cell.build): cell for cell in left}
            for done, future in enumerate(as_completed(begun), 1):
                cell = begun[future]
                progress(done, len(left), f"{cell.variant.id} × {cell.workload}")
                if error := future.result():
                    failures[cell.variant.id, cell.workload] = error
        return failures

    def command(self, variant: Variant, workload: str) -> tuple[str, ...]:
        return (str(self._program(variant, workload)),)

    def _program(self, variant: Variant, workload: str, tag: str = "") -> Path:
        names = (variant.codec.name, variant.name, workload)
        name = "__".join(map(as_identifier, names))
        return self.directory / "cells" / (f"{name}.{tag}" if tag else name)


@dataclass(frozen=True)
class _Cell:
    """A codec variant × workload: a module below ``sources``, and its program in ``cells``.

    Attributes:
        tag: the build tag; empty for the program that is measured.
    """

    of: GoBuild
    go: str
    variant: Variant
    schema: Any
    workload: str
    tag: str

    @property
    def flags(self) -> Sequence[str]:
        if self.tag == LEAST:
            return LEAST_FLAGS
        return (*FLAGS, f"-tags={self.tag}") if self.tag else FLAGS

    @property
    def folder(self) -> Path:
        return self.of.directory / "sources" / self.program.name

    @property
    def program(self) -> Path:
        return self.of._program(self.variant, self.workload, self.tag)

    @property
    def files(self) -> Mapping[str, str]:
        """The files of the module, by their paths."""
        files = cell_files(self.variant, self.schema, self.of.modules(self.variant.codec))
        least = {"main.go": least_source(self.variant, self.schema)} if self.tag == LEAST else {}
        return {**files, **least}

    @property
    def stamp(self) -> Stamp:
        """The stamp that holds until anything changes that the program is made of."""
        state = sha256_of(
            go_version(self.go), *self.flags, options_of(self.variant.codec).experiment,
            *chain.from_iterable(sorted(self.files.items())), *filter(None, [self.of.content]),
            *contents(self.of._runner, self.of._runner.glob("*.*")),
        )  # fmt: skip
        return Stamp(self.folder / "built", state, self.program)

    def build(self) -> str:
        """Build the program; return the first error, or nothing."""
        return self.stamp.once(self._build)

    def _build(self) -> str:
        files = self.files
        write_folder(self.folder, {self.folder / name: text for name, text in files.items()})
        environment = building_environment(self.go, options_of(self.variant.codec).experiment)
        said = self._generate(files, environment)
        command = [self.go, "build", "-p=1", *self.flags, "-o", str(self.program), "."]
        said = said or failure_of(command, self.folder, environment)
        return said and _first_error(said, self.folder)

    def _generate(self, files: Mapping[str, str], environment: Mapping[str, str]) -> str:
        """Run the generators that the adapter asks for; return the output of one that failed, or nothing."""
        if not any("\n//go:generate " in text for text in files.values()):
            return ""
        tools = self.of._tools_of(self.variant.codec)
        found = [str(tools), str(Path(self.go).parent), environment.get("PATH", "")]
        own = {"PATH": os.pathsep.join(found), "PYTHON": sys.executable}
        return failure_of([self.go, "generate", "./..."], self.folder, {**environment, **own})


def _first_error(said: str, folder: Path) -> str:
    """Return the first line with an error, without addresses and the cell's folder. Lines that name modules
    on the way to one, each of which needs the next, are one line."""
    said = re.sub(r" (imports|requires)\n\s+", r" \1 ", said)
    error = first_error(said, "^(?!#|go: downloading)", otherwise=said.partition("\n")[0])
    return error.replace(f"{folder}{os.sep}", "")
