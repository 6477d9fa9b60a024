"""Judges the results of timed passes outside of the measured process.

While a runner measures, values of its messages change (``dataset/edits.py``), and after a watched sample it
writes the result of the last pass to a file (docs/protocol.md, "What passes leave"). A codec could recognize
that it is measured, and return remembered results both when it encodes and when it decodes: then its own
decoder would confirm what its encoder made. So the runner decides nothing. Here canonical bytes are compared
with the edited message, and encoded bytes are decoded by another process, which knows neither dataset nor
edits.
"""

from __future__ import annotations

import contextlib
import os
import struct
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from serbench.codecs.tolerance import Tolerance
from serbench.dataset.edits import Edit, read_edits
from serbench.dataset.file import Dataset, join_messages, read_dataset, split_messages
from serbench.errors import EncodingError, RunnerError, reason_of
from serbench.measure.conversation import Answers
from serbench.measure.differences import comparing
from serbench.measure.process import apart, option_words, run_to_end
from serbench.measure.said import Event, SampleSaid
from serbench.measure.updates import mask_of, masked
from serbench.model import Updates

SEPARATOR = "+"
"""The word that separates the commands in a command line that gives one process several."""

CANONICAL, ENCODED, SUM, RESTORED = 0, 1, 2, 3
"""The kinds of records. The runner itself has judged a sum, so such a record is only counted. Bytes are
restored where passes have changed them an even number of times."""

_LENGTH = struct.Struct("<I")
_KIND = struct.Struct("<BxII")
"""A record's kind, an unused byte, the index of its message, and the number of edits in force."""

MOST_EDITS = 1 << 16
"""The most edits that a record may name: more than a file has for one message."""


@dataclass(frozen=True)
class Differing:
    """A cell whose timed passes left another result than they had to, with the reason."""

    cell: str
    reason: str


@dataclass(frozen=True)
class LeftRecord:
    """A record of the result that a pass left for its last message.

    Attributes:
        edits: the numbers of the edits of this message that were in force.
    """

    cell: str
    kind: int
    message: int
    edits: tuple[int, ...]
    body: bytes


@dataclass(frozen=True)
class Judge:
    """Compares the results that timed passes left with what they have to be. It holds plain values only, so
    that each machine of a cluster can judge its own processes.

    Attributes:
        command: starts the runner that decodes encoded results.
        dataset, edits: the files that the measured process was given.
        updates: the parts of types in which passes change values; empty where they change none.
    """

    command: tuple[str, ...]
    dataset: str
    edits: str
    tolerance: Tolerance
    silence_limit_s: float
    updates: Updates = field(default_factory=dict)

    def differing(self, left: Path, told: Mapping[str, int]) -> list[Differing]:
        """Return the cells that left other results than they had to in the file ``left``, or fewer records
        than ``told``, the least number that the runner says it wrote of each cell."""
        with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
            return Judging(self, left, Path(folder)).differing(told)


class Judging:
    """Judges one file of records (``LeftRecord``); another process writes what it decodes to ``folder``.
    Raises RunnerError where the file holds something that is no record."""

    def __init__(self, judge: Judge, left: Path, folder: Path):
        self._judge = judge
        self._messages = _messages(judge.dataset, judge.edits)
        self._difference = comparing(self._messages.dataset, judge.tolerance)
        self._folder = folder
        self._hidden = [
            path for path in (Path(judge.dataset).parent, left.parent) if not folder.is_relative_to(path)
        ]
        self._counts: Counter[str] = Counter()
        self._reasons: dict[str, str] = {}
        self._encoded: list[LeftRecord] = []
        self._read(left)

    def _read(self, left: Path) -> None:
        """Count the records, judge those that hold canonical bytes, and keep those that another process has
        to decode."""
        if not left.exists():
            return
        with left.open("rb") as file:
            for record in _records(file):
                self._counts[record.cell] += 1
                if record.kind in (ENCODED, RESTORED):
                    self._encoded.append(record)
                elif record.kind == CANONICAL:
                    self._compare(record, record.body)

    def decoding(self) -> list[list[str]]:
        """Return the command by which another process decodes the encoded records; none where there are no
        such records."""
        return [self._decoding("left", self._encoded)] if self._encoded else []

    def _decoding(self, name: str, records: Sequence[LeftRecord]) -> list[str]:
        """Write the encoded bytes of records to a file of this name; return the command that decodes them."""
        encoded = self._folder / f"{name}-encoded"
        encoded.write_bytes(join_messages(record.body for record in records))
        files = {"encoded": encoded, "out": self._folder / f"{name}-decoded"}
        return ["decode", *option_words(operation="decode", memory="fresh", **files)]

    def differing(self, told: Mapping[str, int], is_decoded: bool = False) -> list[Differing]:
        """Return the cells that left other results than they had to, or fewer than the runner told.

        Args:
            told: cell → how many records the runner says it wrote, at least.
            is_decoded: whether a process has carried out the command of ``decoding``.
        """
        if is_decoded:
            self._compare_decoded("left", self._encoded)
        elif self._encoded and self._failure("left", self._encoded) is not None:
            # Each cell's bytes get a process of their own, to see whose bytes cannot be decoded.
            for n, cell in enumerate(dict.fromkeys(record.cell for record in self._encoded)):
                own = [record for record in self._encoded if record.cell == cell]
                if (why := self._failure(f"left-{n}", own)) is not None:
                    self._blame(own[0], f"another process cannot decode it: {why}")
        for cell, count in told.items():
            if (found := self._counts[cell]) < count:
                short = f"{found} records of what passes left, expected {count}"
                self._reasons.setdefault(cell, f"the runner wrote {short}")
        return [Differing(cell, reason) for cell, reason in self._reasons.items()]

    def _failure(self, name: str, records: Sequence[LeftRecord]) -> str | None:
        """Have another process decode encoded records through files that begin with ``name``, and compare the
        results; return why that process failed, which may be an empty text; None where it did not fail."""
        words = apart(self._folder, self._hidden)
        command = [*words, *self._judge.command, *self._decoding(name, records)]
        try:
            run_to_end(command, Answers("decoded"), self._judge.silence_limit_s)
        except RunnerError as error:
            return reason_of(error, self._messages.dataset.is_private)
        self._compare_decoded(name, records)
        return None

    def _compare_decoded(self, name: str, records: Sequence[LeftRecord]) -> None:
        if not records:
            return
        bodies = list(split_messages((self._folder / f"{name}-decoded").read_bytes()))
        for record, body in zip(records, bodies, strict=False):
            self._compare(record, bytes(body))
        for record in records[len(bodies) :]:
            self._blame(record, "another process does not decode it")

    def _compare(self, record: LeftRecord, body: bytes) -> None:
        if record.cell in self._reasons:
            return
        try:
            difference = self._difference(self._expected(record), body)
        except EncodingError as error:
            difference = str(error)
        if difference:
            self._blame(record, difference)

    def _expected(self, record: LeftRecord) -> bytes:
        """Return the message of a record with its edits applied, and changed where passes change it."""
        message = self._messages.now(record)
        if not self._judge.updates or record.kind == RESTORED:
            return message
        return masked(message, self._messages.mask(record.message, self._judge.updates))

    def _blame(self, record: LeftRecord, why: str) -> None:
        operation = record.cell.partition(":")[0]
        self._reasons.setdefault(
            record.cell,
            f"the result of {operation} does not match message {record.message} after its values changed: "
            f"the timed code returns remembered results, or skips work ({why})",
        )


