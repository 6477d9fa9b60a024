"""Tests of runs of earlier versions, in which operations of the same names meant something else: no figure is
shown under another meaning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from serbench.errors import SerbenchError
from serbench.measure.earlier import LAST_VERSION, NOTE
from serbench.measure.events import Peak
from serbench.measure.manifest import MANIFEST_VERSION
from serbench.measure.resume import check_version
from serbench.measure.store import Journal, Run, create_run, find_run, list_runs
from serbench.report.compare_table import compare_sides, compare_table, whole
from serbench.report.notes import legend
from serbench.report.rows import rows_of

OPERATIONS = ["encode", "decode", "roundtrip", "decode_walk", "decode_traverse", "cycle"]
TIMES = {operation: 100 * (n + 1) for n, operation in enumerate(OPERATIONS)}


def made(folder: Path, version: int) -> Run:
    """Makes a run of two codecs: one offers ``decode_fast`` and has ``encode`` as a constant-time view, and
    the other offers only the operations that every codec has."""
    manifest: dict[str, Any] = {
        "codecs": ["cpp/view", "cpp/plain"], "floors": [], "workloads": ["w"],
        "operations": [f"{o}:reuse" for o in OPERATIONS],
        "datasets": {"w": {"sha256": "00", "messages": 1, "canonical_bytes": 1}}, "rounds": 6,
        "machine": {"processor": "none"}, "toolchains": [], "arguments": [], "metrics": ["time"],
        "features": {},
    }  # fmt: skip
    run = create_run(folder, manifest)
    with Journal(run) as journal:
        for codec in manifest["codecs"]:
            who = {"codec": codec, "workload": "w", "compiler": ""}
            view = (
                {"operations": [*OPERATIONS, "decode_fast"], "views": ["encode"]}
                if codec == "cpp/view"
                else {}
            )
            unit = {"status": "ok", "reason": "", "size_bytes": 10, "operations": OPERATIONS, **view}
            journal.append({"event": "unit", **who, **unit})
            for number in range(1, 7):
                for operation, time in TIMES.items():
                    sample = {"operation": operation, "memory": "reuse", "iterations": 1, "elapsed_ns": time}
                    journal.append({"event": "sample", **who, **sample, "round": number})
        journal.append({"event": "footprints", "operations": ["decode_walk:reuse"], "instructions": "none"})
        journal.append({"event": "peak", **who, "operation": "roundtrip", "memory": "reuse", "peak_bytes": 1})
        journal.append({"event": "end"})
    path = run.directory / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": version}))
    return find_run(folder, run.id)


def figures(run: Run) -> dict[tuple[str, str], float]:
    return {(row.codec, row.operation): round(row.time.estimate) for row in rows_of(run) if row.time}


def test_figures_of_an_earlier_run_have_the_names_of_what_was_measured(tmp_path: Path) -> None:
    run = made(tmp_path, LAST_VERSION)
    plain, view = (
        {o: time for (codec, o), time in figures(run).items() if codec == name}
        for name in ("cpp/plain", "cpp/view")
    )
    renamed = {**TIMES, "native_roundtrip": TIMES["roundtrip"]}
    del renamed["roundtrip"]
    assert plain == renamed
    fast = {
        "decode_fast_walk": renamed.pop("decode_walk"),
        "decode_fast_traverse": renamed.pop("decode_traverse"),
    }
    assert view == {**renamed, **fast}
    assert run.manifest.operations[2:5] == (
        "native_roundtrip:reuse",
        "decode_walk:reuse",
        "decode_fast_walk:reuse",
    )
    assert [event.operation for event in run.events() if isinstance(event, Peak)] == ["native_roundtrip"]
    assert legend(run)[0] == [NOTE]
    assert [each.id for each in list_runs(tmp_path)] == [run.id]


def test_a_native_roundtrip_with_a_view_in_it_is_no_reference_in_an_earlier_run_either(
    tmp_path: Path,
) -> None:
    rows = [row for row in rows_of(made(tmp_path, LAST_VERSION)) if row.operation == "native_roundtrip"]
    assert {row.codec: (row.view, row.rank) for row in rows} == {
        "cpp/view": (True, 1),
        "cpp/plain": (False, 1),
    }


def test_a_run_of_today_keeps_its_names(tmp_path: Path) -> None:
    run = made(tmp_path, MANIFEST_VERSION)
    assert {operation for _, operation in figures(run)} == set(OPERATIONS)
    assert NOTE not in legend(run)[0]
    check_version(run)


def test_an_earlier_run_is_compared_under_the_names_of_what_was_measured(tmp_path: Path) -> None:
    before, after = (whole(made(tmp_path, version)) for version in (LAST_VERSION, MANIFEST_VERSION))
    found = compare_sides(before, after, 0.05)
    same = {"encode", "decode", "cycle"}
    assert {each.cell[3].partition(":")[0] for each in found.cells if each.cell[0] == "cpp/view"} == same
    assert f"{before.name}: {NOTE}" in compare_table(found, before, after, 0.05, False).notes


def test_an_earlier_run_is_not_continued_in_other_words(tmp_path: Path) -> None:
    with pytest.raises(SerbenchError, match=f"found version {LAST_VERSION} of run"):
        check_version(made(tmp_path, LAST_VERSION))
