"""Tests of single calls: their quantiles, how they are taken, and how they are told."""

from __future__ import annotations

import json
import os
import random
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import PATHS, fake_unit, sharing, small_spec

from serbench.dataset.cache import dataset_for
from serbench.errors import RunnerError
from serbench.measure.calls import (
    CALLS,
    FIRST,
    called_operations,
    measure_calls,
    middle_message,
    read_calls,
)
from serbench.measure.plan import Plan
from serbench.measure.store import Journal, Run, create_run
from serbench.measure.unit import Verification
from serbench.page.contents import Installation, contents
from serbench.paths import PROJECT, Paths
from serbench.report.calls_table import calls_of
from serbench.report.charts.curve import drawn as picture
from serbench.report.charts.pixels import svg_of
from serbench.report.charts.slowest import slowest_of
from serbench.report.tables import tables_of
from serbench.selecting.selection import Operation
from serbench.stats.quantiles import LEVELS, as_fast_from, quantiles
from serbench.stats.summary import median_interval

SERIALIZE = Operation("serialize", "fresh")
HERE = Path(__file__).parent


class Quiet:
    def step(self, done: int, total: int, what: str) -> None:
        pass


def test_one_stall_in_a_thousand_calls_is_their_p99_9() -> None:
    times = [1000] * 10_000
    times[999::1000] = [1_000_000] * 10
    found = quantiles(times)
    assert (found["p50"], found["p99"], found["p99_9"], found["worst"]) == (1000, 1000, 10**6, 10**6)
    assert "p99_9" not in quantiles(times[:999]) and "p99" in quantiles(times[:999])
    assert quantiles([7]) == {"least": 7, "worst": 7}
    with pytest.raises(ValueError, match="no times"):
        quantiles([])


@given(st.lists(st.integers(0, 1 << 40), min_size=1, max_size=3000))
def test_as_many_calls_as_a_quantile_says_take_so_long(times: list[int]) -> None:
    found = quantiles(times)
    assert found["worst"] == max(times) and found["least"] == min(times)
    for name, level in LEVELS.items():
        if name in found:
            assert 1000 * sum(each >= found[name] for each in times) >= len(times) * (1000 - level)
            assert 1000 * sum(each > found[name] for each in times) < len(times) * (1000 - level)


def test_intervals_of_quantiles_cover_those_of_more_processes() -> None:
    """Processes differ by a factor of their own, calls in each by a heavy tail, and now and then a whole
    process is disturbed."""
    draws = random.Random(48)

    def p99() -> float:
        process = draws.lognormvariate(0, 0.1) * (5 if draws.random() < 0.05 else 1)
        times = [round(1e6 * process * draws.lognormvariate(0, 0.5)) for _ in range(200)]
        return quantiles(times)["p99"]

    processes = [p99() for _ in range(3000)]
    truth = median(processes)
    for rounds, coverage in ((9, 0.96), (15, 0.96)):
        trials = 600
        intervals = [median_interval(draws.sample(processes, rounds)) for _ in range(trials)]
        covered = sum(each.low <= truth <= each.high for each in intervals) / trials
        assert intervals[0].coverage > 0.95 and abs(covered - coverage) < 0.025


def test_calls_are_as_fast_as_later_ones_where_nothing_slower_follows() -> None:
    warm = [100] * 5000
    assert as_fast_from(warm) == 0
    assert as_fast_from([9000, 500, *warm]) == 2
    assert as_fast_from([*[300] * 700, *warm]) == 700
    assert as_fast_from([*[111] * 700, *warm]) == 700
    assert as_fast_from([*[110] * 700, *warm]) == 0
    disturbed = list(warm)
    disturbed[3000:3040] = [10_000] * 40
    assert as_fast_from(disturbed) == 0
    assert as_fast_from([*[300] * 3000, *[100] * 2000]) is None  # it ends too late to tell
    assert as_fast_from([100] * 39) is None


def test_latency_is_of_fresh_calls_unless_a_policy_is_asked_for() -> None:
    asked = [Operation("serialize", "reuse"), *(Operation("deserialize", m) for m in ("reuse", "fresh"))]
    assert list(map(str, called_operations(asked, ()))) == ["serialize:fresh", "deserialize:fresh"]
    assert called_operations(asked, ["reuse"]) == asked


def test_a_file_of_calls_is_as_the_runner_said(tmp_path: Path) -> None:
    file = tmp_path / "calls"
    with pytest.raises(RunnerError, match="wrote 0 bytes of single calls"):
        read_calls(file, 2)
    file.write_bytes(struct.pack("<8sIIQ2Q", b"SERBCALL", 1, 0, 2, 5, 7))
    assert list(read_calls(file, 2)) == [5, 7]
    for count, content in (
        (3, file.read_bytes()),
        (2, file.read_bytes()[:-1]),
        (2, b"SERBENCH" + b"\0" * 32),
    ):
        file.write_bytes(content)
        with pytest.raises(RunnerError, match="expected"):
            read_calls(file, count)


