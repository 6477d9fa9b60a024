"""Reads messages of Protocol Buffers from files: a single one, a stream with lengths, text, or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shlex import quote
from struct import calcsize, unpack
from typing import Any, BinaryIO

from google.protobuf import json_format, text_format
from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError, EncodeError

from serbench.errors import InputError
from serbench.imports.base import Unfit, refused
from serbench.imports.encodings import not_utf8, other_encoding, place_of, wide_encoding
from serbench.imports.following import opened
from serbench.imports.framing import AUTO, AUTO_MEANING, checked, note_of, tried
from serbench.imports.json.files import framing_of
from serbench.imports.json.parsing import NoJson, no_json
from serbench.imports.json.recognise import beginning as begins_json
from serbench.imports.packed import MARK
from serbench.imports.protobuf.descriptors import entry
from serbench.imports.protobuf.memory import MOST_BYTES as MOST_MEMORY
from serbench.imports.protobuf.memory import TooLarge, bounded
from serbench.imports.protobuf.unknown import Unknown, bytes_of
from serbench.imports.strangers import HEAD

FRAMINGS = {
    AUTO: f"what the file's ending tells, or {AUTO_MEANING}",
    "one": "each file is one message",
    "delimited": "each message is preceded by its length, as written by writeDelimitedTo",
    "u32-be": "each message is preceded by its length in four bytes, the highest first",
    "u32-le": "each message is preceded by its length in four bytes, the lowest first",
    "grpc": "each message is preceded by a zero byte and its length in four bytes, as gRPC sends it",
    "text": "each file is one message in text format",
    "json": "each file is one message in the JSON mapping",
    "json-lines": "each line is a message in the JSON mapping",
}

SUFFIXES = {
    **dict.fromkeys((".textproto", ".txtpb", ".pbtxt", ".textpb", ".prototxt"), ("text",)),
    ".json": ("json", "json-lines"),
    **dict.fromkeys((".jsonl", ".ndjson"), ("json-lines",)),
}
"""Suffix of a file → the framings that files with this suffix may have."""

MOST_BYTES = 1 << 26
"""The most bytes of one message. Protobuf's own limit is 2 GiB, and its advice is 1 MB."""

MOST_TEXT = 1 << 24
"""The most bytes of a message in text or JSON; while it is read, its values take twenty times as much."""

_OF_EMPTY = "--framing one takes it as a message without a field"

LengthOf = Callable[[BinaryIO, str], tuple[int, int]]
"""Reads the length before a message, at a place that errors name; returns the length, and the number of bytes
that it takes, which is 0 if the stream has ended."""

_DEEPEST = 100
"""The most messages inside each other: protobuf's own limit, in C++, Java and Python."""


@dataclass(frozen=True)
class MessageFound:
    """A message that was read from a file.

    Attributes:
        place: its place in the file, as errors tell it: ``message 3 at byte 120``.
        size: the number of its bytes in the file.
        is_text: whether the file has it as text or JSON.
    """

    file: Path
    message: Any
    place: str
    size: int
    is_text: bool = False

    @contextmanager
    def looked_at(self, type: str, remedy: str = "") -> Iterator[None]:
        """A context for work with the message, which raises InputError if the work takes too much memory, or
        raises Unfit, since the message is not of the type called ``type``."""
        try:
            with bounded(self.size):
                yield
        except (TooLarge, EncodeError, DecodeError):
            found = "a message that takes too much memory"
            raise refused(self.file, self.place, found, "a smaller one") from None
        except Unfit as unfit:
            raise refused(self.file, self.place, str(unfit), f"a message {type}", remedy) from None


def framed(
    files: Sequence[Path], asked: str, cls: Any, pool: DescriptorPool
) -> tuple[list[tuple[Path, str]], list[str]]:
    """Every file with its framing, and notes for the user on the framings that were found by trying.

    A framing is the one that the user asks for, or that the file's name tells; else it is found by trying.
    Files whose names leave the same framings open are tried together.

    Raises:
        InputError: there is no such framing, or none fits, or several that give different messages.
    """
    together: dict[tuple[str, ...], list[Path]] = {}
    for file in files:
        given = checked(file, asked, FRAMINGS)
        told = (given,) if given else SUFFIXES.get(file.suffix.lower(), tuple(FRAMINGS)[1:])
        together.setdefault(told, []).append(file)
    found, notes = {}, []
    for told, those in together.items():
        framing = told[0]
        if len(told) > 1:
            trials = {name: partial(_tried, those, name, cls, pool) for name in told}
            framing = tried(those, trials, cls.DESCRIPTOR.full_name, _OF_EMPTY, _likely)
            notes.append(note_of(those, framing, FRAMINGS))
        found.update(dict.fromkeys(those, framing))
    return [(file, found[file]) for file in files], notes


