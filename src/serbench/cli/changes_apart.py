"""The changes that a workload declares, tried by ``verify --evolution`` with few programs of each codec."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeVar, get_args

from serbench.building.prepare import Listener, prepare_builds, units_of
from serbench.cli.console import Steps, announce
from serbench.cli.ends import as_far_as_it_goes
from serbench.cli.selected import to_build
from serbench.codecs.codec import Variant
from serbench.measure.job import Job
from serbench.selecting.selection import Chosen
from serbench.verification.across import couples_of
from serbench.verification.apart import Pair, Remembered, evolve_pair, pairs_of, singles, tells
from serbench.verification.conformance import Outcome
from serbench.verification.evolution import Direction, Evolved, Sides
from serbench.workload import Workload, WorkloadSpec, load_workloads

Seen = TypeVar("Seen", Evolved, Outcome)


@dataclass(frozen=True)
class Trial:
    """A codec that reads what another one, or itself, has written, with the units of a pair's workloads."""

    pair: Pair
    writer: Sides
    reader: Sides

    @property
    def key(self) -> tuple[int, str]:
        """Something that trials share of which one can use what another remembers."""
        is_couple = self.writer is not self.reader
        return id(self.pair), self.reader.old.variant.format if is_couple else self.reader.old.name


def outcomes_apart(job: Job, across: bool) -> tuple[list[Evolved], int]:
    """The outcomes of the changes that a job's workloads declare, and how many of them are lacking after an
    interruption.

    Args:
        across: whether codecs also read what others of their format have written.

    Raises:
        SerbenchError: a schema cannot have one of the changes, or no toolchain works.
    """
    known = load_workloads(*job.paths.all_workloads)
    specs, variants = job.chosen.workloads, job.chosen.variants
    pairs = [pair for spec in specs for pair in pairs_of(spec, variants, known)]
    if across:
        pairs += [pair for spec in specs for pair in couples_of(spec, variants, known)]
    return as_far_as_it_goes(lambda: _evolved(job, pairs, known), sum(map(_wanted, pairs)))


def _wanted(pair: Pair) -> int:
    """The most outcomes of a pair."""
    twice = {variant.id for variant in pair.variants if variant.codec.writer_schema}
    if pair.couples:
        return sum(2 * len(told) * (1 + (reader in twice)) for (_, reader), told in pair.couples.items())
    return len(get_args(Direction)) * len(pair.changes) * (len(pair.variants) + len(twice))


def _evolved(job: Job, pairs: Sequence[Pair], known: Mapping[str, Workload]) -> Iterator[Evolved]:
    while pairs:
        built, trials = _built(job, pairs)
        doubtful: dict[int, tuple[Pair, dict[str, Variant]]] = {}
        said: dict[tuple[str, str, str], bool] = {}
        key, remembered = None, Remembered()
        with Steps("exchanging") as steps:
            for n, trial in enumerate(trials):
                pair, reader = trial.pair, trial.reader
                steps.step(n, len(trials), reader.old.name)
                of = (pair.old.id, pair.new.id, reader.old.name)
                if of not in said:
                    said[of] = tells(pair, reader, job.paths)
                if not said[of]:
                    variant = reader.old.variant
                    doubtful.setdefault(id(pair), (pair, {}))[1][variant.id] = variant
                    continue
                if trial.key != key:
                    key, remembered = trial.key, Remembered()
                yield from versioned(built, evolve_pair(pair, trial.writer, reader, job.paths, remembered))
        pairs = [each for pair, own in doubtful.values() for each in singles(pair, [*own.values()], known)]


def _built(job: Job, pairs: Sequence[Pair]) -> tuple[Job, list[Trial]]:
    """The job with its toolchains, and what is tried with the units of each pair's variants."""
    specs = {spec.id: spec for pair in pairs for spec in (pair.old, pair.new)}
    job = to_build(replace(job, chosen=replace(job.chosen, workloads=list(specs.values()))))
    asked = {
        unit.identity: unit
        for pair in pairs
        for spec in {each.id: each for each in (pair.old, pair.new)}.values()
        for unit in units_of(replace(job, chosen=Chosen(pair.variants, [spec])))
    }
    with Steps("building") as steps:
        units = prepare_builds(job, Listener(announce, steps.step), asked=[*asked.values()])
    limited = [replace(unit, silence_limit_s=job.time_limit_s) for unit in units]
    by_key = {(unit.name, unit.spec.id): unit for unit in limited}
    trials: list[Trial] = []
    for pair in pairs:
        sides: dict[str, list[Sides]] = {variant.id: [] for variant in pair.variants}
        for unit in limited:
            if unit.spec.id == pair.old.id and unit.variant.id in sides:
                sides[unit.variant.id].append(Sides(unit, by_key[unit.name, pair.new.id]))
        if pair.couples:
            trials += [
                Trial(pair, writer, reader)
                for one, other in pair.couples
                for writer, reader in product(sides[one], sides[other])
                if all(unit.status == "ok" for unit in (*writer, *reader))
            ]
        else:
            trials += [Trial(pair, own, own) for each in sides.values() for own in each]
    return job, trials


def versioned(job: Job, outcomes: Sequence[Seen]) -> Iterator[Seen]:
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
