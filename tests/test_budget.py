"""Plans that are fitted into the time that they have."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.test_pipeline import Quiet, make_run, task

from serbench.cli.effort import (
    FIRST_SIGHT_S,
    FURTHER_S_AT_FIRST_SIGHT,
    LEAST_AT_FIRST_SIGHT_S,
    PLANNED_AT_FIRST_SIGHT,
    WARMUP_NS_QUICK,
    Effort,
)
from serbench.languages.jvm.language import WARM_UP
from serbench.measure.budget import fitted, told_of, with_fitting_warmup
from serbench.measure.conversation import Samples
from serbench.measure.plan import Plan, Task
from serbench.measure.run import Process, execute
from serbench.measure.said import Event
from serbench.measure.store import Journal, Run
from serbench.selection import Chosen, Operation
from serbench.stats.summary import ROUNDS_TO_RANK
from serbench.traits import Traits

HEADLINE = (
    Operation("serialize", "reuse"),
    Operation("deserialize", "reuse"),
    Operation("deserialize", "fresh"),
)


RUN = Run(Path())  # one that is continued


def plan_of(codecs: int, workloads: int = 1, **changes: object) -> Plan:
    tasks = [
        Task(f"jvm/{n}", f"w{w}", (), "", HEADLINE, traits=Traits("the JVM", warm_up=WARM_UP))
        for n in range(codecs)
        for w in range(workloads)
    ]
    return replace(Plan(tasks, rounds=9, seed=1, samples=3, budget_s=480.0), **changes)  # type: ignore[arg-type]


def rounds_in(plan: Plan, seconds: float) -> int:
    return int(seconds // replace(plan, rounds=1, budget_s=None).estimate_s())


def test_one_codec_keeps_its_warm_up() -> None:
    plan = with_fitting_warmup(plan_of(1))
    assert plan.warmup_ns == WARM_UP.longest_ns
    assert told_of(plan) == ""


@pytest.mark.parametrize("codecs", [2, 4, 6, 9, 12, 16, 24, 40])
def test_rounds_that_rank_come_before_a_long_warm_up_and_settling_before_rounds(codecs: int) -> None:
    plan = with_fitting_warmup(plan_of(codecs))
    assert plan.warmup_ns is not None and WARM_UP.settling_ns <= plan.warmup_ns <= WARM_UP.longest_ns
    rounds = rounds_in(plan, 480)
    assert rounds >= 1
    longer = rounds_in(replace(plan, warmup_ns=plan.warmup_ns + 10**8), 480)
    assert plan.warmup_ns == WARM_UP.longest_ns or longer < min(rounds, ROUNDS_TO_RANK)
    assert rounds >= ROUNDS_TO_RANK or rounds_in(replace(plan, warmup_ns=WARM_UP.settling_ns), 480) == rounds
    assert ("too few to rank" in told_of(plan)) == (rounds < ROUNDS_TO_RANK)


def test_a_selection_of_four_workloads_ends_in_time_too() -> None:
    plan = with_fitting_warmup(plan_of(24, workloads=4, samples=2))
    assert plan.warmup_ns is not None and plan.warmup_ns < WARM_UP.settling_ns
    assert rounds_in(plan, 480) == 1
    assert "still warming up" in told_of(plan)


def test_what_fits_in_no_time_keeps_a_batch() -> None:
    assert with_fitting_warmup(plan_of(400)).warmup_ns == WARM_UP.shortest_ns


def test_what_could_be_built_shares_the_time_of_all_that_was_asked_for() -> None:
    asked = fitted(plan_of(26))
    built = Effort().plan_anew(asked, asked.tasks[:24], None)
    assert (rounds_in(asked, 480), rounds_in(built, 480)) == (1, 2)
    one = Effort(quick=True).plan_anew(asked, asked.tasks[:1], None)
    assert one.warmup_ns == WARMUP_NS_QUICK < (asked.warmup_ns or 0)
    # it keeps its own
    assert Effort().plan_anew(asked, asked.tasks[:24], RUN) == replace(asked, tasks=asked.tasks[:24])


def test_who_waits_for_a_first_look_waits_as_long_whatever_building_took() -> None:
    effort = Effort(quick=True)
    asked = effort.plan(Chosen([], [], [], []), plan_of(15).tasks, 60.0, None)
    soon, late, last = (
        effort.plan_at_first_sight(asked, asked.tasks, waited_s) for waited_s in (40.0, 300.0, 10_000.0)
    )
    assert [each.budget_s for each in (soon, late, last)] == [400, 140, LEAST_AT_FIRST_SIGHT_S]
    assert [effort.layouts_of(None, waited_s) for waited_s in (0.0, 200.0, 300.0)] == [3, 3, 0]
    assert soon.further_s == FURTHER_S_AT_FIRST_SIGHT and FIRST_SIGHT_S == 440
    assert soon.warmup_ns and late.warmup_ns and late.warmup_ns < soon.warmup_ns
    assert all(rounds_in(each, PLANNED_AT_FIRST_SIGHT * (each.budget_s or 0)) >= 1 for each in (soon, late))


def test_the_time_asked_for_counts() -> None:
    brief, long = (with_fitting_warmup(plan_of(6, max_time_s=s)) for s in (100.0, 3600.0))
    assert (
        brief.warmup_ns is not None
        and long.warmup_ns == WARM_UP.longest_ns
        and brief.warmup_ns < long.warmup_ns
    )


def test_plans_without_a_jit_compiler_or_a_limit_stay_as_they_are() -> None:
    native = Plan([Task("cpp/a", "w", (), "", HEADLINE)], 9, 1, budget_s=10.0)
    assert with_fitting_warmup(native) is native and told_of(native) == ""
    for plan in (plan_of(24, budget_s=None), plan_of(24, iterations=5)):
        assert with_fitting_warmup(plan) is plan


def test_fewer_native_rounds_are_said_before() -> None:
    many = replace(
        plan_of(20, budget_s=5.0), tasks=[Task(f"cpp/{n}", "w", (), "", HEADLINE) for n in range(20)]
    )
    assert told_of(fitted(many)) == "1 of 9 rounds, too few to rank are expected to fit in 5 s"
    assert told_of(fitted(replace(many, budget_s=480.0))) == ""


def test_where_not_even_one_round_fits_it_is_said_before_and_whole_workloads_are_measured() -> None:
    plan = fitted(plan_of(20, workloads=4, budget_s=60.0))
    assert plan.by_workload and plan.warmup_ns == WARM_UP.shortest_ns
    said = told_of(plan)
    assert "not even one round fits in 60 s" in said and "-w w0 " in said and "--max-time" in said
    assert not fitted(plan_of(2)).by_workload


def test_no_process_is_started_after_the_time_is_over_not_even_in_the_first_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    measured: list[str] = []

    def takes_40_s(process: Process, expected: Samples) -> Iterator[Event]:
        clock[0] += 40
        measured.append(process.command[0])
        return iter(())

    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    tasks = [
        replace(task(f"fake/{n}"), workload=workload, command=(workload,))
        for workload in ("a", "b", "c")
        for n in range(2)
    ]
    run = make_run(tmp_path, ["fake/0", "fake/1"])
    with Journal(run) as journal:
        plan = Plan(tasks, 6, seed=3, budget_s=100, by_workload=True)
        outcome = execute(plan, journal, Quiet(), take=takes_40_s)
    assert measured == ["a", "a", "b"]
    assert outcome.out_of_time and outcome.rounds_done == 0
