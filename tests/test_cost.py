"""Tests of the costs of codecs before they run, compile time and binary size: how they are measured and
shown."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from serbench.errors import BuildError
from serbench.languages.cpp.cost import LeastProgram, compile_commands
from serbench.measure.store import Journal, Run, create_run
from serbench.paths import Paths
from serbench.report.cost_table import costs_of
from serbench.report.rows import rows_of
from serbench.report.table import Table
from serbench.report.tables import tables_of

NINJA = """\
cd /b/generated/w/c && /usr/bin/cmake -E env protoc w.proto
/usr/bin/ccache /usr/bin/c++ -O3 -MD -MT a.o -MF a.o.d -o a.o -c /b/generated/w/c/w.pb.cc
/usr/bin/c++ -O3 -MD -MT r.o -MF r.o.d -o r.o -c /project/runners/cpp/source/runner.cpp
/usr/bin/c++ -O3 -MD -MT m.o -MF m.o.d -o m.o -c /b/generated/w/c/minimal.cpp
: && /usr/bin/c++ m.o -o cells/c.minimal libw.a && :
"""


def test_only_generated_sources_are_compiled_and_no_cache_is_asked() -> None:
    commands = compile_commands(NINJA, Path("/b/generated"))
    assert [(c[0], c[-1]) for c in commands] == [
        ("/usr/bin/c++", "/b/generated/w/c/w.pb.cc"),
        ("/usr/bin/c++", "/b/generated/w/c/minimal.cpp"),
    ]


def needs(*programs: str) -> None:
    for program in programs:
        if not shutil.which(program):
            pytest.skip(f"no program {program}")


def test_compiling_leaves_nothing_behind(tmp_path: Path) -> None:
    needs("g++")
    source, output = tmp_path / "a.cpp", tmp_path / "a.o"
    source.write_text("int main() { return 0; }\n")
    command = ["g++", "-MD", "-MT", "a.o", "-MF", f"{output}.d", "-o", str(output), "-c", str(source)]
    assert LeastProgram(output, [command, command]).compile_ns() > 0
    assert [path.name for path in tmp_path.iterdir()] == ["a.cpp"]
    source.write_text("int main( { }\n")
    with pytest.raises(BuildError, match="a compilation that had worked failed"):
        LeastProgram(output, [command]).compile_ns()


def test_sizes_are_of_the_program_without_symbols(tmp_path: Path) -> None:
    needs("g++", "strip", "size")

    def size_of(source: str) -> Mapping[str, int]:
        (tmp_path / "a.cpp").write_text(source)
        subprocess.run(["g++", "-g", "-o", tmp_path / "a", tmp_path / "a.cpp"], check=True)
        return LeastProgram(tmp_path / "a", ()).binary_size()

    plain = size_of("int main() { return 0; }")
    data = size_of("int table[10000] = {1}; int main(int c, char**) { return table[c]; }")
    zeros = size_of("int table[10000]; int main(int c, char**) { return table[c]; }")
    assert plain["file"] < (tmp_path / "a").stat().st_size
    assert data["data"] - plain["data"] >= 40000 > zeros["data"] - plain["data"]
    assert zeros["bss"] - plain["bss"] >= 40000
    with pytest.raises(BuildError, match="strip failed"):
        LeastProgram(tmp_path / "a.cpp", ()).binary_size()


def two_compilers(folder: Path, suite: str | None = None) -> Run:
    """Makes a run of two codecs and two compilers, in which programs of clang++ are twice as fast, and g++
    compiles faster; it is a run of ``suite`` if one is given."""
    manifest = {
        "suite": suite, "codecs": ["cpp/cereal", "cpp/boost"], "floors": [], "workloads": ["monsters"],
        "operations": ["serialize:reuse"], "metrics": ["time", "compile_time", "binary_size"], "datasets": {},
        "rounds": 6, "machine": {"processor": "none"}, "arguments": [], "toolchains": [
            {"name": name, "language": "cpp", "compiler": name, "flags": "", "linking": "static"}
            for name in ("g++", "clang++")
        ],
    }  # fmt: skip
    run = create_run(folder, manifest)
    with Journal(run) as journal:
        for codec, scale in (("cpp/cereal", 1), ("cpp/boost", 3)):
            for compiler, ns in (("g++", 2000), ("clang++", 1000)):
                who = {"codec": codec, "workload": "monsters", "compiler": compiler}
                unit = {"status": "ok", "reason": "", "size_bytes": 10413, "operations": ["serialize"]}
                journal.append({"event": "unit", **who, **unit})
                for number in range(1, 7):
                    sample = {
                        "operation": "serialize",
                        "memory": "reuse",
                        "iterations": 1,
                        "elapsed_ns": scale * ns + number,
                    }
                    journal.append({"event": "sample", **who, **sample, "round": number})
                for number in range(1, 4):
                    seconds = scale * (1 + number / 10) + (compiler == "clang++")
                    journal.append(
                        {"event": "compile_time", **who, "round": number, "elapsed_ns": round(seconds * 1e9)}
                    )
                if (codec, compiler) == ("cpp/boost", "clang++"):
                    journal.append({"event": "cost_failure", **who, "reason": "did not build: too big"})
                else:
                    journal.append(
                        {"event": "binary_size", **who, "file": 900, "text": 700, "data": 100, "bss": 50}
                    )
        journal.append({"event": "end"})
    return run


def test_each_compiler_is_a_contender_of_its_own(tmp_path: Path) -> None:
    rows = {row.name: row for row in rows_of(two_compilers(tmp_path))}
    assert {name: row.rank for name, row in rows.items()} == {
        "cpp/cereal clang++": 1,
        "cpp/cereal g++": 2,
        "cpp/boost clang++": 3,
        "cpp/boost g++": 4,
    }
    assert rows["cpp/boost g++"].to_json()["compiler"] == "g++"


def lines(table: Table) -> dict[str, list[str]]:
    return {row[0]: list(row[1:]) for row in table.rows}


def test_costs_are_shown_with_their_range_and_reasons(tmp_path: Path) -> None:
    run = two_compilers(tmp_path)
    (costs, times), _, records = tables_of(run, Paths.default().suites)
    assert [row[0] for row in costs.rows] == [
        f"cpp/{who}" for who in ("cereal g++", "cereal clang++", "boost g++", "boost clang++")
    ]
    assert lines(costs)["cpp/cereal g++"] == ["1.20 s", "1.10 to 1.30", "700", "100", "900"]
    assert lines(costs)["cpp/boost clang++"] == ["4.60 s", "4.30 to 4.90", "–", "–", "–"]
    assert "cpp/boost clang++: did not build: too big" in costs.notes
    assert any("static" in note for note in costs.notes)
    assert set(lines(times)) == set(lines(costs))
    assert [c.to_json()["compile_s"] for c in records if c.name == "cpp/cereal g++"] == [1.2]
    assert len(costs_of(run)) == 4


def test_a_suite_has_a_line_for_each_row_and_compiler_in_its_own_order(tmp_path: Path) -> None:
    (costs, times), _, _ = tables_of(two_compilers(tmp_path, "monsters"), Paths.default().suites)
    assert [row[0] for row in costs.rows] == ["boost g++", "boost clang++", "cereal g++", "cereal clang++"]
    shown = lines(times)
    assert shown["cereal clang++"][1] == "1.00 µs" and shown["cereal g++"][1] == "2.00 µs"
    assert shown["bitsery"][1] == "–"
