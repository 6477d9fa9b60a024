"""Checks what programs of one schema read of messages that programs of another schema wrote, by the same
codec.

The writer encodes messages of its own schema in one process. The reader is first fed each message with the
limits for hostile messages (``hostile.py``), since a reader of other bytes may crash, hang or ask for all
memory. Then it decodes what it has accepted, under each memory policy, and the values are compared with what
the change makes of the writer's.

Messages of the new schema also go through the program of the old one, which decodes and encodes them again
(``relaying.py``), back to the program of the new schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Literal, NamedTuple

from serbench.changes import Change, common, is_free, read_as, settled, shared
from serbench.changes.change import Convert
from serbench.dataset.cache import edge_dataset_for
from serbench.dataset.canonical import decode, encode
from serbench.dataset.file import Dataset
from serbench.dataset.values import are_same, first_difference, kind_of, short
from serbench.errors import By, EncodingError, RunnerError, SerbenchError, ValueMismatch, reason_of
from serbench.idl import told_apart
from serbench.measure.unit import Unit
from serbench.model import Schema
from serbench.paths import Paths
from serbench.selecting.selection import Memory
from serbench.selecting.support import limits_of
from serbench.verification.blame import NO_NUMBERS, Due, blamed, demanded, records_in, requires_missing
from serbench.verification.processes import CannotRelay, Processes
from serbench.verification.relaying import Relay, relay_of, relayed

Word = Literal["kept", "defaults", "refused", "misread", "hang", "crash", "impossible", "not tried"]
Direction = Literal["backward", "forward", "through"]

OUTCOMES: dict[Word, str] = {
    "kept": "the reader has all that is expected",
    "defaults": "it has an empty value or a default in place of another value",
    "refused": "an error",
    "misread": "other values, without an error",
    "hang": "it hangs",
    "crash": "it crashes, or asks for more than 1 GiB",
    "impossible": "the codec cannot do the changed schema, or not encode what it decodes",
    "not tried": "something failed before",
}
"""Outcome → its meaning; from the best to the worst, as far as a reader was tried."""

DATA_BYTES = 1 << 20
"""About the most canonical bytes of the writer's data that are read, beside edge values."""


@dataclass(frozen=True)
class Evolved:
    """The outcome of a change of a workload's schema with one codec, in one direction.

    Attributes:
        direction: ``backward`` where the program of the new schema reads; ``forward`` where the old one does;
            ``through`` where the old one decodes and encodes again what the new one then reads.
        reason: why the outcome is not ``kept``, with the place of the first difference.
        is_loss: whether a value that both schemas have did not arrive; always false for a change of one
            workload, since it is told of two workloads alone.
        writer_schema: whether the reader had the writer's schema; None where its library takes none.
        reader: the codec that read what ``codec`` wrote; empty where that is the same one.
        version: the version of the codec's library; empty where it is not known.
        by: to whom the outcome is due (``blame.py``).
    """

    codec: str
    workload: str
    change: str
    direction: Direction
    outcome: Word
    reason: str = ""
    is_loss: bool = False
    writer_schema: bool | None = None
    version: str = ""
    by: Due = ""
    reader: str = ""


@dataclass(frozen=True)
class Way:
    """Messages on their way from the program of one schema to that of another.

    Attributes:
        expected: makes of a value of the writer's schema what the reader should have of it.
        shared: makes the same with FREE in what the writer's schema lacks, or a relay's; None where losses
            are not told.
        relay: the program that messages go through between the two; None where the reader gets them as they
            were written.
        values: gives the values that are written of a dataset of the writer; None for all of them.
        processes: take the messages.
    """

    direction: Direction
    writer: Unit
    reader: Unit
    expected: Convert
    shared: Convert | None = None
    relay: Relay | None = None
    values: Callable[[Dataset], Iterable[Any]] | None = None
    processes: Processes = field(default_factory=Processes)


@dataclass(frozen=True)
class Sent:
    """A message for a reader: its bytes, the writer's value and what the reader should have of it."""

    encoded: bytes
    value: object
    expected: object
    is_private: bool


