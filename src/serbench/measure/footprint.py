"""Measures what a pass of each cell takes besides time: instructions, allocations and memory. No clock is
read.

Instructions and allocations are the difference between two processes that differ only in their number of
passes, so that start, loading and preparation drop out.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from serbench.errors import BuildError, RunnerError, SerbenchError, SetupError, reason_of
from serbench.measure.conversation import Samples
from serbench.measure.counters import Counts, Tool, count_instructions, told_at_the_end
from serbench.measure.identity import Identity
from serbench.measure.plan import Cells, Plan, Task
from serbench.measure.process import option_words
from serbench.measure.run import Progress
from serbench.measure.said import Allocated, Event, PeakSaid, SampleSaid
from serbench.measure.store import Journal
from serbench.selecting.selection import Operation

T = TypeVar("T")

FIGURES = {"instructions": ("instructions",), "memory": ("allocations", "peak")}
"""The figures of each metric. A cell has an event of the figure's name, or one that says why there is no
figure."""

SLOWDOWN = 10
"""How many times as long as usual a runner may print nothing when a counting tool runs it."""

ALLOCATION_TAKES = 5
"""How many processes with the same number of passes may count allocations; the least count is used. Two are
enough where they agree."""

SAME_ALLOCATIONS = 2
"""The most allocations by which two processes may differ that agree: a collector makes one now and then."""


CountingProgram = tuple[str, ...] | str
"""The command that starts a program which counts allocations or memory, or in words why there is none."""


@dataclass(frozen=True)
class Counters:
    """The counters that are available on this machine.

    Attributes:
        instructions: the tool that counts instructions; None where there is none, and ``missing`` says why
            and how to get one.
        allocations: unit → the runner that counts its own allocations.
        peak: the program that starts a runner and reports its peak memory.
    """

    instructions: Tool | None = None
    missing: str = ""
    allocations: Mapping[Identity, CountingProgram] = field(default_factory=dict)
    peak: CountingProgram = "the program that detects it could not be built"


_PROCESSES = {"instructions": 2, "allocations": 4, "peak": 1}
"""Figure → the processes that a cell mostly takes."""

_UNDER_VALGRIND = 15
"""How many times as long a short process takes under valgrind, most of it to start."""


def footprints_estimate_s(plan: Plan, tasks: Sequence[Cells], metric: str, valgrind: bool) -> float:
    """Return the estimated seconds of ``measure_footprints`` for one metric; ``valgrind`` says whether that
    counts instructions, under which programs are slow."""
    seconds = 0.0
    for task in tasks:
        for figure in (each for each in FIGURES[metric] if each not in task.traits.no_figure):
            processes = len(task.operations) * _PROCESSES[figure]
            slower = _UNDER_VALGRIND if valgrind and figure == "instructions" else 1
            first, more = iterations_for(max(task.pass_bytes, 1))
            made = 2 + passes(first) + (passes(more) if figure != "peak" else 0) / 2
            seconds += processes * slower * (task.traits.start_s + made * task.pass_s)
    return plan.slower * seconds


def measure_footprints(
    plan: Plan,
    operations: Sequence[Operation],
    metrics: Sequence[str],
    counters: Counters,
    journal: Journal,
    progress: Progress,
) -> bool:
    """Append an event to the journal for each figure of each cell, or the reason why there is none; return
    whether the time allowed by the plan sufficed for all.

    One process runs at a time, on the plan's core; none is started after the plan's ``max_time_s``.
    """
    journal.append(
        {
            "event": "footprints",
            "operations": [str(o) for o in operations],
            "instructions": counters.instructions.name if counters.instructions else "",
            "missing": counters.missing,
        }
    )
    figures = [figure for metric in metrics for figure in FIGURES.get(metric, ())]
    cells = [(task, operation) for task in plan.tasks for operation in task.operations]
    start, spent = time.monotonic(), False
    for n, (task, operation) in enumerate(cells):
        progress.step(n, len(cells), f"{task.codec} × {task.workload}, {operation}")
        for figure in figures:
            spent = plan.max_time_s is not None and time.monotonic() - start > plan.max_time_s
            journal.append(_event(plan, task, operation, figure, counters, spent))
    progress.step(len(cells), len(cells), "done")
    return not spent


def _event(
    plan: Plan, task: Task, operation: Operation, figure: str, counters: Counters, spent: bool
) -> dict[str, Any]:
    """Return the event with one figure of one cell, or why there is none, as when time is ``spent``."""
    about = {**task.identity.fields, "operation": operation.name, "memory": operation.memory}
    reason = task.traits.no_figure.get(figure, "")
    if not reason and spent:
        reason = "the time set by --max-time is over"
    if not reason:
        try:
            return {"event": figure, **about, **_take(plan, task, operation, figure, counters)}
        except SerbenchError as error:
            reason = reason_of(error, task.is_private)
    return {"event": "footprint_failure", "figure": figure, **about, "reason": reason}


def _take(plan: Plan, task: Task, operation: Operation, figure: str, counters: Counters) -> dict[str, Any]:
    """Measure one figure of a cell; return its event's fields. Raise SerbenchError where that fails."""
    if figure == "instructions":
        if not counters.instructions:
            raise SetupError(counters.missing)
        return instructions_per_pass(plan, task, operation, counters.instructions)
    counting = counters.allocations[task.identity] if figure == "allocations" else counters.peak
    if isinstance(counting, str):
        raise BuildError(counting)
    if figure == "allocations":
        return allocations_per_pass(plan, task, operation, counting)
    iterations, _ = iterations_for(Path(task.dataset).stat().st_size)
    # On Linux, a process inherits the peak of the one that forked it: so another program starts it.
    command = [*counting, *task.command]
    peak = _of_one(partial(told_at_the_end, PeakSaid), command, plan, task, operation, iterations)
    return {"peak_bytes": peak.bytes, "passes": passes(iterations)}