def measured(folder: Path, **faults: str) -> Run:
    """Makes a run whose codecs are fake runners with these faults, each by its name."""
    data = dataset_for(small_spec("nestings"), PATHS)
    verified = Verification(True, "", operations=("serialize", "deserialize", "roundtrip"))
    units = [
        replace(
            fake_unit(f"fake/{name}", data),
            command=(sys.executable, str(HERE / "fake_runner.py"), fault),
            verification=verified,
        )
        for name, fault in faults.items()
    ]
    manifest = {
        "suite": None, "codecs": [unit.variant.id for unit in units], "workloads": ["fake"],
        "operations": [], "metrics": ["latency", "first"], "datasets": {}, "rounds": 3,
        "arguments": [], "machine": {"processor": "none"}, "toolchains": [],
    }  # fmt: skip
    run = create_run(folder, manifest)
    with Journal(run) as journal:
        for unit in units:
            offered = {"status": "ok", "reason": "", "operations": list(verified.operations)}
            journal.append({"event": "unit", **unit.identity.fields, **offered})
        plan = Plan([], rounds=3, seed=1)
        assert measure_calls(units, [SERIALIZE], ["latency", "first"], plan, journal, Quiet())
        journal.append({"event": "end"})
    return Run(run.directory)


def test_a_stall_is_found_by_the_slowest_calls_and_not_by_the_mean(tmp_path: Path) -> None:
    run = measured(tmp_path, plain="none", stalls="stalls@calls", odd="odd_calls@calls", dies="crash@calls",
                   short="short_window@calls")  # fmt: skip
    tables, _, records = tables_of(run, Paths.default().suites, width=80)
    latency, first = tables
    assert [row[0] for row in latency.rows] == ["fake/stalls", "fake/plain"]
    # The clock's 100 ns are deducted.
    assert latency.rows[0][1:] == ["6.99 µs", *3 * ["6.00 µs"], *2 * ["1.00 ms"]]
    assert latency.rows[1][1:] == ["8.15 µs", "7.90 µs", *4 * ["9.90 µs"]]
    assert not latency.verdict  # the one with stalls is faster in 99 of 100
    notes = "\n".join(latency.notes)
    assert "fake/odd: failed: the runner wrote 3 bytes of single calls" in notes
    assert "fake/short: failed: the runner says that 10,000 calls with what is between" in notes
    assert "fake/dies: failed: the runner was killed by signal 9" in notes
    assert "fake/stalls serialize:fresh 6 young, 3 full, 0.0 % of the time" in notes
    assert {row[0]: row[3:5] for row in first.rows} == {
        "fake/plain": ["7.00 µs", "7.90 µs"],
        "fake/stalls": ["7.00 µs", "6.00 µs"],
    }
    told = [each.to_json() for each in records]
    assert {(each["metric"], each["status"]) for each in told if each["codec"] == "fake/dies"} == {
        ("latency", "failed"),
        ("first", "failed"),
    }
    (stalls,) = (each for each in told if each["codec"] == "fake/stalls" and each["metric"] == "latency")
    assert stalls["p99_9_ns"] == 999_900 and stalls["collections"] == {"young": 6, "full": 3}


def known(folder: Path, **of_codec: dict[str, int]) -> Run:
    """Makes a run of six processes with these quantiles of ``serialize:fresh``, by codec."""
    manifest = {
        "suite": None, "codecs": [f"cpp/{name}" for name in of_codec], "floors": ["cpp/memcpy"],
        "workloads": ["monsters"], "operations": [], "metrics": ["latency"], "datasets": {}, "rounds": 6,
        "arguments": [], "machine": {"processor": "none"}, "toolchains": [],
    }  # fmt: skip
    run = create_run(folder, manifest)
    with Journal(run) as journal:
        journal.append({"event": "calls", "operations": [str(SERIALIZE)]})
        for name, figures in of_codec.items():
            who = {"codec": f"cpp/{name}", "workload": "monsters", "compiler": ""}
            journal.append({"event": "unit", **who, "status": "ok", "operations": ["serialize"]})
            for number in range(1, 7):
                journal.append(
                    {
                        "event": "latency", **who, "operation": "serialize", "memory": "fresh",
                        "round": number, "calls": 1000, "mean_ns": figures["mean"] + number,
                        "quantiles": {"p50": figures["mean"], "p99": figures["p99"] + number,
                                      **{name: figures[name] for name in ("p90",) if name in figures},
                                      "worst": 10 * figures["p99"]},
                        "clock_ns": 20, "resolution_ns": 10, "waited_ns": figures.get("waited", 0),
                        "elapsed_ns": figures.get("elapsed", 0),
                    }
                )  # fmt: skip
        journal.append({"event": "end"})
    return run


