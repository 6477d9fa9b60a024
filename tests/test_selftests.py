"""Tests of ``doctor --deep``: its conclusions from made-up figures, and its runner, which must do exactly the
work that it is judged by."""

from __future__ import annotations

import json
import platform
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from serbench.doctor.selftests import (
    ADDED_PERCENT,
    CHAIN_STEPS,
    Figures,
    contenders,
    figures_of,
    found_slower,
    judge_added,
    judge_clock,
    judge_contenders,
    judge_drift,
    judge_empty,
    judge_floor,
    judge_known,
    judge_same,
    known_task,
    measure,
    offered_operations,
    plan_of,
    separated,
    smallest_separable,
)
from serbench.errors import BuildError, RunnerError, SetupError
from serbench.languages.cpp.selftest import SOURCES, build_selftest
from serbench.languages.language import KnownWork
from serbench.measure.events import Round, Sample
from serbench.measure.process import measuring_core, pinned
from serbench.measure.store import Run, create_run
from serbench.paths import PROJECT, Paths
from serbench.stats.summary import Rounds
from serbench.system.finding import Finding

FAKE = Path(__file__).parent / "fake_runner.py"


class Quiet:
    def step(self, done: int, total: int, what: str) -> None: ...


def rounds(value: float, spread: float = 0.0, count: int = 9, seed: int = 0) -> dict[int, float]:
    """Round → a made-up figure: ``value`` with normally distributed noise, whose standard deviation is
    ``spread`` times the value."""
    draws = random.Random(seed)
    return {n: value * (1 + draws.gauss(0, spread)) for n in range(1, count + 1)}


def pairs_of(ratio: float, spread: float, count: int = 20) -> list[tuple[Rounds, Rounds]]:
    return [(rounds(100, spread, seed=n), rounds(100 * ratio, spread, seed=1000 + n)) for n in range(count)]


def holds(finding: Finding, verdict: str, *said: str) -> None:
    assert finding.verdict.value == verdict, finding
    for words in said:
        assert words in f"{finding.found} → {finding.advice}"


def sample(number: int, elapsed_ns: int, waited_ns: int = 0) -> Sample:
    return Sample(
        codec="first", workload="", operation="copy", memory="reuse", round=number, iterations=10,
        elapsed_ns=elapsed_ns, waited_ns=waited_ns, stolen_ns=0,
    )  # fmt: skip


def test_rounds_are_cut_into_comparisons_without_what_was_disturbed() -> None:
    events = [
        sample(1, 100),
        sample(2, 300),
        sample(2, 310),
        sample(2, 350),
        sample(3, 900, 800),
        sample(4, 400),
        sample(6, 600),
    ]
    first, second = figures_of([Round(round=1), *events], 2, 3)
    assert first == {("first", "copy"): {1: 10.0, 2: 31.0}}
    assert second == {("first", "copy"): {4: 40.0, 6: 60.0}}


def test_an_empty_operation_costs_next_to_nothing() -> None:
    holds(judge_empty(rounds(1.25)), "good", "1.25 ns")
    holds(judge_empty(rounds(2.5)), "warning", "2.50 ns", "expected at most 2")
    assert judge_empty(rounds(1.25)).figures == {"empty_ns": 1.25}


def test_a_reading_of_the_clock_is_held_against_a_sample() -> None:
    holds(judge_clock(rounds(21)), "good", "21 ns, twice per sample of 10 ms")
    holds(judge_clock(rounds(11_000)), "warning", "clock source")


@pytest.mark.parametrize(
    ("error", "verdict"),
    [(0.0, "good"), (0.009, "good"), (-0.009, "good"), (0.011, "warning"), (-0.02, "warning")],
)
def test_known_work_is_held_against_its_computed_time(error: float, verdict: str) -> None:
    one = rounds(CHAIN_STEPS / 2.5)
    finding = judge_known(one, {n: 3 * ns * (1 + error) for n, ns in one.items()})
    holds(finding, verdict, "at 2.50 GHz", f"{100 * error:+.2f} % off")
    assert finding.figures["known_work_error"] == pytest.approx(error, abs=1e-5)


