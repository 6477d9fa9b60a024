"""Selects and builds units, for the commands that work on built units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from serbench.building.prepare import Listener, known_variants, prepare_builds, toolchains
from serbench.changes.derived import name_in
from serbench.cli.console import Steps, announce, tell_loaded
from serbench.codecs.edition import editions
from serbench.dataset.cache import dataset_for
from serbench.errors import DatasetError, SelectionError
from serbench.languages import profiles_of
from serbench.languages.versions import resolved, withdrawn_versions
from serbench.measure.job import Job, Permission
from serbench.measure.process import SILENCE_LIMIT_S
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.selecting.selection import Asked, Chosen, select_variants, select_workloads
from serbench.system.command import COMMAND
from serbench.system.locks import wait_for_home
from serbench.workload import WorkloadSpec, load_workloads


def with_data(job: Job) -> Job:
    """Makes the data of workloads, before minutes are spent on building; returns the job without the
    workloads whose data cannot be made, if only a pattern such as ``*`` selected them.

    Raises:
        DatasetError: the data of a workload that was asked for by name, or of all, cannot be made; names
            message and field.
    """
    specs, patterns = job.chosen.workloads, job.asked.workloads
    sound: list[WorkloadSpec] = []
    for spec in specs:
        try:
            dataset_for(spec, job.paths)
            sound.append(spec)
        except DatasetError as error:
            named = spec.declared.workload.name in map(name_in, patterns)
            if named or len(specs) == 1 or not patterns:
                raise
            announce(f"{spec.id} is left out: {error}")
    if not sound:
        raise DatasetError("none of the selected workloads has data; see above")
    return replace(job, chosen=replace(job.chosen, workloads=sound))


def chosen_job(
    workload: Sequence[str] | None,
    codec: Sequence[str] | None,
    compilers: Sequence[str] | None,
    permission: Permission,
    time_limit_s: float = SILENCE_LIMIT_S,
) -> Job:
    """The job of a selection, which is given by the options of these names or chosen by default. Its
    toolchains are still to be chosen, and its data to be made.

    Raises:
        SerbenchError: the selection is empty.
    """
    paths, asked = Paths.default(), Asked(workload or (), codec or ())
    workloads, known = load_workloads(*paths.all_workloads), known_variants(paths)
    specs, variants = select_workloads(asked.workloads, workloads), select_variants(asked.codecs, known)
    tell_loaded(workloads, known)
    job = Job(paths, Chosen(variants, specs), permission=permission, time_limit_s=time_limit_s, asked=asked)
    return replace(job, compilers=tuple(compilers or ()))


def job_of_one(
    workload: Sequence[str] | None,
    codec: Sequence[str] | None,
    compilers: Sequence[str] | None,
    permission: Permission,
    time_limit_s: float = SILENCE_LIMIT_S,
) -> Job:
    """The job of one workload and of codecs that are named.

    Raises:
        SelectionError: no codec is named, not one workload is selected, or one whose messages are handed to
            another program.
    """
    if not codec:
        raise SelectionError(f"found no codec; expected -c, such as -c popular; see: {COMMAND} list codecs")
    job = chosen_job(workload, codec, compilers, permission, time_limit_s)
    specs = job.chosen.workloads
    if handed := [spec.id for spec in specs if spec.whole]:
        raise SelectionError(f"{handed[0]}: expected a workload whose messages are read as a whole")
    if len(specs) != 1:
        names = ", ".join(spec.id for spec in specs)
        raise SelectionError(f"found {len(specs)} workloads ({names}); expected one, with -w")
    return job


def with_toolchains(job: Job) -> Job:
    """The job with the toolchains of its languages, editions and compilers, each version by its number.

    Raises:
        SelectionError: there is no such edition.
        SetupError: a package manager does not tell which versions there are.
    """
    asked, built = job.editions, job.chosen.built
    if asked.kind == "version":
        codecs = {variant.codec.id: variant.codec for variant in built}
        asked = replace(asked, named=tuple(resolved(job.paths.home, each, codecs) for each in asked.named))
        for name, _, version in (each.partition("=") for each in asked.named):
            if version in withdrawn_versions(job.paths.home, codecs[name]):
                announce(f"{name}={version}: this version was withdrawn; it is measured since it is named")
    selected = {variant.codec.language for variant in built}
    made_from = editions(job.paths, asked, partial(profiles_of, selected=selected))
    builds = toolchains(job.paths, built, job.compilers, made_from, job.chosen.workloads)
    return replace(job, editions=asked, builds=builds)


def to_build(job: Job) -> Job:
    """The job with its data, which are made, and its toolchains; waits until nobody else builds."""
    wait_for_home(job.paths.home, announce)
    return with_toolchains(with_data(job))


def build_units(job: Job) -> tuple[Job, list[Unit]]:
    """The job with its data and toolchains, and its units: each is built, or has the reason why not.

    Raises:
        SerbenchError: no toolchain works.
    """
    job = to_build(job)
    with Steps("building") as steps:
        return job, prepare_builds(job, Listener(announce, steps.step))
