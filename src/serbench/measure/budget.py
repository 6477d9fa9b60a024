"""Fits a plan into the time that it has, before its first round."""

from __future__ import annotations

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
    time_s = plan.budget_s if plan.max_time_s is None else plan.max_time_s
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


def told_of(plan: Plan) -> str:
    """What is less certain since warm-up and rounds were cut; empty where they were not."""
    limit = plan.budget_s if plan.max_time_s is None else plan.max_time_s
    warmup_ns = plan.warmup_ns or JVM_WARMUP_NS
    if limit is None or warmup_ns >= JVM_WARMUP_NS or not any(unit.warms_up for unit in plan.units):
        return ""
    rounds = max(1, int(limit // replace(plan, rounds=1, budget_s=None, max_time_s=None).estimate_s()))
    unranked = ", too few to rank" if rounds < min(plan.rounds, ROUNDS_TO_RANK) else ""
    return (
        f"each cell of the JVM warms up for {warmup_ns / 1e9:.1f} s at most, so that at least {min(rounds, plan.rounds)} of "
        f"{plan.rounds} rounds{unranked} end within {limit:g} s; which had not settled by then is said below the table. "
        "Fewer codecs, workloads or operations, or a longer --max-time, leave more of both"
    )
