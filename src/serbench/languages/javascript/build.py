"""Installs the packages of JavaScript codecs with npm, and writes the codecs' programs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from serbench.codecs.codec import Codec, Variant
from serbench.codecs.edition import Edition, is_path
from serbench.languages.base import (
    Carried,
    CrossChecks,
    Failures,
    Found,
    Pair,
    Progress,
    Toolchain,
    edition_folder,
)
from serbench.languages.javascript.bundles import Bundler
from serbench.languages.javascript.engines import FLAGS, KEY, NODE, Brought
from serbench.languages.javascript.packages import (
    LOCK,
    PROGRAMS,
    brought,
    installed,
    manifest,
    need,
    node_version,
)
from serbench.languages.javascript.sources import cell_name, cell_source, write_sources
from serbench.languages.running import failure_of, first_error, write_folder
from serbench.paths import Paths
from serbench.system.files import write_if_changed
from serbench.system.stamp import Stamp, contents, sha256_of
from serbench.workload import Workload

_MOST_SAID = 300


@dataclass
class JavaScriptBuild(Toolchain, CrossChecks):
    """The build of all JavaScript programs."""

    paths: Paths
    codecs: Sequence[Codec]
    workloads: Sequence[Workload]
    found: dict[str, Found] = field(default_factory=dict)
    edition: Edition | None = None

    language = "javascript"

    @property
    def name(self) -> str:
        if self._engine:
            return self._engine.name
        return self.edition.name(NODE) if self.edition else NODE

    @property
    def directory(self) -> Path:
        return edition_folder(self.paths.builds / "javascript", self.edition)

    @property
    def _engine(self) -> Brought | None:
        """The engine of this edition; None for Node."""
        settings = self.edition.profile.settings if self.edition and self.edition.profile else ""
        name = settings.removeprefix(f"{KEY}=")
        return Brought(name, self._runner / "engines" / name, self.directory / KEY) if name else None

    @property
    def _words(self) -> Sequence[str]:
        """The words that start a program."""
        return self._engine.words() if self._engine else (need(NODE), *FLAGS)

    @property
    def _engine_version(self) -> str:
        return f"{self._engine.engine.title} {self._engine.bring()}" if self._engine else node_version()

    @property
    def _version(self) -> str:
        """The version of this edition's libraries; empty for the usual ones."""
        return self.edition.version.text if self.edition and self.edition.version else ""

    @property
    def _runner(self) -> Path:
        return self.paths.runners / "javascript"

    def describe(self) -> Mapping[str, Any]:
        if self._engine:
            return {
                "compiler": self._engine_version, "flags": self._engine.engine.flags, "linking": "dynamic",
            }  # fmt: skip
        asked = [need(NODE), "-p", "process.versions.v8"]
        v8 = subprocess.run(asked, capture_output=True, text=True).stdout.strip()
        compiler = f"Node {node_version()}, V8 {v8}"
        return {"compiler": compiler, "flags": " ".join(FLAGS), "linking": "dynamic"}

    def missing_packages(self) -> Sequence[str]:
        return [package for program, package in PROGRAMS.items() if not shutil.which(program)]

    def configure(self) -> None:
        """Have npm install the packages of codecs that are not there yet."""
        for program in PROGRAMS:
            need(program)
        node_version()
        if self._engine:
            self._engine.bring()
        self._copy_runner()
        for codec in self.codecs:
            folder = self._package(codec)
            folder.mkdir(parents=True, exist_ok=True)
            write_if_changed(folder / "package.json", manifest(codec))
            self.found[codec.name] = installed(codec, folder, self._lock(codec) if self._version else None)

    def _lock(self, codec: Codec) -> Path:
        """Return the file of a codec's exact packages; one of a version is npm's answer to all that it was
        asked, a package that was built here included."""
        if not self._version:
            return codec.directory / LOCK
        own = next(each for each in self.codecs if each.name == codec.name)  # in its version
        built = Path(self._version).read_bytes() if is_path(self._version) else b""
        given = contents(codec.directory, codec.directory.glob(LOCK))
        state = sha256_of(manifest(own), *given, built)
        return self.directory / "locks" / f"{codec.name}-{state[:16]}.json"

    def _copy_runner(self) -> None:
        """Copy the runner to the folder where Node finds it for all programs, above their own packages."""
        target = self.directory / "node_modules" / "serbench"
        files = self._runner_files()
        write_folder(target, {target / path.relative_to(self._runner): path.read_text() for path in files})

    def _runner_files(self) -> list[Path]:
        return [self._runner / "package.json", *sorted((self._runner / "src").glob("*.js"))]

    def _package(self, codec: Codec) -> Path:
        return self.directory / "packages" / codec.name

    def _folder(self, codec: Codec, workload: str) -> Path:
        return self._package(codec) / workload

    def build(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        """Write the programs of pairs whose library is there, and start each once.

        Returns:
            For each (variant id, workload) whose program does not start, the first line of why.
        """
        wanted = self.with_library(pairs)
        failed: Failures = {}
        generated: dict[Path, str] = {}
        for number, (variant, workload) in enumerate(wanted, 1):
            progress(number, len(wanted), variant.id)
            folder = self._folder(variant.codec, workload)
            if folder not in generated:
                write_sources(folder, variant.codec, self.schema(workload))
                generated[folder] = self._generate(variant.codec, workload)
            if why := generated[folder] or self._why_not_started(variant, workload):
                failed[variant.id, workload] = why
        return failed

    def _generate(self, codec: Codec, workload: str) -> str:
        """Run the compiler of a codec's IDL, which one of the codec's packages brings, once; return why it
        failed, or nothing."""
        idl = codec.idl
        if not (idl and idl.command):
            return ""
        folder = self._folder(codec, workload)
        file = idl.file.format(workload=workload)
        words = [word.format(workload=workload, directory=folder, file=file) for word in idl.command]

        def generate() -> str:
            path = os.pathsep.join([str(self._package(codec) / "node_modules" / ".bin"), os.environ["PATH"]])
            said = failure_of(words, folder, {**os.environ, "PATH": path})
            return said and f"{words[0]} failed: {said[:_MOST_SAID]}"

        state = sha256_of((folder / file).read_bytes(), self._lock(codec).read_bytes(), repr(idl))
        return Stamp(folder / "generated", state).once(generate)

    def _why_not_started(self, variant: Variant, workload: str) -> str:
        """Start a program once; return why it does not describe itself, or nothing."""

        def start() -> str:
            said = failure_of([*self.command(variant, workload), "describe"])
            return said and first_error(said, "Error", "it does not start")[:_MOST_SAID]

        started = self._folder(variant.codec, workload) / f"{cell_name(variant)}.started"
        return Stamp(started, self._digest(variant, workload)).once(start)

    def command(self, variant: Variant, workload: str) -> tuple[str, ...]:
        program = self._folder(variant.codec, workload) / cell_name(variant)
        return (*self._words, str(program), self._digest(variant, workload))

    def carried(self, pairs: Iterable[Pair], progress: Progress) -> Mapping[tuple[str, str], Carried | str]:
        bundler = Bundler(self._runner / "bundler", self.directory / "bundler")
        bundler.bring()
        wanted = list(pairs)
        found: dict[tuple[str, str], Carried | str] = {}
        for number, (variant, workload) in enumerate(wanted):
            progress(number, len(wanted), f"bundling {variant.id} × {workload}")
            folder = self._folder(variant.codec, workload)
            found[variant.id, workload] = bundler.carried(folder, variant.adapter)
        return found

    def other_found(self) -> Found:
        """Have npm install tinybench, the other sampler, unless it is there."""
        given, folder = self._runner / "crosscheck", self.directory / "samplers"
        for name in ("package.json", "crosscheck.js"):
            write_if_changed(folder / name, (given / name).read_text())
        return brought((given / "package.json").read_text(), given / LOCK, folder)

    def build_cross_check(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        chosen = list(pairs)
        for variant, workload in chosen:
            schema = self.schema(workload)
            source = cell_source(variant, schema, "../../../../samplers/crosscheck.js", "..")
            write_if_changed(self._cross_check(variant, workload), source)
        return self.build(chosen, progress)

    def cross_check(self, variant: Variant, workload: str, sampler: str) -> tuple[str, ...]:
        return (*self._words, str(self._cross_check(variant, workload)), sampler)

    def _cross_check(self, variant: Variant, workload: str) -> Path:
        """Return the file of the program with both samplers, in a folder beside the measured program."""
        return self._folder(variant.codec, workload) / "crosscheck" / cell_name(variant)

    def _digest(self, variant: Variant, workload: str) -> str:
        folder, lock = self._folder(variant.codec, workload), self._lock(variant.codec)
        digest = sha256_of(
            self._engine_version, *self._words, *contents(self._runner, self._runner_files()),
            *contents(folder, [*folder.glob("*.js"), *folder.glob("*.cjs")]),
            *contents(lock.parent, filter(Path.exists, [lock])),
        )  # fmt: skip
        return digest[:16]
