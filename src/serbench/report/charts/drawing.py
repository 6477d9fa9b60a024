"""Draws a picture as SVG and PNG, with Vega-Lite.

All texts are placed by the pixel in columns, so that nothing is cut and nothing overlaps however many rows
there are; only the axis is left to Vega.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from serbench.report.charts.picture import Picture, PictureRow
from serbench.report.charts.pixels import (
    FLOOR_COLOUR,
    FLOOR_GAP,
    LINE_COLOUR,
    NAME_EM,
    QUIET_COLOUR,
    ROW_HEIGHT,
    TEXT_COLOUR,
    TEXT_SIZE,
    Spec,
    label_width,
    layered,
    literal,
    of_values,
    pixel,
    prose,
    texts,
    tops,
    wrapped,
)

if TYPE_CHECKING:
    import altair as alt

_PLOT_WIDTH = 520
_BAR_HEIGHT = 12
_COLUMN_GAP = 14
_BELOW_AXIS = 56  # below the axis's labels and title

_BAR_COLOUR = "#5b84b1"
_INTERVAL_COLOUR = "#1f2d3d"

_UNITS = {
    "ns": ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")),
    "bytes": ((1e9, "GB"), (1e6, "MB"), (1.0, "bytes")),
}
"""The units of an axis, the greatest first: how many nanoseconds or bytes one has, and its name."""


@dataclass(frozen=True)
class _Layout:
    """The places of things, in pixels; the origin is the upper left corner of the plot."""

    picture: Picture

    @cached_property
    def rows(self) -> list[tuple[PictureRow, float]]:
        """Each bar with its middle."""
        bars = self.picture.bars
        return [
            (bar, top + ROW_HEIGHT / 2) for bar, top in zip(bars, tops([b.apart for b in bars]), strict=True)
        ]

    @property
    def height(self) -> float:
        return self.rows[-1][1] + ROW_HEIGHT / 2

    @cached_property
    def left(self) -> float:
        """The left edge of labels, title and notes."""
        return -label_width([bar.label for bar in self.picture.bars])

    @cached_property
    def columns(self) -> list[float]:
        """The right edge of each column of texts beside the bars."""
        edges, edge = [], float(_PLOT_WIDTH)
        for n, heading in enumerate(self.picture.headings):
            longest = max(len(heading), *(len(bar.texts[n]) for bar in self.picture.bars))
            edge += _COLUMN_GAP + longest * NAME_EM * TEXT_SIZE
            edges.append(edge)
        return edges

    @property
    def width(self) -> float:
        return self.columns[-1] - self.left

    @cached_property
    def domain(self) -> tuple[float, float]:
        """The ends of the axis, on a logarithmic one with room around the outermost intervals."""
        high = max(bar.high for bar in self.picture.bars)
        if self.picture.logarithmic:
            return min(bar.low for bar in self.picture.bars) / 1.25, high * 1.25
        return 0.0, high * 1.02 or 1.0


def chart(picture: Picture) -> Spec:
    """The picture for Vega-Lite.

    Raises:
        ValueError: the picture has no bars.
    """
    if not picture.bars:
        raise ValueError(f"picture {picture.name} has no bars")
    layout = _Layout(picture)
    layers = [*_lines(layout), *_marks(layout), *_texts(layout)]
    described = "; ".join(f"{bar.label}: {bar.texts[0]}" for bar in picture.bars)
    return layered(
        layers,
        (_PLOT_WIDTH, layout.height),
        picture.title,
        wrapped(picture.subtitle, layout.width),
        f"{picture.title}. {described}",
    )


def _lines(layout: _Layout) -> list[alt.Chart]:
    """A hairline through each row, for the eye to follow from its label to its texts; a stronger one below
    the floor."""
    rows = [{"y": y, "x": 0.0, "x2": float(_PLOT_WIDTH), "stroke": LINE_COLOUR} for _, y in layout.rows]
    floors = [y for bar, y in layout.rows if bar.apart]
    if floors and len(floors) < len(layout.rows):
        below = floors[-1] + (ROW_HEIGHT + FLOOR_GAP) / 2
        rows.append({"y": below, "x": layout.left, "x2": layout.columns[-1], "stroke": FLOOR_COLOUR})
    return [
        of_values(rows)
        .mark_rule(strokeWidth=1, aria=False)
        .encode(x=pixel("x"), x2="x2:Q", y=pixel("y", "Y"), stroke=literal("stroke"))
    ]


def _marks(layout: _Layout) -> list[alt.Chart]:
    """Bars, or dots on a logarithmic scale, each with its interval."""
    import altair as alt

    half = _BAR_HEIGHT / 2
    values = [
        {
            "value": bar.value,
            "low": bar.low,
            "high": bar.high,
            "y": y,
            "top": y - half,
            "bottom": y + half,
            "cap_top": y - half / 2,
            "cap_bottom": y + half / 2,
            "colour": FLOOR_COLOUR if bar.apart else _BAR_COLOUR,
        }
        for bar, y in layout.rows
    ]
    with_interval = of_values([v for v in values if v["low"] != v["high"]])
    scale, axis = _axis(layout)

    def at(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    interval: dict[str, Any] = {"stroke": _INTERVAL_COLOUR, "strokeWidth": 1.2, "aria": False}
    intervals = [
        with_interval.mark_rule(**interval).encode(x=at("low"), x2="high:Q", y=pixel("y", "Y")),
        *(
            with_interval.mark_rule(**interval).encode(x=at(end), y=pixel("cap_top", "Y"), y2="cap_bottom:Q")
            for end in ("low", "high")
        ),
    ]
    if layout.picture.logarithmic:
        dots = of_values(values).mark_circle(size=52, opacity=1, aria=False)
        return [dots.encode(x=at("value"), y=pixel("y", "Y"), color=literal("colour")), *intervals]
    bars = of_values(values).mark_rect(aria=False)
    drawn = bars.encode(
        x=at("value"), x2=alt.datum(0), y=pixel("top", "Y"), y2="bottom:Q", color=literal("colour")
    )
    return [drawn, *intervals]


def _axis(layout: _Layout) -> tuple[alt.Scale, alt.Axis]:
    import altair as alt

    picture = layout.picture
    what = "time of one pass" if picture.unit == "ns" else "size"
    units = _UNITS[picture.unit]
    if picture.logarithmic:
        title, label = f"{what}, logarithmic scale", _with_unit(units)
    else:
        scale, unit = next((each for each in units if layout.domain[1] >= each[0]), units[-1])
        title, label = f"{what}, {unit}", _in_unit(scale)
    axis = alt.Axis(
        title=title,
        labelExpr=label,
        values=_logarithmic_ticks(*layout.domain) if picture.logarithmic else alt.Undefined,
        tickCount=alt.Undefined if picture.logarithmic else 6,
        labelOverlap=False,  # there are few, and Vega would drop some of a logarithmic axis
        gridColor=LINE_COLOUR,
        labelFontSize=TEXT_SIZE,
        titleFontSize=TEXT_SIZE,
        titleFontWeight="normal",
        titleColor=QUIET_COLOUR,
        labelColor=TEXT_COLOUR,
        labelFlush=False,
    )
    kind: Literal["log", "linear"] = "log" if picture.logarithmic else "linear"
    return alt.Scale(type=kind, domain=list(layout.domain), nice=False), axis


def _in_unit(scale: float) -> str:
    """The Vega expression that writes a tick's value in a unit."""
    return f"format(datum.value / {scale}, ',~r')"


