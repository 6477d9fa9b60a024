"""Tests of throughput with several threads: what is measured, and what its tables and notes say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from serbench.codecs.traits import Traits, WarmUp
from serbench.errors import FileError
from serbench.measure.plan import Plan, Task
from serbench.measure.store import Journal, Run, create_run
from serbench.measure.threads import counts_up_to, measure_threads, places, threads_estimate_s
from serbench.paths import PROJECT, Paths
from serbench.report.metric_table import _efficiency
from serbench.report.tables import tables_of
from serbench.report.threads_table import threads_of
from serbench.selecting.catalogue import load_codec
from serbench.selecting.selection import Operation
from serbench.stats.summary import Interval
from serbench.system.cores import spread_cores

SERIALIZE = Operation("serialize", "reuse")
FAKE = (sys.executable, str(Path(__file__).parent / "fake_runner.py"))


class Quiet:
    def step(self, done: int, total: int, what: str) -> None:
        pass


def test_threads_are_powers_of_two_and_all_cores() -> None:
    assert [counts_up_to(cores) for cores in (1, 2, 6, 8)] == [[1], [1, 2], [1, 2, 4, 6], [1, 2, 4, 8]]


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="cores cannot be chosen here")
def test_threads_get_cores_of_their_own_before_two_share_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1, 2, 3})
    for core, siblings in enumerate(("0-1", "0-1", "2-3", "2-3")):
        (tmp_path / f"cpu{core}/topology").mkdir(parents=True)
        (tmp_path / f"cpu{core}/topology/thread_siblings_list").write_text(siblings)
    assert spread_cores(tmp_path) == ([3, 1, 2, 0], 2)
    assert spread_cores(tmp_path / "nothing") == ([3, 2, 1, 0], 4)


def made(folder: Path, metrics: tuple[str, ...] = ("threads",)) -> Run:
    manifest = {
        "suite": None, "codecs": ["cpp/locked", "cpp/free", "cpp/slow"], "floors": [], "references": {},
        "workloads": ["monsters"], "operations": [], "metrics": [*metrics], "datasets": {},
        "rounds": 8, "arguments": [], "machine": {"processor": "none"}, "toolchains": [],
    }  # fmt: skip
    run = create_run(folder, manifest)
    with Journal(run) as journal:
        for name in ("locked", "free", "slow"):
            who = {"codec": f"cpp/{name}", "workload": "monsters", "compiler": ""}
            journal.append({"event": "unit", **who, "status": "ok", "operations": ["serialize"]})
    return run


RATES = {"locked": (100, 110, 90), "free": (50, 99, 190), "slow": (10, 20, 40)}
"""Codec → passes per second with 1, 2 and 4 threads."""


def filled(folder: Path, waited: int = 0) -> Run:
    """A run in which times vary by 2 % from one round to the next, for all threads alike."""
    run = made(folder)
    with Journal(run) as journal:
        journal.append({"event": "threads", "operations": [str(SERIALIZE)], "counts": [1, 2, 4], "apart": 2})
        for name, rates in RATES.items():
            who = {"codec": f"cpp/{name}", "workload": "monsters", "operation": "serialize"}
            for number in range(1, 9):
                for threads, rate in zip((1, 2, 4), rates, strict=True):
                    ns = 1_000_000_000 + 20_000_000 * (number % 3)
                    own = {"iterations": rate, "elapsed_ns": ns, "own_ns": threads * ns, "waited_ns": waited}
                    sample = {"event": "threads_sample", **who, "memory": "reuse", **own}
                    journal.append({**sample, "threads": threads, "round": number})
        journal.append({"event": "end"})
    return run


def test_a_lock_is_seen_by_the_share_and_not_by_the_mean(tmp_path: Path) -> None:
    (table,), _, records = tables_of(filled(tmp_path), Paths.default().suites, width=120)
    assert [row[0] for row in table.rows] == ["cpp/free", "cpp/locked", "cpp/slow"]
    shares = [row[-1] for row in table.rows]
    assert [each.split()[0] for each in shares] == ["95", "22", "100"]
    said = "\n".join(table.notes)
    assert "Hold each other up with 4 threads: cpp/locked 22 %" in said
    assert "cpp/free 95" not in said and "cpp/slow" not in said
    assert "With 4 threads cpp/free is the fastest; with one it is cpp/locked." in said
    assert "From 3 threads on, two share the execution units" in said and "Other programs" not in said
    told = [r.to_json() for r in records if r.name == "cpp/locked"]
    assert [each["threads"] for each in told] == [1, 2, 4]
    low, high = told[2]["efficiency_interval_ratio"]
    assert low <= told[2]["efficiency_ratio"] == 0.225 <= high and "efficiency_ratio" not in told[0]
    assert 97 < told[0]["messages_hz"] < 101


def test_a_share_is_not_told_where_its_interval_is_greater() -> None:
    assert _efficiency(Interval(0.35, 0.01, 240.0, 0.95)) == "not known"
    assert _efficiency(Interval(0.5, 0.4, 0.6, 0.95)).split() == ["50", "%", "±10"]


def test_a_busy_machine_is_told(tmp_path: Path) -> None:
    (table,), _, _ = tables_of(filled(tmp_path, waited=1_000_000_000), Paths.default().suites, width=120)
    assert any(note.startswith("Other programs were at work: threads got a core for") for note in table.notes)


@pytest.mark.parametrize("width", [80, 120])
def test_a_table_fits_the_terminal(tmp_path: Path, width: int) -> None:
    tables, _, _ = tables_of(filled(tmp_path), Paths.default().suites, width=width)
    assert all(table.width <= width for table in tables)


def task(fault: str, traits: Traits | None = None) -> Task:
    return Task(
        "cpp/free", "monsters", (SERIALIZE,), (*FAKE, fault), __file__, traits=traits or Traits("a language")
    )


def measured(folder: Path, *tasks: Task, rounds: int = 2) -> list[dict[str, object]]:
    run = made(folder)
    (data := folder / "data").write_bytes(bytes(100))
    plan = Plan(
        [replace(each, dataset=str(data)) for each in tasks], rounds, seed=1, samples=1, sample_ns=1000
    )
    with Journal(run) as journal:
        assert measure_threads(plan, [SERIALIZE], journal, Quiet())
    return [each.to_json() for each in threads_of(run) if each.codec == "cpp/free"]


def test_each_number_of_threads_has_figures_of_its_own(tmp_path: Path) -> None:
    counts = [each.threads for each in places()[0]]
    found = measured(tmp_path, task("none"))
    assert [each["threads"] for each in found] == counts
    assert all(each["status"] == "ok" and each["rounds"] == 2 for each in found), found


def test_what_threads_may_share_is_another_row(tmp_path: Path) -> None:
    shares = replace(task("none"), shares=True)
    found = measured(tmp_path, shares)
    counts = [each.threads for each in places()[0]]
    assert [(each["threads"], each["shared"]) for each in found] == [
        (count, shared) for shared in (False, True) for count in counts
    ]
    assert all(each["status"] == "ok" and each["rounds"] == 2 for each in found), found
    (run,) = (Run(path) for path in tmp_path.iterdir() if path.is_dir())
    (table, *_), _, _ = tables_of(run, Paths.default().suites, width=120)
    assert {row[0] for row in table.rows} == {"cpp/free", "cpp/free shared"}
    assert any("shared: all threads use the objects" in note for note in table.notes)
    alone = threads_estimate_s(plan := Plan([], 4, seed=1), [task("none")])
    assert threads_estimate_s(plan, [shares]) == pytest.approx(2 * alone)


def test_a_shared_row_that_fails_is_told_with_the_one_that_does_not(tmp_path: Path) -> None:
    run = made(tmp_path)
    who = {"codec": "cpp/free", "workload": "monsters", "operation": "serialize", "memory": "reuse"}
    with Journal(run) as journal:
        journal.append({"event": "threads", "operations": [str(SERIALIZE)], "counts": [1]})
        sample = {"round": 1, "iterations": 1000, "elapsed_ns": 1_000_000}
        journal.append({"event": "threads_sample", **who, **sample, "threads": 1})
        failed = {"reason": "it broke", "threads": 1, "shared": True}
        journal.append({"event": "threads_failure", **who, **failed})
    own = {each.name: each.status for each in threads_of(run) if each.codec == "cpp/free"}
    assert own == {"cpp/free": "ok", "cpp/free shared": "failed"}


def test_shared_is_refused_where_no_runner_can(tmp_path: Path) -> None:
    folder = tmp_path / "go" / "memcpy"
    shutil.copytree(PROJECT / "codecs/go/memcpy", folder)
    declared = folder / "codec.toml"
    declared.write_text(f'shared = "all of it"\n{declared.read_text()}')
    with pytest.raises(
        FileError, match="shared: unknown; the runner of Go has no row in which threads share"
    ):
        load_codec(declared)


def test_a_runner_that_dies_is_a_row_with_its_reason(tmp_path: Path) -> None:
    found = measured(tmp_path, task("exit@serialize:reuse"))
    assert found and all(each["status"] == "failed" for each in found)
    assert all("the runner ended with status 3" in str(each["reason"]) for each in found)


def test_a_language_without_threads_is_a_row_with_its_reason(tmp_path: Path) -> None:
    none = Traits("a language", no_figure={"threads": "it has one thread"})
    found = measured(tmp_path, task("none", none))
    assert found and all(each["reason"] == "it has one thread" for each in found)
    plan = Plan([], 4, seed=1)
    assert threads_estimate_s(plan, [task("none", none)]) == 0
    assert threads_estimate_s(plan, [task("none")]) > 4 * 5 * 0.01
    compiled = Traits("a language", warm_up=WarmUp(1, 1.0, 0.2, 10**10, 10**9, 10**8))
    process_s = threads_estimate_s(plan, [task("none", compiled)]) / (4 * len(places()[0]))
    assert process_s == pytest.approx(2 * 1.0 + 10 + 5 * 0.2)


@pytest.mark.native
@pytest.mark.slow("a program in C++ is compiled")
def test_threads_of_c_plus_plus_have_subjects_of_their_own_and_tell_what_they_threw(tmp_path: Path) -> None:
    runner, program = PROJECT / "runners/cpp", tmp_path / "threads"
    sources = [runner / f"source/{name}.cpp" for name in ("threads", "usage", "clock")]
    words = ["-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", f"-I{runner / 'include'}"]
    own = PROJECT / "tests/threads.cpp"
    subprocess.run(["g++", *words, own, *sources, "-o", program], check=True)
    told = subprocess.run([program, "3"], check=True, capture_output=True, text=True).stdout.splitlines()
    # Twice 1 thread and twice 2; each looks after two warm-ups and three samples.
    assert told[4:6] == ["made 6 looked 30", "threw planted"]
    assert re.fullmatch(r"threw thread \d+ of 1000 cannot be started: .+", told[6]), told


PROCESSES = """
import os, sys
from serbench_runner.errors import Refused
from serbench_runner.processes import sample_together
from serbench_runner.sampler import Sampler, Watch
def ready():
    return (lambda passes: sum(range(passes))), Watch(lambda shifts: None, lambda: None, wrote, None)
def wrote(result):
    os.write(1, b"%d\\n" % os.getpid())
for each in sample_together(Sampler(1_000_000, 3, 0), 2, ready):
    assert each["iterations"] > 1 and each["left"] == 2 and each["elapsed_ns"] >= 1_000_000, each
def fails():
    raise Refused("planted")
try:
    list(sample_together(Sampler(1_000_000, 3, 0), 2, fails))
except Refused as error:
    os.write(1, str(error).encode())
"""


def test_processes_of_python_begin_together_and_tell_what_they_raised() -> None:
    environment = {**os.environ, "PYTHONPATH": str(PROJECT / "runners/python")}
    words = [sys.executable, "-c", PROCESSES]
    told = subprocess.run(words, check=True, capture_output=True, text=True, env=environment).stdout.split()
    assert told[-1] == "planted" and len(set(told[:-1])) == 2
    assert len(told[:-1]) == 2 * 5  # two warm-ups and three samples
