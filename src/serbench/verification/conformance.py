"""Holds codecs to the specifications of their formats: what the adapter that is timed reads of messages of
which the specification says what a reader does with them, and what it writes of values."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from serbench.dataset.canonical import decode, encode
from serbench.dataset.values import first_difference
from serbench.errors import EncodingError, RunnerError, in_short
from serbench.measure.unit import Unit
from serbench.selecting.conformance import Case, Catalogue
from serbench.verification.hostile import MessageOutcome
from serbench.verification.processes import Processes

Word = Literal["conforms", "accepts", "rejects", "differs", "crash", "hang", "not tried", "none"]

WORDS: dict[Word, str] = {
    "conforms": "as the specification says",
    "differs": "it reads another value, or writes other bytes",
    "accepts": "it reads what is no message",
    "rejects": "it refuses a message, or a value",
    "crash": "its process ends",
    "hang": "it does not end",
    "not tried": "it was not tried",
    "none": "there is no such message for this codec",
}
"""Outcome → its meaning. Where the specification leaves open what is done, each but ``crash`` and ``hang``
conforms; the reason tells what is."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a case with a codec.

    Attributes:
        codec: the name of the unit.
        reason: the value that it reads, the bytes that it writes, or why it refuses or was not tried; empty
            where nothing is to be said.
        preferred: whether it writes the form that the specification prefers; None where it prefers none, or
            nothing is written.
        version: the version of the codec's library; empty where it is not known.
        denied: the check that the codec declares and does not make, since it reads the message; else empty.
    """

    codec: str
    case: Case
    word: Word
    reason: str = ""
    preferred: bool | None = None
    version: str = ""
    denied: str = ""


def conformance_of(unit: Unit, *profiles: Catalogue) -> list[list[Outcome]]:
    """Return what a unit does with each case of its format, judged by each of the profiles, in the order of
    the cases; never raise for what a codec does.

    Args:
        unit: a unit of the catalogue's workload.
        profiles: one catalogue, as one or more of its profiles judge its cases.
    """
    catalogue = profiles[0]

    def throughout(word: Word, reason: str) -> list[list[Outcome]]:
        return [[Outcome(unit.name, case, word, reason) for case in by.cases] for by in profiles]

    if unit.failure:
        return throughout("none" if unit.status == "unsupported" else "not tried", unit.reason)
    processes, root = Processes(), catalogue.spec.workload.root
    try:
        (usual,) = processes.encoded(unit, [encode(root, catalogue.value())])
    except RunnerError as error:
        return throughout("not tried", str(error))
    messages = {
        n: catalogue.message(case, usual) for n, case in enumerate(catalogue.cases) if not case.is_written
    }
    read = dict(
        _read(unit, processes, [(n, each) for n, each in messages.items() if isinstance(each, bytes)])
    )
    values = {
        n: encode(root, catalogue.value(case)) for n, case in enumerate(catalogue.cases) if case.is_written
    }
    written = dict(zip(values, _written(unit, processes, [*values.values()]), strict=True))

    def judged(by: Catalogue, n: int, case: Case) -> Outcome:
        if case.is_written:
            return writing_judged(unit.name, by, case, usual, written[n])
        if isinstance(message := messages[n], str):
            return Outcome(unit.name, case, "none", message)
        return reading_judged(unit.name, by, case, read.get(n), unit.variant.checks or ())

    return [[judged(by, n, case) for n, case in enumerate(by.cases)] for by in profiles]


def _written(unit: Unit, processes: Processes, canonical: Sequence[bytes]) -> Sequence[bytes | RunnerError]:
    """The bytes as which a unit writes each value, or the error with which it ended when given only that."""
    if not canonical:
        return []
    try:
        return processes.encoded(unit, canonical)
    except RunnerError as error:
        if len(canonical) == 1:
            return [error]
        half = len(canonical) // 2
        return [
            *_written(unit, processes, canonical[:half]),
            *_written(unit, processes, canonical[half:]),
        ]


def writing_judged(
    codec: str, catalogue: Catalogue, case: Case, usual: bytes, written: bytes | RunnerError
) -> Outcome:
    """The outcome of a value that a codec has written, which writes the usual ones as ``usual``."""
    if isinstance(written, RunnerError):
        word, reason = _ended(written)
        allowed = case.verdict != "write" and word == "rejects"
        return Outcome(codec, case, "conforms" if allowed else word, reason)
    found = catalogue.written(case, usual, written)
    if isinstance(found, str):
        return Outcome(codec, case, "none", found)

    def is_one_of(forms: Sequence[str]) -> bool:
        several = [catalogue.bytes_of(each) for each in forms]
        return any(found == each if case.at else found.startswith(each) for each in several)

    preferred = is_one_of(case.prefers) if case.prefers else None
    said = "writes the preferred form" if preferred else f"writes {catalogue.shown(found)}"
    wrong = is_one_of(case.never) or (bool(case.writes) and not is_one_of(case.writes))
    return Outcome(codec, case, "differs" if wrong else "conforms", said, preferred)


def _ended(error: RunnerError) -> tuple[Word, str]:
    """The outcome of a value or a message with which a process ended, and the reason."""
    reason = in_short(str(error)).partition("; it printed: ")[0]
    if error.hung or error.signal or not error.outline.startswith("the runner gave up"):
        return "hang" if error.hung else "crash", reason
    return "rejects", reason


_Read = MessageOutcome | bytes | RunnerError
"""The result of handing over a message: the answer of a program that does not accept it, the canonical bytes
of the value that it reads, or the error with which it ended."""


def _read(
    unit: Unit, processes: Processes, messages: Sequence[tuple[int, bytes]]
) -> Iterator[tuple[int, _Read]]:
    """The results of messages, each with its number; none of those behind one that gets no answer."""
    accepted = []
    left = list(messages)
    while left:
        answers = processes.probed(unit, [message for _, message in left])
        for (n, message), answer in zip(left, answers, strict=False):
            if answer.accepted:
                accepted.append((n, message))
            else:
                yield n, answer
        left = left[len(answers) :] if answers else []
    while accepted:
        passed = processes.passed(unit, "decode", [message for _, message in accepted])
        for place, error in passed.stopped.items():
            yield accepted[place][0], error
        for bodies in passed.bodies.values():
            if not isinstance(bodies, RunnerError):
                for place, body in zip(passed.whole, bodies, strict=True):
                    yield accepted[place][0], body
        done = {*passed.stopped, *passed.whole}
        accepted = [each for place, each in enumerate(accepted) if place not in done] if done else []


def reading_judged(
    codec: str, catalogue: Catalogue, case: Case, read: _Read | None, checks: Collection[str] = ()
) -> Outcome:
    """The outcome of a message, of which a codec has made something that declares these ``checks``."""

    is_read = isinstance(read, bytes) or (isinstance(read, RunnerError) and _ended(read)[0] == "rejects")
    denied = case.check if is_read and case.check in checks else ""

    def outcome(word: Word, reason: str = "") -> Outcome:
        return Outcome(codec, case, word, reason, denied=denied)

    beyond: Word = "accepts" if case.verdict == "reject" else "conforms"
    if read is None:
        return outcome("not tried", "its process did not answer")
    if isinstance(read, RunnerError):
        word, reason = _ended(read)
        if word != "rejects":
            return outcome(word, reason)
        said = f"reads a value that the schema does not have: {reason}"
        return outcome("differs" if case.verdict in ("accept", "either") else beyond, said)
    if isinstance(read, MessageOutcome):
        if read.harm:
            return outcome("hang" if read.harm == "hang" else "crash", read.reason)
        said = in_short(read.reason).partition("\n")[0]
        return outcome("rejects" if case.verdict == "accept" else "conforms", said)
    root = catalogue.spec.workload.root
    try:  # formats have many NaNs, and one is as good as another
        value = tuple(math.nan if each != each else each for each in decode(root, read))
    except EncodingError as error:
        said = f"reads a value that the schema does not have: {error}"
        return outcome("differs" if case.verdict in ("accept", "either") else beyond, said)
    if case.verdict in ("accept", "either"):
        wrong = first_difference(root, catalogue.value(case), value)
        return outcome("differs" if wrong else "conforms", wrong or "")
    return outcome(beyond, _told(catalogue, value))


def _told(catalogue: Catalogue, value: Any) -> str:
    """The fields of a value that are not those of the message that all cases differ from."""
    pairs = zip(catalogue.fields, catalogue.value(), value, strict=True)
    others = [f"{name} as {found!r}" for name, usual, found in pairs if found != usual]
    return f"reads {', '.join(others)}" if others else "reads the usual values"
