"""Draws a heat map as SVG and PNG, with Vega-Lite; everything is placed by the pixel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from math import log

from serbench.report.charts import pixels
from serbench.report.charts.heat import Heat, HeatColumn, HeatLine, colour_of, ink_on, settings
from serbench.report.numbers import rounded
from serbench.report.table import over_lines

_LEAST_WIDTH, _MOST_WIDTH, _WIDTH_OF_ALL = 66, 120, 600
_LETTER = pixels.NAME_EM * pixels.TEXT_SIZE
_HATCH = 7
_HATCH_COLOUR = "#b5b5b5"
_GAP = 2
"""The pixels between two squares of a kind of machines; between two kinds there are ``_KIND_GAP``."""
_KIND_GAP = 8
_LEGEND_WIDTH, _LEGEND_HEIGHT, _LEGEND_STEPS = 260, 12, 65
_LEGEND_TOP = 46
_LEGEND_INSET = 8
"""The pixels left of the legend's colours, so that the first figure below them has room."""
_TICKS = (1.0, 1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 40.0)
_TICK_GAP = 40

Values = list[pixels.Value]


def heat_chart(heat: Heat) -> pixels.Spec:
    """Describe a heat map, which has at least one line, for Vega-Lite."""
    layout = _Layout(heat)
    layers = [*_squares(layout), *_names(layout), *_legend(layout)]
    told = "; ".join(
        f"{line.label}: {', '.join(square.text if square else 'none' for square in line.squares)}"
        for line in heat.lines
    )
    return pixels.layered(
        layers,
        (layout.width, layout.height),
        heat.title,
        pixels.wrapped(heat.subtitle, layout.whole_width),
        f"{heat.title}, {heat.scale}. {told}",
    )


@dataclass(frozen=True)
class _Layout:
    """The places of squares and texts, in pixels from the upper left corner of the first square."""

    heat: Heat

    @cached_property
    def column_width(self) -> float:
        fitting = _WIDTH_OF_ALL / len(self.heat.columns)
        return max(_LEAST_WIDTH, min(_MOST_WIDTH, fitting))

    @cached_property
    def kinds(self) -> list[tuple[str, Sequence[tuple[HeatColumn, float]]]]:
        """Each kind of machines with its columns, and each column with its left edge."""
        edge = 0.0
        found: list[tuple[str, Sequence[tuple[HeatColumn, float]]]] = []
        for kind, own in groupby(self.heat.columns, key=lambda column: column.kind):
            columns = [(column, edge + n * self.column_width) for n, column in enumerate(own)]
            found.append((kind, columns))
            edge += len(columns) * self.column_width + _KIND_GAP
        return found

    @cached_property
    def columns(self) -> list[float]:
        """The left edge of each column."""
        return [edge for _, own in self.kinds for _, edge in own]

    @property
    def width(self) -> float:
        return self.columns[-1] + self.column_width

    @cached_property
    def rows(self) -> list[tuple[HeatLine, float]]:
        """Each codec with the upper edge of its squares."""
        lines = self.heat.lines
        return list(zip(lines, pixels.tops([line.apart for line in lines]), strict=True))

    @property
    def height(self) -> float:
        return self.rows[-1][1] + pixels.ROW_HEIGHT

    @cached_property
    def left(self) -> float:
        """The left edge of labels, legend and notes."""
        return -pixels.label_width([line.label for line in self.heat.lines])

    @property
    def whole_width(self) -> float:
        return max(self.width - self.left, 560)


def _squares(layout: _Layout) -> Iterator[pixels.Spec]:
    """The layers of coloured squares, of hatching for missing figures, and of the figures in squares."""
    drawn: Values = []
    hatches: Values = []
    figures: dict[bool, Values] = {False: [], True: []}
    side = layout.column_width - _GAP
    for line, top in layout.rows:
        bottom = top + pixels.ROW_HEIGHT - _GAP
        for edge, square in zip(layout.columns, line.squares, strict=True):
            middle = {"x": edge + side / 2, "y": (top + bottom) / 2}
            if square is None:
                hatches += _hatching(edge, top, edge + side, bottom)
                continue
            colour = pixels.FLOOR_COLOUR if line.apart else colour_of(square.ratio, layout.heat.top)
            drawn.append({"x": edge, "x2": edge + side, "y": top, "y2": bottom, "color": colour})
            if len(square.text) * _LETTER <= side:
                figures[square.first and not line.apart].append(
                    {**middle, "text": square.text, "color": ink_on(colour)}
                )
    if drawn:
        yield _rectangles(drawn)
    if hatches:
        yield _rules(hatches)
    for bold, values in figures.items():
        if values:
            weight = "bold" if bold else "normal"
            yield pixels.texts(values, "x y text color", align="center", fontWeight=weight)


