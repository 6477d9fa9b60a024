"""Tests of how instructions, allocations and peak memory are counted."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support import Native

from serbench.building.metrics import counters_for
from serbench.codecs.traits import Traits
from serbench.errors import RunnerError
from serbench.languages import languages
from serbench.languages.cpp.build import CppBuild
from serbench.measure.conversation import Answers, Samples
from serbench.measure.counters import (
    Tool,
    callgrind_tool,
    perf_tool,
    read_callgrind,
    read_perf,
    told_at_the_end,
)
from serbench.measure.footprint import (
    Counters,
    allocations_per_pass,
    instructions_per_pass,
    iterations_for,
    least_repeated,
    measure_footprints,
    passes,
)
from serbench.measure.identity import Identity
from serbench.measure.job import Job, Permission
from serbench.measure.plan import Plan, Task
from serbench.measure.said import Allocated, PeakSaid
from serbench.measure.store import Journal, Run, create_run
from serbench.measure.unit import Unit
from serbench.paths import PROJECT, Paths
from serbench.report.figures import Figures
from serbench.report.footprint_table import footprint_tables, footprints_of
from serbench.report.tables import tables_of
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Chosen, Operation

HERE = Path(__file__).parent
FAKE = (sys.executable, str(HERE / "fake_runner.py"), "none")
SERIALIZE, DESERIALIZE = Operation("serialize", "reuse"), Operation("deserialize", "reuse")
OPERATIONS = (SERIALIZE, DESERIALIZE)
INSTRUCTIONS = Job(Paths.default(), Chosen([], [], metrics=["instructions"]))


class Quiet:
    def step(self, done: int, total: int, what: str) -> None:
        pass


def test_a_profile_is_read_or_refused_with_what_was_found() -> None:
    callgrind = "# callgrind format\nevents: Ir\nsummary: 999\n\nfn=(1) main\n+1 300\n\ntotals: 1000\n"
    assert read_callgrind(callgrind) == 1000
    with pytest.raises(RunnerError, match="no line 'totals: N' for the event Ir"):
        read_callgrind(callgrind.replace("Ir", "Dr"))
    one = "# started on Sat\n\n1234567,,instructions:u,5000000,100.00,,\n"
    assert read_perf(one) == 1234567
    two = "10,,cpu_core/instructions:u/,1,90.00,,\n<not counted>,,cpu_atom/instructions:u/,0,0.00,,\n"
    assert read_perf(two) == 10
    with pytest.raises(RunnerError, match="perf reported '<not supported>' instructions"):
        read_perf("<not supported>,,instructions:u,0,100.00,,\n")


def fake_program(folder: Path, name: str, script: str) -> None:
    """Writes a program with this name into ``folder``, which stands first on the path."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


PEAK = (sys.executable, str(HERE / "fake_valgrind.py"), "--tool=peak")
COUNTING = (sys.executable, str(HERE / "fake_valgrind.py"), "--tool=counting", *FAKE)


@pytest.fixture
def fake_callgrind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    """The tool that counts by valgrind, with a fake valgrind in its place, whose figures are known."""
    fake_program(tmp_path, "valgrind", f'exec "{sys.executable}" "{HERE / "fake_valgrind.py"}" "$@"')
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return callgrind_tool()


def test_perf_is_taken_only_where_it_truly_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    def perf_that_says(line: str) -> None:
        fake_program(
            tmp_path,
            "perf",
            f'[ "$*" = "stat -x , -e instructions:u -o $7 -- true" ] && echo "{line}" > "$7"',
        )

    perf_that_says("<not supported>,,instructions:u,0,100.00,,")
    assert perf_tool() is None
    perf_that_says("160000,,instructions:u,200000,100.00,,")
    tool = perf_tool()
    assert tool and tool.name == "perf"
    fake_program(tmp_path, "perf", "exit 255")
    assert perf_tool() is None


