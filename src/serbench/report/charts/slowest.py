"""The quantiles of single calls as a picture: a line for each codec, from the usual call to the slowest of
all, over a logarithmic axis of time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from serbench.measure.store import Run
from serbench.report.calls_table import Called, calls_of
from serbench.report.charts import pixels
from serbench.report.charts.scatter import plain
from serbench.report.numbers import duration
from serbench.text import safe, shortened

LEVELS = {"p50": "p50", "p90": "p90", "p99": "p99", "p99_9": "p99.9", "worst": "worst"}
"""Name of a quantile → the text below the axis; figures without one, of too few calls, are left out."""

MOST_LINES = 10
"""The most lines that a palette of ten colours tells apart."""

_WIDTH, _HEIGHT, _LONGEST_NAME = 520, 360, 40


@dataclass(frozen=True)
class Slowest:
    """A chart of the quantiles of one operation; ``name`` is that of its files, without ending."""

    name: str
    title: str
    called: Sequence[Called]


def slowest_of(run: Run) -> Iterator[Slowest]:
    """A chart for each workload and operation whose single calls were timed, the least p99 first."""
    called = [each for each in calls_of(run) if "p99_ns" in each.values]
    for workload, cell in dict.fromkeys((each.workload, each.cell) for each in called):
        own = [each for each in called if (each.workload, each.cell) == (workload, cell)]
        own.sort(key=lambda each: each.values["p99_ns"].estimate)
        title = f"{safe(workload)}: single calls of {cell}"
        yield Slowest(f"{plain(workload)}-{plain(cell)}-calls", title, own)


def slowest_chart(chart: Slowest) -> pixels.Spec:
    """Describe a chart for Vega-Lite."""
    drawn = chart.called[:MOST_LINES]
    known = {name: level for name, level in LEVELS.items() if any(f"{name}_ns" in e.values for e in drawn)}
    values: list[dict[str, Any]] = [
        {
            "level": level,
            "y": figure.estimate / 1e3,
            "low": figure.low / 1e3,
            "high": figure.high / 1e3,
            "codec": shortened(safe(each.name), _LONGEST_NAME),
            "piece": sum(f"{before}_ns" not in each.values for before in list(known)[:at]),
        }
        for each in drawn
        for at, (name, level) in enumerate(known.items())
        if (figure := each.values.get(f"{name}_ns"))
    ]
    left = len(chart.called) - len(drawn)
    below = [
        "Medians over processes, with their intervals. p99.9: one call in a thousand takes that or longer.",
        *([f"The {len(drawn)} with the least p99; {left} more are not drawn."] if left else []),
    ]
    told = "; ".join(f"{each.name}: p99 {duration(each.values['p99_ns'])}" for each in drawn)
    return line_chart(values, list(known.values()), "µs a call", chart.title, below, f"{chart.title}. {told}")


def line_chart(
    values: Sequence[dict[str, Any]],
    levels: Sequence[str],
    unit: str,
    title: str,
    below: Sequence[str],
    described: str,
) -> pixels.Spec:
    """Describe a chart of a line for each codec over a few levels, on a logarithmic axis.

    Args:
        values: the points: the ``level`` and the ``codec`` with ``y``, ``low`` and ``high``; points with
            another ``piece`` are not joined.
        levels: the texts below the axis, in order.
        unit: the title of the other axis.
        below: paragraphs below the title.
        described: the text for people who do not see the picture.
    """
    x = {"field": "level", "type": "ordinal", "sort": list(levels), "title": None, "axis": {"labelAngle": 0}}
    names = list(dict.fromkeys(value["codec"] for value in values))
    colour = {"field": "codec", "type": "nominal", "title": None, "scale": {"domain": names}}
    y = {"field": "y", "type": "quantitative", "scale": {"type": "log"}, "title": unit}
    encoding = {"x": x, "y": y, "color": colour}
    line = {**encoding, "detail": {"field": "piece"}}  # none leads through a quantile that is not known
    rule = {**encoding, "y": {**y, "field": "low"}, "y2": {"field": "high"}}
    layers = [
        {"mark": {"type": mark, "aria": False}, "data": {"values": list(values)}, "encoding": channels}
        for mark, channels in (("line", line), ("rule", rule), ("circle", encoding))
    ]
    return pixels.layered(layers, (_WIDTH, _HEIGHT), title, pixels.wrapped(below, _WIDTH), described)