def _hatching(left: float, top: float, right: float, bottom: float) -> Values:
    """Diagonal lines over a square, and the lines around it."""
    lines = []
    height = bottom - top
    start = left - height + _HATCH
    while start < right:
        begin, end = max(start, left), min(start + height, right)
        lines.append({"x": begin, "x2": end, "y": bottom - (begin - start), "y2": bottom - (end - start)})
        start += _HATCH
    around = [(left, left, top, bottom), (right, right, top, bottom)]
    around += [(left, right, top, top), (left, right, bottom, bottom)]
    lines += [dict(zip(("x", "x2", "y", "y2"), each, strict=True)) for each in around]
    return [{**line, "stroke": _HATCH_COLOUR} for line in lines]


def _names(layout: _Layout) -> Iterator[pixels.Spec]:
    """The layers of names: codecs on the left, machines and their kinds above the squares."""
    labels = [
        {"x": -8, "y": top + (pixels.ROW_HEIGHT - _GAP) / 2, "text": line.label} for line, top in layout.rows
    ]
    yield pixels.texts(labels, align="right", color=pixels.TEXT_COLOUR)
    side = layout.column_width - _GAP
    width = layout.column_width
    deepest = max(len(_broken(column.name, width)) for _, own in layout.kinds for column, _ in own)
    rule = -8 - deepest * (pixels.LINE_HEIGHT - 2)
    machines, kinds, rules = Values(), Values(), Values()
    for kind, own in layout.kinds:
        left, right = own[0][1], own[-1][1] + side
        rules.append({"x": left, "x2": right, "y": rule, "y2": rule, "stroke": pixels.QUIET_COLOUR})
        kinds += _upwards(_broken(kind, right - left), (left + right) / 2, rule - 10)
        for column, edge in own:
            machines += _upwards(_broken(column.name, width), edge + side / 2, -10)
    yield _rules(rules)
    yield pixels.texts(machines, align="center", color=pixels.QUIET_COLOUR)
    yield pixels.texts(kinds, align="center", color=pixels.TEXT_COLOUR)


def _broken(name: str, width: float) -> list[str]:
    return over_lines(name, max(int(width / _LETTER), 4)).split("\n")


def _upwards(lines: Sequence[str], x: float, bottom: float) -> Values:
    """Lines of text below each other, of which the last is at ``bottom``."""
    return [
        {"x": x, "y": bottom - n * (pixels.LINE_HEIGHT - 2), "text": line}
        for n, line in enumerate(reversed(lines))
    ]


def _legend(layout: _Layout) -> Iterator[pixels.Spec]:
    """The layers of the legend of colours below the squares, and of the notes below the legend."""
    heat = layout.heat
    top = layout.height + _LEGEND_TOP
    left = layout.left + _LEGEND_INSET
    step = _LEGEND_WIDTH / _LEGEND_STEPS
    bar = [
        {
            "x": left + n * step,
            "x2": left + (n + 1) * step + (0.5 if n < _LEGEND_STEPS - 1 else 0),
            "y": top,
            "y2": top + _LEGEND_HEIGHT,
            "color": colour_of(heat.top ** (n / (_LEGEND_STEPS - 1)), heat.top),
        }
        for n in range(_LEGEND_STEPS)
    ]
    yield _rectangles(bar)
    said = [{"x": layout.left, "y": top - 12, "text": heat.scale}]
    ticks = [
        {"x": left + place, "y": top + _LEGEND_HEIGHT + 10, "text": text} for place, text in _ticks(heat)
    ]
    hatched = layout.left + _LEGEND_WIDTH + 90
    swatch = _hatching(hatched, top, hatched + 30, top + _LEGEND_HEIGHT)
    said.append({"x": hatched + 38, "y": top + _LEGEND_HEIGHT / 2, "text": "no figure"})
    yield _rules(swatch)
    yield pixels.texts(said, align="left", color=pixels.TEXT_COLOUR)
    yield pixels.texts(ticks, align="center", color=pixels.TEXT_COLOUR)
    yield pixels.texts(
        pixels.prose(heat.notes, layout.left, top + 52, layout.whole_width),
        align="left",
        color=pixels.QUIET_COLOUR,
    )


def _ticks(heat: Heat) -> Iterator[tuple[float, str]]:
    """The figures below the legend's colours, each with its distance from the left end in pixels."""
    last = -_TICK_GAP
    for value in _TICKS:
        place = _LEGEND_WIDTH * log(value) / log(heat.top)
        if last + _TICK_GAP <= place <= _LEGEND_WIDTH - _TICK_GAP:
            yield place, f"×{value:g}"
            last = int(place)
    most = heat.top >= settings().most_top
    yield _LEGEND_WIDTH, f"×{heat.top:g} or more" if most else f"×{rounded(heat.top, 2)}"


def _rectangles(values: Values) -> pixels.Spec:
    return pixels.layer("rect", values, "x x2 y y2 color")


def _rules(values: Values) -> pixels.Spec:
    return pixels.layer("rule", values, "x x2 y y2 stroke", strokeWidth=1)
