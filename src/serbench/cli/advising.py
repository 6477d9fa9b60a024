"""Changes that lose nothing of a workload's messages, built, verified and weighed with codecs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from serbench.building.prepare import Listener, prepare_builds
from serbench.changes.advice import Suggestion, suggestions
from serbench.changes.derived import parse_spec
from serbench.cli.console import Steps, announce
from serbench.cli.selected import to_build
from serbench.dataset.cache import dataset_for
from serbench.dataset.canonical import decode
from serbench.errors import SerbenchError, reason_of
from serbench.measure.job import Job
from serbench.measure.unit import Unit
from serbench.report.advice_table import Gain
from serbench.verification.sizes import size_of
from serbench.verification.units import verified
from serbench.workload import WorkloadSpec, load_workloads


def suggested(job: Job, spec: WorkloadSpec) -> list[Suggestion]:
    """The changes that lose nothing of a workload's messages."""
    schema = spec.workload.schema
    data = dataset_for(spec, job.paths)
    return suggestions(schema, (decode(schema.root, each) for each in data.read_messages()))


def with_changes(job: Job, spec: WorkloadSpec, made: Sequence[Suggestion]) -> WorkloadSpec:
    """The workload with these changes."""
    known = load_workloads(*job.paths.all_workloads)
    return parse_spec("/".join([spec.id, *(each.change for each in made)]), known)


def built_and_verified(job: Job, specs: Sequence[WorkloadSpec]) -> list[Unit]:
    """The units of a job's codecs with these workloads."""
    job = to_build(replace(job, chosen=replace(job.chosen, workloads=list(specs))))
    with Steps("building") as steps:
        units = prepare_builds(job, Listener(announce, steps.step))
    with Steps("verifying") as steps:
        return verified(job.paths, units, steps.step, job.time_limit_s)


def gains_of(units: Sequence[Unit], spec: WorkloadSpec, found: Sequence[Suggestion]) -> Iterator[Gain]:
    """What each suggestion saves with each codec that can write the workload as it is."""
    by_change = {(unit.name, unit.spec.id): unit for unit in units}
    for base in (unit for unit in units if unit.spec.id == spec.id):
        if base.status != "ok":
            yield Gain(Suggestion("", "", ""), base.name, reason=base.reason)
            continue
        before = size_of(base)
        for each in found:
            unit = by_change.get((base.name, f"{spec.id}/{each.change}"))
            if unit is None or unit.status != "ok":
                yield Gain(each, base.name, before, reason=unit.reason if unit else "it was not built")
                continue
            try:
                yield Gain(each, base.name, before, size_of(unit), base.data.messages)
            except SerbenchError as error:
                yield Gain(each, base.name, before, reason=reason_of(error, unit.data.is_private))
