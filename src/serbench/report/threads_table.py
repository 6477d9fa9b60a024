"""Tables of throughput by the number of threads, and of the share of n times one thread that n reach."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any

from serbench.measure.events import Threads, ThreadsFailure, ThreadsSample
from serbench.measure.store import Run
from serbench.report.figures import Figures, outcome_of
from serbench.report.lossy import marked
from serbench.report.metric_table import METRICS, metric_tables
from serbench.report.notes import UNFINISHED, without_figures
from serbench.report.numbers import percent
from serbench.report.rows import contenders_of
from serbench.report.table import Table, terminal_width
from serbench.selecting.selection import OPERATIONS, POLICIES
from serbench.stats.stopping import Cell
from serbench.stats.summary import Interval, geometric_interval, paired_ratio

LOW = 0.8
"""The share of the best codec's efficiency below which a codec is named below the table."""

GOT = 0.95
"""The share of the wanted processor time below which a note says that other programs were at work."""

_CELLS = [f"{name}:{memory}" for name in OPERATIONS for memory in POLICIES]


@dataclass(frozen=True, kw_only=True)
class ThreadsFigures(Figures):
    """The figures of one cell with so many threads.

    Attributes:
        threads: the number of threads.
        shared: whether all of them use the same objects of the library.
    """

    threads: int
    shared: bool = False

    @property
    def name(self) -> str:
        return f"{super().name}{' shared' * self.shared}"

    def place(self) -> dict[str, Any]:
        at_once = {"threads": self.threads, "shared": self.shared}
        return {"metric": "threads", **super().place(), **at_once}


@dataclass
class _Taken:
    """The samples of a cell with one number of threads, and why it has none."""

    samples: list[ThreadsSample] = field(default_factory=list)
    reason: str = ""

    def rates(self, messages: int) -> dict[int, float]:
        """Return messages per second by round: the median of a round's samples."""
        by_round: dict[int, list[float]] = {}
        for each in self.samples:
            by_round.setdefault(each.round, []).append(messages * each.iterations / each.elapsed_ns * 1e9)
        return {number: median(rates) for number, rates in by_round.items()}

    @property
    def share_of_cores(self) -> float | None:
        """The share of their cores' time that the threads got while they were ready to run."""
        told = [each for each in self.samples if each.own_ns >= 0 and each.waited_ns >= 0]
        wanted = sum(each.own_ns + each.waited_ns for each in told)
        return sum(each.own_ns for each in told) / wanted if wanted else None


def threads_of(run: Run) -> list[ThreadsFigures]:
    """The figures of threads of a run: by workload, operation, codec and compiler, and number of threads."""
    asked: Threads | None = None
    found: dict[tuple[Cell, bool], dict[int, _Taken]] = {}
    for event in run.taken.costs:
        match event:
            case Threads():  # a run that was continued measures anew
                asked, found = event, {}
            case ThreadsSample():
                of = found.setdefault((event.cell, event.shared), defaultdict(_Taken))
                of[event.threads].samples.append(event)
            case ThreadsFailure():
                of = found.setdefault((event.cell, event.shared), defaultdict(_Taken))
                for threads in [event.threads] if event.threads else asked.counts if asked else ():
                    of[threads].reason = event.reason
    if asked is None:
        return []
    operations = sorted((each for each in asked.operations if each in _CELLS), key=_CELLS.index)
    cells = [
        (codec, workload, compiler, operation)
        for workload in run.manifest.workloads
        for operation in operations
        for codec, compiler in contenders_of(run)
    ]
    return [
        replace(_figures(run, cell, threads, found.get((cell, shared), {})), shared=shared)
        for cell in cells
        for shared in (False, True)
        if not shared or (cell, shared) in found
        for threads in asked.counts
    ]


def _figures(run: Run, cell: Cell, threads: int, taken: Mapping[int, _Taken]) -> ThreadsFigures:
    """The figures of a cell with so many threads; ``taken`` is what was taken of it, by their number."""
    codec, workload, compiler, operation = cell
    name, _, memory = operation.partition(":")
    manifest = run.manifest
    status, reason = outcome_of(run.taken.units.get(cell[:3]), name)
    apart = codec in (*manifest.floors, *manifest.references)
    figures = ThreadsFigures(
        codec, workload, name, memory, status, reason, compiler, apart=apart, threads=threads
    )
    if status != "ok":
        return figures
    own = taken.get(threads) or _Taken(reason="the run stopped before it was measured")
    if own.reason:
        return replace(figures, status="failed", reason=own.reason)
    messages = manifest.datasets[workload].messages if workload in manifest.datasets else 1
    rates = own.rates(messages)
    values: dict[str, Any] = {"messages_hz": geometric_interval(rates.values()), "rounds": len(rates)}
    if threads > 1 and (one := taken.get(1)) and (share := paired_ratio(rates, one.rates(messages))):
        values["efficiency_ratio"] = share.scaled(1 / threads)
    if (got := own.share_of_cores) is not None:
        values["got_ratio"] = got
    return replace(figures, values=values)


