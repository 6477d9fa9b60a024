"""Measures every metric of the units that were built and verified, and writes the figures into a run."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import msgspec

from serbench.building.metrics import counters_for, least_programs
from serbench.building.prepare import Permission
from serbench.cli.console import Steps, announce
from serbench.cli.ends import kept
from serbench.cli.printing import Shown
from serbench.cli.watching import watched
from serbench.languages.base import Toolchain
from serbench.measure.cost import COSTS, measure_costs
from serbench.measure.events import Resume, UnitEvent
from serbench.measure.footprint import FIGURES, measure_footprints
from serbench.measure.manifest import Manifest
from serbench.measure.plan import Plan
from serbench.measure.reference import reference_kernel
from serbench.measure.resume import check_resumable
from serbench.measure.run import Outcome, execute
from serbench.measure.store import Journal, Run, create_run
from serbench.measure.taken import Taken
from serbench.measure.unit import Unit
from serbench.measure.wire import measure_wire
from serbench.paths import Paths
from serbench.selecting.selection import Chosen
from serbench.verification.kept import event_of_unit


@dataclass(frozen=True)
class Measurement:
    """A selection that is built and verified, and how it is to be measured.

    Attributes:
        compilations: how often each minimal program is compiled.
        again: the run that is continued; None for a new one.
        took: called with the plan and the outcome of measuring times.
        watch: how the table is shown while the run is measured; None if it is not shown.
    """

    paths: Paths
    chosen: Chosen
    builds: Sequence[Toolchain]
    units: Sequence[Unit]
    plan: Plan
    permission: Permission
    compilations: int
    again: Run | None
    took: Callable[[Plan, Outcome], None]
    watch: Shown | None = None

    @property
    def asked(self) -> list[Unit]:
        """The units that were asked for."""
        return [unit for unit in self.units if unit.variant not in self.chosen.beside]

    @property
    def asked_plan(self) -> Plan:
        """The plan of what was asked for."""
        return replace(self.plan, tasks=[task for task in self.plan.tasks if not task.beside])


def measure(what: Measurement, manifest: Manifest) -> Run:
    """Measures every metric into a new run, or into one that is continued; returns the run.

    Raises:
        SerbenchError: the run to continue measured something else.
    """
    again, told = what.again, [event_of_unit(unit) for unit in what.units]
    taken = Run(again.directory).taken if again else Taken()  # a copy of our own, since more is added to it
    begin: list[Resume | UnitEvent] = [*told]
    if again:
        check_resumable(again.manifest, manifest, taken, told)
        begin = [Resume(), *(each for each in told if taken.was_killed(each.unit))]
    for event in begin:
        taken.add(event)
    run = again or create_run(what.paths.runs, msgspec.to_builtins(manifest))
    with kept(run), Journal(run) as journal:
        for event in begin:
            journal.append(msgspec.to_builtins(event))
        metrics = set(what.chosen.metrics)
        if "time" in metrics:
            _take_times(what, run, journal, taken)
        if metrics & set(COSTS):
            _take_costs(what, journal)
        if metrics & set(FIGURES):
            _take_footprints(what, journal)
        if "wire" in metrics:
            _take_wire(what, journal)
        journal.append({"event": "end"})
    return run


def _take_times(what: Measurement, run: Run, journal: Journal, taken: Taken) -> None:
    plan, start = what.plan, time.monotonic()
    with watched(run, taken, what.paths, what.watch) if what.watch else Steps("measuring") as steps:
        outcome = execute(plan, journal, steps, lambda: reference_kernel(plan.core), taken)
    what.took(plan, outcome)
    _announce_outcome(outcome, plan, time.monotonic() - start)


def _take_costs(what: Measurement, journal: Journal) -> None:
    with Steps("costs") as steps:
        programs = least_programs(what.asked, what.builds, steps.step)
        measure_costs(programs, what.chosen.metrics, what.compilations, what.plan.seed, journal, steps)


def _take_footprints(what: Measurement, journal: Journal) -> None:
    chosen = what.chosen
    with Steps("footprints") as steps:
        counters = counters_for(
            chosen.metrics, what.asked, what.builds, what.permission, announce, steps.step
        )
        measure_footprints(what.asked_plan, chosen.operations, chosen.metrics, counters, journal, steps)


def _take_wire(what: Measurement, journal: Journal) -> None:
    with Steps("wire") as steps:
        in_time = measure_wire(what.asked, what.plan, journal, steps)
    if not in_time:
        announce("--max-time was reached before the last round of wire cost")


def _announce_outcome(outcome: Outcome, plan: Plan, elapsed_s: float) -> None:
    further = outcome.rounds_done - plan.rounds
    rounds = (
        f"{plan.rounds} rounds, and {further} more for cells that needed them"
        if further > 0
        else f"{outcome.rounds_done} round{'' if outcome.rounds_done == 1 else 's'}"
    )
    announce(f"measured for {elapsed_s:.0f} s, {rounds}")
    if outcome.out_of_time:
        limit = "--max-time" if plan.max_time_s is not None else f"{plan.budget_s:g} s"
        announce(f"stopped at the time limit ({limit}); --resume continues")
    if outcome.unconverged:
        announce(
            f"{len(outcome.unconverged)} ratios are not yet known to within ±{100 * (plan.target or 0):g} %; "
            "--resume continues"
        )
