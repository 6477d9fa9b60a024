"""Feeds hostile messages to decoders: a decoder has to return a value or an error, and never to crash, hang
or ask for all memory.

The runner's command ``probe`` feeds them (docs/protocol.md), with a limit of time and memory for each
message. A process that dies or falls silent all the same is started again with the next message. A message
that does harm is fed again to a process that gets nothing else, and only what it does there counts.
"""

from __future__ import annotations

import re
import shlex
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import get_args

from serbench.codecs.codec import Harm
from serbench.dataset.file import join_messages
from serbench.errors import By, RunnerError
from serbench.measure.conversation import Answers
from serbench.measure.judging import joined
from serbench.measure.process import option_words, run_runner
from serbench.measure.said import Hello, Probed
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.system.whole import write_atomically
from serbench.verification.contract import encoded_by
from serbench.verification.mutants import INPUTS, mutants

HARM: tuple[Harm, ...] = get_args(Harm)

LIMIT_S = 10.0
"""The seconds after which a decoder hangs that still works on a message: the largest messages take
milliseconds, and filling 1 GiB takes seconds."""

MOST_HANGS = 5
"""The number of hangs after which no more messages are fed, since each takes the whole limit."""

_STARTING_S = 20.0
"""The seconds beyond the limit after which a runner is ended that did not end a message by itself: it also
has to start."""

_DATA_MESSAGES = 8
_DATA_BYTES = 1 << 16
"""The most canonical bytes of a message of the workload's data that is mutated beside the edge values; the
first ``_DATA_MESSAGES`` of such messages are."""

_AT_ONCE = 100
"""How many messages are fed at once: few enough to show progress."""

_SEEN_AGAIN = 3
"""How many times a message that did harm is fed alone, until it does harm again."""

_BEGINNINGS = 3
"""How many of the shortest harmful messages are made smaller: where one does harm by a thousand levels,
another may do the same by one number."""

_TRIES, _TRIES_OF_HANGS = 1000, 4
"""How many shorter messages are tried at most in place of one that does harm, and of one that hangs."""

_MOST_S, _TRIED_AT_ONCE = 20.0, 50
"""The seconds after which no more shorter messages are tried, and how many are tried at once."""


@dataclass
class Behind:
    """Commands that the process does which was fed messages, where it has accepted all of them.

    Attributes:
        kind: the kind of the event with which a runner answers each of them.
        done: how many of them were done.
    """

    commands: Sequence[Sequence[str]]
    kind: str
    done: int = 0


StillDoes = Callable[[Sequence[bytes]], Sequence[bool]]
"""A function that tells of each message whether it still does the same harm."""

Step = Callable[[int, int], None]
"""A function that is called with how many messages were fed, and how many there are."""


@dataclass(frozen=True)
class MessageOutcome:
    """The outcome of a message: ``accepted``, or the reason why not and whose code raised the error, with the
    harm if it was not merely refused."""

    accepted: bool
    harm: Harm | None = None
    reason: str = ""
    by: By = ""


@dataclass(frozen=True)
class HarmFound:
    """The smallest message that was found to do one kind of harm.

    Attributes:
        reason: the harm in the words of the runner or the system.
        file: the file with the message, for the runner's command ``probe``; ``command`` feeds it again.
    """

    harm: Harm
    message: bytes
    reason: str
    file: Path
    command: str


@dataclass(frozen=True)
class Withstood:
    """The outcomes of the hostile messages that a unit was fed.

    Attributes:
        fed: the number of messages that were fed; fewer than asked for where too many hung.
        counts: harm → how many messages did it, also when fed alone.
        unconfirmed: how many messages did harm among others and none alone; they count as ``accepted`` or
            ``refused``.
    """

    fed: int
    accepted: int
    refused: int
    counts: Mapping[Harm, int]
    unconfirmed: int
    findings: Sequence[HarmFound]

    def undeclared(self, unit: Unit) -> list[Harm]:
        """Return the kinds of harm that were done and that the codec does not declare."""
        return [harm for harm in HARM if self.counts[harm] and harm not in (unit.variant.hostile or ())]

    def not_seen(self, unit: Unit) -> list[Harm]:
        """Return the kinds of harm that the codec declares and that no message did."""
        return [harm for harm in unit.variant.hostile or () if not self.counts[harm]]


