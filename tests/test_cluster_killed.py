"""Tests in which a client, a scheduler or a worker of Dask is killed at random, and the run is continued
until it is complete."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.fake_cluster import ORDER
from tests.test_cluster import head, samples_of

from serbench.measure.parts import parts_of
from serbench.measure.store import Run
from serbench.paths import PROJECT

pytest.importorskip("distributed", reason="needs distributed, from the extra serbench[cluster]")

CLIENT = """
import sys
from dataclasses import replace
from pathlib import Path
from tests import fake_cluster
from tests.test_cluster import PLAN
from tests.test_pipeline import Quiet
from serbench.cluster.address import parse_address
from serbench.cluster.engine import connected
from serbench.cluster.measuring import Measuring
from serbench.measure.store import Journal, Run

def main(address, run):
    plan = replace(PLAN, rounds={rounds}, samples=1)
    with connected(parse_address(address, False), fake_cluster.answer) as engine, Journal(run) as journal:
        of_all = Measuring(engine, fake_cluster.ORDER, run, journal, print)
        parts = of_all.prepare(engine.members(), lambda tasks, before: replace(plan, tasks=tasks), Quiet())
        of_all.measure(parts, Quiet())

main(sys.argv[1], Run(Path(sys.argv[2])))
"""


class Fleet:
    """A scheduler, a nanny that keeps one worker alive, and a client that measures with this worker."""

    def __init__(self, folder: Path, run: Run, rounds: int):
        self.folder, self.run, self.rounds = folder, run, rounds
        self.port = 20_000 + os.getpid() % 10_000
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, *words: str) -> None:
        path = os.pathsep.join([str(PROJECT / "src"), str(PROJECT)])
        environment = {**os.environ, "PYTHONPATH": path, "SERBENCH_HOME": str(self.folder / "home")}
        with (self.folder / f"{name}.log").open("ab") as log:
            command = [sys.executable, *words]
            self.processes[name] = subprocess.Popen(
                command, env=environment, stdout=log, stderr=log, start_new_session=True
            )

    def keep(self) -> None:
        """Starts the scheduler, the nanny with its worker and the client, each if it does not run."""
        address = f"tcp://127.0.0.1:{self.port}"
        dask = ("-m", "dask")
        starts = {
            "scheduler": (
                *dask,
                "scheduler",
                "--host",
                "127.0.0.1",
                "--port",
                str(self.port),
                "--no-dashboard",
            ),
            "worker": (
                *dask,
                "worker",
                address,
                "--nthreads",
                "1",
                "--no-dashboard",
                "--death-timeout",
                "20",
            ),
            "client": ("-c", CLIENT.format(rounds=self.rounds), address, str(self.run.directory)),
        }
        for name, words in starts.items():
            process = self.processes.get(name)
            if process is None or process.poll() is not None:
                self.start(name, *words)

    def kill(self, name: str) -> None:
        process = self.processes[name]
        if process.poll() is None:
            victim = process.pid if name != "worker" else (children_of(process.pid) or [process.pid])[-1]
            os.kill(victim, signal.SIGKILL)
            if victim == process.pid:
                process.wait()

    def end(self) -> None:
        for process in self.processes.values():
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def children_of(process: int) -> list[int]:
    text = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(each) for each in text.split()]


def whole(run: Run, rounds: int) -> bool:
    parts = parts_of(run)
    counts = samples_of(parts[0]) if parts else {}
    return (
        len(counts) == len(ORDER.codecs) * 3 * rounds and bool(parts) and Run(parts[0].directory).taken.ended
    )


@pytest.mark.slow("kill clusters")
def test_whatever_is_killed_every_sample_is_there_once_in_the_end(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    kills = request.config.getoption("kills")
    rounds = max(4, 2 * kills)
    draws, run = random.Random(7), head(tmp_path)
    fleet = Fleet(tmp_path, run, rounds)
    left, end = kills, time.monotonic() + 60 * (kills + 3)
    try:
        while time.monotonic() < end and not whole(Run(run.directory), rounds):
            fleet.keep()
            time.sleep(draws.uniform(1, 12))
            if left and not whole(Run(run.directory), rounds):
                fleet.kill(draws.choice(["client", "scheduler", "worker"]))
                left -= 1
    finally:
        fleet.end()
    logs = "\n".join(f"{path.name}: {path.read_text()[-1500:]}" for path in tmp_path.glob("*.log"))
    assert whole(Run(run.directory), rounds), logs
    (part,) = parts_of(Run(run.directory))
    assert set(samples_of(part).values()) == {1}
    print(f"{kills - left} kills")
