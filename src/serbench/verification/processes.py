"""Hands messages to processes of units: to encode them, to probe them with the limits for hostile messages,
to decode them, and to relay them.

Each step takes all messages at once, since starting a process may take longer than everything it does.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from serbench.dataset.file import join_messages, split_messages
from serbench.errors import RunnerError, SerbenchError
from serbench.measure.conversation import Answers
from serbench.measure.judging import joined
from serbench.measure.process import option_words, run_runner
from serbench.measure.said import Hello
from serbench.measure.unit import Unit
from serbench.selecting.selection import POLICIES, Memory
from serbench.verification.contract import encoded_by
from serbench.verification.hostile import LIMIT_S, Behind, MessageOutcome, alone, fed

SILENCE_S = 30.0
"""The most seconds of silence after which a process hangs that is given several messages: it also has to
start."""

_MOST_FAILED = 3
"""How many messages may fail when each is given by itself, or do harm, before no more are given: each takes a
process."""

_AT_ONCE = 200
"""How many messages are given each by itself in one process, so that its command line stays short."""

Passing = Literal["decode", "relay"]
"""A command of runners that makes of each message another one."""

_Asked = tuple[Memory, Path, Path]
"""A policy, a file of messages, and the file that is to be made of it."""

_SAID: dict[Passing, str] = {"decode": "decoded", "relay": "relayed"}


class CannotRelay(SerbenchError):
    """Raised where a library cannot encode what it has decoded."""


@dataclass(frozen=True)
class Passed:
    """The results of a process for messages, which are named by their numbers.

    Attributes:
        stopped: the messages that failed, with the error; after a few of them no more are tried.
        whole: the messages that came through.
        bodies: the bytes that these became under each memory policy, in their order, or the error where they
            come through each by itself and not one after another.
    """

    stopped: Mapping[int, RunnerError]
    whole: Sequence[int]
    bodies: Mapping[Memory, Sequence[bytes] | RunnerError]


class Processes:
    """The steps, each in processes of its own."""

    def encoded(self, writer: Unit, canonical: Sequence[bytes]) -> list[bytes]:
        """Canonical messages as the writer encodes them."""
        return encoded_by(writer, canonical)

    def probed(self, reader: Unit, messages: Sequence[bytes]) -> list[MessageOutcome]:
        """The outcome of each message, up to one that hangs or a few that do harm, since each takes a
        process. Harm is done by a message that gets no other."""
        return self._probed(reader, messages, None)

    def _probed(self, reader: Unit, messages: Sequence[bytes], behind: Behind | None) -> list[MessageOutcome]:
        found = fed(reader, messages, LIMIT_S, most_hangs=1, most_harmed=_MOST_FAILED, behind=behind)
        return [
            alone(reader, message, LIMIT_S) if each.harm else each
            for message, each in zip(messages, found, strict=False)
        ]

    def passed(self, unit: Unit, by: Passing, messages: Sequence[bytes]) -> Passed:
        """Have the unit decode or relay messages.

        Raises:
            CannotRelay: the library cannot encode what it has decoded.
            RunnerError: the process does not even begin.
            SerbenchError: it has made of messages more or fewer.
        """
        unit = replace(unit, silence_limit_s=min(unit.silence_limit_s, SILENCE_S))
        with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
            bodies: dict[Memory, Sequence[bytes] | RunnerError] = {}
            try:
                bodies.update(_together(unit, by, messages, POLICIES, Path(folder)))
                return Passed({}, range(len(messages)), bodies)
            except RunnerError:
                stopped, whole = _each_alone(unit, by, messages, Path(folder))
            for memory in POLICIES:
                try:
                    left = [messages[n] for n in whole]
                    bodies.update(_together(unit, by, left, [memory], Path(folder)))
                except RunnerError as error:
                    bodies[memory] = error
            return Passed(stopped, whole, bodies)


class Remembering(Processes):
    """Processes whose answers are remembered, so that messages that were handed over among others are not
    handed over again. No harm is remembered, and no answer that may depend on the messages before, but where
    the same messages are before it.

    The process that probes messages decodes them as well where it accepts all of them."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], Any] = {}
        self._decoded: dict[tuple[Any, ...], Passed] = {}

    def encoded(self, writer: Unit, canonical: Sequence[bytes]) -> list[bytes]:
        return self._of(
            ("encode", writer.command), canonical, lambda: super(Remembering, self).encoded(writer, canonical)
        )

    def probed(self, reader: Unit, messages: Sequence[bytes]) -> list[MessageOutcome]:
        return self._of(("probe", reader.command), messages, lambda: self._also_decoded(reader, messages))

    def passed(self, unit: Unit, by: Passing, messages: Sequence[bytes]) -> Passed:
        keys = [(by, unit.command, message) for message in messages]
        if all(key in self._known for key in keys):
            bodies = [self._known[key] for key in keys]
            return Passed({}, range(len(messages)), dict.fromkeys(POLICIES, bodies))
        if by == "decode" and (known := self._decoded.get((unit.command, *messages))):
            return known
        found = super().passed(unit, by, messages)
        self._keep(keys, found)
        return found

    def _also_decoded(self, reader: Unit, messages: Sequence[bytes]) -> list[MessageOutcome]:
        """Probe messages, and keep the results of decoding them where all of them are accepted."""
        with tempfile.TemporaryDirectory(prefix="serbench-") as name:
            folder = Path(name)
            asked = _asked(messages, POLICIES, folder)
            behind = Behind(_commands("decode", asked), _SAID["decode"])
            answers = self._probed(reader, messages, behind)
            if behind.done == len(asked):
                with suppress(SerbenchError):
                    found = Passed({}, range(len(messages)), _made("decode", messages, asked))
                    self._decoded[reader.command, *messages] = found
                    self._keep([("decode", reader.command, each) for each in messages], found)
        return answers

    def _keep(self, keys: Sequence[tuple[Any, ...]], found: Passed) -> None:
        """Remember the messages that became the same under every policy."""
        several = [each for each in found.bodies.values() if not isinstance(each, RunnerError)]
        if len(several) == len(POLICIES):
            for n, *each in zip(found.whole, *several, strict=True):
                if len({*each}) == 1:
                    self._known[keys[n]] = each[0]

    def _of(
        self, step: tuple[Any, ...], messages: Sequence[bytes], ask: Callable[[], list[Any]]
    ) -> list[Any]:
        keys = [(*step, message) for message in messages]
        if not all(key in self._known for key in keys):
            answers = ask()
            pairs = zip(keys, answers, strict=False)
            self._known.update((key, each) for key, each in pairs if not getattr(each, "harm", None))
            return answers
        return [self._known[key] for key in keys]


