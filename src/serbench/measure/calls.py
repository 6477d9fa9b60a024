"""Times single calls of operations: how long the slowest of many take (``latency``), and how long a program
takes from its start to the first message written and read (``first``).

Each process times calls of one cell, after a warm-up or from the very first, and writes the time of each into
a file (docs/protocol.md, "Single calls"). Nothing arrives while it works: a call begins when the one before
has ended.
"""

from __future__ import annotations

import random
import struct
import tempfile
import time
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, median
from types import MappingProxyType
from typing import Any

from serbench.codecs.traits import Traits
from serbench.dataset.file import Dataset
from serbench.errors import RunnerError, SerbenchError, reason_of
from serbench.measure.conversation import Answers
from serbench.measure.identity import Identity
from serbench.measure.plan import Cells, Plan, Task
from serbench.measure.process import option_words, run_runner
from serbench.measure.run import Placing, Progress
from serbench.measure.said import Called, Hello
from serbench.measure.store import Journal
from serbench.measure.unit import Unit
from serbench.selecting.selection import Operation
from serbench.stats.quantiles import as_fast_from, quantiles

CALLED = ("latency", "first")
"""The metrics of single calls."""

FIRST = Operation("roundtrip", "fresh")
"""The operation of ``first``: a message is written and read, by what is made for it."""

CALLS = {"latency": 10_000, "first": 20_000}
"""The most calls of a process: of ``latency`` so many that ten are slower than one in a thousand; of
``first`` so many that half of them come after the compilers of all runtimes that we know are done."""

LONGEST_S = {"latency": 1.0, "first": 3.0}
"""The seconds after which a process makes no more calls."""

WARMUP_NS, WARMUP_COMPILED_NS = 100_000_000, 2_000_000_000
"""How long calls go on before those of ``latency`` are timed; the second where code is compiled while it
runs, unless the plan allows less."""

_HEADER = struct.Struct("<8sIIQ")
_MAGIC, _VERSION = b"SERBCALL", 1


@dataclass(frozen=True)
class _Calling:
    """A cell whose calls a process times in each round."""

    metric: str
    task: Task
    operation: Operation
    message: int | None

    @property
    def about(self) -> dict[str, Any]:
        """The fields by which an event says which cell and metric it is about."""
        cell = {"operation": self.operation.name, "memory": self.operation.memory}
        return {**self.task.identity.fields, **cell}

    def command(self, plan: Plan, placing: Placing, out: Path) -> list[str]:
        task = self.task
        own = task.command if placing.layout is None else task.layouts[placing.layout]
        warmup_ns = warmup_ns_of(plan, task.traits) if self.metric == "latency" else 0
        options = option_words(
            dataset=task.dataset,
            cell=str(self.operation),
            out=out,
            calls=CALLS[self.metric],
            longest_ns=round(LONGEST_S[self.metric] * 1e9),
            warmup_ns=warmup_ns,
            message=self.message,
            place=placing.place,
        )
        return [*own, "calls", *options]


def warmup_ns_of(plan: Plan, traits: Traits) -> int:
    """Return the nanoseconds for which a runner makes calls before those that ``latency`` counts."""
    if not traits.warm_up:
        return WARMUP_NS
    return min(WARMUP_COMPILED_NS, plan.warmup_ns or WARMUP_COMPILED_NS)


def calls_estimate_s(plan: Plan, tasks: Sequence[Cells], metric: str, memory: Sequence[str]) -> float:
    """Return the estimated seconds of ``measure_calls`` for one metric, with the memory policies that are
    asked for: for each cell and round those of a process that starts, reads and converts all messages, and
    makes its calls, until these are as many as it makes or their time is over."""
    total = 0.0
    for task in tasks:
        cells = called_operations(task.operations, memory) if metric == "latency" else [FIRST]
        total += len(cells) * _process_s(plan, task, metric)
    return plan.rounds * total


def _process_s(plan: Plan, task: Cells, metric: str) -> float:
    """Return the estimated seconds of one process."""
    warmup_s = warmup_ns_of(plan, task.traits) / 1e9 if metric == "latency" else 0.0
    calls_s = CALLS[metric] * task.message_s * (2 if metric == "first" else 1)
    # A warm-up lasts as long on a slower machine, and so do calls that are as many as there is time for.
    runner_s = task.traits.warm_up.runner_s if task.traits.warm_up else 0.0
    made_s = plan.slower * (task.traits.start_s - runner_s + 2 * task.pass_s)
    return made_s + warmup_s + min(plan.slower * calls_s, LONGEST_S[metric])


def called_operations(operations: Sequence[Operation], memory: Sequence[str]) -> list[Operation]:
    """Return the operations whose calls ``latency`` times: those that are asked for, and under ``fresh``
    unless a memory policy is asked for too, since a program that serves requests makes what it needs for
    each."""
    own = operations if memory else [replace(each, memory="fresh") for each in operations]
    return list(dict.fromkeys(own))


