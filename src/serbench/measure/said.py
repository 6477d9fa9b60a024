"""Events of runners, as types: each line is checked on arrival, so later code need not check again.

docs/protocol.md is the description. Numbers have ranges in which later arithmetic is safe, texts have
lengths, and whatever else a sample carries is kept as long as it is a number, a truth value or a short text.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta

from serbench.codecs.codec import Harm
from serbench.errors import RunnerError
from serbench.selecting.selection import Memory
from serbench.system.files import Count, Name, Positive, faults
from serbench.text import safe

PROTOCOL = 1
"""The version of docs/protocol.md that runners speak."""

_SHOWN = 80

Words = Annotated[str, Meta(max_length=10_000)]
Known = Annotated[int, Meta(ge=-1, le=1 << 53)]
"""A count, or -1 where the system does not tell."""

Scalar = bool | Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)] | float | Annotated[str, Meta(max_length=200)]
Fields = Annotated[dict[Name, Scalar], Meta(max_length=64)]


class _Event(msgspec.Struct, frozen=True, tag_field="event"):
    """One line of a runner."""

    @property
    def kind(self) -> str:
        """The word by which its line says what event it is."""
        return str(self.__struct_config__.tag)


class Hello(_Event, frozen=True, tag="hello"):
    """The first event of every runner.

    Attributes:
        floor: whether it is a floor and no codec.
        edits: whether ``measure`` takes ``--edits`` and ``--left``: values that change while it measures, and
            a file for what passes leave.
    """

    protocol: int
    codec: Words = ""
    workload: Words = ""
    schema: Words = ""
    compiler: Words = ""
    operations: Annotated[tuple[Name, ...], Meta(max_length=1000)] = ()
    edits: bool = False
    floor: bool = False


class _Timed(_Event, frozen=True, kw_only=True):
    """The fields that every sample has; ``fields`` are all values of its line but the word of the event."""

    iterations: Positive
    elapsed_ns: Positive
    involuntary_switches: Known = -1
    waited_ns: Known = -1
    page_faults: Known = -1
    stolen_ns: Known = -1
    grown_bytes: Count = 0
    warmups: Count = 0
    settled: bool = True
    allocated_bytes_per_op: Count = 0
    fields: Fields = {}


class SampleSaid(_Timed, frozen=True, tag="sample"):
    """A batch of passes, timed as a whole.

    Attributes:
        left: how many records of what passes left were written for it.
    """

    operation: Name
    memory: Memory
    left: Count = 0

    @property
    def cell(self) -> str:
        return f"{self.operation}:{self.memory}"


class WireSampleSaid(_Timed, frozen=True, tag="wire_sample"):
    """A batch of passes of a compressor, timed as a whole."""

    compressor: Name
    direction: Literal["compress", "decompress"]

    @property
    def cell(self) -> str:
        return f"{self.compressor}:{self.direction}"


class Compressed(_Event, frozen=True, tag="compressed"):
    """A compressor gives back what it was given; ``bytes`` is what it made of all parcels."""

    compressor: Name
    library: Name
    bytes: Count


class Failed(_Event, frozen=True, tag="failed"):
    """A compressor does not give back what it was given."""

    compressor: Name
    reason: Words


class Encoded(_Event, frozen=True, tag="encoded"):
    """All messages are in the file."""


class Decoded(_Event, frozen=True, tag="decoded"):
    """All messages were decoded."""


class Checked(_Event, frozen=True, tag="checked"):
    """The command ``check`` found no fault."""


class Probed(_Event, frozen=True, tag="probed"):
    """Whether a message was decoded, or refused and why; ``harm`` says what happened if it was neither as a
    program expects."""

    message: Count
    accepted: bool
    reason: Words = ""
    harm: Harm | None = None


class Error(_Event, frozen=True, tag="error"):
    """The runner gives up.

    Attributes:
        kind: the class of the exception, which holds no value of the data.
        suspected: the cell that only times speak against; empty where it gives up for another reason.
    """

    message: str = "the runner reports an error without a message"
    kind: Words = ""
    suspected: Name | Literal[""] = ""


class Done(_Event, frozen=True, tag="done"):
    """All that was asked for is done.

    Attributes:
        elapsed_ns: since before ``hello``, by the clock that samples are timed with; 0 where the runner does
            not tell.
    """

    elapsed_ns: Count = 0


class Allocated(_Event, frozen=True, tag="allocated"):
    """The allocations of a process, said when it has ended."""

    allocations: Count
    allocated_bytes: Count


class PeakSaid(_Event, frozen=True, tag="peak"):
    """The most memory that a process held, said when it has ended."""

    bytes: Count


Event = (
    Hello | SampleSaid | WireSampleSaid | Compressed | Failed | Encoded | Decoded | Checked | Probed | Error
    | Done | Allocated | PeakSaid
)  # fmt: skip


_KINDS: dict[str, type[Event]] = {str(kind.__struct_config__.tag): kind for kind in get_args(Event)}
_DECODER = msgspec.json.Decoder(Event)  # has msgspec look at all kinds before any thread does


def parse_event(line: bytes) -> Event:
    """The event of a line.

    Raises:
        RunnerError: the line is no event, or not as docs/protocol.md has it; for a sample, the error has its
            ``cell``.
    """
    try:
        said = _json(line)
    except (msgspec.DecodeError, RecursionError):
        said = None
    word = said.get("event") if isinstance(said, dict) else None
    if not isinstance(word, str):
        expected = "expected one JSON object with 'event' per line"
        raise RunnerError(
            f"the runner printed {_shown(line)!r}; {expected}",
            outline=f"the runner printed something that is not an event; {expected}",
        )
    if word not in _KINDS:
        unknown = f"the runner sent '{safe(word)[:_SHOWN]}', which is not an event of docs/protocol.md"
        raise RunnerError(
            unknown, outline="the runner sent something that is not an event of docs/protocol.md"
        )
    try:
        event = msgspec.convert(said, _KINDS[word])
        if isinstance(event, _Timed):
            fields = {name: value for name, value in said.items() if name != "event"}
            return msgspec.structs.replace(event, fields=msgspec.convert(fields, Fields))
        return event
    except (msgspec.ValidationError, OverflowError) as error:
        found = faults(said, _KINDS[word]) or faults(said, dict[Name, Scalar]) or [str(error)]
        cell = _cell(said)
        what = f"a sample of {safe(cell)}" if cell else f"its event '{word}'"
        odd = f"{what} does not conform to docs/protocol.md"
        raise RunnerError(f"{odd}: {'; '.join(found[:3])}", cell=cell, outline=odd) from error


def _json(line: bytes) -> Any:
    """The value of a line. Bytes that are no UTF-8 are replaced: they are in an error's message, and a
    damaged message is better than none."""
    try:
        return msgspec.json.decode(line)
    except UnicodeDecodeError:
        return msgspec.json.decode(line.decode(errors="replace"))


def _cell(said: dict[str, Any]) -> str:
    """The cell that a faulty sample belongs to, as far as it tells."""
    for names in (("operation", "memory"), ("compressor", "direction")):
        words = [said.get(name) for name in names]
        if all(isinstance(word, str) for word in words):
            return ":".join(map(str, words))
    return ""


def _shown(line: bytes) -> str:
    return safe(line[:_SHOWN].decode(errors="replace").rstrip())