def traits_of(codec: str) -> Traits:
    """The traits of the language of a codec; default traits for a fake codec."""
    language = languages().get(codec.partition("/")[0])
    return language.traits if language else Traits("none")


def plan_of(tmp_path: Path, *codecs: str, dataset_bytes: int = 10_000, **options: Any) -> Plan:
    dataset = tmp_path / "dataset"
    with dataset.open("wb") as file:
        file.truncate(dataset_bytes)
    units = [Task(codec, "fake", OPERATIONS, FAKE, str(dataset), traits=traits_of(codec)) for codec in codecs]
    return Plan(units, 1, seed=1, **options)


def test_what_both_processes_do_drops_out(tmp_path: Path, fake_callgrind: Tool) -> None:
    plan = plan_of(tmp_path, "fake/a")
    found = instructions_per_pass(plan, plan.tasks[0], SERIALIZE, fake_callgrind)
    assert found["instructions_per_pass"] == 40_000
    assert found["passes"] == [11, 111]  # the 110th iteration brings no second pass of warm-up
    assert found["tool"] == "valgrind 3.99.0 callgrind"
    found = allocations_per_pass(plan, plan.tasks[0], SERIALIZE, COUNTING)
    assert (found["allocations_per_pass"], found["allocated_bytes_per_pass"]) == (3, 300)
    with pytest.raises(RunnerError, match="last event is 'done'; expected 'allocated'"):
        allocations_per_pass(plan, plan.tasks[0], SERIALIZE, FAKE)