def test_known_work_that_is_right_by_chance_is_not_good() -> None:
    one = rounds(CHAIN_STEPS / 2.5)
    holds(
        judge_known(one, {n: ns * 3 * (1 + 0.05 * (n - 5)) for n, ns in one.items()}),
        "warning",
        "-0.50 % off",
        "±1 %",
    )


def test_known_work_of_an_unknown_architecture_is_not_known() -> None:
    holds(judge_known(None, None), "unknown", "architecture")
    holds(judge_known(rounds(1), None), "unknown")


def test_equal_work_may_be_called_different_as_often_as_by_chance() -> None:
    equal, different = pairs_of(1.0, 0.01), pairs_of(1.2, 0.01)
    assert not separated(rounds(100), rounds(100)) and separated(*different[0])
    holds(judge_same("computing", equal), "good", "of 20 comparisons", "up to 3 may be")
    holds(judge_same("computing", [*equal[:10], *different[:10]]), "bad", "do not rely on small differences")
    # So many are what the confidence leaves room for: 98.4 % of honest machines have no more than three of
    # twenty.
    still = [(rounds(100), rounds(100))] * 17
    holds(judge_same("computing", [*still, *different[:3]]), "good", "3 of 20")
    holds(judge_same("computing", [*still[:16], *different[:4]]), "bad", "4 of 20")


def test_who_is_faster_is_not_found_slower() -> None:
    assert found_slower(rounds(100, 0.01, seed=1), rounds(120, 0.01, seed=2))
    assert not found_slower(rounds(120, 0.01, seed=1), rounds(100, 0.01, seed=2))


def test_the_noise_floor_grows_with_the_noise() -> None:
    assert smallest_separable([(rounds(100), rounds(100))] * 3) == 0.001
    floors = [smallest_separable(pairs_of(1.0, spread)) for spread in (0.001, 0.01, 0.05)]
    assert floors == sorted(floors, key=lambda floor: floor or 9)
    # Nine rounds of two with 1 % of noise each: the mean of ratios is known to 1 % x sqrt(2 / 9), and found
    # at some four of it.
    assert floors[1] is not None and 0.01 < floors[1] < 0.04
    assert smallest_separable(pairs_of(1.0, 0.01)[:1] * 2) is not None
    wild = [
        (rounds(100, seed=n), {k: 100 * 50 ** random.Random(n * k).uniform(-1, 1) for k in range(1, 10)})
        for n in range(5)
    ]
    assert smallest_separable(wild) is None
    holds(judge_floor("memory", wild, 9), "bad", "could not even separate")


def test_a_noise_floor_above_the_target_asks_for_more_rounds() -> None:
    holds(judge_floor("computing", pairs_of(1.0, 0.001), 9), "good", "that 9 rounds detect")
    holds(judge_floor("computing", pairs_of(1.0, 0.05), 9), "warning", "--rounds 20")


def test_added_delays_have_to_be_found_from_three_per_cent_on() -> None:
    quiet = {percent: pairs_of(1 + percent / 100, 0.002) for percent in ADDED_PERCENT}
    holds(judge_added(quiet), "good", "+1 % (seen as +0.9", "+10 % (seen as +9.9", "in 20")
    noisy = {percent: pairs_of(1 + percent / 100, 0.05) for percent in ADDED_PERCENT}
    finding = judge_added(noisy)
    holds(finding, "warning", "take more rounds")
    assert finding.figures["separated_1_percent"] < finding.figures["separated_10_percent"] <= 20
    only_the_least_missed = {1: pairs_of(1.0, 0.05), 3: quiet[3]}
    holds(judge_added(only_the_least_missed), "good")


