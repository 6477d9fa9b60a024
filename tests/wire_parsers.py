"""Parsers of four wire formats, written from their specifications and sharing nothing with adapters: each
returns how many bytes of a record every one of its fields takes, with all that belongs to the field."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from serbench.model import Record

Parts = Mapping[int, Sequence[tuple[int, bytes]]]
"""The key of a record's field, its number or its place → for each time that it stands in the record, its
bytes with all that belongs to it, and those of its value."""


@dataclass(frozen=True)
class Parser:
    """A parser of the records of one type.

    Attributes:
        parts: returns the fields of a record.
        key: returns the key of the n-th field, which has this number.
        inside: returns the parser of the records that the field with a key holds; None for the same one.
        around: returns how many bytes of a record, in a field with a key, may be of no field of it: its tag,
            its length, its end. The number of its fields and the bytes of these are given.
    """

    parts: Callable[[bytes], Parts]
    key: Callable[[int, int], int]
    around: Callable[[int, int, int], tuple[int, ...]]
    inside: Callable[[int], Parser] | None = None

    def sizes(self, record: Record, data: bytes) -> dict[str, int]:
        """The path of each field → its bytes in a record, of fields that hold records those of what is in
        them; and with a dot behind the path the bytes of such a record that are of no field of it."""
        found, parts = {}, self.parts(data)
        for n, field in enumerate(record.fields):
            key = self.key(n, field.number)
            held = parts.get(key, ())
            if not isinstance(field.type, Record):
                found[field.name] = sum(size for size, _ in held)
                continue
            parser, name = self.inside(key) if self.inside else self, field.name
            assert len(held) <= 1
            for size, value in held:
                own = parser.sizes(field.type, value)
                found |= {f"{name}.{path}": each for path, each in own.items()}
                found[f"{name}."] = around = size - sum(own.values())
                assert around in self.around(key, len(field.type.fields), size - around), name
        return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The unsigned number at a place, in groups of seven bits, and the place behind it."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def _zigzag(data: bytes, at: int) -> tuple[int, int]:
    value, at = _varint(data, at)
    return value >> 1 ^ -(value & 1), at


def _varint_bytes(value: int) -> int:
    return max(1, -(-value.bit_length() // 7))


Found = dict[int, list[tuple[int, bytes]]]


def _added(found: Found, key: int, size: int, value: bytes) -> None:
    found.setdefault(key, []).append((size, value))


def protobuf(message: bytes) -> Parts:
    """Fields by number (protobuf.dev, Encoding). Groups do not occur."""
    found: Found = {}
    at = 0
    while at < len(message):
        begin = at
        tag, at = _varint(message, at)
        wire, value = tag & 7, at
        if wire == 0:
            at = _varint(message, at)[1]
        elif wire == 2:
            length, value = _varint(message, at)
            at = value + length
        else:
            at += {1: 8, 5: 4}[wire]
        _added(found, tag >> 3, at - begin, message[value:at])
    assert at == len(message)
    return found


def messagepack(message: bytes) -> Parts:
    """Fields by place in the array that a record is (MessagePack's spec.md)."""
    count, at = _array(message, 0)
    found: Found = {}
    for place in range(count):
        end = _value(message, at)
        _added(found, place, end - at, message[at:end])
        at = end
    assert at == len(message)
    return found


_LENGTHS = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}
_FIXED = {0xC0: 0, 0xC2: 0, 0xC3: 0, 0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}
_FIXED |= {0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}


def _array(data: bytes, at: int) -> tuple[int, int]:
    first = data[at]
    if first >> 4 == 9:
        return first & 0xF, at + 1
    width = {0xDC: 2, 0xDD: 4}[first]
    return int.from_bytes(data[at + 1 : at + 1 + width], "big"), at + 1 + width


def _value(data: bytes, at: int) -> int:
    """The place behind a MessagePack value."""
    first = data[at]
    if first < 0x80 or first >= 0xE0:
        return at + 1
    if first >> 5 == 5:
        return at + 1 + (first & 0x1F)
    if first in _LENGTHS:
        width = _LENGTHS[first]
        return at + 1 + width + int.from_bytes(data[at + 1 : at + 1 + width], "big")
    if first in _FIXED:
        return at + 1 + _FIXED[first]
    if first >> 4 == 9 or first in (0xDC, 0xDD):
        items, at = _array(data, at)
    elif first >> 4 == 8:
        items, at = 2 * (first & 0xF), at + 1
    else:
        width = {0xDE: 2, 0xDF: 4}[first]
        items, at = 2 * int.from_bytes(data[at + 1 : at + 1 + width], "big"), at + 1 + width
    for _ in range(items):
        at = _value(data, at)
    return at


def thrift_binary(message: bytes) -> Parts:
    """Fields by id (thrift-binary-protocol.md)."""

    def number(at: int, width: int) -> int:
        return int.from_bytes(message[at : at + width], "big")

    def value(kind: int, at: int) -> int:
        fixed = {2: 1, 3: 1, 4: 8, 6: 2, 8: 4, 10: 8, 16: 16}
        if kind in fixed:
            return at + fixed[kind]
        if kind == 11:
            return at + 4 + number(at, 4)
        if kind == 12:
            return struct(at)[1]
        kinds = [message[at], message[at + 1]] if kind == 13 else [{14: message, 15: message}[kind][at]]
        at += len(kinds)
        count, at = number(at, 4), at + 4
        for each in kinds * count:
            at = value(each, at)
        return at

    def struct(at: int) -> tuple[Found, int]:
        found: Found = {}
        while message[at]:
            end = value(message[at], at + 3)
            _added(found, number(at + 1, 2), end - at, message[at + 3 : end])
            at = end
        return found, at + 1

    found, end = struct(0)
    assert end == len(message)
    return found


