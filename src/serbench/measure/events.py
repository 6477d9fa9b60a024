"""The events of a run's journal, one JSON object a line: the fields of each, and which values they may have.

A runner's own events (docs/protocol.md) get the codec, workload, compiler and round that they belong to.
Further fields of a sample are kept in the file and not read. Fields that a later serbench adds are
ignored.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

import msgspec

from serbench.errors import FileError
from serbench.measure.identity import Identity
from serbench.measure.said import Known
from serbench.selecting.selection import Memory
from serbench.stats.stopping import Cell
from serbench.system.files import Count, Digest, Name, Positive, Text, faults

Status = Literal["ok", "failed", "not_installed", "unsupported"]
MachineStatus = Literal["measures", "lost", "left_out"]
Parcel = Literal["", "message", "block", "byte"]

Id = Annotated[str, msgspec.Meta(max_length=1000)]
"""A name that counts only where the manifest has it too, whose form (``Name``) is checked there: to check it
in each of a million samples would take longer than all else."""

RoundNumber = Annotated[int, msgspec.Meta(ge=1, le=10**9)]
Average = Annotated[float, msgspec.Meta(ge=0, le=1e18)]


Difference = Annotated[int, msgspec.Meta(ge=-(10**15), le=10**15)]


class About(msgspec.Struct, kw_only=True):
    """The fields that name a unit: codec variant, workload and compiler (empty where the language has only
    one)."""

    codec: Id
    workload: Id
    compiler: Id = ""

    @property
    def identity(self) -> Identity:
        return Identity(self.codec, self.workload, self.compiler)


class Sampled(About, kw_only=True):
    """A sample of a cell or of a compressor: the time of ``iterations`` passes, and how much of it other
    processes took."""

    round: RoundNumber
    iterations: Positive
    elapsed_ns: Positive
    waited_ns: Known = -1
    own_ns: Known = -1
    stolen_ns: Known = -1
    involuntary_switches: Known = 0
    settled: bool = True
    warmups: Count = 0
    allocated_bytes_per_op: Count | None = None


class OfCell(About, kw_only=True):
    """The fields that name a cell: those of its unit, the operation and the memory policy."""

    operation: Id
    memory: Memory

    @property
    def cell(self) -> Cell:
        return (self.codec, self.workload, self.compiler, f"{self.operation}:{self.memory}")


class UnitEvent(About, kw_only=True, tag_field="event", tag="unit"):
    """The outcome of building and verifying a unit. ``signal`` is the signal that killed its verification, or
    0; ``growth`` has the cells whose memory grows with every pass, each with the bytes that a pass adds.
    ``way`` says how a part of the messages is read, where only a part is; ``unchecked`` whether wrong text is
    accepted in the rest alone."""

    status: Status
    reason: Text = ""
    size_bytes: Count | None = None
    messages: Count | None = None
    operations: tuple[Name, ...] = ()
    views: tuple[Name, ...] = ()
    growth: dict[Name, Count] = {}
    executable: Digest | None = None
    layouts: tuple[Digest, ...] = ()
    signal: Count = 0
    way: Name | Literal[""] = ""
    way_reason: Text = ""
    unchecked: bool = False


class Sample(Sampled, kw_only=True, gc=False, tag_field="event", tag="sample"):
    operation: Id
    memory: Memory

    @property
    def cell(self) -> Cell:
        return (self.codec, self.workload, self.compiler, f"{self.operation}:{self.memory}")


class Failure(OfCell, kw_only=True, tag_field="event", tag="failure"):
    """Says that a cell failed in a round, so that its samples of the round do not count. ``signal`` is the
    signal that killed the process, or 0."""

    reason: Text
    round: RoundNumber | None = None
    signal: Count = 0


class Round(msgspec.Struct, kw_only=True, tag_field="event", tag="round"):
    """Begins a round; ``reference`` has the nanoseconds of the calibration loop by the kind of work."""

    round: RoundNumber
    reference: dict[Name, Positive] = {}
    reference_failure: Text = ""


class End(msgspec.Struct, tag_field="event", tag="end"):
    """Says that the plan was carried out to its end."""


class Resume(msgspec.Struct, tag_field="event", tag="resume"):
    """Says that the run continues after it was interrupted or had ended."""


class MachineEvent(msgspec.Struct, kw_only=True, tag_field="event", tag="machine"):
    """The state of a machine, in the journal of a run of several; a later event of the same machine replaces
    it.

    Attributes:
        kind: the name of the machine's kind among the machines that take part.
        kind_id: a digest that all machines of the kind have; empty in earlier runs.
        status: ``measures``, ``lost`` (it no longer answered) or ``left_out``.
        reason: why the machine is lost or left out.
    """

    machine: Name
    kind: Text
    status: MachineStatus
    reason: Text = ""
    kind_id: Text = ""


class CompileTime(About, kw_only=True, tag_field="event", tag="compile_time"):
    elapsed_ns: Positive


class BinarySize(About, kw_only=True, tag_field="event", tag="binary_size"):
    file: Count
    text: Count
    data: Count
    bss: Count


class CostFailure(About, kw_only=True, tag_field="event", tag="cost_failure"):
    reason: Text


class Shipped(About, kw_only=True, tag_field="event", tag="shipped"):
    """The parts that a program carries for a codec: ``bytes`` by the name of the figure, of a thing of this
    ``kind``; ``missing`` says why there is no such figure."""

    kind: Text
    bytes: dict[Name, Difference]
    packages: Count | None = None
    licences: tuple[Text, ...] = ()
    missing: dict[Name, Text] = {}


class ShippedFailure(About, kw_only=True, tag_field="event", tag="shipped_failure"):
    reason: Text


class Footprints(msgspec.Struct, kw_only=True, tag_field="event", tag="footprints"):
    """Begins the events on instructions and memory: names the ``operations`` and the tool that counts
    ``instructions``, or says why the tool is ``missing``."""

    operations: tuple[Name, ...]
    instructions: Name = ""
    missing: Text = ""


class Instructions(OfCell, kw_only=True, tag_field="event", tag="instructions"):
    instructions_per_pass: Average
    tool: Name = ""


class Allocations(OfCell, kw_only=True, tag_field="event", tag="allocations"):
    allocations_per_pass: Average
    allocated_bytes_per_pass: Average


class Peak(OfCell, kw_only=True, tag_field="event", tag="peak"):
    peak_bytes: Count


class FootprintFailure(OfCell, kw_only=True, tag_field="event", tag="footprint_failure"):
    figure: Name
    reason: Text


class Calls(msgspec.Struct, kw_only=True, tag_field="event", tag="calls"):
    """Begins the events on single calls; ``operations`` are those of ``latency``."""

    operations: tuple[Name, ...]


class Latency(OfCell, kw_only=True, tag_field="event", tag="latency"):
    """The calls of one process, after its warm-up; ``quantiles`` are by name (``stats/quantiles.py``), and
    like the mean still hold ``clock_ns``. Fields are those of ``Called`` (``said.py``); in earlier runs
    ``elapsed_ns`` is 0."""

    round: RoundNumber
    calls: Positive
    mean_ns: Average
    quantiles: dict[Name, Count]
    clock_ns: Count
    resolution_ns: Count
    elapsed_ns: Count = 0
    waited_ns: Known = -1
    stolen_ns: Known = -1
    collections: dict[Name, Count] = {}
    collecting_ns: Known = -1


class FirstCall(OfCell, kw_only=True, tag_field="event", tag="first_call"):
    """The start of one process, and its calls from the first on.

    Attributes:
        import_ns: from before the process is started until it says what it is.
        loading_ns: to read the messages, which is serbench's own work.
        first_ns, later_ns: the first call, and the median of the second half of all.
        until_calls, until_ns: how many calls came, and how long those took, until calls were as fast as
            later ones; None where that was not reached.
    """

    round: RoundNumber
    import_ns: Count
    loading_ns: Count
    preparing_ns: Count
    first_ns: Count
    later_ns: Count
    calls: Positive
    until_calls: Count | None = None
    until_ns: Count | None = None


class CallFailure(OfCell, kw_only=True, tag_field="event", tag="call_failure"):
    metric: Name
    reason: Text


class OfParcel(About, kw_only=True):
    """The fields that name the parcels that an event is about; ``parcel`` is empty where a codec wrote
    nothing."""

    parcel: Parcel = ""


class WireParcels(OfParcel, kw_only=True, tag_field="event", tag="wire_parcels"):
    parcels: Positive
    messages: Positive
    bytes: Count


class WireSize(OfParcel, kw_only=True, tag_field="event", tag="wire_size"):
    compressor: Name
    bytes: Count
    library: Name


class WireSample(Sampled, kw_only=True, gc=False, tag_field="event", tag="wire_sample"):
    parcel: Parcel
    compressor: Id
    direction: Literal["compress", "decompress"]


class WireFailure(OfParcel, kw_only=True, tag_field="event", tag="wire_failure"):
    reason: Text
    compressor: Name = ""


class Threads(msgspec.Struct, kw_only=True, tag_field="event", tag="threads"):
    """Begins the samples of several threads: names the ``operations``, and each number of threads.

    Attributes:
        apart: the number of processor cores that share no execution units; from more threads than these on,
            two of them run on one.
    """

    operations: tuple[Name, ...]
    counts: tuple[Positive, ...]
    apart: Positive = 1


class ThreadsSample(OfCell, kw_only=True, gc=False, tag_field="event", tag="threads_sample"):
    """A sample of several threads: the passes of all of them, and the mean of the times that they took.

    Attributes:
        shared: whether all threads used the same objects of the library.
        own_ns: the processor time of all threads together; -1 where it is not known.
        waited_ns: how long threads were ready to run while another process had their core, all together; -1
            where it is not known.
    """

    round: RoundNumber
    threads: Positive
    shared: bool = False
    iterations: Positive
    elapsed_ns: Positive
    own_ns: Known = -1
    waited_ns: Known = -1


class ThreadsFailure(OfCell, kw_only=True, tag_field="event", tag="threads_failure"):
    """Says why a cell has no figures for some threads; for all of them where ``threads`` is 0."""

    reason: Text
    threads: Count = 0
    shared: bool = False


CostEvent = CompileTime | BinarySize | CostFailure
ShippedEvent = Shipped | ShippedFailure
FootprintEvent = Footprints | Instructions | Allocations | Peak | FootprintFailure
CallEvent = Calls | Latency | FirstCall | CallFailure
WireEvent = WireParcels | WireSize | WireSample | WireFailure
ThreadsEvent = Threads | ThreadsSample | ThreadsFailure
MetricEvent = CostEvent | ShippedEvent | FootprintEvent | CallEvent | WireEvent | ThreadsEvent
"""An event with a figure of a metric other than the time of means, or the reason why there is none."""

Event = UnitEvent | Sample | Failure | Round | End | Resume | MachineEvent | MetricEvent

E = TypeVar("E", bound=msgspec.Struct)


def event_of(values: dict[str, Any], type: type[E]) -> E:
    """Return an event made of plain values; raise FileError, which names each faulty value, where they do not
    fit."""
    try:
        return msgspec.convert(values, type)
    except msgspec.ValidationError as error:
        raise FileError("; ".join(faults(values, type)) or str(error)) from error
