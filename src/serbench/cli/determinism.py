"""``serbench verify --determinism``: show whether equal values get equal bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from serbench.cli import options
from serbench.cli.console import Steps
from serbench.cli.ends import as_far_as_it_goes, end_shown
from serbench.languages.base import Progress
from serbench.measure.job import Job
from serbench.measure.unit import Unit
from serbench.report.determinism_table import Versions, determinism_tables, record_of
from serbench.report.show import show
from serbench.verification.determinism import Determinism, determinism_of


def verify_determinism(job: Job, units: Sequence[Unit], format: options.TableFormat) -> None:
    """Has all units encode equal values again, one after the other, and shows whether the bytes are equal.
    Exits with status 1 if something could not be tried; bytes that differ are a fact and no failure."""
    with Steps("encoding again") as steps:
        outcomes, lacking = as_far_as_it_goes(lambda: _outcomes(job, units, steps.step), len(units))
    versions = _versions(job, units)
    records = [record_of(each, versions) for each in outcomes]
    show(determinism_tables(outcomes, versions), records, format.value)
    words = {each.outcome for outcome in outcomes for each in outcome.found.values()}
    end_shown("not tried" in words, lacking)


def _outcomes(job: Job, units: Sequence[Unit], step: Progress) -> Iterator[Determinism]:
    for n, unit in enumerate(units):
        step(n, len(units), unit.identity.title)
        yield determinism_of(replace(unit, silence_limit_s=job.time_limit_s))
    step(len(units), len(units), "done")


def _versions(job: Job, units: Sequence[Unit]) -> Versions:
    """The version of each unit's library, by the name of the unit."""
    found = {build.language: build.found for build in job.builds}
    codecs = {unit.name: unit.variant.codec for unit in units}
    known = {name: found[codec.language].get(codec.name) for name, codec in codecs.items()}
    return {name: each.version for name, each in known.items() if each}
