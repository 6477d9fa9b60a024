"""What tests of real codecs share: small data for every workload, and the build of every codec with it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from serbench.build.cmake import CppBuild
from serbench.codec import Variant, load_codecs, load_variants
from serbench.measure.store import Run
from serbench.paths import PROJECT, Paths
from serbench.prepare import Permission, Prepared, prepare_builds
from serbench.workload import Workload, WorkloadSpec, load_workloads


def raw_events(run: Run) -> list[dict[str, Any]]:
    """The events of a journal as they stand in its file."""
    return [json.loads(line) for line in run.journal.read_text().splitlines()]


def raw_manifest(run: Run) -> dict[str, Any]:
    """A manifest as it stands in its file."""
    read: dict[str, Any] = json.loads((run.directory / "manifest.json").read_text())
    return read


TEST_WORKLOADS = Path(__file__).parent / "workloads"
SMALL = {"record": {}, "monsters": {"count": 5}, "graph": {"nodes": 20}, "nobid": {"count": 50}, "everything": {}}


def all_workloads() -> dict[str, Workload]:
    """The project's workloads and the one that has every type."""
    return load_workloads(Paths.default().workloads) | load_workloads(TEST_WORKLOADS)


def small_spec(name: str) -> WorkloadSpec:
    """A workload with parameters that make it small."""
    workload = all_workloads()[name]
    defaults = {p.name: p.default for p in workload.parameters}
    return WorkloadSpec(workload, defaults | SMALL[name])


@dataclass(frozen=True)
class Native:
    """Every codec variant, built with every workload where its library is there."""

    paths: Paths
    build: CppBuild
    cells: dict[tuple[str, str], Prepared]

    def cell(self, variant: Variant, workload: str) -> Prepared:
        """A cell that was built; a library that no package manager here has skips the test, with the reason."""
        cell = self.cells[variant.id, workload]
        if cell.status == "not_installed" and not variant.codec.install.get("apt"):
            pytest.skip(cell.reason)
        return cell


def build_everything() -> Native:
    """Builds what has changed since the last time; installs libraries where that is allowed."""
    paths = Paths(PROJECT, Paths.default().home / "test")
    codecs = [c for c in load_codecs(paths.codecs).values() if c.language == "cpp"]
    build = CppBuild(paths, "g++", codecs, list(all_workloads().values()))
    specs = [small_spec(name) for name in SMALL]
    variants = [v for v in load_variants(paths.codecs).values() if v.codec.language == "cpp"]
    cells = prepare_builds([build], paths, variants, specs, Permission(install=True), lambda _: None, lambda *_: None)
    return Native(paths, build, {(c.variant.id, c.spec.workload.name): c for c in cells})
