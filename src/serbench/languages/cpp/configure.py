"""Runs CMake, which looks for the libraries of all codecs, and reads what CMake found."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from serbench.codecs.codec import Codec
from serbench.errors import BuildError
from serbench.languages.base import Found
from serbench.languages.cpp.environment import decisive
from serbench.languages.cpp.ninja import Ninja, ninja_program
from serbench.languages.cpp.programs import need
from serbench.system.guard import marked_environment
from serbench.system.stamp import Stamp, sha256_of


@dataclass(frozen=True)
class Configuration:
    """One build folder, with all settings that decide what CMake finds for it.

    Attributes:
        source: the folder of the CMake project.
        directory: the build folder; ``found/`` in it has a report of each codec's library.
        compilers: the compiler's command by CMake's name of the language: ``CXX``.
        environment: the environment of CMake.
        conan: the folder of Conan's packages.
        shared: the folder for the objects of the measuring program that builds of several languages share.
        static: whether static libraries are looked for, and executables linked statically.
        flags: the flags of every compilation and link, without the edition of the language.
        codecs: the codecs whose libraries are looked for.
        sanitized: whether programs are for sanitizers and not timed: a cell's sources are compiled as one.
        libraries: the words at the end of every link; none for the usual ones.
    """

    source: Path
    directory: Path
    compilers: Mapping[str, str]
    environment: Mapping[str, str]
    conan: Path
    shared: Path
    static: bool
    flags: str
    codecs: Sequence[Codec]
    sanitized: bool = False
    libraries: str = ""

    def update(self, lists: Sequence[Path], selected: Collection[str] = ()) -> dict[str, Found]:
        """Runs CMake, unless nothing is missing or changed; returns what was found, by codec name.

        The same libraries are found as in a fresh folder: if anything that decides on them has changed,
        CMake's cache is deleted.

        Args:
            lists: the CMake lists that ``write_cells`` gave.
            selected: names of the codecs of which a missing library counts; all where it is empty.

        Raises:
            SetupError: there is no CMake or no compiler.
            BuildError: CMake failed; holds what it printed.
        """
        stamp = self._stamp(lists)
        if not stamp.holds():
            stamp.clear()
            (self.directory / "CMakeCache.txt").unlink(missing_ok=True)
            # CMake's notes on the compiler
            for compiler in (self.directory / "CMakeFiles").glob("[0-9]*"):
                shutil.rmtree(compiler)
        elif Ninja(self.directory, self.environment).refresh():
            found = self.read()
            # A library that is missing may have come to a place that nobody watches.
            missing = {name for name, each in found.items() if not each.installed}
            if len(found) == len(self.codecs) and not missing.intersection(selected or missing):
                return found
        return self.configure(lists, stamp)

    def configure(self, lists: Sequence[Path], stamp: Stamp | None = None) -> dict[str, Found]:
        """Does what ``update`` does, whether anything has changed or not."""
        broken: dict[str, str] = {}
        while said := self._run_cmake(lists[0], broken):
            failed = _failed_codecs(said, {codec.name for codec in self.codecs} - broken.keys())
            if not failed:
                raise BuildError(f"CMake could not configure {self.directory}:\n{tail(said)}")
            broken |= failed
        for name, reason in broken.items():
            (self.directory / "found" / name).write_text(f"missing its CMake package fails: {reason}\n")
        (stamp or self._stamp(lists)).set()
        return self.read()

    def read(self) -> dict[str, Found]:
        """The libraries that were found the last time, by codec name, without those that were not looked
        for."""
        reports = {codec.name: self.directory / "found" / codec.name for codec in self.codecs}
        return {name: read_report(path) for name, path in reports.items() if path.exists()}

    def _stamp(self, lists: Sequence[Path]) -> Stamp:
        """The stamp that holds until anything changes by which CMake could find something else."""
        versions = [_compiler_version(compiler) for compiler in self.compilers.values()]
        # CMake files that languages share are in the folder of one of them.
        files = (*lists, self.source / "CMakeLists.txt", *sorted(self.source.parent.glob("*/cmake/*")))
        packages = [Path("/var/lib/dpkg/status"), *sorted(self.conan.glob("full_deploy/host/*"))]
        state = sha256_of(
            str(self.directory), *versions, f"static={self.static}", self.flags, *self._linked,
            *(path.read_bytes() for path in files),
            *decisive(self.environment, self.codecs), f"ccache={shutil.which('ccache')}",
            *(f"{path} {path.stat().st_mtime_ns}" for path in packages if path.exists()),
        )  # fmt: skip
        return Stamp(self.directory / "configured", state)

    @property
    def _linked(self) -> Sequence[str]:
        """The words by which CMake gets ``libraries``."""
        languages = self.compilers if self.libraries else ()
        return [f"-DCMAKE_{language}_STANDARD_LIBRARIES={self.libraries}" for language in languages]

    def _run_cmake(self, cells: Path, broken: Mapping[str, str]) -> str:
        """Runs CMake without the codecs in ``broken``; returns what it printed where it failed, else
        nothing."""
        compilers = self.compilers.items()
        # Empty where there is none, which has to be said too: there may have been one the last time.
        cache = shutil.which("ccache") or ""
        command = [
            need("cmake"), "-G", "Ninja", "-S", str(self.source), "-B", str(self.directory),
            f"-DCMAKE_MAKE_PROGRAM={ninja_program()}",
            *(f"-DCMAKE_{language}_COMPILER={need(compiler)}" for language, compiler in compilers),
            f"-DSERBENCH_CELLS={cells}",
            f"-DSERBENCH_CONAN={self.conan}",
            f"-DSERBENCH_SHARED={self.shared}",
            f"-DSERBENCH_STATIC={'ON' if self.static else 'OFF'}",
            f"-DSERBENCH_SANITIZED={'ON' if self.sanitized else 'OFF'}",
            f"-DSERBENCH_FLAGS={self.flags}",
            f"-DSERBENCH_BROKEN={';'.join(broken)}",
            *self._linked,
            *(f"-DCMAKE_{language}_COMPILER_LAUNCHER={cache}" for language in self.compilers),
        ]  # fmt: skip
        shutil.rmtree(self.directory / "found", ignore_errors=True)
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            env=marked_environment(self.environment),
        )
        said = (done.stdout + done.stderr).strip()
        return (said or f"it ended with status {done.returncode}") if done.returncode else ""


def read_report(path: Path) -> Found:
    """The report that CMake wrote on a library that it looked for."""
    word, _, rest = path.read_text(errors="replace").strip().partition(" ")
    return Found(True, rest, "") if word == "found" else Found(False, "", rest)


def _failed_codecs(said: str, names: set[str]) -> dict[str, str]:
    """The names of the codecs in whose own CMake list an error arose → the error's text."""
    failed: dict[str, str] = {}
    for error in said.split("CMake Error")[1:]:
        for name in re.findall(r"\bcodecs/([^/\n]+)/CMakeLists\.txt", error):
            if name in names:
                # The first line says where; the text ends where the call stack begins.
                text = error.partition("\n")[2].partition("Call Stack")[0]
                failed.setdefault(name, " ".join(text.split()))
    return failed


def _compiler_version(compiler: str) -> str:
    """The path of a compiler, with the text that it prints on its version."""
    path = need(compiler)
    told = subprocess.run([path, "--version"], capture_output=True, text=True, errors="replace").stdout
    return f"{path} {told}"


def tail(text: str, lines: int = 20) -> str:
    """The last lines of a text."""
    return "\n".join(text.strip().splitlines()[-lines:])