def _together(
    unit: Unit, by: Passing, messages: Sequence[bytes], policies: Sequence[Memory], folder: Path
) -> dict[Memory, list[bytes]]:
    """Have one process take messages one after another, under each policy; return their bytes."""
    if not messages:
        return {memory: [] for memory in policies}
    asked = _asked(messages, policies, folder)
    for _ in _runs(unit, by, asked):
        pass
    return _made(by, messages, asked)


def _asked(messages: Sequence[bytes], policies: Sequence[Memory], folder: Path) -> list[_Asked]:
    """A file of the messages in ``folder``, and one for each policy that is to be made of it."""
    file = folder / "messages"
    file.write_bytes(join_messages(messages))
    return [(memory, file, folder / memory) for memory in policies]


def _made(by: Passing, messages: Sequence[bytes], asked: Sequence[_Asked]) -> dict[Memory, list[bytes]]:
    """The bytes of each policy's file, one for each message."""
    found = {memory: [bytes(each) for each in split_messages(out.read_bytes())] for memory, _, out in asked}
    for bodies in found.values():
        if len(bodies) != len(messages):
            raise SerbenchError(f"{len(messages)} messages were {_SAID[by]} as {len(bodies)}")
    return found


def _each_alone(
    unit: Unit, by: Passing, messages: Sequence[bytes], folder: Path
) -> tuple[dict[int, RunnerError], list[int]]:
    """The messages that fail when each is given by itself, and the others, up to a few failures."""
    failed: dict[int, RunnerError] = {}
    whole: list[int] = []
    files = [folder / str(n) for n in range(len(messages))]
    for file, message in zip(files, messages, strict=True):
        file.write_bytes(join_messages([message]))
    at = 0
    while at < len(files) and len(failed) < _MOST_FAILED:
        some = files[at : at + _AT_ONCE]
        last = at + len(some) - 1
        try:
            for _ in _runs(unit, by, [("fresh", file, folder / "out") for file in some]):
                whole.append(at)
                at += 1
        except RunnerError as error:
            at = min(at, last)  # a process that fails behind its last message failed by that
            failed[at] = error
            at += 1
    return failed, whole


def _commands(by: Passing, asked: Sequence[_Asked]) -> list[list[str]]:
    return [[by, *option_words(encoded=encoded, out=out, memory=memory)] for memory, encoded, out in asked]


def _runs(unit: Unit, by: Passing, asked: Sequence[_Asked]) -> Iterator[None]:
    """Have one process make other files of files of messages, each under a policy; yield after each file."""
    words = [*unit.command, *joined(_commands(by, asked))]
    expected = Answers(*[_SAID[by]] * len(asked))
    with closing(run_runner(words, expected, silence_limit_s=unit.silence_limit_s)) as events:
        for event in events:
            if isinstance(event, Hello) and by == "relay" and not event.relays:
                raise CannotRelay("its view cannot be encoded again")
            if event.kind == _SAID[by]:
                yield None
