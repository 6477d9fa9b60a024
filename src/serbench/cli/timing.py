"""Times of one workload with several changes, taken in the same rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from serbench.building.prepare import with_layouts
from serbench.cli.console import Steps, announce
from serbench.cli.effort import Effort
from serbench.cli.measuring import measure
from serbench.cli.outlook import Outlook
from serbench.measure.job import Job
from serbench.measure.plan import Task, chosen_tasks
from serbench.measure.store import Run
from serbench.measure.unit import Unit
from serbench.selecting.selection import HEADLINE, select_operations
from serbench.text import long_time
from serbench.verification.units import verified


def of_headline(job: Job, effort: Effort) -> Job:
    """The job for writing and reading alone, so that nothing else is verified."""
    chosen = replace(job.chosen, operations=select_operations(HEADLINE, ["reuse"]))
    asked = replace(job.asked, quick=True)
    return replace(job, chosen=chosen, asked=asked, layouts=effort.layouts_of(None))


def timed(
    job: Job,
    units: Sequence[Unit],
    effort: Effort,
    core: int | None,
    begun: Callable[[Run], None] = lambda _: None,
    reserve: float = 1,
) -> Run:
    """Verifies units that were built, of the job's workloads, and measures them in the same rounds.

    Args:
        core: the core that is claimed.
        begun: called with the run before anything is measured.
        reserve: how many times the time is left for which warm-ups are planned, where time is limited:
            passes that take longer than is foreseen would cost rounds otherwise.
    """
    outlook = Outlook.of(job, effort)
    outlook = replace(outlook, plan=replace(outlook.plan, target=None, core=core))
    if "time" in job.chosen.metrics:
        announce(f"measuring: about {long_time(outlook.foreseen().measuring_s)}")
    with Steps("verifying") as steps:
        found = verified(job.paths, units, steps.step, job.time_limit_s)
    with Steps("linking") as steps:
        found = with_layouts(job, found, announce, steps.step)
    tasks: Sequence[Task] = chosen_tasks(found, job.chosen, outlook.pace_of)
    limit_s = outlook.plan.max_time_s
    shorter = replace(outlook.plan, max_time_s=None if limit_s is None else limit_s / reserve)
    plan = replace(replace(outlook, plan=shorter).fitted(tasks), tasks=tasks, max_time_s=limit_s)
    return measure(job, found, plan, outlook.measured, begun=begun)


def untimed(job: Job, units: Sequence[Unit], effort: Effort) -> Run:
    """A run without times of units that were built, to keep what was found of their sizes."""
    chosen = replace(job.chosen, metrics=(), operations=())
    plan = Outlook.of(job, effort).plan
    return measure(replace(job, chosen=chosen), units, plan, lambda *_: None)
