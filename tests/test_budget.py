"""Plans that are fitted into the time that they have."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support import raw_manifest
from tests.test_pipeline import Quiet, make_run, task

from serbench.cli.effort import (
    FIRST_SIGHT_S,
    FURTHER_S_AT_FIRST_SIGHT,
    FURTHER_UNTIL_S,
    LEAST_AT_FIRST_SIGHT_S,
    ROUNDS_QUICK,
    WARMUP_NS_QUICK,
    Effort,
)
from serbench.codecs.traits import Traits
from serbench.languages.jvm.language import WARM_UP
from serbench.measure.budget import fitted, told_of, with_fitting_warmup
from serbench.measure.conversation import Samples
from serbench.measure.job import Job
from serbench.measure.plan import Plan, Task
from serbench.measure.run import Process, execute
from serbench.measure.said import Event
from serbench.measure.store import Journal, Run
from serbench.paths import Paths
from serbench.selecting.selection import Chosen, Operation
from serbench.stats.summary import ROUNDS_TO_RANK

NOTHING = Job(Paths.default(), Chosen([], []))
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
@pytest.mark.parametrize("samples", [2, 3])
def test_rounds_that_rank_and_settling_come_before_a_long_warm_up_and_samples(
    codecs: int, samples: int
) -> None:
    plan = with_fitting_warmup(plan_of(codecs, samples=samples))
    assert plan.warmup_ns is not None and WARM_UP.settling_ns <= plan.warmup_ns <= WARM_UP.longest_ns
    rounds = rounds_in(plan, 480)
    longer = rounds_in(replace(plan, warmup_ns=plan.warmup_ns + 10**8), 480)
    assert plan.warmup_ns == WARM_UP.longest_ns or longer < ROUNDS_TO_RANK
    # samples are given up one by one, where even the shortest warm-up has no room beside them
    one_more = replace(plan, samples=plan.samples + 1, warmup_ns=WARM_UP.settling_ns)
    assert plan.samples == samples or rounds_in(one_more, 480) < ROUNDS_TO_RANK
    assert rounds >= ROUNDS_TO_RANK or (plan.samples, plan.warmup_ns) == (1, WARM_UP.settling_ns)
    longer_told = f"{ROUNDS_TO_RANK} rounds, as many as ranking takes, take about"
    assert (longer_told in told_of(plan)) == (rounds < ROUNDS_TO_RANK)


def test_who_limits_the_time_gets_fewer_rounds_and_then_what_has_not_settled() -> None:
    few = with_fitting_warmup(plan_of(24, max_time_s=400.0))
    assert few.warmup_ns and few.warmup_ns >= WARM_UP.settling_ns and few.samples == 1
    assert rounds_in(few, 400) == 2 and "too few to rank" in told_of(few)
    plan = with_fitting_warmup(plan_of(24, workloads=4, samples=2, max_time_s=480.0))
    assert plan.warmup_ns is not None and plan.warmup_ns < WARM_UP.settling_ns
    assert rounds_in(plan, 480) == 1
    assert "still warming up" in told_of(plan)


def test_what_fits_in_no_time_keeps_a_batch() -> None:
    assert with_fitting_warmup(plan_of(400, max_time_s=480.0)).warmup_ns == WARM_UP.shortest_ns


def test_what_could_be_built_shares_the_time_of_all_that_was_asked_for() -> None:
    asked = fitted(plan_of(26))
    built = Effort().plan_anew(asked, asked.tasks[:6], None)
    assert (asked.samples, built.samples) == (1, 3)
    assert (asked.warmup_ns or 0) < (built.warmup_ns or 0) and rounds_in(built, 480) == ROUNDS_TO_RANK
    one = Effort(quick=True).plan_anew(asked, asked.tasks[:1], None)
    assert (asked.warmup_ns or 0) < WARMUP_NS_QUICK == one.warmup_ns
    # it keeps its own
    assert Effort().plan_anew(asked, asked.tasks[:24], RUN) == replace(asked, tasks=asked.tasks[:24])


def test_who_waits_for_a_first_look_gets_a_ranking_whatever_building_took() -> None:
    effort = Effort(quick=True)
    asked = effort.plan(NOTHING, plan_of(5).tasks)
    soon, late, last = (
        effort.plan_at_first_sight(asked, asked.tasks, waited_s) for waited_s in (40.0, 300.0, 10_000.0)
    )
    assert [each.budget_s for each in (soon, late, last)] == [400, 140, LEAST_AT_FIRST_SIGHT_S]
    assert [each.least_rounds for each in (soon, late, last)] == [ROUNDS_TO_RANK] * 3
    assert (soon.further_s, late.further_s, last.further_s) == (FURTHER_UNTIL_S - 40, 0, 0)
    at_once = effort.plan_at_first_sight(asked, asked.tasks, 2.0)
    assert at_once.further_s == FURTHER_S_AT_FIRST_SIGHT and FIRST_SIGHT_S == 440
    assert soon.warmup_ns and late.warmup_ns and late.warmup_ns < soon.warmup_ns
    assert (soon.samples, late.samples, last.samples) == (2, 1, 1)
    assert (at_once.rounds, soon.rounds, late.rounds) == (ROUNDS_QUICK, ROUNDS_TO_RANK, ROUNDS_TO_RANK)
    exact = Effort(quick=True, rounds=20).plan_at_first_sight(replace(asked, rounds=20), asked.tasks, 40.0)
    assert exact.rounds == 20
    assert last.warmup_ns == WARM_UP.settling_ns


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
    assert told_of(fitted(many)) == (
        "6 rounds, as many as ranking takes, take about 30 s in place of 5 s; with --max-time, measuring "
        "ends sooner"
    )
    assert told_of(fitted(replace(many, budget_s=35.0))) == "7 of 9 rounds are expected to fit in 35 s"
    limited = fitted(replace(many, budget_s=None, max_time_s=5.0))
    assert told_of(limited) == "1 of 9 rounds, too few to rank are expected to fit in 5 s"
    assert told_of(fitted(replace(many, budget_s=480.0))) == ""


def test_where_not_even_one_round_fits_it_is_said_before_and_whole_workloads_are_measured() -> None:
    plan = fitted(plan_of(20, workloads=4, max_time_s=60.0))
    assert plan.by_workload and plan.warmup_ns == WARM_UP.shortest_ns
    said = told_of(plan)
    assert "not even one round fits in 60 s" in said and "-w w0 " in said and "--max-time" in said
    assert not fitted(plan_of(20, workloads=4, budget_s=60.0)).by_workload


def test_a_run_that_is_continued_has_time_for_the_rounds_that_it_lacks(tmp_path: Path) -> None:
    run = make_run(tmp_path, ["fake/0"])
    told = {**raw_manifest(run), "rounds": 9, "budget_s": 60.0, "further_s": 30.0}
    (run.directory / "manifest.json").write_text(json.dumps(told))
    run, tasks = Run(run.directory), plan_of(20).tasks
    plan = Effort().plan(replace(NOTHING, again=run), tasks)
    assert (plan.rounds, plan.least_rounds, plan.budget_s, plan.further_s) == (9, 9, 480.0, None)
    assert Effort(max_time=50.0).plan(replace(NOTHING, again=run), tasks).max_time_s == 50.0


@pytest.mark.parametrize(
    ("limit", "processes", "rounds"),
    [
        ({"max_time_s": 100.0, "least_rounds": 6}, 3, 0),
        ({"budget_s": 100.0}, 3, 0),
        ({"budget_s": 100.0, "least_rounds": 6}, 36, 6),
        ({"budget_s": 100.0, "least_rounds": 2}, 12, 2),
        ({"budget_s": 1000.0, "least_rounds": 2}, 24, 4),
    ],
)
def test_no_process_is_started_after_the_time_is_over_unless_rounds_are_lacking(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    limit: dict[str, float],
    processes: int,
    rounds: int,
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
        plan = Plan(tasks, 6, seed=3, by_workload=True, **limit)  # type: ignore[arg-type]
        outcome = execute(plan, journal, Quiet(), take=takes_40_s)
    assert len(measured) == processes
    assert measured[:3] == ["a", "a", "b"]
    assert (outcome.out_of_time, outcome.rounds_done) == (rounds < 6, rounds)
