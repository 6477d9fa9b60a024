"""Tests of doctor's cross-checks against another benchmark library: conclusions from made-up figures, and
whether real programs take samples by serbench's sampler and by that library's."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support import PATHS, all_workloads, build_of
from tests.test_selftests import FAKE, Quiet, rounds

from serbench.building.prepare import prepare_builds
from serbench.codecs.traits import Traits
from serbench.dataset.cache import dataset_for
from serbench.doctor.crosscheck import (
    OPERATIONS,
    CrossCheck,
    Trio,
    agreement,
    cross_check_table,
    failures,
    find_other,
    judge,
)
from serbench.doctor.selftests import Figures, measure, plan_of
from serbench.errors import SetupError
from serbench.languages.cpp.build import CppBuild
from serbench.languages.cpp.language import GOOGLE_BENCHMARK
from serbench.languages.install import install_command
from serbench.measure.job import Job, Permission
from serbench.measure.store import create_run
from serbench.paths import PROJECT, Paths
from serbench.report.show import markdown
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Chosen
from serbench.stats.summary import Interval, paired_ratio
from serbench.system.finding import Meaning
from serbench.workload import parse_workload

BUILD = {"sampler": "Google Benchmark 1.7.1"}


@pytest.mark.parametrize(
    ("median", "low", "high", "verdict", "said"),
    [
        (1.00, 0.99, 1.01, Meaning.good, "yes: 1 is in the interval"),
        (1.03, 0.99, 1.06, Meaning.good, "yes: 1 is in the interval"),
        (1.012, 1.006, 1.02, Meaning.good, "yes: 1.2 % apart, less than 2 %"),
        (0.985, 0.98, 0.99, Meaning.good, "yes: 1.5 % apart, less than 2 %"),
        (1.03, 1.01, 1.05, Meaning.bad, "no: 3.0 % apart"),
        (0.96, 0.95, 0.97, Meaning.bad, "no: 4.0 % apart"),
        (1.40, 1.10, 1.70, Meaning.bad, "no: 40.0 % apart"),
        (1.00, 0.90, 1.12, Meaning.unknown, "not known: ±11 % is too wide"),
        (1.01, 1.001, 1.30, Meaning.unknown, "not known: ±15 % is too wide"),
    ],
)
def test_samplers_agree_by_the_interval_or_by_two_per_cent(
    median: float, low: float, high: float, verdict: Meaning, said: str
) -> None:
    assert agreement(Interval(median, low, high, 0.95)) == (verdict, said)


def figures_of(trio: Trio, theirs: float) -> Figures:
    """The made-up figures of a cross-check: 90 ns in the program that tables measure, and in the program with
    both samplers 100 ns by ours and ``theirs`` by the other. Times differ more between rounds, but in one
    round all times differ by the same factor."""
    drift = rounds(1, 0.3, 20)
    times = dict(zip(trio.names, (90, 100, theirs), strict=True))
    return {
        (name, operation): {n: ns * drift[n] for n in drift}
        for name, ns in times.items()
        for operation in OPERATIONS
    }


def test_ratios_are_taken_inside_each_round() -> None:
    trio = Trio("cpp/one", "another")
    serialize, deserialize = judge([trio], figures_of(trio, 80))
    assert (serialize.codec, serialize.operation, deserialize.operation) == (
        "cpp/one",
        "serialize",
        "deserialize",
    )
    assert serialize.ratio.estimate == serialize.ratio.low == pytest.approx(1.25)
    assert serialize.verdict is Meaning.bad
    assert serialize.cell.estimate == pytest.approx(0.9 * serialize.ours.estimate)
    assert next(judge([trio], figures_of(trio, 101))).verdict is Meaning.good


def test_intervals_hold_for_all_lines_together() -> None:
    """The intervals of all six lines of a table hold at once with 95 % confidence, so each of them has to be
    wider. With six lines at 95 % each, one of four tables would have a wrong line even if samplers were
    equal."""
    trio = Trio("cpp/one", "another")
    figures = {
        key: dict(rounds(100, 0.05, GOOGLE_BENCHMARK.rounds, n))
        for n, key in enumerate(figures_of(trio, 100))
    }
    others = [Trio(f"cpp/{name}", "another", failure="not installed") for name in ("two", "three")]
    (check, _) = judge([trio, *others], figures)
    assert check.ratio.coverage >= 1 - 0.05 / 6
    alone = paired_ratio(figures[trio.names[1], "serialize"], figures[trio.names[2], "serialize"])
    assert alone and alone.low > check.ratio.low and alone.high < check.ratio.high


def test_a_disagreement_is_a_bad_finding_with_its_figures() -> None:
    trio = Trio("cpp/one", "another")
    (finding, _) = [check.finding() for check in judge([trio], figures_of(trio, 80))]
    assert finding.verdict is Meaning.bad
    assert "no: 25.0 % apart" in finding.found and "a sampler or this machine is unreliable" in finding.advice
    said = finding.to_json()
    assert said["check"] == "cross-check, cpp/one serialize"
    assert (said["codec"], said["operation"], said["ratio"], said["ratio_interval"]) == (
        "cpp/one", "serialize:reuse", 1.25, [1.25, 1.25],
    )  # fmt: skip
    assert said["ours_ns"] / said["theirs_ns"] == pytest.approx(1.25, abs=1e-3)
    assert said["cell_ns"] < said["ours_ns"]


def test_a_codec_that_cannot_be_built_is_a_line_and_no_figure() -> None:
    trio, missing = (
        Trio("cpp/one", "another"),
        Trio("cpp/other", "another", failure="not installed: no header; get it: apt-get install other"),
    )
    assert not missing.tasks
    checks = list(judge([trio, missing], figures_of(trio, 100)))
    assert {check.codec for check in checks} == {"cpp/one"}
    (finding,) = failures([trio, missing])
    assert finding.verdict is Meaning.unknown
    table = cross_check_table(checks, [finding], BUILD)
    assert (
        table.notes[-1] == "cross-check, cpp/other: not installed: no header; get it: apt-get install other"
    )
    assert "Google Benchmark 1.7.1" in markdown(table)


def test_a_line_of_the_table_has_all_three_times_and_the_verdict() -> None:
    exact = Interval(100, 99.9, 100.1, 0.95)
    ratio = Interval(1.004, 0.999, 1.012, 0.95)
    check = CrossCheck("cpp/one", "serialize", replace(exact, estimate=90), exact, exact, ratio, Meaning.good,
                       "yes: 1 is in the interval", "another")  # fmt: skip
    (row,) = cross_check_table([check], [], BUILD).rows
    assert row == (
        "cpp/one",
        "serialize",
        "90.0 ns",
        "100 ns",
        "100 ns",
        "×1.00",
        "0.999 to 1.012",
        "yes: 1 is in the interval",
    )


def test_each_program_has_a_process_of_its_own_in_every_round(tmp_path: Path) -> None:
    fake = (sys.executable, str(FAKE), "none")
    trio = Trio("cpp/one", "another").of(
        "monsters", "", (fake, fake, fake), Traits("one", one_executable=True)
    )
    plan = plan_of(trio.tasks, 7, 3)
    (figures,), _ = measure(plan, create_run(tmp_path, {}), Quiet(), plan.rounds)
    serialize, deserialize = judge([trio], figures)
    # The fake runner takes a microsecond for each letter of the operation, and one more for each sample
    # before.
    assert (serialize.ours.estimate, deserialize.theirs.estimate) == (10_000, 12_000)
    assert {serialize.agree, deserialize.agree} == {"yes: 1 is in the interval"}


def test_without_google_benchmark_the_command_that_gets_it_is_said(tmp_path: Path) -> None:
    build = CppBuild(Paths(PROJECT, tmp_path), "g++", (), ())
    report = build.directory / "found" / "google-benchmark"
    report.parent.mkdir(parents=True)
    report.write_text("missing find_package(benchmark) gives no target benchmark::benchmark\n")
    said: list[str] = []
    with pytest.raises(SetupError, match=r"no target benchmark::benchmark\); get it: ") as error:
        find_other(build, build, GOOGLE_BENCHMARK, Permission(install=False), said.append)
    assert str(error.value).endswith(install_command(["libbenchmark-dev"], "apt")) or "brew" in str(
        error.value
    )
    assert not said  # nothing was installed
    report.write_text("found 1.7.1\n")
    assert (
        find_other(build, build, GOOGLE_BENCHMARK, Permission(install=False), said.append).version == "1.7.1"
    )


@pytest.fixture(scope="module", name="program")
def built_program() -> tuple[CppBuild, str]:
    """A build whose cross-check program is made, and the file of a dataset for it."""
    build = build_of("cpp", PATHS, list(all_workloads().values()))
    assert isinstance(build, CppBuild)
    variant = load_variants(PROJECT / "codecs")["cpp/handwritten:checked"]
    spec = parse_workload("monsters:count=5", all_workloads())
    prepare_builds(Job(build.paths, Chosen([variant], [spec]), [build], Permission(install=True)))
    try:
        find_other(build, build, GOOGLE_BENCHMARK, Permission(install=True), lambda _: None)
    except SetupError as error:
        pytest.skip(str(error))
    assert build.build_cross_check([(variant, "monsters")], lambda *_: None) == {}
    return build, str(dataset_for(spec, build.paths).path)


def samples(program: tuple[CppBuild, str], sampler: str, options: Sequence[str]) -> list[dict[str, Any]]:
    build, dataset = program
    variant = load_variants(PROJECT / "codecs")["cpp/handwritten:checked"]
    cells = "serialize:reuse,deserialize:reuse"
    command = [
        *build.cross_check(variant, "monsters", sampler),
        "measure",
        "--dataset",
        dataset,
        "--cells",
        cells,
        *options,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    first, *between, last = (json.loads(line) for line in done.stdout.splitlines())
    assert (first["event"], first["codec"], last["event"]) == ("hello", "cpp/handwritten:checked", "done")
    return between


@pytest.mark.native
@pytest.mark.parametrize("sampler", ["serbench", "google_benchmark"])
def test_both_samplers_say_the_same_kind_of_thing(program: tuple[CppBuild, str], sampler: str) -> None:
    taken = samples(program, sampler, ["--samples", "4", "--sample-ns", "1000000"])
    assert [each["operation"] for each in taken] == ["serialize"] * 4 + ["deserialize"] * 4
    for each in taken:
        assert each["iterations"] > 1 and each["elapsed_ns"] > 0 and each["warmups"] > 0
        assert {"involuntary_switches", "waited_ns", "page_faults", "stolen_ns", "settled"} <= each.keys()
    fixed = samples(program, sampler, ["--samples", "2", "--iterations", "700"])
    assert [each["iterations"] for each in fixed] == [700] * 4


@pytest.mark.native
def test_google_benchmark_itself_finds_the_iterations(program: tuple[CppBuild, str]) -> None:
    """The library's first repetition finds a number of iterations that lasts long enough, and the others take
    the same number."""
    taken = samples(program, "google_benchmark", ["--samples", "3", "--sample-ns", "2000000"])
    for own in (taken[:3], taken[3:]):
        assert own[0]["elapsed_ns"] >= 2_000_000
        assert len({each["iterations"] for each in own}) == 1


@pytest.mark.native
@pytest.mark.parametrize("words", [["measure"], ["nanobench", "describe"], []])
def test_a_sampler_that_it_does_not_have_is_refused(program: tuple[CppBuild, str], words: list[str]) -> None:
    executable = program[0].cross_check(
        load_variants(PROJECT / "codecs")["cpp/handwritten:checked"], "monsters", ""
    )[0]
    done = subprocess.run([executable, *words], capture_output=True, text=True)
    assert done.returncode == 1
    assert f"found sampler '{''.join(words[:1])}', expected serbench or google_benchmark" in done.stderr