def test_what_a_runtime_allocates_now_and_then_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory that a runtime allocates for a thread must not count. Here only the first process with few
    passes allocates such memory, as may happen on a busy machine."""
    plan = plan_of(tmp_path, "fake/a")
    monkeypatch.setenv("FAKE_VALGRIND", "thread")
    monkeypatch.setenv("FAKE_SEEN", str(tmp_path))
    (tmp_path / "111").touch()
    found = allocations_per_pass(plan, plan.tasks[0], SERIALIZE, COUNTING)
    assert (found["allocations_per_pass"], found["allocated_bytes_per_pass"]) == (3, 300)
    assert (tmp_path / "11").exists()


@pytest.mark.parametrize(
    ("counted", "least", "takes"),
    [
        ([100, 101, 999], 100, 2),
        ([113, 117, 100, 121, 101, 999], 100, 5),
        ([130, 120, 110, 105, 100, 95], 100, 5),
    ],
)
def test_a_count_is_taken_anew_until_the_least_two_agree(counted: list[int], least: int, takes: int) -> None:
    """A runtime on a busy machine allocates more in one process than in the next, so that two may both have
    more than the least."""
    rest = iter(counted)
    found = least_repeated(lambda: Allocated(next(rest), 10))
    assert found == {"allocations": least, "allocated_bytes": 10}
    assert list(rest) == counted[takes:]


def test_passes_count_the_hundredth_that_warms_up() -> None:
    assert [passes(n) for n in (1, 99, 100, 199, 200, 1000)] == [2, 100, 101, 200, 202, 1010]


def test_small_data_have_many_passes_and_large_data_the_least() -> None:
    assert iterations_for(8_000) == (10, 100)
    assert iterations_for(50_000) == (2, 20)
    assert iterations_for(40_000_000) == (1, 1)


def test_a_cheap_operation_is_counted_more_often(
    tmp_path: Path, fake_callgrind: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_COST", "100")
    plan = plan_of(tmp_path, "fake/a")
    found = instructions_per_pass(plan, plan.tasks[0], SERIALIZE, fake_callgrind)
    first, last = found["passes"]
    assert (last - first) * 100 >= fake_callgrind.least
    assert found["instructions_per_pass"] == 100


@pytest.fixture(scope="module")
def launcher(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """The command of the program that measures the peak memory of a process."""
    if not shutil.which("g++"):
        pytest.skip("no program g++")
    path = tmp_path_factory.mktemp("launcher") / "peak"
    source = PROJECT / "runners" / "cpp" / "source" / "peak.cpp"
    subprocess.run(["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-o", path, source], check=True)
    return (str(path),)


def peak_bytes(*command: str) -> int:
    return told_at_the_end(PeakSaid, command, Answers(), None, 20)[1].bytes


def test_a_process_does_not_inherit_the_peak_of_who_started_it(launcher: tuple[str, ...]) -> None:
    own = b"x" * 200_000_000
    done = 'print(\'{"event":"hello","protocol":1}\\n{"event":"done"}\')'
    small = peak_bytes(*launcher, sys.executable, "-c", done)
    large = peak_bytes(*launcher, sys.executable, "-c", f"b = b'x' * 50_000_000; {done}")
    assert small < len(own) / 2
    assert large - small == pytest.approx(50_000_000, rel=0.01)


def test_a_failure_is_told_as_without_what_tells_the_peak(launcher: tuple[str, ...]) -> None:
    for script, said in (
        ("sys.exit(3)", "ended with status 3"),
        ("os.kill(os.getpid(), 9)", "killed by signal 9"),
    ):
        with pytest.raises(RunnerError, match=said):
            peak_bytes(*launcher, sys.executable, "-c", f"import os, sys; {script}")
    with pytest.raises(RunnerError, match="ended with status 127; it printed: /no/such: No such file"):
        peak_bytes(*launcher, "/no/such")


def counters_of(plan: Plan, instructions: Tool | None) -> Counters:
    allocations = {task.identity: COUNTING for task in plan.tasks}
    return Counters(instructions, "no such tool", allocations, PEAK)


def measured(
    tmp_path: Path, plan: Plan, counters: Counters, metrics: tuple[str, ...] = ("instructions", "memory")
) -> Run:
    codecs = [unit.codec for unit in plan.tasks]
    manifest = {
        "suite": None, "codecs": [*codecs, "fake/absent"], "floors": ["fake/floor"], "workloads": ["fake"],
        "operations": [], "metrics": list(metrics), "datasets": {}, "rounds": 1,
        "machine": {"processor": "none"}, "arguments": [],
        "toolchains": [{"name": "none", "language": "fake", "compiler": "none", "flags": "-O3"}],
    }  # fmt: skip
    run = create_run(tmp_path / "runs", manifest)
    with Journal(run) as journal:
        for unit in plan.tasks:
            journal.append(
                {
                    "event": "unit",
                    **unit.identity.fields,
                    "status": "ok",
                    "reason": "",
                    "operations": ["serialize"],
                }
            )
        absent = {"codec": "fake/absent", "workload": "fake", "compiler": ""}
        journal.append({"event": "unit", **absent, "status": "not_installed", "reason": "no header"})
        offered = replace(plan, tasks=[replace(unit, operations=(SERIALIZE,)) for unit in plan.tasks])
        if any(unit.codec == "jvm/b" for unit in plan.tasks):
            sample = {
                "operation": "serialize",
                "memory": "reuse",
                "round": 1,
                "iterations": 1,
                "elapsed_ns": 1,
            }
            who = {"codec": "jvm/b", "workload": "fake", "compiler": ""}
            for allocated in (600, 640, 2000):
                journal.append({"event": "sample", **who, **sample, "allocated_bytes_per_op": allocated})
        measure_footprints(offered, [DESERIALIZE, SERIALIZE], metrics, counters, journal, Quiet())
        journal.append({"event": "end"})
    return run


def by_cell(run: Run) -> dict[tuple[str, str], Figures]:
    return {(f.codec, f.cell): f for f in footprints_of(run)}


def figures(cell: Figures) -> dict[str, float]:
    """The values of a cell that were measured, without their ratios."""
    return {name: value for name, value in cell.values.items() if name.endswith(("_per_pass", "peak_bytes"))}


def reasons(cell: Figures) -> dict[str, str]:
    """Names of the missing figures of a cell → the reasons why they are missing."""
    return {name.removeprefix("no_"): why for name, why in cell.values.items() if name.startswith("no_")}


def test_every_cell_has_its_figures_or_a_reason(tmp_path: Path, fake_callgrind: Tool) -> None:
    plan = plan_of(tmp_path, "fake/a", "jvm/b")
    run = measured(tmp_path, plan, counters_of(plan, fake_callgrind))
    cells = by_cell(run)
    a = cells["fake/a", "serialize:reuse"]
    assert figures(a) == {
        "instructions_per_pass": 40_000,
        "allocations_per_pass": 3,
        "allocated_bytes_per_pass": 300,
        "peak_bytes": 6_000_000,
    }
    assert a.to_json()["instructions_ratio"] == 1 and not reasons(a)
    assert (cells["fake/a", "deserialize:reuse"].status, cells["fake/absent", "serialize:reuse"].status) == (
        "unsupported",
        "not_installed",
    )
    assert set(reasons(cells["jvm/b", "serialize:reuse"])) == {"instructions", "allocations", "peak"}
    instructions, memory = footprint_tables(run, list(cells.values()), 100)
    assert instructions.rows == [["fake/a", "40.00 k", "×1.00", "–", ""]]
    notes = " ".join(instructions.notes)
    assert "jvm/b serialize:reuse: no instructions: callgrind does not support JIT compilers" in notes
    assert "fake/absent: not installed: no header" in notes and "offer no deserialize" in notes
    assert [row[:5] for row in memory.rows] == [
        ["fake/a", "3", "300 B", "×1.00", "6.0 MB"],
        ["jvm/b", "–", "640 B", "×2.13", "–"],  # as its samples say
    ]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (
            "crash",
            (
                "under valgrind 3.99.0 callgrind: the runner ended with status 132; "
                "it printed: vex amd64->IR: unhandled"
            ),
        ),
        (
            "hang",
            (
                "11 passes took longer than 1 s under valgrind 3.99.0 callgrind; "
                "use fewer messages, or a longer"
            ),
        ),
        ("silent", "under valgrind 3.99.0 callgrind: it wrote nothing"),
    ],
)
def test_a_failure_under_a_tool_is_a_reason(
    tmp_path: Path, fake_callgrind: Tool, monkeypatch: pytest.MonkeyPatch, fault: str, said: str
) -> None:
    monkeypatch.setenv("FAKE_VALGRIND", fault)
    limit = 0.1 if fault == "hang" else 10.0
    plan = plan_of(tmp_path, "fake/a", silence_limit_s=limit)
    run = measured(tmp_path, plan, counters_of(plan, fake_callgrind), ("instructions",))
    assert said in reasons(by_cell(run)["fake/a", "serialize:reuse"])["instructions"]


def test_without_valgrind_memory_is_still_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = counters_for(INSTRUCTIONS, [], print, lambda *_: None)
    plan = plan_of(tmp_path, "fake/a")
    run = measured(tmp_path, plan, replace(counters_of(plan, found.instructions), missing=found.missing))
    assert set(figures(by_cell(run)["fake/a", "serialize:reuse"])) == {
        "allocations_per_pass",
        "allocated_bytes_per_pass",
        "peak_bytes",
    }
    (table, _), _, _ = tables_of(run, Paths.default().suites)
    assert any(
        note.startswith("No instructions: no program 'valgrind' is on the path; get it: ")
        and note.endswith("install valgrind")
        for note in table.notes
    )


def test_what_cannot_count_its_allocations_says_why(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, "fake/a")
    allocations = {Identity("fake/a", "fake"): "linked dynamically"}
    counters = Counters(allocations=allocations, peak=PEAK)
    run = measured(tmp_path, plan, counters, ("memory",))
    (table,) = footprint_tables(run, footprints_of(run), 100)
    assert "fake/a serialize:reuse: no allocations: linked dynamically" in table.notes
    assert set(figures(by_cell(run)["fake/a", "serialize:reuse"])) == {"peak_bytes"}


def test_nothing_is_started_when_the_time_is_over(tmp_path: Path, fake_callgrind: Tool) -> None:
    plan = plan_of(tmp_path, "fake/a", max_time_s=0.0)
    run = measured(tmp_path, plan, counters_of(plan, fake_callgrind))
    assert set(reasons(by_cell(run)["fake/a", "serialize:reuse"]).values()) == {
        "the time set by --max-time is over"
    }


@contextmanager
def busy_core() -> Iterator[None]:
    """Keeps another process busy for as long as the context lasts, on a core that this process may use."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def native_task(native: Native, codec: str, *operations: Operation) -> tuple[Plan, Task, Unit]:
    unit = native.unit(load_variants(native.paths.codecs)[codec], "record")
    assert unit.status == "ok", unit.reason
    task = Task(codec, "record", operations, unit.command, str(unit.data.path))
    return Plan([task], 1, seed=1), task, unit


