"""Plans: the tasks to measure, how often, and how long that takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from serbench.codecs.codec import Tolerance
from serbench.codecs.traits import Traits
from serbench.dataset.edits import edits_beside
from serbench.measure.identity import Identity
from serbench.measure.judging import Judge
from serbench.measure.process import SILENCE_LIMIT_S
from serbench.measure.shares import Share
from serbench.measure.unit import Unit
from serbench.selecting.selection import Chosen, Operation
from serbench.stats.stopping import Cell


@dataclass(frozen=True)
class Cells:
    """The cells of a unit, which one process of each round measures: how long they take is known before the
    unit is built.

    Attributes:
        operations: the operations to measure.
        compiler: empty where its language has one only.
        traits: the traits of its language.
        beside: whether it is a floor that nobody asked for, which is to take little time.
    """

    codec: str
    workload: str
    operations: tuple[Operation, ...]
    compiler: str = field(default="", kw_only=True)
    traits: Traits = field(default=Traits("a language"), kw_only=True)
    beside: bool = field(default=False, kw_only=True)

    @property
    def identity(self) -> Identity:
        return Identity(self.codec, self.workload, self.compiler)

    @property
    def in_turns(self) -> bool:
        """Whether each round measures one of its operations, and the next round the next one: those of cells
        ``beside``, where each has to warm up."""
        return self.beside and self.traits.warm_up is not None

    def operations_in(self, number: int) -> tuple[Operation, ...]:
        """Its operations that a round measures."""
        return (self.operations[number % len(self.operations)],) if self.in_turns else self.operations

    def cell(self, operation: Operation) -> Cell:
        return (*self.identity, str(operation))


@dataclass(frozen=True)
class Task(Cells):
    """The cells of a unit that was built and offers their operations, and the programs that measure them, as
    plain data.

    Attributes:
        command: starts the runner, without ``measure`` and its options.
        views: the names of the operations that are constant-time views, which compete among themselves.
        layouts: the commands that start the program in each of its layouts; rounds take turns over them in
            place of ``command``. Empty where there is one layout only.
        is_private: whether the data are somebody's own.
        edits: the file of what their values may become while they are measured; None where they stay as they
            are.
        tolerance: the changes that the codec may make in them.
    """

    command: tuple[str, ...]
    dataset: str
    views: tuple[str, ...] = ()
    layouts: tuple[tuple[str, ...], ...] = ()
    is_private: bool = False
    edits: str | None = None
    tolerance: Tolerance = field(default=Tolerance())

    @classmethod
    def of(cls, unit: Unit, asked: Sequence[Operation]) -> Task | None:
        """The task of a unit: the operations of ``asked`` that it offers; None if it was not verified or
        offers none."""
        offered = tuple(
            operation for operation in asked if unit.status == "ok" and unit.offers(operation.name)
        )
        if not (offered and unit.verification):
            return None
        return cls(
            codec=unit.variant.id,
            workload=unit.spec.id,
            command=unit.command,
            dataset=str(unit.data.path),
            operations=offered,
            compiler=unit.compiler,
            views=unit.verification.views,
            traits=unit.variant.codec.traits,
            layouts=unit.layouts,
            is_private=unit.data.is_private,
            edits=edits_beside(unit.data, unit.variant.tells_floats) if unit.verification.edits else None,
            tolerance=unit.variant.tolerance,
        )

    def judge(self, silence_limit_s: float) -> Judge | None:
        """The judge of what its processes leave; None where values stay as they are."""
        if self.edits is None:
            return None
        return Judge(self.command, self.dataset, self.edits, self.tolerance, silence_limit_s)


def chosen_tasks(units: Sequence[Unit], chosen: Chosen) -> list[Task]:
    """The tasks of a selection's units."""
    tasks = [(unit, task) for unit in units if (task := Task.of(unit, chosen.operations))]
    return [replace(task, beside=unit.variant in chosen.beside) for unit, task in tasks]


@dataclass(frozen=True)
class Plan:
    """The tasks to measure, how often, and for how long.

    Attributes:
        tasks: the tasks; none before they are built and verified.
        rounds: passes over all cells, at least.
        seed: the seed of the order in each round.
        target: a share. Further rounds are made over the cells that need them, until the interval of every
            ratio to the best reaches no farther than this on either side, and no two cells that share a rank
            are farther apart; None for no further rounds.
        most_rounds: the number of the round after which these end at the latest.
        budget_s: no process is started after so many seconds; nor is a round that would end after them if it
            took as long as the one before. None for no limit.
        least_rounds: so many rounds are made even after ``budget_s``, since nothing is known without them.
        further_s: no further round is started after so many seconds; None for no limit.
        max_time_s: no process is started after so many seconds; None for no limit.
        sample_ns: least duration of a sample.
        samples: samples per cell and round.
        iterations: passes of every sample; None for as many as ``sample_ns`` takes.
        warmup_ns: most that a runner with a JIT compiler warms up for; None for its own limit.
        apart: codecs that are no contenders; no round is made for their sake.
        slower: how many times as long tasks take on this machine as on one that is typical.
        by_workload: whether a round does all of a workload before it begins the next.
        share: this machine's part in each round, where several machines share the cells; None for one that
            measures all.
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
        """The tasks that this machine measures in a round."""
        share = self.share
        return [task for task in self.tasks if share.takes(task.identity, number)] if share else self.tasks

    def estimate_s(self, tasks: Sequence[Cells]) -> float:
        """Seconds that measuring tasks takes: those of all rounds, or a limit where that is less."""
        round_s = self.round_s(tasks)
        budget_s = None if self.budget_s is None else max(self.budget_s, self.least_rounds * round_s)
        limits = (self.rounds * round_s, budget_s, self.max_time_s)
        return min(limit for limit in limits if limit is not None)

    def ends_within(self, number: int) -> float | None:
        """The seconds after which nothing of this round is started; None for no limit."""
        limits = [self.max_time_s, self.budget_s if number > self.least_rounds else None]
        return min((limit for limit in limits if limit is not None), default=None)

    def round_s(self, tasks: Sequence[Cells]) -> float:
        """Seconds of a round of tasks."""
        share = self.share
        parts = (self.task_s(task) * (share.part_of(task.codec) if share else 1.0) for task in tasks)
        return self.slower * sum(parts)

    def task_s(self, task: Cells) -> float:
        """Estimated seconds of a task in a round, for passes shorter than a sample: the start of a process,
        and for each cell calibration, warm-up and samples. Longer passes take longer."""
        cells = len(task.operations_in(1))
        if warm_up := task.traits.warm_up:
            processes = -(-cells // warm_up.cells_of_a_process)
            warmup_s = (self.warmup_ns or warm_up.longest_ns) / 1e9
            return processes * warm_up.start_s + cells * (warmup_s + (self.samples + 1) * warm_up.sample_s)
        return 0.02 + cells * (self.samples + 4) * self.sample_ns / 1e9
