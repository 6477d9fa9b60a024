"""Progress in reading somebody's files: code that reads calls ``was_read``, and ``followed`` listens to
it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from io import BufferedReader, FileIO
from pathlib import Path
from typing import Any

BUFFER = 1 << 18
"""Bytes that are read at once, after which progress is told."""

_TELL: ContextVar[Callable[[int], None] | None] = ContextVar("tell", default=None)


@contextmanager
def followed(tell: Callable[[int], None]) -> Iterator[None]:
    """While this context lasts, calls ``tell`` with the number of bytes each time that some more are read."""
    token = _TELL.set(tell)
    try:
        yield
    finally:
        _TELL.reset(token)


def was_read(count: int) -> None:
    """Reports that ``count`` more bytes of somebody's files have been read."""
    if tell := _TELL.get():
        tell(count)


class _Followed(FileIO):
    def readinto(self, buffer: Any) -> int | None:
        count = super().readinto(buffer)
        was_read(count or 0)
        return count

    def readall(self) -> bytes:
        data = super().readall()
        was_read(len(data))
        return data


def opened(file: Path) -> BufferedReader:
    """The file, opened so that reading it is reported; raises OSError."""
    return BufferedReader(_Followed(file), BUFFER)
