"""What commands that work on built units begin with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from serbench.cli.console import Steps, announce, tell_loaded
from serbench.dataset.cache import dataset_for
from serbench.errors import DatasetError
from serbench.locks import wait_for_home
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.prepare import BuildOrder, Permission, known_variants, prepare_builds, toolchains
from serbench.selection import select_variants, select_workloads
from serbench.workload import WorkloadSpec, load_workloads


@dataclass(frozen=True)
class Selected:
    """What was selected, and its units as far as they got: built, or with the reason why not."""

    paths: Paths
    specs: list[WorkloadSpec]
    units: list[Unit]


def with_data(paths: Paths, specs: Sequence[WorkloadSpec], patterns: Sequence[str]) -> list[WorkloadSpec]:
    """The workloads whose data can be made, which is done now, before minutes are spent on building. One that
    only a pattern such as ``*`` asked for is left out with a word where that fails.

    Raises:
        DatasetError: the data of one that was asked for by name cannot be made, or of all; names message and
            field.
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
    """A selection by the options of this name, whose data are made; what is not given is taken by default.

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
    """Builds the units of a selection by the options of this name.

    Raises:
        SerbenchError: the selection is empty, or no toolchain works.
    """
    chosen = chosen_builds(workload, codec, compilers, permission)
    with Steps("building") as steps:
        units = prepare_builds(replace(chosen, step=steps.step))
    return Selected(chosen.paths, list(chosen.specs), units)