def measure_calls(
    units: Sequence[Unit],
    operations: Sequence[Operation],
    metrics: Sequence[str],
    plan: Plan,
    journal: Journal,
    progress: Progress,
    failed: Mapping[Identity, str] = MappingProxyType({}),
) -> bool:
    """Append to the journal the quantiles of each cell's calls, and what came before a program's first call,
    or the reason why there are none; return whether the time allowed by the plan sufficed for all rounds.

    One process runs at a time, on the plan's core. Cells come in another order in each of the plan's rounds.
    ``failed`` says why some units have no program whose calls can be timed.
    """
    journal.append({"event": "calls", "operations": [str(o) for o in operations]})
    cells: list[_Calling] = []
    for cell in (each for unit in units for each in _cells(unit, operations, metrics)):
        if reason := failed.get(cell.task.identity):
            _fail(journal, cell, reason)
        else:
            cells.append(cell)
    draws, start = random.Random(plan.seed), time.monotonic()
    total = len(cells) * plan.rounds
    for number in range(1, plan.rounds + 1):
        for n, cell in enumerate(draws.sample(cells, len(cells))):
            if plan.max_time_s is not None and time.monotonic() - start > plan.max_time_s:
                return False
            what = (
                f"round {number} of {plan.rounds}, {cell.metric} of {cell.task.codec} × {cell.task.workload}"
            )
            progress.step(min((number - 1) * len(cells) + n, total), total, what)
            try:
                journal.append({**_taken(cell, plan, number), **cell.about, "round": number})
            except (SerbenchError, OSError) as error:
                _fail(journal, cell, reason_of(error, cell.task.is_private))
                cells.remove(cell)
    return True


def _fail(journal: Journal, cell: _Calling, reason: str) -> None:
    """Append why a cell has no figures."""
    journal.append({"event": "call_failure", "metric": cell.metric, **cell.about, "reason": reason})


def _cells(unit: Unit, operations: Sequence[Operation], metrics: Sequence[str]) -> list[_Calling]:
    """Return the cells of a unit that a process can take: none where it was not verified."""
    cells = []
    if "latency" in metrics and (task := Task.of(unit, operations)):
        cells += [_Calling("latency", task, each, None) for each in task.operations]
    if "first" in metrics and (task := Task.of(unit, [FIRST])):
        cells.append(_Calling("first", task, FIRST, middle_message(unit.data)))
    return cells


def middle_message(data: Dataset) -> int:
    """Return the number of a message of middling size among canonical bytes: the one that a program writes
    and reads first, and then again and again."""
    sizes = [len(message) for message in data.read_messages()]
    return sorted(range(len(sizes)), key=sizes.__getitem__)[len(sizes) // 2]


def _taken(cell: _Calling, plan: Plan, number: int) -> dict[str, Any]:
    """Time a cell's calls in a process; return the fields of an event. Raise RunnerError where the process
    fails or its file is not as said."""
    placing = Placing.drawn(plan.seed, cell.task, number)
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        out = Path(folder) / "calls"
        command = cell.command(plan, placing, out)
        # A program is started as its user starts it, where its start is what counts.
        copied = cell.task.traits.one_executable and cell.metric == "latency"
        said: Called | None = None
        begun = time.monotonic_ns()
        import_ns = 0
        for event in run_runner(command, Answers("called"), plan.core, plan.silence_limit_s, copied):
            if isinstance(event, Hello):
                import_ns = time.monotonic_ns() - begun
            elif isinstance(event, Called):
                said = event
        assert said is not None  # else the runner ended with an error
        if f"{said.operation}:{said.memory}" != str(cell.operation):
            raise RunnerError(f"the runner timed {said.operation}:{said.memory}; expected {cell.operation}")
        times = read_calls(out, said.calls)
    if said.elapsed_ns and sum(times) > said.elapsed_ns:
        raise RunnerError(
            f"the runner says that {said.calls:,} calls with what is between them took "
            f"{said.elapsed_ns:,} ns; expected no less than the sum of the calls, {sum(times):,} ns: "
            "something in it has replaced the clock"
        )
    if cell.metric == "latency":
        return _latency(said, times)
    return {"event": "first_call", "import_ns": import_ns} | _first(said, times)


def read_calls(file: Path, count: int) -> array[int]:
    """Return the nanoseconds of each call, in their order, from the file that a runner wrote; raise
    RunnerError where the file has not as many as ``count``, as the runner said."""
    content = file.read_bytes() if file.exists() else b""
    expected = _HEADER.pack(_MAGIC, _VERSION, 0, count)
    if content[: _HEADER.size] != expected or len(content) != _HEADER.size + 8 * count:
        raise RunnerError(
            f"the runner wrote {len(content)} bytes of single calls that begin with "
            f"{content[: _HEADER.size]!r}; expected {_HEADER.size + 8 * count} that begin with {expected!r}"
        )
    times = array("Q")
    times.frombytes(content[_HEADER.size :])
    return times


def _latency(said: Called, times: Sequence[int]) -> dict[str, Any]:
    return {
        "event": "latency",
        "calls": said.calls,
        "warmups": said.warmups,
        "mean_ns": fmean(times),
        "quantiles": quantiles(times),
        "clock_ns": said.clock_ns,
        "resolution_ns": said.resolution_ns,
        "elapsed_ns": said.elapsed_ns,
        "waited_ns": said.waited_ns,
        "stolen_ns": said.stolen_ns,
        "collections": said.collections,
        "collecting_ns": said.collecting_ns,
    }


def _first(said: Called, times: Sequence[int]) -> dict[str, Any]:
    """Return what came before and with the first call, and until when calls took longer than later ones;
    ``until_calls`` is left out where that did not end."""
    until = as_fast_from(times)
    found = {
        "loading_ns": said.loading_ns,
        "preparing_ns": said.preparing_ns,
        "first_ns": max(times[0] - said.clock_ns, 0),
        "calls": said.calls,
        "later_ns": max(round(median(times[len(times) // 2 :])) - said.clock_ns, 0),
    }
    return found if until is None else found | {"until_calls": until, "until_ns": sum(times[:until])}
