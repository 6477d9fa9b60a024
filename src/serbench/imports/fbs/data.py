"""Reads messages of FlatBuffers from files: one in each file, or each behind its size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from serbench.imports.base import Unfit, refused
from serbench.imports.fbs.compiler import Reflected
from serbench.imports.fbs.values import Values
from serbench.imports.following import opened
from serbench.imports.framing import AUTO, AUTO_MEANING

FRAMINGS = {
    AUTO: AUTO_MEANING,
    "one": "each file is one message",
    "prefixed": "each message is preceded by its size in four bytes, as written by FinishSizePrefixed",
}

MOST_BYTES = 1 << 26
"""The most bytes of one message."""


def values_of(data: Sequence[Path], schema: Reflected, root: str, framing: str) -> Iterator[Any]:
    """The values of all messages; raises InputError with the file and the number of a faulty message."""
    read = Values(schema, root)
    for file in data:
        for number, message in enumerate(_messages(file, framing), 1):
            try:
                value = read.of(message)
            except Unfit as unfit:
                remedy = "change --root or --framing"
                raise refused(file, f"message {number}", str(unfit), f"a message {root}", remedy) from None
            yield value


def _messages(file: Path, framing: str) -> Iterator[bytes]:
    try:
        with opened(file) as stream:
            if framing == "prefixed":
                yield from _prefixed(stream, file)
            else:
                yield _read(stream, MOST_BYTES + 1, file, 1)
    except OSError as error:
        raise refused(file, "", error.strerror or "no file", "data that can be read") from None


def _prefixed(stream: BinaryIO, file: Path) -> Iterator[bytes]:
    number = 1
    while prefix := stream.read(4):
        size = int.from_bytes(prefix, "little")
        message = _read(stream, size, file, number) if len(prefix) == 4 else b""
        if len(prefix) < 4 or len(message) < size:
            expected = "the message whose size is told"
            raise refused(file, f"message {number}", "the end of the file", expected, "change --framing")
        yield message
        number += 1


def _read(stream: BinaryIO, size: int, file: Path, number: int) -> bytes:
    data = stream.read(min(size, MOST_BYTES + 1))
    if len(data) > MOST_BYTES:
        found = f"a message of more than {MOST_BYTES} bytes"
        raise refused(file, f"message {number}", found, "a smaller one", "change --framing")
    return data