@pytest.mark.native
def test_instructions_are_the_same_whatever_else_the_machine_does(native: Native) -> None:
    allowed = replace(INSTRUCTIONS, permission=Permission(install=True))
    found = counters_for(allowed, [], print, lambda *_: None)
    if not found.instructions:
        pytest.skip(found.missing)
    plan, task, _ = native_task(native, "cpp/handwritten:checked", SERIALIZE)
    quiet = instructions_per_pass(plan, task, SERIALIZE, found.instructions)["instructions_per_pass"]
    with busy_core():
        busy = instructions_per_pass(plan, task, SERIALIZE, found.instructions)["instructions_per_pass"]
    assert busy == pytest.approx(quiet, rel=0.001)
    assert 1_000 < quiet < 100_000  # 17 kB are copied in 101 blocks


@pytest.mark.native
def test_allocations_are_those_that_can_be_counted_by_hand(native: Native) -> None:
    """A new Record allocates a block of 1000 integers, a block of 100 strings of 32 bytes, and a block for
    the characters of each string; a Record that is used again allocates nothing."""
    fresh = Operation("deserialize", "fresh")
    plan, task, unit = native_task(native, "cpp/handwritten:checked", DESERIALIZE, fresh)
    chosen = Chosen([unit.variant], [unit.spec], metrics=["memory"])
    counters = counters_for(Job(native.paths, chosen, [native.builds["cpp"]]), [unit], print, lambda *_: None)
    (counting,) = counters.allocations.values()
    build = native.builds["cpp"]
    assert isinstance(build, CppBuild)
    if not build.static:
        pytest.skip(str(counting))
    assert isinstance(counting, tuple) and isinstance(counters.peak, tuple)
    characters = (
        len("shgfkghsdfjhgsfjhfgjhfgjsffghgsfdhgsfdfkdjhfioukjhkfdljgdfkgvjafdhasgdfwurtjkghfsdjkfg") + 1
    )
    found = allocations_per_pass(plan, task, fresh, counting)
    assert found["allocations_per_pass"] == 1 + 1 + 100
    assert found["allocated_bytes_per_pass"] == 1000 * 8 + 100 * 32 + 100 * characters
    assert allocations_per_pass(plan, task, DESERIALIZE, counting)["allocations_per_pass"] == 0
    # Whatever digits a time has, telling it takes as many bytes.
    cell = str(DESERIALIZE)
    words = [*counting, "measure", "--dataset", task.dataset, "--cells", cell, "--samples", "1"]
    few, many = (
        told_at_the_end(Allocated, [*words, "--iterations", asked], Samples([cell], 1), None, 20)[1]
        for asked in ("5", "500000")
    )
    assert few == many
    assert (
        400_000 < peak_bytes(*counters.peak, *task.command, "describe") < 3_000_000
    )  # the pages of the program that are used, and its heap
