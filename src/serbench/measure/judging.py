"""Judges what timed passes left, outside of the process that was measured.

While a runner measures, values of its messages change (``dataset/edits.py``), and after a watched sample it
writes what the last pass left (docs/protocol.md, "What passes leave"). A codec could recognize that it is
measured, and hand out remembered results with both hands: then its own decoder would confirm what its encoder
made. So the runner decides nothing. Here canonical bytes are held to the edited message, and encoded bytes
are decoded by another process, which knows neither dataset nor edits.
"""

from __future__ import annotations

import contextlib
import os
import struct
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from serbench.codecs.codec import Tolerance
from serbench.dataset.edits import Edit, read_edits
from serbench.dataset.file import Dataset, join_messages, read_dataset, split_messages
from serbench.errors import EncodingError, RunnerError, reason_of
from serbench.measure.apart import apart
from serbench.measure.conversation import Answers
from serbench.measure.differences import comparing
from serbench.measure.process import option_words, run_runner
from serbench.measure.said import Event, SampleSaid

SEPARATOR = "+"
"""The word between the commands that one process is given at once."""

CANONICAL, ENCODED, SUM = 0, 1, 2
"""The kinds of records. The runner itself holds a sum to canonical bytes, so that one is only counted."""

_LENGTH = struct.Struct("<I")
_KIND = struct.Struct("<BxII")
"""Kind, whether it is of a walk, message, number of edits in force."""

MOST_EDITS = 1 << 16
"""More edits than a file has of one message."""


@dataclass(frozen=True)
class Differing:
    """A cell whose timed passes left something else than they had to."""

    cell: str
    reason: str


@dataclass(frozen=True)
class LeftRecord:
    """A record of what a pass left of its last message.

    Attributes:
        edits: the numbers of the edits that were in force for this message.
    """

    cell: str
    kind: int
    message: int
    edits: tuple[int, ...]
    body: bytes


@dataclass(frozen=True)
class Judge:
    """All that it takes to judge what passes left, in plain values, so that a machine of a cluster judges its
    own processes.

    Attributes:
        command: starts the runner that decodes what was encoded.
        dataset, edits: the files that the measuring process was given.
    """

    command: tuple[str, ...]
    dataset: str
    edits: str
    tolerance: Tolerance
    silence_limit_s: float

    def differing(self, left: Path, told: Mapping[str, int]) -> list[Differing]:
        """The cells of which something else was left than had to be, or less than was told.

        Args:
            left: the file of records.
            told: how many records the runner says it wrote of each cell, at least.
        """
        with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
            return Judging(self, left, Path(folder)).differing(told)


class Judging:
    """The judging of one file of records, in whose ``folder`` another process can write.

    Raises:
        RunnerError: the file holds something that is no record.
    """

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
        """Counts the records, judges those that hold canonical bytes, and keeps those that another process
        has to decode."""
        if not left.exists():
            return
        with left.open("rb") as file:
            for record in _records(file):
                self._counts[record.cell] += 1
                if record.kind == ENCODED:
                    self._encoded.append(record)
                elif record.kind == CANONICAL:
                    self._compare(record, record.body)

    def decoding(self) -> list[list[str]]:
        """The command by which another process decodes what was encoded; none where nothing was."""
        if not self._encoded:
            return []
        body = join_messages(record.body for record in self._encoded)
        return [_decoding(self._folder, "left", body)]

    def differing(self, told: Mapping[str, int], is_decoded: bool = False) -> list[Differing]:
        """The cells of which something else was left than had to be, or less than was told.

        Args:
            is_decoded: whether a process has done what ``decoding`` says.
        """
        if not is_decoded and (commands := self.decoding()):
            self._decode(commands)
        else:
            self._compare_decoded("left", self._encoded)
        for cell, count in told.items():
            if (found := self._counts[cell]) < count:
                short = f"{found} records of what passes left, expected {count}"
                self._reasons.setdefault(cell, f"the runner wrote {short}")
        return [Differing(cell, reason) for cell, reason in self._reasons.items()]

    def _decode(self, commands: Sequence[Sequence[str]]) -> None:
        """Decodes in another process; where it fails, each cell's bytes in a process of their own, to see
        whose they are."""
        try:
            self._run(commands)
        except RunnerError:
            for n, cell in enumerate(dict.fromkeys(record.cell for record in self._encoded)):
                own = [record for record in self._encoded if record.cell == cell]
                name = f"left-{n}"
                command = _decoding(self._folder, name, join_messages(record.body for record in own))
                try:
                    self._run([command])
                except RunnerError as error:
                    self._blame(own[0], f"another process cannot decode it: {self._reason(error)}")
                else:
                    self._compare_decoded(name, own)
        else:
            self._compare_decoded("left", self._encoded)

    def _run(self, commands: Sequence[Sequence[str]]) -> None:
        words = apart(self._folder, self._hidden)
        command = [*words, *self._judge.command, *joined(commands)]
        for _ in run_runner(
            command, Answers(*["decoded"] * len(commands)), silence_limit_s=self._judge.silence_limit_s
        ):
            pass

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
            difference = self._difference(self._messages.now(record), body)
        except EncodingError as error:
            difference = str(error)
        if difference:
            self._blame(record, difference)

    def _blame(self, record: LeftRecord, why: str) -> None:
        operation = record.cell.partition(":")[0]
        self._reasons.setdefault(
            record.cell,
            f"the result of {operation} does not match message {record.message} after its values changed: "
            f"the timed code returns remembered results, or skips work ({why})",
        )

    def _reason(self, error: RunnerError) -> str:
        return reason_of(error, self._messages.dataset.is_private)


def judged(judge: Judge, run: Callable[[Sequence[str]], Iterator[Event]]) -> Iterator[Event | Differing]:
    """Runs a process that measures while values change, and judges what its passes left. Samples are held
    back until that is done, and come after the cells that differ: what nobody has judged is nobody's figure.

    Args:
        run: runs the process with these words behind its own.

    Raises:
        RunnerError: as ``run`` does, after all else.
    """
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
    """The words of commands that one process is given at once."""
    return [word for command in commands for word in (SEPARATOR, *command)][1:]


def _decoding(folder: Path, name: str, body: bytes) -> list[str]:
    encoded = folder / f"{name}-encoded"
    encoded.write_bytes(body)
    files = {"encoded": encoded, "out": folder / f"{name}-decoded"}
    return ["decode", *option_words(operation="decode", memory="fresh", **files)]


class _Messages:
    """The messages of a dataset that have edits, and what edits make of them."""

    def __init__(self, dataset: Dataset, edits: Sequence[Edit]):
        self.dataset = dataset
        self._edits = edits
        wanted = {edit.message for edit in edits}
        self._bytes = {n: bytes(each) for n, each in enumerate(dataset.read_messages()) if n in wanted}

    def now(self, record: LeftRecord) -> bytes:
        """The message of a record as its edits had made it.

        Raises:
            RunnerError: it has no such message or edits.
        """
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
    """The records of a file; one that is cut off at its end, where the runner died, is none."""
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
        if kind in (CANONICAL, ENCODED, SUM) and count <= MOST_EDITS:
            edits = struct.unpack_from(f"<{count}I", whole, at)
            return LeftRecord(whole[1:named].decode(), kind, message, edits, whole[at + 4 * count :])
    raise RunnerError("the runner wrote something to --left that is no record of docs/protocol.md")
