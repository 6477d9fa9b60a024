"""The chart of a history as SVG, for pictures and for the page: the time of each operation over the releases,
with intervals as bands, and the bytes of a message below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from serbench.report.charts import pixels
from serbench.report.charts.scatter import plain
from serbench.report.gathering import gathered
from serbench.report.history import History, Point
from serbench.report.numbers import between, duration, mean_size, ratio
from serbench.stats.summary import Interval
from serbench.text import safe

_LEFT, _RIGHT, _TOP = 76, 24, 48
_HEIGHT, _GAP = 130, 40
_STEP = (44, 110)
"""The least and the greatest distance between two releases."""
_WIDTH = 620
_BELOW = 84
"""The height below the plots, for versions and days."""

_COLOURS = {"slower": "#c0392b", "faster": "#1e8449", "": "#5b84b1"}

TOLD = (
    "The time divided by that of the newest version, in the same rounds, with its interval as a band. "
    "Filled: the version changed the operation."
)

_EXACT = 1.0


@dataclass(frozen=True)
class Releases:
    """The chart of a codec variant and a workload; ``name`` is that of its files, without ending.

    Attributes:
        points: operation → its versions, the oldest first.
    """

    name: str
    title: str
    points: Mapping[str, Sequence[Point]]


def releases_of(history: History) -> Iterator[Releases]:
    """A chart for each variant and workload of which two versions or more have times."""
    for (codec, workload), own in gathered((each[:2], each) for each in history.series).items():
        points = {each.operation: history.points(each) for each in own}
        drawn = {name: told for name, told in points.items() if sum(bool(each.time) for each in told) > 1}
        if drawn:
            name = f"{plain(workload)}-{plain(codec)}-history"
            yield Releases(name, f"{codec} × {workload} over the releases", drawn)


def svg(chart: Releases, alone: bool = True) -> str:
    """Return a chart as SVG. Its text has the colour of what is around it, or ``alone``, as a picture of its
    own, that of pictures on white."""
    points = next(iter(chart.points.values()))
    step = max(_STEP[0], min(_WIDTH / max(1, len(points) - 1), _STEP[1]))
    places = [_LEFT + 20 + step * n for n in range(len(points))]
    right, marks, top = places[-1] + 20, list[str](), float(_TOP)
    for operation, own in chart.points.items():
        marks += _panel(operation, own, places, right, top)
        top += _HEIGHT + _GAP
    if any(each.bytes is not None for each in points):
        marks += _sizes(points, places, right, top)
        top += _HEIGHT / 2 + _GAP
    marks += _versions(points, places, top - _GAP + 16)
    width, height = max(right + _RIGHT, 420), top - _GAP + _BELOW
    begun = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img"'
    size = f' width="{width:g}" height="{height:g}"' if alone else f' style="max-width:{width:g}px"'
    colour = f' color="{pixels.TEXT_COLOUR}"' if alone else ""
    font = f' font-family="{pixels.FONT}" font-size="{pixels.TEXT_SIZE}" fill="currentColor"'
    described = f"<title>{_escaped(chart.title)}</title><desc>{_escaped('; '.join(_said(chart)))}</desc>"
    back = '<rect width="100%" height="100%" fill="white"/>' if alone else ""
    heading = _text(chart.title, _LEFT - 60, 20, 'font-size="15" font-weight="bold"')
    return f"{begun}{size}{colour}{font}>{described}{back}{heading}{''.join(marks)}</svg>"


def _said(chart: Releases) -> Iterator[str]:
    """The chart in words, for people who do not see it."""
    for operation, points in chart.points.items():
        for each in points:
            if each.time:
                yield f"{operation} {each.release.version}: {_of_newest(each)}"


def _of_newest(point: Point) -> str:
    own, changed = point.ratio_newest, point.change and f", {point.change}"
    return (f"{ratio(own)} {between(own)} of the newest" if own else "the newest") + changed


def _panel(
    operation: str, points: Sequence[Point], places: Sequence[float], right: float, top: float
) -> Iterator[str]:
    """The times of an operation: axis, band, line, and a dot for each version."""
    of_newest = {
        n: each.ratio_newest or Interval(_EXACT, _EXACT, _EXACT, 1.0)
        for n, each in enumerate(points)
        if each.time
    }
    low = min(0.95, *(each.low for each in of_newest.values()))
    high = max(1.05, *(each.high for each in of_newest.values()))

    def y(value: float) -> float:
        return top + _HEIGHT * (1 - (value - low) / (high - low))

    newest = next(each for each in reversed(points) if each.time)
    title = f"{operation}: ×1 is {duration(newest.time)}" if newest.time else operation
    yield _text(title, _LEFT, top - 8, 'font-weight="bold"')
    for value in dict.fromkeys((low, _EXACT, high)):
        dashed = ' stroke-dasharray="4 3"' if value == _EXACT else ""
        yield _line(_LEFT, y(value), right, y(value), f'stroke-opacity="0.3"{dashed}')
        if value == _EXACT or abs(y(value) - y(_EXACT)) > pixels.LINE_HEIGHT:
            yield _text(f"×{value:.3g}", _LEFT - 6, y(value) + 4, 'text-anchor="end"')
    for own in _together(sorted(of_newest)):
        above = [f"{places[n]:.1f},{y(of_newest[n].high):.1f}" for n in own]
        below = [f"{places[n]:.1f},{y(of_newest[n].low):.1f}" for n in reversed(own)]
        yield f'<polygon points="{" ".join(above + below)}" fill="{_COLOURS[""]}" fill-opacity="0.25"/>'
        middle = " ".join(f"{places[n]:.1f},{y(of_newest[n].estimate):.1f}" for n in own)
        yield f'<polyline points="{middle}" fill="none" stroke="{_COLOURS[""]}" stroke-width="1.5"/>'
    for n, each in of_newest.items():
        point, colour = points[n], _COLOURS[points[n].change]
        filled = colour if point.change else "none"
        said = _escaped(f"{point.release.version}: {_of_newest(point)}")
        yield (
            f'<circle cx="{places[n]:.1f}" cy="{y(each.estimate):.1f}" r="4" fill="{filled}" '
            f'stroke="{colour}" stroke-width="1.5"><title>{said}</title></circle>'
        )
        if point.change and point.ratio_before:
            told = f"{point.change} {ratio(point.ratio_before)}"
            yield _text(told, places[n], y(each.estimate) - 9, f'text-anchor="middle" fill="{colour}"')


def _sizes(points: Sequence[Point], places: Sequence[float], right: float, top: float) -> Iterator[str]:
    """The bytes of a message, as bars from 0 on."""
    yield _text("bytes of a message", _LEFT, top - 8, 'font-weight="bold"')
    height, most = _HEIGHT / 2, max(each.bytes or 0.0 for each in points) or 1.0
    yield _line(_LEFT, top + height, right, top + height, 'stroke-opacity="0.3"')
    shown = ""
    for place, each in zip(places, points, strict=True):
        if each.bytes is None:
            continue
        tall, told = height * each.bytes / most, mean_size(each.bytes)
        bar = f'x="{place - 8:.1f}" y="{top + height - tall:.1f}" width="16" height="{tall:.1f}"'
        yield f'<rect {bar} fill="currentColor" fill-opacity="0.35"/>'
        if told != shown:  # the figure stands where it changes
            yield _text(told, place, top + height - tall - 3, 'text-anchor="middle"')
        shown = told


def _versions(points: Sequence[Point], places: Sequence[float], top: float) -> Iterator[str]:
    """The versions with their days, which run downwards to the left."""
    for place, each in zip(places, points, strict=True):
        told = " ".join(filter(None, (each.release.version, each.release.released)))
        told += "" if each.time else " (no times)"
        yield _text(told, place, top, f'text-anchor="end" transform="rotate(-38 {place:.1f} {top:.1f})"')


def _together(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    """Runs of numbers that follow each other."""
    own: list[int] = []
    for each in numbers:
        if own and each != own[-1] + 1:
            yield own
            own = []
        own.append(each)
    if own:
        yield own


def _line(x: float, y: float, x2: float, y2: float, style: str) -> str:
    places = f'x1="{x:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {places} stroke="currentColor" {style}/>'


def _text(text: str, x: float, y: float, style: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{_escaped(text)}</text>'


def _escaped(text: str) -> str:
    return escape(safe(text))
