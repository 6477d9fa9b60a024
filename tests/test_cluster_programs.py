"""A program that one machine has built and another one starts: two homes of this machine, real compilers."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support import PATHS

from serbench.catalogue import load_variants
from serbench.cluster import host
from serbench.cluster.building import built_for
from serbench.cluster.messages import Handed, Order, Prepared, Program, Reply
from serbench.cluster.pool import received_by
from serbench.cluster.programs import KEPT_S, Kept, digest_of_all
from serbench.cluster.sources import sources_of
from serbench.paths import Paths
from serbench.selection import Operation
from serbench.workload import load_workloads, parse_workload

CODEC, WORKLOAD = "cpp/memcpy", "record"


@dataclass
class _Machine:
    """A worker whose home is ``folder``."""

    folder: Path
    patch: pytest.MonkeyPatch

    def answer(self, question: str, data: bytes) -> bytes:
        self.patch.setenv("SERBENCH_HOME", str(self.folder))
        return host.answer(question, data)

    def ask(self, question: str, asked: object, expected: Any) -> Any:
        reply = msgspec.json.decode(self.answer(question, msgspec.json.encode(asked)), type=Reply)
        assert not reply.refused, reply.refused
        return msgspec.json.decode(reply.value, type=expected)

    @property
    def objects(self) -> Sequence[Path]:
        """What a compiler made for the codec's cell here."""
        return [path for path in (self.folder / "build").rglob("*.o") if "memcpy" in str(path)]


@pytest.fixture
def machines(monkeypatch: pytest.MonkeyPatch) -> tuple[_Machine, _Machine]:
    """Homes that stay from one run of the tests to the next, but for what was handed over."""
    places = [PATHS.home.parent / "handed over by tests" / name for name in ("one", "other")]
    for place in places:
        shutil.rmtree(place / "programs", ignore_errors=True)
    return _Machine(places[0], monkeypatch), _Machine(places[1], monkeypatch)


def order() -> Order:
    paths = Paths.default()
    variants = [load_variants(paths.codecs)[CODEC]]
    specs = [parse_workload(WORKLOAD, load_workloads(paths.workloads))]
    return Order(
        sources=sources_of(paths, variants, specs),
        codecs=(CODEC,),
        workloads=(WORKLOAD,),
        operations=(Operation("serialize", "reuse"),),
        layouts=1,
    )


@pytest.mark.native
def test_a_program_is_built_once_and_measured_on_both_machines(
    machines: tuple[_Machine, _Machine],
) -> None:
    one, other = machines
    (unbuilt,) = one.ask("programs", order(), tuple[Program, ...])
    assert other.ask("programs", order(), tuple[Program, ...]) == (unbuilt,) and not unbuilt.digest
    (made,) = one.ask("make", order(), tuple[Program, ...])
    assert made.key == unbuilt.key and made.digest
    assert one.objects and not other.objects

    given = one.answer("give", msgspec.json.encode(made))
    received = received_by(other.answer, msgspec.json.encode(made), given)
    assert msgspec.json.decode(received, type=Reply) == Reply(value=msgspec.Raw(b"true"))
    assert other.ask("programs", order(), tuple[Program, ...]) == (made,)

    prepared = [each.ask("prepare", order(), Prepared) for each in machines]
    assert not other.objects  # it has compiled nothing of it
    for each, machine in zip(prepared, machines, strict=True):
        (unit,), (task,) = each.units, each.tasks
        assert unit.status == "ok" and unit.executable
        commands = (task.command, *task.layouts)
        assert [Path(command[0]).is_relative_to(machine.folder) for command in commands] == [True, True]
    assert prepared[0].units[0].executable == prepared[1].units[0].executable
    assert prepared[0].units[0].layouts == prepared[1].units[0].layouts

    # A part that began with a program of its own goes on with that one.
    elsewhere = msgspec.structs.replace(order(), began_with=("00",))
    other.patch.setenv("SERBENCH_HOME", str(one.folder))
    (unit,) = built_for(elsewhere).units
    assert Path(unit.command[0]).is_relative_to(one.folder / "build")


def program(files: Sequence[bytes]) -> Program:
    return Program(codec=CODEC, workload=WORKLOAD, compiler="", key="ab", digest=digest_of_all(files))


def test_only_what_was_announced_is_received(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = _Machine(tmp_path, monkeypatch)
    announced = program([b"a", b"b"])

    def received(files: Sequence[bytes]) -> str:
        handed = Handed(program=announced, files=msgspec.Raw(msgspec.json.encode(files)))
        reply = machine.answer("receive", msgspec.json.encode(handed))
        return msgspec.json.decode(reply, type=Reply).refused

    assert received([b"a", b"c"]) == received([b"ab"]) == "was given another program of cpp/memcpy × record"
    assert not (tmp_path / "programs").exists()
    assert received([b"a", b"b"]) == ""
    assert machine.ask("give", announced, tuple[bytes, ...]) == (b"a", b"b")


def test_a_giver_that_no_longer_has_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = _Machine(tmp_path, monkeypatch)
    asked = msgspec.json.encode(program([b"a"]))
    given = machine.answer("give", asked)
    reply = msgspec.json.decode(received_by(machine.answer, asked, given), type=Reply)
    assert reply.refused == "no longer has the program of cpp/memcpy × record"


def test_a_program_is_kept_whole_and_not_for_ever(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.keep("ab", [b"program", *(bytes([n]) for n in range(11))])
    assert kept.read("ab") == (b"program", *(bytes([n]) for n in range(11)))
    assert all(os.access(file, os.X_OK) for file in kept.files("ab"))
    (tmp_path / "ab" / "0").unlink()  # as if it had been written only in part
    assert kept.files("ab") == [] and kept.digest("ab") == "" and kept.files("") == []
    old = (tmp_path / "ab").stat().st_mtime - 2 * KEPT_S
    os.utime(tmp_path / "ab", (old, old))
    kept.keep("cd", [b"x"])
    assert not (tmp_path / "ab").exists() and kept.files("cd")
