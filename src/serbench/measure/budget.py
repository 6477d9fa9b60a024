"""Fits a plan into the time that it has, before its first round."""

from __future__ import annotations

import math
from dataclasses import replace

from serbench.measure.plan import Plan
from serbench.stats.summary import ROUNDS_TO_RANK
from serbench.traits import WarmUp


def with_fitting_warmup(plan: Plan) -> Plan:
    """The plan with the longest warm-up of runners with a JIT compiler that its time has room for.

    To make room, rounds give way first, down to as many as ranking takes; then the warm-up, down to what
    settling takes; then rounds again, down to one; then the rest of the warm-up. The number of rounds in the
    plan stays, since the plan ends them in time by itself.
    """
    time_s = _limit(plan)
    warm_up = _slowest(plan)
    if time_s is None or plan.iterations or not warm_up:
        return plan
    for rounds in range(min(plan.rounds, ROUNDS_TO_RANK), 0, -1):
        warmup_ns = _warmup_ns(plan, warm_up.shortest_ns, time_s / rounds)
        if warmup_ns >= warm_up.settling_ns:
            break
    return replace(
        plan, warmup_ns=max(warm_up.shortest_ns, min(warmup_ns, plan.warmup_ns or warm_up.longest_ns))
    )


def _slowest(plan: Plan) -> WarmUp | None:
    """The warm-up of the language that takes longest to settle, since all are given the same one; None where
    none warms up."""
    of_tasks = {task.traits.warm_up for task in plan.tasks if task.traits.warm_up}
    return max(of_tasks, key=lambda each: each.settling_ns, default=None)


def _warmup_ns(plan: Plan, batch_ns: int, round_s: float) -> int:
    """How long each cell has to warm up for a round to last ``round_s``, in nanoseconds and whole batches; 0
    where a round lasts longer even without warm-up."""
    one = replace(plan, rounds=1, budget_s=None, max_time_s=None, warmup_ns=batch_ns)
    cells = sum(len(task.operations_in(1)) for task in plan.tasks if task.traits.warm_up)
    batches = 1 + (round_s - one.estimate_s()) * 1e9 / batch_ns / cells
    return batch_ns * max(0, int(batches))


def fitted(plan: Plan) -> Plan:
    """The plan with warm-ups that fit. Where not even one round fits, it does one workload after the other,
    so that there are some whole tables rather than many with holes."""
    plan = with_fitting_warmup(plan)
    limit = _limit(plan)
    return replace(plan, by_workload=True) if limit is not None and plan.round_s() > limit else plan


def _limit(plan: Plan) -> float | None:
    return plan.budget_s if plan.max_time_s is None else plan.max_time_s


def told_of(plan: Plan) -> str:
    """What is less certain since warm-up and rounds were cut; empty where they were not."""
    limit = _limit(plan)
    if limit is None:
        return ""
    if plan.by_workload:
        return _too_much(plan, limit)
    warm_up = _slowest(plan)
    rounds = max(1, min(plan.rounds, int(limit // plan.round_s()))) if plan.tasks else plan.rounds
    unranked = ", too few to rank" if rounds < min(plan.rounds, ROUNDS_TO_RANK) else ""
    if not warm_up:
        return (
            f"{rounds} of {plan.rounds} rounds{unranked} are expected to fit in {limit:g} s"
            if rounds < plan.rounds
            else ""
        )
    warmup_ns = plan.warmup_ns or warm_up.longest_ns
    if warmup_ns >= warm_up.longest_ns:
        return ""
    titles = dict.fromkeys(task.traits.title for task in plan.tasks if task.traits.warm_up)
    return (
        f"each cell of {' and '.join(titles)} warms up for at most {warmup_ns / 1e9:.1f} s, so that "
        f"at least {rounds} of {plan.rounds} rounds{unranked} fit in {limit:g} s; notes below the "
        "table name the cells that were still warming up. For more of both, select fewer codecs, "
        "workloads or operations, or raise --max-time"
    )


def _too_much(plan: Plan, limit: float) -> str:
    by_workload: dict[str, float] = {}
    for task in plan.tasks:
        by_workload[task.workload] = by_workload.get(task.workload, 0.0) + plan.task_s(task)
    each = ", ".join(f"-w {workload} {seconds:.0f} s" for workload, seconds in by_workload.items())
    return (
        f"not even one round fits in {limit:g} s: with the shortest warm-ups it takes about "
        f"{plan.round_s():.0f} s ({each}). Workloads are measured one after the other until that "
        "time is over. Select fewer workloads, codecs (-c) or operations (-o), or use --max-time "
        f"{math.ceil(ROUNDS_TO_RANK * plan.round_s())} for {ROUNDS_TO_RANK} rounds"
    )
