"""Fits a plan into the time limit, before the first round."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from serbench.codecs.traits import WarmUp
from serbench.measure.plan import Cells, Plan
from serbench.stats.summary import ROUNDS_TO_RANK
from serbench.text import long_time


def with_fitting_warmup(plan: Plan, tasks: Sequence[Cells]) -> Plan:
    """Return the plan for measuring ``tasks`` with a warm-up of runners with a JIT compiler that is as long
    as the plan's time limit allows.

    To make room, rounds give way first, down to as many as ranking takes; then the warm-up, down to what
    settling takes; then the samples of a process, down to one, since many processes tell more than many
    samples of one. What is left takes as long as it takes, unless the user has limited the time: then rounds
    give way again, down to one, and then the rest of the warm-up. The plan's number of rounds is not changed,
    since its execution ends rounds in time.
    """
    time_s = _limit(plan)
    warm_up = _slowest(tasks)
    if time_s is None or plan.iterations or not warm_up:
        return plan
    ranking = min(plan.rounds, ROUNDS_TO_RANK)
    ways = [(ranking, samples) for samples in range(plan.samples, 0, -1)]
    if plan.max_time_s is not None:
        ways += [(rounds, 1) for rounds in range(ranking - 1, 0, -1)]
    for rounds, samples in ways:
        plan = replace(plan, samples=samples)
        warmup_ns = _warmup_ns(plan, tasks, warm_up.shortest_ns, time_s / rounds)
        if warmup_ns >= warm_up.settling_ns:
            break
    least_ns = warm_up.settling_ns if plan.max_time_s is None else warm_up.shortest_ns
    return replace(plan, warmup_ns=max(least_ns, min(warmup_ns, plan.warmup_ns or warm_up.longest_ns)))


def briefest(plan: Plan, tasks: Sequence[Cells]) -> Plan:
    """Return the plan with the least samples, and the shortest warm-up in which the language that takes
    longest settles, to which a time limit may cut it: the one by which to tell what fits at all."""
    warm_up = _slowest(tasks)
    if plan.iterations or not warm_up:
        return plan
    return replace(plan, samples=1, warmup_ns=min(plan.warmup_ns or warm_up.longest_ns, warm_up.settling_ns))


def _slowest(tasks: Sequence[Cells]) -> WarmUp | None:
    """Return the warm-up of the language that takes longest to settle, since all languages are given the
    same; None where none warms up."""
    of_tasks = {task.traits.warm_up for task in tasks if task.traits.warm_up}
    return max(of_tasks, key=lambda each: each.settling_ns, default=None)


def _warmup_ns(plan: Plan, tasks: Sequence[Cells], batch_ns: int, round_s: float) -> int:
    """Return how long each cell may warm up so that a round lasts ``round_s``, in nanoseconds and whole
    batches; 0 where a round lasts longer even without warm-up."""
    one = replace(plan, rounds=1, budget_s=None, max_time_s=None, warmup_ns=batch_ns)
    cells = sum(len(task.operations_in(1)) for task in tasks if task.traits.warm_up)
    batches = 1 + (round_s - one.estimate_s(tasks)) * 1e9 / batch_ns / cells
    return batch_ns * max(0, int(batches))


def fitted(plan: Plan, tasks: Sequence[Cells]) -> Plan:
    """Return the plan for measuring ``tasks``, with warm-ups cut to its time limit. If not even one round
    fits, workloads are measured one after the other: some whole tables are better than many with holes."""
    plan = with_fitting_warmup(plan, tasks)
    limit = plan.max_time_s
    return replace(plan, by_workload=True) if limit is not None and plan.round_s(tasks) > limit else plan


def _limit(plan: Plan) -> float | None:
    return plan.budget_s if plan.max_time_s is None else plan.max_time_s


def told_of(plan: Plan, tasks: Sequence[Cells]) -> str:
    """Return a sentence that says how warm-ups and rounds were cut to fit the time limit, or that the run
    takes longer than the limit; empty where neither is so."""
    limit = _limit(plan)
    if limit is None or not tasks:
        return ""
    if plan.by_workload:
        return _too_much(plan, tasks, limit)
    round_s = plan.round_s(tasks)
    fit = max(1, min(plan.rounds, int(limit // round_s)))
    ranking = min(plan.rounds, ROUNDS_TO_RANK)
    warmups = _cut_warmups(plan, tasks)
    if fit < ranking and plan.max_time_s is None:
        why = "as many as ranking takes" if ranking == ROUNDS_TO_RANK else "as asked for"
        rounds = (
            f"{ranking} rounds, {why}, take about {long_time(ranking * round_s)} in place of "
            f"{limit:g} s; with --max-time, measuring ends sooner"
        )
        return f"{warmups}, and {rounds}" if warmups else rounds
    unranked = ", too few to rank" if fit < ranking else ""
    if not warmups:
        cut = f"{fit} of {plan.rounds} rounds{unranked} are expected to fit in {limit:g} s"
        return cut if fit < plan.rounds else ""
    return (
        f"{warmups}, so that at least {fit} of {plan.rounds} rounds{unranked} fit in {limit:g} s; notes "
        "below the table name the cells that were still warming up. For more of both, select fewer codecs, "
        "workloads or operations, or raise --max-time"
    )


def _cut_warmups(plan: Plan, tasks: Sequence[Cells]) -> str:
    """Return a phrase that says how long cells whose warm-up was cut warm up; empty where none was cut."""
    warm_up = _slowest(tasks)
    warmup_ns = plan.warmup_ns or (warm_up.longest_ns if warm_up else 0)
    if not warm_up or warmup_ns >= warm_up.longest_ns:
        return ""
    titles = dict.fromkeys(task.traits.title for task in tasks if task.traits.warm_up)
    return f"each cell of {' and '.join(titles)} warms up for at most {warmup_ns / 1e9:.1f} s"


def _too_much(plan: Plan, tasks: Sequence[Cells], limit: float) -> str:
    round_s = plan.round_s(tasks)
    by_workload: dict[str, float] = {}
    for task in tasks:
        by_workload[task.workload] = by_workload.get(task.workload, 0.0) + plan.task_s(task)
    each = ", ".join(f"-w {workload} {seconds:.0f} s" for workload, seconds in by_workload.items())
    return (
        f"not even one round fits in {limit:g} s: with the shortest warm-ups it takes about "
        f"{round_s:.0f} s ({each}). Workloads are measured one after the other until that "
        "time is over. Select fewer workloads, codecs (-c) or operations (-o), or use --max-time "
        f"{math.ceil(ROUNDS_TO_RANK * round_s)} for {ROUNDS_TO_RANK} rounds"
    )
