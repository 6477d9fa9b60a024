"""How every metric but time is shown: its columns with their units and digits, and who comes first.

Counts are exact, so they stand without an interval. A compile time has its range beside it, and a time on the
wire as many digits as its interval supports.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from serbench.report.figures import Figures
from serbench.report.numbers import (
    count,
    duration,
    mean_size,
    percent,
    quantity,
    rounded,
    significant_digits,
)
from serbench.report.table import Table, grid, in_parts
from serbench.stats.summary import Interval

Shows = Callable[[Figures], str]
Columns = Sequence[tuple[str, Shows]]
"""Headings, each with the function that gives the text below it."""

Lines = Mapping[str, Mapping[str, Figures]]
"""The name of each contender, and its figures by operation, by compressor, or by ``""`` alone."""


@dataclass(frozen=True)
class Metric:
    """How one metric is shown: in a table with a line for each contender.

    Attributes:
        title: the end of its tables' titles.
        layouts: the columns of an operation or compressor, the fullest first; the first that fits is taken.
        order: the key by which contenders are sorted, the best first; a contender with None is left out.
    """

    title: str
    layouts: Sequence[Columns]
    order: Callable[[Sequence[Figures]], tuple[float, ...] | None] = lambda figures: ()


def metric_tables(
    metric: Metric, title: str, lines: Lines, groups: Sequence[str], room: int, who: str = "codec"
) -> list[Table]:
    """Tables of a metric that fit ``room`` columns; ``groups`` are the operations or compressors shown, and
    ``who`` is the heading of the contenders."""

    def table(part: Sequence[str], columns: Columns) -> Table:
        places = {
            name: place
            for name, own in lines.items()
            if (place := metric.order([own[group] for group in part])) is not None
        }

        def heads(group: str) -> list[str]:
            first, *others = (heading for heading, _ in columns)
            top = "\n".join(filter(None, (*group.split(":"), first)))
            return [top, *("\n" * top.count("\n") + heading for heading in others)]

        def cells(name: str, group: str) -> list[str]:
            return [shown(lines[name][group]) for _, shown in columns]

        names = sorted(places, key=lambda name: places[name])
        return grid(f"{title}: {metric.title}", {who: str}, names, part, heads, cells)

    return in_parts(groups, metric.layouts, room, table)[0]


def _value(name: str, shown: Callable[[Any], str], absent: str = "–") -> Shows:
    return lambda row: shown(row.values[name]) if name in row.values else absent


def _ratio(name: str, digits: int = 3) -> tuple[str, Shows]:
    return "×least", _value(name, lambda ratio: f"×{rounded(ratio, digits)}", "")


def _seconds(taken: Interval | float) -> str:
    return f"{rounded(taken.estimate if isinstance(taken, Interval) else taken, 3)} s"


def _range(row: Figures) -> str:
    return f"{rounded(min(row.takes), 3)} to {rounded(max(row.takes), 3)}" if row.takes else ""


def _allocations(per_pass: float) -> str:
    """A number of allocations in words; allocations that not every pass makes give a fraction."""
    if per_pass >= 1e6:
        return quantity(per_pass, 3)
    if per_pass == int(per_pass):
        return count(int(per_pass))
    return f"{per_pass:,.1f}" if per_pass >= 0.05 else "<0.1"


def _megabytes(peak: float) -> str:
    """Bytes in MB with one digit, since the system maps a varying number of a program's unused pages."""
    return f"{peak / 1e6:,.1f} MB"


def _fewest_instructions(figures: Sequence[Figures]) -> tuple[float, ...] | None:
    """The sort key by the mean ratio of instructions, after those that do not compete; None without any."""
    if not any("instructions_per_pass" in row.values for row in figures):
        return None
    ratios = [row.values["instructions_ratio"] for row in figures if "instructions_ratio" in row.values]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.inf
    return (not any(row.apart for row in figures), mean)


def _least_memory(figures: Sequence[Figures]) -> tuple[float, ...] | None:
    """The sort key by allocated bytes and peak memory, after those that do not compete; None without any."""
    if not any(row.values.keys() & _MEMORY_VALUES for row in figures):
        return None
    allocated, peaks = (
        [row.values[name] for row in figures if name in row.values]
        for name in ("allocated_bytes_per_pass", "peak_bytes")
    )
    bytes = sum(allocated) if allocated else math.inf
    return (not any(row.apart for row in figures), bytes, max(peaks, default=math.inf))


