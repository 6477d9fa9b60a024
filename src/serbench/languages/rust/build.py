"""Resolves crates with Cargo, and builds the Rust cells as those of C++ are."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from serbench.codec import Codec
from serbench.errors import BuildError
from serbench.files import write_if_changed
from serbench.guard import marked_environment
from serbench.languages.base import Found
from serbench.languages.cpp.build import CppBuild
from serbench.languages.cpp.generate import write_cells
from serbench.languages.cpp.programs import need
from serbench.languages.rust import locking
from serbench.languages.rust.options import options_of
from serbench.languages.rust.sources import RustSources, manifest


@dataclass
class RustBuild(CppBuild):
    """The build of all Rust cells; what measures them is in C++, and links them."""

    folder: ClassVar[str] = "rust"
    standard: ClassVar[str] = "cargo's release profile (opt-level=3), no LTO, no target-cpu; linked with"

    resolved: dict[str, Found] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.edition.name("rustc") if self.edition else "rustc"

    @property
    def least_programs(self) -> None:
        return None

    @property
    def cross_checks(self) -> None:
        """None: they would check the sampler, which is that of C++."""
        return None

    @property
    def sanitizers(self) -> None:
        return None

    @property
    def fetches(self) -> None:
        """Cargo fetches crates whenever it looks for them."""
        return None

    def describe(self) -> Mapping[str, Any]:
        return {**super().describe(), "compiler": rustc_version()}

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
        found = {codec.name: self._resolve(codec, packages[codec.name]) for codec in self.codecs}
        return write_cells(generated, self.codecs, needed, RustSources(packages, found))

    def _resolve(self, codec: Codec, folder: Path) -> Found:
        """Has Cargo fetch the crates of a codec, unless that was done for the same."""
        given = codec.directory / locking.FILE
        state = hashlib.sha256(
            "\n".join(
                (
                    rustc_version(),
                    json.dumps(list(options_of(codec).dependencies.items())),
                    given.read_text() if given.exists() else "",
                )
            ).encode()
        ).hexdigest()
        stamp = folder / "resolved"
        if not (stamp.exists() and stamp.read_text() == state):
            stamp.unlink(missing_ok=True)
            lock = folder / "Cargo.lock"
            if given.exists():
                lock.write_text(locking.cargo_lock(given, registry(folder)))
            else:
                lock.unlink(missing_ok=True)
            locked = ["--locked"] if given.exists() else []
            # Without a list of exact crates, Cargo takes the newest ones.
            if said := _cargo("fetch", *locked, folder=folder):
                return Found(False, "", f"Cargo cannot resolve it: {said}")
            stamp.write_text(state)
        return Found(True, _version(codec, folder / "Cargo.lock"), "")


@cache
def rustc_version() -> str:
    """What the compiler says of itself."""
    done = subprocess.run([need("rustc"), "--version"], capture_output=True, text=True)
    return done.stdout.strip()


def registry(folder: Path) -> str:
    """What Cargo calls the registry that a package takes crates from."""
    command = [need("cargo"), "metadata", "--no-deps", "--offline", "--format-version=1"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        raise BuildError(f"Cargo cannot read {folder / 'Cargo.toml'}:\n{done.stderr.strip()}")
    (package,) = json.loads(done.stdout)["packages"]
    return next((each["source"] for each in package["dependencies"] if each["source"]), "")


def _cargo(*words: str, folder: Path) -> str:
    """Runs Cargo; returns why it failed, in a line without addresses, or nothing where it did not."""
    command = [need("cargo"), *words, "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=marked_environment())
    if not done.returncode:
        return ""
    errors = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    first = next((line for line in errors if line.startswith("error")), "it failed")
    return re.sub(r"`?\b\w+(\+\w+)?://\S+", "its registry", first)


def _version(codec: Codec, lock: Path) -> str:
    """The version of a codec's library; the compiler's where it has no other."""
    first = next(iter(options_of(codec).dependencies), None)
    if first is None:
        return rustc_version()
    wanted = options_of(codec).dependencies[first]
    name = wanted.get("package", first) if isinstance(wanted, Mapping) else first
    packages = tomllib.loads(lock.read_text())["package"]
    return next((str(each["version"]) for each in packages if each["name"] == name), "")