def thrift_compact(message: bytes) -> Parts:
    """Fields by id (thrift-compact-protocol.md)."""

    def value(kind: int, at: int, in_list: bool = True) -> int:
        if kind in (1, 2):
            return at + in_list
        fixed = {3: 1, 7: 8, 13: 16}
        if kind in fixed:
            return at + fixed[kind]
        if kind in (4, 5, 6):
            return _varint(message, at)[1]
        if kind == 8:
            length, at = _varint(message, at)
            return at + length
        if kind == 12:
            return struct(at)[1]
        if kind == 11:
            count, at = _varint(message, at)
            kinds = [message[at] >> 4, message[at] & 0xF] if count else []
            at += 1 if count else 0
        else:
            assert kind in (9, 10)
            count, kinds, at = message[at] >> 4, [message[at] & 0xF], at + 1
            if count == 15:
                count, at = _varint(message, at)
        for each in kinds * count:
            at = value(each, at)
        return at

    def struct(at: int) -> tuple[Found, int]:
        found: Found = {}
        id = 0
        while message[at]:
            begin, first = at, message[at]
            at += 1
            if first >> 4:
                id += first >> 4
            else:
                id, at = _zigzag(message, at)
            held, at = at, value(first & 0xF, at, in_list=False)
            _added(found, id, at - begin, message[held:at])
        return found, at + 1

    found, end = struct(0)
    assert end == len(message)
    return found


def avro(schema: str) -> Parser:
    """A parser of messages of an Avro schema (Avro's specification, Binary Encoding): fields by place."""
    named: dict[str, Any] = {}

    def full(name: str, space: str) -> str:
        return name if "." in name or not space else f"{space}.{name}"

    def named_types(type: Any, space: str = "") -> None:
        if isinstance(type, list):
            for each in type:
                named_types(each, space)
        elif isinstance(type, dict):
            if "name" in type:
                space = type.get("namespace", type["name"].rpartition(".")[0] or space)
                type["space"] = space
                named[full(type["name"], space)] = type
            parts = [type.get("items"), type.get("values"), *(f["type"] for f in type.get("fields", ()))]
            for each in parts:
                named_types(each, space)

    def value(type: Any, data: bytes, at: int, space: str) -> int:
        if isinstance(type, list):
            index, at = _zigzag(data, at)
            return value(type[index], data, at, space)
        if isinstance(type, str):
            if type in ("int", "long"):
                return _varint(data, at)[1]
            if type in ("string", "bytes"):
                length, at = _zigzag(data, at)
                return at + length
            fixed = {"null": 0, "boolean": 1, "float": 4, "double": 8}
            return at + fixed[type] if type in fixed else value(named[full(type, space)], data, at, space)
        kind, space = type["type"], type.get("space", space)
        if kind == "fixed":
            return at + int(type["size"])
        if kind == "enum":
            return _varint(data, at)[1]
        if kind == "record":
            for field in type["fields"]:
                at = value(field["type"], data, at, space)
            return at
        if kind not in ("array", "map"):
            return value(kind, data, at, space)
        while True:
            count, at = _zigzag(data, at)
            if count < 0:
                at = _varint(data, at)[1]
            for _ in range(abs(count)):
                at = value("string", data, at, space) if kind == "map" else at
                at = value(type["items" if kind == "array" else "values"], data, at, space)
            if not count:
                return at

    def of(record: Any) -> Parser:
        def parts(message: bytes) -> Parts:
            at = 0
            found: Found = {}
            for place, field in enumerate(record["fields"]):
                end = value(field["type"], message, at, record["space"])
                _added(found, place, end - at, message[at:end])
                at = end
            assert at == len(message)
            return found

        def inside(place: int) -> Parser:
            type = record["fields"][place]["type"]
            return of(named[full(type, record["space"])] if isinstance(type, str) else type)

        return Parser(parts, _by_place, lambda *_: (0,), inside)

    root = json.loads(schema)
    named_types(root)
    return of(root)


def _by_place(place: int, number: int) -> int:
    return place


def _by_number(place: int, number: int) -> int:
    return number


def parser_of(codec: str, schema: Callable[[], str]) -> Parser:
    """The parser of what a variant writes; ``schema`` returns that by which it writes."""
    by_codec = {
        "python/protobuf": Parser(
            protobuf, _by_number, lambda key, _, size: (_varint_bytes(8 * key) + _varint_bytes(size),)
        ),
        "python/msgpack:dataclass": Parser(
            messagepack, _by_place, lambda _, fields, __: (1 if fields < 16 else 3,)
        ),
        "python/thrift:binary": Parser(thrift_binary, _by_number, lambda *_: (1 + 2 + 1,)),
        "python/thrift:compact": Parser(
            thrift_compact, _by_number, lambda key, *_: (1 + 1, 1 + _varint_bytes(2 * key) + 1)
        ),
    }
    return by_codec[codec] if codec in by_codec else avro(schema())


def envelope(codec: str, fields: int) -> int:
    """The bytes of a message that belong to no field of the root: none in Protocol Buffers and Avro, Thrift's
    stop, and the head of MessagePack's array."""
    if "thrift" in codec:
        return 1
    return (1 if fields < 16 else 3) if "msgpack" in codec else 0