def _least(*names: str) -> Callable[[Sequence[Figures]], tuple[float, ...] | None]:
    """The sort key by intervals of the first of these names that every group has, after those that lack it
    and those that do not compete; None without any."""

    def key(figures: Sequence[Figures]) -> tuple[float, ...] | None:
        if not any(row.values for row in figures):
            return None
        apart = any(row.apart for row in figures)
        for n, name in enumerate(names):
            if all(name in row.values for row in figures):
                return (apart, n, sum(row.values[name].estimate for row in figures))
        return (apart, len(names), 0.0)

    return key


# Figures agree within 0.1 % from one run to the next, so four digits are shown.
_INSTRUCTIONS = ("", _value("instructions_per_pass", lambda number: quantity(number, 4)))
_ALLOCATED = (
    ("allocations", _value("allocations_per_pass", _allocations)),
    ("bytes", _value("allocated_bytes_per_pass", lambda bytes: quantity(bytes, 3, "B"))),
)
_PEAK = ("peak", _value("peak_bytes", _megabytes))
_MEMORY_VALUES = {"allocations_per_pass", "allocated_bytes_per_pass", "peak_bytes"}

_MEAN, _P50, _P90, _P99, _P99_9, _WORST = (
    (heading, _value(f"{name}_ns", duration))
    for heading, name in (
        ("mean", "mean"),
        ("p50", "p50"),
        ("p90", "p90"),
        ("p99", "p99"),
        ("p99.9", "p99_9"),
        ("worst", "worst"),
    )
)
_TO_FIRST = (
    ("to the first", _value("to_first_ns", duration)),
    ("import", _value("import_ns", duration)),
    ("prepare", _value("preparing_ns", duration)),
    ("first", _value("first_ns", duration)),
)
_AS_FAST = (
    ("as fast", _value("until_ns", duration)),
    ("calls", _value("until_calls", count)),
    ("later", _value("later_ns", duration)),
)


def _rate(rate: Interval) -> str:
    """Messages per second, with as many digits as the interval supports."""
    return quantity(rate.estimate, significant_digits(rate))


def _efficiency(share: Interval) -> str:
    """The share of n times one thread, with half its interval where it has one; not known where that is
    greater than the share, as after two rounds on a busy machine."""
    half = (share.high - share.low) / 2
    if share.coverage > 0 and half > share.estimate:
        return "not known"
    return f"{percent(share.estimate)}{f' ±{100 * half:.0f}' if share.coverage > 0 else ''}"


def _most_at_once(figures: Sequence[Figures]) -> tuple[float, ...] | None:
    """The sort key by the throughput with the most threads, after those that do not compete; None without
    any."""
    if not any("messages_hz" in row.values for row in figures):
        return None
    rate = figures[-1].values.get("messages_hz")
    return (not any(row.apart for row in figures), -rate.estimate if rate else math.inf)


_RATE = ("", _value("messages_hz", _rate))

COST: Mapping[str, Columns] = {
    "compile_time": (("compile", _value("compile_s", _seconds)), ("range", _range)),
    "published": (("published", _value("published_s", _seconds, "")),),
    "binary_size": tuple((part, _value(f"{part}_bytes", count)) for part in ("text", "data", "file")),
}
"""The columns of the metrics that one table shows beside each other."""

METRICS = {
    "instructions": Metric(
        "instructions of one pass over all messages",
        ((_INSTRUCTIONS, _ratio("instructions_ratio")), (_INSTRUCTIONS,)),
        _fewest_instructions,
    ),
    "memory": Metric(
        "memory of one pass over all messages",
        (
            (*_ALLOCATED, _ratio("allocated_bytes_ratio"), _PEAK, _ratio("peak_bytes_ratio", 2)),
            (*_ALLOCATED, _PEAK),
        ),
        _least_memory,
    ),
    "latency": Metric(
        "single calls",
        (
            (_MEAN, _P50, _P90, _P99, _P99_9, _WORST),
            (_MEAN, _P50, _P99, _P99_9, _WORST),
            (_P50, _P99, _P99_9, _WORST),
        ),
        _least("p99_ns", "mean_ns"),
    ),
    "first": Metric("from the start to the first message", ((*_TO_FIRST, *_AS_FAST),), _least("to_first_ns")),
    "threads": Metric(
        "messages per second",
        ((_RATE, ("share", _value("efficiency_ratio", _efficiency, ""))), (_RATE,)),
        _most_at_once,
    ),
    "size": Metric("bytes on the wire", ((("", _value("bytes", mean_size)),),)),
    "compress": Metric("compress", ((("", _value("compress_ns", duration)),),)),
    "decompress": Metric("decompress", ((("", _value("decompress_ns", duration)),),)),
    "sent": Metric("serialize + compress", ((("", _value("sent_ns", duration)),),)),
}
