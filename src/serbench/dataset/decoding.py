"""Functions that read values from their canonical bytes, and refuse bytes that are not canonical."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from typing import Any

from serbench.dataset.encoding import flat_format, is_flat_record, map_order
from serbench.errors import EncodingError
from serbench.model import (
    Array,
    Enum,
    FixedBytes,
    List,
    Logical,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Type,
    Union,
    bytes_,
)
from serbench.model.parts import fixed_width
from serbench.model.types import MAX_DEPTH

Decoder = Callable[[memoryview, int], tuple[Any, int]]
"""Takes the bytes and an offset; returns the value that begins there, and the offset behind it."""

MAX_EMPTY_ITEMS = 1 << 16
"""The most items that a list may have whose items take no bytes: such a list is nothing but its count, and a
wrong count must not fill the memory."""

_COUNT = struct.Struct("<I")


class Decoders:
    """Makes the decoders of one type and of the types that it is made of."""

    def __init__(self) -> None:
        self._of_composites: dict[str, Decoder] = {}
        self._depth = 0

    def of(self, type: Type) -> Decoder:
        """The decoder of ``type``. When called, it raises EncodingError for bytes that are not canonical, and
        ``struct.error`` if they end early."""
        match type:
            case Scalar():
                return _scalar(type)
            case FixedBytes(length):
                return _fixed_bytes(length)
            case Logical():
                return self.of(type.base)
            case Enum(name, underlying, members):
                return (
                    _scalar(underlying)
                    if type.open
                    else _enum(name, underlying, frozenset(v for _, v in members))
                )
            case List(item):
                items = self._items(item)

                def decode_list(data: memoryview, at: int) -> tuple[Any, int]:
                    (count,) = _COUNT.unpack_from(data, at)
                    return items(data, at + 4, count)

                return decode_list
            case Array(item, length):
                array_items = self._items(item)
                return lambda data, at: array_items(data, at, length)
            case Map(key, value):
                return _map(self.of(key), self.of(value))
            case Optional(item):
                return _optional(self.of(item))
            case Record(name, fields):
                return self._composite(name, lambda: _record([self.of(f.type) for f in fields]))
            case Union(name, alternatives):
                return self._composite(
                    name,
                    lambda: _union(name, [None if a.type is None else self.of(a.type) for a in alternatives]),
                )
            case Ref(name):
                return self._back(name)
        raise TypeError(f"{type!r} cannot be decoded")

    def _composite(self, name: str, make: Callable[[], Decoder]) -> Decoder:
        if name not in self._of_composites:
            self._of_composites[name] = make()
        return self._of_composites[name]

    def _back(self, name: str) -> Decoder:
        """The decoder of a reference back to the type ``name``.

        The value lies inside a value of that type, whose decoder is still being made; so it is looked up only
        when decoding.
        """
        decoders = self._of_composites

        def decode_back(data: memoryview, at: int) -> tuple[Any, int]:
            if self._depth == MAX_DEPTH:
                raise EncodingError(f"{name} at byte {at}: more than {MAX_DEPTH} steps of recursion")
            self._depth += 1
            try:
                return decoders[name](data, at)
            finally:
                self._depth -= 1

        return decode_back

    def _items(self, item: Type) -> Callable[[memoryview, int, int], tuple[Any, int]]:
        letters = flat_format(item) if isinstance(item, Scalar) or is_flat_record(item) else None
        if letters is not None:
            return _flat_items(item, letters)
        decode_item = self.of(item)
        least = fixed_width(item)

        def decode_each(data: memoryview, at: int, count: int) -> tuple[Any, int]:
            if least == 0:
                if count > MAX_EMPTY_ITEMS:
                    raise EncodingError(
                        f"{count} items without content at byte {at}; expected at most {MAX_EMPTY_ITEMS}"
                    )
            elif count * (least or 1) > len(data) - at:
                raise EncodingError(f"{count} items at byte {at}; {len(data) - at} bytes are left")
            values = []
            for _ in range(count):
                value, at = decode_item(data, at)
                values.append(value)
            return values, at

        return decode_each


def _scalar(type: Scalar) -> Decoder:
    if not type.width:
        convert: Callable[[memoryview], Any] = bytes if type == bytes_ else lambda view: str(view, "utf-8")

        def decode_text(data: memoryview, at: int) -> tuple[Any, int]:
            (length,) = _COUNT.unpack_from(data, at)
            end = at + 4 + length
            if end > len(data):
                raise EncodingError(
                    f"{type.name} at byte {at}: length {length}; {len(data) - at - 4} bytes are left"
                )
            return convert(data[at + 4 : end]), end

        return decode_text
    unpack, width = struct.Struct(f"<{type.struct_format}").unpack_from, type.width
    if type.name == "bool":

        def decode_bool(data: memoryview, at: int) -> tuple[Any, int]:
            (value,) = struct.unpack_from("<B", data, at)
            if value > 1:
                raise EncodingError(f"bool at byte {at}: found {value}; expected 0 or 1")
            return bool(value), at + 1

        return decode_bool
    return lambda data, at: (unpack(data, at)[0], at + width)


def _fixed_bytes(length: int) -> Decoder:
    def decode_fixed(data: memoryview, at: int) -> tuple[Any, int]:
        if at + length > len(data):
            raise EncodingError(f"{length} bytes at byte {at}; {len(data) - at} bytes are left")
        return bytes(data[at : at + length]), at + length

    return decode_fixed


def _enum(name: str, underlying: Scalar, known: frozenset[int]) -> Decoder:
    unpack, width = struct.Struct(f"<{underlying.struct_format}").unpack_from, underlying.width

    def decode_enum(data: memoryview, at: int) -> tuple[Any, int]:
        (value,) = unpack(data, at)
        if value not in known:
            raise EncodingError(f"enum {name} at byte {at}: {value} is not a member")
        return value, at + width

    return decode_enum


def _optional(decode_item: Decoder) -> Decoder:
    def decode_optional(data: memoryview, at: int) -> tuple[Any, int]:
        (present,) = struct.unpack_from("<B", data, at)
        if present > 1:
            raise EncodingError(f"optional at byte {at}: presence is {present}; expected 0 or 1")
        return decode_item(data, at + 1) if present else (None, at + 1)

    return decode_optional


def _flat_items(item: Type, letters: str) -> Callable[[memoryview, int, int], tuple[Any, int]]:
    width = fixed_width(item) or 0
    unpack_item = struct.Struct(f"<{letters}").iter_unpack

    def decode_flat(data: memoryview, at: int, count: int) -> tuple[Any, int]:
        end = at + count * width
        if end > len(data):
            raise EncodingError(
                f"{count} items at byte {at} need {end - at} bytes; {len(data) - at} are left"
            )
        if isinstance(item, Scalar):
            return list(struct.unpack_from(f"<{count}{letters}", data, at)), end
        return list(unpack_item(data[at:end])), end

    return decode_flat


def _map(decode_key: Decoder, decode_value: Decoder) -> Decoder:
    def decode_map(data: memoryview, at: int) -> tuple[Any, int]:
        (count,) = _COUNT.unpack_from(data, at)
        at += 4
        values: dict[Any, Any] = {}
        previous: Any = None
        for _ in range(count):
            start = at
            key, at = decode_key(data, at)
            order = map_order(key)
            if values and not previous < order:
                raise EncodingError(f"map at byte {start}: key {key!r} is out of order")
            previous = order
            values[key], at = decode_value(data, at)
        return values, at

    return decode_map


def _record(decoders: Iterable[Decoder]) -> Decoder:
    fields = list(decoders)

    def decode_record(data: memoryview, at: int) -> tuple[Any, int]:
        values = []
        for decode_field in fields:
            value, at = decode_field(data, at)
            values.append(value)
        return tuple(values), at

    return decode_record


def _union(name: str, decoders: list[Decoder | None]) -> Decoder:
    def decode_union(data: memoryview, at: int) -> tuple[Any, int]:
        (index,) = _COUNT.unpack_from(data, at)
        if index >= len(decoders):
            raise EncodingError(
                f"union {name} at byte {at}: alternative {index}; expected 0 to {len(decoders) - 1}"
            )
        decode_chosen = decoders[index]
        if decode_chosen is None:
            return (index, None), at + 4
        value, at = decode_chosen(data, at + 4)
        return (index, value), at

    return decode_union
