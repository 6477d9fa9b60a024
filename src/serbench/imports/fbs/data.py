"""Reads the messages in data files: one in each file, or each behind its size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from serbench.imports.base import refused
from serbench.imports.fbs.compiler import Reflected
from serbench.imports.fbs.values import Unfit, Values
from serbench.imports.following import opened

FRAMINGS = {
    "one": "each file is one message",
    "prefixed": "each message is preceded by its size in four bytes, as written by FinishSizePrefixed",
}

MOST_BYTES = 1 << 26
"""The most bytes of one message."""


def check(data: Sequence[Path], framing: str) -> None:
    """Raises InputError if the data cannot be read as the user asks."""
    for file in data:
        if framing and framing not in FRAMINGS:
            raise refused(
                file, "", f"the framing '{framing}'", f"one of {', '.join(FRAMINGS)}", "change --framing"
            )
        if not file.is_file():
            raise refused(file, "", "no file", "data that can be read")


def messages(data: Sequence[Path], framing: str, schema: Reflected, root: str) -> Callable[[], Iterator[Any]]:
    """A function that reads the values of all messages, from the first one each time it is called; then
    raises InputError, which names the file and the message, if one cannot be read."""
    read = Values(schema, root)

    def begin() -> Iterator[Any]:
        for file in data:
            for number, message in enumerate(_messages(file, framing), 1):
                try:
                    value = read.of(message)
                except Unfit as unfit:
                    remedy = "change --root or --framing"
                    raise refused(
                        file, f"message {number}", str(unfit), f"a message {root}", remedy
                    ) from None
                yield value

    return begin


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
