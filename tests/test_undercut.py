"""Tests that a codec which is faster than a mere copy is questioned, and that one which takes ever more
memory is reported."""

from __future__ import annotations

from pathlib import Path

from tests.support import raw_events, raw_manifest
from tests.test_pipeline import make_run

from serbench.measure.store import Journal, Run, create_run
from serbench.report.notes import legend
from serbench.report.rows import Row, rows_of
from serbench.report.run_table import run_tables

TIMES = {
    "cpp/floor": 100,
    "cpp/quick": 60,
    "cpp/view": 5,
    "cpp/close": 99,
    "cpp/slow": 300,
    "other/quick": 60,
}
"""Codec → nanoseconds of a pass."""


def taken(folder: Path, told: dict[str, list[str]]) -> tuple[Run, dict[str, Row]]:
    made = make_run(folder / "made", list(TIMES))
    run = create_run(folder, raw_manifest(made) | told)
    of_view = {"views": ["serialize"]}
    with Journal(run) as journal:
        for event in raw_events(made):
            growth = {"growth": {"serialize:reuse": 256}} if event["codec"] == "cpp/slow" else {}
            journal.append({**event, **growth, **(of_view if event["codec"] == "cpp/view" else {})})
        for number in range(1, 10):
            for codec, time in TIMES.items():
                sample: dict[str, object] = {
                    "event": "sample",
                    "codec": codec,
                    "workload": "fake",
                    "compiler": "",
                    "operation": "serialize",
                }
                sample |= {
                    "memory": "reuse",
                    "round": number,
                    "iterations": 1000,
                    "elapsed_ns": 1000 * time + 3000 * (number % 3),
                }
                journal.append(sample)
    return run, {row.codec: row for row in rows_of(run) if row.time}


def test_who_is_faster_than_the_floor_of_its_language_is_questioned(tmp_path: Path) -> None:
    run, rows = taken(tmp_path, {"floors": ["cpp/floor"]})
    assert [codec for codec, row in rows.items() if row.undercuts] == ["cpp/quick"]
    assert rows["cpp/quick"].to_json()["undercuts_floor"] is True
    (table, *_) = run_tables(run, list(rows_of(run)), 200)
    lines = {str(line[0]): " ".join(map(str, line)) for line in table.rows}
    assert [name for name, line in lines.items() if "?" in line] == ["cpp/quick"]
    assert [name for name, line in lines.items() if "°" in line] == ["cpp/view"]
    fastest = next(said.text for said in table.verdict if said.label == "Fastest to write")
    assert "cpp/quick ?," in fastest
    (note,) = [note for note in table.notes if note.startswith("?")]
    assert "cpp/quick serialize:reuse. Either it writes far fewer bytes" in note


def test_a_floor_that_nobody_named_questions_too_and_is_in_no_table(tmp_path: Path) -> None:
    asked = [codec for codec in TIMES if codec != "cpp/floor"]
    run, rows = taken(tmp_path, {"codecs": asked, "beside": ["cpp/floor"]})
    assert list(rows) == asked
    assert [codec for codec, row in rows.items() if row.undercuts] == ["cpp/quick"]
    assert rows["cpp/quick"].rank == 1
    (table, *_) = run_tables(run, list(rows_of(run)), 200)
    assert "cpp/floor" not in {str(line[0]) for line in table.rows}
    assert any(note.startswith("?: faster than the floor") for note in table.notes)
    _, lines = legend(run)
    assert any(line.startswith("Timed beside them and not shown: cpp/floor") for line in lines)


def test_memory_that_grows_is_told_below_the_tables(tmp_path: Path) -> None:
    run, _ = taken(tmp_path, {})
    _, lines = legend(run)
    assert "Memory grows with every pass: cpp/slow on fake, serialize:reuse (256 bytes a pass)." in lines
