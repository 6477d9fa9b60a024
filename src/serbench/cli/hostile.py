"""``serbench verify --hostile``: feed every decoder messages that are wrong."""

from __future__ import annotations

from dataclasses import replace

from serbench.cli import options
from serbench.cli.console import Steps
from serbench.cli.ends import as_far_as_it_goes, end_shown
from serbench.cli.selected import Selected
from serbench.errors import RunnerError, StoppedEarly, reason_of
from serbench.languages.base import Progress
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.report.hostile_table import Result, hostile_table, record_of
from serbench.report.show import show
from serbench.verification.hostile import LIMIT_S, withstand


def withstand_hostile(selected: Selected, time_limit: float, format: options.Format) -> None:
    """Feeds hostile messages to all units that were built, one after the other, and shows what they do. Exits
    with status 1 if a unit does harm that its codec does not declare, or has failed."""
    with Steps("feeding") as steps:
        results, lacking = as_far_as_it_goes(
            lambda: _withstood(selected, time_limit, steps.step), len(selected.units)
        )
    by_workload = {
        spec.id: [result for result in results if result[0].spec.id == spec.id] for spec in selected.specs
    }
    tables = [hostile_table(workload, own) for workload, own in by_workload.items()]
    show(tables, [record_of(*result) for result in results], format.value)
    harm = any(unit.status == "failed" or (found and found.undeclared(unit)) for unit, found in results)
    end_shown(harm, lacking)


def _withstood(selected: Selected, time_limit: float, step: Progress) -> list[Result]:
    """The result of each unit, in their order.

    Raises:
        StoppedEarly: it was interrupted; has the results that are there.
    """
    results: list[Result] = []
    try:
        for n, unit in enumerate(selected.units):
            step(n, len(selected.units), unit.title)
            results.append(_result(replace(unit, silence_limit_s=time_limit), selected.paths))
    except KeyboardInterrupt:
        raise StoppedEarly(results) from None
    step(len(selected.units), len(selected.units), "done")
    return results


def _result(unit: Unit, paths: Paths) -> Result:
    if unit.status != "ok":
        return unit, None
    try:
        return unit, withstand(unit, paths, lambda *_: None, min(unit.silence_limit_s, LIMIT_S))
    except RunnerError as error:
        return replace(unit, status="failed", reason=reason_of(error, unit.data.is_private)), None
