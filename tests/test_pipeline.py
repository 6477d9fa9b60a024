"""Tests of the pipeline from plan to table with a fake runner: the data that are kept, the reports, and the
cost of failures."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support import raw_events, raw_manifest

from serbench.codecs.traits import Traits, WarmUp
from serbench.errors import RunnerError, SerbenchError
from serbench.measure.events import Sample, UnitEvent
from serbench.measure.manifest import MANIFEST_VERSION, Manifest
from serbench.measure.plan import Plan, Task
from serbench.measure.resume import check_resumable
from serbench.measure.run import Outcome, execute
from serbench.measure.store import Journal, Run, create_run, find_run
from serbench.measure.taken import Taken
from serbench.report.notes import notes_of
from serbench.report.overview_table import overview_table
from serbench.report.rows import Row, rows_of
from serbench.report.run_table import run_tables
from serbench.selecting.selection import Operation
from serbench.stats.disturbance import AFTERMATH

FAKE = (sys.executable, str(Path(__file__).parent / "fake_runner.py"))
SERIALIZE, DESERIALIZE, FRESH = (
    Operation("serialize", "reuse"),
    Operation("deserialize", "reuse"),
    Operation("deserialize", "fresh"),
)
OPERATIONS = (SERIALIZE, DESERIALIZE, FRESH)


class Quiet:
    def step(self, done: int, total: int, what: str) -> None:
        pass


def task(codec: str, fault: str = "none") -> Task:
    return Task(codec, "fake", OPERATIONS, (*FAKE, fault), "")


def make_run(directory: Path, codecs: list[str]) -> Run:
    manifest: dict[str, Any] = {
        "codecs": codecs,
        "floors": [],
        "workloads": ["fake"],
        "operations": [str(o) for o in OPERATIONS],
        "rounds": 6,
        "datasets": {"fake": {"messages": 1, "canonical_bytes": 10, "sha256": "00"}},
        "machine": {"processor": "none"},
        "toolchains": [{"name": "none", "language": "cpp", "compiler": "none", "flags": "", "libraries": {}}],
        "core": None,
        "arguments": [],
    }
    run = create_run(directory, manifest)
    with Journal(run) as journal:
        for codec in codecs:
            offered = [o.name for o in OPERATIONS]
            journal.append(
                {
                    "event": "unit",
                    "codec": codec,
                    "workload": "fake",
                    "compiler": "",
                    "status": "ok",
                    "reason": "",
                    "size_bytes": 10,
                    "operations": offered,
                }
            )
    return run


def measure(
    directory: Path, tasks: list[Task], rounds: int = 6, **options: Any
) -> tuple[Run, Outcome, dict[tuple[str, str], Row]]:
    run = make_run(directory, [task.codec for task in tasks])
    options.setdefault("silence_limit_s", 20.0)
    with Journal(run) as journal:
        outcome = execute(Plan(tasks, rounds, seed=1, **options), journal, Quiet())
    return run, outcome, {(r.codec, f"{r.operation}:{r.memory}"): r for r in rows_of(run)}


def test_a_plan_gives_a_row_with_figures_for_every_cell(tmp_path: Path) -> None:
    run, outcome, rows = measure(tmp_path, [task("fake/a"), task("fake/b")])
    assert outcome.rounds_done == 6 and not outcome.failures
    assert len(rows) == 6
    row = rows["fake/a", "serialize:reuse"]
    assert (row.status, row.rounds, row.samples, row.size_bytes) == ("ok", 6, 18, 10)
    # len("serialize") + 1 ms in 1000 iterations
    assert row.time and row.time.estimate == pytest.approx(10_000)
    assert row.rank == 1
    text = run_tables(run, list(rows.values()), 200)[0]
    assert [line[0] for line in text.rows] == ["fake/a", "fake/b"]


def test_the_pace_of_a_program_is_learned_from_its_passes(tmp_path: Path) -> None:
    good = replace(task("fake/a"), pass_bytes=10)
    bad = replace(task("fake/bad", "exit@serialize:reuse"), pass_bytes=10)
    _, outcome, rows = measure(tmp_path, [good, bad, task("fake/unknown")], rounds=2)
    passes = [row.time.estimate for (codec, _), row in rows.items() if codec == "fake/a" and row.time]
    assert outcome.failures and outcome.paces.keys() == {good.identity}
    pace = outcome.paces[good.identity]
    assert [pace.pass_ns, pace.made_bytes] == pytest.approx([sum(passes) / 3 / 10, 10])
    _, outcome, _ = measure(tmp_path, [good], rounds=2, iterations=5)
    assert not outcome.paces, "passes without warm-up and calibration"


def test_a_cell_that_does_not_settle_is_marked(tmp_path: Path) -> None:
    run, _, rows = measure(
        tmp_path, [task("fake/good"), task("fake/restless", "unsettled@deserialize:reuse")]
    )
    assert {key: row.unsettled for key, row in rows.items() if row.unsettled} == {
        ("fake/restless", "deserialize:reuse"): 6
    }
    notes = " ".join(run_tables(run, list(rows.values()), 200)[-1].notes)
    assert "Still warming up when timing began (rounds): fake/restless deserialize:reuse (6)." in notes


def test_a_runner_that_cannot_start_fails_all_its_cells_at_once(tmp_path: Path) -> None:
    missing = Task("fake/missing", "fake", OPERATIONS, (str(tmp_path / "nothing"),), "")
    _, outcome, rows = measure(tmp_path, [task("fake/good"), missing], rounds=2)
    assert {r.status for (codec, _), r in rows.items() if codec == "fake/missing"} == {"failed"}
    assert "could not be started" in rows["fake/missing", "serialize:reuse"].reason
    assert {r.status for (codec, _), r in rows.items() if codec == "fake/good"} == {"ok"}
    assert len(outcome.failures) == 3


def test_the_order_is_shuffled_by_the_seed(tmp_path: Path) -> None:
    def order(seed: int) -> list[str]:
        tasks = [task(f"fake/{name}") for name in "abcdef"]
        run = make_run(tmp_path, [task.codec for task in tasks])
        with Journal(run) as journal:
            execute(Plan(tasks, 1, seed), journal, Quiet())
        return list(dict.fromkeys(e.codec for e in run.events() if isinstance(e, Sample)))

    assert order(1) == order(1) != order(2)


def test_what_a_time_limit_cuts_off_is_said(tmp_path: Path) -> None:
    _, outcome, rows = measure(tmp_path, [task("fake/a")], rounds=50, max_time_s=0.5)
    assert outcome.out_of_time and 0 < outcome.rounds_done < 50
    assert rows["fake/a", "serialize:reuse"].rounds >= outcome.rounds_done


def test_rounds_go_on_for_the_cells_that_are_not_within_the_target(tmp_path: Path) -> None:
    tasks = [task("fake/a"), task("fake/restless", "restless@deserialize:reuse")]
    run, outcome, rows = measure(tmp_path, tasks, rounds=6, target=0.02, most_rounds=9)
    assert outcome.rounds_done == 9
    assert outcome.unconverged == [("fake/restless", "fake", "", "deserialize:reuse")]
    assert {key: row.rounds for key, row in rows.items() if row.rounds != 6} == {
        ("fake/restless", "deserialize:reuse"): 9,
        ("fake/a", "deserialize:reuse"): 9,  # which its ratio is to
    }
    orders = [event["order"] for event in raw_events(run) if event["event"] == "round"]
    assert [len(order) for order in orders] == [2] * 9
    # three words of who, and one operation
    assert all(len(cells) == 4 for order in orders[6:] for cells in order)


def test_further_rounds_end_where_somebody_waits_for_a_first_look(tmp_path: Path) -> None:
    tasks = [task("fake/a"), task("fake/restless", "restless@deserialize:reuse")]
    _, outcome, _ = measure(tmp_path, tasks, rounds=6, target=0.02, most_rounds=9, further_s=0.0)
    assert outcome.rounds_done == 6 and not outcome.out_of_time
    assert outcome.unconverged == [("fake/restless", "fake", "", "deserialize:reuse")]


def test_several_workloads_have_an_overview_of_ratios(tmp_path: Path) -> None:
    """``slow`` takes 2 and 8 times as long as ``fast``, so that the geometric mean is 4; a ratio of mean
    times would be another."""
    manifest = raw_manifest(make_run(tmp_path, ["fake/fast", "fake/slow", "fake/half"]))
    run = create_run(tmp_path, manifest | {"workloads": ["short", "long"], "operations": ["serialize:reuse"]})
    with Journal(run) as journal:
        for codec, times in (("fast", (1, 100)), ("slow", (2, 800)), ("half", (3,))):
            for workload, time in zip(("short", "long"), times, strict=False):
                who = {"codec": f"fake/{codec}", "workload": workload, "compiler": ""}
                journal.append(
                    {"event": "unit", **who, "status": "ok", "reason": "", "operations": ["serialize"]}
                )
                what = {
                    "operation": "serialize",
                    "memory": "reuse",
                    "iterations": 1,
                    "elapsed_ns": 1000 * time,
                }
                for number in range(1, 7):
                    journal.append({"event": "sample", **who, **what, "round": number})
    table = overview_table(run, rows_of(run))
    assert table and [line[:2] for line in table.rows] == [["fake/fast", "×1.00"], ["fake/slow", "×4.00"]]
    assert "Left out, since not measured on every workload: fake/half." in table.notes
    assert overview_table(measure(tmp_path, [task("fake/a")])[0], []) is None


def test_constant_time_views_are_ranked_among_themselves(tmp_path: Path) -> None:
    codecs = ["fake/a", "fake/view", "fake/other_view"]
    run = make_run(tmp_path, codecs)
    path = run.directory / "samples.jsonl"
    path.write_text(
        re.sub(r'("codec":"fake/[a-z]*_?view".*?)}', r'\1,"views":["serialize"]}', path.read_text())
    )
    tasks = [task(codec) for codec in codecs]
    with Journal(run) as journal:
        execute(Plan(tasks, 6, seed=1), journal, Quiet())
    every = rows_of(run)
    rows = [row for row in every if row.operation == "serialize"]
    assert [(row.view, row.rank, row.ratio and row.ratio.estimate) for row in rows] == [
        (False, 1, 1),
        (True, 1, 1),
        (True, 1, 1),
    ]
    tables = run_tables(run, every, 200)
    assert [line[2] for line in tables[0].rows] == ["10.0 µs", "10.0 µs°", "10.0 µs°"]
    assert any(note.startswith("°: a constant-time view") for note in tables[-1].notes)


def test_a_round_begins_with_the_reference_kernel_and_survives_it(tmp_path: Path) -> None:
    def broken() -> dict[str, int]:
        raise RunnerError("the calibration loop hung")

    said = "the calibration loop hung"
    for reference, expected in ((lambda: {"integer_ns": 5}, ({"integer_ns": 5}, None)), (broken, ({}, said))):
        run = make_run(tmp_path, ["fake/a"])
        with Journal(run) as journal:
            execute(Plan([task("fake/a")], 2, 1), journal, Quiet(), reference)
        begun = [event for event in raw_events(run) if event["event"] == "round"]
        assert [(e["reference"], e.get("reference_failure")) for e in begun] == [expected] * 2


def test_disturbed_samples_are_stored_and_counted_and_left_out(tmp_path: Path) -> None:
    run, _, rows = measure(tmp_path, [task("fake/a", "disturbed@serialize:reuse")])
    row = rows["fake/a", "serialize:reuse"]
    # The first of three samples in each round, the shortest, is left.
    assert (row.samples, row.disturbed, row.deducted_rounds, row.doubt) == (18, 12, 0, 0.0)
    assert row.time and row.time.estimate == pytest.approx(1_000_000 * len("serialize") / 1000)
    assert sum(isinstance(event, Sample) for event in run.events()) == 54
    notes = " ".join(run_tables(run, list(rows.values()), 200)[-1].notes)
    assert "12 of 54 samples disturbed: another process or guest used the core" in notes
    assert "deducted" not in notes


def test_where_everything_is_disturbed_the_lost_time_is_deducted(tmp_path: Path) -> None:
    run, _, rows = measure(tmp_path, [task("fake/a", "disturbed@all")], samples=1)
    row = rows["fake/a", "serialize:reuse"]
    assert row.time and row.disturbed == row.samples == row.deducted_rounds == 6
    notes = " ".join(run_tables(run, list(rows.values()), 200)[-1].notes)
    without_the_tenth_of_others = 0.9 * 1_000_000 * len("serialize") / 1000
    assert row.time.estimate == pytest.approx(without_the_tenth_of_others)
    # The rounds are all alike, so the interval is that of the doubt alone.
    assert row.doubt > AFTERMATH
    assert row.time.high > row.time.estimate * (1 + 2 * row.doubt)
    assert "there the lost time is deducted where it is known, and intervals are wider" in notes
    assert (row.rank, row.to_json()["rank"], row.to_json()["deducted_rounds"]) == (1, 1, 6)


def test_a_cell_without_clean_samples_is_ranked_by_what_is_sure_of_it(tmp_path: Path) -> None:
    # Less the tenth that others had the core, the disturbed ones are faster: one by a tenth, one by half.
    tasks = [task("fake/busy", "disturbed@all"), task("fake/clean")]
    _, _, rows = measure(tmp_path, tasks, samples=1)
    busy, clean = (rows[name, "serialize:reuse"] for name in ("fake/busy", "fake/clean"))
    assert busy.time and clean.time and busy.time.estimate < clean.time.estimate
    assert (busy.rank, clean.rank) == (1, 2)
    assert clean.ratio and clean.ratio.low < 1 / 0.9 * (1 - busy.doubt)


def test_a_run_that_was_cut_off_is_finished_by_another_in_the_same_order(tmp_path: Path) -> None:
    tasks = [task(f"fake/{name}") for name in "abc"]
    whole, _, _ = measure(tmp_path, tasks, rounds=3)
    cut = make_run(tmp_path, [task.codec for task in tasks])
    lines = (whole.directory / "samples.jsonl").read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if b'"unit"' not in line][:40]  # in the middle of the second round
    with (cut.directory / "samples.jsonl").open("ab") as file:
        file.write(b"".join(kept) + b'{"event":"sam')
    with Journal(cut) as journal:
        execute(Plan(tasks, 3, seed=1), journal, Quiet(), taken=Taken.of(cut.events()))
    samples = [[e for e in run.events() if isinstance(e, Sample)] for run in (whole, cut)]
    of_cells = [{(*e.cell, e.round) for e in taken} for taken in samples]
    assert of_cells[0] == of_cells[1] and len(of_cells[0]) == 27
    third = [[e.cell for e in taken if e.round == 3] for taken in samples]
    assert third[0] == third[1]


def manifest(**changes: Any) -> Manifest:
    tool = {
        "name": "g++",
        "language": "cpp",
        "compiler": "g++ 12",
        "flags": "-O3",
        "libraries": {"cpp/x": "1.0"},
    }
    whole = {
        "version": MANIFEST_VERSION, "codecs": ["cpp/x"], "workloads": ["w"], "operations": [], "rounds": 1,
        "core": 1, "machine": {"processor": "p", "cores": 2, "load_at_start": 0.5}, "toolchains": [tool],
        "datasets": data("aa"),
    }  # fmt: skip
    return msgspec.convert(whole | changes, Manifest)


def data(digest: str) -> dict[str, Any]:
    return {"w": {"sha256": digest, "messages": 1, "canonical_bytes": 1}}


@pytest.mark.parametrize(
    ("now", "executable", "named"),
    [
        (manifest(machine={"processor": "q", "cores": 2}), "e0", "machine, processor: p, now q"),
        (manifest(core=0), "e0", "core: 1, now 0"),
        (manifest(toolchains=[]), "e0", "toolchain g++, compiler: g++ 12, now None"),
        (manifest(datasets=data("bb")), "e0", "data of w, sha256: aa, now bb"),
        (manifest(), "f0", "executable of cpp/x w: e0, now f0"),
    ],
)
def test_a_run_is_not_continued_with_what_differs(now: Manifest, executable: str, named: str) -> None:
    before = UnitEvent(codec="cpp/x", workload="w", status="ok", executable="e0")
    taken = Taken.of([before])
    check_resumable(
        manifest(machine={"processor": "p", "cores": 2, "load_at_start": 9}), manifest(), taken, [before]
    )
    with pytest.raises(SerbenchError, match=re.escape(named)):
        check_resumable(manifest(), now, taken, [msgspec.structs.replace(before, executable=executable)])


@pytest.mark.parametrize("field", ["compiler", "name", "libraries"])
def test_what_differs_is_told_in_a_sentence_however_long_it_is(field: str) -> None:
    long = "g++ 12 " + "x" * 70_000
    tool = {
        "name": "g++",
        "language": "cpp",
        "compiler": "g++ 12",
        "flags": "-O3",
        "libraries": {"cpp/x": "1.0"},
    }
    other = manifest(toolchains=[tool | {field: {"cpp/x": long} if field == "libraries" else long}])
    with pytest.raises(SerbenchError, match=r"g\+\+ 12 x+ … x+.* now ") as caught:
        check_resumable(other, manifest(), Taken(), [])
    assert len(str(caught.value)) < 3_000


def test_an_executable_of_a_damaged_journal_is_told_in_a_sentence() -> None:
    before = UnitEvent(
        codec="cpp/x", workload="w", status="ok", executable="e" * 70_000, layouts=("aaaaaaaaa",) * 10_000
    )
    now = msgspec.structs.replace(before, executable="f0", layouts=())
    with pytest.raises(
        SerbenchError, match=r"eee … e+, now f0; layouts of .* aaaaaaaa .* … .*, now none"
    ) as caught:
        check_resumable(manifest(), manifest(), Taken.of([before]), [now])
    assert len(str(caught.value)) < 1_000


def test_a_run_is_not_continued_with_other_layouts() -> None:
    before = UnitEvent(
        codec="cpp/x", workload="w", status="ok", executable="e0", layouts=("aa" * 32, "bb" * 32)
    )
    taken = Taken.of([before])
    check_resumable(manifest(), manifest(), taken, [msgspec.structs.replace(before)])
    for layouts, said in (((), "none"), (("aa" * 32, "cc" * 32), "aaaaaaaa cccccccc")):
        with pytest.raises(SerbenchError, match=f"layouts of cpp/x w: aaaaaaaa bbbbbbbb, now {said}"):
            check_resumable(manifest(), manifest(), taken, [msgspec.structs.replace(before, layouts=layouts)])


def test_a_killed_run_keeps_every_sample_that_was_written(tmp_path: Path) -> None:
    """SIGKILL ends the run in its middle, so that it saves nothing at its end; what it wrote must be kept."""
    script = f"""
