"""Draws a picture as SVG and PNG, with Vega-Lite. Nothing is fetched, and the font is the renderer's own.

All texts are placed by the pixel in columns, so that nothing is cut and nothing overlaps however many rows
there are; only the axis is left to Vega.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from serbench.report.charts.picture import PNG_SCALE, Bar, Picture

if TYPE_CHECKING:
    import altair as alt

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""The first is part of the renderer, and the next two have the same widths, so that an SVG looks the same
where the first is missing."""

_PLOT_WIDTH = 520
_ROW_HEIGHT = 20
_BAR_HEIGHT = 12
_FLOOR_GAP = 10
_TEXT_SIZE = 11
_TITLE_SIZE = 15
_LINE_HEIGHT = 15
_COLUMN_GAP = 14
_LEAST_LABELS = 130
_BELOW_AXIS = 56  # below the axis's labels and title

# Mean widths of the font's letters in ems: in names and numbers, which would overlap if it were too small,
# and in prose, which is only wrapped by it.
_NAME_EM = 0.6
_PROSE_EM = 0.5

_BAR_COLOUR = "#5b84b1"
_FLOOR_COLOUR = "#a8a8a8"
_INTERVAL_COLOUR = "#1f2d3d"
_TEXT_COLOUR = "#222222"
_QUIET_COLOUR = "#666666"
_LINE_COLOUR = "#e4e4e4"

_UNITS = {
    "ns": ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")),
    "bytes": ((1e9, "GB"), (1e6, "MB"), (1.0, "bytes")),
}
"""The units of an axis, the greatest first: how many nanoseconds or bytes one has, and its name."""


def to_svg(picture: Picture) -> str:
    """The picture as SVG, with its texts as text."""
    import vl_convert

    return vl_convert.vegalite_to_svg(chart(picture).to_dict(), vl_version=_vegalite_version())


def to_png(picture: Picture) -> bytes:
    """The picture as PNG."""
    import vl_convert

    return vl_convert.vegalite_to_png(
        chart(picture).to_dict(), vl_version=_vegalite_version(), scale=PNG_SCALE
    )


def _vegalite_version() -> str:
    """The version whose schema Altair writes, as the renderer names it: ``6.4``."""
    import altair as alt

    return ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])


@dataclass(frozen=True)
class _Layout:
    """Where things are, in pixels; the origin is the upper left corner of the plot."""

    picture: Picture

    @cached_property
    def rows(self) -> list[tuple[Bar, float]]:
        """Each bar with its middle; the floor has a gap below it."""
        floors = sum(bar.floor for bar in self.picture.bars)
        gap = _FLOOR_GAP if 0 < floors < len(self.picture.bars) else 0
        return [
            (bar, _ROW_HEIGHT * (n + 0.5) + (0 if bar.floor else gap))
            for n, bar in enumerate(self.picture.bars)
        ]

    @property
    def height(self) -> float:
        return self.rows[-1][1] + _ROW_HEIGHT / 2

    @cached_property
    def left(self) -> float:
        """Where labels, title and notes begin."""
        longest = max(len(bar.label) for bar in self.picture.bars)
        return -max(_LEAST_LABELS, longest * _NAME_EM * _TEXT_SIZE + 8)

    @cached_property
    def columns(self) -> list[float]:
        """The right edge of each column of texts beside the bars."""
        edges, edge = [], float(_PLOT_WIDTH)
        for n, heading in enumerate(self.picture.headings):
            longest = max(len(heading), *(len(bar.texts[n]) for bar in self.picture.bars))
            edge += _COLUMN_GAP + longest * _NAME_EM * _TEXT_SIZE
            edges.append(edge)
        return edges

    def wrapped(self, paragraphs: Sequence[str]) -> list[str]:
        """Paragraphs as lines that fit the picture's width; names are never broken, nor is anything at a
        no-break space."""
        characters = int((self.columns[-1] - self.left) / (_PROSE_EM * _TEXT_SIZE))
        return [
            line.replace("\u00a0", " ")
            for paragraph in paragraphs
            for line in textwrap.wrap(paragraph, characters, break_long_words=False, break_on_hyphens=False)
        ]

    @cached_property
    def domain(self) -> tuple[float, float]:
        """The values at both ends of the axis, with room around the outermost intervals on a logarithmic
        one."""
        high = max(bar.high for bar in self.picture.bars)
        if self.picture.logarithmic:
            return min(bar.low for bar in self.picture.bars) / 1.25, high * 1.25
        return 0.0, high * 1.02 or 1.0


