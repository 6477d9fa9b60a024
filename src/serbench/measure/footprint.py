"""Measures what a pass of each cell takes besides time: instructions, allocations and memory. No clock is read.

Instructions and allocations are the difference of two processes of the unmodified runner that do all the same but for the
number of passes, so that start, loading and preparation drop out.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from serbench.errors import RunnerError
from serbench.measure.counters import Counters, Counts, Tool, count, peak_bytes
from serbench.measure.process import Event
from serbench.measure.run import Plan, Progress, Unit
from serbench.measure.store import Journal
from serbench.selection import Operation

FIGURES = {"instructions": ("instructions",), "memory": ("allocations", "peak")}
"""The figures of each metric; a cell has an event of the figure's name, or one that says why there is none."""

SLOWDOWN = 10
"""How much longer than by itself a runner may say nothing under a tool."""

_NOT_NATIVE = {
    "jvm": {
        "instructions": "callgrind does not follow a JIT compiler, and perf cannot tell its work from the codec's",
        "allocations": "the JVM tells the bytes along with the times: add --metric time",
        "peak": "it is what the flags of the JVM say",
    }
}
"""Languages whose runners are no native executables, and why that gives no figure."""


def measure_footprints(
    plan: Plan,
    operations: Sequence[Operation],
    metrics: Sequence[str],
    counters: Counters,
    journal: Journal,
    progress: Progress,
) -> None:
    """Appends an event for each figure of each cell, or the reason why there is none.

    One process at a time, on the plan's core; nothing is started after the plan's ``max_time_s``.
    """
    journal.append(
        {
            "event": "footprints",
            "operations": [str(o) for o in operations],
            "instructions": counters.instructions.name if counters.instructions else "",
            "allocations": counters.allocations.name if counters.allocations else "",
            "missing": counters.missing,
        }
    )
    figures = [figure for metric in metrics for figure in FIGURES.get(metric, ())]
    cells = [(unit, operation) for unit in plan.units for operation in unit.operations]
    start = time.monotonic()
    for n, (unit, operation) in enumerate(cells):
        progress.step(n, len(cells), f"{unit.codec} × {unit.workload}, {operation}")
        for figure in figures:
            spent = plan.max_time_s is not None and time.monotonic() - start > plan.max_time_s
            journal.append(_event(plan, unit, operation, figure, counters, spent))
    progress.step(len(cells), len(cells), "done")


def _event(plan: Plan, unit: Unit, operation: Operation, figure: str, counters: Counters, spent: bool) -> dict[str, Any]:
    """One figure of one cell for the journal."""
    about = {**unit.identity, "operation": operation.name, "memory": operation.memory}
    tool = {"instructions": counters.instructions, "allocations": counters.allocations}.get(figure)
    reason = _NOT_NATIVE.get(unit.codec.partition("/")[0], {}).get(figure, "")
    if not (reason or tool or figure == "peak"):
        reason = counters.missing
    elif not reason and spent:
        reason = "the time given by --max-time was spent"
    if not reason:
        try:
            found = per_pass(plan, unit, operation, tool) if tool else _peak(plan, unit, operation)
            return {"event": figure, **about, **found}
        except RunnerError as error:
            reason = str(error)
    return {"event": "footprint_failure", "figure": figure, **about, "reason": reason}


def passes(iterations: int) -> int:
    """The passes of a runner that is asked for so many iterations: a hundredth of them warms up (docs/protocol.md)."""
    return iterations + max(iterations // 100, 1)


def iterations_for(dataset_bytes: int) -> tuple[int, int]:
    """How many iterations come before counting starts, and how many are then counted, at first.

    Of small data so many that buffers have long grown and that what is done now and then shows; a pass of large data takes
    a minute under a tool, so there one pass warms up, one goes before and one is counted.
    """
    return min(max(100_000 // dataset_bytes, 1), 10), min(max(1_000_000 // dataset_bytes, 1), 100)


def per_pass(plan: Plan, unit: Unit, operation: Operation, tool: Tool) -> dict[str, Any]:
    """What ``tool`` counts of one pass, on an average, with the counts of the two processes that it comes from.

    Raises:
        RunnerError: a process failed, or took longer than the limit.
    """
    first, more = iterations_for(Path(unit.dataset).stat().st_size)
    few = _counted(plan, unit, operation, tool, first)
    many = _counted(plan, unit, operation, tool, first + more)
    if tool.least:
        (name,) = few
        cost = max((many[name] - few[name]) // (passes(first + more) - passes(first)), 1)
        if cost * more < tool.least:
            more = math.ceil(tool.least / cost)
            many = _counted(plan, unit, operation, tool, first + more)
    between = passes(first + more) - passes(first)
    figures = {f"{name}_per_pass": (many[name] - few[name]) / between for name in few}
    return {**figures, "tool": tool.name, "passes": [passes(first), passes(first + more)], "counts": [few, many]}


def _counted(plan: Plan, unit: Unit, operation: Operation, tool: Tool, iterations: int) -> Counts:
    limit_s = plan.silence_limit_s * SLOWDOWN
    start = time.monotonic()
    try:
        events, counts = count(tool, _command(unit, operation, iterations), plan.core, limit_s)
    except RunnerError as error:
        if time.monotonic() - start < limit_s:
            raise RunnerError(f"under {tool.name}: {error}") from error
        raise RunnerError(
            f"{passes(iterations)} passes took longer than {limit_s:g} s under {tool.name}; "
            "take fewer messages, or give it more with --time-limit"
        ) from error
    _require_sample(events, operation, iterations)
    return counts


def _peak(plan: Plan, unit: Unit, operation: Operation) -> dict[str, Any]:
    """The peak memory of a process that does this operation alone, a few times."""
    iterations, _ = iterations_for(Path(unit.dataset).stat().st_size)
    events, peak = peak_bytes(_command(unit, operation, iterations), plan.core, plan.silence_limit_s)
    _require_sample(events, operation, iterations)
    return {"peak_bytes": peak, "passes": passes(iterations)}


def _command(unit: Unit, operation: Operation, iterations: int) -> list[str]:
    return [
        *unit.command, "measure",
        "--dataset", unit.dataset,
        "--cells", str(operation),
        "--samples", "1",
        "--iterations", str(iterations),
    ]  # fmt: skip


def _require_sample(events: Sequence[Event], operation: Operation, iterations: int) -> None:
    """Raises RunnerError unless the runner took the one sample that it was asked for."""
    samples = [(f"{e.get('operation')}:{e.get('memory')}", e.get("iterations")) for e in events if e["event"] == "sample"]
    if samples != [(str(operation), iterations)]:
        raise RunnerError(f"the runner took the samples {samples}; expected one of {operation} with {iterations} iterations")
