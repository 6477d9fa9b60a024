"""Size against time as a picture: the same chart as the page has (``specs/scatter.json``), through Vega."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serbench.measure.store import Run
from serbench.report.charts.picture import label_of
from serbench.report.rows import Row
from serbench.report.verdict import pareto_front, place_of
from serbench.selecting.suite import Suite
from serbench.stats.summary import Interval
from serbench.text import safe, shortened

_SPEC = Path(__file__).parent / "specs" / "scatter.json"


@dataclass(frozen=True)
class Point:
    """A codec with the bytes and nanoseconds of a message; ``front``: no other is as small and as fast."""

    label: str
    language: str
    size: float
    time: Interval
    front: bool


@dataclass(frozen=True)
class Scatter:
    """A chart of size against time; ``name`` is that of its files, without ending."""

    name: str
    title: str
    points: Sequence[Point]


def scatters_of(run: Run, rows: Sequence[Row], suite: Suite | None) -> Iterator[Scatter]:
    """A chart for each workload and operation, of its measured contenders where there are two or more."""
    for workload in run.manifest.workloads:
        for operation in run.manifest.operations_of(workload):
            own = [row for row in rows if (row.workload, row.cell) == (workload, operation)]
            if len(points := list(_points(own, suite))) > 1:
                title = f"{safe(workload)}: size against time of {operation}"
                yield Scatter(f"{plain(workload)}-{plain(operation)}-against-size", title, points)


def plain(name: str) -> str:
    """Replace each character that does not belong into a file's name by a dash."""
    return "".join(each if each.isalnum() or each in "-_=.," else "-" for each in name)


def _points(rows: Sequence[Row], suite: Suite | None) -> Iterator[Point]:
    measured = [row for row in rows if row.time and row.size_bytes and row.messages and row.competes]
    contenders = [row for row in measured if row.rank and not row.view]
    places = {row.name: [place_of(row, contenders)] for row in contenders}
    front = {row.name for row in pareto_front(contenders, places)}
    longest_label = _spec()["usermeta"]["longest_label"]
    for row in measured:
        if row.time and row.size_bytes and row.messages:
            label = shortened(safe(label_of(row, suite)), longest_label)
            time = row.time.scaled(1 / row.messages)
            yield Point(label, row.language, row.size_bytes / row.messages, time, row.name in front)


def _spec() -> dict[str, Any]:
    """Read the chart that pictures and the page have in common, without points; ``usermeta`` has settings."""
    spec: dict[str, Any] = json.loads(_SPEC.read_text(encoding="utf-8"))
    return spec


def filled(scatter: Scatter) -> dict[str, Any]:
    """Fill points into the shared chart, for Vega; ``page/src/scatter.ts`` does the same on the page."""
    spec = _spec()
    spec["title"] = {"text": scatter.title, "anchor": "start", "fontSize": 15, "offset": 8}
    points = next(data for data in spec["data"] if data["name"] == "points")
    points["values"] = [
        {
            "x": each.size,
            "y": each.time.estimate,
            "low": each.time.low,
            "high": each.time.high,
            "front": each.front,
            "language": each.language,
            "label": each.label,
        }
        for each in scatter.points
    ]
    for mark in spec["marks"]:
        for transform in mark.get("transform", []):
            transform.pop("avoidMarks", None)  # needs a canvas, which the renderer has not
    scales = {scale["name"]: scale for scale in spec["scales"]}
    signals = {signal["name"]: signal for signal in spec["signals"]}
    for name in ("x", "y"):
        values = [point[name] for point in points["values"]]
        logarithmic = max(values) > spec["usermeta"]["logarithmic_from"] * min(values)
        scales[name]["type"] = "log" if logarithmic else "linear"
        signals[f"{name}Log"]["value"] = logarithmic
    return spec
