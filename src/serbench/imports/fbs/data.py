"""Reads the messages in data files: one in each file, or each behind its size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from serbench.imports.base import refused
from serbench.imports.fbs.compiler import Reflected
from serbench.imports.fbs.values import Unfit, Values
from serbench.imports.following import opened
from serbench.imports.framing import AUTO, AUTO_MEANING, checked, note_of, tried

FRAMINGS = {
    AUTO: AUTO_MEANING,
    "one": "each file is one message",
    "prefixed": "each message is preceded by its size in four bytes, as written by FinishSizePrefixed",
}

MOST_BYTES = 1 << 26
"""The most bytes of one message."""


def check(data: Sequence[Path], framing: str) -> None:
    """Raises InputError if the data cannot be read as the user asks."""
    for file in data:
        checked(file, framing, FRAMINGS)
        if not file.is_file():
            raise refused(file, "", "no file", "data that can be read")


def framing_of(data: Sequence[Path], asked: str, schema: Reflected, root: str) -> tuple[str, list[str]]:
    """The framing that the user asks for, or the one that is found by trying, with a line that says so.

    Raises:
        InputError: no framing fits, or several that give different messages.
    """
    if given := checked(data[0], asked, FRAMINGS):
        return given, []
    trials = {name: partial(_tried, data, name, schema, root) for name in FRAMINGS if name != AUTO}
    found = tried(data, trials, root)
    return found, [note_of(data, found, FRAMINGS)]


def _tried(data: Sequence[Path], framing: str, schema: Reflected, root: str) -> Iterator[bytes]:
    return (repr(value).encode() for value in values_of(data, framing, schema, root))


def values_of(data: Sequence[Path], framing: str, schema: Reflected, root: str) -> Iterator[Any]:
    """The values of all messages; raises InputError, which names the file and the message, if one cannot be
    read."""
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
            raise refused(
                file,
                f"message {number}",
                "the end of the file",
                "the message whose size is told",
                "change --framing",
            )
        yield message
        number += 1


def _read(stream: BinaryIO, size: int, file: Path, number: int) -> bytes:
    data = stream.read(min(size, MOST_BYTES + 1))
    if len(data) > MOST_BYTES:
        raise refused(
            file,
            f"message {number}",
            f"a message of more than {MOST_BYTES} bytes",
            "a smaller one",
            "change --framing",
        )
    return data