def threads_tables(run: Run, figures: Sequence[ThreadsFigures], width: int | None = None) -> list[Table]:
    """Tables for each workload and operation that fit ``width`` columns (None: the terminal's), with a line
    for each contender and columns for each number of threads."""
    room = width or terminal_width()
    tables: list[Table] = []
    for workload in run.manifest.workloads:
        for cell in dict.fromkeys(each.cell for each in figures if each.workload == workload):
            own = [each for each in figures if (each.workload, each.cell) == (workload, cell)]
            lines: dict[str, dict[str, Figures]] = {}
            for each in own:
                lines.setdefault(marked(each.name, each.codec, run.manifest), {})[_group(each)] = each
            groups = list(dict.fromkeys(map(_group, own)))
            made = metric_tables(METRICS["threads"], f"{workload}, {cell}", lines, groups, room)
            made[-1].notes += [*_low(own), *_order(own), *_missing(own)]
            tables += made
    if tables:
        tables[-1].notes += _legend(run, figures)
        if "time" not in run.manifest.metrics:
            tables[-1].notes += [] if run.taken.ended else [UNFINISHED]
    return tables


def _group(figures: ThreadsFigures) -> str:
    return f"{figures.threads} thread{'s' if figures.threads > 1 else ''}"


def _missing(own: Sequence[ThreadsFigures]) -> list[str]:
    """Notes on why figures are missing, which name the number of threads where others have figures."""
    rows = [each for each in own if each.status != "ok"]
    whole = {each.name for each in own} - {each.name for each in own if each.status == "ok"}
    part = [replace(each, operation=_group(each), memory="") for each in rows if each.name not in whole]
    return without_figures([each for each in rows if each.name in whole], 1) + [
        f"{each.name} with {each.operation}: {each.status}: {each.reason}" for each in part
    ]


def _low(own: Sequence[ThreadsFigures]) -> Iterator[str]:
    """A note on the codecs whose share is clearly lower than the best one's, with the most threads."""
    shares = _shares(own)
    if not shares:
        return
    best, most = max(share.low for share in shares.values()), max(each.threads for each in own)
    low = {name: share for name, share in shares.items() if share.high < LOW * best}
    if low:
        by_share = sorted(low.items(), key=lambda item: item[1].estimate)
        told = ", ".join(f"{name} {percent(share.estimate)}" for name, share in by_share)
        yield (
            f"Hold each other up with {most} threads: {told} of as many times one thread, where the best "
            f"reach {percent(best)} or more. It is not measured why: by a lock, an "
            "allocator, a counter or a cache line that they share, or by the machine's memory."
        )


def _shares(own: Sequence[ThreadsFigures]) -> dict[str, Interval]:
    """The efficiency of each contender with the most threads, where it has an interval."""
    most = max(each.threads for each in own)
    return {
        each.name: share
        for each in own
        if each.threads == most and (share := each.values.get("efficiency_ratio")) and share.coverage > 0
    }


def _order(own: Sequence[ThreadsFigures]) -> Iterator[str]:
    """A note where another codec is the fastest with the most threads than with one, beyond the intervals."""
    most = max(each.threads for each in own)

    def rates(threads: int) -> dict[str, Interval]:
        return {
            each.name: each.values["messages_hz"]
            for each in own
            if each.threads == threads and not each.apart and "messages_hz" in each.values
        }

    alone, together = rates(1), rates(most)
    if not alone or not together or most == 1:
        return
    first = max(alone, key=lambda name: alone[name].estimate)
    last = max(together, key=lambda name: together[name].estimate)
    if first == last or first not in together or last not in alone:
        return
    if alone[first].low > alone[last].high and together[last].low > together[first].high:
        yield f"With {most} threads {last} is the fastest; with one it is {first}."


def _legend(run: Run, figures: Sequence[ThreadsFigures]) -> Iterator[str]:
    told = next(event for event in reversed(run.taken.costs) if isinstance(event, Threads))
    rounds = max((each.values.get("rounds", 0) for each in figures), default=0)
    yield (
        "Messages per second of all threads together, each with an encoder, a decoder and messages of its "
        "own; behind it the share of as many times one thread, by rounds "
        f"({rounds}), with its interval. One thread, or process, stands beside the program's first here, so "
        "that its library takes locks as with several."
    )
    if any(each.shared for each in figures):
        yield (
            "shared: all threads use the objects that a program makes once of this library, which its "
            "documentation allows; in the row without it, each has made its own."
        )
    if max(told.counts) > told.apart:
        yield f"From {told.apart + 1} threads on, two share the execution units of one core."
    got = [each.values["got_ratio"] for each in figures if each.threads > 1 and "got_ratio" in each.values]
    if got and median(got) < GOT:
        yield (
            f"Other programs were at work: threads got a core for {percent(median(got))} of the time for "
            "which they wanted one, so shares are lower than on a quiet machine, for all codecs alike."
        )
