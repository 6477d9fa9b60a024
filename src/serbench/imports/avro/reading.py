"""Reads the messages of container files as values of the type model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import fastavro

from serbench.imports.avro.branches import WRONG_INDEX
from serbench.imports.avro.container import Block, Container
from serbench.imports.avro.parts import NotOfType, fault_in
from serbench.imports.avro.plan import BATCHES, DEEPER, ReadingPlan
from serbench.imports.base import PassOver, pass_over_none, refused
from serbench.text import shortened

FEW_STEPS = 30
"""Steps of recursion that are enough for most data; schemas with more are made when data need them."""


class _Unreadable(Exception):
    """Raised for bytes that are not a message; says what was found."""


class Reading:
    """Reads the messages of files that have one schema."""

    def __init__(self, plan: ReadingPlan):
        self._plan = plan
        self._set_steps(min(FEW_STEPS, plan.steps))

    def _set_steps(self, steps: int) -> None:
        self._steps = steps
        self._schemas = self._plan.schemas(steps)
        self._schemas_passed = self._plan.schemas(steps, passed=True)

    def values(self, containers: Sequence[Container], pass_over: PassOver = pass_over_none) -> Iterator[Any]:
        """A value for each wanted message; the others are read, but not made values. Raises InputError."""
        for container in containers:
            before = 0
            for block in container.blocks():
                yield from self._values(container.file, block, before, pass_over)
                before += block.count

    def _values(self, file: Path, block: Block, before: int, pass_over: PassOver) -> Iterator[Any]:
        """The values of a block's messages; ``before`` is the number of messages before it in the file."""
        least = max(1, self._plan.message.width)
        if block.count * least > len(block.data):
            found = f"{block.count} messages in {len(block.data)} bytes"
            raise refused(file, block.place, found, f"{least} bytes of each at least")
        window = _Window(block.data, self._plan.window)
        done, end = before, before + block.count
        try:
            while done < end:
                passed = pass_over(end - done)
                for count in self._passed(window, passed):
                    done += count
                if done < end:
                    yield self._value(self._next(window), file, done + 1)
                    done += 1
        except _Unreadable as error:
            raise refused(
                file, f"message {done + 1}, in {block.place}", str(error), "one of the schema"
            ) from error
        if window.left:
            raise refused(file, block.place, f"{window.left} bytes behind its last message", "none")

    def _value(self, raw: Any, file: Path, number: int) -> Any:
        """The value of a message from the dict that fastavro returned."""
        message = self._plan.message
        assert message.call  # a message is a record, which always has one
        try:
            return message.call(raw)
        except NotOfType as error:
            fault = fault_in(message, raw)
            assert fault
            path, found, expected = fault
            raise refused(file, f"message {number}{shortened(path, 300)}", found, expected) from error

    def _next(self, window: _Window) -> Any:
        """The next message, as the dict that fastavro returns."""
        while True:
            try:
                return window.read(self._schemas[1])["0"]
            except _Unreadable:
                if not self._can_go_on(window):
                    raise

    def _passed(self, window: _Window, count: int) -> Iterator[int]:
        """Reads ``count`` messages without making values of them, several at once where all of them are good;
        yields the number of messages each time."""
        singly = False
        while count:
            size = 1 if singly else next(size for size in BATCHES if size <= count)
            try:
                window.read(self._schemas_passed[size])
            except _Unreadable:
                if size == 1 and not self._can_go_on(window):
                    raise
                singly = size > 1
                continue
            count -= size
            yield size

    def _can_go_on(self, window: _Window) -> bool:
        """Allows more steps of recursion, or brings more bytes of the block into view, after a message could
        not be read; False if neither helps."""
        if window.is_too_deep and self._steps < self._plan.steps:
            self._set_steps(self._plan.steps)
            return True
        return window.advance()


class _Window:
    """A stretch of a block's bytes that is in view for reading, and moves on through the block.

    Attributes:
        is_too_deep: whether the last message had more steps of recursion than the schema allows.
    """

    def __init__(self, data: bytes, size: int):
        self._data, self._size = data, size
        self._begin = 0
        self._stream = BytesIO(data[:size])
        self.is_too_deep = False

    @property
    def left(self) -> int:
        """The number of bytes of the block that are not yet read."""
        return len(self._data) - self._begin - self._stream.tell()

    def read(self, schema: Any) -> dict[str, Any]:
        """Reads the next record of a schema; raises _Unreadable and stays in place if that fails."""
        begin = self._stream.tell()
        try:
            return fastavro.schemaless_reader(self._stream, schema)  # type: ignore[return-value]
        except Exception as error:  # fastavro does not document which kinds it raises
            found = _found(error)
            self.is_too_deep = found is _TOO_DEEP
            if found is _ENDS and self._begin + self._size < len(self._data) and not begin:
                found = (
                    f"a message of more than {self._size} bytes, whose values may take more "
                    "memory than an import has"
                )
            self._stream.seek(begin)
            raise _Unreadable(found) from error

    def advance(self) -> bool:
        """Moves the window to where reading has ended; False if that brings no more bytes into view."""
        read = self._stream.tell()
        if not read or self._begin + self._size >= len(self._data):
            return False
        self._begin += read
        self._stream = BytesIO(self._data[self._begin : self._begin + self._size])
        return True


_ENDS = "the end of its block within it"
_TOO_DEEP = "more steps of recursion than a value may have"


def _found(error: Exception) -> str:
    """The fault in words for an error that fastavro raised, without quoting any of the user's bytes."""
    if str(DEEPER["size"]) in str(error):
        return _TOO_DEEP
    if isinstance(error, WRONG_INDEX):
        return "an index of a union that has no such branch"
    if isinstance(error, UnicodeDecodeError):
        return "a string that is not valid UTF-8"
    return _ENDS if isinstance(error, EOFError | IndexError) else "invalid bytes"
