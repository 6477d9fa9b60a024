"""The changes that a workload declares, tried by ``verify --evolution`` with few programs of each codec."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from serbench.building.prepare import Listener, prepare_builds, units_of
from serbench.cli.console import Steps, announce
from serbench.cli.ends import as_far_as_it_goes
from serbench.cli.selected import to_build
from serbench.codecs.codec import Variant
from serbench.measure.job import Job
from serbench.measure.unit import Unit
from serbench.selecting.selection import Chosen
from serbench.verification.apart import Pair, evolve_pair, pairs_of, singles, tells
from serbench.verification.evolution import Evolved
from serbench.workload import WorkloadSpec, load_workloads


def outcomes_apart(job: Job) -> tuple[list[Evolved], int]:
    """The outcomes of the changes that a job's workloads declare, and how many of them are lacking after an
    interruption.

    Raises:
        SerbenchError: a schema cannot have one of the changes, or no toolchain works.
    """
    changes = sum(len(spec.workload.changes) for spec in job.chosen.workloads)
    ways = sum(6 if variant.codec.writer_schema else 3 for variant in job.chosen.variants)
    return as_far_as_it_goes(lambda: _evolved(job), changes * ways)


def _evolved(job: Job) -> Iterator[Evolved]:
    known = load_workloads(*job.paths.all_workloads)
    specs, variants = job.chosen.workloads, job.chosen.variants
    pairs = [pair for spec in specs for pair in pairs_of(spec, variants, known)]
    while pairs:
        built, units = _built(job, pairs)
        doubtful: dict[int, tuple[Pair, list[Variant]]] = {}
        with Steps("exchanging") as steps:
            for n, (pair, old, new) in enumerate(units):
                steps.step(n, len(units), old.name)
                if tells(pair, old, new, job.paths):
                    yield from versioned(built, evolve_pair(pair, old, new, job.paths))
                else:
                    doubtful.setdefault(id(pair), (pair, []))[1].append(old.variant)
        pairs = [each for pair, own in doubtful.values() for each in singles(pair, own, known)]


def _built(job: Job, pairs: Sequence[Pair]) -> tuple[Job, list[tuple[Pair, Unit, Unit]]]:
    """The job with its toolchains, and the units of each pair's variants with its two workloads."""
    specs = {spec.id: spec for pair in pairs for spec in (pair.old, pair.new)}
    job = to_build(replace(job, chosen=replace(job.chosen, workloads=list(specs.values()))))
    asked = [
        unit
        for pair in pairs
        for spec in {each.id: each for each in (pair.old, pair.new)}.values()
        for unit in units_of(replace(job, chosen=Chosen(pair.variants, [spec])))
    ]
    with Steps("building") as steps:
        units = prepare_builds(job, Listener(announce, steps.step), asked=asked)
    limited = [replace(unit, silence_limit_s=job.time_limit_s) for unit in units]
    by_key = {(unit.name, unit.spec.id): unit for unit in limited}
    places = {(variant.id, pair.old.id): pair for pair in pairs for variant in pair.variants}
    return job, [
        (pair, unit, by_key[unit.name, pair.new.id])
        for unit in limited
        if (pair := places.get((unit.variant.id, unit.spec.id)))
    ]


def versioned(job: Job, outcomes: Sequence[Evolved]) -> Iterator[Evolved]:
    """The outcomes with the versions of libraries, as far as the job's toolchains have found them."""
    versions = {
        f"{build.language}/{name}": found.version
        for build in job.builds
        for name, found in build.found.items()
    }
    for each in outcomes:
        yield replace(each, version=versions.get(re.split("[: ]", each.codec)[0], ""))


def declaring(job: Job) -> tuple[list[WorkloadSpec], list[WorkloadSpec]]:
    """The workloads of a job that declare changes, and the others."""
    specs = job.chosen.workloads
    return [s for s in specs if s.workload.changes], [s for s in specs if not s.workload.changes]
