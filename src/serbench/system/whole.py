"""Writes files as a whole: a reader sees the old content or all of the new, never a part."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO


def write_atomically(path: Path, content: str | bytes, durable: bool = False) -> None:
    """Replace a file as a whole: a reader sees the old content or the new, even after a crash. With
    ``durable``, wait until it is on the disk. Raise OSError where it cannot be written; then the old content
    is still there."""
    with file_for(path.parent, durable) as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.becomes(path.name)


class NewFile:
    """A file of ``file_for`` that does not have its name yet."""

    def __init__(self, file: IO[bytes]):
        self._file = file
        self.name = ""

    def write(self, data: bytes) -> None:
        self._file.write(data)

    def write_at_the_beginning(self, data: bytes) -> None:
        """Replace the first bytes of the file by ``data``."""
        self._file.seek(0)
        self._file.write(data)

    def becomes(self, name: str) -> None:
        """Set the name that the file gets in its folder once it is whole; a file without a name is
        discarded."""
        self.name = name


@contextlib.contextmanager
def file_for(folder: Path, durable: bool = False) -> Iterator[NewFile]:
    """Provide a file in ``folder`` to write piece by piece; it gets its name at the end of this context.
    Raise OSError where it cannot be written; then the old content is still there."""
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
    """Return the umask of this process, which can be read only by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


_UMASK = _umask()


def _sync_folder(folder: Path) -> None:
    """Wait until a folder, and with it the new names in it, is on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
