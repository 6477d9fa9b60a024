"""A simulated fleet: machines with speeds, noise and failures of their own, measured by the code that
measures real machines.

``PYTHONPATH=src python -m tests.simulated_fleet`` prints the first table of docs/scale.md: the time that the
client itself works for so many machines, and the time and memory that the summary of a run takes.
``tests.simulated_dask`` has the same machines behind a scheduler of Dask.
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
from tests.fake_cluster import ORDER, announced, prepared
from tests.test_pipeline import OPERATIONS, Quiet, make_run

from serbench.cluster.kinds import ClusterMachine, members_of
from serbench.cluster.measuring import Measuring
from serbench.cluster.messages import Announced, Order, Prepared, Reply, Took
from serbench.cluster.pool import Lost, Pool, Refused
from serbench.measure.parts import parts_of
from serbench.measure.plan import Plan, Task
from serbench.measure.run import Process
from serbench.measure.store import Journal, Run, create_run
from serbench.report.machines_table import machines_tables

KINDS = ("17", "1", "97")
"""The processor models of three kinds of machines; on the second kind, the order of the first two codecs is
reversed."""

SAMPLES = 2
"""The number of samples of each cell in a round."""


class Died(Exception):
    """Raised when a simulated machine dies of a client's question."""


@dataclass
class Simulated:
    """A simulated machine, by its number in the fleet.

    Attributes:
        failing: the share of questions to measure something during which the machine dies.
        noise: the standard deviation of the logarithm of a time.
        own: the description that the machine's worker announces, with a host name that no other machine has.
        speed: the factor by which the machine's times differ from those of its kind.
    """

    number: int
    failing: float = 0.001
    noise: float = 0.02

    def __post_init__(self) -> None:
        self.draws = random.Random(self.number)
        self.own: Announced = announced(f"m{self.number:04}", model=KINDS[self.number % len(KINDS)])
        self.speed = self.draws.lognormvariate(0, 0.01)
        self._built = False

    def answer(self, question: str, data: bytes) -> bytes:
        """Answers a question as ``host.answer`` does.

        Raises:
            Died: the machine died of the question, and has forgotten what it built.
        """
        answer: Announced | Prepared | Took | dict[str, int] = self.own
        if question == "prepare":
            answer = _prepared(msgspec.json.decode(data, type=Order), self.own)
            self._built = True
        elif question != "announce" and not self._built:
            return msgspec.json.encode(Reply(refused="the worker has started anew", unknown=True))
        elif question == "measure":
            if self.draws.random() < self.failing:
                self._built = False
                raise Died
            answer = self._took(msgspec.json.decode(data, type=Process))
        elif question == "refer":
            answer = {"integer_ns": 1000}
        return msgspec.json.encode(Reply(value=msgspec.Raw(msgspec.json.encode(answer))))

    def _took(self, process: Process) -> Took:
        codec = int(process.command[0].rpartition("/")[2])
        factor = 1 + 0.05 * codec
        if self.own.machine.model == KINDS[1] and codec < 2:
            factor = 1.05 - 0.05 * codec
        samples = []
        for cell in process.cells:
            operation, memory = cell.split(":")
            for _ in range(process.samples):
                time_ns = 1e7 * factor * self.speed * self.draws.lognormvariate(0, self.noise)
                own = {"operation": operation, "memory": memory}
                samples.append({"event": "sample", **own, "iterations": 1000, "elapsed_ns": round(time_ns)})
        return Took(heard=True, samples=tuple(samples))


@dataclass
class Fleet:
    """A pool of simulated machines; a machine that dies is back at once."""

    machines: int
    failing: float = 0.001
    asked: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.simulated = {f"tcp://{n}": Simulated(n, self.failing) for n in range(self.machines)}
        self.all = members_of({address: machine.own for address, machine in self.simulated.items()})

    def members(self) -> Sequence[ClusterMachine]:
        return self.all

    def ask(self, address: str, question: str, data: bytes) -> bytes:
        with self._lock:
            self.asked += 1
        try:
            return self.simulated[address].answer(question, data)
        except Died:
            raise Lost("its worker is gone") from None

    def hand_over(self, giver: str, program: bytes, takers: Sequence[str]) -> list[bytes | Lost | Refused]:
        """Answers for every taker that the program was lost, since no simulated machine has a program to
        give."""
        return [Lost("there are no programs")] * len(takers)

    def give_up(self) -> None:
        """Does nothing, since nobody waits for a simulated machine."""


def _prepared(order: Order, own: Announced) -> Prepared:
    made = prepared(order, own.machine)
    tasks = tuple(replace(task, command=(task.codec,)) for task in made.tasks)
    return msgspec.structs.replace(made, tasks=tasks)


def measured(folder: Path, pool: Pool, codecs: int, rounds: int) -> Run:
    """Measures on all machines of a pool; each codec has a cell for each operation."""
    names = tuple(f"fake/{n:02}" for n in range(codecs))
    order = msgspec.structs.replace(ORDER, codecs=names)
    manifest = msgspec.structs.replace(make_run(folder, list(names)).manifest, cluster="tcp://simulated:1")
    run = create_run(folder, msgspec.to_builtins(manifest))

    def plan_of(tasks: Sequence[Task], before: Run | None) -> Plan:
        return Plan(tasks, rounds, seed=1, samples=SAMPLES)

    with Journal(run) as journal:
        of_all = Measuring(pool, order, run, journal, lambda _: None)
        of_all.measure(of_all.prepare(pool.members(), plan_of, Quiet()), Quiet())
    return run


def summarised(run: Run) -> None:
    """Makes the tables of a run, and asserts that they name the two codecs whose order differs between kinds
    of machines."""
    tables = machines_tables(Run(run.directory))
    changed = [row[2] for table in tables for row in table.rows if table.title.startswith("where")]
    assert "fake/00 / fake/01" in changed, changed


def asked_for() -> argparse.ArgumentParser:
    """The parser of options that say which fleets are simulated."""
    options = argparse.ArgumentParser()
    options.add_argument("--machines", type=int, nargs="+", default=[10, 100, 1000])
    options.add_argument("--codecs", type=int, default=34)
    options.add_argument("--rounds", type=int, default=9)
    return options


def main() -> None:
    asked = asked_for().parse_args()
    print("| machines | cells | questions | client, s | journals, MB | summary, s | memory, MB |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for machines in asked.machines:
        with tempfile.TemporaryDirectory() as folder:
            begun, fleet = time.process_time(), Fleet(machines)
            run = measured(Path(folder), fleet, asked.codecs, asked.rounds)
            done = time.process_time()
            summarised(run)
            summed = time.process_time()
            size = sum(part.journal.stat().st_size for part in parts_of(run))
            cells = machines * asked.codecs * len(OPERATIONS)
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
            print(
                f"| {machines:,} | {cells:,} | {fleet.asked:,} | {done - begun:.1f} | {size / 1e6:.1f} | "
                f"{summed - done:.1f} | {memory:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
