"""Draws a picture as SVG and PNG, with Vega-Lite.

All texts are placed by the pixel in columns, so that nothing is cut and nothing overlaps however many rows
there are; only the axis is left to Vega.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from serbench.report.charts import pixels
from serbench.report.charts.picture import Picture, PictureRow

_PLOT_WIDTH = 520
_BAR_HEIGHT = 12
_COLUMN_GAP = 14
_BELOW_AXIS = 56  # below the axis's labels and title

_BAR_COLOUR = "#5b84b1"
_INTERVAL_COLOUR = "#1f2d3d"

_UNITS = {
    "ns": ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")),
    "bytes": ((1e9, "GB"), (1e6, "MB"), (1.0, "bytes")),
    "share": ((0.01, "%"),),
}
"""The units of an axis, the greatest first: how many nanoseconds, bytes or wholes one has, and its name."""


@dataclass(frozen=True)
class _Layout:
    """The places of a picture's bars and texts, in pixels from the upper left corner of the plot."""

    picture: Picture

    @cached_property
    def rows(self) -> list[tuple[PictureRow, float]]:
        """Each bar with the vertical middle of its row."""
        bars = self.picture.bars
        return [
            (bar, top + pixels.ROW_HEIGHT / 2)
            for bar, top in zip(bars, pixels.tops([b.apart for b in bars]), strict=True)
        ]

    @property
    def height(self) -> float:
        return self.rows[-1][1] + pixels.ROW_HEIGHT / 2

    @cached_property
    def left(self) -> float:
        """The left edge of labels, title and notes, in pixels left of the plot."""
        return -pixels.label_width([bar.label for bar in self.picture.bars])

    @cached_property
    def columns(self) -> list[float]:
        """The right edge of each column of texts beside the bars."""
        edges, edge = [], float(_PLOT_WIDTH)
        for n, heading in enumerate(self.picture.headings):
            longest = max(len(heading), *(len(bar.texts[n]) for bar in self.picture.bars))
            edge += _COLUMN_GAP + longest * pixels.NAME_EM * pixels.TEXT_SIZE
            edges.append(edge)
        return edges

    @property
    def width(self) -> float:
        return self.columns[-1] - self.left

    @cached_property
    def domain(self) -> tuple[float, float]:
        """The least and the greatest value of the axis; a logarithmic one has room around the intervals."""
        high = max(bar.high for bar in self.picture.bars)
        if self.picture.logarithmic:
            return min(bar.low for bar in self.picture.bars) / 1.25, high * 1.25
        return 0.0, high * 1.02 or 1.0


def chart(picture: Picture) -> pixels.Spec:
    """Describe a picture of bars for Vega-Lite.

    Raises:
        ValueError: the picture has no bars.
    """
    if not picture.bars:
        raise ValueError(f"picture {picture.name} has no bars")
    layout = _Layout(picture)
    layers = [_lines(layout), *_marks(layout), *_texts(layout)]
    described = "; ".join(f"{bar.label}: {bar.texts[0]}" for bar in picture.bars)
    return pixels.layered(
        layers,
        (_PLOT_WIDTH, layout.height),
        picture.title,
        pixels.wrapped(picture.subtitle, layout.width),
        f"{picture.title}. {described}",
    )


def _lines(layout: _Layout) -> pixels.Spec:
    """Return a hairline through each row, for the eye to follow from its label to its texts, and a stronger
    one between the rows that are set apart and the others."""
    rows = [
        {"y": y, "x": 0.0, "x2": float(_PLOT_WIDTH), "stroke": pixels.LINE_COLOUR} for _, y in layout.rows
    ]
    floors = [y for bar, y in layout.rows if bar.apart]
    if floors and len(floors) < len(layout.rows):
        below = floors[-1] + (pixels.ROW_HEIGHT + pixels.FLOOR_GAP) / 2
        rows.append({"y": below, "x": layout.left, "x2": layout.columns[-1], "stroke": pixels.FLOOR_COLOUR})
    return pixels.layer("rule", rows, "x x2 y stroke", strokeWidth=1)