def made_up(comparisons: int, spread: float) -> list[Figures]:
    parts = []
    for n in range(comparisons):
        part: Figures = {}
        for m, who in enumerate(("first", "second")):
            part[who, "compute"] = rounds(100, spread, seed=10 * n + m)
            part[who, "copy"] = rounds(100, 3 * spread, seed=10 * n + m + 2)
        for percent in ADDED_PERCENT:
            part[f"+{percent}", f"compute+{percent}"] = rounds(100 + percent, spread, seed=1000 * percent + n)
        parts.append(part)
    return parts


def test_all_comparisons_are_judged() -> None:
    findings = judge_contenders(made_up(20, 0.001), 9)
    names = [
        "A/A, computing",
        "noise floor, computing",
        "A/A, memory",
        "noise floor, memory",
        "A/B, added delay",
    ]
    assert [finding.check for finding in findings] == names
    assert {finding.verdict.value for finding in findings} == {"good"}
    assert findings[0].figures["comparisons"] == 20
    assert findings[1].figures["noise_floor"] < findings[3].figures["noise_floor"]  # made up so


def test_drift_is_what_the_reference_kernel_shows() -> None:
    steady = {n: {"integer_ns": 1000 + n % 3, "memory_ns": 5000 - n % 5} for n in range(1, 41)}
    holds(judge_drift(steady), "good", "0.2 % (integer) and 0.1 % (memory)")
    slower = {n: {"integer_ns": 1000, "memory_ns": 5000 + 20 * n} for n in steady}
    holds(
        judge_drift(slower), "warning", "0.0 % (integer) and 12.9 % (memory)", "not on differences of times"
    )
    # One round in ten may be anything: that is disturbance, and no drift.
    holds(judge_drift({**steady, 7: {"integer_ns": 9000, "memory_ns": 9000}}), "good")
    holds(judge_drift({n: steady[n] for n in range(1, 6)}), "unknown")


def fake(how: str = "none") -> KnownWork:
    return KnownWork((sys.executable, str(FAKE), how), "", "none", "")


def test_figures_are_medians_of_what_fresh_processes_say(tmp_path: Path) -> None:
    (figures,), references = measure(plan_of(contenders(fake()), 2, 7), create_run(tmp_path, {}), Quiet(), 2)
    # The fake runner takes a microsecond for each letter of the operation, and one more for each sample
    # before.
    assert figures["first", "compute"] == {1: 8000.0, 2: 8000.0}
    assert figures["+10", "compute+10"] == {1: 11000.0, 2: 11000.0}
    assert len(figures) == 4 + len(ADDED_PERCENT)
    assert set(references) == {1, 2} and set(references[1]) == {"integer_ns", "memory_ns"}


def test_a_runner_that_fails_is_an_error_and_no_figure(tmp_path: Path) -> None:
    with pytest.raises(
        RunnerError, match=r"failed at compute:reuse of '(first|second)': the runner was killed by signal 9"
    ):
        measure(plan_of(contenders(fake("crash@compute:reuse")), 1, 7), create_run(tmp_path, {}), Quiet(), 1)


def test_only_what_the_runner_offers_is_asked_for() -> None:
    assert offered_operations(fake()) == ["serialize", "deserialize", "encode", "decode"]
    assert [o.name for o in known_task(fake(), ["clock", "empty", "copy"]).operations] == ["empty", "clock"]


def test_a_compiler_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="no program 'no-such-compiler' is on the path"):
        build_selftest(Paths(PROJECT, tmp_path), "no-such-compiler")


@pytest.fixture(scope="module", name="selftest")
def built_selftest() -> KnownWork:
    return build_selftest(Paths(PROJECT, Paths.default().home / "test"), "g++")


