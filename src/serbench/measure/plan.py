"""Plans: the tasks to measure, the number of rounds, and how long that takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from serbench.codecs.codec import Variant
from serbench.codecs.tolerance import Tolerance
from serbench.codecs.traits import Traits
from serbench.dataset.edits import edits_beside
from serbench.measure.identity import Identity
from serbench.measure.judging import Judge
from serbench.measure.pace import Pace
from serbench.measure.process import SILENCE_LIMIT_S
from serbench.measure.sampling import LONG
from serbench.measure.shares import Share
from serbench.measure.unit import Given, Unit
from serbench.model import Updates
from serbench.selecting.selection import Chosen, Operation
from serbench.stats.stopping import Cell
from serbench.workload import WorkloadSpec


@dataclass(frozen=True)
class Cells:
    """The cells of a unit, all of which one process measures in each round. How long they take can be
    estimated before the unit is built.

    Attributes:
        operations: the operations to measure.
        compiler: empty where the language has only one.
        traits: the traits of the unit's language.
        beside: whether the unit is a floor that nobody asked for, which is to take little time.
        pass_bytes: the canonical bytes of all messages; 0 where these are not known.
        message_bytes: the canonical bytes of a message of mean size; 0 where that is not known.
        pace: the pace of the unit's program, as far as it is known.
        shares: whether threads may use the same objects of the codec's library at once.
    """

    codec: str
    workload: str
    operations: tuple[Operation, ...]
    compiler: str = field(default="", kw_only=True)
    traits: Traits = field(default=Traits("a language"), kw_only=True)
    beside: bool = field(default=False, kw_only=True)
    pass_bytes: int = field(default=0, kw_only=True)
    message_bytes: float = field(default=0.0, kw_only=True)
    pace: Pace = field(default=Pace(), kw_only=True)
    shares: bool = field(default=False, kw_only=True)

    @property
    def identity(self) -> Identity:
        return Identity(self.codec, self.workload, self.compiler)

    @property
    def pass_s(self) -> float:
        """The foreseen seconds of a pass."""
        return self.pace.pass_s(self.pass_bytes)

    @property
    def made_s(self) -> float:
        """The foreseen seconds in which a process makes ready all messages."""
        return self.pace.making_s(self.pass_bytes)

    @property
    def message_s(self) -> float:
        """The foreseen seconds of an operation with one message."""
        return self.pace.pass_s(self.message_bytes)

    @property
    def in_turns(self) -> bool:
        """Whether each round measures only one of the operations, in turn, to save time: that is done for a
        floor that nobody asked for, if its language has to warm up each operation."""
        return self.beside and self.traits.warm_up is not None

    def operations_in(self, number: int) -> tuple[Operation, ...]:
        """Return the operations that the round with this number measures."""
        return (self.operations[number % len(self.operations)],) if self.in_turns else self.operations

    def cell(self, operation: Operation) -> Cell:
        return (*self.identity, str(operation))


@dataclass(frozen=True)
class Task(Cells):
    """A unit that was built and verified, with the operations to measure and the programs that measure them,
    as plain values.

    Attributes:
        command: starts the runner; ``measure`` and its options follow.
        views: the names of the operations that are constant-time views, which are ranked among themselves.
        layouts: the commands that start the program in each of its layouts; rounds use them in turn, instead
            of ``command``. Empty where there is only one layout.
        is_private: whether the messages are a user's own data.
        edits: the file of values that change while they are measured; None where no value changes.
        encoded: the file of messages that another program wrote, which this one reads; None where it reads
            what it wrote itself.
        tolerance: the changes that the codec may make to values.
        program: the name of the workload whose program it is; empty for that of its own. Tasks of one program
            have the same place in memory in each round, so that their ratios tell of the messages alone.
        judged_by: starts the program that decodes what passes leave.
        updates: the parts of types in which passes change values.
    """

    command: tuple[str, ...]
    dataset: str
    views: tuple[str, ...] = ()
    layouts: tuple[tuple[str, ...], ...] = ()
    is_private: bool = False
    edits: str | None = None
    encoded: str | None = None
    tolerance: Tolerance = field(default=Tolerance())
    program: str = ""
    judged_by: tuple[str, ...] = ()
    updates: Updates = field(default_factory=dict)

    @classmethod
    def of(cls, unit: Unit, asked: Sequence[Operation]) -> Task | None:
        """Return the task of a unit, with the operations of ``asked`` that the unit offers; None if it was
        not verified or offers none of them."""
        offered = tuple(
            operation for operation in asked if unit.status == "ok" and unit.offers(operation.name)
        )
        if not (offered and unit.verification):
            return None
        given = unit.given or Given("", None)
        if unit.verification.edits and unit.given is None:
            given = replace(given, edits=edits_beside(unit.data, unit.variant.tells_floats))
        return cls(
            codec=unit.variant.id,
            workload=unit.spec.id,
            command=unit.command,
            dataset=str(unit.data.path),
            operations=offered,
            compiler=unit.compiler,
            views=unit.verification.views,
            traits=unit.variant.codec.traits,
            shares=bool(unit.variant.codec.shared),
            layouts=unit.layouts,
            is_private=unit.data.is_private,
            edits=given.edits,
            encoded=given.encoded or None,
            tolerance=unit.variant.tolerance,
            program=unit.package[1],
            judged_by=given.judge or unit.command,
            updates=given.updates,
        )

    def judge(self, silence_limit_s: float) -> Judge | None:
        """Return the judge of the results that the task's passes leave; None if no value changes."""
        if self.edits is None:
            return None
        command = self.judged_by or self.command
        return Judge(command, self.dataset, self.edits, self.tolerance, silence_limit_s, self.updates)


