"""Time over the share of fields, over the number of messages, or over the share of calls that take it, as a
picture: the same chart as the page has (``specs/curve.json``), through Vega."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from serbench.measure.store import Run
from serbench.report.charts import pixels
from serbench.report.charts.scatter import plain
from serbench.report.curves import Curve, curves_of, in_words, share_read, told
from serbench.report.rows import Row
from serbench.report.sweep_table import notes_of_sweep
from serbench.report.sweeps import Sweep, SweptCodec, sweeps_of
from serbench.stats.summary import Interval
from serbench.text import safe, shortened

_LINES_OF_TEXT = 2
"""The lines below the title for which a picture has room; it gets higher with more."""

_SPEC = Path(__file__).parent / "specs" / "curve.json"

SHARE = "share of the fields that is read"


@dataclass(frozen=True)
class Kind:
    """A kind of chart of lines.

    Attributes:
        name: its name in the chart and on the page.
        legend: the meaning of what is drawn.
        foremost: the points by which codecs are ordered, in words.
    """

    name: str
    legend: str
    foremost: str


FIELDS = Kind(
    "fields",
    "Filled: surely less time than for every field (100 %). Vertical lines: intervals. Circles: skip; "
    "triangles: view; diamonds: scan; squares: whole.",
    "for the fewest fields",
)

MESSAGES = Kind(
    "messages",
    "Bands: intervals. Broken lines: where the uncompressed messages are as many bytes as a cache holds.",
    "at the greatest size",
)


@dataclass(frozen=True)
class Point:
    """The nanoseconds of a message for a share of its fields, or among so many messages, or of an item of so
    many, or of the fastest of the slowest in so many calls (``share``).

    Attributes:
        below: whether it is surely less than for all fields.
        piece: points of another one are not joined by a line.
    """

    share: float
    time: Interval
    below: bool
    piece: int = 0


@dataclass(frozen=True)
class Line:
    """The line of a codec.

    Attributes:
        name: the codec variant, with the compiler where there are several.
        label: the name, shortened, with the way and its mark.
        words: up to which share the codec takes less time than for every field; empty where that is not
            known.
    """

    codec: str
    name: str
    label: str
    way: str
    words: str
    points: Sequence[Point]


@dataclass(frozen=True)
class Lines:
    """A chart of time over the share of fields, over the sizes of a sweep, or over quantiles of calls.

    Attributes:
        name: the name of its files, without ending.
        heading: its heading on the page.
        parts: the workloads of which points are, but for ``workload`` itself.
        said: sentences below the chart.
        caches: name of each cache → the size that it would hold, where that is charted.
        over: the axis, in words; ``one`` is the thing whose time is drawn.
        ticks: the text at each place of the axis, where that is no number.
    """

    name: str
    heading: str
    title: str
    workload: str
    operation: str
    parts: Sequence[str]
    lines: Sequence[Line]
    said: Sequence[str]
    caches: Mapping[str, float] = field(default_factory=dict)
    over: str = SHARE
    one: str = "message"
    kind: Kind = FIELDS
    ticks: Mapping[float, str] = field(default_factory=dict)


def lines_of(run: Run, rows: Sequence[Row]) -> Iterator[Lines]:
    """A chart for each workload and memory policy with curves or a sweep; all codecs, the fastest first."""
    longest = _spec()["usermeta"]["longest_label"]
    for found in curves_of(run, rows):
        parts = dict.fromkeys(row.workload for curve in found.curves for row in curve.parts)
        lines = [_line(curve, longest) for curve in found.curves]
        yield Lines(
            f"{plain(found.workload)}-{plain(found.operation)}-over-fields",
            f"Time over the {SHARE}",
            f"{safe(found.workload)}: time of {found.operation} over the share of the fields",
            found.workload,
            found.operation,
            list(parts),
            lines,
            [*told((line.name, line.words) for line in lines[: _spec()["usermeta"]["most_lines"]])],
        )
    yield from (_swept(sweep, longest) for sweep in sweeps_of(run, rows))


def _swept(sweep: Sweep, longest: int) -> Lines:
    """The chart of a sweep."""
    first, last = sweep.sizes[0], sweep.sizes[-1]
    step = (last.number - first.number) / max(last.bytes - first.bytes, 1)
    held = {name: last.number + step * (bytes - last.bytes) for name, bytes in sweep.caches.items()}
    return Lines(
        f"{plain(sweep.workload)}-{plain(sweep.operation)}-over-{sweep.one}s",
        f"Time over the {sweep.over}",
        f"{safe(sweep.workload)}: time of {sweep.operation} per {sweep.one} over the {safe(sweep.over)}",
        sweep.workload,
        sweep.operation,
        [size.workload for size in sweep.sizes if size.workload != sweep.workload],
        [_swept_line(sweep, codec, longest) for codec in sweep.codecs],
        notes_of_sweep(sweep),
        {name: number for name, number in held.items() if first.number <= number <= last.number},
        over=sweep.over,
        one=sweep.one,
        kind=MESSAGES,
    )


def _swept_line(sweep: Sweep, codec: SweptCodec, longest: int) -> Line:
    points = [
        Point(size.number, size.each(row.time), below=True)
        for size in sweep.sizes
        if (row := codec.rows.get(size.number)) and row.time
    ]
    return Line(codec.codec, codec.name, shortened(safe(codec.name), longest), "", "", points)


def _line(curve: Curve, longest: int) -> Line:
    label = f"{shortened(safe(curve.name), longest)} ({curve.way})"
    below = curve.below
    points = [
        Point(share, row.time.scaled(1 / row.messages), below.get(share, False))
        for row in (*curve.parts, curve.whole)
        for share in [share_read(row)]
        if row.time and row.messages
    ]
    return Line(curve.whole.codec, curve.name, label, curve.parts[0].way, in_words(curve), points)


def _spec() -> dict[str, Any]:
    """Read the chart that pictures and the page have in common, without points; ``usermeta`` has settings."""
    spec: dict[str, Any] = json.loads(_SPEC.read_text(encoding="utf-8"))
    return spec


def drawn(chart: Lines) -> dict[str, Any]:
    """Fill lines into the shared chart, for Vega; ``page/src/curve.ts`` does the same on the page."""
    spec = _spec()
    settings = spec["usermeta"]
    lines = chart.lines[: settings["most_lines"]]
    left = len(chart.lines) - len(lines)
    more = [f"The fastest {len(lines)} {chart.kind.foremost}; {left} more are not drawn."] if left else []
    below = pixels.wrapped([*map(safe, chart.said), *more, chart.kind.legend], spec["width"])
    spec["height"] += pixels.LINE_HEIGHT * max(0, len(below) - _LINES_OF_TEXT)
    spec["title"] = {
        "text": chart.title,
        "subtitle": below,
        "anchor": "start",
        "fontSize": 15,
        "subtitleFontSize": 11,
        "subtitleLineHeight": pixels.LINE_HEIGHT,
        "subtitlePadding": 6,
        "offset": 8,
    }
    points: list[dict[str, Any]] = [
        {
            "x": point.share,
            "y": point.time.estimate,
            "low": point.time.low,
            "high": point.time.high,
            "below": point.below,
            "piece": point.piece,
            "label": line.label,
        }
        for line in lines
        for point in line.points
    ]
    spec["data"][0]["values"] = points
    spec["data"][1]["values"] = [{"name": name, "x": number} for name, number in chart.caches.items()]
    scales = {scale["name"]: scale for scale in spec["scales"]}
    signals = {signal["name"]: signal for signal in spec["signals"]}
    times = [point["y"] for point in points]
    logarithmic = max(times) > settings["logarithmic_from"] * min(times)
    scales["y"] |= {"type": "log" if logarithmic else "linear", "zero": not logarithmic}
    scales["shape"]["range"] = [settings["shapes"].get(line.way, "circle") for line in lines]
    signals["yLog"]["value"] = logarithmic
    signals["kind"]["value"] = chart.kind.name
    signals["over"]["value"] = safe(chart.over)
    signals["one"]["value"] = chart.one
    shares = sorted({point["x"] for point in points})
    signals["shares"]["value"] = shares
    signals["ticks"]["value"] = [chart.ticks[share] for share in shares] if chart.ticks else []
    return spec
