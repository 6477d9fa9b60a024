"""The messages of files of JSON and JSON lines, plain or packed, one after the other in bounded memory."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, Any

import msgspec
import orjson
import zstandard

from serbench.errors import InputError
from serbench.imports.base import refused

FRAMINGS: Mapping[str, str] = {
    "auto": "JSON lines where the first line is an object and others follow; else a list of objects as one message for each, "
    "and anything else as one message",
    "lines": "a message on each line; empty lines are passed over",
    "one": "each file is one message",
    "items": "each file is a list, and each of its items is a message",
}

PLAIN_SUFFIXES = (".json", ".jsonl", ".ndjson")
LINE_SUFFIXES = (".jsonl", ".ndjson")
PACKINGS = ("", ".gz", ".zst")
SUFFIXES = tuple(suffix + packing for packing in PACKINGS for suffix in PLAIN_SUFFIXES)

LONGEST_TEXT = 256 << 20
"""Bytes of a message, or of a file that is read as a whole."""

MOST_MEMORY = 640 << 20
"""Bytes that Python's values of one message may be expected to take."""

_LARGE = 1 << 20
"""What is shorter takes less, whatever it is."""

_PACKED = 256 << 20
_RATIO = 250
"""A packed file may grow to the first of them, or by the second; what grows further was made to (gzip's most is 1,032)."""

_WINDOW = 128 << 20
_MARK = b"\xef\xbb\xbf"
_OTHER_ENCODINGS = (b"\xff\xfe", b"\xfe\xff")
_SPACE = b" \t\r\n"


@dataclass(frozen=True)
class Source:
    """One file of messages.

    Attributes:
        file: where it is.
        framing: one of ``FRAMINGS`` but ``auto``.
    """

    file: Path
    framing: str

    def place(self, number: int) -> str:
        """Which message ``number`` is, as errors name it."""
        return {"lines": f"line {number}", "items": f"item {number}"}.get(self.framing, "")

    def messages(self) -> Iterator[tuple[int, bytes]]:
        """The text of each message with its number from 1: of its line, or of its item.

        Raises:
            InputError: the file cannot be read or unpacked, is no list of items, or a message is too long.
        """
        if self.framing == "lines":
            yield from self._lines()
        elif self.framing == "items":
            for number, item in enumerate(_items(self.file), 1):
                text = bytes(item)
                _check_size(self.file, f"item {number}", text)
                yield number, text
        elif text := _whole(self.file).strip(_SPACE):
            _check_size(self.file, "", text)
            yield 1, text

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        with _opened(self.file) as stream:
            first = stream.readline(LONGEST_TEXT + 1).removeprefix(_MARK)
            lines = iter(partial(stream.readline, LONGEST_TEXT + 1), b"")
            for number, line in enumerate(chain((first,), lines), 1):
                if len(line) >= _LARGE:
                    _check_size(self.file, f"line {number}", line)
                if line and not line.isspace():
                    yield number, line


def sources(paths: Sequence[Path], framing: str) -> list[Source]:
    """The files in the order given, of folders all whose names end as those of JSON do, in the order of their names.

    Raises:
        InputError: a path is neither file nor folder, or there is no file at all.
    """
    if framing and framing not in FRAMINGS:
        raise InputError(f"framing: found '{framing}'; expected one of {', '.join(FRAMINGS)}")
    files = [file for path in paths for file in _files_of(path)]
    if not files:
        raise refused(", ".join(map(str, paths)), "", "no file of JSON", f"one that ends in {', '.join(PLAIN_SUFFIXES)}")
    return [Source(file, _framing_of(file) if framing in ("", "auto") else framing) for file in files]


