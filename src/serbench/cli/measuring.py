"""Measures every metric of the units that were built and verified, and writes the figures into a run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import msgspec

from serbench.building.metrics import calling_units, counters_for, least_programs, weighed
from serbench.cli.console import Steps, announce
from serbench.cli.ends import kept
from serbench.cli.other_metrics import CALLS, FOOTPRINTS, LEAST, THREADS, WIRE
from serbench.cli.printing import Shown
from serbench.cli.watching import Watch
from serbench.measure.calls import CALLED, called_operations, measure_calls
from serbench.measure.cost import COSTS, SHIPPED, measure_costs, tell_shipped
from serbench.measure.events import Resume, UnitEvent
from serbench.measure.footprint import FIGURES, Counters, measure_footprints
from serbench.measure.job import Job
from serbench.measure.manifest import manifest_of
from serbench.measure.plan import Plan
from serbench.measure.reference import reference_kernel
from serbench.measure.resume import check_resumable
from serbench.measure.run import Outcome, Progress, execute
from serbench.measure.store import Journal, Run, create_run
from serbench.measure.taken import Taken
from serbench.measure.threads import measure_threads
from serbench.measure.unit import Unit
from serbench.measure.wire import measure_wire
from serbench.selecting.suite import load_suites
from serbench.verification.kept import event_of_unit


def measure(
    job: Job,
    units: Sequence[Unit],
    plan: Plan,
    took: Callable[[Plan, Outcome], None],
    watch: Shown | None = None,
    begun: Callable[[Run], None] = lambda _: None,
    learned: Callable[[Mapping[str, float]], None] = lambda _: None,
) -> Run:
    """Measures every metric of a job into a new run, or into the one that is continued; returns the run.

    Args:
        units: all that were to be built and verified.
        took: called with the plan and the outcome of measuring times.
        watch: how the table is shown while the run is measured; None if it is not shown.
        begun: called with the run before anything is measured, so that an interrupted run has it too.
        learned: called with the seconds of each step, of ``other_metrics``, whose rounds were all measured.

    Raises:
        SerbenchError: the run to continue measured something else.
    """
    manifest = manifest_of(job, plan, units)
    again, told = job.again, [event_of_unit(unit) for unit in units]
    taken = Run(again.directory).taken if again else Taken()  # a copy of our own, since more is added to it
    begin: list[Resume | UnitEvent] = [*told]
    if again:
        check_resumable(again.manifest, manifest, taken, told)
        begin = [Resume(), *(each for each in told if taken.was_killed(each.identity))]
    for event in begin:
        taken.add(event)
    run = again or create_run(job.paths.runs, msgspec.to_builtins(manifest))
    metrics, asked = set(job.chosen.metrics), [u for u in units if not job.chosen.is_beside(u.variant)]
    begun(run)
    with kept(run), Journal(run) as journal:
        for event in begin:
            journal.append(msgspec.to_builtins(event))
        if "time" in metrics:
            suite = load_suites(job.paths.suites).get(run.manifest.suite or "")
            showing = Watch(run, taken, suite, watch) if watch else Steps("measuring")
            took(plan, _take_times(plan, journal, taken, showing))
        took_s: dict[str, float] = {}
        if metrics & set(COSTS):
            took_s |= _timed(LEAST, "the smallest programs", partial(_take_costs, job, asked, plan, journal))
        if SHIPPED in metrics:
            with Steps(SHIPPED) as steps:
                tell_shipped(weighed(job, asked, steps.step), journal)
        if metrics & set(FIGURES):
            with Steps(FOOTPRINTS) as steps:
                counters = counters_for(job, asked, announce, steps.step)
            took_s |= _timed(FOOTPRINTS, FOOTPRINTS, partial(_take_footprints, job, counters, plan, journal))
        if metrics & set(CALLED):
            took_s |= _timed(CALLS, "single calls", partial(_take_calls, job, asked, plan, journal))
        if THREADS in metrics:
            took_s |= _timed(THREADS, "threads", partial(_take_threads, job, plan, journal))
        if WIRE in metrics:
            took_s |= _timed(WIRE, "wire costs", partial(measure_wire, asked, plan, journal))
        journal.append({"event": "end"})
    learned(took_s)
    return run


def _timed(step: str, title: str, measured: Callable[[Progress], bool]) -> dict[str, float]:
    """Measure all rounds of a step; return its seconds by its name, or nothing where time did not suffice."""
    with Steps(step) as steps:
        begun = time.monotonic()
        is_whole, took_s = measured(steps), time.monotonic() - begun
    if is_whole:
        announce(f"measured {title} for {took_s:.0f} s")
        return {step: took_s}
    announce(f"--max-time was reached before {title} were all measured")
    return {}


def _take_times(plan: Plan, journal: Journal, taken: Taken, showing: Watch | Steps) -> Outcome:
    start = time.monotonic()
    with showing as steps:
        outcome = execute(plan, journal, steps, lambda: reference_kernel(plan.core), taken)
    _announce_outcome(outcome, plan, time.monotonic() - start)
    return outcome


def _take_costs(job: Job, units: Sequence[Unit], plan: Plan, journal: Journal, progress: Progress) -> bool:
    programs = least_programs(job, units, progress.step)
    measure_costs(programs, job.chosen.metrics, job.compilations, plan.seed, journal, progress)
    return True


def _take_footprints(job: Job, counters: Counters, plan: Plan, journal: Journal, progress: Progress) -> bool:
    chosen = job.chosen
    asked = replace(plan, tasks=[task for task in plan.tasks if not task.beside])
    return measure_footprints(asked, chosen.operations, chosen.metrics, counters, journal, progress)


def _take_calls(job: Job, units: Sequence[Unit], plan: Plan, journal: Journal, progress: Progress) -> bool:
    operations = called_operations(job.chosen.operations, job.asked.memory)
    asked, failed = calling_units(job, units)
    return measure_calls(asked, operations, job.chosen.metrics, plan, journal, progress, failed)


def _take_threads(job: Job, plan: Plan, journal: Journal, progress: Progress) -> bool:
    asked = replace(plan, tasks=[task for task in plan.tasks if not task.beside])
    return measure_threads(asked, job.chosen.operations, journal, progress)


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
