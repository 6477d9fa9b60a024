"""Files that are there whole or not at all: whoever reads one meets what was there before, or all that is
new."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO


def write_atomically(path: Path, content: str | bytes, durable: bool = False) -> None:
    """Replaces a file as a whole: whoever reads it meets the old content or the new one, also after a crash.

    Args:
        durable: waits until it is on the disk.

    Raises:
        OSError: it cannot be written; what was there before still is.
    """
    with file_for(path.parent, durable) as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.becomes(path.name)


class NewFile:
    """A file that has no name yet; see ``file_for``."""

    def __init__(self, file: IO[bytes]):
        self._file = file
        self.name = ""

    def write(self, data: bytes) -> None:
        self._file.write(data)

    def write_at_the_beginning(self, data: bytes) -> None:
        """In place of as many bytes that were written first."""
        self._file.seek(0)
        self._file.write(data)

    def becomes(self, name: str) -> None:
        """The name that the file has in its folder at the end; without one there is no file."""
        self.name = name


@contextlib.contextmanager
def file_for(folder: Path, durable: bool = False) -> Iterator[NewFile]:
    """A file of the folder that is written piece by piece, and has its name once it is whole.

    Raises:
        OSError: it cannot be written; what was there before still is.
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
    """The one of this process, which only setting it tells."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


_UMASK = _umask()


def _sync_folder(folder: Path) -> None:
    """A new name is on the disk once its folder is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
