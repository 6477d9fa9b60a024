"""The quantiles of single calls as a chart of lines: from the usual call to the slowest of all, over the
number of calls of which one takes so long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from serbench.measure.calls import CALLS
from serbench.measure.store import Run
from serbench.report.calls_table import Called, calls_of
from serbench.report.charts.curve import Kind, Line, Lines, Point
from serbench.report.charts.scatter import plain
from serbench.report.gathering import gathered
from serbench.stats.quantiles import LEVELS
from serbench.text import safe, shortened

QUANTILES = Kind(
    "calls",
    "Medians over processes, with their intervals. p99.9: one call in a thousand takes that or longer; "
    f"worst: the slowest of {CALLS['latency']:,} calls, or of as many as there is time for.",
    "by p99",
)

DRAWN = ("p50", "p90", "p99", "p99_9")
"""The quantiles that are drawn, and the ``worst``; figures without one, of too few calls, are left out."""

_PLACES = {name: 1000 / (1000 - LEVELS[name]) for name in DRAWN} | {"worst": float(CALLS["latency"])}
"""Name of a quantile → the number of calls of which one takes so long."""

_LONGEST_LABEL = 40


def slowest_of(run: Run) -> Iterator[Lines]:
    """A chart for each workload and operation whose single calls were timed, the least p99 first."""
    called = [each for each in calls_of(run) if "p99_ns" in each.values]
    for (workload, cell), own in gathered(((each.workload, each.cell), each) for each in called).items():
        own.sort(key=lambda each: each.values["p99_ns"].estimate)
        yield Lines(
            f"{plain(workload)}-{plain(cell)}-calls",
            f"The slowest of many calls: {cell}",
            f"{safe(workload)}: single calls of {cell}",
            workload,
            cell,
            (),
            _lines(own),
            (),
            over="calls of which one is so slow",
            one="call",
            kind=QUANTILES,
            ticks={place: name.replace("_", ".") for name, place in _PLACES.items()},
        )


def _lines(called: Sequence[Called]) -> list[Line]:
    """A line for each cell, with a gap where it lacks a quantile that others have."""
    known = [name for name in _PLACES if any(f"{name}_ns" in each.values for each in called)]
    lines = []
    for each in called:
        points, piece = list[Point](), 0
        for name in known:
            time = each.values.get(f"{name}_ns")
            piece += time is None
            if time:
                points.append(Point(_PLACES[name], time, below=True, piece=piece))
        lines.append(Line(each.codec, each.name, shortened(safe(each.name), _LONGEST_LABEL), "", "", points))
    return lines
