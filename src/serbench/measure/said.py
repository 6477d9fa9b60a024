"""The events that runners print, as types: each line is checked on arrival, so later code need not check
again.

docs/protocol.md describes them. Numbers have ranges in which later arithmetic is safe, texts have a greatest
length, and further fields of a sample are kept as long as each is a number, a truth value or a short text.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta

from serbench.codecs.codec import Harm
from serbench.errors import By, RunnerError
from serbench.selecting.selection import Memory
from serbench.system.files import Count, Name, Positive, faults, prepare_types
from serbench.text import safe

PROTOCOL = 1
"""The version of docs/protocol.md that runners speak."""

_SHOWN = 80

Words = Annotated[str, Meta(max_length=10_000)]
Known = Annotated[int, Meta(ge=-1, le=1 << 53)]
"""A count, or -1 where the system does not report it."""

Scalar = bool | Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)] | float | Annotated[str, Meta(max_length=200)]
Fields = Annotated[dict[Name, Scalar], Meta(max_length=64)]


class _Event(msgspec.Struct, frozen=True, tag_field="event"):
    """One line that a runner prints."""

    @property
    def kind(self) -> str:
        """The value of ``event`` in the line, which names the kind of event."""
        return str(self.__struct_config__.tag)


class Hello(_Event, frozen=True, tag="hello"):
    """The first event of every runner.

    Attributes:
        floor: whether the runner measures a floor (a plain copy of bytes) and no codec.
        relays: whether the library can encode what it has decoded.
        in_place: whether the library changes values in the bytes of a message.
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
    relays: bool = False
    in_place: bool = False


class _Timed(_Event, frozen=True, kw_only=True):
    """The fields that every sample has. ``fields`` are all values of the line except ``event``."""

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
    """A sample: some passes over all messages, timed as a whole.

    Attributes:
        left: how many records the runner wrote of what the sample's passes left behind (docs/protocol.md,
            "What passes leave").
    """

    operation: Name
    memory: Memory
    left: Count = 0

    @property
    def cell(self) -> str:
        return f"{self.operation}:{self.memory}"


class Called(_Event, frozen=True, tag="called"):
    """Says that single calls were timed, each by itself, and that their times are in the file that was asked
    for (docs/protocol.md, "Single calls").

    Attributes:
        calls: how many calls the file has; ``warmups`` came before those.
        clock_ns: the time of a call without any work, by the same clock and loop; ``resolution_ns`` is the
            least step of that clock.
        loading_ns: the time to read the dataset; ``preparing_ns`` that to make ready what the operation
            keeps and starts from.
        elapsed_ns: the time of all calls with what is between them, in which others had the core for
            ``waited_ns`` and ``stolen_ns``.
        collections: kind of garbage collection, in the runtime's words → how many there were meanwhile.
        collecting_ns: how long those took; -1 where the runtime does not tell.
    """

    operation: Name
    memory: Memory
    calls: Positive
    warmups: Count = 0
    clock_ns: Count = 0
    resolution_ns: Count = 0
    loading_ns: Count = 0
    preparing_ns: Count = 0
    elapsed_ns: Count = 0
    waited_ns: Known = -1
    stolen_ns: Known = -1
    collections: Annotated[dict[Name, Count], Meta(max_length=20)] = {}
    collecting_ns: Known = -1


class WireSampleSaid(_Timed, frozen=True, tag="wire_sample"):
    """A sample of a compressor: some passes over all parcels, timed as a whole."""

    compressor: Name
    direction: Literal["compress", "decompress"]

    @property
    def cell(self) -> str:
        return f"{self.compressor}:{self.direction}"


class Compressed(_Event, frozen=True, tag="compressed"):
    """Says that a compressor restores what it was given; ``bytes`` is the compressed size of all parcels."""

    compressor: Name
    library: Name
    bytes: Count


class Failed(_Event, frozen=True, tag="failed"):
    """Says that a compressor does not restore what it was given."""

    compressor: Name
    reason: Words


class Encoded(_Event, frozen=True, tag="encoded"):
    """Says that all messages were encoded and written to the file that was asked for."""


class Decoded(_Event, frozen=True, tag="decoded"):
    """Says that all messages were decoded."""


class Relayed(_Event, frozen=True, tag="relayed"):
    """Says that all messages were decoded, encoded again, and written to the file that was asked for."""


class Updated(_Event, frozen=True, tag="updated"):
    """Says that values were changed in all messages, which were written to the file that was asked for."""


class Checked(_Event, frozen=True, tag="checked"):
    """Says that the command ``check`` found no fault."""


class Probed(_Event, frozen=True, tag="probed"):
    """Says whether a message was decoded, or why it was refused and by whose code; ``harm`` says what else
    happened, such as a crash."""

    message: Count
    accepted: bool
    reason: Words = ""
    harm: Harm | None = None
    by: By = ""


class Error(_Event, frozen=True, tag="error"):
    """Says that the runner gives up.

    Attributes:
        kind: the class of the exception, which reveals no value of the data.
        by: whose code raised the exception.
        suspected: the cell that is suspected only because of its times; empty where the runner gives up for
            another reason.
    """

    message: str = "the runner reports an error without a message"
    kind: Words = ""
    by: By = ""
    suspected: Name | Literal[""] = ""


class Done(_Event, frozen=True, tag="done"):
    """Says that everything that was asked for is done.

    Attributes:
        elapsed_ns: the time since before ``hello`` by the clock that times samples; 0 where the runner does
            not report it.
    """

    elapsed_ns: Count = 0


class Allocated(_Event, frozen=True, tag="allocated"):
    """Says what a process allocated, once the process has ended."""

    allocations: Count
    allocated_bytes: Count


class PeakSaid(_Event, frozen=True, tag="peak"):
    """Says the most memory that a process held, once the process has ended."""

    bytes: Count


Event = (
    Hello | SampleSaid | WireSampleSaid | Compressed | Failed | Encoded | Decoded | Relayed | Updated
    | Called | Checked | Probed | Error | Done | Allocated | PeakSaid
)  # fmt: skip


_KINDS: dict[str, type[Event]] = {str(kind.__struct_config__.tag): kind for kind in get_args(Event)}
prepare_types([Event])


def parse_event(line: bytes) -> Event:
    """Return the event of a line; raise RunnerError where the line is no event or not as docs/protocol.md has
    it."""
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
    """Return the value of a line of JSON. Bytes that are no UTF-8 are replaced: they occur in messages of
    errors, and a damaged message is better than none."""
    try:
        return msgspec.json.decode(line)
    except UnicodeDecodeError:
        return msgspec.json.decode(line.decode(errors="replace"))


def _cell(said: dict[str, Any]) -> str:
    """Return the cell that a faulty sample names; empty where it names none."""
    for names in (("operation", "memory"), ("compressor", "direction")):
        words = [said.get(name) for name in names]
        if all(isinstance(word, str) for word in words):
            return ":".join(map(str, words))
    return ""


def _shown(line: bytes) -> str:
    return safe(line[:_SHOWN].decode(errors="replace").rstrip())