def _of_one(
    take: Callable[..., tuple[list[Event], T]],
    command: Sequence[str],
    plan: Plan,
    task: Task,
    operation: Operation,
    iterations: int,
    slowdown: int = 1,
) -> T:
    """Return what ``take`` counts in a process that takes one sample of ``iterations``, and that may need
    ``slowdown`` times as long as usual; raise RunnerError where it fails or makes other iterations."""
    cell = str(operation)
    words = [*command, *counting_words(task.dataset, cell, iterations)]
    events, taken = take(words, Samples([cell], 1), plan.core, slowdown * plan.silence_limit_s)
    found = [event.iterations for event in events if isinstance(event, SampleSaid)]
    if found != [iterations]:
        raise RunnerError(
            f"the runner sent a sample of {operation} with {found[0]} iterations; expected {iterations}"
        )
    return taken


def passes(iterations: int) -> int:
    """Return how many passes a runner makes when it is asked for so many iterations: a hundredth more, for
    warm-up (docs/protocol.md)."""
    return iterations + max(iterations // 100, 1)


def iterations_for(dataset_bytes: int) -> tuple[int, int]:
    """Return how many iterations the first of two processes makes, and how many more the second one makes.

    For small data they are many, so that buffers have long grown, and rare work is counted too. A pass over
    large data takes a minute under a tool, so then one pass warms up, one is made by both processes, and one
    is the difference.
    """
    return min(max(100_000 // dataset_bytes, 1), 10), min(max(1_000_000 // dataset_bytes, 1), 100)


def instructions_per_pass(plan: Plan, task: Task, operation: Operation, tool: Tool) -> dict[str, Any]:
    """Return the mean ``instructions_per_pass``, and the counts of the two processes from which it
    follows."""

    def take(iterations: int) -> Counts:
        return _instructions(plan, task, operation, tool, iterations)

    return instructions_by(take, Path(task.dataset).stat().st_size, tool) | {"tool": tool.name}


def instructions_by(take: Callable[[int], Counts], dataset_bytes: int, tool: Tool) -> dict[str, Any]:
    """Return the mean ``instructions_per_pass`` from two processes that differ by as many instructions as the
    tool needs. ``take`` counts those of a process that is asked for so many iterations."""
    first, more = iterations_for(dataset_bytes)
    few, many = take(first), take(first + more)
    cost = max((many["instructions"] - few["instructions"]) // (passes(first + more) - passes(first)), 1)
    if cost * more < tool.least:
        more = math.ceil(tool.least / cost)
        many = take(first + more)
    return _difference(first, few, first + more, many)


def allocations_per_pass(
    plan: Plan, task: Task, operation: Operation, command: Sequence[str]
) -> dict[str, Any]:
    """Return the means ``allocations_per_pass`` and ``allocated_bytes_per_pass``, and the counts from which
    they follow; ``command`` starts the task's program that counts its allocations."""

    def take(iterations: int) -> Counts:
        count = partial(told_at_the_end, Allocated)
        # A runtime that starts a thread since the machine is busy allocates for it, on top of the rest.
        return least_repeated(lambda: _of_one(count, command, plan, task, operation, iterations))

    first, more = iterations_for(Path(task.dataset).stat().st_size)
    return _difference(first, take(first), first + more, take(first + more))


def least_repeated(take: Callable[[], Allocated]) -> Counts:
    """Return the least counts of several takes, which end once the two with the fewest allocations agree."""
    takes = [take()]
    agree = False
    while not agree and len(takes) < ALLOCATION_TAKES:
        takes = sorted([*takes, take()], key=lambda taken: taken.allocations)
        agree = takes[1].allocations - takes[0].allocations <= SAME_ALLOCATIONS
    return {name: min(getattr(each, name) for each in takes) for name in Allocated.__struct_fields__}


def _difference(first: int, few: Counts, last: int, many: Counts) -> dict[str, Any]:
    """Return the mean counts of one pass, from two processes that were asked for ``first`` and ``last``
    iterations."""
    between = passes(last) - passes(first)
    figures = {f"{name}_per_pass": (many[name] - few[name]) / between for name in few}
    return {**figures, "passes": [passes(first), passes(last)], "counts": [few, many]}


def _instructions(plan: Plan, task: Task, operation: Operation, tool: Tool, iterations: int) -> Counts:
    limit_s = plan.silence_limit_s * SLOWDOWN
    start = time.monotonic()
    try:
        count = partial(count_instructions, tool)
        return _of_one(count, task.command, plan, task, operation, iterations, SLOWDOWN)
    except RunnerError as error:
        if time.monotonic() - start < limit_s:
            outline = error.outline and f"under {tool.name}: {error.outline}"
            raise RunnerError(f"under {tool.name}: {error}", outline=outline) from error
        raise RunnerError(
            f"{passes(iterations)} passes took longer than {limit_s:g} s under {tool.name}; use "
            "fewer messages, or a longer --time-limit"
        ) from error


def counting_words(dataset: object, cell: str, iterations: int) -> list[str]:
    """Return the arguments by which a runner takes one sample of a cell, of so many iterations."""
    options = option_words(dataset=dataset, cells=cell, samples=1, iterations=iterations)
    return ["measure", *options]
