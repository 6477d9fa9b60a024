"""Resolves the crates of Rust codecs anew and writes their exact list: ``python -m tests.locked_crates
rust/NAME ...``, with a network."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from serbench.catalogue import load_codecs
from serbench.languages.rust.locking import FILE, crates_of
from serbench.languages.rust.sources import manifest
from serbench.paths import Paths


def write_crates(name: str) -> None:
    """Writes ``crates.lock`` beside a codec's ``codec.toml``."""
    paths = Paths.default()
    codec = load_codecs(paths.codecs)[name]
    with tempfile.TemporaryDirectory(prefix="serbench-") as made:
        folder = Path(made)
        (folder / "empty.rs").write_text("")
        (folder / "Cargo.toml").write_text(manifest(folder, paths.runners / "rust", folder, codec, []))
        subprocess.run(["cargo", "generate-lockfile", "--quiet"], cwd=folder, check=True)
        (codec.directory / FILE).write_text(crates_of((folder / "Cargo.lock").read_text()))


if __name__ == "__main__":
    for each in sys.argv[1:]:
        write_crates(each)
