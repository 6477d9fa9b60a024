"""Selects and builds units, for the commands that work on built units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from serbench.building.prepare import BuildOrder, Permission, known_variants, prepare_builds, toolchains
from serbench.cli.console import Steps, announce, tell_loaded
from serbench.dataset.cache import dataset_for
from serbench.errors import DatasetError
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.selecting.selection import select_variants, select_workloads
from serbench.system.locks import wait_for_home
from serbench.workloads.workload import WorkloadSpec, load_workloads


@dataclass(frozen=True)
class Selected:
    """What was selected, and its units: each is built, or has the reason why not."""

    paths: Paths
    specs: list[WorkloadSpec]
    units: list[Unit]


def with_data(paths: Paths, specs: Sequence[WorkloadSpec], patterns: Sequence[str]) -> list[WorkloadSpec]:
    """Makes the data of workloads, before minutes are spent on building; returns the workloads whose data
    could be made. If that fails for one that only a pattern such as ``*`` selected, it is announced and left
    out.

    Raises:
        DatasetError: the data of a workload that was asked for by name, or of all, cannot be made; names
            message and field.
    """
    sound: list[WorkloadSpec] = []
    for spec in specs:
        try:
            dataset_for(spec, paths)
            sound.append(spec)
        except DatasetError as error:
            named = spec.workload.name in {pattern.partition(":")[0] for pattern in patterns}
            if named or len(specs) == 1 or not patterns:
                raise
            announce(f"{spec.id} is left out: {error}")
    if not sound:
        raise DatasetError("none of the selected workloads has data; see above")
    return sound


def chosen_builds(
    workload: Sequence[str] | None,
    codec: Sequence[str] | None,
    compilers: Sequence[str] | None,
    permission: Permission,
) -> BuildOrder:
    """What to build for a selection, which is given by the options of these names or chosen by default. The
    data are made.

    Raises:
        SerbenchError: the selection is empty.
    """
    paths = Paths.default()
    workloads, known = load_workloads(*paths.all_workloads), known_variants(paths)
    specs, variants = select_workloads(workload or (), workloads), select_variants(codec or (), known)
    tell_loaded(workloads, known)
    wait_for_home(paths.home, announce)
    specs = with_data(paths, specs, workload or ())
    return BuildOrder(
        toolchains(paths, variants, compilers or (), specs=specs),
        paths,
        variants,
        specs,
        permission,
        announce,
    )


def build_selected(
    workload: Sequence[str] | None,
    codec: Sequence[str] | None,
    compilers: Sequence[str] | None,
    permission: Permission,
) -> Selected:
    """Builds the units of a selection, which is given by the options of these names or chosen by default.

    Raises:
        SerbenchError: the selection is empty, or no toolchain works.
    """
    chosen = chosen_builds(workload, codec, compilers, permission)
    with Steps("building") as steps:
        units = prepare_builds(replace(chosen, step=steps.step))
    return Selected(chosen.paths, list(chosen.specs), units)
