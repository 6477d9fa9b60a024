"""A reader of Cap'n Proto, written from its encoding specification alone: a second opinion on what catalogues
of cases say. It refuses what the specification does not have."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from serbench.model import List, Optional, Record, Scalar, Type, Union

WORD = 8
_BITS = {0: 0, 1: 1, 2: 8, 3: 16, 4: 32, 5: 64, 6: 64}
"""The number in a list pointer → the bits of an element; 6 is for pointers, and 7 for structs."""
_FORMATS = {"i32": "<i", "i64": "<q", "f64": "<d"}
_MOST_WORDS = 8 << 20
"""The most words that are followed in one message, 64 MiB: the limit that the specification names."""


@dataclass(frozen=True)
class _Struct:
    """The data and the places of the pointers of a struct."""

    data: bytes
    pointers: tuple[tuple[int, int], ...]


def unpacked(message: bytes) -> bytes:
    """The bytes of a packed message; raise ValueError where it ends within a word or a run."""
    made, at = bytearray(), 0

    def take(size: int) -> bytes:
        nonlocal at
        if at + size > len(message):
            raise ValueError(f"{size} bytes at {at} of {len(message)}")
        at += size
        return message[at - size : at]

    while at < len(message):
        (tag,) = take(1)
        made += bytes(take(1)[0] if tag >> n & 1 else 0 for n in range(WORD))
        if tag == 0:
            made += bytes(WORD * take(1)[0])
        elif tag == 0xFF:
            made += take(WORD * take(1)[0])
    return bytes(made)


class Reader:
    """The segments of a message."""

    def __init__(self, message: bytes):
        self.segments = list(_segments(message))
        self.followed = 0

    def root(self, type: Record) -> tuple[Any, ...]:
        """The fields of the root, in the order of the schema; raise ValueError where the message has none."""
        return self._fields(type, self._struct((0, 0)))

    def _words(self, segment: int, at: int, count: int) -> bytes:
        """Words of a segment, which count as followed."""
        if not 0 <= segment < len(self.segments):
            raise ValueError(f"segment {segment} of {len(self.segments)}")
        size = len(self.segments[segment]) // WORD
        if not 0 <= at <= size - count:
            raise ValueError(f"{count} words at {at} of {size}")
        self._count(count)
        return self.segments[segment][at * WORD : (at + count) * WORD]

    def _count(self, words: int) -> None:
        self.followed += words
        if self.followed > _MOST_WORDS:
            raise ValueError(f"more than {_MOST_WORDS} words")

    def _word(self, segment: int, at: int) -> int:
        return int.from_bytes(self._words(segment, at, 1), "little")

    def _followed(self, place: tuple[int, int]) -> tuple[int, int, int]:
        """A pointer that is not far, and the segment and word to which it leads; 0 where it is null."""
        segment, at = place
        pointer = self._word(segment, at)
        if pointer & 3 == 2:
            is_double, pad, target = pointer >> 2 & 1, pointer >> 3 & (1 << 29) - 1, pointer >> 32
            landing = self._word(target, pad)
            if is_double:
                if landing & 7 != 2:
                    raise ValueError("the first of two words of a landing pad is no far pointer to one word")
                return self._word(target, pad + 1), landing >> 32, landing >> 3 & (1 << 29) - 1
            segment, at, pointer = target, pad, landing
            if pointer & 3 == 2:
                raise ValueError("a landing pad of one word is a far pointer")
        offset = (pointer >> 2 & (1 << 30) - 1) - (pointer >> 31 & 1) * (1 << 30)
        return pointer, segment, at + 1 + offset

    def _struct(self, place: tuple[int, int]) -> _Struct:
        pointer, segment, at = self._followed(place)
        if not pointer:
            return _Struct(b"", ())
        if pointer & 3:
            raise ValueError(f"a pointer of kind {pointer & 3} in place of one to a struct")
        return self._content(segment, at, pointer >> 32 & 0xFFFF, pointer >> 48)

    def _content(self, segment: int, at: int, data: int, pointers: int) -> _Struct:
        words = self._words(segment, at, data + pointers)
        return _Struct(words[: data * WORD], tuple((segment, at + data + n) for n in range(pointers)))

    def _fields(self, type: Record, of: _Struct) -> tuple[Any, ...]:
        layout = _Layout()
        return tuple([self._field(field.type, of, layout) for field in type.fields])

    def _field(self, type: Type, of: _Struct, layout: _Layout) -> Any:
        """The next field of a struct, whose fields are met in the order of their numbers."""
        if isinstance(type, Optional) and isinstance(type.item, Scalar) and type.item.width:
            kind = _integer(of.data, layout.data(16), 16)
            value = self._field(type.item, of, layout)
            return value if kind == 1 else None
        if isinstance(type, Scalar) and type.width:
            return _number(type, of.data, layout.data(_bits(type)))
        place = layout.pointer()
        if place >= len(of.pointers):
            return _null(type)
        return self._pointed(type, of.pointers[place])

    def _pointed(self, type: Type, place: tuple[int, int]) -> Any:
        """The value to which a pointer leads; the default where it is null."""
        match type:
            case Record() as record:
                return self._fields(record, self._struct(place))
            case Union() as union:
                return self._alternative(union, self._struct(place))
        return self._list(type, place)

    def _alternative(self, union: Union, of: _Struct) -> tuple[int, Any]:
        """The value of a union of a number of 64 bits and a pointer, whose tag comes behind the number."""
        kind = _integer(of.data, 64, 16)
        type = union.alternatives[kind].type
        assert type is not None
        return kind, self._field(type, of, _Layout())

    def _list(self, type: Type, place: tuple[int, int]) -> Any:
        pointer, segment, at = self._followed(place)
        if not pointer:
            return _null(type)
        if pointer & 3 != 1:
            raise ValueError(f"a pointer of kind {pointer & 3} in place of one to a list")
        type = type.item if isinstance(type, Optional) else type
        size, count = pointer >> 32 & 7, pointer >> 35
        if isinstance(type, List) and isinstance(type.item, Record):
            structs = self._structs(segment, at, size, count)
            return [self._fields(type.item, each) for each in structs]
        expected = 6 if isinstance(type, List) and type.item == Scalar("string") else _size(type)
        if size != expected:
            raise ValueError(f"elements of the size {size} in place of {expected}")
        words = self._words(segment, at, -(-count * _BITS[size] // 64))
        if isinstance(type, List) and size == 6:
            return [self._pointed(type.item, (segment, at + n)) for n in range(count)]
        if isinstance(type, List):
            assert isinstance(type.item, Scalar)
            return [_number(type.item, words, n * _BITS[size]) for n in range(count)]
        return _blob(type, words[:count])

    def _structs(self, segment: int, at: int, size: int, count: int) -> Iterator[_Struct]:
        """The structs of a list, which are elements of any size but bits."""
        if size == 1:
            raise ValueError("bits in place of structs")
        if size != 7:
            self._words(segment, at, -(-count * _BITS[size] // 64))
            self._count(0 if _BITS[size] else count)
            for n in range(count):
                begin = n * _BITS[size] // 8
                is_pointer = size == 6
                element = self.segments[segment][at * WORD + begin :][: _BITS[size] // 8]
                yield _Struct(b"", ((segment, at + n),)) if is_pointer else _Struct(element, ())
            return
        tag = self._word(segment, at)
        self._words(segment, at + 1, count)
        number, data, pointers = tag >> 2 & (1 << 30) - 1, tag >> 32 & 0xFFFF, tag >> 48
        if tag & 3 or number * (data + pointers) > count:
            raise ValueError(f"a tag of kind {tag & 3}, of {number} structs of {data} and {pointers} words")
        self._count(0 if data + pointers else number)
        for n in range(number):
            yield self._content(segment, at + 1 + n * (data + pointers), data, pointers)


class _Layout:
    """The places of a struct's fields, given in the order of their numbers: each the first that is free."""

    def __init__(self) -> None:
        self.taken: set[int] = set()
        self.pointers = 0

    def data(self, bits: int) -> int:
        at = 0
        while not self.taken.isdisjoint(range(at, at + bits)):
            at += bits
        self.taken.update(range(at, at + bits))
        return at

    def pointer(self) -> int:
        self.pointers += 1
        return self.pointers - 1


