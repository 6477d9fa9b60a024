"""``serbench verify --hostile``: feed every decoder messages that are wrong."""

from __future__ import annotations

import sys
from dataclasses import replace

from serbench.cli import options
from serbench.cli.console import Steps
from serbench.cli.selected import Selected
from serbench.errors import RunnerError, reason_of
from serbench.measure.hostile import LIMIT_S, withstand
from serbench.report.hostile_table import Result, hostile_table, record_of
from serbench.report.show import show


def withstand_hostile(selected: Selected, time_limit: float, format: options.Format) -> None:
    """Feeds hostile messages to all units that were built, one after the other, and shows what they do. Exits
    with status 1 if a unit does harm that its codec does not declare, or has failed."""
    results: list[Result] = []
    with Steps("feeding") as steps:
        for n, unit in enumerate(selected.units):
            steps.step(n, len(selected.units), unit.title)
            if unit.status != "ok":
                results.append((unit, None))
                continue
            unit = replace(unit, silence_limit_s=time_limit)
            try:
                results.append(
                    (unit, withstand(unit, selected.paths, lambda *_: None, min(time_limit, LIMIT_S)))
                )
            except RunnerError as error:
                results.append(
                    (replace(unit, status="failed", reason=reason_of(error, unit.data.is_private)), None)
                )
        steps.step(len(selected.units), len(selected.units), "done")
    by_workload = {
        spec.id: [result for result in results if result[0].spec.id == spec.id] for spec in selected.specs
    }
    tables = [hostile_table(workload, own) for workload, own in by_workload.items()]
    show(tables, [record_of(*result) for result in results], format.value)
    if any(unit.status == "failed" or (found and found.undeclared(unit)) for unit, found in results):
        sys.exit(1)
