"""Tests that the time a command will take is told before anything is built, by the times of earlier ones."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.test_pipeline import measure, task

from serbench.building import experience
from serbench.building.experience import (
    MEASURING,
    VERIFYING,
    Experience,
    Preparing,
    building_step,
    program_of,
)
from serbench.building.prepare import known_variants, toolchains, units_of
from serbench.cli import console
from serbench.cli.console import Steps
from serbench.cli.effort import Effort
from serbench.cli.outlook import Outlook, patterns_for, rounds_lacking
from serbench.codecs.codec import Variant
from serbench.measure.job import Job
from serbench.measure.pace import Pace
from serbench.measure.run import Outcome
from serbench.measure.store import Run
from serbench.paths import PROJECT, Paths
from serbench.selecting.selection import Asked, Chosen, select, select_variants, select_workloads
from serbench.system.cores import crowding, usable_cores
from serbench.text import long_time
from serbench.workload import load_workloads


def outlook(home: Path, codecs: list[str], effort: Effort | None = None) -> Outlook:
    paths = Paths(PROJECT, home)
    known = known_variants(paths)
    chosen = select(load_workloads(paths.workloads), known, None, Asked(["monsters"], codecs))
    builds = toolchains(paths, chosen.variants, specs=chosen.workloads)
    return Outlook.of(Job(paths, chosen, builds), effort or Effort(quick=True))


def of_language(chosen: Chosen, language: str) -> list[Variant]:
    return [variant for variant in chosen.variants if variant.codec.language == language]


def all_built(known: Outlook, language: str) -> None:
    """Records that all programs of a language were built."""
    for build in known.job.builds:
        for variant in of_language(known.job.chosen, language):
            if build.language == language:
                known.known.built(program_of(build, variant, spec) for spec in known.job.chosen.workloads)


def test_what_a_step_took_is_expected_again(tmp_path: Path) -> None:
    known = Experience.of(tmp_path)
    assert known.expected_s("building cpp", 10.0) == 10.0
    known.learn("building cpp", 10.0, 40.0)
    assert known.expected_s("building cpp", 20.0) == pytest.approx(80.0)
    known.learn("building cpp", 10.0, 10.0)  # the machine is less busy now
    assert known.expected_s("building cpp", 20.0) == pytest.approx(40.0)
    known.learn(VERIFYING, 0.01, 0.9)  # too short to tell anything
    known.learn(MEASURING, 2.0, 7000.0)  # a machine that slept
    known.built(["a", "b", "a"])
    known.keep()
    again = Experience.of(tmp_path)
    assert again == known and list(again.programs) == ["b", "a"]
    assert again.expected_s(VERIFYING, 3.0) == 3.0 and again.expected_s(MEASURING, 1.0) == 30.0


def test_what_others_took_is_not_learned_and_what_they_take_is_foreseen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Experience.of(tmp_path)
    monkeypatch.setattr(experience, "crowding", lambda: 7.5)
    known.learn(MEASURING, 10.0, 90.0)
    assert known.expected_s(MEASURING, 10.0) == pytest.approx(90.0)
    look = outlook(tmp_path, ["python/json"])
    assert look.told_crowd() == (
        "other work wants the cores, so estimates are ×7.5 of those for an idle machine"
    )
    monkeypatch.setattr(experience, "crowding", lambda: 1.0)
    assert known.expected_s(MEASURING, 10.0) == pytest.approx(12.0)
    assert look.told_crowd() == ""


@pytest.mark.parametrize(
    ("load", "cores", "times"), [(15.0, 2, 7.5), (1.5, 1, 1.0), (0.5, 8, 1.0), (16.0, 8, 2.0)]
)
def test_a_machine_is_crowded_by_its_load_for_each_core(
    load: float, cores: int, times: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    assert crowding() == times


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "{",
        "[]",
        '{"factors": {"measuring": -1}}',
        '{"factors": {"x": "y"}}',
        '{"factors": {"measuring": 2}, "paces": {"python/json": {"pass_ns": -1}}}',
    ],
)
def test_a_damaged_file_is_as_good_as_none(tmp_path: Path, damage: str) -> None:
    known = Experience.of(tmp_path)
    known.learn(MEASURING, 2.0, 4.0)
    known.keep()
    known.path.write_text(damage)
    assert Experience.of(tmp_path).factors == {} == Experience.of(tmp_path).programs


def test_what_cannot_be_kept_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    Experience.of(tmp_path / "file").keep()
    assert (tmp_path / "file").read_text() == ""


def test_what_was_built_is_not_expected_to_be_built_again(tmp_path: Path) -> None:
    look = outlook(tmp_path, ["python/popular", "rust/popular"])
    variants = look.job.chosen.variants
    before = Preparing.of(look.known, look.job)
    assert before.building_s.keys() == {"building python", "building rust"}
    count, typical = len(of_language(look.job.chosen, "rust")), variants[-1].codec.traits.typical
    assert before.building_s["building rust"] == typical.ready_s + count * typical.build_s / usable_cores()
    all_built(look, "rust")
    after = Preparing.of(look.known, look.job)
    assert after.building_s["finding rust"] == typical.again_s and after.verifying_s < before.verifying_s
    look.known.lacking(["x"])
    look.known.built(["y"])
    assert [look.known.is_new(each) for each in "xyz"] == [False, False, True]
    look.known.learn("building python", 10.0, 30.0)
    assert sum(after.building_s.values()) < after.by(look.known)[0]
    (python,) = (build for build in look.job.builds if build.language == "python")
    look.built(python, [], 5.0)  # nothing of it can be built
    assert building_step(python, of_language(look.job.chosen, "python"), 0)[0] == "finding python"


def test_who_asks_for_much_is_told_how_long_it_takes_and_what_takes_less(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console.stderr, "width", 1000)
    look = outlook(tmp_path, ["popular"])
    look.tell()
    whole, quick = capsys.readouterr().err.splitlines()
    foreseen = look.foreseen()
    steps = re.fullmatch(
        r"(\d+) codecs: about (.+) here \(building (.+), verifying (.+), measuring (.+)\); a rough guess, "
        "since nothing was built here yet",
        whole,
    )
    assert steps and steps.groups() == (
        str(len(look.job.chosen.variants)),
        *(long_time(s) for s in (
            foreseen.total_s, foreseen.building_s, foreseen.verifying_s, foreseen.measuring_s
        )),
    )  # fmt: skip
    said = re.fullmatch(r"those of (.+): about (.+) \((-c .+)\)", quick)
    assert said and said[3].split()[::2] == ["-c"] * len(said[1].split(", "))
    those = outlook(tmp_path, said[3].split()[1::2]).foreseen()
    assert said[2] == long_time(those.total_s) and those.total_s <= 0.6 * foreseen.total_s

    all_built(look, "python")
    look.known.learn("building python", 10.0, 11.0)
    look.tell()
    whole, built, *_ = capsys.readouterr().err.splitlines()
    assert "rough guess" not in whole
    count = len(of_language(look.job.chosen, "python"))
    assert built.startswith(f"the {count} that are built already: about ")
    assert built.endswith(" (-c python/popular)")


def test_who_asks_for_little_is_told_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    look = outlook(tmp_path, ["python/bson"])
    look.tell()
    assert re.match(r"1 codec: about \d+ s here", capsys.readouterr().err.replace("\n", " "))
    look.tell_left(59.0)
    assert capsys.readouterr().err == ""
    look.tell_left(400.0)
    assert capsys.readouterr().err == "about 7 minutes more\n"


def test_what_could_not_be_built_takes_no_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    look = outlook(tmp_path, ["popular"])
    units = [
        replace(unit, status="ok" if unit.variant.codec.language == "jvm" else "not_installed")
        for unit in units_of(look.job)
    ]
    those = outlook(tmp_path, ["jvm/popular"]).foreseen()
    look.tell_left_of(units)
    left_s = those.verifying_s + those.measuring_s
    assert capsys.readouterr().err == f"about {long_time(left_s)} more\n"
    whole = look.foreseen()
    assert left_s < 0.6 * (whole.verifying_s + whole.measuring_s)
    look.verified(units, those.verifying_s)  # as long as is typical of those that could be verified
    assert look.known.factors[experience.VERIFYING] == pytest.approx(1.0, rel=0.1)


def test_rounds_are_expected_to_take_what_they_took(tmp_path: Path) -> None:
    look = outlook(tmp_path, ["python/popular"])
    round_s = look.plan.round_s(look.tasks)
    done: Any = look.tasks  # as if they had been measured
    look.measured(replace(look.plan, tasks=done), Outcome(planned_rounds=6, planned_s=6 * 2 * round_s))
    slow = outlook(tmp_path, ["python/popular"])
    assert slow.plan.round_s(slow.tasks) == pytest.approx(2 * round_s)
    assert slow.foreseen().measuring_s > look.foreseen().building_s


def test_a_program_is_expected_to_be_as_fast_as_it_was(tmp_path: Path) -> None:
    """The rounds that it took are then its own, and make no other program slow."""
    look = outlook(tmp_path, ["python/popular"])
    first, *others = tasks = [replace(task, pass_bytes=10**6) for task in look.tasks]
    slow = replace(first, pace=Pace(1000 * first.pace.pass_ns))
    plan = replace(look.plan, tasks=tasks)  # type: ignore[arg-type]  # as if they had been measured
    took_s = 6 * look.plan.round_s([slow, *others])
    look.measured(plan, Outcome(planned_rounds=6, planned_s=took_s, paces={first.identity: slow.pace}))
    again = outlook(tmp_path, ["python/popular"])
    assert [task.pace for task in again.tasks] == [slow.pace, *(task.pace for task in others)]
    assert again.plan.slower == pytest.approx(look.plan.slower, rel=0.05)


def test_the_pace_of_the_longest_pass_is_kept_of_a_sweep(tmp_path: Path) -> None:
    look = outlook(tmp_path, ["python/json"])
    specs = select_workloads(["monsters/draw=4", "monsters"], load_workloads(look.job.paths.workloads))
    look = replace(look, job=replace(look.job, chosen=replace(look.job.chosen, workloads=specs)))
    many, one = (task for task in look.tasks if task.codec == look.tasks[0].codec)
    tasks = [replace(many, pass_bytes=4000), replace(one, pass_bytes=1000)]
    plan = replace(look.plan, tasks=tasks)  # type: ignore[arg-type]  # as if they had been measured
    long, short = Pace(4.0, 9.0, made_s=3.0, made_bytes=4000), Pace(1.0, 2.0)
    look.measured(plan, Outcome(paces={many.identity: long, one.identity: short}))
    kept = Pace(4.0, 2.0, made_s=3.0, made_bytes=4000)
    assert {task.pace for task in look.tasks if task.codec == one.codec} == {kept}, "with the short warm-up"


@pytest.mark.parametrize(("warmup_s", "kept_s"), [(1.9, 5.0), (1.2, 1.2)])
def test_a_warm_up_near_its_limit_is_taken_for_one_that_was_cut(
    warmup_s: float, kept_s: float, tmp_path: Path
) -> None:
    look = outlook(tmp_path, ["python/json"])
    task = look.tasks[0]
    for limit_ns, seconds in ((None, 5.0), (2_000_000_000, warmup_s)):
        plan = replace(look.plan, tasks=[task], warmup_ns=limit_ns)  # type: ignore[list-item]
        look.measured(plan, Outcome(paces={task.identity: Pace(1.0, seconds)}))
    assert look.tasks[0].pace.warmup_s == kept_s


def test_of_a_run_that_is_continued_the_rounds_count_that_it_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, _, _ = measure(tmp_path, [task("fake/a"), task("fake/b")], rounds=2)
    look = outlook(tmp_path, ["python/popular"])
    plan = look.plan
    assert rounds_lacking(run, plan) == plan.rounds - 2
    job = replace(look.job, again=run)
    again = replace(look, job=job, plan=look.effort.plan(job))
    again.tell()
    said = capsys.readouterr().err.replace("\n", " ")
    assert f"codecs, {run.manifest.rounds - 2} rounds are lacking: about " in said
    assert "end after" not in said  # the run had no target
    lacking = run.manifest.rounds - 2
    assert again.foreseen().measuring_s == pytest.approx(lacking * again.plan.round_s(again.tasks))


def test_cells_that_get_no_more_rounds_are_not_lacking(tmp_path: Path) -> None:
    run, _, _ = measure(tmp_path, [task("fake/a"), task("fake/b"), task("fake/c")], rounds=4)
    plan = replace(outlook(tmp_path, ["python/popular"]).plan, rounds=4)
    for cell, samples in run.taken.cells.items():
        if cell[0] != "fake/a":
            samples.drop(1)
    assert rounds_lacking(run, plan) == 1
    run.manifest.beside = ("fake/b",)
    run.taken.failures.update({cell: "crashed" for cell in run.taken.cells if cell[0] == "fake/c"})
    assert rounds_lacking(run, plan) == 0


def test_few_patterns_select_a_part_and_nothing_else() -> None:
    known = known_variants(Paths.default())
    for patterns in (["popular"], ["python/*", "cpp/popular"], ["cpp/msgpack:old", "go/popular"]):
        chosen = select_variants(patterns, known)
        found = patterns_for(chosen, known)
        assert {v.id for v in select_variants(found, known)} == {v.id for v in chosen}
        assert len(found) <= 7


def test_off_a_terminal_long_steps_tell_how_long_the_rest_takes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    steps = Steps("measuring")
    for done, now in ((0, 100.0), (1, 110.0), (2, 220.0), (10, 700.0)):
        clock[0] = now
        steps.step(done, 10, "x")
    assert capsys.readouterr().err.splitlines() == [
        "measuring 0/10 x", "measuring 1/10 x", "measuring 2/10 x, about 8 minutes more", "measuring 10/10 x"
    ]  # fmt: skip


@pytest.mark.native
def test_what_a_continued_run_prints_is_of_all_its_rounds(tmp_path: Path) -> None:
    environment = {**os.environ, "SERBENCH_HOME": str(tmp_path), "PYTHONPATH": str(PROJECT / "src")}
    selection = ["-c", "python/json", "-c", "python/pickle", "-o", "serialize"]

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "serbench", "run", *words]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        return done

    def rounds(done: subprocess.CompletedProcess[str]) -> set[int]:
        return {row["rounds"] for row in json.loads(done.stdout) if "rounds" in row}

    how = ("--no-install", "--format", "json")
    few = run("--quick", "--rounds", "2", "-w", "record:ids=small", *selection, *how)
    assert max(rounds(few)) <= 2  # those that were disturbed are left out
    assert "codecs: about" in few.stderr and "./serbench verify -w record:ids=small -c" in few.stderr
    (folder,) = (tmp_path / "runs").iterdir()
    assert Run(folder).manifest.selection == (*selection, "--no-install")
    more = run("--resume", folder.name, "--rounds", "6", "--format", "json")
    assert "4 rounds are lacking: about" in more.stderr.replace("\n", " ")
    assert max(rounds(more)) > 2
