"""A small strict reader of FlexBuffers, for the tests of its catalogue. It is written from FlatBuffers'
``docs/source/internals.md``, "FlexBuffers encoding", and shares nothing with serbench."""

from __future__ import annotations

import struct
from typing import Any

_INT, _FLOAT, _STRING, _MAP, _INTS, _BLOB = 1, 3, 5, 9, 11, 25
"""The types that a message of the catalogue's schema has: ``_INTS`` is a vector of integers."""

_INTEGERS, _FLOATS = {1: "<b", 2: "<h", 4: "<i", 8: "<q"}, {4: "<f", 8: "<d"}


class _Message:
    """The bytes of a message, at places counted from its beginning."""

    def __init__(self, data: bytes):
        self.data = data

    def slice(self, at: int, size: int) -> bytes:
        if not 0 <= at <= at + size <= len(self.data):
            raise ValueError(f"{size} bytes at {at} of {len(self.data)}")
        return self.data[at : at + size]

    def unsigned(self, at: int, width: int) -> int:
        if width not in (1, 2, 4, 8):
            raise ValueError(f"a width of {width} bytes")
        return int.from_bytes(self.slice(at, width), "little")

    def followed(self, at: int, width: int) -> int:
        """The place that an offset at ``at`` leads back to."""
        return at - self.unsigned(at, width)

    def value(self, kind: int, at: int, width: int) -> Any:
        """The value of a type that stands at ``at``, or to which an offset there leads."""
        of, own = kind >> 2, 1 << (kind & 3)
        if of in (_INT, _FLOAT):
            layout = (_INTEGERS if of == _INT else _FLOATS).get(width)
            if layout is None:
                raise ValueError(f"a number of {width} bytes")
            return struct.unpack(layout, self.slice(at, width))[0]
        at = self.followed(at, width)
        count = self.unsigned(at - own, own)
        if of == _STRING:
            if self.slice(at + count, 1) != b"\0":
                raise ValueError("a string without a NUL behind it")
            return self.slice(at, count).decode()
        if of == _BLOB:
            return self.slice(at, count)
        if of == _INTS:
            self.slice(at, count * own)
            return [self.value(_INT << 2, at + n * own, own) for n in range(count)]
        if of == _MAP:
            return self._map(at, own, count)
        raise ValueError(f"the type {of}")

    def _map(self, at: int, width: int, count: int) -> list[tuple[str, Any]]:
        kinds = self.slice(at + count * width, count)
        own = self.unsigned(at - 2 * width, width)
        keys = self.followed(at - 3 * width, width)
        if self.unsigned(keys - own, own) != count:
            raise ValueError(f"{count} values of another number of keys")
        names = [self._key(self.followed(keys + n * own, own)) for n in range(count)]
        values = [self.value(kind, at + n * width, width) for n, kind in enumerate(kinds)]
        return [*zip(names, values, strict=True)]

    def _key(self, at: int) -> str:
        self.slice(at, 1)
        return self.slice(at, self.data.index(b"\0", at) - at).decode()


def read(message: bytes) -> Any:
    """The value of a message: its last byte is the width of the root, the one before the root's type."""
    of = _Message(message)
    width = of.unsigned(len(message) - 1, 1)
    return of.value(of.unsigned(len(message) - 2, 1), len(message) - 2 - width, width)


def written(values: dict[str, bytes]) -> bytes:
    """The message of a map with a root of 64 bits: of numbers the eight bytes, and of other values the bytes
    with their size before them, of which whole numbers in a list have 8 or 32 bits."""
    names = sorted(values)
    out, keys = bytearray(), []
    for name in names:
        keys.append(len(out))
        out += name.encode() + b"\0"
    out.append(len(names))
    first_key = len(out)
    for each in keys:
        out.append(len(out) - each)
    places, kinds = {}, {"blob": _BLOB << 2, "items": _INTS << 2, "text": _STRING << 2}
    for name in kinds:
        wide = name == "items" and len(values[name]) > 3
        out += bytes(-len(out) % 4)
        kinds[name] += 2 * wide
        places[name] = len(out) + (4 if wide else 1)
        out += values[name]
    out += bytes(-len(out) % 8)
    out += (len(out) - first_key).to_bytes(8, "little") + (1).to_bytes(8, "little")
    out += len(names).to_bytes(8, "little")
    root = len(out)
    for name in names:
        out += (len(out) - places[name]).to_bytes(8, "little") if name in places else values[name]
    numbers = {"number": _FLOAT << 2 | 3, "whole": _INT << 2 | 3}
    out += bytes(kinds.get(name) or numbers[name] for name in names)
    return bytes(out) + bytes([len(out) - root, _MAP << 2 | 3, 1])