def judged(judge: Judge, run: Callable[[Sequence[str]], Iterator[Event]]) -> Iterator[Event | Differing]:
    """Run a process that measures while values change, and judge the results of its passes. Yield its other
    events, then the cells that differ, then its samples, which are held back until they are judged; an error
    of the process is raised after that. ``run`` starts the process with further words at the end of its
    command."""
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        left = Path(folder) / "left"
        samples: list[SampleSaid] = []
        failure: RunnerError | None = None
        events = run(option_words(left=left))
        try:
            for event in events:
                if isinstance(event, SampleSaid):
                    samples.append(event)
                else:
                    yield event
        except RunnerError as error:
            failure = error
        told: Counter[str] = Counter()
        for sample in samples:
            told[sample.cell] += sample.left
        differing = judge.differing(left, told)
    yield from differing
    yield from samples
    if failure:
        raise failure


def joined(commands: Sequence[Sequence[str]]) -> list[str]:
    """Return the words that give one process several commands at once."""
    return [word for command in commands for word in (SEPARATOR, *command)][1:]


class _Messages:
    """Those messages of a dataset that have edits, and the edits."""

    def __init__(self, dataset: Dataset, edits: Sequence[Edit]):
        self.dataset = dataset
        self._edits = edits
        wanted = {edit.message for edit in edits}
        self._bytes = {n: bytes(each) for n, each in enumerate(dataset.read_messages()) if n in wanted}
        self._masks: dict[tuple[int, frozenset[tuple[str, frozenset[str]]]], int] = {}

    def mask(self, message: int, updates: Updates) -> int:
        """Return the bits that an update turns over in a message, whatever edits it has."""
        key = message, frozenset(updates.items())
        if key not in self._masks:
            self._masks[key] = mask_of(self.dataset.schema().root, self._bytes[message], updates)
        return self._masks[key]

    def now(self, record: LeftRecord) -> bytes:
        """Return the message of a record with the record's edits applied; raise RunnerError where there is no
        such message or edit."""
        try:
            message = bytearray(self._bytes[record.message])
            for number in record.edits:
                edit = self._edits[number]
                if edit.message != record.message:
                    raise IndexError
                message[edit.offset : edit.offset + len(edit.bytes)] = edit.bytes
        except LookupError as error:
            raise RunnerError(
                f"the runner wrote a record of {record.cell} with edits {list(record.edits)} of message "
                f"{record.message}, which there are not",
                cell=record.cell,
            ) from error
        return bytes(message)


@lru_cache(maxsize=8)
def _messages(dataset: str, edits: str) -> _Messages:
    return _Messages(read_dataset(Path(dataset)), read_edits(Path(edits)))


def _records(file: BinaryIO) -> Iterator[LeftRecord]:
    """Yield the records of a file, without one that is cut off at the end because the runner died."""
    whole_size = os.fstat(file.fileno()).st_size
    while len(length := file.read(_LENGTH.size)) == _LENGTH.size:
        (size,) = _LENGTH.unpack(length)
        if size > whole_size or len(whole := file.read(size)) < size:  # the codec's process wrote the length
            return
        yield _record(whole)


def _record(whole: bytes) -> LeftRecord:
    with contextlib.suppress(struct.error, IndexError, UnicodeDecodeError):
        named = 1 + whole[0]
        kind, message, count = _KIND.unpack_from(whole, named)
        at = named + _KIND.size
        if kind in (CANONICAL, ENCODED, SUM, RESTORED) and count <= MOST_EDITS:
            edits = struct.unpack_from(f"<{count}I", whole, at)
            return LeftRecord(whole[1:named].decode(), kind, message, edits, whole[at + 4 * count :])
    raise RunnerError("the runner wrote something to --left that is no record of docs/protocol.md")
