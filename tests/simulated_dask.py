"""The simulated fleet behind a scheduler of Dask: client, scheduler, connections and workers are real and in
processes of their own; only a worker's answers to questions are made up."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import psutil
from tests.simulated_fleet import asked_for, measured, summarised
from tests.simulated_workers import answer
from tests.test_pipeline import OPERATIONS

from serbench.cluster.address import parse_address
from serbench.cluster.engine import connected
from serbench.cluster.kinds import ClusterMachine
from serbench.cluster.pool import Lost, Pool, Refused
from serbench.paths import PROJECT

A_PROCESS = 125
"""The number of workers in one process."""

START_S = 60.0
"""The seconds within which a scheduler has to print its address."""

IDLE_S = 15.0
"""The seconds for which the processor time of a scheduler that nobody asks anything is measured."""


@dataclass
class Cluster:
    """A scheduler and the workers that were started for it.

    Attributes:
        address: the address of the scheduler.
        workers: the processes of the workers.
    """

    address: str
    scheduler: psutil.Process
    workers: Sequence[psutil.Process]

    @property
    def scheduler_s(self) -> float:
        """The seconds of processor time that the scheduler has used so far."""
        return _used_s(self.scheduler)

    @property
    def workers_s(self) -> float:
        """The seconds of processor time that all workers together have used so far."""
        return sum(map(_used_s, self.workers))

    @property
    def scheduler_mb(self) -> float:
        """The megabytes of memory that the scheduler holds now."""
        return float(self.scheduler.memory_info().rss) / 1e6


def _used_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


@contextlib.contextmanager
def started(folder: Path, machines: int, failing: float, latency_s: float) -> Iterator[Cluster]:
    """Starts a scheduler and the workers of ``machines`` machines, and kills them when the context ends.

    Args:
        latency_s: the mean of the seconds that a measurement takes.

    Raises:
        RuntimeError: they did not start; the text is what they printed.
    """
    where = folder / "scheduler.json"
    with contextlib.ExitStack() as stack:
        words = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(where))
        scheduler = _start(stack, folder, "dask", "scheduler", *words)
        address = _address(where, folder / "dask.log")
        starts = []
        for first in range(0, machines, A_PROCESS):
            own = (first, min(A_PROCESS, machines - first), failing, latency_s)
            starts.append(_start(stack, folder, "tests.simulated_workers", address, *map(str, own)))
        for process in starts:
            if process.stdout and process.stdout.readline() != b"ready\n":
                raise RuntimeError((folder / "tests.simulated_workers.log").read_text())
        workers = [psutil.Process(process.pid) for process in starts]
        yield Cluster(address, psutil.Process(scheduler.pid), workers)


def _start(stack: contextlib.ExitStack, folder: Path, module: str, *words: str) -> subprocess.Popen[bytes]:
    path = os.pathsep.join([str(PROJECT / "src"), str(PROJECT)])
    environment = {**os.environ, "PYTHONPATH": path, "DASK_TEMPORARY_DIRECTORY": str(folder)}
    log = stack.enter_context((folder / f"{module}.log").open("ab"))
    process = subprocess.Popen(
        [sys.executable, "-m", module, *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=log,
        cwd=folder,
    )
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


def _address(where: Path, log: Path) -> str:
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        with contextlib.suppress(OSError, msgspec.DecodeError):
            return str(msgspec.json.decode(where.read_bytes())["address"])
        time.sleep(0.1)
    raise RuntimeError(log.read_text())


@dataclass
class Counted:
    """A pool that counts the questions that are asked through it."""

    pool: Pool
    asked: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def members(self) -> Sequence[ClusterMachine]:
        return self.pool.members()

    def ask(self, address: str, question: str, data: bytes) -> bytes:
        with self._lock:
            self.asked += 1
        return self.pool.ask(address, question, data)

    def hand_over(self, giver: str, program: bytes, takers: Sequence[str]) -> list[bytes | Lost | Refused]:
        return self.pool.hand_over(giver, program, takers)

    def give_up(self) -> None:
        self.pool.give_up()


HEADINGS = (
    "machines",
    "cells",
    "rounds",
    "questions",
    "wall, s",
    "client, s",
    "scheduler, s",
    "workers, s",
    "scheduler, MB",
    "idle scheduler, %",
    "questions a second at most",
)


def row_of(folder: Path, machines: int, codecs: int, rounds: int, failing: float, latency_s: float) -> str:
    """Measures a fleet; returns its row of the table that this program prints, whose columns are
    ``HEADINGS``.

    The last column is the most questions in a second that one core of the scheduler can pass on. It is
    computed from the scheduler's processor time less the time that an idle scheduler takes for as many
    workers, which does not grow with the number of questions.
    """
    with (
        started(folder, machines, failing, latency_s) as cluster,
        connected(parse_address(cluster.address, False), answer) as engine,
    ):
        idle = cluster.scheduler_s
        time.sleep(IDLE_S)
        idle = (cluster.scheduler_s - idle) / IDLE_S
        pool = Counted(engine)
        wall, client = time.monotonic(), time.process_time()
        scheduler, workers = cluster.scheduler_s, cluster.workers_s
        run = measured(folder, pool, codecs, rounds)
        wall, client = time.monotonic() - wall, time.process_time() - client
        scheduler, workers = cluster.scheduler_s - scheduler, cluster.workers_s - workers
        memory = cluster.scheduler_mb
    summarised(run)
    each = (scheduler - idle * wall) / pool.asked
    return (
        f"| {machines:,} | {machines * codecs * len(OPERATIONS):,} | {rounds} | {pool.asked:,} | "
        f"{wall:.0f} | {client:.1f} | {scheduler:.1f} | {workers:.1f} | {memory:.0f} | {100 * idle:.1f} | "
        f"{(1 - idle) / each:,.0f} |"
    )


def main() -> None:
    options = asked_for()
    options.add_argument(
        "--failing", type=float, default=0.001, help="share of questions of which a machine dies"
    )
    options.add_argument("--latency", type=float, default=0, help="mean seconds of a measurement")
    asked = options.parse_args()
    print(f"| {' | '.join(HEADINGS)} |")
    print("|" + " ---: |" * len(HEADINGS))
    for machines in asked.machines:
        with tempfile.TemporaryDirectory() as folder:
            of = (machines, asked.codecs, asked.rounds, asked.failing, asked.latency)
            print(row_of(Path(folder), *of), flush=True)


if __name__ == "__main__":
    main()
