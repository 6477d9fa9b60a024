"""What a run says of itself: the selection, the plan, the tools and the machine; and whether two runs may be one."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from serbench import __version__
from serbench.build.toolchain import Toolchain
from serbench.dataset.cache import dataset_for
from serbench.errors import SetupError
from serbench.measure.machine import describe_machine, git_revision
from serbench.measure.run import Plan
from serbench.paths import Paths
from serbench.selection import Chosen

PLANNED = (
    "rounds", "seed", "target", "most_rounds", "budget_s", "max_time_s", "sample_ns", "samples", "iterations", "warmup_ns", "core"
)  # fmt: skip
"""The attributes of a plan that a manifest has."""

_SAME_MACHINE = ("processor", "cores", "memory_bytes", "system", "architecture", "governor", "virtual")


def manifest_of(paths: Paths, builds: Sequence[Toolchain], chosen: Chosen, plan: Plan) -> dict[str, Any]:
    """The manifest of a run that is about to begin."""
    datasets = {}
    for spec in chosen.workloads:
        data = dataset_for(spec, paths)
        datasets[spec.id] = {
            "sha256": data.sha256,
            "messages": data.messages,
            "canonical_bytes": data.canonical_bytes,
            "parameters": spec.parameters,
        }
    return {
        "serbench": __version__,
        "revision": git_revision(),
        "arguments": sys.argv[1:],
        "codecs": [v.id for v in chosen.variants],
        "floors": [v.id for v in chosen.variants if v.codec.floor],
        "lossy": {v.id: v.tolerance.describe() for v in chosen.variants if v.tolerance.describe()},
        "features": {v.id: dict(v.codec.features) for v in chosen.variants},
        "workloads": [spec.id for spec in chosen.workloads],
        "operations": [str(o) for o in chosen.operations] if "time" in chosen.metrics else [],
        "metrics": list(chosen.metrics),
        "datasets": datasets,
        **{name: getattr(plan, name) for name in PLANNED},
        "toolchains": [_toolchain(build, chosen) for build in builds],
        "dynamic": [v.id for v in chosen.variants if v.codec.is_dynamic],
        "machine": describe_machine(),
    }


def _toolchain(build: Toolchain, chosen: Chosen) -> dict[str, Any]:
    """A toolchain for the manifest, with ``missing`` in place of a compiler where there is none."""
    own = {"name": build.name, "language": build.language, "libraries": _versions(build, chosen)}
    try:
        return own | dict(build.describe())
    except SetupError as error:
        return own | {"missing": str(error)}


def _versions(build: Toolchain, chosen: Chosen) -> dict[str, str]:
    """Of the libraries that were found, by codec."""
    found = {v.codec.id: build.found.get(v.codec.name) for v in chosen.variants if v.codec.language == build.language}
    return {codec: library.version for codec, library in found.items() if library and library.installed}


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What keeps the samples of two manifests apart: machine, compilers, flags, libraries and data, each with both values."""
    return [f"{what}: {old}, now {new}" for what, old, new in _compared(before, after) if old != new]


def _compared(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for key in _SAME_MACHINE:
        yield f"machine, {key}", before["machine"].get(key), after["machine"].get(key)
    yield "core", before["core"], after["core"]
    tools = {each["name"]: each for each in after["toolchains"]}
    for old in before["toolchains"]:
        new = tools.get(old["name"], {})
        for key in sorted((old.keys() | new.keys()) - {"libraries", "name"}):
            yield f"toolchain {old['name']}, {key}", old.get(key), new.get(key)
        libraries = new.get("libraries", {})
        for codec in sorted(old["libraries"].keys() | libraries.keys()):
            yield f"library of {codec}", old["libraries"].get(codec), libraries.get(codec)
    for workload, data in before["datasets"].items():
        yield f"data of {workload}, sha256", data["sha256"], after["datasets"].get(workload, {}).get("sha256")
