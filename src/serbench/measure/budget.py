"""Fits a plan into the time that it has, before its first round."""

from __future__ import annotations

import math
from dataclasses import replace

from serbench.measure.run import JVM_WARMUP_NS, Plan
from serbench.stats.summary import ROUNDS_TO_RANK

SETTLING_NS = 1_500_000_000
"""That times have settled is seen by two windows of half a second at least (WarmUp.java): a warm-up that ends before is of no
more use than to let everything be compiled once."""

LEAST_WARMUP_NS = 100_000_000
"""A batch of passes; the runner ends none before."""


def with_fitting_warmup(plan: Plan) -> Plan:
    """The plan with as long a warm-up of runners with a JIT compiler as its time has room for.

    What is cut first are rounds, to as many as rank; then the warm-up, to what settling takes; then rounds again, to one; then
    what is left of the warm-up. That rounds end in time is the plan's own doing, so its number of them stays.
    """
    time_s = _limit(plan)
    if time_s is None or plan.iterations or not any(unit.warms_up for unit in plan.units):
        return plan
    for rounds in range(min(plan.rounds, ROUNDS_TO_RANK), 0, -1):
        warmup_ns = _warmup_ns(plan, time_s / rounds)
        if warmup_ns >= SETTLING_NS:
            break
    return replace(plan, warmup_ns=max(LEAST_WARMUP_NS, min(warmup_ns, plan.warmup_ns or JVM_WARMUP_NS)))


def _warmup_ns(plan: Plan, round_s: float) -> int:
    """The warm-up of each cell with which a round lasts so long, in whole batches; 0 where it lasts longer without any."""
    one = replace(plan, rounds=1, budget_s=None, max_time_s=None, warmup_ns=LEAST_WARMUP_NS)
    cells = sum(len(unit.operations) for unit in plan.units if unit.warms_up)
    batches = 1 + (round_s - one.estimate_s()) * 1e9 / LEAST_WARMUP_NS / cells
    return LEAST_WARMUP_NS * max(0, int(batches))


def fitted(plan: Plan) -> Plan:
    """The plan with warm-ups that fit; and where not even one round does, with one workload done after the other, so that time
    goes into some whole tables rather than many with holes."""
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
    warmup_ns = plan.warmup_ns or JVM_WARMUP_NS
    rounds = max(1, min(plan.rounds, int(limit // plan.round_s()))) if plan.units else plan.rounds
    unranked = ", too few to rank" if rounds < min(plan.rounds, ROUNDS_TO_RANK) else ""
    if not any(unit.warms_up for unit in plan.units):
        return (
            f"{rounds} of {plan.rounds} rounds{unranked} are expected to end within {limit:g} s" if rounds < plan.rounds else ""
        )
    if warmup_ns >= JVM_WARMUP_NS:
        return ""
    return (
        f"each cell of the JVM warms up for {warmup_ns / 1e9:.1f} s at most, so that at least {rounds} of "
        f"{plan.rounds} rounds{unranked} end within {limit:g} s; which had not settled by then is said below the table. "
        "Fewer codecs, workloads or operations, or a longer --max-time, leave more of both"
    )


def _too_much(plan: Plan, limit: float) -> str:
    by_workload: dict[str, float] = {}
    for unit in plan.units:
        by_workload[unit.workload] = by_workload.get(unit.workload, 0.0) + plan.unit_s(unit)
    each = ", ".join(f"-w {workload} {seconds:.0f} s" for workload, seconds in by_workload.items())
    return (
        f"not even one round fits in {limit:g} s: with the shortest warm-ups it takes about {plan.round_s():.0f} s ({each}). "
        "Workload after workload is measured until that time is over. Select fewer of them, fewer codecs (-c) or operations "
        f"(-o), or give --max-time {math.ceil(ROUNDS_TO_RANK * plan.round_s())} for {ROUNDS_TO_RANK} rounds"
    )
