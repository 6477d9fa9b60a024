"""Tests of the verdict's line on metrics that change its order."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.sweeps import swept_run
from tests.test_compare_figures import Event, calls, said, threads, times, unit

from serbench.measure.store import Run
from serbench.report.other_orders import OtherOrder, order_line, other_orders
from serbench.report.rows import rows_of
from serbench.report.run_table import run_tables
from serbench.report.verdict import verdict_of

BEGIN: Event = {"event": "threads", "operations": ["serialize:reuse"], "counts": [1, 2], "apart": 2}


def told(run: Run, workload: str) -> list[OtherOrder]:
    rows = rows_of(run)
    own = [row for row in rows if row.workload == workload]
    return other_orders(run, verdict_of(run, workload, own), rows)


def means(*codecs: str) -> list[Event]:
    """Times of codecs, of which each takes twice as long as the one before."""
    return [
        event
        for n, codec in enumerate(codecs)
        for event in [unit(codec), *times(codec, *(1000 * 2**n + k for k in range(10)))]
    ]


def first(codec: str, import_ns: int) -> list[Event]:
    of = {"codec": f"fake/{codec}", "workload": "fake", "operation": "roundtrip", "memory": "fresh"}
    parts = {"loading_ns": 1, "preparing_ns": 1, "first_ns": 5, "later_ns": 5, "calls": 100}
    return [
        {"event": "first_call", **of, "round": n, "import_ns": import_ns + n, **parts} for n in range(1, 7)
    ]


def test_another_codec_ahead_in_slow_calls_and_with_threads_is_told(tmp_path: Path) -> None:
    side = said(
        tmp_path, ["time", "latency", "threads"],
        *means("a", "b"), *calls("a", 500, 9000), *calls("b", 1000, 2000),
        BEGIN, *threads("a", 100, 100), *threads("b", 60, 120),
    )  # fmt: skip
    assert side.run is not None
    found = told(side.run, "fake")
    assert [each.in_words for each in found] == [
        "serialize:fresh: fake/b is ahead of fake/a in the slowest of a hundred calls (p99)",
        "serialize:reuse: fake/b is ahead of fake/a with 2 threads",
    ]
    (line,) = order_line(found)
    assert line.label == "Other order" and line.text.count("; ") == 1
    table = run_tables(side.run, rows_of(side.run), 120)[0]
    assert [each.text for each in table.verdict if each.label == "Other order"] == [line.text]
    assert [each["metric"] for each in table.verdict_records if each["verdict"] == "other_order"] == [
        "latency", "threads",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "further",
    [
        [],
        [*calls("a", 500, 2000), *calls("b", 400, 2001)],  # their intervals overlap
        [*calls("a", 500, 9000, processes=4), *calls("b", 400, 2000, processes=4)],  # too few processes
        [*calls("b", 400, 2000)],  # the fastest has no such figure
        [BEGIN, *threads("a", 100, 200), *threads("b", 60, 120)],
    ],
)
def test_no_line_is_told_where_the_order_is_not_surely_another(tmp_path: Path, further: list[Event]) -> None:
    side = said(tmp_path, ["time", "latency", "threads"], *means("a", "b"), *further)
    assert side.run is not None
    assert told(side.run, "fake") == [] and order_line([]) == []


def test_a_program_that_starts_sooner_is_told_where_one_codec_is_best_in_both(tmp_path: Path) -> None:
    read = [
        {**event, "operation": "deserialize"}
        for codec, ns in (("a", 1000), ("b", 3000))
        for event in times(codec, *range(ns, ns + 10))
    ]
    offered = ["serialize", "deserialize", "roundtrip"]
    units = [{**unit(codec), "size_bytes": 9, "operations": offered} for codec in "ab"]
    starts = [*first("a", 90_000_000), *first("b", 1_000_000)]
    side = said(tmp_path, ["time", "first"], *means("a", "b"), *units, *read, *starts)
    assert side.run is not None
    rows = [row for row in rows_of(side.run) if row.memory == "reuse"]
    (found,) = other_orders(side.run, verdict_of(side.run, "fake", rows), rows)
    assert found.in_words == (
        "writing and reading: fake/b is ahead of fake/a from the start of a program to its first message"
    )


def test_the_size_at_which_the_fastest_falls_behind_is_told(tmp_path: Path) -> None:
    run = swept_run(tmp_path)
    (found,) = told(run, "w")
    assert found.in_words == ("serialize:reuse: rust/c is ahead of cpp/a from 4,096 messages (67 MB) on")
    other = swept_run(tmp_path / "longer", longer_list="tags")
    assert told(other, "w")[0].where == "from 4,096 items (67 MB) on"
