"""``serbench verify --hostile``: feed every decoder messages that are wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from serbench.cli import options
from serbench.cli.console import Steps
from serbench.cli.ends import as_far_as_it_goes, end_shown
from serbench.errors import RunnerError, reason_of
from serbench.languages.base import Progress
from serbench.measure.job import Job
from serbench.measure.unit import Unit
from serbench.report.hostile_table import Result, hostile_table, record_of
from serbench.report.show import show
from serbench.verification.hostile import LIMIT_S, withstand


def withstand_hostile(job: Job, units: Sequence[Unit], format: options.TableFormat) -> None:
    """Feeds hostile messages to all units that were built, one after the other, and shows what they do. Exits
    with status 1 if a unit does harm that its codec does not declare, or has failed."""
    with Steps("feeding") as steps:
        results, lacking = as_far_as_it_goes(lambda: _withstood(job, units, steps.step), len(units))
    by_workload = {
        spec.id: [result for result in results if result[0].spec.id == spec.id]
        for spec in job.chosen.workloads
    }
    tables = [hostile_table(workload, own) for workload, own in by_workload.items()]
    show(tables, [record_of(*result) for result in results], format.value)
    harm = any(unit.status == "failed" or (found and found.undeclared(unit)) for unit, found in results)
    end_shown(harm, lacking)


def _withstood(job: Job, units: Sequence[Unit], step: Progress) -> Iterator[Result]:
    """Feed hostile messages to the units, one after the other; yield each with what happened to it."""
    for n, unit in enumerate(units):
        step(n, len(units), unit.identity.title)
        yield _result(job, replace(unit, silence_limit_s=job.time_limit_s))
    step(len(units), len(units), "done")


def _result(job: Job, unit: Unit) -> Result:
    if unit.status != "ok":
        return unit, None
    try:
        return unit, withstand(unit, job.paths, lambda *_: None, min(unit.silence_limit_s, LIMIT_S))
    except RunnerError as error:
        return replace(unit, status="failed", reason=reason_of(error, unit.data.is_private)), None