def typical_pace(variant: Variant, spec: WorkloadSpec, compiler: str) -> Pace:
    """Return the pace that programs of a variant's language typically have."""
    return Pace.typical(variant.codec.traits)


def chosen_tasks(
    units: Sequence[Unit],
    chosen: Chosen,
    pace_of: Callable[[Variant, WorkloadSpec, str], Pace] = typical_pace,
) -> list[Task]:
    """Return the tasks of the units of a selection; ``pace_of`` tells the pace of a variant's program for a
    workload, built by a compiler whose name is empty where there is only one."""
    tasks = [(unit, task) for unit in units if (task := Task.of(unit, chosen.operations))]
    return [
        replace(
            task,
            beside=chosen.is_beside(unit.variant),
            pass_bytes=unit.data.canonical_bytes,
            message_bytes=unit.data.canonical_bytes / max(unit.data.messages, 1),
            pace=pace_of(unit.variant, unit.spec, unit.compiler),
        )
        for unit, task in tasks
    ]


@dataclass(frozen=True)
class Plan:
    """The tasks to measure, the number of rounds, and the limits of time.

    Attributes:
        tasks: the tasks; empty until units are built and verified.
        rounds: the least number of passes over all cells.
        seed: the seed of the order in each round.
        target: a share. Further rounds measure the cells that need them, until the interval of every ratio to
            the best reaches no farther than this on either side, and no two cells that share a rank are
            farther apart; None for no further rounds.
        most_rounds: the number of the last round that may be made for the sake of ``target``.
        budget_s: the seconds after which no process is started, nor a round that would end later if it took
            as long as the one before. None for no limit.
        least_rounds: the number of rounds that are made even after ``budget_s``, since nothing is known
            without them.
        further_s: the seconds after which no further round is started; None for no limit.
        max_time_s: the seconds after which no process is started; None for no limit.
        sample_ns: least duration of a sample.
        samples: the samples of a cell in a round.
        iterations: the passes of every sample; None for as many as take ``sample_ns``.
        warmup_ns: the longest warm-up of a runner with a JIT compiler; None for the runner's own limit.
        apart: codecs that do not compete; no further round is made for their sake.
        slower: how many times as long this machine takes as a typical one.
        by_workload: whether a round measures all of one workload before the next.
        share: this machine's share of each round, where several machines share the cells; None for a machine
            that measures all of them.
    """

    tasks: Sequence[Task]
    rounds: int
    seed: int
    target: float | None = None
    most_rounds: int = 0
    budget_s: float | None = None
    least_rounds: int = 0
    further_s: float | None = None
    max_time_s: float | None = None
    sample_ns: int = 10_000_000
    samples: int = 3
    iterations: int | None = None
    warmup_ns: int | None = None
    core: int | None = None
    silence_limit_s: float = SILENCE_LIMIT_S
    apart: frozenset[str] = frozenset()
    slower: float = 1.0
    by_workload: bool = False
    share: Share | None = None

    def tasks_of(self, number: int) -> Sequence[Task]:
        """Return the tasks that this machine measures in the round with this number."""
        share = self.share
        return [task for task in self.tasks if share.takes(task.identity, number)] if share else self.tasks

    def estimate_s(self, tasks: Sequence[Cells]) -> float:
        """Return the estimated seconds of measuring tasks: those of all rounds, or the time limit if it is
        shorter."""
        round_s = self.round_s(tasks)
        budget_s = None if self.budget_s is None else max(self.budget_s, self.least_rounds * round_s)
        limits = (self.rounds * round_s, budget_s, self.max_time_s)
        return min(limit for limit in limits if limit is not None)

    def ends_within(self, number: int) -> float | None:
        """Return the seconds after which no process of this round is started; None for no limit."""
        limits = [self.max_time_s, self.budget_s if number > self.least_rounds else None]
        return min((limit for limit in limits if limit is not None), default=None)

    def round_s(self, tasks: Sequence[Cells]) -> float:
        """Return the estimated seconds of a round of tasks."""
        share = self.share
        parts = (self.task_s(task) * (share.part_of(task.codec) if share else 1.0) for task in tasks)
        return self.slower * sum(parts)

    def task_s(self, task: Cells) -> float:
        """Return the estimated seconds of a task in a round: the start of a process, which makes ready all
        messages, that of one that judges what passes left, and for each cell calibration, warm-up and
        samples, each a pass at least."""
        cells = len(task.operations_in(1))
        processes = task.traits.processes(cells)
        starts_s = processes * (task.traits.start_s + task.made_s) + task.traits.judge_s
        if warm_up := task.traits.warm_up:
            limit_s = (self.warmup_ns or warm_up.longest_ns) / 1e9
            settling_s = min(limit_s, warm_up.least_batches * task.pass_s)
            warmup_s = max(task.pace.warmup_within(limit_s), settling_s)
            sample_s = max(warm_up.sample_s, task.pass_s)
            return starts_s + cells * (max(warmup_s, task.pass_s) + (self.samples + 1) * sample_s)
        batch_s = self.sample_ns / 1e9
        others = _OF_SHORT if task.pass_s <= LONG * batch_s else _OF_LONG
        batch_s = max(batch_s, task.pass_s)
        sample_s = max(batch_s, task.traits.typical.sample_s)
        return starts_s + cells * (self.samples * sample_s + others * batch_s)

    def learned_pace(
        self, task: Cells, pass_ns: float, batches: float, process_s: float, crowd: float = 1.0
    ) -> Pace:
        """Return the pace of a task's program by which ``task_s`` foresees what was taken.

        Args:
            pass_ns: the nanoseconds of a pass, the mean of its operations.
            batches: how many batches of passes warmed up a cell, the mean of its operations.
            process_s: the seconds of a process that measured all operations, with the one that judged it.
            crowd: the factor by which others made it longer to make messages ready.
        """
        pace = Pace(pass_ns / task.pass_bytes, made_bytes=task.pass_bytes)
        if warm_up := task.traits.warm_up:
            warmup_s = batches * max(warm_up.shortest_ns, pass_ns) / 1e9
            pace = msgspec.structs.replace(pace, warmup_s=warmup_s)
        processes = task.traits.processes(len(task.operations_in(1)))
        made_s = (process_s - self.task_s(replace(task, pace=pace))) / processes / crowd
        return msgspec.structs.replace(pace, made_s=max(0.0, made_s))


_OF_SHORT, _OF_LONG = 4, 3
"""The batches of a cell besides its samples, where no code is compiled: those of calibration and warm-up, for
short passes and for those that take more than ``LONG`` samples."""