def withstand(
    unit: Unit, paths: Paths, step: Step, limit_s: float = LIMIT_S, inputs: int = INPUTS
) -> Withstood:
    """Feed hostile messages to the decoder of a unit, each for at most ``limit_s``, and keep the smallest
    message that does each kind of harm. Raise RunnerError where the runner cannot decode messages that the
    codec wrote itself."""
    originals = _originals(unit)
    for number, answer in enumerate(fed(unit, originals, limit_s)):
        if not answer.accepted:
            raise RunnerError(f"its own message {number} cannot be decoded: {answer.reason}")
    messages: list[bytes] = []
    answers: list[MessageOutcome] = []
    unconfirmed = 0
    left = mutants(originals, inputs)
    while some := list(islice(left, _AT_ONCE)):
        hung = sum(each.harm == "hang" for each in answers)
        for message, answer in zip(some, fed(unit, some, limit_s, MOST_HANGS - hung), strict=False):
            again = alone(unit, message, limit_s) if answer.harm else answer
            unconfirmed += bool(answer.harm and not again.harm)
            messages.append(message)
            answers.append(again)
        step(len(answers), inputs)
        if sum(each.harm == "hang" for each in answers) >= MOST_HANGS:
            break
    counts = Counter(each.harm for each in answers if each.harm)
    return Withstood(
        fed=len(answers),
        accepted=sum(each.accepted for each in answers),
        refused=sum(not each.accepted and not each.harm for each in answers),
        counts={harm: counts[harm] for harm in HARM},
        unconfirmed=unconfirmed,
        findings=_kept(unit, paths, dict(zip(messages, answers, strict=True)), limit_s),
    )


def fed(
    unit: Unit,
    messages: Sequence[bytes],
    limit_s: float,
    most_hangs: int = MOST_HANGS,
    most_harmed: int | None = None,
    behind: Behind | None = None,
) -> list[MessageOutcome]:
    """Return the outcome of each message, up to the one after which too many have hung, or have done harm;
    raise RunnerError where the runner does not even begin. A failure of commands ``behind`` the messages is
    no outcome."""
    behind = behind or Behind((), "")
    answers: list[MessageOutcome] = []

    def goes_on() -> bool:
        harms = [each.harm for each in answers if each.harm]
        few = most_harmed is None or len(harms) < most_harmed
        return len(answers) < len(messages) and harms.count("hang") < most_hangs and few

    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        file = Path(folder) / "messages"
        while goes_on():
            left = len(messages) - len(answers)
            file.write_bytes(join_messages(messages[len(answers) :]))
            begun = False
            command = _command(unit, file, limit_s, behind.commands)
            expected = Answers(*["probed"] * left, *[behind.kind] * len(behind.commands))
            try:
                with closing(run_runner(command, expected, silence_limit_s=limit_s + _STARTING_S)) as events:
                    for event in events:
                        begun = begun or isinstance(event, Hello)
                        if isinstance(event, Probed):
                            accepted = event.accepted and not event.harm
                            answers.append(MessageOutcome(accepted, event.harm, event.reason, event.by))
                        behind.done += event.kind == behind.kind
                        if not goes_on() and not all(each.accepted for each in answers):
                            break
            except RunnerError as error:
                if not begun:
                    raise
                if len(answers) < len(messages):
                    harm: Harm = "hang" if error.hung else "crash"
                    answers.append(MessageOutcome(False, harm, error.outline or str(error)))
    return answers