import sys; sys.path[:0] = {[str(Path(__file__).parent), *sys.path]!r}
from pathlib import Path
import test_pipeline as t
run = t.make_run(Path({str(tmp_path)!r}), ["fake/a"])
class Loud:
    def step(self, done, total, what): print(done, flush=True)
with t.Journal(run) as journal:
    t.execute(t.Plan([t.task("fake/a")], 1000, 1), journal, Loud())
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        while int(process.stdout.readline()) < 3:  # three rounds are over
            pass
        process.kill()
    run = find_run(tmp_path, None)
    samples = [e for e in run.events() if isinstance(e, Sample)]
    assert len(samples) >= 3 * 9
    rows = rows_of(run)
    assert all(r.status == "ok" and r.rounds >= 3 for r in rows)
    assert any(
        "This run is not finished" in note for table in run_tables(run, rows, 200) for note in table.notes
    )


def test_where_operations_warm_up_one_of_a_floor_beside_is_measured_a_round(tmp_path: Path) -> None:
    warm = Traits("the JVM", warm_up=WarmUp(3, 2.0, 0.25, 10_000_000_000, 1_500_000_000, 100_000_000))
    asked, floor = task("fake/a"), replace(task("fake/floor"), traits=warm, beside=True)
    assert not replace(task("fake/floor"), beside=True).in_turns  # all are measured if starting is quick
    run = make_run(tmp_path, ["fake/a", "fake/floor"])
    with Journal(run) as journal:
        execute(Plan([asked, floor], 6, 1), journal, Quiet())
    rounds = {cell[0::3]: sorted(samples.rounds) for cell, samples in run.taken.cells.items()}
    assert rounds["fake/a", "serialize:reuse"] == [1, 2, 3, 4, 5, 6]
    turns = [rounds["fake/floor", str(operation)] for operation in OPERATIONS]
    assert sorted(map(tuple, turns)) == [(1, 4), (2, 5), (3, 6)]


