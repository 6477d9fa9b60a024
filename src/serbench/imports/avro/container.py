"""Reads Avro's container files: the header, and the blocks one by one, each unpacked within bounds.

fastavro reads the parts of a file. Its own reader of whole containers is not used: it unpacks a block of any
size, and accepts a negative number of messages, and bytes behind the last message.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any, BinaryIO

import cramjam
import fastavro
import lz4.block
import zstandard

from serbench.imports.avro.schemas import SchemaSource, from_json
from serbench.imports.base import Refusal, refused
from serbench.imports.following import opened
from serbench.imports.strangers import HEAD, stranger
from serbench.text import safe, shortened

MAGIC = b"Obj\x01"

_SINGLE = b"\xc3\x01"

MOST_HEADER = 8 << 20
MOST_BLOCK = 128 << 20
"""The most bytes of a header, and of a block, packed or not: writers fill blocks with 10 KiB to a few MiB."""

_MOST_STATE = 128 << 20
"""The most bytes of memory for unpacking: what xz needs at its strongest level, and zstandard's own limit."""


def _record_of(**fields: Any) -> Any:
    """The schema of a record with fields of these names and types, as fastavro has parsed it."""
    declared = [{"name": name, "type": type} for name, type in fields.items()]
    return fastavro.parse_schema({"type": "record", "name": "parts", "fields": declared})


_SYNC = {"type": "fixed", "name": "mark", "size": 16}
_HEADER = _record_of(
    magic={"type": "fixed", "name": "begin", "size": len(MAGIC)},
    meta={"type": "map", "values": "bytes"},
    sync=_SYNC,
)
_BLOCK = _record_of(count="long", data="bytes", sync=_SYNC)


class _TooLong(Exception):
    """Raised for more bytes than may be read or unpacked at once."""


@dataclass
class _Bounded:
    """A file from which at most ``left`` more bytes can be read."""

    stream: BinaryIO
    left: int

    def read(self, size: int) -> bytes:
        if not 0 <= size <= self.left:
            raise _TooLong
        self.left -= size
        return self.stream.read(size)


@dataclass(frozen=True)
class Block:
    """A block of a container file: some messages, one after the other.

    Attributes:
        place: its place in the file, as errors name it.
        count: the number of messages that the block states.
        data: the bytes of the messages, unpacked.
    """

    place: str
    count: int
    data: bytes


@dataclass(frozen=True)
class Container:
    """An Avro container file.

    Attributes:
        schema: the schema with which the messages were written.
        codec: the name of the compression of the blocks.
        sync: the marker that follows each block.
        begin: the offset of the first block in the file, in bytes.
    """

    file: Path
    schema: SchemaSource
    codec: str
    sync: bytes
    begin: int

    def blocks(self) -> Iterator[Block]:
        """The blocks of the file in their order; raises InputError."""
        unpack = _unpacking(self.file, self.codec)
        with _opened(self.file) as stream:
            stream.seek(self.begin)
            number = 0
            while stream.peek(1):
                number += 1
                place = f"block {number}, at byte {stream.tell()}"
                yield self._block(stream, place, unpack)

    def claimed(self) -> int:
        """The number of messages that all blocks state; 0 if the file cannot be read to its end."""
        count = 0
        try:
            with self.file.open("rb") as stream:
                stream.seek(self.begin)
                while stream.peek(1):
                    count += fastavro.schemaless_reader(_Bounded(stream, MOST_BLOCK + 64), _BLOCK)["count"]  # type: ignore
        except Exception:  # the fault is told when the block is read
            return 0
        return max(count, 0)

    def _block(self, stream: Any, place: str, unpack: Unpack) -> Block:
        found = _read(stream, MOST_BLOCK + 64, _BLOCK, self.file, place)
        fault = partial(refused, self.file, place)
        if found["sync"] != self.sync:
            raise fault("another sync marker behind it", "that of the header", "the file is damaged")
        if found["count"] < 0:
            raise fault("less than no messages", "a count")
        try:
            data = unpack(found["data"])
        except _TooLong as error:
            raise fault(f"more than {MOST_BLOCK >> 20} MiB", "a smaller block") from error
        except Exception as error:  # each library raises its own kind
            raise fault(f"bytes that are not packed by {self.codec}", "a block that is") from error
        return Block(place, found["count"], data)


def is_container(file: Path) -> bool:
    """Whether a file begins like a container file; raises InputError if it cannot be read."""
    with _opened(file) as stream:
        return bool(stream.read(len(MAGIC)) == MAGIC)


