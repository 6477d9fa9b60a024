"""The figures of a history by round, for metrics other than times of passes: p99 of single calls, the time to
the first message, and the time of a message with the most threads. All are nanoseconds, so less is better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median

from serbench.measure.calls import CALLED
from serbench.measure.events import CallFailure, FirstCall, Latency, ThreadsFailure, ThreadsSample
from serbench.measure.identity import Identity
from serbench.measure.store import Run
from serbench.report.calls_table import PARTS, own_time
from serbench.report.gathering import gathered
from serbench.stats.summary import Rounds

METRICS = ("time", *CALLED, "threads")
"""The metrics that a history can have."""

Cell = tuple[str, str, str, str]
"""Codec, workload, compiler, and the name of the figure."""


def rounds_of(run: Run) -> Mapping[Cell, Rounds]:
    """Return the figures of a run by round; of several samples in a round, the median."""
    found = gathered(((cell, number), value) for cell, number, value in _figures(run))
    rounds: dict[Cell, dict[int, float]] = {}
    for (cell, number), values in found.items():
        rounds.setdefault(cell, {})[number] = median(values)
    return rounds


def _figures(run: Run) -> Iterator[tuple[Cell, int, float]]:
    most = max((each.threads for each in run.taken.costs if isinstance(each, ThreadsSample)), default=0)
    for event in run.taken.costs:
        match event:
            case Latency() if "p99" in event.quantiles:
                value = own_time(event.quantiles["p99"], event)
                yield (*event.identity, f"{event.cell[3]} p99"), event.round, value
            case FirstCall():
                value = sum(getattr(event, f"{part}_ns") for part in PARTS)
                yield (*event.identity, "to the first message"), event.round, value
            case ThreadsSample() if event.threads == most:
                data = run.manifest.datasets.get(event.workload)
                value = event.elapsed_ns / event.iterations / (data.messages if data else 1)
                yield (*event.identity, f"{event.cell[3]} with {most} threads"), event.round, value


def why_none(run: Run, unit: Identity) -> str:
    """Return why a unit has no such figure; empty where no reason is known."""
    reasons = [
        event.reason
        for event in run.taken.costs
        if isinstance(event, CallFailure | ThreadsFailure) and event.identity == unit
    ]
    return reasons[-1] if reasons else ""
