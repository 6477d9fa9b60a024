"""How long each metric besides time takes: foreseen before anything is built, and learned afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from serbench.building.experience import Experience, weighing_s
from serbench.measure.calls import CALLED, calls_estimate_s
from serbench.measure.cost import COSTS, SHIPPED
from serbench.measure.counters import perf_tool
from serbench.measure.footprint import FIGURES, footprints_estimate_s
from serbench.measure.job import Job
from serbench.measure.plan import Cells, Plan
from serbench.measure.threads import threads_estimate_s
from serbench.measure.wire import wire_estimate_s
from serbench.system.cores import crowding

CALLS, THREADS, WIRE = "calls", "threads", "wire"
FOOTPRINTS, LEAST = "footprints", "least programs"
"""The steps in which metrics besides time are measured, as ``Experience`` knows them; those of single calls,
of footprints, and of the smallest programs are measured together."""

_STEPS = {
    **dict.fromkeys(CALLED, CALLS),
    THREADS: THREADS,
    WIRE: WIRE,
    **dict.fromkeys(FIGURES, FOOTPRINTS),
    **dict.fromkeys(COSTS, LEAST),
}
"""Metric → the step in which it is measured."""


def foreseen_s(known: Experience, job: Job, plan: Plan, tasks: Sequence[Cells]) -> dict[str, float]:
    """Return the seconds that each metric of a job is foreseen to take in all of its rounds, but for
    time."""
    found = {}
    for metric, seconds in _typical_s(job, plan, tasks).items():
        expected_s = known.expected_s(_name(_STEPS[metric], tasks), seconds, crowd=1.0)
        found[metric] = expected_s if plan.max_time_s is None else min(expected_s, plan.max_time_s)
    if SHIPPED in job.chosen.metrics:
        found[SHIPPED] = weighing_s(known, job)
    return found


def learn(job: Job, plan: Plan, took_s: Mapping[str, float]) -> None:
    """Learn, for later estimates, how long all rounds of some steps took."""
    known = Experience.of(job.paths.home)
    typical_s = _typical_s(job, plan, plan.tasks)
    for step, seconds in took_s.items():
        own_s = sum(typical_s[metric] for metric in typical_s if _STEPS[metric] == step)
        known.learn(_name(step, plan.tasks), own_s, seconds, crowd=1.0)
    known.keep()


def _name(step: str, tasks: Sequence[Cells]) -> str:
    """Return the name under which the factor of a step is kept. A factor that is learned at typical paces
    corrects these too, so it is kept apart from one for programs whose paces are known."""
    is_guess = any(task.pace.is_typical for task in tasks if not task.beside)
    return f"measuring {step}{' at typical paces' if is_guess else ''}"


def _typical_s(job: Job, plan: Plan, tasks: Sequence[Cells]) -> dict[str, float]:
    """Return the seconds that each metric typically takes beside what the machine is doing now, which makes
    but a part of them longer; floors that nobody asked for have none of them."""
    asked, plan = [task for task in tasks if not task.beside], replace(plan, slower=crowding())
    found: dict[str, float] = {}
    for metric in (each for each in job.chosen.metrics if each in _STEPS):
        if metric == THREADS:
            found[metric] = threads_estimate_s(plan, asked)
        elif metric == WIRE:
            found[metric] = wire_estimate_s(plan, asked)
        elif metric in FIGURES:
            found[metric] = footprints_estimate_s(plan, asked, metric, valgrind=perf_tool() is None)
        elif metric in COSTS:
            found[metric] = _least_s(job, asked) * (job.compilations if metric == "compile_time" else 1)
        else:
            found[metric] = calls_estimate_s(plan, asked, metric, job.asked.memory)
    return found


def _least_s(job: Job, tasks: Sequence[Cells]) -> float:
    """Return the seconds in which the smallest programs of tasks are typically compiled, one by one; each has
    about a third of the code of one that measures."""
    able = {build.language for build in job.builds if build.least_programs}
    own = [task for task in tasks if task.codec.partition("/")[0] in able]
    return sum(task.traits.typical.build_s for task in own) / 3
