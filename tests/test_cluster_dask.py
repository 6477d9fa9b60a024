"""Tests of measuring over real workers of Dask on this machine, which measure the fake runner."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from tests import fake_cluster
from tests.fake_cluster import ORDER
from tests.test_cluster import PLAN, head, samples_of
from tests.test_pipeline import Quiet

from serbench.cluster.address import parse_address
from serbench.cluster.kinds import ClusterMachine
from serbench.cluster.measuring import Measuring
from serbench.cluster.messages import KeptProgram, Reply
from serbench.cluster.pool import Gone, Lost, Pool, Refused
from serbench.cluster.programs import KeptPrograms
from serbench.errors import SerbenchError
from serbench.measure.parts import parts_of
from serbench.measure.plan import Plan, Task
from serbench.measure.store import Journal, Run
from serbench.paths import PROJECT, Paths
from serbench.system.stamp import sha256_of

pytest.importorskip("distributed", reason="needs distributed, from the extra serbench[cluster]")

if True:  # they import what may be missing
    from tests import simulated_workers
    from tests.simulated_dask import started

    import serbench.cluster.engine
    from serbench.cluster.engine import Engine, connected, shared_out


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """A cluster of two workers on this machine, or of one if the machine has one core."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SERBENCH_HOME", str(tmp_path_factory.mktemp("home")))
        workers = min(2, len(os.sched_getaffinity(0)))
        with connected(parse_address(f"local:{workers}", False), fake_cluster.answer) as engine:
            yield engine


def measure(pool: Pool, run: Run, said: list[str]) -> None:
    def plan_of(tasks: Sequence[Task], before: Run | None) -> Plan:
        return replace(PLAN, tasks=tasks, rounds=2, samples=1)

    with Journal(run) as journal:
        of_all = Measuring(pool, ORDER, run, journal, said.append)
        of_all.measure(of_all.prepare(pool.members(), plan_of, Quiet()), Quiet())


def test_workers_of_this_machine_are_machines_with_cores_of_their_own(engine: Engine) -> None:
    members = engine.members()
    cores = [core for member in members for core in member.announced.cores]
    assert len(members) == min(2, len(os.sched_getaffinity(0)))
    assert len(cores) == len(set(cores))
    assert {member.kind for member in members} == {members[0].kind}
    assert {finding.check for finding in members[0].announced.findings} >= {"load", "CPU quota", "clock"}


def test_they_measure_at_once_and_a_worker_that_dies_goes_on_where_it_was(
    engine: Engine, tmp_path: Path
) -> None:
    run, said = head(tmp_path), list[str]()
    victim = engine.members()[0]
    dying = _Dying(engine, victim.name, after=2)
    measure(dying, run, said)
    parts = parts_of(run)
    assert [part.directory.name for part in parts] == [member.name for member in engine.members()]
    assert dying.killed and not said
    for part in parts:
        assert len(samples_of(part)) == 2 * len(ORDER.codecs) * 3 and set(samples_of(part).values()) == {1}


def test_a_program_goes_from_worker_to_worker(engine: Engine) -> None:
    files = [b"program", b"layout"]
    program = KeptProgram(
        run="r", codec="a", workload="w", compiler="", key="ab" * 32, digest=sha256_of(*files)
    )
    home = Paths.default().home
    giver, *_, taker = [member.address for member in engine.members()] * 2
    KeptPrograms(home / "programs" / "r").keep(program.key, files)
    assert handed(engine, giver, program, taker) == [""]
    (kept,) = home.glob("of worker */programs/r")  # fake_cluster.answer has them received here
    assert KeptPrograms(kept).read(program.key) == (b"program", b"layout")
    unknown = msgspec.structs.replace(program, key="cd" * 32)
    assert handed(engine, giver, unknown, taker) == ["no longer has the program of a × w"]
    assert handed(engine, "tcp://127.0.0.1:9", program, taker) == ["its worker is gone"]


