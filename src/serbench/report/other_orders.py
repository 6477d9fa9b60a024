"""Where another metric changes the order of a verdict: another codec is surely ahead of the fastest ones in
its slowest calls, with several threads, at another size, or until the first message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from serbench.measure.calls import CALLED
from serbench.measure.store import Run
from serbench.report.calls_table import Called, calls_of
from serbench.report.compare_figures import ENOUGH
from serbench.report.rows import Row
from serbench.report.sweeps import Lead, Sweep, changes_of_places, sweeps_of
from serbench.report.table import Said
from serbench.report.threads_table import ThreadsFigures, threads_of
from serbench.report.verdict import Fastest, Verdict
from serbench.stats.summary import Interval

_TOLD = 4
"""The most orders that the line names; ``--format json`` has all."""


@dataclass(frozen=True)
class OtherOrder:
    """An order that is not that of the verdict.

    Attributes:
        operation: the operation in which ``behind`` are the fastest by their means.
        metric: the metric, or ``sweep``.
        where: the words behind the codecs, such as ``with 4 threads``.
        ahead: the codec that is surely ahead of all of ``behind``.
    """

    operation: str
    metric: str
    where: str
    ahead: str
    behind: Sequence[str]

    @property
    def in_words(self) -> str:
        return f"{self.operation}: {self.ahead} is ahead of {' and '.join(self.behind)} {self.where}"

    def to_json(self) -> dict[str, Any]:
        return {
            "verdict": "other_order",
            "operation": self.operation,
            "metric": self.metric,
            "codecs": [self.ahead],
            "behind": list(self.behind),
            "where": self.where,
        }


def other_orders(run: Run, verdict: Verdict, rows: Sequence[Row]) -> list[OtherOrder]:
    """Return where another codec than the fastest ones of a verdict is surely ahead of these, the best one
    for each operation and metric; none where the verdict does not know who is the fastest.

    Args:
        rows: all rows of the run, those of its sweeps included.
    """
    called = [each for each in calls_of(run) if each.workload == verdict.workload and not each.apart]
    threads = [each for each in threads_of(run) if each.workload == verdict.workload and not each.apart]
    sweeps = [each for each in sweeps_of(run, rows) if each.workload == verdict.workload]
    found: list[OtherOrder] = []
    for fastest in (each for each in verdict.fastest if each.first and each.is_known):
        found += _by_calls(fastest, verdict, called)
        found += _by_threads(fastest, threads)
        found += [order for sweep in sweeps if (order := _by_size(fastest, sweep))]
    return [*found, *_by_first(verdict, called)]


def order_line(found: Sequence[OtherOrder]) -> list[Said]:
    """The line of a verdict on other orders; none where there are none."""
    told = [each.in_words for each in found[:_TOLD]]
    more = [f"{len(found) - _TOLD} more"] if len(found) > _TOLD else []
    return [Said("Other order", "; ".join([*told, *more]), "care")] if told else []


def orders_to_json(verdict: Verdict, found: Sequence[OtherOrder]) -> list[dict[str, Any]]:
    """A record in plain values for each other order of a workload."""
    return [{"workload": verdict.workload, **each.to_json()} for each in found]


def _cell(fastest: Fastest) -> str:
    return f"{fastest.operation}:{fastest.memory}"


def _surely_less(figures: Mapping[str, Interval], leaders: Sequence[str]) -> str:
    """The codec of the least figure that is surely less than those of all leaders; empty without one."""
    known = {name: figure for name, figure in figures.items() if figure.coverage >= ENOUGH}
    if not leaders or any(name not in known for name in leaders):
        return ""
    limit = min(known[name].low for name in leaders)
    ahead = [name for name, figure in known.items() if figure.high < limit]
    return min(ahead, key=lambda name: known[name].estimate, default="")


def _by_calls(fastest: Fastest, verdict: Verdict, called: Sequence[Called]) -> Iterator[OtherOrder]:
    """The other order of p99, by calls under the memory policy of the means where the verdict has that; else
    under the one that calls have."""
    own = [each for each in called if (each.metric, each.operation) == (CALLED[0], fastest.operation)]
    told = {each.memory for each in verdict.fastest if each.operation == fastest.operation}
    leaders = [row.name for row in fastest.first]
    for cell in dict.fromkeys(
        each.cell for each in own if each.memory == fastest.memory or each.memory not in told
    ):
        figures = {e.name: e.values["p99_ns"] for e in own if e.cell == cell and "p99_ns" in e.values}
        if ahead := _surely_less(figures, leaders):
            where = "in the slowest of a hundred calls (p99)"
            yield OtherOrder(cell, CALLED[0], where, ahead, leaders)


def _by_first(verdict: Verdict, called: Sequence[Called]) -> Iterator[OtherOrder]:
    figures = {
        each.name: each.values["to_first_ns"]
        for each in called
        if each.metric == CALLED[1] and "to_first_ns" in each.values
    }
    leaders = [row.name for row in verdict.best_in_both]
    if ahead := _surely_less(figures, leaders):
        where = "from the start of a program to its first message"
        yield OtherOrder("writing and reading", CALLED[1], where, ahead, leaders)


def _by_threads(fastest: Fastest, threads: Sequence[ThreadsFigures]) -> Iterator[OtherOrder]:
    own = [each for each in threads if each.cell == _cell(fastest)]
    most = max((each.threads for each in own), default=1)
    times = {
        each.name: Interval(1 / rate.estimate, 1 / rate.high, 1 / rate.low, rate.coverage)
        for each in own
        if each.threads == most and (rate := each.values.get("messages_hz"))
    }
    leaders = [row.name for row in fastest.first]
    if most > 1 and (ahead := _surely_less(times, leaders)):
        yield OtherOrder(_cell(fastest), "threads", f"with {most} threads", ahead, leaders)


def _by_size(fastest: Fastest, sweep: Sweep) -> OtherOrder | None:
    """The change of places in which the only fastest codec falls behind by most; None without one."""
    if sweep.operation != _cell(fastest) or len(fastest.first) != 1:
        return None
    leader = fastest.first[0].name
    for change in changes_of_places(sweep):
        for lead, other, since in ((change.after, change.before, True), (change.before, change.after, False)):
            if other.name == leader:
                return OtherOrder(_cell(fastest), "sweep", _at(lead, since), lead.name, [leader])
    return None


def _at(lead: Lead, since: bool) -> str:
    """The sizes at which a codec is ahead, in words."""
    if not lead.throughout:
        return f"with {lead.size.in_words}"
    return f"from {lead.size.in_words} on" if since else f"up to {lead.size.in_words}"