def _segments(message: bytes) -> Iterator[bytes]:
    """The segments behind the table of their sizes."""
    if len(message) < WORD:
        raise ValueError("without a table of sizes")
    count = int.from_bytes(message[:4], "little") + 1
    at = (4 + 4 * count + WORD - 1) // WORD * WORD
    if at > len(message):
        raise ValueError(f"the sizes of {count} segments")
    for size in struct.unpack_from(f"<{count}I", message, 4):
        if at + size * WORD > len(message):
            raise ValueError(f"a segment until {at + size * WORD} of {len(message)}")
        yield message[at : at + size * WORD]
        at += size * WORD


def _integer(data: bytes, at: int, bits: int) -> int:
    """An unsigned number at a place in bits; 0 where the data end before."""
    if at + bits > 8 * len(data):
        return 0
    return int.from_bytes(data, "little") >> at & (1 << bits) - 1


def _bits(type: Scalar) -> int:
    return 1 if type.name == "bool" else 8 * type.width


def _size(type: Type) -> int:
    """The number in a pointer to a list of a type."""
    if not isinstance(type, List):
        return 2
    assert isinstance(type.item, Scalar)
    return {1: 1, 32: 4, 64: 5}[_bits(type.item)]


def _number(type: Scalar, data: bytes, at: int) -> Any:
    found = _integer(data, at, _bits(type))
    if type.name == "bool":
        return bool(found)
    return struct.unpack(_FORMATS[type.name], found.to_bytes(type.width, "little"))[0]


def _blob(type: Type, content: bytes) -> Any:
    """The value of ``Data``, or of ``Text``, of which the last byte is a zero."""
    if type != Scalar("string"):
        return content
    if content[-1:] != b"\0":
        raise ValueError("a text without a zero behind it")
    return content[:-1].decode()


def _null(type: Type) -> Any:
    """The value of a pointer that is null, of a field without a default of its own."""
    match type:
        case Optional():
            return None
        case List():
            return []
        case Record(_, fields):
            return tuple(0 if isinstance(f.type, Scalar) and f.type.width else _null(f.type) for f in fields)
        case Union():
            return (0, 0)
    return "" if type == Scalar("string") else b""