def no_container(file: Path, schema: Path | None = None) -> Refusal:
    """Returns the error for a file that does not begin like a container file, by what its beginning tells.

    Args:
        schema: the file of the schema of which it is said to be data; None if there is none.
    """
    with _opened(file) as stream:
        head = stream.read(HEAD)
    expected = "a container file of Avro"
    if fault := stranger(file, head, expected):
        return fault
    if not head:
        return refused(file, "", "an empty file", expected)
    of, data = (f"--schema-file {quote(str(schema))} " if schema else ""), quote(str(file))
    if head.startswith(_SINGLE):
        found = "a message in Avro's single-object encoding, which has no schema"
        return refused(file, "", found, expected, "write messages into one with a DataFileWriter of Avro")
    if head.lstrip()[:1] in (b"{", b"["):
        remedy = f"avro-tools fromjson {of}{data} > data.avro makes one of JSON lines" if schema else ""
        return refused(file, "", "JSON", expected, remedy or "give a schema as .avsc, and data as .json")
    remedy = "a message without its container has no beginning of its own: write it with a DataFileWriter"
    return refused(file, "", "another beginning", expected, remedy)


def open_container(file: Path) -> Container:
    """Opens a container file and reads its header; raises InputError."""
    with _opened(file) as stream:
        header = _read(stream, MOST_HEADER, _HEADER, file, "header")
        begin = stream.tell()
    schema = header["meta"].get("avro.schema")
    if schema is None:
        raise refused(file, "header", "no avro.schema", "the schema of its messages")
    codec = header["meta"].get("avro.codec", b"null").decode(errors="replace") or "null"
    container = Container(file, SchemaSource(file, from_json(file, schema)), codec, header["sync"], begin)
    _unpacking(file, codec)
    return container


def _opened(file: Path) -> Any:
    try:
        return opened(file)
    except OSError as error:
        raise refused(file, "", error.strerror or "a file that cannot be read", "an Avro file") from error


def _read(stream: Any, most: int, schema: Any, file: Path, place: str) -> Any:
    """Reads a header or block by fastavro; raises InputError."""
    fault = partial(refused, file, place)
    try:
        return fastavro.schemaless_reader(_Bounded(stream, most), schema)  # type: ignore[arg-type]
    except _TooLong as error:
        raise fault(f"more than {most >> 20} MiB, or less than nothing", "a smaller one") from error
    except (EOFError, IndexError) as error:
        raise fault("the end of the file within it", "all of it", "the file is cut off or damaged") from error
    except Exception as error:
        raise fault("invalid bytes", "an Avro container file") from error


Unpack = Callable[[bytes], bytes]


def _unpacking(file: Path, codec: str) -> Unpack:
    if codec not in _CODECS:
        found = f"blocks packed by {shortened(safe(codec, lines=False), 50)}, which serbench does not unpack"
        remedy = "write the file with one of these"
        raise refused(file, "header", found, f"one of {', '.join(_CODECS)}", remedy)
    return _CODECS[codec]


def _within(data: bytes) -> bytes:
    if len(data) > MOST_BLOCK:
        raise _TooLong
    return data


def _by_standard_library(begin: Callable[[], Any], data: bytes) -> bytes:
    """Unpacks ``data`` by a decompressor of the standard library, which ``begin`` makes."""
    unpacking = begin()
    unpacked = _within(unpacking.decompress(data, MOST_BLOCK + 1))
    if not unpacking.eof:
        raise ValueError
    return unpacked


def _unpack_zstandard(data: bytes) -> bytes:
    unpacking = zstandard.ZstdDecompressor(max_window_size=_MOST_STATE)
    with unpacking.stream_reader(data, read_across_frames=True) as stream:
        unpacked = stream.read(MOST_BLOCK + 1)
    return _within(unpacked)


def _unpack_lz4(data: bytes) -> bytes:
    if int.from_bytes(data[:4], "little") > MOST_BLOCK:
        raise _TooLong
    return lz4.block.decompress(data)  # type: ignore[no-any-return]


def _unpack_snappy(data: bytes) -> bytes:
    packed, checksum = memoryview(data)[:-4], int.from_bytes(data[-4:], "big")
    if cramjam.snappy.decompress_raw_len(packed) > MOST_BLOCK:
        raise _TooLong
    unpacked = bytes(cramjam.snappy.decompress_raw(packed))
    if zlib.crc32(unpacked) != checksum:
        raise ValueError
    return unpacked


_CODECS: dict[str, Unpack] = {
    "null": _within,
    "deflate": partial(_by_standard_library, partial(zlib.decompressobj, -zlib.MAX_WBITS)),
    "bzip2": partial(_by_standard_library, bz2.BZ2Decompressor),
    "xz": partial(_by_standard_library, partial(lzma.LZMADecompressor, memlimit=_MOST_STATE)),
    "zstandard": _unpack_zstandard,
    "snappy": _unpack_snappy,
    "lz4": _unpack_lz4,
}