def test_a_stack_trace_stays_out_of_the_notes() -> None:
    rows = [
        Row(
            codec, "w", "encode", "reuse", "failed", f"out of memory; it printed: {codec} {'at a.b.c ' * 100}"
        )
        for codec in ("jvm/a", "jvm/b")
    ]
    assert notes_of(rows, 1) == ["jvm/a, jvm/b: failed: out of memory (in full with --format json)"]
    (note,) = notes_of([Row("jvm/a", "w", "encode", "reuse", "failed", "word " * 100)], 1)
    assert "word word" in note and note.endswith("… (in full with --format json)")
    assert len(note) < 450


def test_variants_that_share_a_reason_share_a_line() -> None:
    def row(codec: str, operation: str, status: str, reason: str) -> Row:
        return Row(codec, "fake", operation, "reuse", status, reason)

    rows = [
        row(codec, "encode", "not_installed", "no header x.h") for codec in ("cpp/x:a", "cpp/x:b", "cpp/y")
    ]
    rows += [
        row("cpp/z", operation, "unsupported", f"offers no {operation}") for operation in ("walk", "build")
    ]
    assert notes_of(rows, 1) == [
        "cpp/x:a, b, cpp/y: not installed: no header x.h",
        "cpp/z offers no walk, build",
    ]
