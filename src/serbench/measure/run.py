"""Executes a plan: rounds over all runners in shuffled order, a fresh process per codec variant × workload."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from serbench.errors import RunnerError
from serbench.measure.process import SILENCE_LIMIT_S, run_runner
from serbench.measure.store import Journal
from serbench.selection import Operation

Cell = tuple[str, str, str, str]
"""Codec, workload, compiler, and operation with memory policy."""


@dataclass(frozen=True)
class Unit:
    """One codec variant × workload: what one process measures.

    Attributes:
        compiler: empty where its language has one only.
        command: starts the runner, without ``measure`` and its options.
        operations: those that the codec offers.
    """

    codec: str
    workload: str
    command: tuple[str, ...]
    dataset: str
    operations: tuple[Operation, ...]
    compiler: str = ""

    @property
    def identity(self) -> dict[str, str]:
        """What every event of it says of it."""
        return {"codec": self.codec, "workload": self.workload, "compiler": self.compiler}

    def cell(self, operation: Operation) -> Cell:
        return (self.codec, self.workload, self.compiler, str(operation))


@dataclass(frozen=True)
class Plan:
    """What is measured how often.

    Attributes:
        max_time_s: no process is started after so much time; None for no limit.
        sample_ns: least duration of a sample.
        samples: samples per cell and round.
        iterations: passes of every sample, in place of as many as ``sample_ns`` takes; None for that.
        warmup_ns: most that a runner with a JIT compiler warms up for; None for its own limit.
    """

    units: Sequence[Unit]
    rounds: int
    seed: int
    max_time_s: float | None = None
    sample_ns: int = 20_000_000
    samples: int = 3
    iterations: int | None = None
    warmup_ns: int | None = None
    core: int | None = None
    silence_limit_s: float = SILENCE_LIMIT_S

    def estimate_s(self) -> float:
        """Seconds that the plan takes where a pass is short: calibration, warm-up and samples per cell, and the start of a
        process. A pass longer than a sample takes longer."""
        cells = sum(len(u.operations) for u in self.units)
        per_cell = (self.samples + 4) * self.sample_ns / 1e9
        whole = self.rounds * (cells * per_cell + 0.02 * len(self.units))
        return whole if self.max_time_s is None else min(whole, self.max_time_s)


class Progress(Protocol):
    """What is told as the plan goes on."""

    def step(self, done: int, total: int, what: str) -> None: ...


@dataclass
class Outcome:
    """How a plan ended.

    Attributes:
        failures: the reason of each cell that failed.
        rounds_done: whole rounds.
        out_of_time: whether ``max_time_s`` cut it short.
    """

    failures: dict[Cell, str] = field(default_factory=dict)
    rounds_done: int = 0
    out_of_time: bool = False


def execute(plan: Plan, journal: Journal, progress: Progress) -> Outcome:
    """Measures every unit in every round; a runner that fails costs its own cells and nothing else."""
    outcome = Outcome()
    draws = random.Random(plan.seed)
    start = time.monotonic()
    total = plan.rounds * len(plan.units)
    done = 0
    for number in range(1, plan.rounds + 1):
        order = draws.sample(list(plan.units), len(plan.units))
        for unit in order:
            operations = [o for o in unit.operations if unit.cell(o) not in outcome.failures]
            draws.shuffle(operations)
            if plan.max_time_s is not None and time.monotonic() - start > plan.max_time_s:
                outcome.out_of_time = True
                return outcome
            progress.step(done, total, f"round {number} of {plan.rounds}, {unit.codec} × {unit.workload}")
            _measure_unit(plan, unit, operations, number, journal, outcome)
            done += 1
        outcome.rounds_done = number
    progress.step(done, total, "done")
    return outcome


def _measure_unit(
    plan: Plan, unit: Unit, operations: Sequence[Operation], number: int, journal: Journal, outcome: Outcome
) -> None:
    """One process; where it fails in an operation, another one for those that were still to come."""
    left = list(operations)
    while left:
        finished: set[str] = set()
        heard = False
        try:
            for event in run_runner(_command(plan, unit, left), plan.core, plan.silence_limit_s):
                heard = True
                if event["event"] == "sample":
                    finished.add(_append_sample(event, unit, number, journal))
            missing = [o for o in left if str(o) not in finished]
            if missing:
                raise RunnerError(f"the runner took no sample of {', '.join(map(str, missing))}")
            return
        except RunnerError as error:
            unfinished = [o for o in left if str(o) not in finished]
            # Who never answered would not answer the next time either; who died at work may do the rest.
            guilty = unfinished[:1] if heard else unfinished
            for operation in guilty:
                _append_failure(str(error), unit, operation, number, journal, outcome)
            left = [o for o in unfinished if o not in guilty]


def _command(plan: Plan, unit: Unit, operations: Sequence[Operation]) -> list[str]:
    return [
        *unit.command, "measure",
        "--dataset", unit.dataset,
        "--cells", ",".join(map(str, operations)),
        "--sample-ns", str(plan.sample_ns),
        "--samples", str(plan.samples),
        *(["--iterations", str(plan.iterations)] if plan.iterations else []),
        *(["--warmup-ns", str(plan.warmup_ns)] if plan.warmup_ns else []),
    ]  # fmt: skip


def _append_sample(event: dict[str, Any], unit: Unit, number: int, journal: Journal) -> str:
    """Appends a sample and returns its cell; raises RunnerError where it is not a sample."""
    cell = f"{event.get('operation')}:{event.get('memory')}"
    iterations, elapsed = event.get("iterations"), event.get("elapsed_ns")
    if not (isinstance(iterations, int) and isinstance(elapsed, int) and iterations > 0 and elapsed > 0):
        raise RunnerError(
            f"a sample of {cell} has iterations {iterations!r} and elapsed_ns {elapsed!r}; expected whole numbers above 0"
        )
    if cell not in map(str, unit.operations):
        raise RunnerError(f"the runner took a sample of {cell}, which was not asked for")
    journal.append({**event, "round": number, **unit.identity})
    return cell


def _append_failure(reason: str, unit: Unit, operation: Operation, number: int, journal: Journal, outcome: Outcome) -> None:
    outcome.failures[unit.cell(operation)] = reason
    journal.append(
        {
            "event": "failure",
            "round": number,
            **unit.identity,
            "operation": operation.name,
            "memory": operation.memory,
            "reason": reason,
        }
    )
