"""Tables of single calls: how long the slowest of many take, and what comes before a program's first message
and until it is as fast as later on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import median
from typing import Any

from serbench.measure.calls import CALLED, FIRST
from serbench.measure.events import CallFailure, Calls, FirstCall, Latency
from serbench.measure.store import Run
from serbench.report.figures import Figures, outcome_of
from serbench.report.lossy import marked
from serbench.report.metric_table import METRICS, metric_tables
from serbench.report.notes import UNFINISHED, without_figures
from serbench.report.numbers import count, duration
from serbench.report.rows import contenders_of
from serbench.report.table import Said, Table, terminal_width
from serbench.stats.stopping import Cell
from serbench.stats.summary import Interval, median_interval

PARTS = ("import", "preparing", "first")
"""The parts of the time to the first message: their events have the names with ``_ns``."""

_MUCH = 0.01
"""The share of a window of calls for which others had the core, beyond which a note tells of that: a hundred
times the share of calls that p99.9 leaves out."""

_Taken = Latency | FirstCall | CallFailure


@dataclass(frozen=True, kw_only=True)
class Called(Figures):
    """The figures of one cell by ``latency`` or ``first``, as medians over processes."""

    metric: str

    def place(self) -> dict[str, Any]:
        return {"metric": self.metric, **super().place()}


def calls_of(run: Run) -> list[Called]:
    """The figures of a run's single calls, with failed ones: by metric, workload, operation and codec."""
    asked: list[str] = []
    found: dict[tuple[str, Cell], list[_Taken]] = {}
    for event in run.taken.costs:
        match event:
            case Calls():
                asked = [*event.operations]
            case Latency():
                found.setdefault(("latency", event.cell), []).append(event)
            case FirstCall():
                found.setdefault(("first", event.cell), []).append(event)
            case CallFailure():
                found.setdefault((event.metric, event.cell), []).append(event)
    called: list[Called] = []
    for metric in (each for each in CALLED if each in run.manifest.metrics):
        for workload in run.manifest.workloads:
            for operation in asked if metric == "latency" else [str(FIRST)]:
                cells = [(codec, workload, compiler, operation) for codec, compiler in contenders_of(run)]
                called += [_called(run, metric, cell, found.get((metric, cell), ())) for cell in cells]
    return called


def _called(run: Run, metric: str, cell: Cell, events: Sequence[_Taken]) -> Called:
    codec, workload, compiler, operation = cell
    name, _, memory = operation.partition(":")
    apart = codec in (*run.manifest.floors, *run.manifest.references)
    status, reason = outcome_of(run.taken.units.get(cell[:3]), name)
    failed = [event.reason for event in events if isinstance(event, CallFailure)]
    if status == "ok" and (failed or not events):
        status, reason = "failed", failed[-1] if failed else "the run stopped before it was measured"
    called = Called(codec, workload, name, memory, status, reason, compiler, apart=apart, metric=metric)
    if status != "ok":
        return called
    # A run that is continued measures its rounds again, and the later ones count.
    latencies = {event.round: event for event in events if isinstance(event, Latency)}
    firsts = {event.round: event for event in events if isinstance(event, FirstCall)}
    if latencies:
        return replace(called, values=_latency([*latencies.values()]))
    return replace(called, values=_first([*firsts.values()]))


def _latency(taken: Sequence[Latency]) -> dict[str, Any]:
    """Values over the processes: each quantile and the mean, without what the clock takes."""
    values: dict[str, Any] = {"mean_ns": _interval([own_time(each.mean_ns, each) for each in taken])}
    for name in dict.fromkeys(name for each in taken for name in each.quantiles):
        known = [own_time(each.quantiles[name], each) for each in taken if name in each.quantiles]
        if len(known) == len(taken):
            values[f"{name}_ns"] = _interval(known)
    # An earlier run tells the sum of its calls alone.
    window = sum(each.elapsed_ns or each.mean_ns * each.calls for each in taken)
    values |= {
        "calls": min(each.calls for each in taken),
        "processes": len(taken),
        "coverage": values["mean_ns"].coverage,
        "worst_of_all_ns": max(own_time(each.quantiles["worst"], each) for each in taken),
        "clock_ns": round(median(each.clock_ns for each in taken)),
        "resolution_ns": max(each.resolution_ns for each in taken),
        "others_share": sum(max(each.waited_ns, 0) + max(each.stolen_ns, 0) for each in taken) / window,
    }
    kinds = dict.fromkeys(kind for each in taken for kind, number in each.collections.items() if number)
    if kinds:
        values["collections"] = {kind: sum(each.collections.get(kind, 0) for each in taken) for kind in kinds}
        if all(each.collecting_ns >= 0 for each in taken):
            values["collecting_share"] = sum(each.collecting_ns for each in taken) / window
    return values


def own_time(time_ns: float, of: Latency) -> float:
    """A time without what a call without work takes; at least the least step of the clock."""
    return max(time_ns - of.clock_ns, of.resolution_ns, 1)


def _interval(values: Sequence[float]) -> Interval:
    """The median over processes, with an interval that holds whatever their distribution: the slowest calls
    of processes are far from normal, and so are their logarithms."""
    return median_interval(values)


