"""``serbench run``: verify and measure a selection, and print its table."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated

from serbench.building.prepare import Listener, prepare_builds, with_layouts
from serbench.cli.asking import Making, What, ask, tell_fields
from serbench.cli.clustered import Where, measure_on
from serbench.cli.console import Steps, announce
from serbench.cli.effort import Effort, print_plan
from serbench.cli.ends import end_shown
from serbench.cli.first_look import FirstLook
from serbench.cli.hints import hint_of
from serbench.cli.measuring import measure
from serbench.cli.options import flag, option
from serbench.cli.other_metrics import foreseen_s, learn
from serbench.cli.outlook import Outlook
from serbench.cli.printing import Shown, print_run
from serbench.cli.selected import with_data, with_toolchains
from serbench.cli.watching import can_watch
from serbench.errors import SelectionError
from serbench.measure.cost import SHIPPED, SIZES
from serbench.measure.footprint import FIGURES
from serbench.measure.job import Job
from serbench.measure.plan import Plan, chosen_tasks
from serbench.measure.store import Run
from serbench.measure.unit import Unit
from serbench.system.command import COMMAND
from serbench.system.locks import claim_core, wait_for_home
from serbench.verification.units import Early, verified
from serbench.workload import Workload, WorkloadSpec

_BESIDES = {SHIPPED: ", where nothing was weighed before"}
"""Metric → words behind its estimate."""


def run(
    what: What,
    effort: Effort,
    making: Making,
    view: Shown,
    where: Where,
    resume: Annotated[
        str | None,
        option(
            "RUN",
            "Continue a run that was stopped or has ended, on the same machine with the same "
            "builds and data; its selection and plan are used.",
        ),
    ] = None,
    watch: Annotated[
        bool, flag("--watch", "Show the table while measuring, updated between processes.")
    ] = False,
    dry_run: Annotated[
        bool, flag("--dry-run", "Print the plan and the estimated time, without measuring.")
    ] = False,
) -> None:
    """Verify and measure codecs, and print the results.

    By default: all installed codecs, the default workload, serialize and deserialize.
    """
    job = ask(what, effort, making, resume, where.address() is not None)
    _carry_out(job, effort, view, where, watch, dry_run)


def run_at_first_sight(
    workload: Workload, what: What, making: Making, view: Shown, where: Where, since: float
) -> None:
    """Measures a workload that was just imported as ``run --quick`` does, but with fewer further rounds;
    sizes are shown while programs are still being built.

    Args:
        since: when the user began to wait, by the monotonic clock in seconds.
    """
    effort = Effort(quick=True)
    job = ask(replace(what, read=None, condition=None), effort, making)
    chosen = replace(job.chosen, workloads=[WorkloadSpec.usual(workload)])
    tell_fields(what, chosen)
    chosen = chosen.reading(what.read or ()).filtering(what.condition or ())
    _carry_out(replace(job, chosen=chosen, looking_since=since), effort, view, where)


def _carry_out(
    job: Job, effort: Effort, view: Shown, where: Where, watch: bool = False, dry_run: bool = False
) -> None:
    if where.address() is not None:
        if watch:
            announce("--watch is ignored, since it shows one machine")
        _run_on_cluster(job, effort, where, view, dry_run)
        return
    done = carried_out(job, effort, view if watch else None, dry_run)
    if not done:
        return
    job, units, made = done
    rows = print_run(made, job.paths, view)
    asked = [unit for unit in units if not job.chosen.is_beside(unit.variant)]
    if job.looking_since is not None and view.format == "table" and (hint := hint_of(job, asked)):
        print(f"\n{hint}")
    statuses = {*(row.status for row in rows), *(unit.status for unit in asked)}
    end_shown("failed" in statuses)


def carried_out(
    job: Job, effort: Effort, watched: Shown | None = None, dry_run: bool = False
) -> tuple[Job, list[Unit], Run] | None:
    """Builds, verifies and measures on this machine what a job asks for; returns the job with its toolchains
    and data, its units and the run, or None for a dry run, of which the plan is printed.

    Args:
        watched: how the table is shown while measuring, where somebody watches.
    """
    job = with_toolchains(job)
    outlook = Outlook.of(job, effort)
    told = _tell_plan(outlook, dry_run)
    if dry_run:
        return None
    if "time" in job.chosen.metrics:
        outlook.tell()
    watched = watched if watched and can_watch(job.chosen.metrics) else None
    wait_for_home(job.paths.home, announce)
    plan = outlook.plan
    # Counts and sizes are the same on a core that others use.
    if set(job.chosen.metrics) - {*FIGURES, *SIZES}:
        plan = replace(plan, core=claim_core(plan.core, job.again is not None, announce))
    job = with_data(job)
    outlook = replace(outlook, job=job, plan=plan)
    units = _build(outlook)
    outlook.tell_left_of(units)
    units = _verify(outlook, units)
    plan = _plan_verified(outlook, units, told)
    learned = partial(learn, job, plan)
    return job, units, measure(job, units, plan, outlook.measured, watched, learned=learned)


def _run_on_cluster(job: Job, effort: Effort, where: Where, view: Shown, dry_run: bool) -> None:
    if job.editions.kind:
        raise SelectionError(
            "--revision, --prefix, --profile, --version, --allocator and --engine say what this machine "
            "builds; expected no --cluster"
        )
    outlook = Outlook.of(job, effort)
    _tell_plan(outlook, dry_run)
    if dry_run:
        return
    rows = print_run(measure_on(where, outlook), job.paths, view)
    end_shown(any(row.status == "failed" for row in rows))


def _tell_plan(outlook: Outlook, dry_run: bool) -> str:
    """Announces and returns what is cut to fit the plan into its time; in a dry run, prints the whole
    plan."""
    job, tasks = outlook.job, outlook.tasks
    plan = outlook.fitted(tasks)
    if said := outlook.told(plan, tasks):
        announce(said)
    if crowd := outlook.told_crowd():
        announce(crowd)
    if dry_run:
        print_plan(plan, tasks, timed="time" in job.chosen.metrics)
        for metric, seconds in foreseen_s(outlook.known, job, plan, tasks).items():
            print(f"{metric}: about {seconds:.0f} s{_BESIDES.get(metric, '')}")
    return said


def _plan_verified(outlook: Outlook, units: Sequence[Unit], told: str) -> Plan:
    """The plan with the tasks of the units that could be built and verified. If they are fewer, each has more
    time; cuts of the plan that differ from those ``told`` before are announced."""
    tasks = chosen_tasks(units, outlook.job.chosen, outlook.pace_of)
    plan = outlook.fitted(tasks, outlook.job.waited_s)
    said = outlook.told(plan, tasks)
    if tasks and said != told:
        announce(f"for what could be built: {said or 'all rounds fit, with full warm-ups'}")
    outlook.tell_left(outlook.rounds_s(plan, tasks))
    return replace(plan, tasks=tasks)


def _build(outlook: Outlook) -> list[Unit]:
    """Builds the selection, and returns its units; raises SerbenchError if no toolchain works."""
    job = outlook.job
    listener = Listener(announce, took=outlook.built)
    if not job.looks:
        with Steps("building") as steps:
            return prepare_builds(job, replace(listener, step=steps.step))
    look = FirstLook(job.chosen.is_beside)
    with Steps("building", look) as steps, Early(job.paths, job.time_limit_s, look.add) as early:
        units = early.finish(prepare_builds(job, replace(listener, step=steps.step, built=early.begin)))
    look.leave()
    return units


def _verify(outlook: Outlook, units: Sequence[Unit]) -> list[Unit]:
    """The same units, verified, and if times are measured, linked in all their layouts."""
    job, begun = outlook.job, time.monotonic()
    with Steps("verifying") as steps:
        done = verified(job.paths, units, steps.step, job.time_limit_s)
    if job.measured:
        workloads = [word for spec in job.chosen.workloads for word in ("-w", spec.id)]
        codecs = [word for pattern in job.asked.codecs for word in ("-c", pattern)]
        all_else = shlex.join([*workloads, *codecs])
        announce(f"verified what is measured; for the other operations: {COMMAND} verify {all_else}")
    if "time" not in job.chosen.metrics:
        return done
    with Steps("linking") as steps:
        done = with_layouts(job, done, announce, steps.step)
    outlook.verified(done, time.monotonic() - begun)
    return done
