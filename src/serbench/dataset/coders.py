"""Compiles a type into functions that write its values as canonical bytes, and read them, from those for the
types that it is made of."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

from serbench.dataset.leaf_coders import (
    COUNT,
    Coder,
    ItemsCoder,
    enum,
    fixed_bytes,
    flat_format,
    flat_items,
    scalar,
)
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
)
from serbench.model.parts import fixed_width
from serbench.model.types import MAX_DEPTH

MAX_EMPTY_ITEMS = 1 << 16
"""The most items that a list may have whose items take no bytes: such a list is nothing but its count, and a
wrong count must not fill the memory."""


class Coders:
    """Makes the coders of one type and of the types that it is made of."""

    def __init__(self) -> None:
        self._of_composites: dict[str, Coder] = {}
        self._depth = 0

    def of(self, type: Type) -> Coder:
        """The coder of ``type``."""
        match type:
            case Scalar():
                return scalar(type)
            case FixedBytes():
                return fixed_bytes(type)
            case Logical():
                return self.of(type.base)
            case Enum():
                return enum(type)
            case List(item):
                return _list(self._items(item))
            case Array(item, length):
                return _array(self._items(item), length)
            case Map(key, value):
                return _map(self.of(key), self.of(value))
            case Optional(item):
                return _optional(self.of(item))
            case Record(name, fields):
                return self._composite(name, lambda: _record([self.of(f.type) for f in fields]))
            case Union(name, alternatives):
                held = [a.type for a in alternatives]
                return self._composite(
                    name, lambda: _union(name, [None if each is None else self.of(each) for each in held])
                )
            case Ref(name):
                return self._back(name)
        raise TypeError(f"{type!r} has no canonical bytes")

    def _composite(self, name: str, make: Callable[[], Coder]) -> Coder:
        if name not in self._of_composites:
            self._of_composites[name] = make()
        return self._of_composites[name]

    def _back(self, name: str) -> Coder:
        """The coder of a reference back to the type ``name``.

        The value lies inside a value of that type, whose coder is still being made; so it is looked up only
        when it is used.
        """
        coders = self._of_composites

        def encode_back(value: Any, out: bytearray) -> None:
            if self._depth == MAX_DEPTH:
                raise ValueError(f"more than {MAX_DEPTH} steps of recursion")
            self._depth += 1
            try:
                coders[name].encode(value, out)
            finally:
                self._depth -= 1

        def decode_back(data: memoryview, at: int) -> tuple[Any, int]:
            if self._depth == MAX_DEPTH:
                raise EncodingError(f"{name} at byte {at}: more than {MAX_DEPTH} steps of recursion")
            self._depth += 1
            try:
                return coders[name].decode(data, at)
            finally:
                self._depth -= 1

        return Coder(encode_back, decode_back)

    def _items(self, item: Type) -> ItemsCoder:
        """The coder of the items of a list or array."""
        if flat_format(item):
            return flat_items(item)
        encode_item, decode_item = self.of(item)
        least = fixed_width(item)

        def encode_each(value: Any, out: bytearray) -> None:
            for each in value:
                encode_item(each, out)

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

        return ItemsCoder(encode_each, decode_each)


def _list(items: ItemsCoder) -> Coder:
    encode_items, decode_items = items

    def encode_list(value: Any, out: bytearray) -> None:
        if not isinstance(value, list | tuple):
            raise TypeError("not a list")
        out += COUNT.pack(len(value))
        encode_items(value, out)

    def decode_list(data: memoryview, at: int) -> tuple[Any, int]:
        (count,) = COUNT.unpack_from(data, at)
        return decode_items(data, at + 4, count)

    return Coder(encode_list, decode_list)


def _array(items: ItemsCoder, length: int) -> Coder:
    def encode_array(value: Any, out: bytearray) -> None:
        if not isinstance(value, list | tuple) or len(value) != length:
            raise ValueError(f"{len(value)} items in an array of {length}")
        items.encode(value, out)

    return Coder(encode_array, lambda data, at: items.decode(data, at, length))


def _map(of_key: Coder, of_value: Coder) -> Coder:
    encode_key, decode_key = of_key
    encode_value, decode_value = of_value

    def encode_map(value: Any, out: bytearray) -> None:
        out += COUNT.pack(len(value))
        for k, v in sorted(value.items(), key=lambda pair: _map_order(pair[0])):
            encode_key(k, out)
            encode_value(v, out)

    def decode_map(data: memoryview, at: int) -> tuple[Any, int]:
        (count,) = COUNT.unpack_from(data, at)
        at += 4
        values: dict[Any, Any] = {}
        previous: Any = None
        for _ in range(count):
            start = at
            key, at = decode_key(data, at)
            order = _map_order(key)
            if values and not previous < order:
                raise EncodingError(f"map at byte {start}: key {key!r} is out of order")
            previous = order
            values[key], at = decode_value(data, at)
        return values, at

    return Coder(encode_map, decode_map)


def _map_order(key: Any) -> Any:
    """The sort key of a map's key: strings are sorted by their UTF-8 bytes, which every language can do, all
    others by value."""
    return key.encode() if isinstance(key, str) else key


def _optional(of_item: Coder) -> Coder:
    encode_item, decode_item = of_item

    def encode_optional(value: Any, out: bytearray) -> None:
        out.append(value is not None)
        if value is not None:
            encode_item(value, out)

    def decode_optional(data: memoryview, at: int) -> tuple[Any, int]:
        (present,) = struct.unpack_from("<B", data, at)
        if present > 1:
            raise EncodingError(f"optional at byte {at}: presence is {present}; expected 0 or 1")
        return decode_item(data, at + 1) if present else (None, at + 1)

    return Coder(encode_optional, decode_optional)


def _record(of_fields: Sequence[Coder]) -> Coder:
    encoders = [encode for encode, _ in of_fields]
    decoders = [decode for _, decode in of_fields]

    def encode_record(value: Any, out: bytearray) -> None:
        if not isinstance(value, tuple):
            raise TypeError("not a tuple")
        for encode_field, each in zip(encoders, value, strict=True):
            encode_field(each, out)

    def decode_record(data: memoryview, at: int) -> tuple[Any, int]:
        values = []
        for decode_field in decoders:
            value, at = decode_field(data, at)
            values.append(value)
        return tuple(values), at

    return Coder(encode_record, decode_record)


def _union(name: str, of_values: Sequence[Coder | None]) -> Coder:
    encoders = [each and each.encode for each in of_values]
    decoders = [each and each.decode for each in of_values]

    def encode_union(value: Any, out: bytearray) -> None:
        index, chosen = value
        if not isinstance(value, tuple) or index is True or index is False or index < 0:
            raise TypeError("not an alternative and its value")
        encode_chosen = encoders[index]
        out += COUNT.pack(index)
        if encode_chosen:
            encode_chosen(chosen, out)
        elif chosen is not None:
            raise ValueError("a value of an alternative that has none")

    def decode_union(data: memoryview, at: int) -> tuple[Any, int]:
        (index,) = COUNT.unpack_from(data, at)
        if index >= len(of_values):
            raise EncodingError(
                f"union {name} at byte {at}: alternative {index}; expected 0 to {len(of_values) - 1}"
            )
        decode_chosen = decoders[index]
        if decode_chosen is None:
            return (index, None), at + 4
        value, at = decode_chosen(data, at + 4)
        return (index, value), at

    return Coder(encode_union, decode_union)
