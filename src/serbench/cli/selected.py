"""What commands that work on built cells begin with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from serbench.cli.console import Steps, announce
from serbench.paths import Paths
from serbench.prepare import Permission, Prepared, known_variants, prepare_builds, toolchains
from serbench.selection import select_variants, select_workloads
from serbench.workload import WorkloadSpec, load_workloads


@dataclass(frozen=True)
class Selected:
    """What was selected, and its cells as far as they got: built, or with the reason why not."""

    paths: Paths
    specs: list[WorkloadSpec]
    cells: list[Prepared]


def build_selected(
    workload: Sequence[str] | None, codec: Sequence[str] | None, cxx: Sequence[str] | None, permission: Permission
) -> Selected:
    """Builds the cells of a selection by the options of this name; what is not given is taken by default.

    Raises:
        SerbenchError: the selection is empty, or no toolchain works.
    """
    paths = Paths.default()
    specs = select_workloads(workload or (), load_workloads(paths.workloads))
    variants = select_variants(codec or (), known_variants(paths))
    builds = toolchains(paths, variants, cxx or ())
    with Steps("building") as steps:
        cells = prepare_builds(builds, paths, variants, specs, permission, announce, steps.step)
    return Selected(paths, specs, cells)
