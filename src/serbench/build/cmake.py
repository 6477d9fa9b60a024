"""Configures and builds the C++ cells with CMake and Ninja."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

from serbench.build.cost import compile_commands
from serbench.build.edition import Edition
from serbench.build.generate import counting_name, cross_check_name, minimal_name, target_name, write_cells
from serbench.build.install import install_command
from serbench.build.toolchain import Found, Progress
from serbench.codec import Codec, Variant
from serbench.errors import BuildError, SetupError
from serbench.paths import Paths
from serbench.workload import Workload


@dataclass
class CppBuild:
    """The build of all C++ cells with one compiler.

    Attributes:
        compiler: the compiler's command.
        codecs: those of the edition.
        edition: where they and their libraries come from; None for the usual one.
        found: by codec name, filled by ``configure``.
    """

    paths: Paths
    compiler: str
    codecs: Sequence[Codec]
    workloads: Sequence[Workload]
    found: dict[str, Found] = field(default_factory=dict)
    edition: Edition | None = None

    @property
    def language(self) -> str:
        return "cpp"

    @property
    def name(self) -> str:
        return self.edition.name(self.compiler) if self.edition else self.compiler

    @property
    def directory(self) -> Path:
        name = re.sub(r"[^A-Za-z0-9.+@~^-]", "_", self.name)
        return self.paths.builds / "cpp" / name

    @property
    def static(self) -> bool:
        """Static executables need static system libraries, which macOS has not."""
        return sys.platform.startswith("linux")

    @property
    def flags(self) -> str:
        """The flags that every cell is compiled and linked with."""
        return "-std=c++20 -O3 -DNDEBUG" + (" -static" if self.static else "")

    def command(self, variant: Variant, workload: str) -> tuple[str, ...]:
        return (str(self.directory / "cells" / target_name(variant, workload)),)

    def describe(self) -> Mapping[str, Any]:
        done = subprocess.run([_need(self.compiler), "--version"], capture_output=True, text=True)
        version = done.stdout.splitlines()[0] if done.stdout else self.compiler
        return {"compiler": version, "flags": self.flags, "linking": "static" if self.static else "dynamic"}

    def missing_packages(self) -> Sequence[str]:
        missing = [program for program in ("cmake", self.compiler) if not shutil.which(program)]
        return [package for program in missing if (package := _package(program))]

    def configure(self) -> None:
        """Generates the sources and lets CMake look for the libraries; does nothing where nothing has changed.

        Raises:
            SetupError: there is no CMake or no compiler.
            BuildError: CMake failed; holds what it said.
        """
        cells = write_cells(self.directory / "generated", self.codecs, self.workloads)
        stamp = self.directory / "configured"
        state = self._configuration_state(cells)
        if not (stamp.exists() and stamp.read_text() == state and self._read_found()):
            self._run_cmake(cells)
            stamp.write_text(state)
            self._read_found()

    def build(self, cells: Iterable[tuple[Variant, str]], progress: Progress) -> dict[tuple[str, str], str]:
        """Builds the cells whose library is there.

        Returns:
            For each (variant id, workload) that did not build, the compiler's first error.
        """
        return self._build_targets({target_name(v, w): (v, w) for v, w in cells}, progress)

    def build_minimal(self, cells: Iterable[tuple[Variant, str]], progress: Progress) -> dict[tuple[str, str], str]:
        """As ``build``, the least programs that use the codecs."""
        return self._build_targets({minimal_name(v, w): (v, w) for v, w in cells}, progress)

    def build_counting(self, cells: Iterable[tuple[Variant, str]], progress: Progress) -> dict[tuple[str, str], str]:
        """As ``build``, the measuring programs linked so that they count allocations; cells that were built are only linked."""
        return self._build_targets({counting_name(v, w): (v, w) for v, w in cells}, progress)

    def counting(self, variant: Variant, workload: str) -> tuple[str, ...]:
        """As ``command``, for the program that counts allocations, once built."""
        return (str(self.directory / "cells" / counting_name(variant, workload)),)

    def build_peak(self, progress: Progress) -> tuple[str, ...]:
        """Builds the program that starts a runner and tells its peak memory; returns what comes before the runner's command.

        Raises:
            BuildError: it did not build.
        """
        log = self._run_ninja(["serbench_peak"], progress)
        if log is not None:
            raise BuildError(f"the program that tells peak memory did not build:\n{_tail(log)}")
        return (str(self.directory / "serbench_peak"),)

    def build_cross_check(self, cells: Iterable[tuple[Variant, str]], progress: Progress) -> dict[tuple[str, str], str]:
        """As ``build``, the measuring programs with both samplers; Google Benchmark has to be there."""
        return self._build_targets({cross_check_name(v, w): (v, w) for v, w in cells}, progress)

    def cross_check(self, variant: Variant, workload: str, sampler: str) -> tuple[str, ...]:
        """As ``command``, for the program with both samplers, once built; ``serbench`` or ``google_benchmark`` takes samples."""
        return (str(self.directory / "cells" / cross_check_name(variant, workload)), sampler)

    def google_benchmark(self) -> Found:
        """Whether the last ``configure`` found Google Benchmark."""
        return _found(self.directory / "found" / "google-benchmark")

    def minimal(self, variant: Variant, workload: str) -> Path:
        """The least program that uses a codec variant, once built."""
        return self.directory / "cells" / minimal_name(variant, workload)

    def minimal_commands(self, variant: Variant, workload: str) -> list[list[str]]:
        """What compiles it: its own source and what the codec's generators made, but neither generators nor libraries."""
        ninja = [_ninja(), "-C", str(self.directory), "-t", "commands", minimal_name(variant, workload)]
        done = subprocess.run(ninja, capture_output=True, text=True)
        if done.returncode:
            raise BuildError(f"ninja has no commands for {minimal_name(variant, workload)}: {_tail(done.stdout + done.stderr)}")
        return compile_commands(done.stdout, self.directory / "generated")

    def _build_targets(self, targets: Mapping[str, tuple[Variant, str]], progress: Progress) -> dict[tuple[str, str], str]:
        known = {variant.id for codec in self.codecs for variant in codec.variants.values()}
        lacking = {(v.id, w): f"{self.name} has no {v.id}" for v, w in targets.values() if v.id not in known}
        wanted = {
            target: (v.id, w)
            for target, (v, w) in targets.items()
            if (v.id, w) not in lacking and self.found[v.codec.name].installed
        }
        log = self._run_ninja(list(wanted), progress) if wanted else None
        if log is None:
            return lacking
        failed = {cell: _first_error(log, target) for target, cell in wanted.items() if not self._up_to_date(target)}
        (self.directory / "build.log").write_text(log)
        return lacking | {cell: f"{error}; all of it: {self.directory / 'build.log'}" for cell, error in failed.items()}

    @property
    def _environment(self) -> Mapping[str, str]:
        return self.edition.environment if self.edition else os.environ

    def _configuration_state(self, cells: Path) -> str:
        """Changes when a new configuration could find something else."""
        digest = hashlib.sha256(cells.read_bytes())
        sources = self.paths.runners / "cpp"
        for path in (sources / "CMakeLists.txt", sources / "cmake" / "Serbench.cmake"):
            digest.update(path.read_bytes())
        for name in ("SERBENCH_PREFIX", "CMAKE_PREFIX_PATH", "HPX_DIR", "PATH"):
            digest.update(f"{name}={self._environment.get(name, '')}\n".encode())
        digest.update(f"ccache={shutil.which('ccache')}\n".encode())
        packages = Path("/var/lib/dpkg/status")
        if packages.exists():
            digest.update(str(packages.stat().st_mtime_ns).encode())
        return digest.hexdigest()

    def _run_cmake(self, cells: Path) -> None:
        cmake = _need("cmake")
        _need(self.compiler)
        command = [
            cmake, "-G", "Ninja", "-S", str(self.paths.runners / "cpp"), "-B", str(self.directory),
            f"-DCMAKE_MAKE_PROGRAM={_ninja()}",
            f"-DCMAKE_CXX_COMPILER={shutil.which(self.compiler)}",
            f"-DSERBENCH_CELLS={cells}",
            f"-DSERBENCH_CONAN={self.paths.conan}",
            f"-DSERBENCH_STATIC={'ON' if self.static else 'OFF'}",
        ]  # fmt: skip
        # Also where there is none: it may have been there the last time.
        command.append(f"-DCMAKE_CXX_COMPILER_LAUNCHER={shutil.which('ccache') or ''}")
        shutil.rmtree(self.directory / "found", ignore_errors=True)
        done = subprocess.run(command, capture_output=True, text=True, env=self._environment)
        if done.returncode:
            raise BuildError(f"CMake could not configure {self.directory}:\n{_tail(done.stdout + done.stderr)}")

    def _read_found(self) -> bool:
        """Reads what CMake found; False where a codec has no report yet or misses something that may have come since."""
        self.found = {}
        for codec in self.codecs:
            path = self.directory / "found" / codec.name
            if not path.exists():
                return False
            self.found[codec.name] = _found(path)
        return all(f.installed for f in self.found.values())

    def _run_ninja(self, targets: list[str], progress: Progress) -> str | None:
        """Builds; None where all went well, else everything that was printed."""
        environment = {**self._environment, "NINJA_STATUS": "[%f/%t] "}
        command = [_ninja(), "-C", str(self.directory), "-k", "0", *targets]
        lines = []
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", env=environment
        ) as process:
            assert process.stdout
            for line in process.stdout:
                lines.append(line)
                if step := re.match(r"\[(\d+)/(\d+)\] (.*)", line):
                    progress(int(step[1]), int(step[2]), step[3])
        return "".join(lines) if process.returncode else None

    def _up_to_date(self, target: str) -> bool:
        done = subprocess.run([_ninja(), "-C", str(self.directory), "-n", target], capture_output=True, text=True)
        return "no work to do" in done.stdout


