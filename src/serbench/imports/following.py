"""How far the reading of somebody's files has come: whoever reads tells it, and who wants to know listens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from io import BufferedReader, FileIO
from pathlib import Path
from typing import Any

BUFFER = 1 << 18
"""Bytes that are read at once, and told."""

_TELL: ContextVar[Callable[[int], None] | None] = ContextVar("tell", default=None)


@contextmanager
def followed(tell: Callable[[int], None]) -> Iterator[None]:
    """Lets ``tell`` know of bytes that are read while this lasts, each time that there are some more."""
    token = _TELL.set(tell)
    try:
        yield
    finally:
        _TELL.reset(token)


def was_read(count: int) -> None:
    """So many bytes of somebody's files have been read, by whatever reads them."""
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
    """The file, whose reading is told; raises OSError."""
    return BufferedReader(_Followed(file), BUFFER)
