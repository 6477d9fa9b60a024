"""The published versions of crates, as Cargo tells them."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from serbench.codecs.codec import Codec
from serbench.codecs.edition import is_path
from serbench.errors import SetupError
from serbench.languages.cpp.programs import need
from serbench.languages.language import Versions
from serbench.languages.running import failure_of
from serbench.languages.rust import locking
from serbench.languages.rust.options import CargoOptions, options_of
from serbench.system.files import write_if_changed

_ASKING = """[package]
name = "asking"
version = "0.0.0"
[lib]
path = "empty.rs"
[dependencies]
{crate} = "*"
"""


class CargoVersions(Versions):
    """The published versions of crates."""

    def usual(self, codec: Codec) -> str:
        lock, crate = codec.directory / locking.FILE, crate_of(options_of(codec))
        lines = lock.read_text().splitlines() if lock.exists() else []
        return next((words[1] for line in lines if (words := line.split())[:1] == [crate]), "")

    def published(self, codec: Codec) -> Sequence[str]:
        """Have Cargo resolve the crate, and read in the index that it keeps which versions there are."""
        crate = crate_of(options_of(codec))
        with tempfile.TemporaryDirectory(prefix="serbench-") as temporary:
            folder = Path(temporary)
            write_if_changed(folder / "Cargo.toml", _ASKING.format(crate=crate))
            write_if_changed(folder / "empty.rs", "")
            said = failure_of([need("cargo"), "generate-lockfile", "--quiet"], folder)
        found = [] if said else _indexed(crate)
        if not found:
            raise SetupError(f"Cargo does not tell which versions of {crate} there are; is there a network?")
        return [each["vers"] for each in found]

    def released(self, codec: Codec) -> Mapping[str, str]:
        told = _indexed(crate_of(options_of(codec)))
        return {each["vers"]: each["pubtime"][:10] for each in told if each.get("pubtime")}

    def withdrawn(self, codec: Codec, asked: str = "") -> Collection[str]:
        return [each["vers"] for each in _indexed(crate_of(options_of(codec))) if each.get("yanked")]

    def problem(self, codec: Codec, version: str) -> str:
        if not options_of(codec).dependencies:
            return "this codec has no library"
        if not is_path(version) or (Path(version) / "Cargo.toml").exists():
            return ""
        return f"found {version}, expected the folder of a crate, with its Cargo.toml"

    def pinned(self, codec: Codec, version: str) -> Codec:
        options = options_of(codec)
        first = next(iter(options.dependencies))
        moving = [first] if is_path(version) else [first, *options.moves]
        moved = {name: _in_version(options.dependencies[name], version) for name in moving}
        dependencies = {**options.dependencies, **moved}
        return replace(codec, options=msgspec.structs.replace(options, dependencies=dependencies))


def crate_of(options: CargoOptions) -> str:
    """Return the name of the crate that is a codec's library; empty where it has none."""
    first = next(iter(options.dependencies), "")
    wanted = options.dependencies.get(first)
    return str(wanted.get("package", first)) if isinstance(wanted, Mapping) else first


def _in_version(dependency: str | Mapping[str, Any], version: str) -> Mapping[str, Any]:
    others = {**dependency} if isinstance(dependency, Mapping) else {}
    others.pop("version", None)
    return {**others, **({"path": version} if is_path(version) else {"version": f"={version}"})}


def _indexed(crate: str) -> list[dict[str, Any]]:
    """Return what the index that Cargo keeps tells of each version of a crate: a file has a JSON object for
    each."""
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    files = [*home.glob(f"registry/index/*/.cache/**/{crate.lower()}")]
    parts = [part for file in files for part in file.read_bytes().split(b"\0") if part.startswith(b"{")]
    entries = {entry["vers"]: entry for entry in map(json.loads, parts)}
    return list(entries.values())
