"""Other metrics as pictures: messages per second over the number of threads, the parts of the time to the
first message, and the bytes that programs ship."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from serbench.measure.cost import SHIPPED
from serbench.measure.store import Run
from serbench.report.calls_table import PARTS, Called, calls_of
from serbench.report.charts import pixels
from serbench.report.charts.scatter import plain
from serbench.report.figures import Figures
from serbench.report.gathering import gathered
from serbench.report.numbers import count, duration
from serbench.report.shipped_table import shipped_of
from serbench.report.threads_table import ThreadsFigures, threads_of
from serbench.text import counted, safe, shortened

_MOST_LINES = 10
"""The most lines that a palette of ten colours tells apart."""

_MOST_BARS = 40
"""The most bars of a picture; the rest is counted below its title."""

_WIDTH, _HEIGHT, _LONGEST_NAME = 520, 360, 40

_NAMES = {"import": "import", "preparing": "prepare", "first": "first call"}

Drawn = tuple[str, Callable[[], pixels.Spec]]
"""The name of a picture's files, without ending, and the function that describes it for Vega-Lite."""


def metric_charts(run: Run) -> Iterator[Drawn]:
    """Return a chart for each workload and operation with figures of several threads, and for each workload
    with first calls or, for each kind of thing that is weighed, with what is shipped."""
    threads = [each for each in threads_of(run) if "messages_hz" in each.values]
    for (workload, cell), rates in gathered(((each.workload, each.cell), each) for each in threads).items():
        if len({each.threads for each in rates}) > 1:
            name = f"{plain(workload)}-{plain(cell)}-threads"
            yield name, partial(_of_threads, f"{safe(workload)}: {cell} by several threads", rates)
    firsts = [each for each in calls_of(run) if "to_first_ns" in each.values]
    for workload, starts in gathered((each.workload, each) for each in firsts).items():
        title = f"{safe(workload)}: from the start of a program to its first message"
        yield f"{plain(workload)}-first", partial(_of_first, title, starts)
    weighed = [each for each in shipped_of(run) if f"{SHIPPED}_bytes" in each.values]
    kinds = gathered(((each.workload, str(each.values["kind"])), each) for each in weighed)
    for n, ((workload, kind), own) in enumerate(kinds.items(), 1):
        title = f"{safe(workload)}: bytes that a program carries"
        yield f"{plain(workload)}-shipped-{n}", partial(_of_shipped, title, safe(kind), own)


def _of_threads(title: str, own: Sequence[ThreadsFigures]) -> pixels.Spec:
    most = max(each.threads for each in own)
    ends = {each.name: each.values["messages_hz"].estimate for each in own if each.threads == most}
    names = sorted({each.name: None for each in own}, key=lambda name: -ends.get(name, 0.0))
    drawn = names[:_MOST_LINES]
    values = [
        {
            "level": counted(each.threads, "thread"),
            "y": rate.estimate,
            "low": rate.low,
            "high": rate.high,
            "codec": shortened(safe(each.name), _LONGEST_NAME),
        }
        for name in drawn
        for each in own
        if each.name == name and (rate := each.values["messages_hz"])
    ]
    left = len(names) - len(drawn)
    below = [
        "Messages per second of all threads together, with their intervals, by the number of threads.",
        *([f"The {len(drawn)} fastest with {most}; {left} more are not drawn."] if left else []),
    ]
    levels = [counted(n, "thread") for n in sorted({each.threads for each in own})]
    return _lines(values, levels, "messages per second", title, below, f"{title}: {', '.join(drawn)}")


def _lines(
    values: Sequence[dict[str, Any]],
    levels: Sequence[str],
    unit: str,
    title: str,
    below: Sequence[str],
    described: str,
) -> pixels.Spec:
    """Return a chart of a line for each codec over a few levels, on a logarithmic axis.

    Args:
        values: the points: the ``level`` and the ``codec`` with ``y``, ``low`` and ``high``.
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
    rule = {**encoding, "y": {**y, "field": "low"}, "y2": {"field": "high"}}
    layers = [
        {"mark": {"type": mark, "aria": False}, "data": {"values": list(values)}, "encoding": channels}
        for mark, channels in (("line", encoding), ("rule", rule), ("circle", encoding))
    ]
    return pixels.layered(layers, (_WIDTH, _HEIGHT), title, pixels.wrapped(below, _WIDTH), described)


def _of_first(title: str, own: Sequence[Called]) -> pixels.Spec:
    ordered = sorted(own, key=lambda each: each.values["to_first_ns"].estimate)
    values = [
        {"codec": _name(each), "part": _NAMES[part], "x": each.values[f"{part}_ns"].estimate / 1e6, "n": n}
        for each in ordered[:_MOST_BARS]
        for n, part in enumerate(PARTS)
    ]
    told = "; ".join(f"{each.name} {duration(each.values['to_first_ns'])}" for each in ordered[:_MOST_BARS])
    below = ["Medians over processes of each part; import: until the runner, runtime and library are there."]
    colour = {
        "field": "part", "type": "nominal", "title": None, "scale": {"domain": list(_NAMES.values())}
    }  # fmt: skip
    return _bars(title, below, ordered, values, "ms", told, {"color": colour, "order": {"field": "n"}})


def _of_shipped(title: str, kind: str, own: Sequence[Figures]) -> pixels.Spec:
    ordered = sorted(own, key=lambda each: each.values[f"{SHIPPED}_bytes"])
    values = [
        {"codec": _name(each), "x": each.values[f"{SHIPPED}_bytes"] / 1e3} for each in ordered[:_MOST_BARS]
    ]
    told = "; ".join(
        f"{each.name} {count(each.values[f'{SHIPPED}_bytes'])} bytes" for each in ordered[:_MOST_BARS]
    )
    return _bars(title, [f"{kind}."], ordered, values, "kB (1,000 bytes)", told, {})


def _name(each: Figures) -> str:
    return shortened(safe(each.name), _LONGEST_NAME)


def _bars(
    title: str,
    below: Sequence[str],
    ordered: Sequence[Figures],
    values: Sequence[dict[str, Any]],
    unit: str,
    told: str,
    more: dict[str, Any],
) -> pixels.Spec:
    """Return a picture of a bar for each codec, in their order; ``more`` are channels of its parts."""
    drawn = ordered[:_MOST_BARS]
    left = len(ordered) - len(drawn)
    notes = [
        *below,
        *([f"{counted(left, 'more codec')} with greater figures are not drawn."] if left else []),
    ]
    x = {"field": "x", "type": "quantitative", "title": unit}
    y = {"field": "codec", "type": "nominal", "sort": [_name(each) for each in drawn], "title": None}
    bars = {
        "mark": {"type": "bar", "aria": False},
        "data": {"values": list(values)},
        "encoding": {"x": x, "y": y, **more},
    }
    size = (_WIDTH, pixels.ROW_HEIGHT * len(drawn))
    return pixels.layered([bars], size, title, pixels.wrapped(notes, _WIDTH), f"{title}. {told}")
