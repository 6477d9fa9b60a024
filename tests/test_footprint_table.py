"""Tests of the tables of instructions and memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from serbench.measure.store import Journal, Run, create_run
from serbench.paths import Paths
from serbench.report.footprint_table import footprint_tables, footprints_of
from serbench.report.tables import tables_of


def known(folder: Path, **of_codec: dict[str, float]) -> Run:
    """Makes a run in which ``serialize:reuse`` and ``deserialize:fresh`` have these values, by codec."""
    manifest = {
        "suite": None, "codecs": [f"cpp/{name}" for name in of_codec], "floors": ["cpp/memcpy"],
        "workloads": ["monsters"], "operations": [], "metrics": ["instructions", "memory"], "datasets": {},
        "rounds": 1, "arguments": [], "machine": {"processor": "none"},
        "toolchains": [{"name": "g++", "language": "cpp", "compiler": "g++ 12", "flags": "-O3"}],
    }  # fmt: skip
    run = create_run(folder, manifest)
    with Journal(run) as journal:
        cells = [("serialize", "reuse"), ("deserialize", "fresh")]
        tools = {"instructions": "valgrind 3.19.0 callgrind", "missing": ""}
        journal.append({"event": "footprints", "operations": [":".join(cell) for cell in cells], **tools})
        for name, values in of_codec.items():
            who = {"codec": f"cpp/{name}", "workload": "monsters", "compiler": ""}
            unit = {"status": "ok", "reason": "", "operations": ["serialize", "deserialize"]}
            journal.append({"event": "unit", **who, **unit})
            for operation, memory in cells:
                where = {**who, "operation": operation, "memory": memory}
                scale = 1 if memory == "reuse" else 2
                for event, keys in (
                    ("instructions", ("instructions_per_pass",)),
                    ("allocations", ("allocations_per_pass", "allocated_bytes_per_pass")),
                    ("peak", ("peak_bytes",)),
                ):
                    journal.append(
                        {"event": event, **where, "tool": "t", **{key: scale * values[key] for key in keys}}
                    )
        journal.append({"event": "end"})
    return run


def values(instructions: float, allocations: float, allocated: float, peak: int) -> dict[str, float]:
    return {
        "instructions_per_pass": instructions,
        "allocations_per_pass": allocations,
        "allocated_bytes_per_pass": allocated,
        "peak_bytes": peak,
    }


def test_the_table_has_the_least_first_and_the_floor_above_it(tmp_path: Path) -> None:
    run = known(
        tmp_path,
        heavy=values(2_345_678, 1200, 345_678, 6_400_000),
        light=values(45_120, 0, 0, 3_200_000),
        memcpy=values(60_050.4, 0, 0, 2_000_000),
        odd=values(90_240, 2.5, 20, 3_210_000),
    )
    (instructions, memory), _, records = tables_of(run, Paths.default().suites)
    assert instructions.rows == [
        ["cpp/memcpy", "60.05 k", "×1.33", "120.1 k", "×1.33"],
        ["cpp/light", "45.12 k", "×1.00", "90.24 k", "×1.00"],
        ["cpp/odd", "90.24 k", "×2.00", "180.5 k", "×2.00"],
        ["cpp/heavy", "2.346 M", "×52.0", "4.691 M", "×52.0"],
    ]
    assert [row[:6] for row in memory.rows] == [
        ["cpp/memcpy", "0", "0 B", "", "2.0 MB", "×0.62"],
        ["cpp/light", "0", "0 B", "", "3.2 MB", "×1.0"],
        ["cpp/odd", "2.5", "20 B", "", "3.2 MB", "×1.0"],
        ["cpp/heavy", "1,200", "346 kB", "", "6.4 MB", "×2.0"],
    ]
    assert any("AVX-512" in note for note in instructions.notes)
    (heavy, *_) = [r.to_json() for r in records if r.name == "cpp/heavy"]
    assert (heavy["instructions_per_pass"], heavy["peak_bytes_ratio"]) == (2_345_678, 2)
    assert "allocated_bytes_ratio" not in heavy  # the least is 0


@pytest.mark.parametrize("width", [80, 120])
def test_the_tables_fit_the_terminal(tmp_path: Path, width: int) -> None:
    run = known(
        tmp_path,
        **{name: values(2_345_678, 1200, 345_678, 6_400_000) for name in ("nlohmann_json", "cereal")},
    )
    tables = footprint_tables(run, footprints_of(run), width)
    assert all(table.width <= width for table in tables)
    assert [len(table.headings) for table in tables] == [5, 7 if width == 80 else 11]


def test_a_killed_run_says_so(tmp_path: Path) -> None:
    run = known(tmp_path, light=values(45_120, 0, 0, 3_200_000))
    path = run.directory / "samples.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:3]) + "\n")  # up to the first figure
    (first, second) = footprints_of(run)
    assert first.values["instructions_per_pass"] == 45_120 and "peak_bytes" not in first.values
    assert second.values["no_instructions"] == "the run stopped before it was measured"
    assert any(
        "This run is not finished" in note
        for table in footprint_tables(run, [first, second])
        for note in table.notes
    )
