"""Parsers of four wire formats, written from their specifications and sharing nothing with adapters: each
returns how many bytes of a message every field of its root takes, with all that belongs to the field."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Sizes = Mapping[object, int]
"""The key of a root's field in a message → its bytes: its number or its place."""


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


def _added(sizes: dict[object, int], key: object, size: int) -> None:
    sizes[key] = sizes.get(key, 0) + size


def protobuf(message: bytes) -> Sizes:
    """Sizes by field number (protobuf.dev, Encoding). Groups do not occur."""
    sizes: dict[object, int] = {}
    at = 0
    while at < len(message):
        begin = at
        tag, at = _varint(message, at)
        wire = tag & 7
        if wire == 0:
            at = _varint(message, at)[1]
        elif wire == 2:
            length, at = _varint(message, at)
            at += length
        else:
            at += {1: 8, 5: 4}[wire]
        _added(sizes, tag >> 3, at - begin)
    assert at == len(message)
    return sizes


def messagepack(message: bytes) -> Sizes:
    """Sizes by place in the array that the root is (MessagePack's spec.md)."""
    count, at = _array(message, 0)
    sizes: dict[object, int] = {}
    for place in range(count):
        end = _value(message, at)
        sizes[place] = end - at
        at = end
    assert at == len(message)
    return sizes


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


def thrift_binary(message: bytes) -> Sizes:
    """Sizes by field id (thrift-binary-protocol.md)."""

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

    def struct(at: int) -> tuple[dict[object, int], int]:
        sizes: dict[object, int] = {}
        while message[at]:
            end = value(message[at], at + 3)
            _added(sizes, number(at + 1, 2), end - at)
            at = end
        return sizes, at + 1

    sizes, end = struct(0)
    assert end == len(message)
    return sizes


def thrift_compact(message: bytes) -> Sizes:
    """Sizes by field id (thrift-compact-protocol.md)."""

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

    def struct(at: int) -> tuple[dict[object, int], int]:
        sizes: dict[object, int] = {}
        id = 0
        while message[at]:
            begin, first = at, message[at]
            at += 1
            if first >> 4:
                id += first >> 4
            else:
                id, at = _zigzag(message, at)
            at = value(first & 0xF, at, in_list=False)
            _added(sizes, id, at - begin)
        return sizes, at + 1

    sizes, end = struct(0)
    assert end == len(message)
    return sizes


def avro(schema: str) -> Callable[[bytes], Sizes]:
    """A parser of messages of an Avro schema (Avro's specification, Binary Encoding): sizes by place."""
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

    root = json.loads(schema)
    named_types(root)

    def sizes(message: bytes) -> Sizes:
        at = 0
        found: dict[object, int] = {}
        for place, field in enumerate(root["fields"]):
            end = value(field["type"], message, at, root["space"])
            found[place] = end - at
            at = end
        assert at == len(message)
        return found

    return sizes


def parsers(codec: str, schema: Callable[[], str]) -> Callable[[bytes], Sizes]:
    """The parser of what a variant writes; ``schema`` returns that by which it writes."""
    by_codec: dict[str, Callable[[bytes], Sizes]] = {
        "python/protobuf": protobuf,
        "python/msgpack:dataclass": messagepack,
        "python/thrift:binary": thrift_binary,
        "python/thrift:compact": thrift_compact,
    }
    return by_codec[codec] if codec in by_codec else avro(schema())


def envelope(codec: str, fields: int) -> int:
    """The bytes of a message that belong to no field of the root: none in Protocol Buffers and Avro, Thrift's
    stop, and the head of MessagePack's array."""
    if "thrift" in codec:
        return 1
    return (1 if fields < 16 else 3) if "msgpack" in codec else 0


def keys(codec: str, fields: Sequence[Any]) -> list[object]:
    """The keys by which a parser tells these fields of a root, in their order."""
    return [n if "msgpack" in codec or "avro" in codec else field.number for n, field in enumerate(fields)]