def _found(report: Path) -> Found:
    """What CMake wrote of a library that it looked for."""
    word, _, rest = report.read_text().strip().partition(" ")
    return Found(True, rest, "") if word == "found" else Found(False, "", rest)


def _ninja() -> str:
    """The Ninja of our own environment, so that a machine needs no make program."""
    beside = Path(sys.executable).parent / "ninja"
    return str(beside) if beside.exists() else _need("ninja")


def _need(program: str) -> str:
    found = shutil.which(program)
    if not found:
        package = _package(program)
        hint = f"; get it: {install_command([package])}" if package else ""
        raise SetupError(f"no program '{program}' is on the path{hint}")
    return found


def _package(program: str) -> str | None:
    """The package that has it on Debian and Ubuntu; None for a program that we do not know."""
    if program == "ninja":
        return "ninja-build"
    if re.fullmatch(r"clang\+\+(-\d+)?", program):
        return program.replace("++", "")
    return program if re.fullmatch(r"cmake|g\+\+(-\d+)?", program) else None


_ERROR = re.compile(r"\berror\b|undefined reference|cannot find|not found", re.IGNORECASE)


def _first_error(log: str, target: str) -> str:
    """The first error of the step that failed for ``target``; its IDL's where that failed."""
    codec, _, workload = target.split(".")[:3]  # what comes after it says which program of the cell
    names = (f"{target}.dir/", f"cells/{target}", f"serbench_idl_{codec}_{workload}", f"/{workload}/{codec}/", "serbench_runner")
    for section in log.split("FAILED: ")[1:]:
        output, *rest = section.splitlines()
        said = list(takewhile(lambda line: not re.match(r"\[\d+/\d+\] ", line), rest[1:]))  # the first is the command
        if any(name in output for name in names) and said:
            return next((line.strip() for line in said if _ERROR.search(line)), said[-1].strip())
    return "a step that it depends on failed"


def _tail(text: str, lines: int = 20) -> str:
    return "\n".join(text.strip().splitlines()[-lines:])