def _first(taken: Sequence[FirstCall]) -> dict[str, Any]:
    values: dict[str, Any] = {
        f"{part}_ns": _interval([getattr(each, f"{part}_ns") for each in taken])
        for part in (*PARTS, "loading", "later")
    }
    values["to_first_ns"] = _interval([sum(getattr(each, f"{part}_ns") for part in PARTS) for each in taken])
    values |= {"processes": len(taken), "coverage": values["to_first_ns"].coverage}
    ended = [each for each in taken if each.until_calls is not None]
    if 2 * len(ended) > len(taken):  # else the median process has not ended
        values["until_ns"] = _interval([each.until_ns or 0 for each in ended])
        values["until_calls"] = round(median(each.until_calls or 0 for each in ended))
    values["unsettled_processes"] = len(taken) - len(ended)
    return values


def calls_tables(run: Run, called: Sequence[Called], width: int | None = None) -> list[Table]:
    """Tables of each metric for each workload that fit ``width`` columns, the terminal's for None."""
    tables: list[Table] = []
    for metric in CALLED:
        for workload in run.manifest.workloads:
            own = [each for each in called if (each.metric, each.workload) == (metric, workload)]
            if not own:
                continue
            groups = list(dict.fromkeys(each.cell for each in own))
            lines: dict[str, dict[str, Figures]] = {}
            for each in own:
                lines.setdefault(marked(each.name, each.codec, run.manifest), {})[each.cell] = each
            made = metric_tables(METRICS[metric], workload, lines, groups, width or terminal_width())
            if metric == "latency":
                made[0].verdict = [said for cell in groups if (said := slower_calls(own, cell))]
            made[-1].notes += [*without_figures(own, len(groups)), *_legend(metric, own)]
            tables += made
    if tables and "time" not in run.manifest.metrics:
        if not run.taken.ended:
            tables[-1].notes.insert(0, UNFINISHED)
        tables[-1].notes.append(f"run {run.id}")
    return tables


def slower_calls(called: Sequence[Called], cell: str) -> Said | None:
    """The line on codecs whose order by p99 is not that of their means, as far as intervals tell; None where
    there are none."""
    measured = [each for each in called if each.cell == cell and "p99_ns" in each.values and not each.apart]
    measured.sort(key=lambda each: each.values["mean_ns"].estimate)
    reversed_ = [
        (one, other)
        for one, other in combinations(measured, 2)
        if _is_before(one, other, "mean_ns") and _is_before(other, one, "p99_ns")
    ]
    if not reversed_:
        return None
    one, other = reversed_[0]
    means, slow = ([duration(each.values[name]) for each in (one, other)] for name in ("mean_ns", "p99_ns"))
    more = f"; {len(reversed_) - 1} more such pairs" if len(reversed_) > 1 else ""
    text = (
        f"{cell}: {one.name} is faster than {other.name} on average ({means[0]} against {means[1]}), but "
        f"one of a hundred calls takes longer ({slow[0]} against {slow[1]}){more}"
    )
    return Said("Slowest calls", text, "care")


def _is_before(one: Called, other: Called, name: str) -> bool:
    return bool(one.values[name].high < other.values[name].low)


def _legend(metric: str, called: Sequence[Called]) -> Iterator[str]:
    measured = [each for each in called if each.values]
    if not measured:
        return
    processes = max(each.values["processes"] for each in measured)
    if metric == "first":
        yield (
            f"Medians over {processes} processes. import: from the start of the process until its runner is "
            "there, with the runtime, the runner and the library; prepare: what the operation keeps; first: "
            "the first call of roundtrip:fresh, of one message. Reading the messages is left out."
        )
        yield (
            "as fast: how many calls came, and how long they took, until the median of 101 calls in a row "
            "was at most a tenth longer than that of the second half of all (later)."
        )
        if unsettled := [each.name for each in measured if "until_ns" not in each.values]:
            yield f"Not as fast as later ones within these calls, or too few to tell: {', '.join(unsettled)}."
        return
    clocks = sorted({each.values["clock_ns"] for each in measured})
    steps = max(each.values["resolution_ns"] for each in measured)
    yield (
        f"Medians over {processes} processes, each of {_range([each.values['calls'] for each in measured])} "
        "calls of messages in drawn order, one after the other: a call waits for nothing but itself. "
        f"p99.9: one call in a thousand takes so long or longer. What a call without work takes "
        f"({_range(clocks)} ns) is deducted; the clock's least step is {steps} ns."
    )
    if few := [f"{each.name} {each.cell}" for each in measured if "p99_9_ns" not in each.values]:
        yield f"Too few calls within a second to know one in a thousand: {', '.join(few)}."
    yield from _on_collections(measured)
    busy = [each for each in measured if each.values["others_share"] > _MUCH]
    if busy:
        most = max(each.values["others_share"] for each in busy)
        yield (
            f"Others had the core for up to {100 * most:.0f} % of the time of {count(len(busy))} cells, and "
            "are in their slowest calls: measure these on a machine that does nothing else."
        )


def _on_collections(called: Sequence[Called]) -> Iterator[str]:
    told = [f"{each.name} {each.cell} {what}" for each in called if (what := _collected(each.values))]
    if told:
        yield f"Collections while calls were timed, in all processes: {'; '.join(told)}."


def _collected(values: Mapping[str, Any]) -> str:
    """The collections in all processes of a cell, in words; empty without any."""
    kinds = values.get("collections", {})
    took = f", {100 * values['collecting_share']:.1f} % of the time" if "collecting_share" in values else ""
    return ", ".join(f"{count(number)} {kind}" for kind, number in kinds.items()) + (took if kinds else "")


def _range(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return count(low) if low == high else f"{count(low)} to {count(high)}"