def test_the_verdict_tells_where_the_order_of_the_slowest_is_another(tmp_path: Path) -> None:
    late = {"elapsed": 2_000_000, "waited": 100_000}
    calm, hasty = {"mean": 1020, "p99": 2020}, {"mean": 820, "p99": 9020, "waited": 90_000}
    run = known(tmp_path, calm=calm, hasty=hasty, memcpy={"mean": 25, "p99": 5000})
    (table,), _, _ = tables_of(run, Paths.default().suites, width=120)
    (said,) = table.verdict
    assert said.text.startswith(
        "serialize:fresh: cpp/hasty is faster than cpp/calm on average (800 ns against"
    )
    assert "(9.00 µs against 2.00 µs)" in said.text
    assert [row[0] for row in table.rows] == ["cpp/calm", "cpp/hasty", "cpp/memcpy"]  # the floor comes last
    notes = "\n".join(table.notes)
    assert "Others had the core for up to 11 %" in notes and "know one in a thousand: cpp/calm" in notes
    timed = [each.values["others_share"] for each in calls_of(known(tmp_path / "b", calm=calm | late))]
    assert timed == [0.05], "time between calls is a part of that in which others had the core"
    floor = next(each for each in calls_of(run) if each.codec == "cpp/memcpy")
    assert floor.values["mean_ns"].low == 10  # not less than a step of the clock


def test_a_chart_has_a_line_of_each_codec_and_leaves_out_what_is_not_known(tmp_path: Path) -> None:
    many = {f"c{n}": {"mean": 1020, "p99": 2020 + n} for n in range(12)}
    (chart,) = slowest_of(known(tmp_path, **many))
    assert chart.name == "monsters-serialize-fresh-calls"
    spec = picture(chart)
    values, signals = spec["data"][0]["values"], {each["name"]: each["value"] for each in spec["signals"]}
    assert [each["x"] for each in values[:3]] == [2, 100, 10_000] == signals["shares"] and len(values) == 30
    assert signals["ticks"] == ["p50", "p99", "worst"] and signals["kind"] == "calls"
    assert (values[1]["low"], values[1]["y"], values[1]["high"]) == (2001, 2003.5, 2006)
    assert "The fastest 10 by p99; 2 more are not drawn." in " ".join(spec["title"]["subtitle"])
    assert ">p99<" in svg_of(spec)


def test_no_line_leads_through_a_quantile_that_is_not_known(tmp_path: Path) -> None:
    run = known(tmp_path, some={"mean": 1020, "p99": 2020}, other={"mean": 1020, "p99": 2020, "p90": 1900})
    pieces = [[point.piece for point in line.points] for chart in slowest_of(run) for line in chart.lines]
    assert sorted(pieces) == [[0, 0, 0, 0], [0, 1, 1]]
    (made,) = contents([run], Installation(), "a title")["curves"]
    assert made["operation"] == "serialize:fresh" and [each["name"] for each in made["ticks"]][-1] == "worst"


def test_the_message_of_first_calls_is_of_middling_size() -> None:
    data = dataset_for(small_spec("monsters"), PATHS)
    sizes = [len(message) for message in data.read_messages()]
    assert sorted(sizes)[len(sizes) // 2] == sizes[middle_message(data)]


@pytest.mark.native
def test_planted_rarities_are_found_by_their_metric() -> None:
    """Runs adapters of ``tests/planted``: one stalls at one message in a thousand, and one imports slowly."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(PROJECT / "src"),
        "SERBENCH_HOME": str(sharing(PATHS.home.parent / "planted")),
        "SERBENCH_PATH": str(HERE / "planted"),
    }
    words = ["run", "-w", "sold", "-c", "python/rare", "-o", "serialize", "--rounds", "2", "--format", "json"]
    done = subprocess.run(
        [sys.executable, "-m", "serbench", *words, "--metric", "latency", "--metric", "first"],
        capture_output=True, text=True, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told: dict[tuple[str, str], dict[str, Any]] = {
        (each["metric"], each["codec"].partition(":")[2]): each
        for each in json.loads(done.stdout)
        if "metric" in each
    }
    stalls = told["latency", "stalls"]
    assert stalls["calls"] == CALLS["latency"] and stalls["p99_9_ns"] > 0.95e6 > stalls["p90_ns"]
    assert stalls["worst_ns"] > 0.95e6 > 2 * stalls["mean_ns"]
    imported = told["first", "imported"]
    assert imported["operation"] == FIRST.name
    assert imported["import_ns"] > 0.25e9 and imported["to_first_ns"] > imported["import_ns"]
