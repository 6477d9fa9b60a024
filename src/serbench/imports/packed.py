"""Opens text files that are plain, or packed by gzip or zstd; unpacking them has a limit."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import zstandard

from serbench.imports import following
from serbench.imports.base import refused
from serbench.imports.encodings import other_encoding, wide_encoding
from serbench.imports.strangers import HEAD, stranger

PACKINGS = (".gz", ".zst")
"""Suffixes of packed files, which stand behind the suffix of a format."""

MARK = b"\xef\xbb\xbf"
"""The byte order mark that may stand before UTF-8 text."""

_PACKED = 256 << 20
_RATIO = 250
"""A packed file may unpack to ``_PACKED`` bytes, or to ``_RATIO`` times its size if that is more. A file that
unpacks to more was made to do harm (gzip's greatest ratio is 1,032)."""

_WINDOW = 128 << 20

_HEAD = 1 << 16
"""The most bytes that are unpacked to tell a file's format by its beginning."""

_DAMAGES = (OSError, EOFError, zlib.error, zstandard.ZstdError)


def ending_of(file: Path) -> str:
    """The ending of a file's name in lower case, without endings such as ``.gz`` that tell a packing."""
    return next((each for each in map(str.lower, reversed(file.suffixes)) if each not in PACKINGS), "")


@contextmanager
def opened(file: Path, title: str) -> Iterator[IO[bytes]]:
    """A context with the opened file, which is unpacked while it is read if its first bytes tell a packing.

    Args:
        title: the name of its format, for errors.

    Raises:
        InputError: the file cannot be opened or read, is in another encoding than UTF-8, or unpacks to too
            many bytes; raised on entry or during reading.
    """
    try:
        with following.opened(file) as raw:
            head = raw.read(4)
            raw.seek(0)
            if unpacked := _unpacked(raw, head):
                limit = max(_PACKED, _RATIO * file.stat().st_size)
                bounded = io.BufferedReader(_Bounded(file, unpacked, limit), 1 << 18)  # type: ignore[type-var]
                yield _checked(file, bounded, title)
            else:
                yield _checked(file, raw, title)
    except _DAMAGES as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        expected = f"a file of {title}, or one packed by gzip or zstd"
        raise refused(file, "", f"what cannot be read: {reason}", expected) from error


def _checked(file: Path, stream: Any, title: str) -> IO[bytes]:
    """Returns the stream; raises InputError if its first bytes are of another encoding than UTF-8, or tell
    that the file is no text of data."""
    head = stream.peek(HEAD)
    if fault := stranger(file, head, f"a file of {title}"):
        raise fault
    if encoding := wide_encoding(head):
        raise other_encoding(file, "", encoding)
    checked: IO[bytes] = stream
    return checked


def _unpacked(raw: IO[bytes], head: bytes) -> Any:
    if head.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=raw)
    if head == b"\x28\xb5\x2f\xfd":
        return zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(raw, read_across_frames=True)
    return None


class _Bounded(io.RawIOBase):
    """Unpacked bytes, which raise InputError beyond a limit: a small file may unpack to petabytes."""

    def __init__(self, file: Path, unpacked: IO[bytes], limit: int):
        self._file, self._unpacked, self._left, self._limit = file, unpacked, limit, limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        data = self._unpacked.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise refused(
                self._file, "", f"more than {self._limit >> 20} MiB when unpacked, {_RATIO} times its size",
                "a usual compression ratio", "unpack it and give the unpacked file",
            )  # fmt: skip
        buffer[: len(data)] = data
        return len(data)


def unpacked_head(head: bytes) -> bytes:
    """Unpacks the first bytes of a packed file as far as possible; empty if nothing unpacks. For a plain
    file, ``head`` itself, without a byte order mark."""
    unpacked = _unpacked(io.BytesIO(head), head[:4])
    if unpacked is None:
        return head.removeprefix(MARK)
    read = b""
    with suppress(*_DAMAGES):
        while len(read) < _HEAD and (more := unpacked.read1(1 << 14)):
            read += more
    return read
