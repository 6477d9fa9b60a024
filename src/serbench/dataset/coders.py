"""Compiles a type into functions that write its values as canonical bytes, and read them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, NamedTuple

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
    string,
)
from serbench.model.parts import fixed_width
from serbench.model.types import MAX_DEPTH

COUNT = struct.Struct("<I")

MAX_EMPTY_ITEMS = 1 << 16
"""The most items of a list whose items take no bytes: such a list is nothing but its count, and a wrong count
must not fill the memory."""


class Coder(NamedTuple):
    """Functions that encode and decode the values of one type.

    Attributes:
        encode: appends the bytes of a value. Where the value does not fit the type, it raises
            ``struct.error``, or whatever Python raises, without the place of the fault, which
            ``find_mismatch`` then looks for.
        decode: takes bytes and an offset; returns the value that begins there, and the offset behind it. It
            raises EncodingError for bytes that are not canonical, and ``struct.error`` if they end early.
    """

    encode: Callable[[Any, bytearray], None]
    decode: Callable[[memoryview, int], tuple[Any, int]]


class ItemsCoder(NamedTuple):
    """Functions that encode and decode all items of a list or array; ``decode`` is also given their
    number."""

    encode: Callable[[Any, bytearray], None]
    decode: Callable[[memoryview, int, int], tuple[Any, int]]


class Coders:
    """Makes the coders of one type and of the types in it; if ``backwards``, maps are encoded in descending
    order of their keys, which is not canonical."""

    def __init__(self, backwards: bool = False) -> None:
        self._of_composites: dict[str, Coder] = {}
        self._backwards = backwards
        self._depth = 0

    def of(self, type: Type) -> Coder:
        """Return the coder of ``type``."""
        match type:
            case Scalar("bool"):
                return _bool()
            case Scalar():
                return _number(type) if type.width else _counted(type)
            case FixedBytes():
                return _fixed_bytes(type)
            case Logical():
                return self.of(type.base)
            case Enum():
                return _enum(type)
            case List(item):
                return _list(self._items(item))
            case Array(item, length):
                return _array(self._items(item), length)
            case Map(key, value):
                return _map(self.of(key), self.of(value), self._backwards)
            case Optional(item):
                return _optional(self.of(item))
            case Record() | Union():
                if type.name not in self._of_composites:
                    self._of_composites[type.name] = self._composite(type)
                return self._of_composites[type.name]
            case Ref(name):
                return self._back(name)
        raise TypeError(f"{type!r} has no canonical bytes")

    def _composite(self, type: Record | Union) -> Coder:
        if isinstance(type, Record):
            return _record([self.of(field.type) for field in type.fields])
        held = [each.type for each in type.alternatives]
        return _union(type.name, [None if each is None else self.of(each) for each in held])

    def _back(self, name: str) -> Coder:
        """Return the coder of a reference back to the type ``name``. It looks the coder of that type up only
        when it is used, since that coder is still being made."""
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
        """Return the coder of the items of a list or array."""
        if flat_format(item):
            return _flat_items(item)
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
    def encode_list(value: Any, out: bytearray) -> None:
        if not isinstance(value, list | tuple):
            raise TypeError("not a list")
        out += COUNT.pack(len(value))
        items.encode(value, out)

    return Coder(encode_list, lambda data, at: items.decode(data, at + 4, *COUNT.unpack_from(data, at)))


def _array(items: ItemsCoder, length: int) -> Coder:
    def encode_array(value: Any, out: bytearray) -> None:
        if not isinstance(value, list | tuple) or len(value) != length:
            raise ValueError(f"{len(value)} items in an array of {length}")
        items.encode(value, out)

    return Coder(encode_array, lambda data, at: items.decode(data, at, length))


def _map(of_key: Coder, of_value: Coder, backwards: bool) -> Coder:
    encode_key, decode_key = of_key
    encode_value, decode_value = of_value

    def encode_map(value: Any, out: bytearray) -> None:
        out += COUNT.pack(len(value))
        for k, v in sorted(value.items(), key=lambda pair: _map_order(pair[0]), reverse=backwards):
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
    """Return the sort key of a map's key: strings are sorted by their UTF-8 bytes, which every language can
    do, all others by value."""
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


def flat_format(type: Type) -> str:
    """Return the format by which ``struct`` packs a number, or a record of numbers alone, without byte order;
    empty for any other type. Enums and bools are no numbers here, since each of their values is checked."""
    if isinstance(type, Record) and all(isinstance(field.type, Scalar) for field in type.fields):
        formats = [flat_format(field.type) for field in type.fields]
        return "".join(formats) if all(formats) else ""
    return type.struct_format if isinstance(type, Scalar) and type.width and type.name != "bool" else ""


def _number(type: Scalar) -> Coder:
    packed, width = struct.Struct(f"<{type.struct_format}"), type.width
    pack, unpack = packed.pack, packed.unpack_from

    def encode_number(value: Any, out: bytearray) -> None:
        if value is True or value is False:
            raise TypeError("not a number")
        out += pack(value)

    return Coder(encode_number, lambda data, at: (unpack(data, at)[0], at + width))


def _bool() -> Coder:
    def encode_bool(value: Any, out: bytearray) -> None:
        if value is not True and value is not False:
            raise TypeError("not a bool")
        out.append(value)

    def decode_bool(data: memoryview, at: int) -> tuple[Any, int]:
        (value,) = struct.unpack_from("<B", data, at)
        if value > 1:
            raise EncodingError(f"bool at byte {at}: found {value}; expected 0 or 1")
        return bool(value), at + 1

    return Coder(encode_bool, decode_bool)


def _counted(type: Scalar) -> Coder:
    """Return the coder of a string, or of bytes of any length."""
    is_text = type == string
    of_bytes: Callable[[memoryview], Any] = (lambda view: str(view, "utf-8")) if is_text else bytes

    def encode_counted(value: Any, out: bytearray) -> None:
        octets = value.encode() if is_text else value
        if not isinstance(octets, bytes):
            raise TypeError("not bytes")
        out += COUNT.pack(len(octets))
        out += octets

    def decode_counted(data: memoryview, at: int) -> tuple[Any, int]:
        (length,) = COUNT.unpack_from(data, at)
        end = at + 4 + length
        if end > len(data):
            raise EncodingError(
                f"{type.name} at byte {at}: length {length}; {len(data) - at - 4} bytes are left"
            )
        return of_bytes(data[at + 4 : end]), end

    return Coder(encode_counted, decode_counted)


def _fixed_bytes(type: FixedBytes) -> Coder:
    length = type.length

    def encode_fixed(value: Any, out: bytearray) -> None:
        if not isinstance(value, bytes) or len(value) != length:
            raise TypeError(f"not {length} bytes")
        out += value

    def decode_fixed(data: memoryview, at: int) -> tuple[Any, int]:
        if at + length > len(data):
            raise EncodingError(f"{length} bytes at byte {at}; {len(data) - at} bytes are left")
        return bytes(data[at : at + length]), at + length

    return Coder(encode_fixed, decode_fixed)


def _enum(type: Enum) -> Coder:
    of_number = _number(type.underlying)
    known = frozenset(number for _, number in type.members)

    def encode_enum(value: Any, out: bytearray) -> None:
        if value not in known:
            raise ValueError("not a member")
        of_number.encode(value, out)

    def decode_enum(data: memoryview, at: int) -> tuple[Any, int]:
        value, end = of_number.decode(data, at)
        if value not in known:
            raise EncodingError(f"enum {type.name} at byte {at}: {value} is not a member")
        return value, end

    return of_number if type.open else Coder(encode_enum, decode_enum)


def _flat_items(item: Type) -> ItemsCoder:
    """Return the coder of items that have a ``flat_format``, which encodes and decodes all of them by a
    single call of ``struct``."""
    letters, width = flat_format(item), fixed_width(item) or 0
    unpack_record = struct.Struct(f"<{letters}").iter_unpack

    def encode_numbers(value: Any, out: bytearray) -> None:
        if bool in set(map(type, value)):  # which struct would take for 0 or 1
            raise TypeError("not a number")
        out += struct.pack(f"<{len(value)}{letters}", *value)

    def encode_records(value: Any, out: bytearray) -> None:
        flat = list(chain.from_iterable(value))
        if not all(isinstance(each, tuple) and len(each) == len(letters) for each in value):
            raise ValueError("a record has the wrong number of fields")
        if bool in set(map(type, flat)):
            raise TypeError("not a number")
        out += struct.pack("<" + letters * len(value), *flat)

    def decode_flat(data: memoryview, at: int, count: int) -> tuple[Any, int]:
        end = at + count * width
        if end > len(data):
            raise EncodingError(
                f"{count} items at byte {at} need {end - at} bytes; {len(data) - at} are left"
            )
        if isinstance(item, Scalar):
            return list(struct.unpack_from(f"<{count}{letters}", data, at)), end
        return list(unpack_record(data[at:end])), end

    return ItemsCoder(encode_numbers if isinstance(item, Scalar) else encode_records, decode_flat)
