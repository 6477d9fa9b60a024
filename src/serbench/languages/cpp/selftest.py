"""Builds the runner whose passes take a known time, by which ``doctor --deep`` checks what the harness
measures; no part of the build of cells."""

from __future__ import annotations

from serbench.dataset.file import write_dataset
from serbench.errors import BuildError
from serbench.languages.cpp.build import CppBuild
from serbench.languages.language import KnownWork
from serbench.languages.running import failure_of
from serbench.model import Field, Record, Schema, u32
from serbench.paths import Paths
from serbench.system.stamp import Stamp, contents, sha256_of

_SCHEMA = Schema("selftest", Record("Nothing", [Field("nothing", u32)]))
"""The schema of a dataset that no pass uses: a runner does not start without a dataset."""

SOURCES = (
    *("selftest.cpp", "runner.cpp", "sampler.cpp", "clock.cpp", "usage.cpp", "dataset.cpp", "edits.cpp"),
    *("compiler.cpp", "guarded.cpp", "isolated.cpp", "output.cpp", "place.cpp", "single_calls.cpp"),
    "threads.cpp",
)


def build_selftest(paths: Paths, compiler: str) -> KnownWork:
    """Compiles the runner whose passes take a known time, with the flags of cells, once.

    Raises:
        SetupError: there is no such compiler.
        BuildError: it ended with an error; holds what it said.
    """
    build = CppBuild(paths, compiler, (), ())
    version = build.describe()["compiler"]
    folder = paths.builds / "selftest" / build.directory.name
    folder.mkdir(parents=True, exist_ok=True)
    program, runner = folder / "selftest", paths.runners / "cpp"
    sources = [runner / "source" / name for name in SOURCES]
    options = [
        *build.flags.split(), "-pthread", f"-I{runner / 'include'}",
        f'-DSERBENCH_COMPILER="{version}"', f'-DSERBENCH_SELFTEST_SCHEMA="{_SCHEMA.digest()}"',
    ]  # fmt: skip
    command = [compiler, *options, *map(str, sources), "-o", str(program)]
    files = contents(runner, [*sources, *(runner / "include").rglob("*.hpp")])
    stamp = Stamp(folder / "built", sha256_of(*options, *files), program)
    if said := stamp.once(lambda: failure_of(command, environment=build.environment)):
        raise BuildError(f"{compiler} could not compile the self-test:\n{said[-2000:]}")
    dataset = write_dataset(folder, "selftest", {}, _SCHEMA, [(0,)])
    return KnownWork((str(program),), str(dataset.path), version, build.flags)
