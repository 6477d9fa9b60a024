"""Has Cargo fetch crates, and builds the Rust runners with CMake and Ninja as those of C++ are."""

from __future__ import annotations

import json
import shutil
import subprocess
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from serbench.codecs.codec import Codec, Variant
from serbench.errors import BuildError
from serbench.languages.base import Carried, Found, OtherSampler, Pair, Progress
from serbench.languages.cpp.build import CppBuild
from serbench.languages.cpp.generate import write_cells
from serbench.languages.cpp.programs import need
from serbench.languages.install import missing_program
from serbench.languages.running import failure_of, first_error
from serbench.languages.rust import locking, profile
from serbench.languages.rust.carried import LeastPrograms, carried, size_of
from serbench.languages.rust.domain import domain_source
from serbench.languages.rust.options import CargoOptions, options_of
from serbench.languages.rust.sources import (
    RustSources,
    canonical_source,
    least_source,
    manifest,
    source_without,
)
from serbench.languages.rust.versions import crate_of
from serbench.model.names import as_identifier
from serbench.system.files import write_if_changed
from serbench.system.stamp import Stamp, sha256_of

CRITERION = OtherSampler(
    title="Criterion",
    name="criterion",
    # As those of C++: passes of a microsecond, of ten, and of a codec that allocates.
    codecs=("rust/handwritten:checked", "rust/prost", "rust/serde_json"),
    workload="monsters",
)


@dataclass
class RustBuild(CppBuild):
    """The build of all Rust runners: static libraries by Cargo, linked to a program in C++."""

    folder: ClassVar[str] = "rust"
    least_programs = None
    sanitizers = None
    fetches = None  # Cargo fetches crates whenever it looks for them

    @property
    def name(self) -> str:
        return self.edition.name("rustc") if self.edition else "rustc"

    @property
    def flags(self) -> str:
        return f"{profile.described(self._settings)}; linked with{super().flags.removeprefix(self.standard)}"

    @property
    def environment(self) -> dict[str, str]:
        left_out = profile.left_out(self._given)
        return {name: value for name, value in super().environment.items() if name not in left_out}

    def describe(self) -> Mapping[str, Any]:
        return {**super().describe(), "compiler": rustc_version()}

    def notices(self) -> Sequence[str]:
        left_out = profile.left_out(self._given)
        said = f"left out of the build of Rust, see --profile: {', '.join(left_out)} of the environment"
        return [*super().notices(), *([said] if left_out else [])]

    def missing_packages(self) -> Sequence[str]:
        rust = [program for program in ("cargo", "rustc") if not shutil.which(program)]
        return [*super().missing_packages(), *rust]

    def _write_cells(self) -> list[Path]:
        generated = self.directory / "generated"
        packages = {codec.name: self.directory / "packages" / codec.name for codec in self.codecs}
        needed = self._needed(generated)
        for codec in self.codecs:
            folder = packages[codec.name]
            text = manifest(folder, self.paths.runners / "rust", generated, codec, needed)
            write_if_changed(folder / "empty.rs", "")
            write_if_changed(folder / "Cargo.toml", text)
        write_if_changed(self.directory / "rustc", rustc_version())
        if config := profile.cargo_config(self._settings):
            write_if_changed(self.directory / ".cargo" / "config.toml", config)
        found = {codec.name: self._resolve(codec, packages[codec.name]) for codec in self.codecs}
        return write_cells(
            generated, self.codecs, needed, RustSources(packages, found, self.paths.runners / "rust")
        )

    def carried(self, pairs: Iterable[Pair], progress: Progress) -> Mapping[tuple[str, str], Carried | str]:
        wanted = list(pairs)
        found: dict[tuple[str, str], Carried | str] = {}
        less: dict[str, int] = {}
        for codec in {variant.codec.name: variant.codec for variant, _ in wanted}.values():
            own = [(variant, workload) for variant, workload in wanted if variant.codec.name == codec.name]
            sources = {_least_name(*pair): self._least_source(*pair) for pair in own}
            package = self._least_package(codec.name)
            lock = (self.directory / "packages" / codec.name / "Cargo.lock").read_text()
            package.write(self._crate, options_of(codec).dependencies, lock, sources)
            crates = package.crates()
            for variant, workload in own:
                progress(len(found), len(wanted), f"least program of {variant.id} × {workload}")
                less[workload] = less.get(workload) or self._size_without(workload)
                try:
                    program = package.build(_least_name(variant, workload))
                    found[variant.id, workload] = carried(program, less[workload], crates)
                except BuildError as error:
                    found[variant.id, workload] = str(error)
        return found

    @property
    def _crate(self) -> Path:
        return self.paths.runners / "rust"

    def _least_package(self, name: str) -> LeastPrograms:
        return LeastPrograms(self.directory / "least" / name, self.directory / "target", self.environment)

    def _least_source(self, variant: Variant, workload: str) -> Path:
        """Write the least program of a pair beside its cell; return the file."""
        path = self.directory / "generated" / workload / variant.codec.name / variant.name / "least.rs"
        write_if_changed(path, least_source(variant, self.schema(workload).plain(), self._crate))
        return path

    def _size_without(self, workload: str) -> int:
        """The bytes of the least program of a workload without a codec."""
        name, schema = f"without__{as_identifier(workload)}", self.schema(workload).plain()
        package, folder = self._least_package(name), self.directory / "least" / name
        write_if_changed(folder / "domain.rs", domain_source(schema, CargoOptions()))
        write_if_changed(folder / "canonical.rs", canonical_source(schema))
        write_if_changed(folder / "least.rs", source_without(schema))
        package.write(self._crate, {}, "", {name: folder / "least.rs"})
        return size_of(package.build(name))

    def other_found(self) -> Found:
        """Has Cargo fetch Criterion, the other sampler, unless that was done."""
        given, folder = self.paths.runners / "rust" / "crosscheck", self.directory / "crosscheck"
        manifest = (given / "Cargo.toml").read_text()
        write_if_changed(folder / "Cargo.toml", manifest)
        write_if_changed(folder / "lib.rs", (given / "lib.rs").read_text())
        if said := _fetched(folder, given / locking.FILE, manifest):
            return Found(False, "", f"Cargo cannot resolve it: {said}")
        return Found(True, _locked(CRITERION.name, folder / "Cargo.lock"), "")

    def _resolve(self, codec: Codec, folder: Path) -> Found:
        """Has Cargo fetch the crates of a codec, unless the same ones were fetched before."""
        if absent := missing_program(options_of(codec).programs):
            return Found(False, "", absent)
        wanted = json.dumps(list(options_of(codec).dependencies.items()))
        exactly = not (self.edition and self.edition.version)
        if said := _fetched(folder, codec.directory / locking.FILE, wanted, exactly):
            return Found(False, "", f"Cargo cannot resolve it: {said}")
        return Found(True, _library_version(codec, folder / "Cargo.lock"), "")


