"""The bytes and crates that a codec adds to the least program in Rust."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from serbench.errors import BuildError
from serbench.languages.base import LEAST_KIND, Carried
from serbench.languages.cpp.cost import LeastProgram
from serbench.languages.cpp.programs import need
from serbench.languages.running import failure_of, first_error
from serbench.languages.rust.sources import least_package
from serbench.system.files import write_if_changed


class LeastPrograms:
    """The package of least programs, with one codec or with none.

    Args:
        folder: the package's folder, below that of the language's builds.
        target: Cargo's folder of what it built, which has the crates of the measuring programs.
        environment: Cargo's environment variables.
    """

    def __init__(self, folder: Path, target: Path, environment: Mapping[str, str]):
        self._folder, self._target = folder, target
        self._environment = {**environment, "CARGO_TARGET_DIR": str(target)}

    def write(
        self, runner: Path, dependencies: Mapping[str, Any], lock: str, programs: Mapping[str, Path]
    ) -> None:
        """Write the package of ``programs``, the source of each by its name; ``lock`` is the text of
        ``Cargo.lock``, or empty for a package that needs no crates."""
        write_if_changed(self._folder / "empty.rs", "")
        write_if_changed(
            self._folder / "Cargo.toml", least_package(self._folder, runner, dependencies, programs)
        )
        if lock:
            write_if_changed(self._folder / "Cargo.lock", lock)

    def build(self, name: str) -> LeastProgram:
        """Build a program; raises BuildError with the compiler's first error."""
        command = [need("cargo"), "build", "--quiet", "--release", "--offline", "--bin", name]
        if said := failure_of(command, self._folder, self._environment):
            raise BuildError(f"the least program did not build: {first_error(said, '^error')}")
        return LeastProgram(self._target / "release" / name, ())

    def crates(self) -> Mapping[str, str]:
        """The crates in the programs, with the licence of each; crates that only compile are left out."""
        edges = ["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}\t{l}"]
        command: Sequence[str] = [need("cargo"), "tree", "--offline", *edges]
        done = subprocess.run(
            command, cwd=self._folder, env=dict(self._environment), capture_output=True, text=True
        )
        if done.returncode:
            raise BuildError(f"Cargo does not tell the crates: {first_error(done.stderr, '^error')}")
        lines = [line.partition("\t") for line in done.stdout.splitlines()[1:] if "\t" in line]
        named = {package.partition(" (")[0]: licence.removesuffix(" (*)") for package, _, licence in lines}
        return {name: licence for name, licence in named.items() if not name.startswith("serbench v")}


def carried(program: LeastProgram, less: int, crates: Mapping[str, str]) -> Carried:
    """Return the parts that a least program carries, with ``less`` bytes in the one without a codec."""
    licences = sorted({*crates.values()} - {""})
    return Carried(LEAST_KIND, {"shipped": size_of(program) - less}, len(crates), licences)


def size_of(program: LeastProgram) -> int:
    """Return the bytes of a program's file without symbols."""
    return program.binary_size()["file"]
