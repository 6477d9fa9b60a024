"""Tests of runs on disk: how they are found and read, and the effect of a damaged one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.support import raw_manifest
from tests.test_pipeline import Quiet, make_run, measure, task

from serbench.errors import FileError, SelectionError, SerbenchError
from serbench.measure.manifest import MANIFEST_VERSION
from serbench.measure.plan import Plan
from serbench.measure.run import execute
from serbench.measure.store import MOST_DAMAGED, Journal, Run, create_run, find_run, list_runs
from serbench.report.rows import rows_of
from serbench.report.run_table import run_tables


def test_a_line_cut_off_by_a_kill_is_passed_over_and_other_damage_is_named(tmp_path: Path) -> None:
    run, _, _ = measure(tmp_path, [task("fake/a")], rounds=1)
    path = run.directory / "samples.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"event":"sam')
    assert len(list(run.events())) == len(whole.splitlines())
    many = b'{"event":"round","round":1,"order":[]}\n' * 50_000  # more than are read at once
    wrong = (
        b'{"event":"sample","codec":"fake/a","workload":"fake","operation":"serialize",'
        b'"memory":"reuse","iterations":0}\n'
    )
    path.write_bytes(many + b'{"event":"sam\n' + wrong + b'{"event":"later"}\n[]\n' + whole)
    damaged: list[str] = []
    assert len(list(run.events(damaged))) == 50_000 + len(whole.splitlines())
    assert [line.partition(", line ")[2] for line in damaged] == [
        "50001: not JSON (Input data was truncated)",
        "50002: round: missing; iterations: found 0, expected a whole number >= 1; elapsed_ns: missing",
        "50003: an event unknown to this serbench",
        "50004: found list, expected an event",
    ]
    again = Run(run.directory)
    rows = rows_of(again)
    assert [row.samples for row in rows] == [3, 3, 3]  # every sound line is used
    assert any("line 50001: not JSON" in note for note in run_tables(again, rows, 200)[-1].notes)
    path.write_bytes(b"{}\n" * (MOST_DAMAGED + 1) + whole)
    with pytest.raises(FileError, match=f"more than {MOST_DAMAGED} of its lines are no events"):
        list(run.events())


def test_runs_are_listed_newest_first_and_found_by_their_beginning(tmp_path: Path) -> None:
    runs = [make_run(tmp_path, ["fake/a"]) for _ in range(2)]
    renamed = [
        run.directory.rename(tmp_path / name)
        for run, name in zip(runs, ("20200101-a", "20210101-b"), strict=True)
    ]
    assert [run.directory for run in list_runs(tmp_path)] == renamed[::-1]
    assert find_run(tmp_path, None).id == "20210101-b"
    assert find_run(tmp_path, "2020").id == "20200101-a"
    with pytest.raises(SerbenchError, match="matches 2 runs"):
        find_run(tmp_path, "20")
    with pytest.raises(SerbenchError, match="unknown run"):
        find_run(tmp_path, "2020-x")


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", '{"version": 3}', '{"version": null}', "[" * 100_000, None]
)
def test_a_damaged_run_is_told_and_hides_no_other(tmp_path: Path, damage: str | None) -> None:
    """A damaged run is left out with a note. ``damage`` is the text of its manifest, empty as after a full
    disk; None stands for a missing journal."""
    readable, other = (make_run(tmp_path, ["fake/a"]) for _ in range(2))
    path = other.journal if damage is None else other.directory / "manifest.json"
    path.write_text(damage) if damage is not None else path.unlink()
    told: list[str] = []
    assert [run.id for run in list_runs(tmp_path, told.append)] == [readable.id]
    assert find_run(tmp_path, None, note=told.append).id == readable.id
    assert len(told) == 2 and all(
        line.startswith(f"run {other.id} is left out: ") and str(path) in line for line in told
    )
    with pytest.raises(FileError, match=re.escape(str(path))):
        list(find_run(tmp_path, other.id).events())


def test_a_manifest_of_another_version_is_refused_and_hides_no_other(tmp_path: Path) -> None:
    readable, other = (make_run(tmp_path, ["fake/a"]) for _ in range(2))
    (other.directory / "manifest.json").write_text(json.dumps({"version": 99}))
    assert [run.id for run in list_runs(tmp_path)] == [readable.id]
    assert find_run(tmp_path, None).id == readable.id
    with pytest.raises(SerbenchError, match=f"has version 99; this serbench reads {MANIFEST_VERSION}"):
        find_run(tmp_path, other.id)


def test_the_newest_run_of_a_suite_is_found(tmp_path: Path) -> None:
    whole = raw_manifest(make_run(tmp_path / "other", ["fake/a"]))
    runs = {suite: create_run(tmp_path, whole | {"suite": suite}).directory for suite in ("graph", "heron")}
    runs["graph"].rename(tmp_path / "20200101-a")
    runs["heron"].rename(tmp_path / "20210101-b")
    assert find_run(tmp_path, None, "graph").id == "20200101-a"
    with pytest.raises(
        SelectionError, match=r"no run of suite nobid yet; start one with: \./serbench run --suite nobid"
    ):
        find_run(tmp_path, None, "nobid")


def test_a_run_that_goes_on_has_what_was_taken_since_it_was_first_looked_at(tmp_path: Path) -> None:
    run, _, _ = measure(tmp_path, [task("fake/a")], rounds=1)
    assert {row.rounds for row in rows_of(run)} == {1} and run.taken.first_round == 1
    with Journal(run) as journal:
        plan = Plan([task("fake/a")], 6, seed=1, silence_limit_s=20.0)
        execute(plan, journal, Quiet(), taken=Run(run.directory).taken)
    assert {row.rounds for row in rows_of(run)} == {6} and run.taken.first_round == 6
