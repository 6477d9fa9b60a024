"""Measures the throughput of several threads at once, each with an encoder, decoder and messages of its own.

What is shared without a need for it, such as a lock, an allocator or a counter, shows as the share of n times
one thread that n threads reach. A language without threads for programs has processes or workers instead; its
runner says which by doing it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from serbench.errors import RunnerError, reason_of
from serbench.measure.conversation import Samples
from serbench.measure.judging import Differing, judged
from serbench.measure.plan import Cells, Plan, Task
from serbench.measure.process import measuring_words, run_runner
from serbench.measure.run import Progress
from serbench.measure.said import Event, SampleSaid
from serbench.measure.store import Journal
from serbench.selecting.selection import Operation
from serbench.system.cores import spread_cores

FIGURE = "threads"
"""The name under which a language says that its runner measures no threads (``Traits.no_figure``)."""

WARM_UPS = 2
"""How many samples of every process a runner throws away (docs/protocol.md)."""


@dataclass(frozen=True)
class Placed:
    """Some threads of one process.

    Attributes:
        cores: the cores that they run on; none where a process cannot be kept on any.
        shared: whether all of them use the same objects of the library.
    """

    threads: int
    cores: tuple[int, ...]
    shared: bool = False


def counts_up_to(cores: int) -> list[int]:
    """Return the numbers of threads to measure: powers of two, and all cores."""
    return [*(1 << n for n in range(cores.bit_length()) if 1 << n < cores), cores]


def places() -> tuple[list[Placed], int]:
    """Return each number of threads with its cores, and how many cores share no execution units."""
    cores, apart = spread_cores()
    counts = counts_up_to(len(cores) or apart)
    return [Placed(threads, tuple(cores[:threads])) for threads in counts], apart


def threads_estimate_s(plan: Plan, tasks: Sequence[Cells]) -> float:
    """Return the estimated seconds of ``measure_threads``, if a pass is shorter than a sample."""
    placed, _ = places()
    measured = [task for task in tasks if not _why_not(task)]
    return plan.rounds * sum(len(_placed(task, placed)) * _process_s(plan, task) for task in measured)


def _placed(task: Cells, placed: Sequence[Placed]) -> list[Placed]:
    """Return the processes of a task in a round: where the library's objects may be shared, another one for
    each number of threads, in which they are."""
    return [*placed, *(replace(each, shared=True) for each in placed if task.shares)]


_AROUND_S = 0.002
"""The seconds that a cell of a process takes around its samples."""


def _process_s(plan: Plan, task: Cells) -> float:
    """Return the estimated seconds of measuring all cells of a task, with the processes that it takes, and
    with the one that judges what their passes left."""
    cells, taken = len(task.operations), WARM_UPS + plan.samples
    traits = task.traits
    starts_s = plan.slower * (traits.processes(cells) * traits.start_s + traits.judge_s)
    if warm_up := traits.warm_up:
        warmup_s = task.pace.warmup_within((plan.warmup_ns or warm_up.longest_ns) / 1e9)
        return starts_s + cells * (warmup_s + taken * warm_up.sample_s)
    return starts_s + cells * (taken * plan.sample_ns / 1e9 + _AROUND_S * plan.slower)


def _why_not(task: Cells) -> str:
    """Return why a task's runner measures no threads; empty where it does."""
    return task.traits.no_figure.get(FIGURE, "")


