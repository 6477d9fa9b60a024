"""Executes a plan: rounds over all tasks in shuffled order, each task in a fresh process."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from statistics import fmean, median
from typing import Any, Protocol

from serbench.errors import RunnerError, reason_of
from serbench.measure import said
from serbench.measure.agreement import agreed
from serbench.measure.conversation import Samples
from serbench.measure.events import Failure, Sample, event_of
from serbench.measure.further import Figures, competing, further, views_of
from serbench.measure.identity import Identity
from serbench.measure.judging import Differing, Judge, judged
from serbench.measure.pace import Pace
from serbench.measure.plan import Plan, Task
from serbench.measure.process import measuring_words, run_runner
from serbench.measure.store import Journal
from serbench.measure.taken import Taken
from serbench.selecting.selection import Operation
from serbench.stats.stopping import Cell, unconverged
from serbench.stats.summary import typical
from serbench.system.cores import crowding

Reference = Callable[[], Mapping[str, int]]
"""A function that does fixed work, so that changes of the machine's speed are seen; returns nanoseconds by
the kind of work."""


@dataclass(frozen=True)
class Process:
    """A measuring process described by plain values, so that it can be started on another machine too.

    Attributes:
        cells: the cells that it measures, in this order.
        samples: the number of samples of each cell.
        core: the core to which the process is pinned; None for no pinning.
        copied: whether it runs a fresh copy of its executable.
        judge: judges the results of its passes; None where no value changes while it measures.
    """

    command: tuple[str, ...]
    cells: tuple[str, ...]
    samples: int
    core: int | None
    silence_limit_s: float
    copied: bool
    judge: Judge | None = None


Taking = Callable[[Process, Samples], Iterator[said.Event | Differing]]
"""A function that runs a process and yields its events and the cells whose results differ; it passes each
event to ``Samples`` first. Raises RunnerError as ``run_runner`` does."""


def take_here(process: Process, expected: Samples) -> Iterator[said.Event | Differing]:
    """Run a process on this machine, and judge the results of its passes."""

    def run(further: Sequence[str]) -> Iterator[said.Event]:
        command = [*process.command, *further]
        return run_runner(command, expected, process.core, process.silence_limit_s, process.copied)

    return judged(process.judge, run) if process.judge else run(())


class Progress(Protocol):
    """Is told how far the execution of a plan has come, to show it to the user."""

    def step(self, done: int, total: int, what: str) -> None: ...


@dataclass
class Outcome:
    """How the execution of a plan ended.

    Attributes:
        failures: the reason of each cell that failed.
        rounds_done: the number of finished rounds, including those of only some cells.
        out_of_time: whether ``max_time_s`` or ``budget_s`` cut it short.
        unconverged: cells whose ratio is known less precisely than the target.
        planned_rounds, planned_s: the number of finished rounds of all cells, and the seconds they took.
        paces: the pace of each unit whose processes measured all of its cells.
    """

    failures: dict[Cell, str] = field(default_factory=dict)
    rounds_done: int = 0
    out_of_time: bool = False
    unconverged: list[Cell] = field(default_factory=list)
    planned_rounds: int = 0
    planned_s: float = 0.0
    paces: dict[Identity, Pace] = field(default_factory=dict)


def execute(
    plan: Plan,
    journal: Journal,
    progress: Progress,
    reference: Reference = dict,
    taken: Taken | None = None,
    take: Taking = take_here,
) -> Outcome:
    """Measure every task in every round; a runner that fails costs only its own cells.

    Args:
        reference: runs the calibration loop at the start of each round; by default there is none.
        taken: the samples that a continued run already has; None for a new run.
        take: runs the processes; by default on this machine.
    """
    return _Execution(plan, journal, progress, reference, taken or Taken(), take).run()


@dataclass
class _Execution:
    """One execution of a plan, with what was measured so far; ``execute`` describes the attributes."""

    plan: Plan
    journal: Journal
    progress: Progress
    reference: Reference
    taken: Taken
    take: Taking

    def __post_init__(self) -> None:
        self.outcome = Outcome(self.taken.failures)
        self.views = views_of(self.plan.tasks)
        self.processes = (self.taken.first_round - 1) * len(self.plan.tasks)  # started so far
        self.process_s: dict[Identity, list[float]] = {}  # one for each process that measured all cells
        self.start = time.monotonic()

    def run(self) -> Outcome:
        plan, outcome = self.plan, self.outcome
        number, length = self.taken.first_round, 0.0
        while (cells := self.wanted(number)) != set():
            begun = time.monotonic()
            first = number <= max(1, plan.least_rounds)
            if not first and plan.budget_s is not None and begun - self.start + length > plan.budget_s:
                outcome.out_of_time = True
                break
            if not self.round(number, cells):
                outcome.out_of_time = True
                break
            outcome.rounds_done = number
            number, length = number + 1, time.monotonic() - begun
            if cells is None:
                outcome.planned_rounds += 1
                outcome.planned_s += length
        if plan.target is not None:
            outcome.unconverged = unconverged(self.figures(), plan.target, self.views)
        if not plan.iterations:  # which are taken without warm-up and calibration
            outcome.paces = dict(self.paces())
        return outcome

    def paces(self) -> Iterator[tuple[Identity, Pace]]:
        """Yield the pace of each unit whose processes measured all of its cells."""
        crowd = crowding()
        for task in self.plan.tasks:
            cells = [self.taken.cells.get(task.cell(operation)) for operation in task.operations]
            figures = [cell.figures() for cell in cells if cell]
            process_s = self.process_s.get(task.identity)
            if process_s and task.pass_bytes and len(figures) == len(cells) and all(figures):
                pass_ns = fmean(typical(own.values()) for own in figures)
                batches = fmean(fmean(cell.batches.values()) for cell in cells if cell)
                taken_s = median(process_s)
                yield task.identity, self.plan.learned_pace(task, pass_ns, batches, taken_s, crowd)

    def wanted(self, number: int) -> set[Cell] | None:
        """Return the cells of a round: None for all, an empty set if the round is not needed."""
        if number <= self.plan.rounds:
            return None
        further_s = self.plan.further_s
        if further_s is not None and time.monotonic() - self.start > further_s:
            return set()
        return further(self.plan, self.figures(), self.behind(), self.views, number)

    def behind(self) -> list[Cell]:
        """Return the cells that were killed from outside, are tried again and still have fewer rounds than
        planned."""
        cells = [task.cell(o) for task in self.plan.tasks for o in task.operations if not task.in_turns]
        tried = [cell for cell in cells if cell in self.taken.retried or cell[:3] in self.taken.retried_units]
        again = [cell for cell in tried if cell not in self.outcome.failures]
        return [cell for cell in again if len(self.taken.rounds_of(cell)) < self.plan.rounds]

    def figures(self) -> Figures:
        return competing(self.plan, self.taken, self.outcome.failures)

    def round(self, number: int, cells: Collection[Cell] | None) -> bool:
        """Measure one round of ``cells``, or of all cells for None; return False where the time was over
        before the end of the round."""
        plan, limit = self.plan, self.plan.ends_within(number)
        # seeded for each round, so that a run that is continued has the order of one that was not
        draws = random.Random(f"{plan.seed}/{number}")
        own = plan.tasks_of(number) if cells is None else plan.tasks
        order = draws.sample(list(own), len(own))
        if plan.by_workload:
            workloads = list(dict.fromkeys(task.workload for task in plan.tasks))
            order.sort(key=lambda task: workloads.index(task.workload))
        planned = [(task, self.operations(task, number, cells, draws)) for task in order]
        planned = [(task, operations) for task, operations in planned if operations]
        self.journal.append(
            {
                "event": "round",
                "round": number,
                **self.reference_figures(),
                "order": [[*task.identity, *map(str, operations)] for task, operations in planned],
            }
        )
        for n, (task, operations) in enumerate(planned):
            if limit is not None and time.monotonic() - self.start > limit:
                return False
            what = (
                f"round {number} of {plan.rounds}"
                if cells is None
                else f"round {number}, {len(cells)} cells that need more rounds"
            )
            left = len(planned) - n + sum(len(plan.tasks_of(r)) for r in range(number + 1, plan.rounds + 1))
            self.progress.step(
                self.processes, self.processes + left, f"{what}, {task.codec} × {task.workload}"
            )
            self.processes += 1
            begun = time.monotonic()
            self.measure(task, operations, number)
            if len(operations) == len(task.operations_in(number)):
                self.process_s.setdefault(task.identity, []).append(time.monotonic() - begun)
        return True

    def measure(self, task: Task, operations: Sequence[Operation], number: int) -> None:
        """Measure operations in one process; where it fails at one of them, another process measures the
        rest. A cell that is suspected only by its times keeps its samples, unless other processes agree."""
        left = list(operations)
        placing = Placing.drawn(self.plan.seed, task, number)
        while left:
            process = _process(self.plan, task, placing, left)
            expected = Samples(process.cells, process.samples)
            heard = False
            try:
                for event in self.take(process, expected):
                    heard = True
                    if isinstance(event, Differing):
                        left = self.without(left, event, task, number)
                    elif isinstance(event, said.SampleSaid) and event.cell in map(str, left):
                        own = {"round": number, **task.identity.fields, **placing.told}
                        whole = {**event.fields, "event": event.kind, **own}
                        self.journal.append(whole)
                        self.taken.add(event_of(whole, Sample))
                return
            except RunnerError as error:
                if error.by_times and not self.is_agreed(error, task, left, placing):
                    left = [o for o in left if str(o) not in (*expected.finished, error.cell)]
                    continue
                guilty = _guilty(error, left, expected.finished, heard)
                for operation in guilty:
                    self.fail(_failure(error, task, operation, number))
                left = [o for o in left if str(o) not in expected.finished and o not in guilty]

    def is_agreed(
        self, error: RunnerError, task: Task, operations: Sequence[Operation], placing: Placing
    ) -> bool:
        """Whether enough other processes, with data in other places, also suspect a cell that is suspected by
        its times."""
        numbers = count(1)

        def look(cells: list[str]) -> list[str]:
            elsewhere = replace(placing, place=(placing.place + next(numbers)) % (1 << 32))
            process = _process(self.plan, task, elsewhere, [o for o in operations if str(o) in cells])
            try:
                for _ in self.take(process, Samples(process.cells, process.samples)):
                    pass
            except RunnerError as again:
                return [again.cell]
            return []

        asked = error.cell in map(str, operations)
        return not asked or bool(agreed(look, [error.cell]))

    def without(
        self, left: Sequence[Operation], differing: Differing, task: Task, number: int
    ) -> list[Operation]:
        """Record the failure of the cell that is ``differing``; return the operations ``left`` without it."""
        for operation in left:
            if str(operation) == differing.cell:
                self.fail(_failure(RunnerError(differing.reason), task, operation, number))
        return [operation for operation in left if str(operation) != differing.cell]

    def fail(self, failure: Failure) -> None:
        """Record that a cell failed."""
        self.journal.note(failure, self.taken)

    def reference_figures(self) -> dict[str, Any]:
        """Return the fields of a round's event with the times of the calibration loop, whose failure does not
        fail the round."""
        try:
            return {"reference": dict(self.reference())}
        except RunnerError as error:
            return {"reference": {}, "reference_failure": str(error)}

    def operations(
        self, task: Task, number: int, cells: Collection[Cell] | None, draws: random.Random
    ) -> list[Operation]:
        """Return the operations of a task that a round measures, in shuffled order; ``cells`` are the cells
        to measure, None for all."""
        own = task.operations_in(number)
        chosen = [
            o
            for o in draws.sample(own, len(own))
            if task.cell(o) not in self.outcome.failures and (cells is None or task.cell(o) in cells)
        ]
        return [o for o in chosen if number not in self.taken.rounds_of(task.cell(o))]


@dataclass(frozen=True)
class Placing:
    """The places in memory of a process's data and code.

    Attributes:
        place: the number from which the runner draws the place of its data.
        layout: the index of the program's layout; None where there is only one.
    """

    place: int
    layout: int | None

    @classmethod
    def drawn(cls, seed: int, task: Task, number: int) -> Placing:
        """Draw the placing of a task in a round; it is the same again where a run is continued. Layouts take
        turns in an order that is drawn for each program."""
        who = "/".join((task.codec, task.program or task.workload, task.compiler))
        place = random.Random(f"{seed}/{number}/{who}").getrandbits(32)
        if not task.layouts:
            return cls(place, None)
        turn, at = divmod(number - 1, len(task.layouts))
        order = list(range(len(task.layouts)))
        return cls(place, random.Random(f"{seed}/layouts/{turn}/{who}").sample(order, len(order))[at])

    @property
    def told(self) -> dict[str, int]:
        """The fields of every sample that describe its placing."""
        return {"place": self.place} | ({} if self.layout is None else {"layout": self.layout})


def _guilty(
    error: RunnerError, asked: Sequence[Operation], finished: Collection[str], heard: bool
) -> Sequence[Operation]:
    """Return the operations that are held responsible for a failure.

    That is the operation that the error names, or else the one at work. It is all of them where the runner
    never answered, since it would not answer the next time either; and where it failed after the last one,
    since some operation spoiled memory or left work undone, and it is not known which.
    """
    named = [o for o in asked if str(o) == error.cell]
    unfinished = [o for o in asked if str(o) not in finished]
    return named or (unfinished[:1] if heard else unfinished) or asked


def _process(plan: Plan, task: Task, placing: Placing, operations: Sequence[Operation]) -> Process:
    cells = tuple(map(str, operations))
    words = measuring_words(
        task.dataset,
        cells,
        plan.sample_ns,
        plan.samples,
        placing.place,
        task.edits,
        encoded=task.encoded,
        iterations=plan.iterations,
        warmup_ns=plan.warmup_ns,
    )
    command = task.command if placing.layout is None else task.layouts[placing.layout]
    return Process(
        (*command, *words),
        cells,
        plan.samples,
        plan.core,
        plan.silence_limit_s,
        task.traits.one_executable,
        task.judge(plan.silence_limit_s),
    )


def _failure(error: RunnerError, task: Task, operation: Operation, number: int) -> Failure:
    """Return the event of a cell that failed; the cell's samples of this round no longer count."""
    of = {**task.identity.fields, "operation": operation.name, "memory": operation.memory, "round": number}
    return event_of({**of, "reason": reason_of(error, task.is_private), "signal": error.signal}, Failure)
