"""Tests of comparisons by other metrics than times of passes, and of what such metrics leave as it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support import raw_manifest
from tests.test_cli import serbench
from tests.test_pipeline import make_run

from serbench.errors import SelectionError
from serbench.measure.store import Journal, create_run, find_run
from serbench.report.comment import comment
from serbench.report.compare_figures import (
    ComparedFigure,
    compare_figures,
    figures_tables,
    refuse_other_metrics,
)
from serbench.report.compare_table import Side, compare_sides, halves, whole
from serbench.report.rows import rows_of

Event = dict[str, Any]


def said(folder: Path, metrics: Sequence[str], *events: Event, tools: Sequence[str] = ()) -> Side:
    """Make a run of two codecs with these metrics and events."""
    run = make_run(folder, ["fake/a", "fake/b"])
    toolchains = [
        {"name": name, "language": "fake", "compiler": "c", "flags": "", "libraries": {}} for name in tools
    ]
    run = create_run(folder, raw_manifest(run) | {"metrics": [*metrics], "toolchains": toolchains})
    with Journal(run) as journal:
        for event in events:
            journal.append(event)
        journal.append({"event": "end"})
    return whole(find_run(folder, run.id))


def unit(codec: str, program: str = "", compiler: str = "") -> Event:
    named = {"codec": f"fake/{codec}", "workload": "fake", "compiler": compiler, "executable": program}
    return {"event": "unit", **named, "status": "ok", "operations": ["serialize"]}


def calls(codec: str, p50: int, p99: int, processes: int = 6, compiler: str = "") -> list[Event]:
    of = {"codec": f"fake/{codec}", "workload": "fake", "compiler": compiler, "operation": "serialize"}
    clock = {"clock_ns": 0, "resolution_ns": 1}
    return [{"event": "calls", "operations": ["serialize:fresh"]}] + [
        {
            "event": "latency", **of, "memory": "fresh", "round": n, "calls": 1000, "mean_ns": p50 + n,
            "quantiles": {"p50": p50 + n, "p99": p99 + n, "worst": 10 * p99}, **clock,
        }
        for n in range(1, processes + 1)
    ]  # fmt: skip


def verdicts(found: Sequence[ComparedFigure]) -> dict[tuple[str, str], str]:
    return {(each.cell[0], each.name): each.verdict + " !" * each.regression for each in found}


def test_quantiles_that_surely_changed_are_told_and_those_of_few_processes_are_not(tmp_path: Path) -> None:
    before = said(
        tmp_path, ["latency"],
        unit("a", "1" * 64), *calls("a", 1000, 2000), unit("b", "2" * 64), *calls("b", 1000, 2000),
    )  # fmt: skip
    after = said(
        tmp_path, ["latency", "first"],
        unit("a", "3" * 64), *calls("a", 998, 9000), unit("b", "2" * 64), *calls("b", 500, 9000),
    )  # fmt: skip
    found = compare_figures(before, after, 0.05)
    assert verdicts(found) == {
        ("fake/a", "mean"): "too close to call",
        ("fake/a", "p50"): "too close to call",
        ("fake/a", "p99"): "worse !",
        ("fake/a", "worst"): "worse !",
        ("fake/b", "mean"): "better",
        ("fake/b", "p50"): "better",
        ("fake/b", "p99"): "worse",
        ("fake/b", "worst"): "worse",
    }
    (table,) = figures_tables(found, before, after, 0.05, changed_only=True)
    assert table.rows[0][2:7] == ["serialize:fresh", "p99", "2.00 µs", "9.00 µs", "×4.494"]
    assert "8 figures" in table.notes[0] and "4 of the figures that changed are of the same" in table.notes[1]
    told = comment(compare_sides(before, before, 0.05), found, before, after, 0.05)
    assert "serialize:fresh p99" in told and "worse: latency, a regression" in told
    few = said(tmp_path, ["latency"], unit("a"), *calls("a", 1, 1, processes=4))
    assert {each.verdict for each in compare_figures(few, after, 0.05)} == {"too few rounds"}
    (p99,) = (each.to_json() for each in found if (each.cell[0], each.name) == ("fake/a", "p99"))
    assert p99["before_interval"] == [2001, 2006] and p99["figure"] == "p99_ns" and p99["regression"]


def test_the_two_halves_of_a_run_are_compared_by_their_own_figures(tmp_path: Path) -> None:
    events = [
        each
        for name, p99 in (("c@old", 2000), ("c@new", 1000))
        for each in [unit("a", compiler=name), *calls("a", 500, p99, compiler=name)]
    ]
    side = said(tmp_path, ["latency"], *events, tools=["c@old", "c@new"])
    assert side.run is not None
    found = compare_figures(*halves(side.run), 0.05)
    assert verdicts(found) == {
        ("fake/a", "mean"): "too close to call",
        ("fake/a", "p50"): "too close to call",
        ("fake/a", "p99"): "better",
        ("fake/a", "worst"): "better",
    }


def threads(codec: str, *rates: int) -> list[Event]:
    of = {"codec": f"fake/{codec}", "workload": "fake", "operation": "serialize", "memory": "reuse"}
    return [
        {
            "event": "threads_sample", **of, "threads": n, "round": number, "iterations": rate,
            "elapsed_ns": 10**9 + 10**7 * (number % 3),
        }
        for number in range(1, 9)
        for n, rate in enumerate(rates, 1)
    ]  # fmt: skip


def test_a_rate_that_grows_is_better_and_a_share_that_falls_is_worse(tmp_path: Path) -> None:
    begin = {"event": "threads", "operations": ["serialize:reuse"], "counts": [1, 2], "apart": 2}
    before, after = (
        said(tmp_path, ["threads"], unit("a"), begin, *threads("a", *rates))
        for rates in ((100, 190), (200, 210))
    )
    found = compare_figures(before, after, 0.05)
    assert [(each.about, each.name, each.verdict, each.regression) for each in found] == [
        ("serialize:reuse, 1 thread", "messages/s", "better", False),
        ("serialize:reuse, 2 threads", "messages/s", "better", False),
        ("serialize:reuse, 2 threads", "share", "worse", True),
    ]


def test_bytes_that_are_shipped_are_exact(tmp_path: Path) -> None:
    def shipped(bytes: int) -> Event:
        own = {
            "bytes": {"shipped": bytes, "gzip": 10},
            "packages": 2,
            "licences": ["MIT"],
            "kind": "a bundle",
        }
        return {"event": "shipped", "codec": "fake/a", "workload": "fake", "compiler": "", **own}

    before, after = (
        said(tmp_path, ["shipped"], unit("a", "1" * 64), shipped(bytes)) for bytes in (1000, 1100)
    )
    assert verdicts(compare_figures(before, after, 0.05)) == {
        ("fake/a", "shipped"): "worse !", ("fake/a", "gzip"): "equal", ("fake/a", "packages"): "equal",
    }  # fmt: skip
    assert verdicts(compare_figures(before, after, 0.2))["fake/a", "shipped"] == "worse"


def test_runs_without_a_common_metric_are_refused(tmp_path: Path) -> None:
    one, other = (said(tmp_path, metrics) for metrics in (["latency", "first"], ["threads"]))
    with pytest.raises(
        SelectionError, match=r"measured latency, first, and .* measured threads; expected two"
    ):
        refuse_other_metrics(one, other)
    refuse_other_metrics(one, said(tmp_path, ["first", "time"]))


def times(codec: str, *elapsed: int) -> list[Event]:
    of = {"codec": f"fake/{codec}", "workload": "fake", "operation": "serialize", "memory": "reuse"}
    return [
        {"event": "sample", **of, "iterations": 1, "elapsed_ns": each, "round": number}
        for number, each in enumerate(elapsed, 1)
    ]


def test_a_further_metric_leaves_means_as_they_are(tmp_path: Path) -> None:
    means = [unit("a"), *times("a", *range(1000, 1010)), unit("b"), *times("b", *range(2000, 2010))]
    plain = said(tmp_path, ["time"], *means)
    begin = {"event": "threads", "operations": ["serialize:reuse"], "counts": [1, 2], "apart": 2}
    further = [*calls("a", 10, 20), begin, *threads("a", 1, 2)]
    more = said(tmp_path, ["time", "latency", "threads"], *means, *further)
    assert plain.run and more.run
    assert rows_of(plain.run) == rows_of(more.run)
    cells = compare_sides(plain, more, 0.05).cells
    assert [(each.cell[0], each.change.ratio.estimate) for each in cells] == [
        ("fake/a", 1.0),
        ("fake/b", 1.0),
    ]
    assert not compare_figures(plain, more, 0.05)


def test_a_further_metric_leaves_the_plan_of_means_as_it_is(tmp_path: Path) -> None:
    words = ("run", "--dry-run", "-c", "cpp/handwritten", "-w", "record", "--rounds", "3", "--seed", "7")
    plain = serbench(tmp_path, *words).stdout
    more = serbench(tmp_path, *words, "--metric", "time", "--metric", "latency", "--metric", "threads").stdout
    assert "6 cells in 2 processes a round" in plain and more.startswith(plain)
    assert "latency: about" in more.removeprefix(plain) and "threads: about" in more