def _least_name(variant: Variant, workload: str) -> str:
    return "__".join(map(as_identifier, ("least", variant.codec.name, variant.name, workload)))


def _fetched(folder: Path, given: Path, wanted: str, exactly: bool = True) -> str:
    """Has Cargo fetch the crates of a package, once; returns why that failed, or an empty text.

    Args:
        given: the path of the list of its exact crates, if there is one.
        wanted: a text that changes with what the package depends on.
        exactly: whether the list holds; else Cargo changes what the package wants otherwise, and its lock is
            the package's own.
    """
    crates = given.read_text() if given.exists() else ""

    def fetch() -> str:
        if not crates:  # Cargo takes the newest ones
            (folder / "Cargo.lock").unlink(missing_ok=True)
            return _cargo("fetch", folder=folder)
        (folder / "Cargo.lock").write_text(locking.cargo_lock(given, registry(folder)))
        return _cargo("fetch", *(["--locked"] if exactly else []), folder=folder)

    return Stamp(folder / "resolved", sha256_of(rustc_version(), wanted, crates)).once(fetch)


@cache
def rustc_version() -> str:
    """The text that the compiler prints on its version."""
    done = subprocess.run([need("rustc"), "--version"], capture_output=True, text=True)
    return done.stdout.strip()


def registry(folder: Path) -> str:
    """Cargo's name for the registry that a package takes crates from."""
    command = [need("cargo"), "metadata", "--no-deps", "--offline", "--format-version=1"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        raise BuildError(f"Cargo cannot read {folder / 'Cargo.toml'}:\n{done.stderr.strip()}")
    (package,) = json.loads(done.stdout)["packages"]
    return next((each["source"] for each in package["dependencies"] if each["source"]), "")


def _cargo(*words: str, folder: Path) -> str:
    """Runs Cargo; returns the first error in a line, or an empty text where there is none."""
    said = failure_of([need("cargo"), *words, "--quiet"], folder)
    return said and first_error(said, "^error")


def _library_version(codec: Codec, lock: Path) -> str:
    """The version of a codec's library; that of the compiler where the codec has no library."""
    crate = crate_of(options_of(codec))
    return _locked(crate, lock) if crate else rustc_version()


def _locked(name: str, lock: Path) -> str:
    """The version of a crate in a ``Cargo.lock``."""
    packages = tomllib.loads(lock.read_text())["package"]
    return next((str(each["version"]) for each in packages if each["name"] == name), "")
