"""Tests of comparing two runs, or two halves of one run."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from tests.support import raw_manifest
from tests.test_pipeline import make_run, measure, task

from serbench.errors import SelectionError, SerbenchError
from serbench.measure.machine import Machine
from serbench.measure.manifest import MANIFEST_VERSION, Data, Manifest
from serbench.measure.resume import check_resumable
from serbench.measure.store import Journal, Run, create_run, find_run
from serbench.measure.taken import CellSamples, Taken
from serbench.report.compare_counts import compare_counts, counts_table
from serbench.report.compare_table import Side, compare_sides, compare_table, halves, whole


def test_a_program_with_other_layouts_is_no_control_of_a_comparison(tmp_path: Path) -> None:
    sides = []
    for layouts in (("aa" * 32,), ("aa" * 32,), ("bb" * 32,)):
        run, _, _ = measure(tmp_path, [task("fake/a")], rounds=3)
        path = run.directory / "samples.jsonl"
        events = [json.loads(line) for line in path.read_text().splitlines()]
        for event in events:
            if event["event"] == "unit":
                event |= {"executable": "ee" * 32, "layouts": layouts}
        path.write_text("".join(json.dumps(event) + "\n" for event in events))
        sides.append(whole(find_run(tmp_path, run.id)))
    first, same, other = sides
    controls = [compare_sides(first, side, 0.05).comparison.controls for side in (same, other)]
    assert controls == [3, 0]


def test_a_run_is_compared_by_cells_and_told_what_differs_besides(tmp_path: Path) -> None:
    runs = [measure(tmp_path, [task("fake/a"), task("fake/b")])[0] for _ in range(2)]
    path = runs[1].directory / "samples.jsonl"
    events = [json.loads(line) for line in path.read_text().splitlines()]
    for event in events:
        if event["event"] == "sample" and event["codec"] == "fake/b" and event["operation"] == "serialize":
            event["elapsed_ns"] = event["elapsed_ns"] * 110 // 100
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    slower = find_run(tmp_path, runs[1].id)
    first, second = whole(runs[0]), whole(slower)
    found = compare_sides(first, second, 0.05)
    assert {
        each.cell: each.regression for each in found.cells if each.change.verdict != "too close to call"
    } == {("fake/b", "fake", "", "serialize:reuse"): True}
    assert [each.regression for each in compare_sides(first, second, 0.2).cells] == [False] * 6
    assert {each.change.verdict for each in compare_sides(first, first, 0.05).cells} == {"too close to call"}
    table = compare_table(found, first, second, 0.05, changed_only=True)
    assert [line[0] for line in table.rows] == [
        "fake/b"
    ] and "1 slower, 0 faster, 5 too close to call" in table.notes[0]


@pytest.mark.parametrize(("is_paired", "error"), [(False, 0.02 / 2**0.5), (True, 0.02)])
def test_how_far_machines_are_apart_that_shared_a_run_is_in_the_error(is_paired: bool, error: float) -> None:
    """Each of four cells takes 1 % longer in the second run, steadily in all rounds, so that only the known
    spread between machines can make the difference insignificant."""
    cells = {
        (f"fake/{n}", "fake", "", "serialize:reuse"): {r: 1000 + n + r % 3 for r in range(1, 10)}
        for n in range(4)
    }

    def side(factor: float, spread: float) -> Side:
        taken = Taken(spreads={("fake", "serialize:reuse"): spread})
        for cell, rounds in cells.items():
            taken.cells[cell] = CellSamples(quiet={r: [factor * ns] for r, ns in rounds.items()})
        return Side("", taken, manifest)

    manifest = Manifest(
        version=MANIFEST_VERSION,
        codecs=tuple(cell[0] for cell in cells),
        workloads=("fake",),
        operations=("serialize:reuse",),
        datasets={"fake": Data(sha256="00", messages=1, canonical_bytes=10)},
        rounds=9,
        toolchains=(),
        machine=Machine(processor=""),
    )
    after = manifest if is_paired else msgspec.structs.replace(manifest)

    def verdicts(spread: float) -> tuple[set[str], float]:
        other = replace(side(1.01, 0.0), manifest=after)
        found = compare_sides(side(1.0, spread), other, 0.05)
        ratio = found.cells[0].change.ratio
        return {each.change.verdict for each in found.cells}, math.log(ratio.high / ratio.estimate)

    assert verdicts(0.0)[0] == {"slower"}
    named, reach = verdicts(0.02)
    assert named == {"too close to call"} and error < reach / 2 < 1.5 * error


def test_two_runs_of_different_machines_are_told_apart_by_what_a_guest_is_not_told(tmp_path: Path) -> None:
    sides = []
    for told in (
        {"microarchitecture": "zen3", "model": "1"},
        {"microarchitecture": "zen4", "model": "17"},
        {},
    ):
        run, _, _ = measure(tmp_path, [task("fake/a")])
        path = run.directory / "manifest.json"
        manifest = json.loads(path.read_text())
        manifest["machine"] |= told
        path.write_text(json.dumps(manifest))
        sides.append(whole(find_run(tmp_path, run.id)))
    zen3, zen4, old = sides
    notes = compare_table(compare_sides(zen3, zen4, 0.05), zen3, zen4, 0.05, changed_only=False).notes
    said = (
        "The runs are from different machines: model 1, now 17; microarchitecture zen3, "
        "now zen4. Ratios include that difference."
    )
    assert said in notes
    with pytest.raises(SerbenchError, match="microarchitecture: zen3, now zen4"):
        check_resumable(zen3.manifest, zen4.manifest, Taken(), [])
    # A run of before these were kept may be of the same machine.
    assert compare_sides(old, zen4, 0.05).machines == "" and compare_sides(old, zen4, 0.05).notes == []


def test_what_was_disturbed_in_one_of_two_runs_is_called_no_difference(tmp_path: Path) -> None:
    # Less the time that others had the core, all times are a tenth shorter.
    quiet, _, _ = measure(tmp_path, [task("fake/a"), task("fake/b")])
    busy, _, _ = measure(
        tmp_path, [task("fake/a", "disturbed@all"), task("fake/b", "disturbed@all")], samples=1
    )
    for sides in ((quiet, busy), (busy, quiet)):
        first, second = map(whole, sides)
        found = compare_sides(first, second, 0.05)
        assert {each.change.verdict for each in found.cells} == {"unreliable"} and len(found.cells) == 6
        assert not any(each.regression for each in found.cells) and found.comparison.changes == {}
        notes = compare_table(found, first, second, 0.05, changed_only=False).notes
        assert any(note.startswith("All cells are unreliable") for note in notes)


def test_what_disturbances_leave_in_doubt_is_no_difference(tmp_path: Path) -> None:
    """A cell is 2 % slower, but in two of six rounds other processes took an unknown part of its time, so the
    difference is not certain."""
    verdicts = []
    for waited in (0.0, 0.03):
        runs = [measure(tmp_path, [task("fake/a"), task("fake/b")], samples=1)[0] for _ in range(2)]
        events = [json.loads(line) for line in runs[1].journal.read_text().splitlines()]
        for event in events:
            if event["event"] == "sample" and event["codec"] == "fake/a":
                event["elapsed_ns"] = round(1.02 * event["elapsed_ns"])
                event["waited_ns"] = round((event["round"] <= 2) * waited * event["elapsed_ns"])
        runs[1].journal.write_text("".join(json.dumps(event) + "\n" for event in events))
        found = compare_sides(whole(runs[0]), whole(Run(runs[1].directory)), 0.05)
        verdicts.append({each.change.verdict for each in found.cells if each.cell[0] == "fake/a"})
    assert verdicts == [{"slower"}, {"too close to call"}]


def test_the_same_program_is_no_regression_and_figures_are_those_of_the_ratio(tmp_path: Path) -> None:
    runs = [measure(tmp_path, [task(f"fake/{name}") for name in "abcd"])[0] for _ in range(2)]
    for n, run in enumerate(runs):
        path = run.directory / "samples.jsonl"
        events = [json.loads(line) for line in path.read_text().splitlines()]
        for event in events:
            if event["event"] == "unit":
                event["executable"] = "ee" * 32
            if event["event"] == "sample" and n:
                event["elapsed_ns"] = (
                    event["elapsed_ns"] * (130 if event["codec"] == "fake/a" else 104) // 100
                )
        path.write_text("".join(json.dumps(event) + "\n" for event in events))
    first, second = (whole(find_run(tmp_path, run.id)) for run in runs)
    found = compare_sides(first, second, 0.05)
    slower = [each for each in found.cells if each.change.verdict == "slower"]
    assert {each.cell[0] for each in slower} == {"fake/a"} and not any(each.regression for each in slower)
    for each in found.cells:
        shown = each.after.estimate / each.before.estimate / found.comparison.drift
        assert shown == pytest.approx(each.change.ratio.estimate)
        assert each.change.ratio.low <= each.change.ratio.estimate <= each.change.ratio.high
    notes = compare_table(found, first, second, 0.05, changed_only=False).notes
    assert any("the machine caused the change" in note for note in notes)


def test_two_revisions_in_one_run_are_compared_within_its_rounds(tmp_path: Path) -> None:
    tools = [
        {"name": f"g++@{label}", "language": "cpp", "compiler": "g++", "flags": "", "libraries": {}}
        for label in ("HEAD~1", ".")
    ]
    run = create_run(tmp_path, raw_manifest(make_run(tmp_path, ["fake/a", "fake/b"])) | {"toolchains": tools})
    with Journal(run) as journal:
        for number in range(1, 10):
            for label, slower in (("HEAD~1", 1.0), (".", 1.1)):
                for codec in "ab":
                    who = {"codec": f"fake/{codec}", "workload": "fake", "compiler": f"g++@{label}"}
                    what = {"operation": "serialize", "memory": "reuse", "iterations": 1, "round": number}
                    # Rounds differ by a factor of two, which a comparison of their medians would drown in.
                    elapsed = round(
                        1e6
                        * 2 ** (number % 3)
                        * (slower if codec == "b" else 1.0)
                        * (1 + 0.001 * (number % 4))
                    )
                    journal.append({"event": "sample", **who, **what, "elapsed_ns": elapsed})
    first, second = halves(find_run(tmp_path, run.id))
    assert (first.name, second.name) == ("g++@HEAD~1", "g++@.")
    found = compare_sides(first, second, 0.05)
    assert {
        each.cell[0]: (each.change.verdict, round(each.change.ratio.estimate, 3)) for each in found.cells
    } == {
        "fake/a": ("too close to call", 1.0),
        "fake/b": ("slower", 1.1),
    }
    with pytest.raises(SelectionError, match=r"used 1 toolchain"):
        halves(make_run(tmp_path, ["fake/a"]))


def counted(folder: Path, tool: str, **instructions: dict[str, float]) -> Run:
    """Makes a run of two toolchains, with the instructions of ``serialize:reuse`` by toolchain and codec."""
    tools = [
        {"name": name, "language": "cpp", "compiler": "g++", "flags": "", "libraries": {}}
        for name in instructions
    ]
    run = create_run(folder, raw_manifest(make_run(folder, ["fake/a", "fake/b"])) | {"toolchains": tools})
    with Journal(run) as journal:
        for compiler, of_codec in instructions.items():
            for codec, value in of_codec.items():
                who = {"codec": f"fake/{codec}", "workload": "fake", "compiler": compiler, "tool": tool}
                what = {"operation": "serialize", "memory": "reuse", "instructions_per_pass": value}
                journal.append({"event": "instructions", **who, **what})
    return find_run(folder, run.id)


def test_instructions_are_compared_by_the_threshold_alone(tmp_path: Path) -> None:
    run = counted(tmp_path, "t", old={"a": 1000.0, "b": 1000.0, "gone": 5.0}, new={"a": 1000.9, "b": 1060.0})
    first, second = halves(run)
    found = compare_counts(first, second, 0.05)
    assert [(each.cell[0], each.verdict, each.regression) for each in found] == [
        ("fake/b", "more", True),
        ("fake/a", "equal", False),
    ]
    assert [each.regression for each in compare_counts(first, second, 0.07)] == [False, False]
    assert [each.verdict for each in compare_counts(second, first, 0.05)] == ["equal", "fewer"]
    table = counts_table(found, first, second, 0.05, changed_only=True)
    assert table.rows == [["fake/b", "fake", "serialize:reuse", "1,000", "1,060", "×1.060", "more !"]]
    assert table.notes == ["2 cells: 1 more, 0 fewer, 1 equal within 0.1 %; 1 more by more than 5 % (!)."]


def test_instructions_by_two_tools_are_not_compared(tmp_path: Path) -> None:
    first, second = (whole(counted(tmp_path / tool, tool, old={"a": 1.0})) for tool in ("perf", "valgrind"))
    assert compare_counts(first, second, 0.05) == [] and len(compare_counts(first, first, 0.05)) == 1
