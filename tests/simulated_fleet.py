"""A fleet that there is not: machines with speeds, noise and failures of their own, measured by the code that
measures real ones.

``PYTHONPATH=src python -m tests.simulated_fleet`` prints the table of docs/scale.md: how long the client
itself works for so many machines, and how long and in how much memory a run of them is summarised.
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

from serbench.cluster.kinds import Member, members_of
from serbench.cluster.measuring import Measuring
from serbench.cluster.messages import Announced, Order, Prepared, Referred, Reply, Took
from serbench.cluster.pool import Lost
from serbench.measure.parts import parts_of
from serbench.measure.plan import Plan, Task
from serbench.measure.run import Process
from serbench.measure.store import Journal, Run, create_run
from serbench.report.machines_table import machines_tables

KINDS = ("17", "1", "97")
"""The models of three kinds; on the second, the first two codecs change places."""


@dataclass
class Fleet:
    """A pool of simulated machines.

    Attributes:
        failing: the share of questions of which a machine dies; it is back at once.
    """

    machines: int
    codecs: Sequence[str]
    failing: float = 0.001
    noise: float = 0.02
    asked: int = 0
    _forgotten: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.draws = random.Random(1)
        self.known: dict[str, Announced] = {
            f"tcp://{n}": announced(f"m{n:04}", model=KINDS[n % len(KINDS)]) for n in range(self.machines)
        }
        self.all = members_of(self.known)
        self.speeds = {address: self.draws.lognormvariate(0, 0.01) for address in self.known}

    def members(self) -> Sequence[Member]:
        return self.all

    def ask(self, address: str, question: str, data: bytes) -> bytes:
        with self._lock:
            self.asked += 1
            dies = question == "measure" and self.draws.random() < self.failing
            if dies:
                self._forgotten.add(address)
                raise Lost("its worker is gone")
            if question == "prepare":
                self._forgotten.discard(address)
            elif address in self._forgotten:
                return msgspec.json.encode(Reply(refused="the worker has started anew", unknown=True))
        answer: Prepared | Took | Referred = Referred(figures={"integer_ns": 1000})
        if question == "prepare":
            answer = _prepared(msgspec.json.decode(data, type=Order), self.known[address])
        elif question == "measure":
            answer = self._took(address, msgspec.json.decode(data, type=Process))
        return msgspec.json.encode(Reply(value=msgspec.Raw(msgspec.json.encode(answer))))

    def _took(self, address: str, process: Process) -> Took:
        codec = self.codecs.index(process.command[0])
        factor = 1 + 0.05 * codec
        if self.known[address].machine.model == KINDS[1] and codec < 2:
            factor = 1.05 - 0.05 * codec
        samples = []
        for cell in process.cells:
            operation, memory = cell.split(":")
            for _ in range(process.samples):
                time_ns = 1e7 * factor * self.speeds[address] * random.lognormvariate(0, self.noise)
                own = {"operation": operation, "memory": memory}
                samples.append({"event": "sample", **own, "iterations": 1000, "elapsed_ns": round(time_ns)})
        return Took(heard=True, samples=tuple(samples))

    def give_up(self) -> None:
        """Nobody waits here."""


def _prepared(order: Order, own: Announced) -> Prepared:
    made = prepared(order, own.machine)
    tasks = tuple(replace(task, command=(task.codec,)) for task in made.tasks)
    return msgspec.structs.replace(made, tasks=tasks)


def measured(folder: Path, machines: int, codecs: int, rounds: int) -> tuple[Run, Fleet]:
    """A run of a fleet in which each codec has a cell for each operation."""
    names = tuple(f"fake/{n:02}" for n in range(codecs))
    fleet = Fleet(machines, names)
    order = msgspec.structs.replace(ORDER, codecs=names)
    manifest = msgspec.structs.replace(make_run(folder, list(names)).manifest, cluster="tcp://simulated:1")
    run = create_run(folder, msgspec.to_builtins(manifest))

    def plan_of(tasks: Sequence[Task], before: Run | None) -> Plan:
        return Plan(tasks, rounds, seed=1, samples=2)

    with Journal(run) as journal:
        of_all = Measuring(fleet, order, run, journal, lambda _: None)
        of_all.measure(of_all.prepare(fleet.members(), plan_of, Quiet()), Quiet())
    return run, fleet


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--machines", type=int, nargs="+", default=[10, 100, 1000])
    options.add_argument("--codecs", type=int, default=34)
    options.add_argument("--rounds", type=int, default=9)
    asked = options.parse_args()
    print("| machines | cells | questions | client, s | journals, MB | summary, s | memory, MB |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for machines in asked.machines:
        with tempfile.TemporaryDirectory() as folder:
            begun = time.process_time()
            run, fleet = measured(Path(folder), machines, asked.codecs, asked.rounds)
            done = time.process_time()
            tables = machines_tables(Run(run.directory))
            summed = time.process_time()
            changed = [row[2] for table in tables for row in table.rows if table.title.startswith("where")]
            assert "fake/00 / fake/01" in changed, changed
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
