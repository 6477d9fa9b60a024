"""Reads the messages in data files: a single one, a stream of them with their lengths, text, or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from google.protobuf import json_format, text_format
from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError

from serbench.errors import InputError
from serbench.imports.base import refused
from serbench.imports.following import opened
from serbench.imports.protobuf.descriptors import entry
from serbench.imports.protobuf.memory import MOST_BYTES as MOST_MEMORY
from serbench.imports.protobuf.memory import TooLarge, bounded

FRAMINGS = {
    "one": "each file is one message",
    "delimited": "each message is preceded by its length, as written by writeDelimitedTo",
    "text": "each file is one message in text format",
    "json": "each file is one message in the JSON mapping",
    "json-lines": "each line is a message in the JSON mapping",
}

SUFFIXES = {
    **dict.fromkeys((".textproto", ".txtpb", ".pbtxt", ".textpb", ".prototxt"), "text"),
    ".json": "json",
    **dict.fromkeys((".jsonl", ".ndjson"), "json-lines"),
}
"""Suffixes of files → the framing that they stand for."""

MOST_BYTES = 1 << 26
"""The most bytes of one message. Protobuf's own limit is 2 GiB, and its advice is 1 MB."""

MOST_TEXT = 1 << 24
"""The most bytes of one message in text or JSON; its values take about twenty times as much while they are
read."""

_DEEPEST = 100
"""The most messages inside each other: protobuf's own limit, in C++, Java and Python."""


@dataclass(frozen=True)
class Found:
    """One message of a file.

    Attributes:
        place: its place in the file, for people: ``message 3 at byte 120``.
        size: its bytes in the file.
        is_text: whether it is written in another form than protobuf's bytes.
    """

    message: Any
    place: str
    size: int
    is_text: bool = False


def framing_of(file: Path, asked: str) -> str:
    """The framing that the user asks for, or the one that the file's name tells, or else that of one message;
    raises InputError if there is no such framing."""
    if asked and asked not in FRAMINGS:
        raise refused(file, "", f"the framing '{asked}'", f"one of {', '.join(FRAMINGS)}", "change --framing")
    return asked or SUFFIXES.get(file.suffix.lower(), "one")


def messages(file: Path, framing: str, cls: Any, pool: DescriptorPool) -> Iterator[Found]:
    """Every message of a file.

    Raises:
        InputError: the file cannot be read, or holds something other than messages of this type; names file
            and place.
    """
    reader = _Reader(file, cls, pool)
    readers: dict[str, Callable[[BinaryIO], Iterator[Found]]] = {
        "one": reader.one,
        "delimited": reader.delimited,
        "text": reader.text,
        "json": reader.json,
        "json-lines": reader.json_lines,
    }
    try:
        with opened(file) as stream:
            yield from readers[framing](stream)
    except OSError as error:
        raise refused(file, "", error.strerror or "no file", "data that can be read") from None