def _likely(file: Path) -> str:
    """Tells the framing of a file that begins as JSON; empty for others."""
    with opened(file) as stream:
        begins = begins_json(stream.read(HEAD))
    is_json = begins or ".json" in file.suffixes
    return ("json-lines" if framing_of(file) == "lines" else "json") if is_json else ""


def _tried(files: Sequence[Path], framing: str, cls: Any, pool: DescriptorPool) -> Iterator[bytes]:
    """The bytes of each message of files, for a trial of a framing; raises InputError if a message does not
    fit the schema, or none has a field of the schema."""
    unknown = Unknown(cls.DESCRIPTOR.full_name)
    for each in messages(((file, framing) for file in files), cls, pool):
        key: bytes = bytes_of(each.message, deterministic=True)
        look_for_unknown(unknown, each)
        if framing == "text" and not key:
            raise refused(each.file, each.place, "a text without a field", "a message with one")
        yield key
    check_some_known(unknown, files)


def look_for_unknown(unknown: Unknown, found: MessageFound) -> None:
    """Has ``unknown`` look at a message; raises InputError if fields are of other types than declared."""
    if not found.is_text:  # the reader of a text has refused unknown fields already
        with found.looked_at(unknown.type, "change --root or --framing"):
            unknown.look(found.message, found.size)


def check_some_known(unknown: Unknown, files: Sequence[Path]) -> None:
    """Raises InputError if messages have fields, but none of their schema."""
    if unknown.all_are:
        found = f"no field of {unknown.type} in any message"
        raise refused(files[0], "", found, "some", "change --root or --framing")


def messages(data: Iterable[tuple[Path, str]], cls: Any, pool: DescriptorPool) -> Iterator[MessageFound]:
    """Every message of files, each given with its framing.

    Raises:
        InputError: a file cannot be read, or does not consist of messages of the type ``cls``; names file and
            place.
    """
    for file, framing in data:
        try:
            with opened(file) as stream:
                yield from _Reader(file, cls, pool).messages(framing, stream)
        except OSError as error:
            raise refused(file, "", error.strerror or "no file", "data that can be read") from None


