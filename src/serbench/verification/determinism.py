"""Tells whether a codec writes the same bytes for equal values: twice in one process, in other processes, for
values that it has read, and for maps whose entries were put in in another order.

Other processes need no seed of their own: each one draws hashes and addresses anew (``docs/protocol.md``).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Literal

from serbench.dataset.canonical import decode, encode_backwards
from serbench.dataset.file import join_messages, split_messages, write_like
from serbench.errors import RunnerError, SerbenchError, reason_of
from serbench.measure.conversation import Answers
from serbench.measure.judging import joined
from serbench.measure.process import option_words, run_to_end
from serbench.measure.unit import Unit
from serbench.selecting.selection import POLICIES
from serbench.verification.contract import ask, describe

Again = Literal["twice", "process", "roundtrip", "order"]
Word = Literal["equal", "differs", "none", "not tried"]

AGAIN: dict[Again, str] = {
    "twice": "each message twice in one process, under both memory policies",
    "process": "in two other processes",
    "roundtrip": "the values that the codec reads of its own bytes",
    "order": "the entries of maps put in backwards",
}
"""The ways in which equal values are encoded again → their meaning."""

WORDS: dict[Word, str] = {
    "equal": "the same bytes",
    "differs": "other bytes for an equal value",
    "none": "there is nothing to compare",
    "not tried": "something failed before",
}
"""Outcome → its meaning."""

DATA_BYTES = 1 << 20
"""About the most canonical bytes of the workload's data that are encoded, beside edge values."""

_PROCESSES = 2
"""How many other processes encode all messages. Two of few entries often come in the same order by chance."""


@dataclass(frozen=True)
class Repeated:
    """The outcome of one way to encode equal values again; ``reason`` says why it is not ``equal``, with the
    first message that differs and no values."""

    outcome: Word
    reason: str = ""


EQUAL = Repeated("equal")


@dataclass(frozen=True)
class Determinism:
    """The outcome of each way to encode equal values again, of one codec with one workload."""

    codec: str
    workload: str
    found: dict[Again, Repeated]


@dataclass(frozen=True)
class _Doubled:
    """Canonical messages, each directly behind an equal one: the ``edges`` first, then the data's.

    Attributes:
        backwards: the same values with the entries of maps in descending order of their keys.
    """

    canonical: Sequence[bytes]
    backwards: Sequence[bytes]
    edges: int

    def name(self, n: int) -> str:
        """The n-th message in words, by its number among those of its kind."""
        n //= 2
        return f"edge value {n}" if n < self.edges else f"message {n - self.edges}"

    def has_entries(self, n: int) -> bool:
        """Whether the n-th message has a map of several entries."""
        return self.canonical[n] != self.backwards[n]


def determinism_of(unit: Unit) -> Determinism:
    """Have a unit's codec encode equal values again in each way; a codec's failure is an outcome and raises
    nothing."""

    def all_of(outcome: Word, reason: str) -> Determinism:
        return Determinism(unit.name, unit.spec.id, dict.fromkeys(AGAIN, Repeated(outcome, reason)))

    if unit.status != "ok":
        return all_of("not tried" if unit.status == "failed" else "none", unit.reason)
    try:
        if "encode" not in describe(unit).operations:
            return all_of("none", "it does not write")
        with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
            return Determinism(unit.name, unit.spec.id, _Encodings(unit, Path(folder)).compared())
    except (SerbenchError, OSError) as error:
        return all_of("not tried", reason_of(error, unit.data.is_private))