class _Reader:
    def __init__(self, file: Path, cls: Any, pool: DescriptorPool):
        self.file = file
        self.cls = cls
        self.pool = pool
        self.type = cls.DESCRIPTOR.full_name

    def one(self, stream: BinaryIO) -> Iterator[Found]:
        yield self._binary(self._whole(stream, MOST_BYTES), "")

    def delimited(self, stream: BinaryIO) -> Iterator[Found]:
        number = position = 0
        while True:
            number += 1
            place = f"message {number} at byte {position}"
            length, taken = self._length(stream, place)
            if not taken:
                return
            if length > MOST_BYTES:
                raise refused(
                    self.file,
                    place,
                    f"a length of {length} bytes",
                    f"one of {MOST_BYTES} at most",
                    "change --framing",
                )
            data = stream.read(length)
            if len(data) < length:
                raise refused(
                    self.file,
                    place,
                    f"{len(data)} bytes",
                    f"{length}, which its length says",
                    "is the file cut off?",
                )
            yield self._binary(data, place)
            position += taken + length

    def text(self, stream: BinaryIO) -> Iterator[Found]:
        text = self._decoded(self._whole(stream, MOST_TEXT), "")
        message = self.cls()
        try:
            with bounded(len(text)):
                text_format.Parse(text, message, descriptor_pool=self.pool)
        except TooLarge:
            raise self._too_large("") from None
        except text_format.ParseError as error:
            place = f"line {error.GetLine()}, column {error.GetColumn()}" if error.GetLine() else ""
            raise self._refused(place, "text format") from None
        except RecursionError:
            raise self._too_deep("") from None
        except (ValueError, TypeError, KeyError, AttributeError):
            # Raised for the content of an Any, or for a message that only has Any's name.
            raise self._refused("", "text format") from None
        yield Found(message, "", len(text), is_text=True)

    def json(self, stream: BinaryIO) -> Iterator[Found]:
        data = self._whole(stream, MOST_TEXT)
        yield Found(self._from_json(data, ""), "", len(data), is_text=True)

    def json_lines(self, stream: BinaryIO) -> Iterator[Found]:
        number = 0
        while line := stream.readline(MOST_TEXT + 1):
            number += 1
            if len(line) > MOST_TEXT:
                raise refused(
                    self.file, f"line {number}", "a longer line", f"one of {MOST_TEXT} bytes at most"
                )
            if line.strip():
                yield Found(
                    self._from_json(line, f"line {number}"), f"line {number}", len(line), is_text=True
                )

    def _from_json(self, data: bytes, place: str) -> Any:
        message = self.cls()
        try:
            with bounded(len(data)):
                text = self._decoded(data, place)
                json_format.Parse(text, message, descriptor_pool=self.pool, max_recursion_depth=_DEEPEST)
        except TooLarge:
            raise self._too_large(place) from None
        except json_format.ParseError as error:
            syntax = error.__cause__
            if isinstance(syntax, json.JSONDecodeError):
                line = place or f"line {syntax.lineno}"
                raise refused(self.file, f"{line}, column {syntax.colno}", "no JSON", "JSON") from None
            if "Message too deep" in str(error):
                raise self._too_deep(place) from None
            raise self._refused(
                ", ".join(filter(None, (place, _field_in(str(error), self.cls.DESCRIPTOR)))),
                "the JSON mapping",
            ) from None
        except RecursionError:
            raise self._too_deep(place) from None
        except (ValueError, TypeError, KeyError, AttributeError):
            raise self._refused(place, "the JSON mapping") from None
        return message

    def _whole(self, stream: BinaryIO, most: int) -> bytes:
        data = stream.read(most + 1)
        if len(data) > most:
            raise refused(
                self.file, "", "a larger file", f"a message of {most} bytes at most", "change --framing"
            )
        return data

    def _decoded(self, data: bytes, place: str) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            where = ", ".join(filter(None, (place, f"byte {error.start}")))
            raise refused(self.file, where, "bytes that are not UTF-8", "text") from None

    def _length(self, stream: BinaryIO, place: str) -> tuple[int, int]:
        """A length that is written as a varint, and the bytes that it takes; 0 bytes if the stream has
        ended."""
        length = 0
        for n in range(10):
            byte = stream.read(1)
            if not byte:
                if n:
                    raise refused(
                        self.file,
                        place,
                        "the end of the file in a length",
                        "a message",
                        "is the file cut off?",
                    )
                return 0, 0
            length |= (byte[0] & 0x7F) << 7 * n
            if byte[0] < 0x80:
                return length, n + 1
        raise refused(self.file, place, "no length", "a varint of 10 bytes at most", "change --framing")

    def _binary(self, data: bytes, place: str) -> Found:
        try:
            with bounded(len(data)):
                message = self.cls.FromString(data)
        except DecodeError as error:
            said = str(error)
            if "MaxDepth" in said:
                raise self._too_deep(place) from None
            if "alloc" in said:
                raise self._too_large(place) from None
            what = "a string that is not UTF-8" if "UTF-8" in said else f"{len(data)} invalid bytes"
            raise refused(
                self.file, place, what, f"a message {self.type}", "change --root or --framing"
            ) from None
        except TooLarge:
            raise self._too_large(place) from None
        return Found(message, place, len(data))

    def _refused(self, place: str, what: str) -> InputError:
        return refused(
            self.file,
            place,
            f"a message that is not a {self.type}",
            f"one in {what}",
            "change --root or the data",
        )

    def _too_large(self, place: str) -> InputError:
        return refused(
            self.file,
            place,
            f"a message that takes more than {MOST_MEMORY >> 20} MiB of memory",
            "a smaller one",
        )

    def _too_deep(self, place: str) -> InputError:
        return refused(
            self.file, place, "too deeply nested messages", f"{_DEEPEST} at most, as protobuf reads"
        )


def _field_in(said: str, message: Descriptor) -> str:
    """The path of the field that an error of the JSON mapping is about, as far as it consists of names in the
    schema; other names are keys of the data, which are not told."""
    path, held = [], message
    while found := re.match(r"Failed to parse (\w+) field: ", said):
        name, said = found[1], said[found.end() :]
        field = next((f for f in held.fields if name in (f.name, f.json_name)), None)
        if field is None:
            break
        path.append(field.name)
        if field.message_type is None or entry(field):
            break
        held = field.message_type
    return ".".join([message.full_name, *path]) if path else ""
