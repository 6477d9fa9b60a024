"""Messages between the client and the workers: plain data, checked by its type on arrival."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from serbench.measure.events import Status, UnitEvent
from serbench.measure.identity import Identity
from serbench.measure.judging import Differing
from serbench.measure.machine import Machine
from serbench.measure.manifest import Manifest
from serbench.measure.plan import Task
from serbench.measure.unit import Verification
from serbench.selecting.selection import Operation
from serbench.system.files import Count, Digest, Name, Text

RunId = Annotated[str, msgspec.Meta(max_length=100, pattern=r"^[\w-]*\Z")]


class MachineFinding(msgspec.Struct, frozen=True):
    """A finding of ``doctor`` on a worker's machine."""

    check: Name
    verdict: Name
    found: Text
    advice: Text = ""


class Announced(msgspec.Struct, frozen=True, kw_only=True):
    """A worker's announcement of the machine that it is on.

    Attributes:
        host: the computer, by a number that it draws when it starts; containers of one computer have the
            same.
        name: the computer's name in its network.
        cores: the cores that the worker may use.
        quota: how many cores' time a control group lets it have; None where none limits it.
        home: the folder of what serbench makes there.
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
    """An order to a machine: the programs to build and verify.

    Attributes:
        sources: the digest of each part of the client's serbench that decides what is measured.
        beside: floors that nobody asked for.
        datasets: workload → digest of the client's data.
        layouts: how many layouts each program has.
        arguments: the client's command line.
        began_with: the digests of the runners of a part that is continued.
        run: the run that it is for; empty where it is for none.
        cores: the cores that building may use: the machine's own, and those of machines that wait for it; its
            own where there are none.
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
    """A program that a machine has for an order, or would build.

    Attributes:
        run: the run, as the order has it.
        key: the same on two machines of a kind that would build the same.
        digest: the digest of the program and its layouts; empty if the machine does not keep it.
    """

    run: RunId
    codec: Name
    workload: Name
    compiler: Text
    key: Key
    digest: Digest = ""


class Programs(msgspec.Struct, frozen=True, kw_only=True):
    """The programs of an order that machines of one kind can have from each other; ``notes`` are remarks that
    the user should read."""

    programs: tuple[KeptProgram, ...]
    notes: tuple[Text, ...] = ()


class Handed(msgspec.Struct, frozen=True, kw_only=True):
    """A program for a machine that does not keep it, and what another one has of it, encoded."""

    program: KeptProgram
    files: msgspec.Raw


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """A machine's answer that it has built and verified, so that measuring may begin.

    Attributes:
        manifest: the manifest of its part; the client's plan is still to be put in.
        core: the core that its processes are pinned to.
        notes: remarks that the user should read.
    """

    manifest: Manifest
    units: tuple[UnitEvent, ...]
    tasks: tuple[Task, ...]
    core: int | None = None
    notes: tuple[Text, ...] = ()


class RemoteFault(msgspec.Struct, frozen=True, kw_only=True):
    """A ``RunnerError`` of another machine."""

    message: Text
    cell: Text = ""
    signal: Count = 0
    outline: Text = ""
    hung: bool = False
    by_times: bool = False


class Took(msgspec.Struct, frozen=True, kw_only=True):
    """The samples that a process took, or why it failed.

    Attributes:
        heard: whether it said anything.
        samples: its samples, as it said them.
        differing: the cells that left something else than they had to.
        fault: why it failed; None where it did not.
    """

    heard: bool = False
    samples: tuple[dict[str, Any], ...] = ()
    differing: tuple[Differing, ...] = ()
    fault: RemoteFault | None = None


class Checking(msgspec.Struct, frozen=True, kw_only=True):
    """Asks for the verification of units that were built for an order."""

    order: Order
    units: tuple[Identity, ...]
    time_limit_s: float


class CheckedUnit(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a unit; ``verification`` is None where it was not verified."""

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
        refused: why there is none; empty where there is one.
        unknown: whether the worker does not know what was built on it, since it has started anew.
    """

    value: msgspec.Raw = msgspec.Raw(b"null")
    refused: Text = ""
    unknown: bool = False


_DECODERS = [
    msgspec.json.Decoder(each)
    for each in list(vars().values())
    if isinstance(each, type) and issubclass(each, msgspec.Struct)
]
"""A decoder of each message. msgspec looks at a type when it first decodes to it, and a process in which two
threads do so at once may crash; so it looks at all of them while this module is imported."""