def measure_threads(
    plan: Plan, operations: Sequence[Operation], journal: Journal, progress: Progress
) -> bool:
    """Append to the journal the samples of each cell with each number of threads, or the reason why there are
    none; return whether the time allowed by the plan sufficed for all rounds.

    Rounds, samples, seed and limits are the plan's. Each round goes over all tasks and numbers of threads in
    another order, with one process for each, which runs on as many cores as it has threads.
    """
    placed, apart = places()
    counts = [each.threads for each in placed]
    journal.append(
        {"event": "threads", "operations": list(map(str, operations)), "counts": counts, "apart": apart}
    )
    for task in plan.tasks:
        if reason := _why_not(task):
            _fail(journal, task, task.operations, reason)
    draws, start = random.Random(plan.seed), time.monotonic()
    left = {
        (n, each): list(task.operations)
        for n, task in enumerate(plan.tasks)
        for each in ([] if _why_not(task) else _placed(task, placed))
    }
    for number in range(1, plan.rounds + 1):
        for done, (n, each) in enumerate(draws.sample(list(left), len(left))):
            if plan.max_time_s is not None and time.monotonic() - start > plan.max_time_s:
                return False
            task, own = plan.tasks[n], left[n, each]
            at_once = f"{each.threads} thread{'' if each.threads == 1 else 's'}{' shared' * each.shared}"
            what = f"round {number} of {plan.rounds}, {task.codec} × {task.workload}, {at_once}"
            progress.step((number - 1) * len(left) + done, plan.rounds * len(left), what)
            draws.shuffle(own)
            left[n, each] = _measured(plan, task, own, each, number, journal) if own else []
    return True


def _measured(
    plan: Plan, task: Task, operations: Sequence[Operation], placed: Placed, number: int, journal: Journal
) -> list[Operation]:
    """Measure operations of a task in one process; return those that did not fail. Operations behind one that
    fails are measured in the next round."""
    cells = [str(operation) for operation in operations]
    failed: dict[str, str] = {}
    samples: list[SampleSaid] = []
    expected = Samples(cells, plan.samples)
    try:
        for event in _events(plan, task, cells, placed, number, expected):
            if isinstance(event, Differing):
                failed[event.cell] = event.reason
            elif isinstance(event, SampleSaid):
                samples.append(event)
    except RunnerError as error:
        guilty = error.cell or next((cell for cell in cells if cell not in expected.finished), "")
        failed |= dict.fromkeys([guilty] if guilty in cells else cells, reason_of(error, task.is_private))
    for sample in samples:
        if sample.cell not in failed:
            own: dict[str, Any] = {**sample.fields, **_about(placed), "round": number}
            journal.append({"event": "threads_sample", **task.identity.fields, **own})
    for operation in operations:
        if reason := failed.get(str(operation)):
            _fail(journal, task, [operation], reason, placed)
    return [operation for operation in operations if str(operation) not in failed]


def _events(
    plan: Plan, task: Task, cells: Sequence[str], placed: Placed, number: int, expected: Samples
) -> Iterator[Event | Differing]:
    """Yield the events of a process, and the cells whose threads left other results than they had to."""
    drawn = f"{plan.seed}/{number}/{placed.threads}{'/shared' * placed.shared}/{task.identity}"
    place = random.Random(drawn).getrandbits(32)
    words = measuring_words(
        task.dataset,
        cells,
        plan.sample_ns,
        plan.samples,
        place,
        task.edits,
        encoded=task.encoded,
        warmup_ns=plan.warmup_ns,
        threads=placed.threads,
        shared="true" if placed.shared else None,
    )

    def run(more: Sequence[str]) -> Iterator[Event]:
        command = [*task.command, *words, *more]
        copied = task.traits.one_executable
        return run_runner(command, expected, placed.cores, plan.silence_limit_s, copied)

    judge = task.judge(plan.silence_limit_s)
    return judged(judge, run) if judge else run(())


def _fail(
    journal: Journal,
    task: Task,
    operations: Sequence[Operation],
    reason: str,
    placed: Placed | None = None,
) -> None:
    """Append why operations have no figures with some threads; with any where ``placed`` is None."""
    about = _about(placed) if placed else {"threads": 0}
    for operation in operations:
        of = {**task.identity.fields, "operation": operation.name, "memory": operation.memory}
        journal.append({"event": "threads_failure", **of, **about, "reason": reason})


def _about(placed: Placed) -> dict[str, Any]:
    """Return the fields by which an event says what threads it is about."""
    return {"threads": placed.threads, **({"shared": True} if placed.shared else {})}
