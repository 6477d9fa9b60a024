"""Writes files so that they are there whole or not at all: a reader meets the old content, or all of the
new."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO


def write_atomically(path: Path, content: str | bytes, durable: bool = False) -> None:
    """Replaces a file as a whole: a reader meets the old content or the new one, even after a crash.

    Args:
        durable: whether to wait until it is on the disk.

    Raises:
        OSError: it cannot be written; the old content is still there.
    """
    with file_for(path.parent, durable) as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.becomes(path.name)


class NewFile:
    """A file that does not have its name yet; see ``file_for``."""

    def __init__(self, file: IO[bytes]):
        self._file = file
        self.name = ""

    def write(self, data: bytes) -> None:
        self._file.write(data)

    def write_at_the_beginning(self, data: bytes) -> None:
        """Replaces as many bytes at the beginning of what was written."""
        self._file.seek(0)
        self._file.write(data)

    def becomes(self, name: str) -> None:
        """Sets the name that the file gets in its folder once it is whole; without a name it is discarded."""
        self.name = name


@contextlib.contextmanager
def file_for(folder: Path, durable: bool = False) -> Iterator[NewFile]:
    """A file in ``folder`` that is written piece by piece, and gets its name at the end of this context.

    Raises:
        OSError: it cannot be written; the old content is still there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    descriptor, made = tempfile.mkstemp(prefix=".", suffix=".part", dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            new = NewFile(file)
            yield new
            file.flush()
            os.fchmod(file.fileno(), 0o666 & ~_UMASK)
            if durable:
                os.fsync(file.fileno())
        if new.name:
            Path(made).replace(folder / new.name)
    finally:
        with contextlib.suppress(OSError):
            Path(made).unlink()
    if durable:
        _sync_folder(folder)


def _umask() -> int:
    """The umask of this process, which can be read only by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


_UMASK = _umask()


def _sync_folder(folder: Path) -> None:
    """Waits until a folder is on the disk, and with it the new names in it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
