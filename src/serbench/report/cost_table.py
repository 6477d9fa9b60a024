"""The costs of codecs before they run, compile time and binary size: a table for each workload."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from serbench.measure.cost import COSTS
from serbench.measure.events import BinarySize, CompileTime, CostEvent, CostFailure
from serbench.measure.store import Run
from serbench.report.figures import Figures
from serbench.report.gathering import gathered
from serbench.report.lossy import marked
from serbench.report.metric_table import COST, Metric, metric_tables
from serbench.report.table import UNBOUNDED, Table
from serbench.selecting.suite import Suite
from serbench.stats.summary import median_interval


def costs_of(run: Run) -> list[Figures]:
    """The compile times and binary sizes that a run holds, in the order of their first event."""
    found = gathered(
        (event.identity, event)
        for event in run.taken.costs
        if isinstance(event, CostEvent) and event.codec in run.manifest.codecs
    )
    return [_cost(*unit, events) for unit, events in found.items()]


def _cost(codec: str, workload: str, compiler: str, events: Sequence[CostEvent]) -> Figures:
    values: dict[str, Any] = {}
    seconds = [event.elapsed_ns / 1e9 for event in events if isinstance(event, CompileTime)]
    if seconds:
        taken = median_interval(seconds)
        values = {"compile_s": taken, "compilations": len(seconds), "coverage": taken.coverage}
    reason = ""
    for event in events:
        match event:
            case BinarySize():
                values |= {f"{part}_bytes": getattr(event, part) for part in ("file", "text", "data", "bss")}
            case CostFailure():
                reason = event.reason
    return Figures(codec, workload, reason=reason, compiler=compiler, values=values, takes=seconds)


def cost_tables(run: Run, costs: Sequence[Figures], suite: Suite | None, published: bool) -> list[Table]:
    """A table of costs for each workload, in the order of the suite's rows, else the least first."""
    manifest = run.manifest
    metrics = [metric for metric in manifest.metrics if metric in COSTS]
    tables: list[Table] = []
    for workload in manifest.workloads if metrics else ():
        own = [cost for cost in costs if cost.workload == workload]
        named = _named(suite, workload, own, published and "compile_time" in metrics)
        shown = [*metrics, *(["published"] if any("published_s" in cost.values for _, cost in named) else [])]
        columns = [column for metric, group in COST.items() if metric in shown for column in group]
        lines = {marked(name, cost.codec, manifest): {"": cost} for name, cost in named}
        both = Metric("compile time and binary size", [columns])
        (table,) = metric_tables(both, workload, lines, [""], UNBOUNDED, who="")
        table.notes += [f"{name}: {line[''].reason}" for name, line in lines.items() if line[""].reason]
        linking = sorted({t.linking for t in manifest.toolchains if t.linking})
        table.notes += _legend(metrics, own, ", ".join(linking))
        tables.append(table)
    return tables


def _named(
    suite: Suite | None, workload: str, costs: Sequence[Figures], published: bool
) -> list[tuple[str, Figures]]:
    """The costs with their names in a table, in its order: the rows of the suite, then other codecs. Where
    ``published`` is set, the seconds that the suite published are added."""
    named: list[tuple[str, Figures]] = []
    for row in suite.rows if suite else ():
        theirs = row.published.get(workload) if published else None
        added = {"published_s": theirs.compile_s} if theirs and theirs.compile_s is not None else {}
        named += [
            (f"{row.name} {cost.compiler}".rstrip(), replace(cost, values={**cost.values, **added}))
            for cost in costs
            if cost.codec == row.codec
        ]
    known = {row.codec for row in suite.rows} if suite else set()
    others = [cost for cost in costs if cost.codec not in known]
    return named + [(cost.name, cost) for cost in (others if suite else sorted(others, key=_order))]


def _order(cost: Figures) -> tuple[float, int]:
    taken = cost.values.get("compile_s")
    return (taken.estimate if taken else 0.0, cost.values.get("file_bytes", 0))


def _legend(metrics: Sequence[str], costs: Sequence[Figures], linking: str) -> list[str]:
    notes = ["Measured on a minimal program that reads and writes one message."]
    if "compile_time" in metrics:
        times = max((len(cost.takes) for cost in costs), default=0)
        notes.append(
            f"compile: median and range of {times} compilations of this program and of the codec's generated "
            "code, one file after the other, without a compiler cache; running generators and building "
            "libraries is not included."
        )
    if "binary_size" in metrics:
        notes.append(
            f"Bytes without symbols, {linking}; text: code and constants, data: initialised variables."
        )
    return notes
