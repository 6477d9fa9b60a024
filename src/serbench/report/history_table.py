"""Tables of the history of a library: versions in rows, the newest first, operations side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from serbench.errors import in_short
from serbench.report.gathering import gathered
from serbench.report.history import History, Point, Series
from serbench.report.numbers import between, count, duration, mean_size, ratio, rounded
from serbench.report.table import Said, Table, in_parts
from serbench.stats.history import unseen
from serbench.stats.summary import CONFIDENCE, Interval

_LAYOUTS = (
    ("time", "to newest", "interval", "", "change"),
    ("time", "to newest", "", "change"),
    ("to newest", "", "change"),
)
"""The columns of an operation in each layout, the fullest first; that without heading is a small chart."""

_CHART = 17
_NAMED = 12
"""How many versions a note names; it counts the others."""

OF_METRICS = {
    "latency": "p99: one of a hundred single calls takes so long or longer.",
    "first": "The time from the start of a process to its first message, with what is imported.",
    "threads": "The time of a message with so many threads: a second, divided by the messages of all.",
}
"""Metric other than times of passes → the meaning of its figures."""

NEWEST = "newest"
"""Stands for the ratio of the newest version."""


def history_tables(history: History, room: int) -> list[Table]:
    """The tables of a history, one for each variant and workload, or several where ``room`` columns are too
    few."""
    tables: list[Table] = []
    for (codec, workload), own in gathered((each[:2], each) for each in history.series).items():
        points = {each.operation: history.points(each) for each in own}
        made, _ = in_parts(list(points), _LAYOUTS, room, partial(_table, f"{codec} × {workload}", points))
        made[0].verdict = [_said(each, points[each.operation], history.threshold) for each in own]
        made[-1].notes += _reasons(points)
        tables += made
    tables[-1].notes += _notes(history)
    return tables


def _table(
    title: str, points: dict[str, list[Point]], operations: Sequence[str], columns: Sequence[str]
) -> Table:
    dated = any(point.release.released for own in points.values() for point in own)
    headings = ["version", *(["released"] if dated else []), "bytes"]
    numeric = {len(headings) - 1}
    for operation in operations:
        first, *others = columns
        numeric |= {len(headings) + n for n, each in enumerate(columns) if each not in ("", "change")}
        headings += [f"{operation}\n{first}", *others]
    scales = {each: _scale(points[each]) for each in operations}
    rows = []
    for row in reversed(list(zip(*(points[each] for each in operations), strict=True))):
        size = row[0].bytes
        cells = [row[0].release.version, *([row[0].release.released] if dated else [])]
        cells.append("–" if size is None else mean_size(size))
        for operation, point in zip(operations, row, strict=True):
            cells += [_cell(point, column, scales[operation]) for column in columns]
        rows.append(cells)
    return Table(title, headings, rows, frozenset(numeric))


def _cell(point: Point, column: str, scale: tuple[float, float]) -> str:
    own = point.ratio_newest
    if column == "change":
        return f"{point.change} {ratio(point.ratio_before)}" if point.change and point.ratio_before else ""
    if column == "":
        return chart(own, scale) if point.time else ""
    if column == "time":
        return duration(point.time) if point.time else "–"
    if column == "interval":
        return between(own).strip("()") if own else ""
    return ratio(own) if own else NEWEST if point.time else "–"


def _scale(points: Sequence[Point]) -> tuple[float, float]:
    """The logarithms between which a chart has all estimates with the newest version, 0, and their intervals
    as far as these do not make it more than three times as wide."""
    own = [each.ratio_newest for each in points if each.ratio_newest]
    logs = [0.0, *(math.log(each.estimate) for each in own)]
    margin = max(max(logs) - min(logs), 0.05)
    low = min([-0.01, *(math.log(each.low) for each in own)])
    high = max([0.01, *(math.log(each.high) for each in own)])
    return max(low, min(logs) - margin), min(high, max(logs) + margin)


def chart(ratio: Interval | None, scale: tuple[float, float]) -> str:
    """A line of a chart: the ratio as a dot with its interval, and the time of the newest version as a
    stroke. None is the newest version; ``scale`` has the logarithms of the left and the right end."""
    low, high = scale

    def place(value: float) -> int:
        return round((_CHART - 1) * max(0.0, min((math.log(value) - low) / (high - low), 1.0)))

    cells = [" "] * _CHART
    if ratio:
        for n in range(place(ratio.low), place(ratio.high) + 1):
            cells[n] = "─"
    cells[place(1.0)] = "│"
    cells[place(ratio.estimate if ratio else 1.0)] = "●"
    return "".join(cells).rstrip()


def _said(series: Series, points: Sequence[Point], threshold: float) -> Said:
    changed = [each for each in points if each.change]
    if changed:
        told = "; ".join(map(_change, changed))
        return Said(series.operation, told, "bad" if changed[-1].change == "slower" else "good")
    timed = [each for each in points if each.time]
    if len(timed) < 2:
        return Said(series.operation, "not known: fewer than two versions have times", "care")
    if not any(each.ratio_before for each in timed):
        return Said(series.operation, "not known: too few rounds", "care")
    limit, oldest = f"{100 * threshold:g} %", timed[0].ratio_newest
    if oldest and (oldest.low > 1 + threshold or oldest.high < 1 / (1 + threshold)):
        return Said(
            series.operation,
            f"{timed[0].release.version} took {ratio(oldest)} {between(oldest)} the time of the newest, in "
            f"steps none of which is told apart from ±{limit}",
            "care",
        )
    open_ = unseen([each.ratio_before for each in timed])
    more = (
        f"; changes of up to ±{rounded(100 * open_, 2)} % would not have been seen"
        if open_ > threshold
        else ""
    )
    return Said(series.operation, f"no version changed it by more than {limit} for certain{more}")


def _change(point: Point) -> str:
    """The change of a version in words."""
    assert point.ratio_before
    dated = f" of {point.release.released}" if point.release.released else ""
    return (
        f"{point.change} since {point.release.version}{dated}: {ratio(point.ratio_before)} "
        f"{between(point.ratio_before)} the time of {point.before}"
    )


def _reasons(points: dict[str, list[Point]]) -> Iterator[str]:
    """Why versions have no times."""
    reasons = dict.fromkeys(
        (in_short(each.reason), each.release.version)
        for own in points.values()
        for each in own
        if each.reason
    )
    for reason, versions in gathered(reasons).items():
        yield f"{', '.join(versions)}: {reason}"


def _notes(history: History) -> Iterator[str]:
    if not history.is_of_times:
        yield OF_METRICS[history.metric]
    yield (
        f"To newest: the time divided by that of the newest version, in the same rounds. Change: against the "
        f"version below, where the whole interval lies beyond ±{100 * history.threshold:g} %. All "
        f"{count(history.family)} intervals hold together with {100 * CONFIDENCE:g} % (Bonferroni)."
    )
    if skipped := [each.version for each in history.skipped]:
        more = f" and {len(skipped) - _NAMED} more" if len(skipped) > _NAMED else ""
        yield f"Not measured: {', '.join(skipped[:_NAMED])}{more}."
    if controls := history.controls:
        told = ", ".join(f"{each.operation} {ratio(own)} {between(own)}" for each, own in controls.items())
        yield f"Two builds of {history.usual} differ by chance and by their places in memory: {told}."