@dataclass(frozen=True)
class _Seen:
    """The outcome of a message, or of several.

    Attributes:
        is_sure: whether the reader's schema can hold every value of the message.
        by: whose code raised the error, as the runner has it.
        demands: the part that the reader's schema demands and the message has not; empty where there is none.
    """

    outcome: Word
    reason: str = ""
    is_loss: bool = False
    is_sure: bool = True
    by: By = ""
    demands: str = ""

    @property
    def rank(self) -> tuple[int, bool, bool]:
        """How bad it is, greater for what is worse or surer."""
        return list(OUTCOMES).index(self.outcome), self.is_loss, self.is_sure


class Sides(NamedTuple):
    """The units of a codec with the two schemas of a change."""

    old: Unit
    new: Unit


def ways_of(change: Change, old: Unit, new: Unit) -> list[Way]:
    """Every direction of a change between the units of its schemas."""
    both = Sides(old, new)
    relay = relay_of(old, change.backward, change.forward)
    return [*ways_across(change, both, both), Way("through", new, new, lambda value: value, relay=relay)]


def ways_across(change: Change, writer: Sides, reader: Sides) -> list[Way]:
    """The directions of a change in which one codec reads what another one has written."""
    return [
        Way("backward", writer.old, reader.new, change.forward),
        Way("forward", writer.new, reader.old, change.backward),
    ]


def ways_between(old: Unit, new: Unit) -> list[Way]:
    """Every direction between units of two workloads, with what would be lost."""
    before, after = old.spec.workload.schema, new.spec.workload.schema
    relay = relay_of(old, read_as(after, before), read_as(before, after))

    def both(value: object) -> object:
        return common(after.root, value, relay.left(value))

    return [
        _between("backward", old, new, before, after),
        _between("forward", new, old, after, before),
        Way("through", new, new, lambda value: value, both, relay),
    ]


def _between(direction: Direction, writer: Unit, reader: Unit, source: Schema, target: Schema) -> Way:
    return Way(direction, writer, reader, read_as(source, target), shared(source, target))


def evolve(way: Way, workload: str, change: str, paths: Paths) -> Evolved:
    """Have the reader read what the writer wrote; a codec's failure is an outcome and raises nothing."""
    seen = _not_built(way) or _exchanged(way, paths)
    writer, reader = way.writer.name, way.reader.name
    codec, other = way.reader.variant.codec, way.relay.unit if way.relay else way.reader
    schemas = [unit.spec.workload.schema for unit in (other, way.writer)]
    raised_by: By = "adapter" if seen.by and requires_missing(codec, *schemas) else seen.by
    by = blamed(seen.outcome, raised_by, codec.competes, seen.is_sure and not seen.demands)
    told_why = f"its schema demands {seen.demands}: " if by == "schema" and seen.is_sure else ""
    told = (writer, workload, change, way.direction, seen.outcome, told_why + seen.reason, seen.is_loss)
    return Evolved(*told, by=by, reader="" if reader == writer else reader)


def exchange_together(ways: Sequence[Way], paths: Paths) -> None:
    """Hand the messages of several ways, which have the same programs, to processes at once. Where these
    remember them (``Remembering``), ``evolve`` then starts none. Failures are left to the ways, each
    of which finds its own."""
    way = ways[0]
    if _not_built(way):
        return
    with suppress(SerbenchError, OSError):
        messages = [each.encoded for own in ways for each in to_write(own, paths)]
        sent = [way.processes.encoded(way.writer, messages)]
        if way.relay:
            bodies = relayed(way.processes, way.relay.unit, sent[0]).bodies
            sent = [list(each) for each in bodies.values() if not isinstance(each, RunnerError)]
        for encoded in sent:
            answers = way.processes.probed(way.reader, encoded)
            accepted = [own for own, answer in zip(encoded, answers, strict=False) if answer.accepted]
            way.processes.passed(way.reader, "decode", accepted)


