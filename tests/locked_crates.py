"""Resolves the crates of Rust codecs anew and writes the lock file of each: ``python -m tests.locked_crates
rust/NAME ...``, with a network; for ``criterion``, the lock file of the crates that cross-checks need."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

from serbench.languages.rust.build import CRITERION
from serbench.languages.rust.locking import FILE
from serbench.languages.rust.sources import manifest
from serbench.paths import Paths
from serbench.selecting.catalogue import load_codecs

_HEAD = "# Name, version, SHA-256, and what it depends on; written by tests/locked_crates.py."


def crates_of(lock: str) -> str:
    """The text of ``crates.lock`` for the text of a ``Cargo.lock``: a line for each crate, with its version,
    its checksum and the crates that it needs."""
    lines = [_HEAD]
    for each in tomllib.loads(lock)["package"]:
        needs = [need.replace(" ", "@") for need in each.get("dependencies", [])]
        lines.append(" ".join([each["name"], each["version"], each.get("checksum", "-"), *needs]))
    return "\n".join(lines) + "\n"


def write_crates(name: str) -> None:
    """Writes ``crates.lock`` beside a codec's ``codec.toml``, or beside the package of cross-checks."""
    paths = Paths.default()
    runner = paths.runners / "rust"
    if name == CRITERION.name:
        _write(runner / "crosscheck", lambda _: (runner / "crosscheck" / "Cargo.toml").read_text())
    else:
        codec = load_codecs(paths.codecs)[name]
        _write(codec.directory, lambda folder: manifest(folder, runner, folder, codec, []))


def _write(target: Path, text: Callable[[Path], str]) -> None:
    """Writes the lock file of a package to the folder ``target``. ``text`` returns the text of the package's
    ``Cargo.toml``, given the folder in which cargo reads it."""
    with tempfile.TemporaryDirectory(prefix="serbench-") as made:
        folder = Path(made)
        for source in ("empty.rs", "lib.rs"):
            (folder / source).write_text("")
        (folder / "Cargo.toml").write_text(text(folder))
        subprocess.run(["cargo", "generate-lockfile", "--quiet"], cwd=folder, check=True)
        (target / FILE).write_text(crates_of((folder / "Cargo.lock").read_text()))


if __name__ == "__main__":
    for each in sys.argv[1:]:
        write_crates(each)