def alone(unit: Unit, message: bytes, limit_s: float) -> MessageOutcome:
    """Return the outcome of a message in a process that gets no other; a few processes are tried, until the
    message does harm."""
    for _ in range(_SEEN_AGAIN):
        (answer,) = fed(unit, [message], limit_s)
        if answer.harm:
            break
    return answer


def _command(unit: Unit, file: Path, limit_s: float, behind: Sequence[Sequence[str]] = ()) -> list[str]:
    probe = ["probe", *option_words(limit_ms=round(1000 * limit_s), encoded=file)]
    return [*unit.command, *joined([probe, *behind])]


def _originals(unit: Unit) -> list[bytes]:
    """Return the codec's bytes of edge values and of the first messages of the data, from which hostile
    messages are made; for private data only of edge values, since harmful messages are shown."""
    canonical = [bytes(message) for message in unit.edge.read_messages()]
    if not unit.data.is_private:
        small = (bytes(message) for message in unit.data.read_messages() if len(message) <= _DATA_BYTES)
        canonical += islice(small, _DATA_MESSAGES)
    return encoded_by(unit, canonical)


def _kept(
    unit: Unit, paths: Paths, answers: Mapping[bytes, MessageOutcome], limit_s: float
) -> list[HarmFound]:
    """For each harm, make the shortest harmful messages smaller, and keep the smallest in a file, in place of
    an earlier one."""
    findings = []
    for harm in HARM:
        file = _file(paths, unit, harm)
        found = [message for message, answer in answers.items() if answer.harm == harm]
        if not found:
            file.unlink(missing_ok=True)
            continue
        begun = sorted(found, key=len)[:_BEGINNINGS]
        smallest = min((_smallest(unit, message, harm, limit_s) for message in begun), key=len)
        write_atomically(file, join_messages([smallest]))
        reason = alone(unit, smallest, limit_s).reason
        findings.append(HarmFound(harm, smallest, reason, file, shlex.join(_command(unit, file, limit_s))))
    return findings


def _smallest(unit: Unit, message: bytes, harm: Harm, limit_s: float) -> bytes:
    """Return the message, made smaller as long as it does the same harm when fed alone."""

    def still_does(candidates: Sequence[bytes]) -> list[bool]:
        answers = fed(unit, candidates, limit_s)
        return [each.harm == harm for each in answers] + [False] * (len(candidates) - len(answers))

    smaller = reduced(message, still_does, _TRIES_OF_HANGS if harm == "hang" else _TRIES)
    return smaller if alone(unit, smaller, limit_s).harm == harm else message


def reduced(message: bytes, still_does: StillDoes, tries: int = _TRIES, most_s: float = _MOST_S) -> bytes:
    """Return the shortest message that was found to do the same harm by leaving out parts, smaller and
    smaller ones; ``message`` itself where all of it is needed."""
    deadline = time.monotonic() + most_s
    size = len(message)
    while size:
        shorter = None
        candidates = _without(message, size)
        while (
            shorter is None
            and (some := list(islice(candidates, min(_TRIED_AT_ONCE, tries))))
            and time.monotonic() < deadline
        ):
            tries -= len(some)
            shorter = next((each for each, does in zip(some, still_does(some), strict=True) if does), None)
        if tries <= 0 or time.monotonic() >= deadline:
            return message if shorter is None else shorter
        if shorter is None:
            size //= 2
        else:
            message = shorter
            size = min(size, len(message))
    return message


def _without(message: bytes, size: int) -> Iterator[bytes]:
    """Yield the message without each part of so many bytes, the last part first, since what comes before
    decides how the rest is read."""
    for end in range(len(message), 0, -size):
        yield message[: max(end - size, 0)] + message[end:]


def _file(paths: Paths, unit: Unit, harm: Harm) -> Path:
    variant = unit.variant
    name = re.sub(r"[^\w.=,+-]", "_", f"{unit.spec.id} {unit.compiler}".rstrip())
    return paths.hostile / variant.codec.language / variant.codec.name / variant.name / f"{name}.{harm}"
