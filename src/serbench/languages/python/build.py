"""Writes the cells of Python, brings their libraries, and starts each once, which compiles it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from serbench.codecs.codec import Codec, Variant
from serbench.codecs.edition import Edition
from serbench.errors import BuildError
from serbench.idl import emit as emit_idl
from serbench.languages.base import (
    Carried,
    Counts,
    CrossChecks,
    Failures,
    Found,
    Pair,
    Progress,
    Toolchain,
    edition_folder,
)
from serbench.languages.install import missing_program
from serbench.languages.python.carried import carried
from serbench.languages.python.counting import CountingTools
from serbench.languages.python.crosscheck import PYPERF, hooked
from serbench.languages.python.engines import NAME, engine_of, interpreter_of
from serbench.languages.python.environments import LOCK, Environment, Wheels
from serbench.languages.python.interpreter import Interpreter
from serbench.languages.python.options import options_of
from serbench.languages.python.sources import PACKAGE, pair_sources
from serbench.languages.running import failure_of
from serbench.model import Schema
from serbench.model.names import as_identifier
from serbench.paths import Paths
from serbench.system.files import write_if_changed
from serbench.system.guard import marked_environment
from serbench.system.stamp import Stamp, contents, sha256_of
from serbench.workload import Workload

_AT_ONCE = 2
"""Cells that are started at once."""

_LONGEST_S = 120

_WRITTEN = "messages"
"""The folder beside ``cell`` for a package that an IDL's compiler writes, made since some do not make it."""