def _with_unit(units: Sequence[tuple[float, str]]) -> str:
    """The Vega expression that writes a tick's value with the unit that fits."""
    parts = [f"datum.value >= {scale} ? {_in_unit(scale)} + ' {unit}' : " for scale, unit in units[:-1]]
    return "".join(parts) + f"{_in_unit(units[-1][0])} + ' {units[-1][1]}'"


def _logarithmic_ticks(low: float, high: float) -> list[float]:
    """Powers of ten inside an interval, with their doubles and fivefolds where they are few and fewer where
    they are many."""
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


def _texts(layout: _Layout) -> list[alt.Chart]:
    """Labels and columns in each row, headings above, notes below."""
    picture = layout.picture
    labels = [{"x": -8, "y": y, "text": bar.label} for bar, y in layout.rows]
    columns = list(zip(layout.columns, picture.headings, strict=True))
    figures = [
        {"x": edge, "y": y, "text": text}
        for bar, y in layout.rows
        for edge, text in zip(layout.columns, bar.texts, strict=True)
        if text
    ]
    headings = [{"x": edge, "y": -ROW_HEIGHT / 2, "text": heading} for edge, heading in columns]
    notes = prose(picture.notes, layout.left, layout.height + _BELOW_AXIS, layout.width)
    parts = [
        (labels, "right", TEXT_COLOUR),
        (figures, "right", TEXT_COLOUR),
        (headings, "right", QUIET_COLOUR),
        (notes, "left", QUIET_COLOUR),
    ]
    return [texts(values, align=align, color=colour) for values, align, colour in parts if values]
