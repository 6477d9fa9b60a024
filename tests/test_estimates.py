"""Tests that what `--dry-run` says of metrics besides time counts what is measured; no time is taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests import test_calls, test_threads
from tests.support import all_workloads
from tests.test_outlook import outlook

from serbench.building.experience import Experience
from serbench.cli.other_metrics import CALLS, FOOTPRINTS, THREADS, foreseen_s, learn
from serbench.codecs.traits import Traits, Typical, WarmUp
from serbench.dataset.cache import dataset_for
from serbench.errors import DatasetError
from serbench.measure import calls, threads
from serbench.measure.calls import called_operations, calls_estimate_s
from serbench.measure.footprint import footprints_estimate_s
from serbench.measure.pace import Pace
from serbench.measure.plan import Cells, Plan
from serbench.measure.threads import threads_estimate_s
from serbench.measure.wire import BLOCK_BYTES, wire_estimate_s
from serbench.selecting.selection import Operation, select_workloads

SERIALIZE = Operation("serialize", "reuse")

STARTS = Traits("a language", typical=Typical(start_s=1.0))
"""A language each of whose processes takes a second to start."""


@pytest.fixture(name="started")
def counts_processes(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """The commands of the processes that are started from now on, of which calls and samples are taken to
    last no time."""
    commands: list[Sequence[str]] = []
    for module in (calls, threads):
        usual = module.run_runner

        def run(command: Sequence[str], *how: Any, usual: Any = usual) -> Iterator[Any]:
            commands.append(command)
            return usual(command, *how)  # type: ignore[no-any-return]

        monkeypatch.setattr(module, "run_runner", run)
    monkeypatch.setattr(calls, "WARMUP_NS", 0)
    monkeypatch.setattr(threads, "_AROUND_S", 0.0)
    return commands


def test_each_process_of_single_calls_is_counted(tmp_path: Path, started: list[Sequence[str]]) -> None:
    run = test_calls.measured(tmp_path, one="none", other="none")
    tasks = [Cells(codec, "fake", (test_calls.SERIALIZE,), traits=STARTS) for codec in run.manifest.codecs]
    plan = Plan([], run.manifest.rounds, seed=1)
    by_metric = [calls_estimate_s(plan, tasks, metric, ()) for metric in ("latency", "first")]
    assert by_metric == [len(started) / 2] * 2 and len(started) == 12


def test_each_process_of_threads_is_counted(tmp_path: Path, started: list[Sequence[str]]) -> None:
    """Another process is started with each, which judges what its passes left."""
    alone = test_threads.task("none", STARTS)
    tasks = [alone, replace(alone, shares=True, codec="cpp/slow")]
    test_threads.measured(tmp_path, *tasks, rounds=2)
    assert threads_estimate_s(Plan([], 2, seed=1, sample_ns=0), tasks) == 2 * len(started) > 4


def test_a_cell_of_each_memory_policy_is_counted() -> None:
    both = [Operation("serialize", memory) for memory in ("reuse", "fresh")]
    task, plan = Cells("fake/a", "w", tuple(both)), Plan([], 2, seed=1)
    for memory in ((), ("reuse", "fresh")):
        cells = called_operations(both, memory)
        assert calls_estimate_s(plan, [task], "latency", memory) == pytest.approx(2 * len(cells) * 0.12)


def test_the_estimate_knows_that_a_jvm_warms_up_and_that_time_is_limited() -> None:
    cells = [Cells("cpp/a", "fake", (SERIALIZE, Operation("deserialize", "fresh")))]
    native = Plan([], 10, 1, samples=3, sample_ns=10_000_000)
    assert native.estimate_s(cells) == pytest.approx(10 * (2 * 0.02 + 2 * 7 * 0.01))
    warm_up = WarmUp(3, 2.0, 0.25, 10_000_000_000, 1_500_000_000, 100_000_000)
    cells = [
        Cells(
            "jvm/a",
            "fake",
            (SERIALIZE, Operation("deserialize", "fresh")),
            traits=Traits("the JVM", warm_up=warm_up),
        )
    ]
    java = Plan([], 10, 1, samples=2, warmup_ns=3_000_000_000)
    one = 2 * 2.0 + 2 * (3.0 + 3 * 0.25)  # a fork and a judge, and two cells of warm-up and samples
    assert java.estimate_s(cells) == pytest.approx(10 * one)
    lighter = Traits("the JVM", warm_up=replace(warm_up, runner_s=0.5))  # which starts no fork to judge
    assert java.estimate_s([replace(cells[0], traits=lighter)]) == pytest.approx(10 * (one - 1.5))
    assert replace(java, budget_s=20.0).estimate_s(cells) == 20.0
    assert replace(java, budget_s=2.0).estimate_s(cells) == 2.0
    assert replace(java, budget_s=20.0, max_time_s=5.0).estimate_s(cells) == 5.0


def test_calls_take_as_long_as_messages_do_and_no_longer_than_they_may() -> None:
    plan = Plan([], rounds=10, seed=1)
    warm = Traits("a language", warm_up=WarmUp(1, 1.5, 0.2, 10**10, 10**9, 10**8, runner_s=0.5))
    task = Cells("fake/a", "w", (SERIALIZE,), message_bytes=20, pace=Pace(1000.0))
    slow, many = replace(task, message_bytes=1e6), replace(task, pass_bytes=500_000)
    for own, metric, seconds in (
        (task, "latency", 0.02 + 0.1 + 0.2),
        (task, "first", 0.02 + 2 * 0.4),
        (replace(task, traits=warm), "latency", 1.0 + 2.0 + 0.2),
        (replace(task, traits=warm), "first", 1.0 + 2 * 0.4),
        (slow, "latency", 0.02 + 0.1 + 1.0),
        (slow, "first", 0.02 + 3.0),
        (many, "latency", 2 * 0.5 + 0.02 + 0.1 + 0.2),
    ):
        assert calls_estimate_s(plan, [own], metric, ()) == pytest.approx(10 * seconds), (metric, seconds)


def test_passes_over_data_that_were_made_are_foreseen(tmp_path: Path) -> None:
    look = outlook(tmp_path, ["python/popular"])
    assert {task.pass_s for task in look.tasks} == {0.0}
    (spec,) = look.job.chosen.workloads
    with pytest.raises(DatasetError, match="its data were not made yet"):
        dataset_for(spec, look.job.paths, make=False)
    made = dataset_for(spec, look.job.paths)
    per_byte = {task.codec: task.traits.typical.pass_ns for task in look.tasks}
    for task in look.tasks:
        assert task.pass_s > 0
        assert task.pass_s == pytest.approx(per_byte[task.codec] * made.canonical_bytes / 1e9)
    (changed,) = select_workloads(["monsters/empty=monsters"], all_workloads())
    chosen = replace(look.job.chosen, workloads=[changed])
    other = replace(look, job=replace(look.job, chosen=chosen)).tasks
    assert [task.pass_s for task in other] == [task.pass_s for task in look.tasks], "those of what it is of"


def test_counts_are_foreseen_by_their_processes() -> None:
    """Under valgrind programs are slow, and a figure that a language does not have takes no time."""
    plan = Plan([], rounds=10, seed=1)
    task = Cells("fake/a", "w", (SERIALIZE,) * 3, traits=STARTS)
    blind = replace(task, traits=replace(STARTS, no_figure={"instructions": "why", "peak": "why"}))
    for own, metric, valgrind, seconds in (
        ([task], "memory", True, 3 * (4 + 1)),
        ([task, blind], "memory", True, 3 * (4 + 1) + 3 * 4),
        ([task], "instructions", False, 3 * 2),
        ([task, blind], "instructions", True, 3 * 2 * 15),
    ):
        found = footprints_estimate_s(plan, own, metric, valgrind)
        assert found == pytest.approx(seconds), (metric, valgrind)
    longer = replace(task, pass_bytes=1_000_000, pace=Pace(1000.0))  # one pass of a second, and one more
    more_s = footprints_estimate_s(plan, [longer], "memory", valgrind=False) - 3 * 5
    assert more_s == pytest.approx(3 * (4 * (2 + 2 + 1) + 1 * (2 + 2)))


def test_each_file_of_compressed_messages_is_foreseen() -> None:
    """Each has a process in every round: one byte, and each codec's messages, alone and in blocks where two
    fit into one."""
    plan = Plan([], rounds=10, seed=1, sample_ns=0)
    one = Cells("fake/a", "w", (SERIALIZE,), traits=STARTS, message_bytes=100, pass_bytes=100)
    many, long = replace(one, pass_bytes=200), replace(one, message_bytes=BLOCK_BYTES, pass_bytes=10**9)
    for tasks, files in (([one], 2), ([one, many], 4), ([many, many], 5), ([replace(long, pace=Pace(0))], 2)):
        encoded_s = len(tasks) * 1.0
        assert wire_estimate_s(plan, tasks) - encoded_s == pytest.approx(10 * 0.1 * files), tasks


def test_a_program_is_foreseen_by_its_own_pace(tmp_path: Path) -> None:
    """The pace that is learned is the one with which the plan foresees what was taken, whatever part of it
    was the warm-up, and whatever was to be made ready."""
    warm = Traits("a language", warm_up=WarmUp(2, 1.5, 0.2, 10**10, 10**9, 10**8))
    plan = Plan([], rounds=10, seed=1)
    cut = replace(plan, warmup_ns=10**9)
    for traits, around_s in ((warm, 3 * 1.5 + 3 * 4 * 0.2), (STARTS, 2 + 3 * 6 * 0.2)):
        task = Cells("fake/a", "w", (SERIALIZE,) * 3, traits=traits, pass_bytes=1_000_000)
        for batches, warmup_s in ((10.0, 2.0), (20.0, 4.0)):
            process_s = around_s + (3 * warmup_s + 2 * 7.0 if traits.warm_up else 7.0)
            pace = plan.learned_pace(task, 0.2e9, batches, process_s)
            assert [pace.pass_ns, pace.made_s, pace.made_bytes] == pytest.approx([200, 7.0, 1_000_000])
            assert pace.warmup_s == (pytest.approx(warmup_s) if traits.warm_up else None)
            known = replace(task, pace=pace)
            assert plan.task_s(known) == pytest.approx(process_s), traits
            if traits.warm_up:
                assert plan.task_s(known) - cut.task_s(known) == pytest.approx(3 * (warmup_s - 1.0))
    crowded = plan.learned_pace(task, 0.2e9, 3.0, process_s + 7.0, crowd=2.0)
    assert crowded.made_s == pytest.approx(7.0), "others took half of the time"
    brief = plan.learned_pace(task, 1e3, 3.0, 0.1)
    assert brief.made_s == 0.0, "less than was foreseen"


def test_messages_are_made_ready_in_proportion_and_no_slow_start_grows_with_them() -> None:
    pace = Pace(1000.0, made_s=3.0, made_bytes=10**6)
    assert pace.making_s(10**6) == pytest.approx(3.0)
    assert pace.making_s(10**5) == pytest.approx(0.3)
    assert pace.making_s(3 * 10**6) == pytest.approx(3.0 + 2 * 2 * 1.0)
    assert Pace(1000.0).making_s(10**6) == pytest.approx(2 * 1.0), "two passes where nothing is known"
    typical = Pace.typical(Traits("a language", typical=Typical(made_ns=50.0)))
    assert [typical.making_s(size) for size in (0, 10**6, 10**12)] == pytest.approx([0.0, 0.05, 50_000.0])
    started = Pace(1000.0, made_s=3.0, made_bytes=200)
    assert started.making_s(10**6) == pytest.approx(3.0 + 2 * 1.0, rel=1e-3)


def test_a_warm_up_that_is_known_counts_up_to_its_limit() -> None:
    warm = Traits("a language", warm_up=WarmUp(3, 1.5, 0.2, 10**10, 10**9, 10**8))
    plan = Plan([], rounds=10, seed=1)
    cut = replace(plan, warmup_ns=10**9)
    warmed, short = Pace(1.0, 3.0), Pace(1.0, 0.5)
    task = Cells("fake/a", "w", (SERIALIZE,), traits=warm, pace=warmed)
    assert plan.task_s(task) - cut.task_s(task) == pytest.approx(2.0)
    assert cut.task_s(task) - cut.task_s(replace(task, pace=short)) == pytest.approx(0.5)


def test_paces_are_kept_and_of_others_the_warm_up_is_foreseen(tmp_path: Path) -> None:
    known, traits = Experience.of(tmp_path), Traits("a language", typical=Typical(pass_ns=7.0))
    assert known.pace_of("fake/a", traits) == Pace.typical(traits)
    for number, warmup_s in enumerate((1.0, 2.0, 30.0)):
        known.paced(f"fake/{number}", Pace(3.0, warmup_s), is_cut=False)
    known.paced("other/a", Pace(5.0), is_cut=False)
    known.paced("fake/1", Pace(4.0, 0.5), is_cut=True)
    known.paced("fake/2", Pace(4.0, 20.0), is_cut=False)
    made = Pace(5.0, 9.0, made_s=2.0, made_bytes=7)
    known.paced("other/b", made, is_cut=True)
    known.keep()
    known = Experience.of(tmp_path)
    assert known.pace_of("fake/1", traits) == Pace(4.0, 2.0), "a warm-up that was cut tells of no longer one"
    assert known.pace_of("fake/2", traits) == Pace(4.0, 20.0)
    assert known.pace_of("other/b", traits) == made
    median = msgspec.structs.replace(Pace.typical(traits), warmup_s=2.0)
    assert known.pace_of("fake/new", traits) == median, "the median of its language"
    assert known.pace_of("another/new", traits) == Pace.typical(traits)


def test_each_metric_is_foreseen_without_floors_and_by_what_it_took(tmp_path: Path) -> None:
    look = outlook(tmp_path, ["python/popular"])
    metrics = ["latency", "first", "threads", "memory"]
    job = replace(look.job, chosen=replace(look.job.chosen, metrics=metrics))
    look = replace(look, job=job)
    assert all(task.message_s > 0 for task in look.tasks)
    known, tasks = Experience.of(tmp_path), look.tasks
    before = foreseen_s(known, job, look.plan, tasks)
    assert [*before] == metrics and min(before.values()) > 1
    floor = replace(tasks[0], beside=True)
    assert foreseen_s(known, job, look.plan, [*tasks, floor]) == before
    took_s = {CALLS: 2 * (before["latency"] + before["first"]), THREADS: before["threads"]}
    took_s[FOOTPRINTS] = 3 * before["memory"]
    learn(job, replace(look.plan, tasks=tasks), took_s)  # type: ignore[arg-type]
    after = foreseen_s(Experience.of(tmp_path), job, look.plan, tasks)
    assert [after[each] / before[each] for each in before] == pytest.approx([2, 2, 1, 3], rel=0.05)
    short = replace(look.plan, max_time_s=0.5)
    assert {*foreseen_s(known, job, short, tasks).values()} == {0.5}
