"""A made-up cluster: each machine answers as a worker would, measures with the fake runner, and can be made
to fail in every way in which a real machine does."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import msgspec
from tests.test_pipeline import FAKE, OPERATIONS

from serbench.cluster import building, host
from serbench.cluster.kinds import ClusterMachine, members_of
from serbench.cluster.messages import (
    Announced,
    CheckedUnit,
    Checking,
    Handed,
    KeptProgram,
    Order,
    Prepared,
    Programs,
    Reply,
    Took,
)
from serbench.cluster.pool import Gone, Lost, Refused
from serbench.measure.events import UnitEvent
from serbench.measure.machine import Machine
from serbench.measure.manifest import MANIFEST_VERSION, Data, Manifest
from serbench.measure.plan import Task
from serbench.measure.run import Process
from serbench.measure.unit import Verification

ORDER = Order(sources={"serbench": "00"}, codecs=("fake/a", "fake/b"), workloads=("fake",))


def announced(name: str, **of_machine: Any) -> Announced:
    machine = Machine(processor="a processor", microarchitecture="zen4", cores=4, **of_machine)
    return Announced(host=name, name=name, machine=machine, cores=(0, 1, 2, 3))


def prepared(order: Order, machine: Machine, fault: str = "none") -> Prepared:
    """The answer of a worker to an order (a client's request to build and verify codecs), as if the worker
    had built the order's codecs. The fake runner of the last codec has the fault."""
    offered = tuple(dict.fromkeys(operation.name for operation in OPERATIONS))
    commands = {codec: (*FAKE, "none" if codec != order.codecs[-1] else fault) for codec in order.codecs}
    return Prepared(
        manifest=Manifest(
            version=MANIFEST_VERSION,
            codecs=order.codecs,
            workloads=order.workloads,
            operations=tuple(map(str, OPERATIONS)),
            datasets={"fake": Data(sha256="00", messages=1, canonical_bytes=10)},
            rounds=1,
            toolchains=(),
            machine=machine,
        ),
        units=tuple(
            UnitEvent(codec=codec, workload="fake", status="ok", size_bytes=10, operations=offered)
            for codec in order.codecs
        ),
        tasks=tuple(Task(codec, "fake", OPERATIONS, command, "") for codec, command in commands.items()),
    )


def took(process: Process) -> Took:
    """The made-up samples of a process, for all cells that it is asked to measure."""
    told = {"event": "sample", "iterations": 1000, "elapsed_ns": 10_000_000}
    cells = [dict(zip(("operation", "memory"), cell.split(":"), strict=True)) for cell in process.cells]
    return Took(heard=True, samples=tuple(told | cell for cell in cells for _ in range(process.samples)))


def answer(question: str, data: bytes) -> bytes:
    """Answers a client's question as ``host.answer`` does, without building anything; tests let a real worker
    run this function in place of ``host.answer``."""
    if question == "prepare":
        made = prepared(msgspec.json.decode(data, type=Order), Machine(processor="none"))
        host._remember(task.command for task in made.tasks)
        return msgspec.json.encode(Reply(value=msgspec.Raw(msgspec.json.encode(made))))
    if question == "die":
        os._exit(1)
    if question == "unheard of":
        raise KeyError(question)  # as a worker does that is older than a question
    if question == "receive":  # as if the worker had a home of its own, and had told what it would build
        usual = os.environ["SERBENCH_HOME"]
        os.environ["SERBENCH_HOME"] = f"{usual}/of worker {os.getpid()}"
        program = msgspec.json.decode(data, type=Handed).program
        building._named.add((program.run, program.key))
        try:
            return host.answer(question, data)
        finally:
            os.environ["SERBENCH_HOME"] = usual
    return host.answer(question, data)


def _replied(value: object) -> bytes:
    return msgspec.json.encode(Reply(value=msgspec.Raw(msgspec.json.encode(value))))


def _checked(order: Order, verification: Verification | None) -> Iterator[CheckedUnit]:
    """The units of an order, which is a client's request to build and verify codecs, each with this
    verification; a codec whose name ends in ``/missing`` is not installed."""
    for codec in order.codecs:
        for workload in order.workloads:
            found = CheckedUnit(codec=codec, workload=workload, compiler="", status="ok")
            if codec.endswith("/missing"):
                yield msgspec.structs.replace(found, status="not_installed", reason="no library")
            else:
                yield msgspec.structs.replace(found, verification=verification)


@dataclass
class FakePool:
    """A made-up cluster.

    Attributes:
        machines: the description that the worker at each address announces.
        faults: the fault of the fake runner on a machine, by address.
        dies: called with each address and question before it is answered; returns whether the question kills
            the worker.
        asked: every question, with the address that it went to.
        returns: whether a machine that died is back when the client looks for it.
        refuses: why a machine can do nothing that it is asked for, by address.
        starts: whether processes are started; if not, samples are made up at once.
        keeps: the keys, which are digests, of the programs that the machine at each address keeps; a machine
            that is absent here refuses to list its programs.
        can_build: whether the machine at an address would build a codec.
        receives: why the machine at an address does not receive a program; empty if it does.
        orders: every order, which is a client's request to build and verify codecs, with the address that it
            went to.
        handed: the giver, the program and the taker of each program that one machine handed to another.
    """

    machines: Mapping[str, Announced]
    faults: Mapping[str, str] = field(default_factory=dict)
    dies: Callable[[str, str], bool] = lambda address, question: False
    returns: bool = True
    refuses: Mapping[str, str] = field(default_factory=dict)
    starts: bool = False
    keeps: dict[str, set[str]] = field(default_factory=dict)
    can_build: Callable[[str, str], bool] = lambda address, codec: True
    receives: Callable[[str], str] = lambda address: ""
    asked: list[tuple[str, str]] = field(default_factory=list)
    orders: list[tuple[str, Order]] = field(default_factory=list)
    handed: list[tuple[str, str, str]] = field(default_factory=list)
    _gone: set[str] = field(default_factory=set)
    _restarted: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _given_up: bool = False

    def members(self) -> Sequence[ClusterMachine]:
        if self.returns:
            self._restarted |= self._gone
            self._gone = set()
        return members_of({at: own for at, own in self.machines.items() if at not in self._gone})

    def ask(self, address: str, question: str, data: bytes) -> bytes:
        with self._lock:
            if self._given_up:
                raise Gone("given up")
            self.asked.append((address, question))
            if address in self._gone or self.dies(address, question):
                self._gone.add(address)
                raise Lost("its worker is gone")
        if question in ("prepare", "programs", "make", "build"):
            self.orders.append((address, msgspec.json.decode(data, type=Order)))
        if reason := self.refuses.get(address):
            return msgspec.json.encode(Reply(refused=reason))
        if question == "prepare":
            self._restarted.discard(address)
            fault = self.faults.get(address, "none")
            made = prepared(msgspec.json.decode(data, type=Order), self.machines[address].machine, fault)
            host._remember(task.command for task in made.tasks)
            return _replied(made)
        if question in ("programs", "make"):
            return self._programs(address, question, msgspec.json.decode(data, type=Order))
        if question == "build":
            self._restarted.discard(address)
            return _replied(tuple(_checked(msgspec.json.decode(data, type=Order), None)))
        if address in self._restarted:
            return msgspec.json.encode(Reply(refused="the worker has started anew", unknown=True))
        if question == "check":
            asked = msgspec.json.decode(data, type=Checking)
            every = _checked(asked.order, Verification(True, "", size_bytes=10, messages=1))
            return _replied(tuple(e for e in every if (e.codec, e.workload, "") in asked.units))
        if self.starts:
            return host.answer(question, data)
        return _replied(took(msgspec.json.decode(data, type=Process)) if question == "measure" else {})

    def _programs(self, address: str, question: str, order: Order) -> bytes:
        """A machine's encoded answer to the question ``programs`` or ``make`` about an order: the programs of
        the order's codecs, which the machine keeps after ``make``. The key of a program is the digest of its
        codec's name. A codec whose name ends in ``/interpreted`` has no program, and one that ends in
        ``/broken`` cannot be built."""
        if (keeps := self.keeps.get(address)) is None:
            return msgspec.json.encode(Reply(refused="tells of no programs"))
        keys = {codec: sha256(codec.encode()).hexdigest() for codec in order.codecs}
        if question == "make":
            keeps |= {key for codec, key in keys.items() if not codec.endswith("/broken")}
        programs = [
            KeptProgram(
                run="r", codec=codec, workload="fake", compiler="", key=key, digest=key * (key in keeps)
            )
            for codec, key in keys.items()
            if not codec.endswith("/interpreted") and self.can_build(address, codec)
        ]
        return _replied(Programs(programs=tuple(programs), notes=(f"was asked to {question}",)))

    def hand_over(self, giver: str, program: bytes, takers: Sequence[str]) -> list[bytes | Lost | Refused]:
        given = msgspec.json.decode(program, type=KeptProgram)
        answers: list[bytes | Lost | Refused] = []
        for taker in takers:
            if self.dies(taker, "receive"):
                self._gone.add(taker)
            if {giver, taker} & self._gone:
                answers.append(Lost("its worker is gone"))
                continue
            assert given.key in self.keeps[giver]
            if reason := self.receives(taker):
                answers.append(msgspec.json.encode(Reply(refused=reason)))
                continue
            self.keeps[taker].add(given.key)
            self.handed.append((giver, given.codec, taker))
            answers.append(_replied(True))
        return answers

    def give_up(self) -> None:
        self._given_up = True