@dataclass
class PythonBuild(Toolchain, Counts, CrossChecks):
    """The build of all cells of Python: generated modules, and the libraries of each codec.

    Attributes:
        found: codec name → what was found of its library; filled by ``configure``, and again by ``build``,
            when pip brings the libraries.
    """

    paths: Paths
    codecs: Sequence[Codec]
    workloads: Sequence[Workload]
    found: dict[str, Found] = field(default_factory=dict)
    edition: Edition | None = None

    language = "python"

    @property
    def name(self) -> str:
        if engine := engine_of(self.edition):
            return engine
        return self.edition.name(NAME) if self.edition else NAME

    @property
    def _python(self) -> Interpreter:
        """The interpreter of this edition; raises SetupError where it is not there."""
        return interpreter_of(engine_of(self.edition))

    @property
    def directory(self) -> Path:
        return edition_folder(self.paths.builds / "python", self.edition)

    def describe(self) -> Mapping[str, Any]:
        own = self._python
        return {"compiler": f"{own.name} ({own.compiler})", "flags": own.flags, "linking": "dynamic"}

    def notices(self) -> Sequence[str]:
        if "without PGO" in self._python.flags:
            name = self._python.name
            return [f"{name} was built without profile-guided optimization, and is slower for that"]
        return ()

    def configure(self) -> None:
        """Look up what is known of the libraries, which pip brings when a pair is first built; raise
        SetupError where the interpreter is not there."""
        for codec in self.codecs:
            absent = missing_program(options_of(codec).programs)
            known = Found(False, "", absent) if absent else self._environment(codec).found()
            self.found[codec.name] = known

    def build(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        """Bring the libraries of pairs, write their modules, and start each pair that is new.

        Returns:
            For each (variant id, workload) that could not be started, the error.
        """
        wanted = self.with_library(pairs)
        codecs = {variant.codec.name: variant.codec for variant, _ in wanted}
        steps = len(codecs) + len(wanted)
        for n, codec in enumerate(codecs.values()):
            progress(n, steps, codec.id)
            self.found[codec.name] = self._environment(codec).install()
        left = self.with_library(wanted)
        failed: Failures = {}
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for n, ((variant, workload), error) in enumerate(
                zip(left, pool.map(lambda pair: self._made(*pair), left), strict=True)
            ):
                progress(len(codecs) + n + 1, steps, f"{variant.id} × {workload}")
                if error:
                    failed[variant.id, workload] = error
        return failed

    def command(self, variant: Variant, workload: str) -> tuple[str, ...]:
        return self._words(variant, workload, "run.py")

    def carried(self, pairs: Iterable[Pair], progress: Progress) -> Mapping[tuple[str, str], Carried | str]:
        def of(codec: Codec) -> Carried:
            return carried(self._environment(codec).libraries, options_of(codec).requirements)

        return {(variant.id, workload): of(variant.codec) for variant, workload in pairs}

    def cannot_count(self, variant: Variant) -> str:
        return "" if sys.platform == "linux" else "what stands before the allocator is for Linux alone"

    def build_counting(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        """Build pairs, and once the library that counts; start each, since the first process that imports a
        module allocates more than those that find it compiled."""
        wanted = list(pairs)
        failed = self.build(wanted, progress)
        try:
            self._counting.preload()
        except BuildError as error:
            return {(variant.id, workload): str(error) for variant, workload in wanted}
        for pair in wanted:
            key = pair[0].id, pair[1]
            if key not in failed and (said := _start([*self.counting(*pair), "describe"])):
                failed[key] = said
        return failed

    def counting(self, variant: Variant, workload: str) -> tuple[str, ...]:
        return self._counting.words(self._words(variant, workload, "counting.py"))

    def build_peak(self, progress: Progress) -> tuple[str, ...]:
        return (str(self._counting.launcher()),)

    def other_found(self) -> Found:
        """Have pip bring pyperf, the other sampler, unless it is there."""
        found = self._pyperf.install()
        if found.installed:
            hooked(self._pyperf)
        return found

    def build_cross_check(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        """Build pairs: the same modules are measured by either sampler."""
        return self.build(pairs, progress)

    def cross_check(self, variant: Variant, workload: str, sampler: str) -> tuple[str, ...]:
        return self._words(variant, workload, "crosscheck.py", sampler, str(self._pyperf.libraries))

    def _words(self, variant: Variant, workload: str, program: str, *first: str) -> tuple[str, ...]:
        """The words that start a pair by the runner's ``program``; its arguments begin with ``first``."""
        folder = self._folder(variant, workload)
        libraries = self._environment(variant.codec).libraries
        return (
            self._python.path,
            "-I",  # neither the user's packages nor the environment's word on how to run
            "-S",
            "-X",
            f"pycache_prefix={self.directory / 'pycache'}",
            "-X",
            f"serbench={self._digest(variant, folder)}",
            str(self._runner / program),
            *first,
            str(folder),
            str(variant.codec.directory.resolve()),
            str(libraries) if libraries else "-",
        )

    @property
    def _counting(self) -> CountingTools:
        return CountingTools(self.paths.runners, self.directory / "counting")

    @property
    def _runner(self) -> Path:
        return self.paths.runners / "python"

    def _environment(self, codec: Codec) -> Environment:
        records = bool(self.edition and self.edition.version)
        return Environment(self.directory / "environments", Wheels.of(codec), self._python, records)

    @property
    def _pyperf(self) -> Environment:
        wheels = Wheels(*PYPERF, self._runner / "crosscheck.lock")
        return Environment(self.directory / "samplers", wheels, self._python)

    def _folder(self, variant: Variant, workload: str) -> Path:
        return self.directory / "generated" / as_identifier(workload) / variant.codec.name / variant.name

    def _made(self, variant: Variant, workload: str) -> str:
        """Write the modules of a pair and start it once; return the error, or nothing."""
        schema, folder = self.schema(workload), self._folder(variant, workload)
        texts = pair_sources(variant, schema)
        package = folder / PACKAGE
        for name, text in texts.items():
            write_if_changed(package / name, text)
        if variant.codec.idl and (error := self._compiled_idl(variant.codec, schema, folder)):
            return error
        stamp = Stamp(folder / "started", self._digest(variant, folder))
        return stamp.once(lambda: _start([*self.command(variant, workload), "describe"]))

    def _compiled_idl(self, codec: Codec, schema: Schema, folder: Path) -> str:
        """Write the IDL file of a codec beside its modules, and run the IDL's compiler: ``python`` is the
        measured interpreter, with the codec's packages. Return the error, or nothing."""
        assert codec.idl
        file = codec.idl.file.format(workload=as_identifier(schema.name))
        text = emit_idl(codec.idl.language, codec.glue.seen(schema))
        known = {"directory": str(folder), "file": file, "workload": as_identifier(schema.name)}
        command = [word.format(**known) for word in codec.idl.command]

        def compile_idl() -> str:
            write_if_changed(folder / file, text)
            if not command:
                return ""
            (folder / _WRITTEN).mkdir(exist_ok=True)
            program = self._python.path if command[0] == "python" else command[0]
            said = failure_of([program, *command[1:]], folder, self._with_libraries(codec))
            return said and f"{' '.join(command[:3])}: {said[-500:]}"

        state = sha256_of(text, self._environment(codec).state, *command)
        return Stamp(folder / "idl", state, folder / file).once(compile_idl)

    def _with_libraries(self, codec: Codec) -> dict[str, str]:
        """Return the environment of an IDL compiler that is among a codec's packages: the packages' programs,
        such as its plug-ins, come before all others."""
        environment = marked_environment()
        libraries = self._environment(codec).libraries
        if not libraries:
            return environment
        programs = os.pathsep.join([str(libraries / "bin"), environment.get("PATH", os.defpath)])
        return {**environment, "PYTHONPATH": str(libraries), "PATH": programs}

    def _digest(self, variant: Variant, folder: Path) -> str:
        """Return a digest that changes with everything that a pair's runner is made of."""
        own, codec = self._python, variant.codec.directory
        made = (path for path in folder.rglob("*") if path.is_file() and path.name != "started")
        digest = sha256_of(
            own.path, own.name, own.flags, *contents(self._runner, self._runner.rglob("*.py")),
            *contents(codec, [*codec.glob("adapter*.py"), *codec.glob(LOCK)]), *contents(folder, made),
        )  # fmt: skip
        return digest[:16]


def _start(command: Sequence[str]) -> str:
    """Start a runner; return in a line why that failed, or nothing."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, env=marked_environment(), timeout=_LONGEST_S
        )
    except subprocess.TimeoutExpired:
        return f"it said nothing for {_LONGEST_S} s"
    if not done.returncode:
        return ""
    said = done.stderr.strip().splitlines() or [f"it ended with status {done.returncode}"]
    place = re.findall(r'File "([^"]+)", line (\d+)', done.stderr)
    where = f" ({Path(place[-1][0]).name}:{place[-1][1]})" if place else ""
    return f"{said[-1]}{where}"
