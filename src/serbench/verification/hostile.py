"""Feeds hostile messages to decoders: a decoder has to give a value or an error, and never to crash, hang or
ask for all memory.

Messages are fed by the runner's command ``probe`` (docs/protocol.md), with a limit of time and memory for
each. A process that dies or falls silent all the same is started again with the next message. A message that
does harm is fed again to a process that gets nothing else, and only what it does there counts.
"""

from __future__ import annotations

import re
import shlex
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import get_args

from serbench.codecs.codec import Harm
from serbench.dataset.file import join_messages
from serbench.errors import RunnerError
from serbench.measure.conversation import Answers
from serbench.measure.process import option_words, run_runner
from serbench.measure.said import Hello, Probed
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.system.whole import write_atomically
from serbench.verification.contract import encoded_by
from serbench.verification.mutants import INPUTS, mutants
from serbench.verification.reduced import TRIES, reduced

HARM: tuple[Harm, ...] = get_args(Harm)

LIMIT_S = 10.0
"""A decoder that takes longer for a message hangs: it takes milliseconds for the largest of them, and seconds
to fill 1 GiB."""

MOST_HANGS = 5
"""After this many hangs no more messages are fed, since each takes the whole limit."""

_STARTING_S = 20.0
"""How much later than the limit a runner is ended that does not end a message itself: it has to start as
well."""

_DATA_MESSAGES = 8
_DATA_BYTES = 1 << 16
"""How many messages of the workload's data are mutated beside the edge values, and how many canonical bytes
one of them may have."""

_AT_ONCE = 100
"""How many messages are fed at once: so few that progress is seen."""

_SEEN_AGAIN = 3
"""How many times a message that did harm is fed alone, until it does harm again."""

_BEGINNINGS = 3
"""How many of the shortest messages are made smaller: where one does harm by a thousand levels, another may
do the same by one number."""

_TRIES_OF_HANGS = 4

Step = Callable[[int, int], None]
"""Called with how many messages were fed, and how many there are."""


@dataclass(frozen=True)
class MessageOutcome:
    """The outcome of a message: ``accepted``, or a reason, with the harm if it was not merely refused."""

    accepted: bool
    harm: Harm | None = None
    reason: str = ""


@dataclass(frozen=True)
class HarmFound:
    """The smallest message that was found to do a harm.

    Attributes:
        reason: the harm in the words of the runner or the system.
        file: the file that holds it as ``probe`` takes it; ``command`` feeds it again.
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
        fed: how many messages were fed; fewer than asked for where too many of them hung.
        counts: harm → how many messages did it, alone as well.
        unconfirmed: how many messages did harm among others and none alone; they are among ``accepted`` and
            ``refused``.
    """

    fed: int
    accepted: int
    refused: int
    counts: Mapping[Harm, int]
    unconfirmed: int
    findings: Sequence[HarmFound]

    def undeclared(self, unit: Unit) -> list[Harm]:
        """The harm that the codec does not declare."""
        return [harm for harm in HARM if self.counts[harm] and harm not in (unit.variant.hostile or ())]

    def not_seen(self, unit: Unit) -> list[Harm]:
        """The harm that the codec declares and no message did."""
        return [harm for harm in unit.variant.hostile or () if not self.counts[harm]]


def withstand(
    unit: Unit, paths: Paths, step: Step, limit_s: float = LIMIT_S, inputs: int = INPUTS
) -> Withstood:
    """Feeds hostile messages to the decoder of a unit, and keeps the smallest that does each harm.

    Args:
        limit_s: seconds that a message may take.

    Raises:
        RunnerError: the runner does not do what it should with messages that the codec wrote itself.
    """
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
            alone = _alone(unit, message, limit_s) if answer.harm else answer
            unconfirmed += bool(answer.harm and not alone.harm)
            messages.append(message)
            answers.append(alone)
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
    unit: Unit, messages: Sequence[bytes], limit_s: float, most_hangs: int = MOST_HANGS
) -> list[MessageOutcome]:
    """The outcome of each message, as long as not too many of them hang.

    Raises:
        RunnerError: the runner does not even begin.
    """
    answers: list[MessageOutcome] = []
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        file = Path(folder) / "messages"
        while len(answers) < len(messages) and sum(each.harm == "hang" for each in answers) < most_hangs:
            left = len(messages) - len(answers)
            file.write_bytes(join_messages(messages[len(answers) :]))
            begun = False
            command, expected = _command(unit, file, limit_s), Answers(*["probed"] * left)
            try:
                for event in run_runner(command, expected, silence_limit_s=limit_s + _STARTING_S):
                    begun = begun or isinstance(event, Hello)
                    if isinstance(event, Probed):
                        answers.append(
                            MessageOutcome(event.accepted and not event.harm, event.harm, event.reason)
                        )
            except RunnerError as error:
                if not begun:
                    raise
                if len(answers) < len(messages):
                    harm: Harm = "hang" if error.hung else "crash"
                    answers.append(MessageOutcome(False, harm, error.outline or str(error)))
    return answers


def _alone(unit: Unit, message: bytes, limit_s: float) -> MessageOutcome:
    """The outcome of a message in a process that gets no other; a few processes are tried, until it does
    harm."""
    for _ in range(_SEEN_AGAIN):
        (answer,) = fed(unit, [message], limit_s)
        if answer.harm:
            break
    return answer


def _command(unit: Unit, file: Path, limit_s: float) -> list[str]:
    return [*unit.command, "probe", *option_words(limit_ms=round(1000 * limit_s), encoded=file)]


def _originals(unit: Unit) -> list[bytes]:
    """The codec's bytes of edge values and of the first messages of the data, from which hostile messages are
    made; for private data, of edge values alone, since harmful messages are shown."""
    canonical = [bytes(message) for message in unit.edge.read_messages()]
    if not unit.data.is_private:
        small = (bytes(message) for message in unit.data.read_messages() if len(message) <= _DATA_BYTES)
        canonical += islice(small, _DATA_MESSAGES)
    return encoded_by(unit, canonical)


def _kept(
    unit: Unit, paths: Paths, answers: Mapping[bytes, MessageOutcome], limit_s: float
) -> list[HarmFound]:
    """The smallest message that was found for each harm, made smaller and kept in a file, in place of an
    earlier one."""
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
        reason = _alone(unit, smallest, limit_s).reason
        findings.append(HarmFound(harm, smallest, reason, file, shlex.join(_command(unit, file, limit_s))))
    return findings


def _smallest(unit: Unit, message: bytes, harm: Harm, limit_s: float) -> bytes:
    """The message, made smaller as long as it does the same harm; only what it does alone counts."""

    def still_does(candidates: Sequence[bytes]) -> list[bool]:
        answers = fed(unit, candidates, limit_s)
        return [each.harm == harm for each in answers] + [False] * (len(candidates) - len(answers))

    smaller = reduced(message, still_does, _TRIES_OF_HANGS if harm == "hang" else TRIES)
    return smaller if _alone(unit, smaller, limit_s).harm == harm else message


def _file(paths: Paths, unit: Unit, harm: Harm) -> Path:
    variant = unit.variant
    name = re.sub(r"[^\w.=,+-]", "_", f"{unit.spec.id} {unit.compiler}".rstrip())
    return paths.hostile / variant.codec.language / variant.codec.name / variant.name / f"{name}.{harm}"