@pytest.mark.native
def test_the_runner_of_known_work_does_all_of_it(selftest: KnownWork, tmp_path: Path) -> None:
    run: Run = create_run(tmp_path, {})
    units = [known_task(selftest, offered_operations(selftest)), *contenders(selftest)]
    plan = plan_of(units, 1, 7)
    (figures,), _ = measure(plan, run, Quiet(), 1)
    assert len(figures) == sum(len(unit.operations) for unit in units)
    # No live timings are compared here but those that differ by thousands of times.
    assert figures["known", "empty"][1] < figures["known", "one_cycle"][1] / 100


@pytest.mark.native
def test_a_chain_is_of_the_instructions_that_it_counts(selftest: KnownWork) -> None:
    """The runner of ``doctor --deep`` times a loop over a chain of a hundred instructions, each of which
    needs the result of the one before. The compiled program must still have all of them: neither compiler nor
    linker may have removed or merged any."""
    register = r"%(?:e[a-z]+|r\d+d)"
    patterns = {"x86_64": (rf"imul   {register},{register}", rf"add    {register},{register}")}.get(
        platform.machine()
    )
    if not (patterns and shutil.which("objdump")):
        pytest.skip("written for objdump's x86-64")
    text = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", *selftest.command], capture_output=True, text=True
    ).stdout
    for pattern in patterns:
        assert longest_chain(text, pattern) == 100


def longest_chain(disassembly: str, pattern: str) -> int:
    """The length of the longest uninterrupted sequence of instructions that match the pattern."""
    longest = length = 0
    for line in disassembly.splitlines():
        length = length + 1 if re.search(rf"\t{pattern}$", line.rstrip()) else 0
        longest = max(longest, length)
    return longest


@pytest.mark.native
@pytest.mark.parametrize("operation", ["thread", "child", "compute"])
def test_time_of_own_threads_and_children_is_never_taken_for_that_of_others(
    selftest: KnownWork, operation: str
) -> None:
    command = [
        *selftest.command,
        "measure",
        "--dataset",
        selftest.dataset,
        "--cells",
        f"{operation}:reuse",
        "--samples",
        "20",
    ]
    with pinned(measuring_core()):
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    samples = [event for event in map(json.loads, said.splitlines()) if event["event"] == "sample"]
    assert len(samples) == 20
    # On one core a moment is ours or of others. But counts are read a little before and after a sample, and
    # on a busy core another process often has its turn just there: asking for our own time makes the
    # scheduler see that ours is over. So the sum is right in one of the samples at least. Were threads and
    # children taken for others, it would be too much in all of them.
    too_much = [each["own_ns"] + each["waited_ns"] - 1.02 * each["elapsed_ns"] for each in samples]
    assert min(too_much) <= 1_000_000
    for each in samples:
        assert each["own_ns"] >= 0.9 * (each["elapsed_ns"] - each["waited_ns"]) - 1_000_000


@pytest.mark.native
def test_it_is_built_once(selftest: KnownWork) -> None:
    before = Path(selftest.command[0]).stat().st_mtime_ns
    again = build_selftest(Paths(PROJECT, Paths.default().home / "test"), "g++")
    assert again == selftest and Path(again.command[0]).stat().st_mtime_ns == before


@pytest.mark.native
@pytest.mark.parametrize(
    ("cell", "said"), [("compute+x", "expected compute\\+PERCENT"), ("sort", "no operation 'sort'")]
)
def test_work_that_it_does_not_know_is_refused(selftest: KnownWork, cell: str, said: str) -> None:
    command: Sequence[Any] = [
        *selftest.command,
        "measure",
        "--dataset",
        selftest.dataset,
        "--cells",
        f"{cell}:reuse",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert re.search(said, done.stderr)


@pytest.mark.native
def test_sources_that_do_not_compile_are_an_error_that_says_so(tmp_path: Path) -> None:
    source = tmp_path / "runners" / "cpp" / "source"
    source.mkdir(parents=True)
    for name in SOURCES:
        (source / name).write_text("int broken = ;\n")
    with pytest.raises(BuildError, match=r"could not compile the self-test:(.|\n)*broken"):
        build_selftest(Paths(tmp_path, tmp_path / "home"), "g++")
