"""Tests of suites: the published tables as data, and the tables that are printed of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from serbench.changes.derived import parse_spec
from serbench.errors import FileError, SerbenchError
from serbench.measure.store import Journal, Run, create_run
from serbench.paths import Paths
from serbench.report.rows import rows_of
from serbench.report.suite_table import _differs, _published, suite_tables
from serbench.report.tables import tables_of
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import OPERATIONS, READING, Asked, find_suite, select
from serbench.selecting.suite import Suite, load_suites
from serbench.workload import load_workloads

PATHS = Paths.default()
SUITES = load_suites(PATHS.suites)

# How many rows each published table has; heron's repeats nine of the first, where protobuf is two: one of
# proto2, one packed. Of Rust's and Go's, those whose libraries are codecs.
ROWS = {
    "cpp_serializers": 15,
    "go_bench": 8,
    "graph": 7,
    "heron": 9,
    "monsters": 22,
    "nobid": 8,
    "rust_bench": 16,
    "rust_bench_in_place": 10,
}


def test_every_published_row_is_there() -> None:
    assert {name: len(suite.rows) for name, suite in SUITES.items()} == ROWS


@pytest.mark.parametrize("suite", SUITES.values(), ids=lambda s: s.name)
def test_a_suite_names_what_exists(suite: Suite) -> None:
    workloads = load_workloads(PATHS.workloads)
    assert [parse_spec(w, workloads).id for w in suite.workloads] == list(suite.workloads)
    assert {o.partition(":")[0] for o in suite.operations} <= {*OPERATIONS, READING}
    assert {o for row in suite.rows for p in row.published.values() for o in p.times} <= set(suite.operations)
    assert len({row.name for row in suite.rows}) == len(suite.rows)


def test_a_suite_is_a_selection_that_can_be_narrowed() -> None:
    workloads, variants = load_workloads(PATHS.workloads), load_variants(PATHS.codecs)
    whole = select(workloads, variants, SUITES["heron"], Asked())
    assert [w.id for w in whole.workloads] == ["record:ids=small", "record:ids=mixed"]
    assert [str(o) for o in whole.operations] == ["roundtrip:reuse", "native_roundtrip:reuse", "cycle:reuse"]
    assert {v.id for v in whole.variants} <= {row.codec for row in SUITES["heron"].rows}
    narrow = select(
        workloads, variants, SUITES["heron"], Asked(["record"], ["cpp/thrift"], ["roundtrip"], ["fresh"])
    )
    assert [v.id for v in narrow.variants] == ["cpp/thrift:binary", "cpp/thrift:compact"]
    assert [str(o) for o in narrow.operations] == ["roundtrip:fresh"]
    with pytest.raises(SerbenchError, match="unknown suite 'herron'; did you mean heron"):
        find_suite("herron", SUITES)


def test_a_faulty_suite_is_refused_with_all_its_faults(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(
        'summary = "x"\nworkloads = ["record"]\ncolour = 1\n[[rows]]\nname = "a"\npublished.graph = {}\n'
    )
    for name in ("good", "other"):
        (tmp_path / f"{name}.toml").write_text((PATHS.suites / "heron.toml").read_text())
    other = (PATHS.suites / "heron.toml").read_text()
    (tmp_path / "other.toml").write_text(
        other.replace('"record:ids=small" = { size = 17017 }', "graph = { size = 0 }")
    )
    loaded = load_suites(tmp_path)
    assert list(loaded) == ["good"]
    for fault in ("flaws: missing", "line 3, colour: unknown", "line 4, rows[0].codec: missing"):
        assert fault in str(loaded.broken["bad"])
    for fault in (
        "line 18, rows[0].published.graph: expected one of workloads: record:ids=",
        "graph.size: found 0, expected a positive number",
    ):
        assert fault in str(loaded.broken["other"])
    with pytest.raises(FileError, match=r"suite bad cannot be used: .*bad\.toml: \d+ errors in the suite"):
        find_suite("bad", loaded)


def heron_run(folder: Path) -> Run:
    """Makes a run of a suite with one codec that is measured, one that is not installed, and one that the
    suite does not have."""
    codecs = ["cpp/cereal", "cpp/boost", "cpp/bitsery:general"]
    manifest = {
        "suite": "heron", "codecs": codecs, "floors": [], "workloads": ["record:ids=small"],
        "operations": list(SUITES["heron"].operations), "datasets": {}, "rounds": 6,
        "machine": {"processor": "none"}, "toolchains": [], "arguments": [], "metrics": ["time"],
        "features": {codec: {"zero_copy": True} for codec in codecs},
    }  # fmt: skip
    run = create_run(folder, manifest)
    with Journal(run) as journal:
        for codec in codecs:
            who = {"codec": codec, "workload": "record:ids=small", "compiler": ""}
            if codec == "cpp/boost":
                reason = "no header; get it: apt-get install x"
                journal.append({"event": "unit", **who, "status": "not_installed", "reason": reason})
                continue
            unit = {"status": "ok", "reason": "", "size_bytes": 17420, "operations": ["roundtrip"]}
            journal.append({"event": "unit", **who, **unit})
            for number in range(1, 7):
                sample = {
                    "operation": "roundtrip",
                    "memory": "reuse",
                    "iterations": 10,
                    "elapsed_ns": 17500 + number,
                }
                journal.append({"event": "sample", **who, **sample, "round": number})
    return run


def test_the_table_has_the_published_rows_in_their_order_with_our_figures(tmp_path: Path) -> None:
    suite, run = SUITES["heron"], heron_run(tmp_path)
    (table,), rows, _ = tables_of(run, PATHS.suites, published=True)
    assert [line[0] for line in table.rows] == [*(row.name for row in suite.rows), "cpp/bitsery:general"]
    shown = {line[0]: list(line[1:]) for line in table.rows}
    assert shown["cereal"][:4] == ["17,420", "17,416", "+4", "1.75 µs"]
    assert "not installed" in shown["boost"]
    assert shown["capnproto"][-1] == "4.40 µs"  # published: 4396 ms for a million cycles
    notes = "\n".join(table.notes)
    assert "cpp/boost: not installed: no header; get it: apt-get install x" in notes
    assert all(flaw in notes for flaw in suite.flaws)
    assert len(rows) == 9  # three codecs, three operations


def test_a_published_round_trip_stands_beside_the_operation_of_its_meaning() -> None:
    """Published round trips begin with objects that exist already, so they are compared with
    ``native_roundtrip``. Published walks are compared with ``decode_fast_walk`` if the adapter can decode
    without checks, otherwise with ``decode_walk``."""
    for suite in SUITES.values():
        operations = {
            operation
            for row in suite.rows
            for published in row.published.values()
            for operation in published.times
        }
        assert operations <= set(suite.operations), suite.name
        assert "roundtrip:reuse" not in operations, suite.name
    walks = {row.codec: set(row.published["graph"].times) for row in SUITES["graph"].rows}
    fast = {codec for codec, times in walks.items() if "decode_fast_walk:reuse" in times}
    assert fast == {
        codec
        for codec in walks
        if "decode_fast" in (PATHS.codecs / codec.partition(":")[0] / "adapter.hpp").read_text()
    }
    assert all("decode_walk:reuse" in times for codec, times in walks.items() if codec not in fast)


def test_a_suite_may_show_intervals_means_and_characteristics(tmp_path: Path) -> None:
    suite = replace(SUITES["heron"], columns=("interval", "mean", "characteristics"))
    run = heron_run(tmp_path)
    times, characteristics = suite_tables(suite, run, rows_of(run), published=False)
    assert list(times.headings[2:5]) == ["roundtrip\nreuse", "±", "mean"]
    shown = {line[0]: list(line[1:]) for line in times.rows}
    assert shown["cereal"][1:4] == ["1.75 µs", "±0.1 %", "1.75 µs"]
    assert [line[0] for line in characteristics.rows] == ["boost", "cereal", "cpp/bitsery:general"]
    assert dict(zip(characteristics.headings, characteristics.rows[0], strict=True))["zero\ncopy"] == "yes"


def test_a_quick_run_may_be_content_with_fewer_workloads() -> None:
    workloads, variants = load_workloads(PATHS.workloads), load_variants(PATHS.codecs)
    suite = replace(SUITES["heron"], quick_workloads=("record:ids=mixed",))
    assert [w.id for w in select(workloads, variants, suite, Asked(quick=True)).workloads] == [
        "record:ids=mixed"
    ]
    assert len(select(workloads, variants, suite, Asked()).workloads) == 2
    assert [w.id for w in select(workloads, variants, suite, Asked(["graph"], quick=True)).workloads] == [
        "graph"
    ]


def test_codecs_that_a_suite_has_not_can_be_asked_into_its_table() -> None:
    workloads, variants = load_workloads(PATHS.workloads), load_variants(PATHS.codecs)
    chosen = select(workloads, variants, SUITES["heron"], Asked(codecs=["cpp/bitsery:general", "cpp/cereal"]))
    assert {v.id for v in chosen.variants} == {"cpp/bitsery:general", "cpp/cereal"}


def test_a_rounded_published_size_is_met_by_all_that_it_may_stand_for() -> None:
    assert [_published(size)[0] for size in (37.8e6, 17416, None)] == ["37.8 M", "17,416", "–"]
    assert [_differs(ours, 37.8e6) for ours in (37_829_045, 37_850_001)] == ["=", "+50,001"]
    assert [_differs(ours, 17416) for ours in (17_417, 17_416, None)] == ["+1", "=", ""]
    assert _differs(5, None) == ""
