"""The changes that a workload declares, which ``verify --evolution`` tries in one exchange."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from serbench.building.prepare import units_of
from serbench.languages.base import Progress
from serbench.measure.job import Job
from serbench.measure.unit import Unit
from serbench.selecting.selection import Chosen
from serbench.verification.apart import Pair, evolve_pair, pairs_of
from serbench.verification.evolution import Evolved
from serbench.workload import load_workloads


def declared_pairs(job: Job) -> list[Pair]:
    """The pairs of workloads for the changes that workloads of a job declare."""
    known = load_workloads(*job.paths.all_workloads)
    return [
        pair
        for spec in job.chosen.workloads
        if spec.workload.changes
        for pair in pairs_of(spec, job.chosen.variants, known)
    ]


def units_of_pairs(job: Job, pairs: Sequence[Pair]) -> list[Unit]:
    """The units that are built for pairs: each variant with the workloads of its own pair. Where it can do
    none of the changes, they say so."""
    chosen = [
        Chosen(pair.variants, list({each.id: each for each in (pair.old, pair.new)}.values()))
        for pair in pairs
    ]
    return [unit for each in chosen for unit in units_of(replace(job, chosen=each))]


def evolved_apart(
    job: Job, pairs: Sequence[Pair], units: Mapping[tuple[str, str], Unit], progress: Progress
) -> Iterator[Evolved]:
    """The outcomes of all changes of pairs, one codec variant after another.

    Args:
        units: the built units of pairs, by their names and the ids of their workloads.
    """
    places = [
        (pair, unit)
        for pair in pairs
        for (_, id), unit in units.items()
        if id == pair.old.id and unit.variant.id in {each.id for each in pair.variants}
    ]
    for n, (pair, old) in enumerate(places):
        progress(n, len(places), old.name)
        yield from evolve_pair(pair, old.variant, old, units[old.name, pair.new.id], job.paths)