def chart(picture: Picture) -> alt.LayerChart | alt.FacetChart:
    """The picture as a Vega-Lite chart.

    Raises:
        ValueError: the picture has no bars.
    """
    import altair as alt

    if not picture.bars:
        raise ValueError(f"picture {picture.name} has no bars")
    layout = _Layout(picture)
    layers = [*_lines(layout), *_marks(layout), *_texts(layout)]
    subtitle = layout.wrapped(picture.subtitle)
    title = alt.TitleParams(
        picture.title,
        subtitle=subtitle,
        anchor="start",
        frame="bounds",
        fontSize=_TITLE_SIZE,
        subtitleFontSize=_TEXT_SIZE,
        subtitleLineHeight=_LINE_HEIGHT,
        subtitleColor=_QUIET_COLOUR,
        subtitlePadding=6,
        color=_TEXT_COLOUR,
        offset=12,
    )
    described = "; ".join(f"{bar.label}: {bar.texts[0]}" for bar in picture.bars)
    layered = alt.layer(*layers).properties(
        width=_PLOT_WIDTH, height=layout.height, title=title, description=f"{picture.title}. {described}"
    )
    configured: alt.LayerChart | alt.FacetChart = layered.configure(
        font=FONT,
        background="white",
        padding=16,
        view=alt.ViewConfig(stroke=None),
        text=alt.MarkConfig(font=FONT),
    )
    return configured


def _lines(layout: _Layout) -> list[alt.Chart]:
    """A hairline through each row, for the eye to follow from its label to its texts; a stronger one below
    the floor."""
    rows = [{"y": y, "x": 0.0, "x2": float(_PLOT_WIDTH), "stroke": _LINE_COLOUR} for _, y in layout.rows]
    floors = [y for bar, y in layout.rows if bar.floor]
    if floors and len(floors) < len(layout.rows):
        below = floors[-1] + (_ROW_HEIGHT + _FLOOR_GAP) / 2
        rows.append({"y": below, "x": layout.left, "x2": layout.columns[-1], "stroke": _FLOOR_COLOUR})
    return [
        _chart(rows)
        .mark_rule(strokeWidth=1, aria=False)
        .encode(x=_pixel("x"), x2="x2:Q", y=_pixel("y", "Y"), stroke=_literal("stroke"))
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
            "colour": _FLOOR_COLOUR if bar.floor else _BAR_COLOUR,
        }
        for bar, y in layout.rows
    ]
    with_interval = _chart([v for v in values if v["low"] != v["high"]])
    scale, axis = _axis(layout)

    def at(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    interval: dict[str, Any] = {"stroke": _INTERVAL_COLOUR, "strokeWidth": 1.2, "aria": False}
    intervals = [
        with_interval.mark_rule(**interval).encode(x=at("low"), x2="high:Q", y=_pixel("y", "Y")),
        *(
            with_interval.mark_rule(**interval).encode(x=at(end), y=_pixel("cap_top", "Y"), y2="cap_bottom:Q")
            for end in ("low", "high")
        ),
    ]
    if layout.picture.logarithmic:
        dots = _chart(values).mark_circle(size=52, opacity=1, aria=False)
        return [dots.encode(x=at("value"), y=_pixel("y", "Y"), color=_literal("colour")), *intervals]
    bars = _chart(values).mark_rect(aria=False)
    drawn = bars.encode(
        x=at("value"), x2=alt.datum(0), y=_pixel("top", "Y"), y2="bottom:Q", color=_literal("colour")
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
        gridColor=_LINE_COLOUR,
        labelFontSize=_TEXT_SIZE,
        titleFontSize=_TEXT_SIZE,
        titleFontWeight="normal",
        titleColor=_QUIET_COLOUR,
        labelColor=_TEXT_COLOUR,
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
    headings = [{"x": edge, "y": -_ROW_HEIGHT / 2, "text": heading} for edge, heading in columns]
    notes = [
        {"x": layout.left, "y": layout.height + _BELOW_AXIS + n * _LINE_HEIGHT, "text": line}
        for n, line in enumerate(layout.wrapped(picture.notes))
    ]
    right = {"align": "right", "color": _TEXT_COLOUR}
    parts: list[tuple[list[dict[str, Any]], dict[str, Any]]] = [
        (labels, right),
        (figures, right),
        (headings, {"align": "right", "color": _QUIET_COLOUR}),
        (notes, {"align": "left", "color": _QUIET_COLOUR}),
    ]
    return [
        _chart(values)
        .mark_text(baseline="middle", fontSize=_TEXT_SIZE, aria=False, **style)
        .encode(x=_pixel("x"), y=_pixel("y", "Y"), text="text:N")
        for values, style in parts
        if values
    ]


def _chart(values: list[dict[str, Any]]) -> alt.Chart:
    import altair as alt

    return alt.Chart(alt.InlineData(values=values))


def _pixel(field: str, channel: str = "X") -> Any:
    """A field that holds pixels, not values of a scale."""
    import altair as alt

    return getattr(alt, channel)(f"{field}:Q", scale=None, axis=None)


def _literal(field: str) -> dict[str, Any]:
    """A field that holds colours as they are."""
    return {"field": field, "type": "nominal", "scale": None, "legend": None}
