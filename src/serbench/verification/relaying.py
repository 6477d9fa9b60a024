"""Has a program decode messages of another schema and encode again what its library made of them, as a proxy
that was built before a schema changed does.

The program is first fed each message with the limits for hostile messages (``hostile.py``), and messages that
do harm there are not relayed. Messages that it refuses there are: it may have refused them where it makes
domain objects, which relaying leaves out.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from serbench.changes import filled
from serbench.changes.change import Convert
from serbench.dataset.file import join_messages, split_messages
from serbench.errors import RunnerError, SerbenchError, ValueMismatch
from serbench.measure.conversation import Answers
from serbench.measure.judging import joined
from serbench.measure.process import option_words, run_runner
from serbench.measure.said import Hello
from serbench.measure.unit import Unit
from serbench.selecting.selection import POLICIES, Memory
from serbench.verification.hostile import LIMIT_S, alone, fed

_MOST_FAILED = 3
"""How many messages may fail when each is relayed by itself, before no more are: each takes a process."""

_AT_ONCE = 200
"""How many messages are relayed each by itself in one process, so that its command line stays short."""


@dataclass(frozen=True)
class Relay:
    """A program of another schema, which messages go through.

    Attributes:
        has: makes of a message's value what this program's schema has of it.
        left: makes of it what is left where all is lost that this schema lacks.
    """

    unit: Unit
    has: Convert
    left: Convert


def relay_of(unit: Unit, has: Convert, back: Convert) -> Relay:
    """The program of an old schema as a relay of messages of the new one.

    Args:
        has: makes of a message's value what the old schema has of it.
        back: makes of a value of the old schema one of the new schema.
    """
    root = unit.spec.workload.schema.root

    def left(value: object) -> object:
        try:
            return back(filled(root, has(value)))
        except ValueMismatch:  # nothing can be left, so a value that arrives is the whole one
            return value

    return Relay(unit, has, left)


class CannotRelay(SerbenchError):
    """Raised where a library cannot encode what it has decoded."""


@dataclass(frozen=True)
class Relayed:
    """What a program made of messages, which are named by their numbers.

    Attributes:
        stopped: the messages that were not relayed, with the error; after a few of them no more are tried.
        passed: the messages that were relayed.
        bodies: their bytes under each memory policy, in the order of ``passed``, or the error where they
            could be relayed each by itself and not one after another.
    """

    stopped: Mapping[int, RunnerError]
    passed: Sequence[int]
    bodies: Mapping[Memory, Sequence[bytes] | RunnerError]


def relayed(unit: Unit, messages: Sequence[bytes], silence_limit_s: float) -> Relayed:
    """Have the program of a unit relay messages; it may be silent for so many seconds.

    Raises:
        CannotRelay: the library cannot encode what it has decoded.
        RunnerError: the program does not even begin.
    """
    unit = replace(unit, silence_limit_s=min(unit.silence_limit_s, silence_limit_s))
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        stopped, passed = _fed(unit, messages)
        try:
            bodies: dict[Memory, list[bytes] | RunnerError] = {}
            bodies.update(_all_relayed(unit, [messages[n] for n in passed], POLICIES, Path(folder)))
        except RunnerError:
            failed, passed = _each_alone(unit, messages, passed, Path(folder))
            stopped |= failed
            for memory in POLICIES:
                bodies[memory] = _together(unit, [messages[n] for n in passed], memory, Path(folder))
    return Relayed(stopped, passed, bodies)


def _fed(unit: Unit, messages: Sequence[bytes]) -> tuple[dict[int, RunnerError], list[int]]:
    """The messages that do harm to the program when it decodes them, and the others, up to one that hangs."""
    harmed: dict[int, RunnerError] = {}
    harmless: list[int] = []
    for n, answer in enumerate(fed(unit, messages, LIMIT_S, most_hangs=1)):
        if answer.harm:
            answer = alone(unit, messages[n], LIMIT_S)
        if answer.harm:
            harmed[n] = RunnerError(answer.reason, hung=answer.harm == "hang", by=answer.by)
        else:
            harmless.append(n)
    return harmed, harmless


def _all_relayed(
    unit: Unit, messages: Sequence[bytes], policies: Sequence[Memory], folder: Path
) -> dict[Memory, list[bytes]]:
    """The bytes of messages that one process relays one after another, under each policy."""
    if not messages:
        return {memory: [] for memory in policies}
    encoded, out = folder / "encoded", {memory: folder / memory for memory in policies}
    encoded.write_bytes(join_messages(messages))
    for _ in _relays(unit, [(memory, encoded, out[memory]) for memory in policies]):
        pass
    return {memory: _counted(out[memory], len(messages)) for memory in policies}


def _counted(file: Path, expected: int) -> list[bytes]:
    found = [bytes(each) for each in split_messages(file.read_bytes())]
    if len(found) != expected:
        raise SerbenchError(f"{expected} messages were relayed as {len(found)}")
    return found


def _together(
    unit: Unit, messages: Sequence[bytes], memory: Memory, folder: Path
) -> list[bytes] | RunnerError:
    """The bytes of messages that can be relayed each by itself, or the error if they fail one after
    another."""
    try:
        return _all_relayed(unit, messages, [memory], folder)[memory]
    except RunnerError as error:
        return error


def _each_alone(
    unit: Unit, messages: Sequence[bytes], numbers: Sequence[int], folder: Path
) -> tuple[dict[int, RunnerError], list[int]]:
    """The messages that fail when each is relayed by itself, and the other messages, up to a few failures."""
    failed: dict[int, RunnerError] = {}
    passed: list[int] = []
    files = [folder / str(n) for n in numbers]
    for n, file in zip(numbers, files, strict=True):
        file.write_bytes(join_messages([messages[n]]))
    at = 0
    while at < len(files) and len(failed) < _MOST_FAILED:
        some = files[at : at + _AT_ONCE]
        last = at + len(some) - 1
        try:
            for _ in _relays(unit, [("fresh", file, folder / "relayed") for file in some]):
                passed.append(numbers[at])
                at += 1
        except RunnerError as error:
            at = min(at, last)  # a process that fails behind its last message failed by that
            failed[numbers[at]] = error
            at += 1
    return failed, passed


def _relays(unit: Unit, asked: Sequence[tuple[Memory, Path, Path]]) -> Iterator[None]:
    """Have one process relay files of messages into others, each under a policy; yield after each file."""
    commands = [
        ["relay", *option_words(encoded=encoded, out=out, memory=memory)] for memory, encoded, out in asked
    ]
    words = [*unit.command, *joined(commands)]
    expected = Answers(*["relayed"] * len(asked))
    with closing(run_runner(words, expected, silence_limit_s=unit.silence_limit_s)) as events:
        for event in events:
            if isinstance(event, Hello) and not event.relays:
                raise CannotRelay("its view cannot be encoded again")
            if event.kind == "relayed":
                yield None
