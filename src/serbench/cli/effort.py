"""How much a run measures: the options that say so, and the plan that follows from them."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from serbench.cli.options import flag, option
from serbench.cli.quantities import TIMES, percent, seconds
from serbench.codecs.codec import Variant
from serbench.errors import SelectionError
from serbench.languages import languages
from serbench.measure.job import Job
from serbench.measure.manifest import PLANNED
from serbench.measure.parts import parts_of
from serbench.measure.plan import Cells, Plan
from serbench.measure.process import measuring_core
from serbench.measure.store import Run
from serbench.stats.summary import ROUNDS_TO_RANK

DEFAULT_ROUNDS, ROUNDS_QUICK = 15, 9
"""How many rounds are planned. Figures leave out the fastest and the slowest of nine rounds, and three on
each side of fifteen. Times differ up to ten times as much between processes as inside one, so many short
processes tell more than a few long ones."""

DEAR_ROUNDS, DEAR_ROUNDS_QUICK = 9, ROUNDS_TO_RANK
"""How many rounds are planned if cells of some language each warm up for seconds in every round."""

TARGET, TARGET_QUICK = 0.02, 0.05
"""How wide the interval of a ratio to the best codec may be on either side, as a share."""

MOST_ROUNDS_FACTOR = 30
"""Cells that need more rounds get at most so many times the rounds that are planned. A few cells need
hundreds: their times vary by a third, depending on where their code happens to lie."""

BUDGET_S, BUDGET_S_QUICK = 1800.0, 480.0
"""The seconds of measuring after which no round may end, but for as many rounds as ranking takes, unless
``--max-time`` is given. The second number holds for quick runs, and for runs with cells that warm up, whose
warm-up is cut to fit into it (measure/budget.py)."""

SAMPLES, SAMPLES_QUICK = 3, 2
"""How often a process samples each of its cells, unless time is short."""

WARMUP_NS_QUICK = 3_000_000_000
"""The longest warm-up of a cell in a quick run; samples say whether it was enough (``settled``)."""

FIRST_SIGHT_S = 440.0
"""Seconds after which somebody who waits for a first look sees the table, reading and building included:
eight minutes with printing."""

LEAST_AT_FIRST_SIGHT_S = 60.0
"""The least seconds that a first look has for measuring, however long building took."""

FURTHER_S_AT_FIRST_SIGHT = 30.0
"""The seconds of measuring after which a first look adds no round for ratios that are not known as closely as
asked for. Codecs with such ratios are ties in the table; ``run --resume`` measures further."""

SAMPLE_NS_AT_FIRST_SIGHT = Plan.sample_ns // 2
"""The least duration of a sample in a first look: half of that of other runs. Intervals are as wide, since
processes differ more than samples of one."""

FURTHER_UNTIL_S = 60.0
"""The seconds of waiting, building included, after which a first look adds no round to those planned."""

FEWER_ROUNDS_AFTER_S = 30.0
"""The seconds of waiting after which a first look makes only as many rounds as ranking takes; ``run
--resume`` adds the others."""

LAYOUTS, LAYOUTS_QUICK = 8, 3
"""How often each program is linked with its functions in other places. Linking takes 0.16 to 0.18 s of
processor time where compiling takes 5.7 to 7.3 s, so building takes less than a tenth longer with three
layouts, and about a quarter with eight."""

COMPILATIONS, COMPILATIONS_QUICK = 5, 3
"""How often each minimal program is compiled to measure its compile time."""

_WARMED_UP = " or ".join(
    language.traits.title for language in languages().values() if language.traits.warm_up
)


@dataclass(frozen=True)
class Effort:
    """The options that say how much is measured; their defaults depend on what else is asked for."""

    rounds: Annotated[
        int | None,
        option(
            "N",
            "Number of rounds: passes over all cells, each in fresh processes and a new order. "
            f"Default: {DEFAULT_ROUNDS}, quick: {ROUNDS_QUICK}, with {_WARMED_UP} {DEAR_ROUNDS} "
            f"and {DEAR_ROUNDS_QUICK}; --target may add more.",
            min=1,
        ),
    ] = None
    target: Annotated[
        float | None,
        option(
            "PERCENT",
            "Add rounds, for the cells that need them, until ratios are known to within ± this. "
            f"Default: {TARGET:.0%}, quick: {TARGET_QUICK:.0%}; none with --rounds or --iterations.",
            parser=percent,
        ),
    ] = None
    quick: Annotated[
        bool,
        flag(
            "--quick", "Measure fewer rounds, with fewer samples in each, and verify only what is measured."
        ),
    ] = False
    iterations: Annotated[
        int | None,
        option(
            "N", "Take exactly N passes per sample and one sample per round, as published programs do.", min=1
        ),
    ] = None
    max_time: Annotated[
        float | None,
        option(
            "TIME",
            f"Start nothing new after this time of measuring, {TIMES}. Default: after the "
            f"{ROUNDS_TO_RANK} rounds that ranking takes, start none that would end after {BUDGET_S:g} s, "
            f"quick or with {_WARMED_UP}: {BUDGET_S_QUICK:g} s.",
            parser=seconds(least=0),
        ),
    ] = None
    layouts: Annotated[
        int | None,
        option(
            "N",
            "Link each compiled program N times with its functions at different addresses, and "
            "rotate rounds over these; 0: measure it as the linker places them. Default: "
            f"{LAYOUTS}, quick: {LAYOUTS_QUICK}.",
            min=0,
            max=64,
        ),
    ] = None
    seed: Annotated[
        int | None, option("N", "Seed of the random order. Default: drawn, and recorded in the run.")
    ] = None

    @property
    def compilations(self) -> int:
        return COMPILATIONS_QUICK if self.quick else COMPILATIONS

    @property
    def samples(self) -> int:
        """The number of samples that each process takes of a cell, if there is time for them."""
        return 1 if self.iterations else SAMPLES_QUICK if self.quick else SAMPLES

    def refuse_for(self, run: Run) -> None:
        """Raises SelectionError if an option is given that a continued run takes from its manifest."""
        if self.layouts is not None:
            raise SelectionError("--resume uses the number of layouts of the run; leave out --layouts")
        if self.iterations:
            raise SelectionError("--resume uses the run's own --iterations; leave it out, or start a new run")

    def layouts_of(self, again: Run | None) -> int:
        """The number of layouts of each program: that of the run ``again``, if one is continued."""
        runs = (parts_of(again) if again.manifest.cluster else [again]) if again else []
        if runs:
            return max((len(unit.layouts) for run in runs for unit in run.taken.units.values()), default=0)
        return (LAYOUTS_QUICK if self.quick else LAYOUTS) if self.layouts is None else self.layouts

    def plan(self, job: Job, slower: float = 1.0) -> Plan:
        """The plan of a job, not yet fitted to tasks: that of the run that is continued, or else a new one.

        Args:
            slower: how many times as long as usual measuring takes on this machine.
        """
        plan = _plan_again(job.again) if job.again else self._new_plan(job.chosen.variants)
        apart, limit_s = job.chosen.apart, job.time_limit_s
        plan = self._with_limits(replace(plan, silence_limit_s=limit_s, apart=apart, slower=slower))
        return replace(plan, least_rounds=plan.rounds) if job.again else plan

    def at_first_sight(self, plan: Plan, waited_s: float) -> Plan:
        """The plan cut short for a first look, the more the longer its user will have waited by then."""
        plan = at_first_sight(plan, waited_s)
        if waited_s > FEWER_ROUNDS_AFTER_S and self.rounds is None:
            plan = replace(plan, rounds=min(plan.rounds, ROUNDS_TO_RANK))
        return plan

    def _new_plan(self, variants: Sequence[Variant]) -> Plan:
        """The plan of a new run, still without the limits that are given as options."""
        dear = any(variant.codec.traits.warm_up for variant in variants)
        rounds = (DEAR_ROUNDS, DEAR_ROUNDS_QUICK) if dear else (DEFAULT_ROUNDS, ROUNDS_QUICK)
        return Plan(
            tasks=[],
            rounds=rounds[self.quick],
            seed=secrets.randbits(32) if self.seed is None else self.seed,
            target=None if self.iterations else TARGET_QUICK if self.quick else TARGET,
            budget_s=BUDGET_S_QUICK if self.quick or dear else BUDGET_S,
            samples=self.samples,
            iterations=self.iterations,
            warmup_ns=WARMUP_NS_QUICK if self.quick else None,
            core=measuring_core(),
        )

    def _with_limits(self, plan: Plan) -> Plan:
        """The plan with the limits of options. Given rounds are exact, unless a target is given too."""
        target = self.target or (None if self.rounds else plan.target)
        plan = replace(plan, rounds=self.rounds or plan.rounds, target=target)
        if self.max_time is not None:
            plan = replace(plan, max_time_s=self.max_time, budget_s=None)
        least = min(plan.rounds, ROUNDS_TO_RANK)
        return replace(plan, most_rounds=MOST_ROUNDS_FACTOR * plan.rounds, least_rounds=least)


def at_first_sight(plan: Plan, waited_s: float) -> Plan:
    """The plan with the time that is left for a first look, whose user has waited for so many seconds."""
    left_s = max(FIRST_SIGHT_S - waited_s, LEAST_AT_FIRST_SIGHT_S)
    further_s = min(FURTHER_S_AT_FIRST_SIGHT, max(FURTHER_UNTIL_S - waited_s, 0.0))
    limits: dict[str, Any] = {"budget_s": round(left_s), "further_s": round(further_s)}
    return replace(plan, sample_ns=SAMPLE_NS_AT_FIRST_SIGHT, **limits)


def print_plan(plan: Plan, tasks: Sequence[Cells], timed: bool) -> None:
    """Prints the tasks, and how long the plan takes with them where they are ``timed``."""
    asked = [task for task in tasks if not task.beside]
    for task in asked:
        print(
            f"{' '.join(filter(None, (task.codec, task.compiler)))} × {task.workload}: "
            f"{', '.join(map(str, task.operations))}"
        )
    if beside := ", ".join(dict.fromkeys(task.codec for task in tasks if task.beside)):
        print(f"and beside them {beside}, a floor, so that who is faster is seen")
    cells = sum(len(task.operations) for task in asked)
    more = ", more if ratios need it" if plan.target else ""
    time = f": about {plan.estimate_s(tasks):.0f} s of measuring after the build{more}" if timed else ""
    print(
        f"{cells} cells in {len(asked)} processes a round, {plan.rounds} rounds, seed {plan.seed}{time}; "
        "operations that a codec does not offer are left out"
    )
    for title in dict.fromkeys(task.traits.title for task in asked if task.traits.warm_up):
        count = sum(task.traits.title == title for task in asked)
        print(
            f"{count} of the processes are {title}; each codec is first verified in two starts, unless it "
            "already was"
        )


def _plan_again(run: Run) -> Plan:
    """The plan of a run that is continued. Limits that were meant for the time before the break hold no
    longer; a continued first look has the time of a quick run."""
    was = run.manifest
    planned = {name: getattr(was, name) for name in PLANNED}
    budget_s = None if was.budget_s is None else max(was.budget_s, BUDGET_S_QUICK)
    limits: dict[str, Any] = {"max_time_s": None, "further_s": None, "budget_s": budget_s}
    return Plan(tasks=[], **planned | limits)
