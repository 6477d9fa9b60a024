"""Tests of histories by other metrics than times of passes: the version that changed a figure is found."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest
from tests.test_cli import serbench

from serbench.languages.releases import Release
from serbench.measure.store import Journal, Run, create_run
from serbench.report.history import History
from serbench.report.history_table import history_tables
from serbench.report.kept import history_of, keep_history
from serbench.stats.history import THRESHOLD

EFFECTS = {"1.0": 1.0, "1.1": 1.0, "1.2": 1.4}


def event_of(metric: str, compiler: str, number: int, ns: int) -> dict[str, object]:
    of = {"codec": "x/one", "workload": "w", "compiler": compiler, "memory": "fresh", "round": number}
    if metric == "latency":
        quantiles = {"p50": 10, "p99": ns + 100, "worst": 9 * ns}
        own = {"operation": "serialize", "calls": 100, "mean_ns": 20, "quantiles": quantiles}
        return {"event": "latency", **of, **own, "clock_ns": 100, "resolution_ns": 1}
    if metric == "first":
        own = {"import_ns": ns - 30, "loading_ns": 9, "preparing_ns": 10, "first_ns": 20, "later_ns": 5}
        return {"event": "first_call", **of, "operation": "roundtrip", **own, "calls": 50}
    own = {"operation": "serialize", "threads": 2, "iterations": 100, "elapsed_ns": ns * 1000 * 100}
    return {"event": "threads_sample", **of, **own}


def made(folder: Path, metric: str, effects: Mapping[str, float] = EFFECTS) -> History:
    """A made-up history: each version takes 100,000 ns times its effect; that before the first one failed."""
    manifest = {
        "codecs": ["x/one"], "workloads": ["w"], "operations": [], "metrics": [metric], "rounds": 9,
        "toolchains": [], "arguments": [], "machine": {"processor": "made up"},
        "datasets": {"w": {"sha256": "", "messages": 1000, "canonical_bytes": 1000}},
    }  # fmt: skip
    run, draws = create_run(folder, manifest), Random(1)
    compilers = {"y": effects["1.2"], **{f"y@{name}": effect for name, effect in effects.items()}}
    with Journal(run) as journal:
        for compiler, effect in {**compilers, "y@0.9": 0.0}.items():
            unit = {"codec": "x/one", "workload": "w", "compiler": compiler}
            journal.append({"event": "unit", **unit, "status": "ok", "size_bytes": 5000, "messages": 1000})
            if not effect:
                why = {
                    "operation": "serialize",
                    "memory": "fresh",
                    "metric": metric,
                    "reason": "it fell over",
                }
                journal.append({"event": "call_failure", **unit, **why})
                continue
            for number in range(1, 10):
                ns = round(100_000 * effect * math.exp(draws.gauss(0, 0.005)))
                journal.append(event_of(metric, compiler, number, ns))
        journal.append({"event": "end"})
    asked = [Release("0.9"), *map(Release, effects)]
    return History("x/one", "1.2", asked, THRESHOLD, len(asked), [Run(run.directory)])


@pytest.mark.parametrize(
    ("metric", "named"),
    [
        ("latency", "serialize:fresh p99"),
        ("first", "to the first message"),
        ("threads", "serialize:fresh with 2 threads"),
    ],
)
def test_the_version_that_changed_a_figure_is_found(tmp_path: Path, metric: str, named: str) -> None:
    history = made(tmp_path, metric)
    (series,) = history.series
    assert series.operation == named
    points = {each.release.version: each for each in history.points(series)}
    assert [(version, each.change) for version, each in points.items()] == [
        ("0.9", ""), ("1.0", ""), ("1.1", ""), ("1.2", "slower"),
    ]  # fmt: skip
    assert points["0.9"].reason == "it fell over"
    assert points["1.0"].time and 98_000 < points["1.0"].time.estimate < 102_000
    assert points["1.0"].bytes == 5
    (table,) = history_tables(history, 120)
    assert table.verdict[0].text.startswith("slower since 1.2") and table.notes
    assert [row[0] for row in table.rows] == ["1.2", "1.1", "1.0", "0.9"]
    keep_history(history)
    kept = history_of(Run(history.runs[0].directory))
    assert kept is not None and kept.records == history.records


def test_a_history_without_any_figure_tells_why(tmp_path: Path) -> None:
    history = made(tmp_path, "latency", {"1.2": 0.0})
    (series,) = history.series
    assert [point.reason for point in history.points(series)] == ["it fell over"] * 2
    assert history_tables(history, 120)[0].verdict[0].text.startswith("not known")


def test_a_metric_without_a_history_is_refused(tmp_path: Path) -> None:
    done = serbench(tmp_path, "history", "python/orjson", "--metric", "wire")
    assert done.returncode != 0 and "unknown metric of a history 'wire'" in done.stderr
