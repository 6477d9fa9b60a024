"""Tests of a program that one machine builds and another one starts, with two homes on this machine and real
compilers."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from tests.support import PATHS, sharing

from serbench.cluster import building, host
from serbench.cluster.building import built_for
from serbench.cluster.messages import Handed, KeptProgram, Order, Prepared, Programs, Reply
from serbench.cluster.pool import received_by
from serbench.cluster.programs import KEPT_RUNS, KeptPrograms, Shelf
from serbench.cluster.sources import sources_of
from serbench.dataset.cache import dataset_for
from serbench.languages.base import Found
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Operation
from serbench.system.stamp import sha256_of
from serbench.workload import load_workloads, parse_workload

CODEC, OTHER, WORKLOAD, RUN = "cpp/cereal", "cpp/memcpy", "record", "run-1"


@dataclass
class _Machine:
    """A worker of the cluster whose home is ``folder``."""

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
        """The object files that a compiler made in this home for the codec under test."""
        return [path for path in (self.folder / "build").rglob("*.o") if "cereal" in str(path)]


@pytest.fixture
def machines(monkeypatch: pytest.MonkeyPatch) -> tuple[_Machine, _Machine]:
    """Two machines whose homes stay from one run of the tests to the next, except for programs that were
    handed over."""
    places = [PATHS.home.parent / "handed over by tests" / name for name in ("one", "other")]
    for place in map(sharing, places):
        shutil.rmtree(place / "programs", ignore_errors=True)
    return _Machine(places[0], monkeypatch), _Machine(places[1], monkeypatch)


def order() -> Order:
    paths = Paths.default()
    variants = [load_variants(paths.codecs)[codec] for codec in (CODEC, OTHER)]
    specs = [parse_workload(WORKLOAD, load_workloads(paths.workloads))]
    return Order(
        sources=sources_of(paths, variants, specs),
        codecs=(CODEC, OTHER),
        workloads=(WORKLOAD,),
        operations=(Operation("serialize", "reuse"),),
        layouts=1,
        run=RUN,
    )


@pytest.mark.native
def test_a_program_is_built_once_and_measured_on_both_machines(
    machines: tuple[_Machine, _Machine],
) -> None:
    one, other = machines
    if not (found := one.ask("programs", order(), Programs).programs):
        pytest.skip(f"the library of {CODEC} is not here, or has no version, or is not linked statically")
    (unbuilt,) = found
    assert other.ask("programs", order(), Programs).programs == (unbuilt,) and not unbuilt.digest
    dealt = msgspec.structs.replace(order(), codecs=(CODEC,))  # the other codec is another machine's
    (made,) = one.ask("make", dealt, Programs).programs
    assert made.key == unbuilt.key and made.digest
    assert one.objects and not other.objects

    given = one.answer("give", msgspec.json.encode(made))
    received = received_by(other.answer, msgspec.json.encode(made), given)
    assert msgspec.json.decode(received, type=Reply) == Reply(value=msgspec.Raw(b"true"))
    assert other.ask("programs", order(), Programs).programs == (made,)

    prepared = [each.ask("prepare", order(), Prepared) for each in machines]
    assert not other.objects  # it has compiled nothing of it
    for each, machine in zip(prepared, machines, strict=True):
        unit, task = each.units[0], each.tasks[0]
        assert (unit.codec, unit.status) == (CODEC, "ok") and unit.executable
        commands = (task.command, *task.layouts)
        kept = machine.folder / "programs" / RUN
        assert [Path(command[0]).is_relative_to(kept) for command in commands] == [True, True]
        assert not Path(each.tasks[1].command[0]).is_relative_to(kept)  # its library has no version
    assert prepared[0].units[0].executable == prepared[1].units[0].executable
    assert prepared[0].units[0].layouts == prepared[1].units[0].layouts

    # A part that began with a program of its own goes on with that one.
    elsewhere = msgspec.structs.replace(order(), began_with=("00",))
    other.patch.setenv("SERBENCH_HOME", str(one.folder))
    unit = built_for(elsewhere).units[0]
    assert Path(unit.command[0]).is_relative_to(one.folder / "build")


def program(files: Sequence[bytes]) -> KeptProgram:
    key = hashlib.sha256(b"key").hexdigest()
    return KeptProgram(
        run=RUN, codec=CODEC, workload=WORKLOAD, compiler="", key=key, digest=sha256_of(*files)
    )


def test_only_what_was_announced_is_received(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = _Machine(tmp_path, monkeypatch)
    announced = program([b"a", b"b"])

    def received(files: Sequence[bytes]) -> str:
        handed = Handed(program=announced, files=msgspec.Raw(msgspec.json.encode(files)))
        reply = machine.answer("receive", msgspec.json.encode(handed))
        return msgspec.json.decode(reply, type=Reply).refused

    assert received([b"a", b"b"]) == "would not build the program of cpp/cereal × record"
    monkeypatch.setattr(building, "_named", {(RUN, announced.key)})
    other = "was given another program of cpp/cereal × record"
    assert [received(files) for files in ([b"a", b"c"], [b"ab"], [])] == [other] * 3
    assert not (tmp_path / "programs").exists()
    assert received([b"a", b"b"]) == ""
    assert machine.ask("give", announced, tuple[bytes, ...]) == (b"a", b"b")


@pytest.mark.parametrize("key", ["", "../" * 21 + "a", "ab"])
def test_a_key_is_a_digest(key: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({**msgspec.to_builtins(program([])), "key": key}, KeptProgram)


def test_a_giver_that_no_longer_has_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = _Machine(tmp_path, monkeypatch)
    asked = msgspec.json.encode(program([b"a"]))
    given = machine.answer("give", asked)
    reply = msgspec.json.decode(received_by(machine.answer, asked, given), type=Reply)
    assert reply.refused == "no longer has the program of cpp/cereal × record"


def test_what_goes_wrong_while_a_program_is_received_is_the_answer() -> None:
    def answer(question: str, data: bytes) -> bytes:
        raise MemoryError

    given = msgspec.json.encode(Reply(value=msgspec.Raw(b"[]")))
    reply = received_by(answer, msgspec.json.encode(program([])), given)
    assert msgspec.json.decode(reply, type=Reply).refused == "MemoryError: "


def test_a_program_is_kept_whole_with_those_of_the_last_runs(tmp_path: Path) -> None:
    kept = KeptPrograms(tmp_path / "run")
    files = (b"program", *(bytes([n]) for n in range(11)))
    kept.keep("ab", files)
    kept.keep("ab", [b"another"])  # one that may be measured is not replaced
    assert kept.read("ab") == files and all(os.access(file, os.X_OK) for file in kept.files("ab"))
    assert kept.files("cd") == [] and kept.digest("cd") == "" and kept.files("") == []
    assert [path.name for path in kept.folder.iterdir()] == ["ab"]
    for number in range(KEPT_RUNS):
        KeptPrograms(tmp_path / str(number)).keep("ab", [b"x"])
        os.utime(tmp_path / str(number), (number, number))
    kept.keep("cd", [b"y"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "2", "3", "4", "run"]


@dataclass
class _Toolchain:
    """A toolchain that has only the attributes from which a program's key is made, by which machines know
    that their programs are the same."""

    language: str = "cpp"
    name: str = "g++"
    compiler: str = "g++ 12"
    linking: str = "static"
    version: str = "1.3"
    installed: bool = True

    @property
    def found(self) -> dict[str, Found]:
        names = ("cereal", "protobuf", "protobuf_proto2", "jackson")
        return {name: Found(self.installed, self.version, "") for name in names}

    def describe(self) -> dict[str, str]:
        return {"compiler": self.compiler, "flags": "-O3", "linking": self.linking}


def key(
    order: Order, build: _Toolchain, codec: str = CODEC, workload: str = WORKLOAD, **of_codec: Any
) -> str:
    paths = Paths.default()
    spec = parse_workload(workload, load_workloads(paths.workloads))
    variant = load_variants(paths.codecs)[codec]
    variant = replace(variant, codec=replace(variant.codec, **of_codec))
    data = dataset_for(spec, paths)
    unit = Unit(variant, spec, data, data)
    return Shelf(paths.home, order).key(cast(Any, build), unit)


def test_a_key_changes_with_all_that_can_be_told_of_a_program(tmp_path: Path) -> None:
    plain, wanted = key(order(), _Toolchain()), order()
    codecs = tmp_path / "cpp"
    shutil.copytree(Paths.default().codecs / "cpp", codecs)

    def beside() -> str:
        return key(wanted, _Toolchain(), directory=codecs / "cereal")

    assert beside() == plain
    (codecs / "protobuf" / "adapter.hpp").write_text("// which protobuf_proto2 includes")
    others = [
        beside(),
        key(wanted, _Toolchain(version="1.4")),
        key(wanted, _Toolchain(compiler="g++ 13")),
        key(wanted, _Toolchain(name="clang++")),
        *(
            key(msgspec.structs.replace(wanted, sources=wanted.sources | {part: "00"}), _Toolchain())
            for part in ("serbench", "runners")
        ),
        key(wanted, _Toolchain(), workload="monsters:count=2"),
    ]
    assert len({plain, *others}) == 1 + len(others) and all(others)
    other_data = wanted.sources | {f"workload {WORKLOAD}": "00"}
    assert key(msgspec.structs.replace(wanted, sources=other_data), _Toolchain()) == plain


def test_what_cannot_be_handed_over_has_no_key() -> None:
    assert [
        key(order(), _Toolchain(version="")),  # a library of which nobody can say which it is
        key(order(), _Toolchain(installed=False)),
        key(order(), _Toolchain(linking="dynamic")),
        key(order(), _Toolchain(), dynamic=True),
        key(order(), _Toolchain(language="jvm"), "jvm/jackson:json"),
        key(msgspec.structs.replace(order(), run=""), _Toolchain()),
    ] == [""] * 6
