"""Tests of plans that are fitted into a given time."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support import raw_manifest
from tests.test_pipeline import Quiet, make_run, task

from serbench.building.experience import Experience
from serbench.cli.effort import (
    FIRST_SIGHT_S,
    FURTHER_S_AT_FIRST_SIGHT,
    FURTHER_UNTIL_S,
    LEAST_AT_FIRST_SIGHT_S,
    ROUNDS_QUICK,
    SAMPLE_NS_AT_FIRST_SIGHT,
    WARMUP_NS_QUICK,
    Effort,
)
from serbench.cli.outlook import Outlook
from serbench.cli.parts_timed import Timing
from serbench.codecs.traits import Traits
from serbench.languages.jvm.language import WARM_UP
from serbench.measure.budget import briefest, fitted, told_of, with_fitting_warmup
from serbench.measure.conversation import Samples
from serbench.measure.job import Job
from serbench.measure.plan import Cells, Plan
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


def of_jvm(codecs: int, workloads: int = 1) -> list[Cells]:
    return [
        Cells(f"jvm/{n}", f"w{w}", HEADLINE, traits=Traits("the JVM", warm_up=WARM_UP))
        for n in range(codecs)
        for w in range(workloads)
    ]


def plan_of(**changes: object) -> Plan:
    return replace(Plan([], rounds=9, seed=1, samples=3, budget_s=480.0), **changes)  # type: ignore[arg-type]


def rounds_in(plan: Plan, tasks: Sequence[Cells], seconds: float) -> int:
    return int(seconds // replace(plan, rounds=1, budget_s=None).estimate_s(tasks))


def test_one_codec_keeps_its_warm_up() -> None:
    plan = with_fitting_warmup(plan_of(), of_jvm(1))
    assert plan.warmup_ns == WARM_UP.longest_ns
    assert told_of(plan, of_jvm(1)) == ""


@pytest.mark.parametrize("codecs", [2, 4, 6, 9, 12, 16, 24, 40])
@pytest.mark.parametrize("samples", [2, 3])
def test_rounds_that_rank_and_settling_come_before_a_long_warm_up_and_samples(
    codecs: int, samples: int
) -> None:
    tasks = of_jvm(codecs)
    plan = with_fitting_warmup(plan_of(samples=samples), tasks)
    assert plan.warmup_ns is not None and WARM_UP.settling_ns <= plan.warmup_ns <= WARM_UP.longest_ns
    rounds = rounds_in(plan, tasks, 480)
    longer = rounds_in(replace(plan, warmup_ns=plan.warmup_ns + 10**8), tasks, 480)
    assert plan.warmup_ns == WARM_UP.longest_ns or longer < ROUNDS_TO_RANK
    # samples are given up one by one, where even the shortest warm-up has no room beside them
    one_more = replace(plan, samples=plan.samples + 1, warmup_ns=WARM_UP.settling_ns)
    assert plan.samples == samples or rounds_in(one_more, tasks, 480) < ROUNDS_TO_RANK
    assert rounds >= ROUNDS_TO_RANK or (plan.samples, plan.warmup_ns) == (1, WARM_UP.settling_ns)
    longer_told = f"{ROUNDS_TO_RANK} rounds, as many as ranking takes, take about"
    assert (longer_told in told_of(plan, tasks)) == (rounds < ROUNDS_TO_RANK)


def test_who_limits_the_time_gets_fewer_rounds_and_then_what_has_not_settled() -> None:
    tasks, many = of_jvm(24), of_jvm(24, workloads=4)
    few = with_fitting_warmup(plan_of(max_time_s=450.0), tasks)
    assert few.warmup_ns and few.warmup_ns >= WARM_UP.settling_ns and few.samples == 1
    assert rounds_in(few, tasks, 450) == 2 and "too few to rank" in told_of(few, tasks)
    plan = with_fitting_warmup(plan_of(samples=2, max_time_s=480.0), many)
    assert plan.warmup_ns is not None and plan.warmup_ns < WARM_UP.settling_ns
    assert rounds_in(plan, many, 480) == 1
    assert "still warming up" in told_of(plan, many)


def test_parts_fit_into_a_time_to_which_warm_ups_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = of_jvm(1)
    plan = plan_of(max_time_s=100.0)
    assert briefest(plan, tasks).round_s(tasks) < plan.round_s(tasks) / 2
    assert briefest(plan, []) == plan, "nothing warms up"
    monkeypatch.setattr(Outlook, "tasks", tasks)
    monkeypatch.setattr(Outlook, "of", lambda *_: Outlook(NOTHING, Effort(), Experience(Path()), plan))
    timing = Timing(NOTHING, [], Effort(max_time=100.0), None)
    for left_s, parts in {700.0: 4, 350.0: 1, 200.0: 1, 130.0: 1, 100.0: 0, 1.0: 0}.items():
        monkeypatch.setattr(Timing, "left_s", left_s)
        assert len(timing.fitting([f"empty={n}" for n in range(50)])) == parts
        datasets, reserve = timing.room()
        assert datasets == {700.0: 5, 130.0: 1}.get(left_s, 2 * parts)
        everything = tasks * (1 + datasets)
        cut = with_fitting_warmup(replace(plan, max_time_s=left_s / reserve), everything)
        if parts:
            assert cut.warmup_ns and cut.warmup_ns >= WARM_UP.settling_ns
            assert rounds_in(cut, everything, left_s) >= ROUNDS_TO_RANK


def test_what_fits_in_no_time_keeps_a_batch() -> None:
    assert with_fitting_warmup(plan_of(max_time_s=480.0), of_jvm(400)).warmup_ns == WARM_UP.shortest_ns


def test_what_could_be_built_shares_the_time_of_all_that_was_asked_for() -> None:
    tasks = of_jvm(26)
    plan, outlook = plan_of(), Outlook(NOTHING, Effort(), Experience(Path()), plan_of())
    asked, built = outlook.fitted(tasks), outlook.fitted(tasks[:6])
    assert (asked.samples, built.samples) == (1, 3)
    least = rounds_in(built, tasks[:6], 480)
    assert (asked.warmup_ns or 0) < (built.warmup_ns or 0) and least == ROUNDS_TO_RANK
    one = fitted(replace(plan, warmup_ns=WARMUP_NS_QUICK), tasks[:1])
    assert (asked.warmup_ns or 0) < WARMUP_NS_QUICK == one.warmup_ns
    again = replace(outlook, job=replace(NOTHING, again=RUN))
    assert again.fitted(tasks[:24]) == plan  # it keeps its own


def test_who_waits_for_a_first_look_gets_a_ranking_whatever_building_took() -> None:
    effort = Effort(quick=True)
    outlook = Outlook.of(replace(NOTHING, looking_since=0.0), effort)
    tasks = of_jvm(5)
    soon, late, last = (outlook.fitted(tasks, waited_s) for waited_s in (40.0, 300.0, 10_000.0))
    assert [each.budget_s for each in (soon, late, last)] == [400, 140, LEAST_AT_FIRST_SIGHT_S]
    assert [each.least_rounds for each in (soon, late, last)] == [ROUNDS_TO_RANK] * 3
    assert (soon.further_s, late.further_s, last.further_s) == (FURTHER_UNTIL_S - 40, 0, 0)
    at_once = outlook.fitted(tasks, 2.0)
    assert at_once.further_s == FURTHER_S_AT_FIRST_SIGHT and FIRST_SIGHT_S == 440
    assert soon.sample_ns == SAMPLE_NS_AT_FIRST_SIGHT < outlook.plan.sample_ns
    assert soon.warmup_ns and late.warmup_ns and late.warmup_ns < soon.warmup_ns
    assert (soon.samples, late.samples, last.samples) == (2, 1, 1)
    assert (at_once.rounds, soon.rounds, late.rounds) == (ROUNDS_QUICK, ROUNDS_TO_RANK, ROUNDS_TO_RANK)
    exact = Effort(quick=True, rounds=20)
    assert exact.at_first_sight(exact.plan(NOTHING), 40.0).rounds == 20
    assert last.warmup_ns == WARM_UP.settling_ns


def test_the_time_asked_for_counts() -> None:
    brief, long = (with_fitting_warmup(plan_of(max_time_s=s), of_jvm(6)) for s in (100.0, 3600.0))
    assert (
        brief.warmup_ns is not None
        and long.warmup_ns == WARM_UP.longest_ns
        and brief.warmup_ns < long.warmup_ns
    )


def test_plans_without_a_jit_compiler_or_a_limit_stay_as_they_are() -> None:
    native, tasks = Plan([], 9, 1, budget_s=10.0), [Cells("cpp/a", "w", HEADLINE)]
    assert with_fitting_warmup(native, tasks) is native and told_of(native, tasks) == ""
    for plan in (plan_of(budget_s=None), plan_of(iterations=5)):
        assert with_fitting_warmup(plan, of_jvm(24)) is plan


def test_fewer_native_rounds_are_said_before() -> None:
    many = [Cells(f"cpp/{n}", "w", HEADLINE) for n in range(20)]

    def told(**limits: float | None) -> str:
        return told_of(fitted(plan_of(**limits), many), many)

    assert told(budget_s=5.0) == (
        "6 rounds, as many as ranking takes, take about 30 s in place of 5 s; with --max-time, measuring "
        "ends sooner"
    )
    assert told(budget_s=35.0) == "7 of 9 rounds are expected to fit in 35 s"
    limited = told(budget_s=None, max_time_s=5.0)
    assert limited == "1 of 9 rounds, too few to rank are expected to fit in 5 s"
    assert told(budget_s=480.0) == ""


def test_where_not_even_one_round_fits_it_is_said_before_and_whole_workloads_are_measured() -> None:
    tasks = of_jvm(20, workloads=4)
    plan = fitted(plan_of(max_time_s=60.0), tasks)
    assert plan.by_workload and plan.warmup_ns == WARM_UP.shortest_ns
    said = told_of(plan, tasks)
    assert "not even one round fits in 60 s" in said and "-w w0 " in said and "--max-time" in said
    assert not fitted(plan_of(budget_s=60.0), tasks).by_workload


def test_a_run_that_is_continued_has_time_for_the_rounds_that_it_lacks(tmp_path: Path) -> None:
    run = make_run(tmp_path, ["fake/0"])
    told = {**raw_manifest(run), "rounds": 9, "budget_s": 60.0, "further_s": 30.0}
    (run.directory / "manifest.json").write_text(json.dumps(told))
    job = replace(NOTHING, again=Run(run.directory))
    plan = Effort().plan(job)
    assert (plan.rounds, plan.least_rounds, plan.budget_s, plan.further_s) == (9, 9, 480.0, None)
    assert Effort(max_time=50.0).plan(job).max_time_s == 50.0


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
