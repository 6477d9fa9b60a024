"""Messages between the client and the workers: plain data, whose types are checked on arrival."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from serbench.errors import By
from serbench.measure.events import Status, UnitEvent
from serbench.measure.identity import Identity
from serbench.measure.judging import Differing
from serbench.measure.machine import Machine
from serbench.measure.manifest import Manifest
from serbench.measure.plan import Task
from serbench.measure.unit import Verification
from serbench.selecting.selection import Operation
from serbench.system.files import Count, Digest, Name, Text, prepare_types

RunId = Annotated[str, msgspec.Meta(max_length=100, pattern=r"^[\w-]*\Z")]


class MachineFinding(msgspec.Struct, frozen=True):
    """A finding of ``doctor`` on a worker's machine."""

    check: Name
    verdict: Name
    found: Text
    advice: Text = ""


class Announced(msgspec.Struct, frozen=True, kw_only=True):
    """A worker's description of its machine.

    Attributes:
        host: the computer, by a number that it draws when it starts; its containers have the same.
        name: the computer's name in its network.
        cores: the cores that the worker may use.
        quota: the number of cores whose time a control group grants; None where there is no limit.
        home: the folder of what serbench makes on that machine.
    """

    host: Text
    name: Name
    machine: Machine
    cores: tuple[Count, ...]
    quota: float | None = None
    home: Text = ""
    serbench: Text = ""
    findings: tuple[MachineFinding, ...] = ()


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """A request to a machine to build and verify programs.

    Attributes:
        sources: the digest of each part of the client's serbench that decides what is measured.
        beside: floors that nobody asked for.
        datasets: workload → digest of the client's data.
        layouts: the number of layouts of each program.
        arguments: the client's command line.
        began_with: the digests of the runners of a part that is continued.
        run: the run for which the programs are; empty where there is none.
        cores: the cores that building may use: the machine's own and those of machines that wait for it; only
            its own where this is empty.
    """

    sources: dict[Name, Digest]
    codecs: tuple[Name, ...]
    beside: tuple[Name, ...] = ()
    workloads: tuple[Name, ...]
    operations: tuple[Operation, ...] = ()
    metrics: tuple[Name, ...] = ("time",)
    datasets: dict[Name, Digest] = {}
    compilers: tuple[Text, ...] = ()
    suite: Name | None = None
    install: bool = False
    time_limit_s: float = 60.0
    layouts: Count = 0
    arguments: tuple[Text, ...] = ()
    began_with: tuple[Digest, ...] = ()
    run: RunId = ""
    cores: tuple[Count, ...] = ()


Key = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]


class KeptProgram(msgspec.Struct, frozen=True, kw_only=True):
    """A program that a machine keeps for an order, or would build.

    Attributes:
        run: the run that the order names.
        key: equal on two machines of a kind that would build the same.
        digest: the digest of the program and its layouts; empty if the machine does not keep it.
    """

    run: RunId
    codec: Name
    workload: Name
    compiler: Text
    key: Key
    digest: Digest = ""


class Programs(msgspec.Struct, frozen=True, kw_only=True):
    """The programs of an order that machines of one kind can pass to each other; ``notes`` are remarks for
    the user."""

    programs: tuple[KeptProgram, ...]
    notes: tuple[Text, ...] = ()


class Handed(msgspec.Struct, frozen=True, kw_only=True):
    """A program that is sent to a machine which does not have it, with its files as another machine sent
    them, still encoded."""

    program: KeptProgram
    files: msgspec.Raw


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """A machine's answer that everything is built and verified, so that measuring may begin.

    Attributes:
        manifest: the manifest of its part, in which the client still has to put its plan.
        core: the core that its processes are pinned to.
        notes: remarks that the user should read.
    """

    manifest: Manifest
    units: tuple[UnitEvent, ...]
    tasks: tuple[Task, ...]
    core: int | None = None
    notes: tuple[Text, ...] = ()


class RemoteFault(msgspec.Struct, frozen=True, kw_only=True):
    """A ``RunnerError`` that was raised on another machine."""

    message: Text
    cell: Text = ""
    signal: Count = 0
    outline: Text = ""
    hung: bool = False
    by_times: bool = False
    by: By = ""


class Took(msgspec.Struct, frozen=True, kw_only=True):
    """The samples of a process, or why it failed.

    Attributes:
        heard: whether the process printed any event.
        samples: the samples, as the runner printed them.
        differing: the cells whose results differ from what they had to be.
        fault: why it failed; None where it did not.
    """

    heard: bool = False
    samples: tuple[dict[str, Any], ...] = ()
    differing: tuple[Differing, ...] = ()
    fault: RemoteFault | None = None


class Checking(msgspec.Struct, frozen=True, kw_only=True):
    """A request to verify units that were built for an order."""

    order: Order
    units: tuple[Identity, ...]
    time_limit_s: float


class CheckedUnit(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a unit on a worker's machine; ``verification`` is None where it was not verified."""

    codec: Name
    workload: Name
    compiler: Text
    status: Status
    reason: Text = ""
    verification: Verification | None = None

    @property
    def identity(self) -> Identity:
        return Identity(self.codec, self.workload, self.compiler)


class WorkloadFiles(msgspec.Struct, frozen=True, kw_only=True):
    """An imported workload: the files of its folder."""

    name: Name
    files: dict[Name, bytes]


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a question.

    Attributes:
        value: the answer, encoded.
        refused: why there is no answer; empty where there is one.
        unknown: whether the worker has restarted and so no longer knows what it built.
    """

    value: msgspec.Raw = msgspec.Raw(b"null")
    refused: Text = ""
    unknown: bool = False


prepare_types(each for each in list(vars().values()) if isinstance(each, msgspec.StructMeta))
