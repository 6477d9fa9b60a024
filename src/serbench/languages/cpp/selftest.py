"""Builds the runner of known work that ``doctor --deep`` holds the harness to; no part of the build of
cells."""

from __future__ import annotations

import hashlib
from pathlib import Path

from serbench.dataset.file import write_dataset
from serbench.errors import BuildError
from serbench.languages.cpp.build import CppBuild
from serbench.languages.language import KnownWork
from serbench.languages.running import failure_of
from serbench.model import Field, Record, Schema, u32
from serbench.paths import Paths

_SCHEMA = Schema("selftest", Record("Nothing", [Field("nothing", u32)]))
"""Every runner reads a dataset; this one has no use for it."""

SOURCES = (
    *("selftest.cpp", "runner.cpp", "sampler.cpp", "clock.cpp", "usage.cpp", "dataset.cpp", "edits.cpp"),
    *("guarded.cpp", "isolated.cpp", "output.cpp", "place.cpp"),
)


def build_selftest(paths: Paths, compiler: str) -> KnownWork:
    """Compiles the runner of known work with the flags of cells; does nothing where nothing has changed.

    Raises:
        SetupError: there is no such compiler.
        BuildError: it ended with an error; holds what it said.
    """
    build = CppBuild(paths, compiler, (), ())
    version = build.describe()["compiler"]
    folder = paths.builds / "selftest" / build.directory.name
    folder.mkdir(parents=True, exist_ok=True)
    program, stamp = folder / "selftest", folder / "built"
    runner = paths.runners / "cpp"
    sources = [runner / "source" / name for name in SOURCES]
    options = [
        *build.flags.split(), "-pthread", f"-I{runner / 'include'}",
        f'-DSERBENCH_COMPILER="{version}"', f'-DSERBENCH_SELFTEST_SCHEMA="{_SCHEMA.digest()}"',
    ]  # fmt: skip
    state = _digest([*sources, *sorted((runner / "include").rglob("*.hpp"))], options)
    if not (program.exists() and stamp.exists() and stamp.read_text(errors="replace") == state):
        stamp.unlink(missing_ok=True)
        command = [compiler, *options, *map(str, sources), "-o", str(program)]
        if said := failure_of(command, environment=build.environment):
            raise BuildError(f"{compiler} could not compile the self-test:\n{said[-2000:]}")
        stamp.write_text(state)
    dataset = write_dataset(folder, "selftest", {}, _SCHEMA, [(0,)])
    return KnownWork((str(program),), str(dataset.path), version, build.flags)


def _digest(files: list[Path], options: list[str]) -> str:
    digest = hashlib.sha256("\n".join(options).encode())
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()