class _Encodings:
    """The encodings that processes of a unit make of its messages, in a folder for their files."""

    def __init__(self, unit: Unit, folder: Path):
        self._unit, self._folder = unit, folder
        self._messages = _messages_of(unit)
        encoded = self._encoded(self._messages.canonical, POLICIES)
        self._first = encoded[0]
        self._fresh = encoded[1:]

    def compared(self) -> dict[Again, Repeated]:
        """The outcome of each way; one that fails spoils none of the others."""
        ways: dict[Again, Callable[[], Repeated]] = {
            "twice": self._twice,
            "process": self._in_other_processes,
            "roundtrip": self._after_reading,
            "order": self._in_other_order,
        }
        return {name: self._tried(way) for name, way in ways.items()}

    def _tried(self, way: Callable[[], Repeated]) -> Repeated:
        try:
            return way()
        except (SerbenchError, OSError) as error:
            return Repeated("not tried", reason_of(error, self._unit.data.is_private))

    def _twice(self) -> Repeated:
        within = _doubled(self._first[::2])
        return self._judged([("", within, self._first), *(("under fresh: ", within, f) for f in self._fresh)])

    def _in_other_processes(self) -> Repeated:
        others = [self._encoded(self._messages.canonical)[0] for _ in range(_PROCESSES)]
        return self._judged([("", self._first, other) for other in others])

    def _after_reading(self) -> Repeated:
        encoded, decoded = self._folder / "again", self._folder / "decoded"
        encoded.write_bytes(join_messages(self._first))
        ask(self._unit, "decoded", "decode", operation="decode", encoded=encoded, out=decoded)
        values = [bytes(each) for each in split_messages(decoded.read_bytes())]
        return self._judged([("", self._first, self._encoded(values)[0])])

    def _in_other_order(self) -> Repeated:
        if not any(map(self._messages.has_entries, range(len(self._messages.canonical)))):
            return Repeated("none", "no map has several entries")
        if not self._unit.variant.codec.traits.ordered_maps:
            return Repeated("none", "the language's maps keep no order of entries")
        return self._judged([("", self._first, self._encoded(self._messages.backwards)[0])])

    def _encoded(
        self, messages: Sequence[bytes], policies: Sequence[str] = POLICIES[:1]
    ) -> list[list[bytes]]:
        """The messages as one process encodes them under each policy in turn.

        Raises:
            RunnerError: the process fails, or gives another number of messages.
        """
        dataset = write_like(self._folder, self._unit.data, messages).path
        files = [self._folder / policy for policy in policies]
        commands = [
            ["encode", *option_words(dataset=dataset, memory=policy, out=file)]
            for policy, file in zip(policies, files, strict=True)
        ]
        words = [*self._unit.command, *joined(commands)]
        run_to_end(words, Answers(*["encoded"] * len(commands)), self._unit.silence_limit_s)
        found = [[bytes(each) for each in split_messages(file.read_bytes())] for file in files]
        for each in found:
            if len(each) != len(self._messages.canonical):
                raise RunnerError(f"{len(self._messages.canonical)} messages were encoded to {len(each)}")
        return found

    def _judged(self, pairs: Sequence[tuple[str, Sequence[bytes], Sequence[bytes]]]) -> Repeated:
        """The outcome for pairs of encodings of the same messages, each with words in front of the reason why
        the two differ; the first pair that differs is told."""
        for where, one, other in pairs:
            if reason := _difference(self._messages, one, other):
                return Repeated("differs", where + reason)
        return EQUAL


def _difference(messages: _Doubled, one: Sequence[bytes], other: Sequence[bytes]) -> str:
    """How two encodings of the same messages differ, in words; empty where they do not."""
    differing = [n for n, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    if not differing:
        return ""
    n = differing[0]
    size, again = len(one[n]), len(other[n])
    at = next(
        (at for at, (a, b) in enumerate(zip(one[n], other[n], strict=False)) if a != b), min(size, again)
    )
    sizes = f"of {size}" if size == again else f"of {size} and then {again}"
    distinct = {each // 2 for each in differing}
    with_maps = all(map(messages.has_entries, differing))
    told = ", each with a map of several entries" if with_maps else ""
    return f"{messages.name(n)} from byte {at} {sizes}; {len(distinct)} of {len(one) // 2} messages{told}"


def _messages_of(unit: Unit) -> _Doubled:
    """A unit's edge values and the first of its data, each twice."""
    data, root = unit.data, unit.spec.workload.schema.root
    most = max(1, DATA_BYTES * data.messages // max(data.canonical_bytes, 1))
    canonical = [bytes(each) for each in chain(unit.edge.read_messages(), islice(data.read_messages(), most))]
    backwards = [encode_backwards(root, decode(root, each)) for each in canonical]
    return _Doubled(_doubled(canonical), _doubled(backwards), unit.edge.messages)


def _doubled(messages: Sequence[bytes]) -> list[bytes]:
    return [each for each in messages for _ in range(2)]
