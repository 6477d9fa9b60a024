"""Tests of the pictures of threads, of the way to the first message and of what is shipped, and of the
figures that the report page has of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.test_compare_figures import Event, calls, said, threads, unit
from tests.test_other_orders import BEGIN, first

from serbench.measure.store import Run
from serbench.page.contents import Installation, contents
from serbench.report.charts.metrics import metric_charts
from serbench.report.charts.pixels import svg_of


def measured(folder: Path) -> Run:
    def shipped(codec: str, bytes: int, kind: str) -> Event:
        own = {"bytes": {"shipped": bytes}, "packages": 1, "licences": [], "kind": kind}
        return {"event": "shipped", "codec": f"fake/{codec}", "workload": "fake", "compiler": "", **own}

    units = [{**unit(codec), "operations": ["serialize", "roundtrip"]} for codec in "ab"]
    side = said(
        folder, ["latency", "threads", "first", "shipped"],
        *units, *calls("a", 500, 900), BEGIN, *threads("a", 100, 190), *threads("b", 300, 310),
        *first("a", 9_000_000), *first("b", 2_000_000),
        shipped("a", 7000, "a program"), shipped("b", 500, "jars"),
    )  # fmt: skip
    assert side.run is not None
    return side.run


def values_of(spec: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = spec["layer"][0]["data"]["values"]
    return found


def test_each_metric_has_its_picture_the_best_codec_first(tmp_path: Path) -> None:
    specs = {name: drawn() for name, drawn in metric_charts(measured(tmp_path))}
    assert [*specs] == ["fake-serialize-reuse-threads", "fake-first", "fake-shipped-1", "fake-shipped-2"]
    rates = values_of(specs["fake-serialize-reuse-threads"])
    assert [(each["codec"], each["level"]) for each in rates] == [
        ("fake/b", "1 thread"), ("fake/b", "2 threads"), ("fake/a", "1 thread"), ("fake/a", "2 threads"),
    ]  # fmt: skip
    assert all(each["low"] <= each["y"] <= each["high"] for each in rates)
    parts = values_of(specs["fake-first"])
    assert [each["part"] for each in parts[:3]] == ["import", "prepare", "first call"]
    assert [each["codec"] for each in parts[::3]] == ["fake/b", "fake/a"] and 2 < parts[0]["x"] < 2.1
    assert values_of(specs["fake-shipped-1"]) == [{"codec": "fake/a", "x": 7.0}]
    assert "jars." in specs["fake-shipped-2"]["title"]["subtitle"]
    assert all("<svg" in svg_of(spec) for spec in specs.values())


def test_a_run_without_these_metrics_has_no_such_picture(tmp_path: Path) -> None:
    side = said(tmp_path, ["latency"], unit("a"), *calls("a", 500, 900))
    assert side.run is not None and [*metric_charts(side.run)] == []


def test_the_page_has_the_figures_of_all_rounds_with_their_units(tmp_path: Path) -> None:
    costs = contents([measured(tmp_path)], Installation(), "a title")["costs"]
    text = str(costs)
    for name in ("threads_messages_hz", "threads_efficiency_ratio", "latency_p99_ns", "first_to_first_ns"):
        assert name in text
    assert "passes_per_s" not in text