def _marks(layout: _Layout) -> list[pixels.Spec]:
    """Return the layers of bars, or of dots on a logarithmic scale, and of intervals drawn over them."""
    half, x = _BAR_HEIGHT / 2, _axis(layout)
    bars: list[pixels.Value] = []
    lines: list[pixels.Value] = []
    caps: tuple[list[pixels.Value], list[pixels.Value]] = ([], [])
    for bar, y in layout.rows:
        colour = pixels.FLOOR_COLOUR if bar.apart else _BAR_COLOUR
        bars.append({"x": bar.value, "color": colour, "middle": y, "x2": 0, "y": y - half, "y2": y + half})
        if bar.low != bar.high:
            lines.append({"x": bar.low, "x2": bar.high, "y": y})
            for end, own in zip((bar.low, bar.high), caps, strict=True):
                own.append({"x": end, "y": y - half / 2, "y2": y + half / 2})
    if layout.picture.logarithmic:
        dots = [{**bar, "y": bar["middle"]} for bar in bars]
        drawn = pixels.layer("circle", dots, "x y color", x, size=52, opacity=1)
    else:
        drawn = pixels.layer("rect", bars, "x x2 y y2 color", x)
    thin = {"stroke": _INTERVAL_COLOUR, "strokeWidth": 1.2}
    ends = [pixels.layer("rule", own, "x y y2", x, **thin) for own in caps]
    return [drawn, pixels.layer("rule", lines, "x x2 y", x, **thin), *ends]


def _axis(layout: _Layout) -> pixels.Spec:
    """Return the scale and the axis of the bars' values."""
    picture = layout.picture
    what = picture.axis or ("time of one pass" if picture.unit == "ns" else "size")
    units = _UNITS[picture.unit]
    if picture.logarithmic:
        title, label = f"{what}, logarithmic scale", _with_unit(units)
        ticks: pixels.Spec = {"values": _logarithmic_ticks(*layout.domain)}
    else:
        scale, unit = next((each for each in units if layout.domain[1] >= each[0]), units[-1])
        title, label = f"{what}, {unit}", _in_unit(scale)
        ticks = {"tickCount": 6}
    axis = {
        "title": title,
        "labelExpr": label,
        **ticks,
        "labelOverlap": False,  # there are few, and Vega would drop some of a logarithmic axis
        "gridColor": pixels.LINE_COLOUR,
        "labelFontSize": pixels.TEXT_SIZE,
        "titleFontSize": pixels.TEXT_SIZE,
        "titleFontWeight": "normal",
        "titleColor": pixels.QUIET_COLOUR,
        "labelColor": pixels.TEXT_COLOUR,
        "labelFlush": False,
    }
    kind = "log" if picture.logarithmic else "linear"
    return {"axis": axis, "scale": {"type": kind, "domain": layout.domain, "nice": False}}


def _in_unit(scale: float) -> str:
    """The Vega expression that writes a tick's value in a unit."""
    return f"format(datum.value / {scale}, ',~r')"


def _with_unit(units: Sequence[tuple[float, str]]) -> str:
    """The Vega expression that writes a tick's value with the unit that fits."""
    parts = [f"datum.value >= {scale} ? {_in_unit(scale)} + ' {unit}' : " for scale, unit in units[:-1]]
    return "".join(parts) + f"{_in_unit(units[-1][0])} + ' {units[-1][1]}'"


def _logarithmic_ticks(low: float, high: float) -> list[float]:
    """The powers of ten within bounds: doubles and fivefolds too if few, every second one if many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    decades = math.log10(high / low)
    steps = (1, 2, 5) if decades <= 3 else (1,)
    every = 1 if decades <= 8 else 2
    return [
        step * 10.0**power
        for power in powers
        if power % every == 0
        for step in steps
        if low <= step * 10.0**power <= high
    ]


def _texts(layout: _Layout) -> list[pixels.Spec]:
    """The layers of texts: labels and columns in each row, headings above, and notes below."""
    picture = layout.picture
    labels = [{"x": -8, "y": y, "text": bar.label} for bar, y in layout.rows]
    columns = list(zip(layout.columns, picture.headings, strict=True))
    figures = [
        {"x": edge, "y": y, "text": text}
        for bar, y in layout.rows
        for edge, text in zip(layout.columns, bar.texts, strict=True)
        if text
    ]
    headings = [{"x": edge, "y": -pixels.ROW_HEIGHT / 2, "text": heading} for edge, heading in columns]
    notes = pixels.prose(picture.notes, layout.left, layout.height + _BELOW_AXIS, layout.width)
    parts = [
        (labels, "right", pixels.TEXT_COLOUR),
        (figures, "right", pixels.TEXT_COLOUR),
        (headings, "right", pixels.QUIET_COLOUR),
        (notes, "left", pixels.QUIET_COLOUR),
    ]
    return [pixels.texts(values, align=align, color=colour) for values, align, colour in parts if values]