def _files_of(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(f for f in path.rglob("*") if f.name.lower().endswith(SUFFIXES) and f.is_file() and not f.is_symlink())
    if not path.is_file():
        raise refused(path, "", "no file" if not path.exists() else "neither a file nor a folder", "a file of JSON")
    return [path]


def _framing_of(file: Path) -> str:
    if file.name.lower().removesuffix(".gz").removesuffix(".zst").endswith(LINE_SUFFIXES):
        return "lines"
    with _opened(file) as stream:
        first = b" "
        while first and not first.removeprefix(_MARK).strip(_SPACE):
            first = stream.readline(LONGEST_TEXT + 1)
        rest = b" "
        while rest and not rest.strip(_SPACE):
            rest = stream.readline(1 << 16)
    first = first.removeprefix(_MARK).strip(_SPACE)
    if rest and first.startswith(b"{") and _is_json(first):
        return "lines"
    return "items" if first.startswith(b"[") and _is_list_of_objects(file) else "one"


def _is_json(text: bytes) -> bool:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True


def _is_list_of_objects(file: Path) -> bool:
    try:
        items = _items(file)
    except _NoList:
        return False
    return bool(items) and all(bytes(memoryview(item)[:1]) == b"{" for item in items)


class _NoList(InputError):
    pass


def _items(file: Path) -> list[msgspec.Raw]:
    """The items of the list that a file is, which refer to its one text: some 64 bytes each."""
    text = _whole(file)
    if len(text) + 64 * text.count(b",") > MOST_MEMORY:
        raise _too_long(file, "", len(text))
    try:
        return msgspec.json.decode(text, type=list[msgspec.Raw])
    except (msgspec.MsgspecError, ValueError, RecursionError):
        fault = refused(file, "", "no list of JSON", "a list of messages", "there are other framings")
        raise _NoList(str(fault)) from None


def _whole(file: Path) -> bytes:
    with _opened(file) as stream:
        text = stream.read(LONGEST_TEXT + 1)
    if len(text) > LONGEST_TEXT:
        raise _too_long(file, "")
    return text.removeprefix(_MARK)


def _check_size(file: Path, place: str, text: bytes) -> None:
    """Raises InputError where values do not fit into the memory: some 200 bytes an object, 64 a list, 56 an item and 2 a
    character."""
    if len(text) > LONGEST_TEXT:
        raise _too_long(file, place)
    if len(text) >= _LARGE:
        expected = 2 * len(text) + 200 * text.count(b"{") + 64 * text.count(b"[") + 56 * text.count(b",")
        if expected > MOST_MEMORY:
            raise _too_long(file, place, len(text))


def _too_long(file: Path, place: str, length: int = 0) -> InputError:
    found = f"{length} bytes of JSON in one piece" if length else f"more than {LONGEST_TEXT >> 20} MiB of JSON in one piece"
    remedy = "a list of messages can be of any length as JSON lines: jq -c '.[]' FILE.json > FILE.jsonl"
    return refused(file, place, found, f"what takes at most {MOST_MEMORY >> 20} MiB of memory", remedy)


@contextmanager
def _opened(file: Path) -> Iterator[IO[bytes]]:
    """The file, unpacked where its name or its beginning says that it is packed."""
    try:
        with file.open("rb") as raw:
            head = raw.read(4)
            raw.seek(0)
            if head.startswith(_OTHER_ENCODINGS):
                raise refused(file, "", "UTF-16 or UTF-32", "UTF-8", f"iconv -t UTF-8 {file.name} turns it into that")
            if unpacked := _unpacked(raw, head):
                limit = max(_PACKED, _RATIO * file.stat().st_size)
                yield io.BufferedReader(_Bounded(file, unpacked, limit), 1 << 18)  # type: ignore[type-var]
            else:
                yield raw
    except (OSError, EOFError, zlib.error, zstandard.ZstdError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise refused(file, "", f"what cannot be read: {reason}", "a file of JSON, or one packed by gzip or zstd") from error


def _unpacked(raw: IO[bytes], head: bytes) -> Any:
    if head.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=raw)
    if head == b"\x28\xb5\x2f\xfd":
        return zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(raw, read_across_frames=True)
    return None


class _Bounded(io.RawIOBase):
    """What is unpacked, up to so many bytes: a small file may hold petabytes."""

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
                "what people's data unpack to", "unpack it and give the file that comes of it",
            )  # fmt: skip
        buffer[: len(data)] = data
        return len(data)


def unpacked_head(head: bytes) -> bytes:
    """What the beginning of a file unpacks to, as far as it goes; the head itself where it is not packed."""
    try:
        if head.startswith(b"\x1f\x8b"):
            return zlib.decompressobj(wbits=31).decompress(head, 1 << 16)
        if head.startswith(b"\x28\xb5\x2f\xfd"):
            reader = zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(head)
            return _read_what_is_there(reader)
    except (zlib.error, zstandard.ZstdError):
        return b""
    return head.removeprefix(_MARK)


def _read_what_is_there(reader: zstandard.ZstdDecompressionReader) -> bytes:
    read = b""
    try:
        while len(read) < 1 << 16 and (more := reader.read1(1 << 14)):
            read += more
    except zstandard.ZstdError:
        return read
    return read