def handed(engine: Engine, giver: str, program: KeptProgram, taker: str) -> list[str]:
    """The answer of a worker to which another worker hands a program: the reason why it was refused; empty if
    it was taken."""
    answers = engine.hand_over(giver, msgspec.json.encode(program), [taker])
    return [
        msgspec.json.decode(each, type=Reply).refused if isinstance(each, bytes) else str(each)
        for each in answers
    ]


def test_a_worker_that_knows_no_such_question_refuses_it(engine: Engine) -> None:
    with pytest.raises(Refused, match=r"its worker is of another serbench \(KeyError\('unheard of'\)\)"):
        engine.ask(engine.members()[0].address, "unheard of", b"null")


class _Dying:
    """A cluster in which a worker is killed once, while it measures."""

    def __init__(self, engine: Engine, name: str, after: int):
        self.engine, self.name, self.left, self.killed = engine, name, after, False

    def members(self) -> Sequence[ClusterMachine]:
        return self.engine.members()

    def ask(self, address: str, question: str, data: bytes) -> bytes:
        own = [m.address for m in self.engine.members() if m.name == self.name]
        if address in own and question == "measure":
            self.left -= 1
            if not self.left:
                self.killed = True
                with pytest.raises(Lost):
                    self.engine.ask(address, "die", b"null")
        return self.engine.ask(address, question, data)

    def hand_over(self, giver: str, program: bytes, takers: Sequence[str]) -> list[bytes | Lost | Refused]:
        return self.engine.hand_over(giver, program, takers)

    def give_up(self) -> None:
        self.engine.give_up()


def test_what_was_answered_is_held_no_longer(engine: Engine) -> None:
    """Neither the client nor the scheduler keeps answers, since the scheduler passes on many thousands of
    them."""
    at = engine.members()[0].address
    engine.ask(at, "refer", b"null")
    end = time.monotonic() + 20
    while (held := list(engine._client.futures)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not held and not engine._waiting


def test_machines_that_nothing_became_of_are_told_apart_once(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = engine.members()
    monkeypatch.setattr(serbench.cluster.engine, "members_of", lambda announced: [])
    assert engine.members() == known


def test_where_it_is_given_up_nobody_waits(tmp_path: Path) -> None:
    with (
        started(tmp_path, machines=1, failing=0, latency_s=60) as cluster,
        connected(parse_address(cluster.address, False), simulated_workers.answer) as engine,
    ):
        (only,) = engine.members()
        threading.Timer(0.3, engine.give_up).start()
        with pytest.raises(Gone, match="given up"):
            engine.ask(only.address, "measure", b"null")
        with pytest.raises(Gone, match="given up"):
            engine.ask(only.address, "measure", b"null")


def test_there_are_no_more_workers_than_cores() -> None:
    with pytest.raises(SerbenchError, match=r"local:999: found \d+ cores, expected one for each worker"):
        shared_out(999)
    assert shared_out(1) == {"0": sorted(os.sched_getaffinity(0))}


def test_a_scheduler_that_is_not_there_is_an_error() -> None:
    code = (
        "import serbench.cluster.engine as e; from serbench.cluster.address import parse_address;"
        "e.CONNECT_S = 0.5; e.connected(parse_address('tcp://127.0.0.1:9', False)).__enter__()"
    )
    environment = {**os.environ, "PYTHONPATH": str(PROJECT / "src")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert "SerbenchError: --cluster tcp://127.0.0.1:9 does not answer" in done.stderr


def test_nothing_else_imports_it() -> None:
    """Only code for clusters may import Dask: not the commands for one machine, not the code of a worker, and
    not tests that run without the extra."""
    code = (
        "import sys; from serbench.cli.app import register; register([]);"
        "import serbench.cluster.host, serbench.cluster.measuring;"
        "print([m for m in ('dask', 'distributed', 'tornado') if m in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": str(PROJECT / "src")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout == "[]\n", done.stderr


def test_what_is_sent_is_data() -> None:
    assert msgspec.json.decode(msgspec.json.encode(ORDER), type=type(ORDER)) == ORDER