def _not_built(way: Way) -> _Seen | None:
    """Why nothing can be exchanged; None where all units are built."""
    for unit in (way.reader, way.writer, *([way.relay.unit] if way.relay else [])):
        if unit.status != "ok":
            return _Seen("impossible" if unit.status == "unsupported" else "not tried", unit.reason)
    return None


def _exchanged(way: Way, paths: Paths) -> _Seen:
    try:
        messages = written(way, paths)
        return _through(way, way.relay, messages) if way.relay else _read(way, messages)
    except CannotRelay as error:
        return _Seen("impossible", str(error))
    except (SerbenchError, OSError) as error:
        return _Seen("not tried", reason_of(error, way.writer.data.is_private))


def written(way: Way, paths: Paths) -> list[Sent]:
    """The writer's edge values and the first of its data, as far as the reader should have anything of
    them, as it encodes them."""
    messages = to_write(way, paths)
    encoded = way.processes.encoded(way.writer, [each.encoded for each in messages])
    return [replace(each, encoded=own) for each, own in zip(messages, encoded, strict=True)]


def to_write(way: Way, paths: Paths) -> list[Sent]:
    """The messages of ``written`` in canonical bytes, before the writer has encoded them."""
    writer, other = way.writer, way.relay.unit if way.relay else way.reader
    both = [limits_of(unit.variant, unit.spec.workload.schema) for unit in (writer, other)]
    edges = edge_dataset_for(writer.spec, paths, both[0].and_those(both[1]))
    most = max(1, DATA_BYTES * writer.data.messages // max(writer.data.canonical_bytes, 1))
    root = writer.spec.workload.schema.root
    kept: list[Sent] = []
    for dataset, count in ((edges, edges.messages), (writer.data, most)):
        values = way.values(dataset) if way.values else (decode(root, m) for m in dataset.read_messages())
        for value in islice(values, count):
            try:
                expected = way.expected(value)
            except ValueMismatch:  # an edge value of which the other schema has nothing
                continue
            kept.append(Sent(encode(root, value), value, expected, dataset.is_private))
    return kept


def _through(way: Way, relay: Relay, messages: Sequence[Sent]) -> _Seen:
    """The worst outcome of messages that go through a relay before the reader gets them."""
    found = relayed(way.processes, relay.unit, [each.encoded for each in messages])
    stopped = []
    for n, error in found.stopped.items():
        there = replace(messages[n], expected=relay.has(messages[n].value))
        why = f"in the old program: {error}"
        stopped.append(_stopped(way, (relay.unit, way.writer), _word_of(error), why, error.by, there))
    seen: dict[Memory, _Seen] = {}
    for memory, bodies in found.bodies.items():
        if isinstance(bodies, RunnerError):
            seen[memory] = _after_others(way, bodies, "in the old program after other messages")
        elif memory == "reuse" or bodies != found.bodies["reuse"]:
            pairs = zip(found.whole, bodies, strict=True)
            seen[memory] = _read(way, [replace(messages[n], encoded=body) for n, body in pairs])
    return max([_worst(seen, "relayed under"), *stopped], key=lambda each: each.rank)


def _read(way: Way, messages: Sequence[Sent]) -> _Seen:
    """The worst outcome of messages that the reader gets."""
    seen: list[_Seen] = []
    accepted: list[Sent] = []
    between = (way.reader, way.relay.unit if way.relay else way.writer)
    answers = way.processes.probed(way.reader, [each.encoded for each in messages])
    for message, answer in zip(messages, answers, strict=False):  # none follow a few that do harm
        if answer.accepted:
            accepted.append(message)
        else:
            word: Word = "refused" if not answer.harm else "hang" if answer.harm == "hang" else "crash"
            seen.append(_stopped(way, between, word, answer.reason, answer.by, message))
    found = way.processes.passed(way.reader, "decode", [each.encoded for each in accepted])
    for n, error in found.stopped.items():
        seen.append(_stopped(way, between, _word_of(error), str(error), error.by, accepted[n]))
    whole = [accepted[n] for n in found.whole]
    under: dict[Memory, _Seen] = {}
    for memory, bodies in found.bodies.items():
        if isinstance(bodies, RunnerError):
            under[memory] = _after_others(way, bodies, "after other messages")
        else:
            like = next((each for each in under if found.bodies[each] == bodies), None)
            under[memory] = under[like] if like else _compared(way, whole, bodies)
    return max([_worst(under, "under"), *seen], key=lambda each: each.rank)


def _worst(found: Mapping[Memory, _Seen], told_as: str) -> _Seen:
    """The worst outcome under the memory policies, whose reason names the policy where they differ."""
    worst = max(found, key=lambda memory: found[memory].rank)
    if len({each.outcome for each in found.values()}) == 1:
        return found[worst]
    return replace(found[worst], reason=f"{told_as} {worst}: {found[worst].reason}")


def _after_others(way: Way, error: RunnerError, told_as: str) -> _Seen:
    """The outcome of messages that come through each by itself, and not one after another."""
    reason = f"{told_as}: {reason_of(error, way.writer.data.is_private)}"
    return _Seen(_word_of(error), reason, way.shared is not None, by=error.by)


def _stopped(way: Way, between: tuple[Unit, Unit], word: Word, reason: str, by: By, message: Sent) -> _Seen:
    """The outcome of a message of which a unit made no value; ``between`` are this unit and the one whose
    program wrote the message."""
    if word == "refused":  # it has said why; a stack trace says no more
        reason = reason.partition("; it printed: ")[0]
    is_sure = not is_free(message.expected)
    shown = "it is not shown, since it may contain values of your data" if message.is_private else reason
    if not is_sure:
        shown = f"of a value that its schema does not have: {shown}"
    is_loss = way.shared is not None and (is_sure or word != "refused")
    reader, writer = (unit.spec.workload.schema for unit in between)
    there = set(records_in(way.writer.spec.workload.schema.root, message.value))
    idl = way.reader.variant.codec.idl
    numbers = told_apart(idl.language) if idl else NO_NUMBERS
    return _Seen(word, shown, is_loss, is_sure, by, demanded(reader, writer, there, numbers))


def _word_of(error: RunnerError) -> Word:
    """The outcome for a process that ended with an error."""
    if error.hung:
        return "hang"
    is_said = error.outline.startswith("the runner gave up")
    return "refused" if is_said and not error.signal else "crash"


def _compared(way: Way, messages: Sequence[Sent], bodies: Sequence[bytes]) -> _Seen:
    """The worst of what a reader has made of messages, given in canonical bytes."""
    worst = _Seen("kept")
    for message, body in zip(messages, bodies, strict=True):
        seen = _judged(way, message, body)
        worst = max(worst, seen, key=lambda each: each.rank)
    return worst


def _judged(way: Way, message: Sent, body: bytes) -> _Seen:
    root = way.reader.spec.workload.schema.root
    tolerance = way.writer.variant.tolerance.either(way.reader.variant.tolerance)
    absolute = tolerance.float_absolute or (5e-324 if tolerance.negative_zero else 0.0)

    def difference(expected: object, found: object) -> str | None:
        tell = kind_of if message.is_private else short
        return first_difference(root, expected, found, absolute, tell)

    try:
        found = decode(root, body)
    except EncodingError as error:
        return _Seen("misread", f"no value of its schema: {error}", way.shared is not None)
    if are_same(message.expected, found):
        return _Seen("kept")
    wrong = difference(settled(root, message.expected, found), found)
    if wrong is None:
        return _Seen("kept")
    possible = [message.expected, *([way.relay.left(message.value)] if way.relay else [])]
    others = [difference(settled(root, each, found, empties=True), found) for each in possible]
    if all(others):
        return _Seen("misread", str(others[0]), way.shared is not None)
    common = None if way.shared is None else settled(root, way.shared(message.value), found)
    return _Seen("defaults", wrong, common is not None and difference(common, found) is not None)