class _Reader:
    """Reads the messages of a file; its methods raise InputError."""

    def __init__(self, file: Path, cls: Any, pool: DescriptorPool):
        self.file = file
        self.cls = cls
        self.pool = pool
        self.type = cls.DESCRIPTOR.full_name
        self.refusal = partial(refused, file)

    def messages(self, framing: str, stream: BinaryIO) -> Iterator[MessageFound]:
        """The messages of the file, which follow one another in a framing."""
        readers: dict[str, Callable[[BinaryIO], Iterator[MessageFound]]] = {
            "one": self.one,
            "delimited": partial(self.delimited, self.varint),
            "u32-be": partial(self.delimited, partial(self.fixed_length, ">I")),
            "u32-le": partial(self.delimited, partial(self.fixed_length, "<I")),
            "grpc": partial(self.delimited, partial(self.fixed_length, ">xI")),
            "text": self.text,
            "json": self.json,
            "json-lines": self.json_lines,
        }
        return readers[framing](stream)

    def one(self, stream: BinaryIO) -> Iterator[MessageFound]:
        yield self._binary(self._whole(stream, MOST_BYTES), "")

    def delimited(self, length_of: LengthOf, stream: BinaryIO) -> Iterator[MessageFound]:
        number = position = 0
        while True:
            number += 1
            place = f"message {number} at byte {position}"
            length, taken = length_of(stream, place)
            if not taken:
                return
            if length > MOST_BYTES:
                most = f"one of {MOST_BYTES} at most"
                raise self.refusal(place, f"a length of {length} bytes", most, "change --framing")
            data = stream.read(length)
            if len(data) < length:
                told = f"{length}, which its length says"
                raise self.refusal(place, f"{len(data)} bytes", told, "is the file cut off?")
            yield self._binary(data, place)
            position += taken + length

    def text(self, stream: BinaryIO) -> Iterator[MessageFound]:
        text = self._decoded(self._whole(stream, MOST_TEXT), "")
        message = self.cls()
        try:
            with self._parsing("", len(text), "text format"):
                text_format.Parse(text, message, descriptor_pool=self.pool)
        except text_format.ParseError as error:
            place = f"line {error.GetLine()}, column {error.GetColumn()}" if error.GetLine() else ""
            raise self._no_message(place, "text format") from None
        yield MessageFound(self.file, message, "", len(text), is_text=True)

    def json(self, stream: BinaryIO) -> Iterator[MessageFound]:
        data = self._whole(stream, MOST_TEXT)
        yield MessageFound(self.file, self._from_json(data, ""), "", len(data), is_text=True)

    def json_lines(self, stream: BinaryIO) -> Iterator[MessageFound]:
        number = 0
        while line := stream.readline(MOST_TEXT + 1):
            number += 1
            place = f"line {number}"
            if len(line) > MOST_TEXT:
                raise self.refusal(place, "a longer line", f"one of {MOST_TEXT} bytes at most")
            if line.strip():
                yield MessageFound(self.file, self._from_json(line, place), place, len(line), is_text=True)

    def _from_json(self, data: bytes, place: str) -> Any:
        message = self.cls()
        try:
            with self._parsing(place, len(data), "the JSON mapping"):
                text = self._decoded(data, place)
                json_format.Parse(text, message, descriptor_pool=self.pool, max_recursion_depth=_DEEPEST)
        except json_format.ParseError as error:
            syntax = error.__cause__
            if isinstance(syntax, json.JSONDecodeError):
                raise no_json(self.file, NoJson(data, "no JSON"), place) from None
            if "Message too deep" in str(error):
                raise self._too_deep(place) from None
            if data.lstrip().startswith(b"["):
                remedy = f"jq -c '.[]' {quote(str(self.file))} > lines.jsonl makes JSON lines of its items"
                raise self.refusal(place, "a list", f"one message {self.type}", remedy) from None
            where = ", ".join(filter(None, (place, _field_in(str(error), self.cls.DESCRIPTOR))))
            raise self._no_message(where, "the JSON mapping") from None
        return message

    @contextmanager
    def _parsing(self, place: str, size: int, form: str) -> Iterator[None]:
        """A context in which a message of ``size`` bytes is parsed; raises InputError if that takes too much
        memory, or if the parser fails with other errors than its own."""
        try:
            with bounded(size):
                yield
        except TooLarge:
            raise self._too_large(place) from None
        except RecursionError:
            raise self._too_deep(place) from None
        except (ValueError, TypeError, KeyError, AttributeError):
            # Raised for the content of an Any, or for a message that only has Any's name.
            raise self._no_message(place, form) from None

    def _whole(self, stream: BinaryIO, most: int) -> bytes:
        data = stream.read(most + 1)
        if len(data) > most:
            raise self.refusal("", "a larger file", f"a message of {most} bytes at most", "change --framing")
        return data

    def _decoded(self, data: bytes, place: str) -> str:
        if encoding := wide_encoding(data):
            raise other_encoding(self.file, place, encoding)
        try:
            return data.removeprefix(MARK).decode()
        except UnicodeDecodeError as error:
            line, column = place_of(data, error.start)
            where = f"{place or f'line {line}'}, column {column}"
            raise not_utf8(self.file, where, data) from None

    def fixed_length(self, form: str, stream: BinaryIO, place: str) -> tuple[int, int]:
        """Reads a message's length, in a ``form`` of ``struct``; returns it and how many bytes it took."""
        prefix = stream.read(calcsize(form))
        if not prefix:
            return 0, 0
        if len(prefix) < calcsize(form):
            raise self._cut_in_length(place)
        if form == ">xI" and prefix[0]:
            what = f"a message with the flag {prefix[0]}, which is compressed if that is 1"
            raise self.refusal(place, what, "one with the flag 0", "change --framing")
        return unpack(form, prefix)[0], len(prefix)

    def _cut_in_length(self, place: str) -> InputError:
        return self.refusal(place, "the end of the file in a length", "a message", "is the file cut off?")

    def varint(self, stream: BinaryIO, place: str) -> tuple[int, int]:
        """Reads a message's length, a varint; returns it and how many bytes it took."""
        length = 0
        for n in range(10):
            byte = stream.read(1)
            if not byte:
                if n:
                    raise self._cut_in_length(place)
                return 0, 0
            length |= (byte[0] & 0x7F) << 7 * n
            if byte[0] < 0x80:
                return length, n + 1
        raise self.refusal(place, "no length", "a varint of 10 bytes at most", "change --framing")

    def _binary(self, data: bytes, place: str) -> MessageFound:
        try:
            with self._parsing(place, len(data), "Protocol Buffers"):
                message = self.cls.FromString(data)
        except DecodeError as error:
            said = str(error)
            if "MaxDepth" in said:
                raise self._too_deep(place) from None
            if "alloc" in said:
                raise self._too_large(place) from None
            what = "a string that is not UTF-8" if "UTF-8" in said else f"{len(data)} invalid bytes"
            remedy = "change --root or --framing"
            raise self.refusal(place, what, f"a message {self.type}", remedy) from None
        return MessageFound(self.file, message, place, len(data))

    def _no_message(self, place: str, form: str) -> InputError:
        found = f"a message that is not a {self.type}"
        return self.refusal(place, found, f"one in {form}", "change --root or the data")

    def _too_large(self, place: str) -> InputError:
        found = f"a message that takes more than {MOST_MEMORY >> 20} MiB of memory"
        return self.refusal(place, found, "a smaller one")

    def _too_deep(self, place: str) -> InputError:
        return self.refusal(place, "too deeply nested messages", f"{_DEEPEST} at most, as protobuf reads")


def _field_in(said: str, message: Descriptor) -> str:
    """The path of the field that an error of the JSON parser names, as far as it consists of names in the
    schema; other names are keys of the user's data, and stay untold."""
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
