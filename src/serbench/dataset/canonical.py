"""The canonical encoding: serbench's own plain encoding and the yardstick of verification.

Little-endian without padding: bool and enums by their underlying type, integers and IEEE floats at their
width; string and bytes: u32 length and the bytes; list: u32 count and items; map: u32 count and pairs
sorted by key; optional: u8 0 or 1 and the value; array: its items; record: its fields in order.
The full text is ``docs/canonical-encoding.md``.

A type is compiled once into a function over values, because datasets hold millions of them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain
from typing import Any

from serbench.dataset.values import find_mismatch
from serbench.errors import EncodingError, ValueMismatch
from serbench.model import Array, Enum, List, Map, Optional, Record, Scalar, Type, bytes_, string
from serbench.model.types import describe, fixed_width

Encoder = Callable[[Any, bytearray], None]
Decoder = Callable[[memoryview, int], tuple[Any, int]]

_COUNT = struct.Struct("<I")


def encode(type: Type, value: Any) -> bytes:
    """The canonical bytes of one value.

    Raises:
        ValueMismatch: ``value`` is not of ``type``; names the place, what was found and what was expected.
    """
    out = bytearray()
    try:
        _encoder(type)(value, out)
    except (struct.error, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ValueMismatch(find_mismatch(type, value) or f"{describe(type)}: {error}") from error
    return bytes(out)


def decode(type: Type, data: bytes | memoryview) -> Any:
    """The value whose canonical bytes are exactly ``data``; records come back as plain tuples.

    Raises:
        EncodingError: ``data`` is truncated, too long, or not canonical.
    """
    view = memoryview(data)
    try:
        value, end = _decoder(type)(view, 0)
    except struct.error as error:
        raise EncodingError(f"{describe(type)}: the bytes end early, after {len(view)}") from error
    except UnicodeDecodeError as error:
        raise EncodingError(f"{describe(type)}: a string is not UTF-8: {error.reason}") from error
    if end != len(view):
        raise EncodingError(f"{describe(type)}: {len(view)} bytes, of which the value takes {end}")
    return value


def flat_format(type: Type) -> str | None:
    """The ``struct`` format of a type made only of fixed-width numbers, without byte order; else None.

    Enums and bools are left out, since their values are checked one by one.
    """
    match type:
        case Scalar():
            return type.struct_format if type.width and type.name != "bool" else None
        case Record(_, fields):
            formats = [flat_format(f.type) for f in fields]
            return None if None in formats else "".join(f or "" for f in formats)
        case _:
            return None


def _is_flat_record(type: Type) -> bool:
    return isinstance(type, Record) and all(isinstance(f.type, Scalar) for f in type.fields) and flat_format(type) is not None


@cache
def _encoder(type: Type) -> Encoder:
    match type:
        case Scalar():
            return _scalar_encoder(type)
        case Enum(_, underlying, members):
            return _enum_encoder(underlying, frozenset(v for _, v in members))
        case List(item):
            items = _items_encoder(item)

            def encode_list(value: Any, out: bytearray) -> None:
                if not isinstance(value, list | tuple):
                    raise TypeError("not a list")
                out += _COUNT.pack(len(value))
                items(value, out)

            return encode_list
        case Array(item, length):
            array_items = _items_encoder(item)

            def encode_array(value: Any, out: bytearray) -> None:
                if not isinstance(value, list | tuple) or len(value) != length:
                    raise ValueError(f"{len(value)} items in an array of {length}")
                array_items(value, out)

            return encode_array
        case Map(key, value_type):
            encode_key, encode_value = _encoder(key), _encoder(value_type)

            def encode_map(value: Any, out: bytearray) -> None:
                out += _COUNT.pack(len(value))
                for k, v in sorted(value.items(), key=_map_order):
                    encode_key(k, out)
                    encode_value(v, out)

            return encode_map
        case Optional(item):
            encode_item = _encoder(item)

            def encode_optional(value: Any, out: bytearray) -> None:
                out.append(value is not None)
                if value is not None:
                    encode_item(value, out)

            return encode_optional
        case Record(_, fields):
            return _record_encoder([_encoder(f.type) for f in fields])
    raise TypeError(f"{type!r} cannot be encoded")


def _map_order(pair: tuple[Any, Any]) -> Any:
    """Strings are ordered by their UTF-8 bytes, which every language can do; integers by value."""
    key = pair[0]
    return key.encode() if isinstance(key, str) else key


def _scalar_encoder(type: Scalar) -> Encoder:
    if type == string:

        def encode_string(value: Any, out: bytearray) -> None:
            text = value.encode()
            out += _COUNT.pack(len(text))
            out += text

        return encode_string
    if type == bytes_:

        def encode_bytes(value: Any, out: bytearray) -> None:
            if not isinstance(value, bytes):
                raise TypeError("not bytes")
            out += _COUNT.pack(len(value))
            out += value

        return encode_bytes
    pack = struct.Struct(f"<{type.struct_format}").pack
    if type.name == "bool":

        def encode_bool(value: Any, out: bytearray) -> None:
            if value is not True and value is not False:
                raise TypeError("not a bool")
            out += pack(value)

        return encode_bool

    def encode_number(value: Any, out: bytearray) -> None:
        if value is True or value is False:
            raise TypeError("not a number")
        out += pack(value)

    return encode_number


def _enum_encoder(underlying: Scalar, known: frozenset[int]) -> Encoder:
    pack = struct.Struct(f"<{underlying.struct_format}").pack

    def encode_enum(value: Any, out: bytearray) -> None:
        if value is True or value is False or value not in known:
            raise ValueError("not a member")
        out += pack(value)

    return encode_enum


def _items_encoder(item: Type) -> Encoder:
    """Encodes the items of a list or array, in one ``struct`` call where they are plain numbers."""
    if isinstance(item, Scalar) and (letter := flat_format(item)):

        def encode_numbers(value: Any, out: bytearray) -> None:
            _refuse_bools(value)
            out += struct.pack(f"<{len(value)}{letter}", *value)

        return encode_numbers
    if isinstance(item, Record) and _is_flat_record(item):
        letters, width = flat_format(item), len(item.fields)

        def encode_records(value: Any, out: bytearray) -> None:
            flat = list(chain.from_iterable(value))
            if not all(isinstance(each, tuple) and len(each) == width for each in value):
                raise ValueError("a record has the wrong number of fields")
            _refuse_bools(flat)
            out += struct.pack("<" + f"{letters}" * len(value), *flat)

        return encode_records
    encode_item = _encoder(item)

    def encode_each(value: Any, out: bytearray) -> None:
        for each in value:
            encode_item(each, out)

    return encode_each


def _refuse_bools(values: Iterable[Any]) -> None:
    """``struct`` takes True for 1."""
    if bool in set(map(type, values)):
        raise TypeError("not a number")


def _record_encoder(encoders: list[Encoder]) -> Encoder:
    def encode_record(value: Any, out: bytearray) -> None:
        if not isinstance(value, tuple):
            raise TypeError("not a tuple")
        for encode_field, each in zip(encoders, value, strict=True):
            encode_field(each, out)

    return encode_record


@cache
def _decoder(type: Type) -> Decoder:
    match type:
        case Scalar():
            return _scalar_decoder(type)
        case Enum(name, underlying, members):
            return _enum_decoder(name, underlying, frozenset(v for _, v in members))
        case List(item):
            items = _items_decoder(item)

            def decode_list(data: memoryview, at: int) -> tuple[Any, int]:
                (count,) = _COUNT.unpack_from(data, at)
                return items(data, at + 4, count)

            return decode_list
        case Array(item, length):
            array_items = _items_decoder(item)
            return lambda data, at: array_items(data, at, length)
        case Map(key, value):
            return _map_decoder(_decoder(key), _decoder(value))
        case Optional(item):
            decode_item = _decoder(item)

            def decode_optional(data: memoryview, at: int) -> tuple[Any, int]:
                (present,) = struct.unpack_from("<B", data, at)
                if present > 1:
                    raise EncodingError(f"optional at byte {at}: presence is {present}; expected 0 or 1")
                return decode_item(data, at + 1) if present else (None, at + 1)

            return decode_optional
        case Record(_, fields):
            return _record_decoder([_decoder(f.type) for f in fields])
    raise TypeError(f"{type!r} cannot be decoded")


def _scalar_decoder(type: Scalar) -> Decoder:
    if not type.width:
        convert: Callable[[memoryview], Any] = bytes if type == bytes_ else lambda view: str(view, "utf-8")

        def decode_text(data: memoryview, at: int) -> tuple[Any, int]:
            (length,) = _COUNT.unpack_from(data, at)
            end = at + 4 + length
            if end > len(data):
                raise EncodingError(f"{type.name} at byte {at}: length {length}; {len(data) - at - 4} bytes are left")
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


def _enum_decoder(name: str, underlying: Scalar, known: frozenset[int]) -> Decoder:
    unpack, width = struct.Struct(f"<{underlying.struct_format}").unpack_from, underlying.width

    def decode_enum(data: memoryview, at: int) -> tuple[Any, int]:
        (value,) = unpack(data, at)
        if value not in known:
            raise EncodingError(f"enum {name} at byte {at}: {value} is not a member")
        return value, at + width

    return decode_enum


def _items_decoder(item: Type) -> Callable[[memoryview, int, int], tuple[Any, int]]:
    letters = flat_format(item) if isinstance(item, Scalar) or _is_flat_record(item) else None
    if letters is not None:
        width = fixed_width(item) or 0
        unpack_item = struct.Struct(f"<{letters}").iter_unpack

        def decode_flat(data: memoryview, at: int, count: int) -> tuple[Any, int]:
            end = at + count * width
            if end > len(data):
                raise EncodingError(f"{count} items at byte {at} need {end - at} bytes; {len(data) - at} are left")
            if isinstance(item, Scalar):
                return list(struct.unpack_from(f"<{count}{letters}", data, at)), end
            return list(unpack_item(data[at:end])), end

        return decode_flat
    decode_item = _decoder(item)
    least = max(1, fixed_width(item) or 1)

    def decode_each(data: memoryview, at: int, count: int) -> tuple[Any, int]:
        if count * least > len(data) - at:
            raise EncodingError(f"{count} items at byte {at}; {len(data) - at} bytes are left")
        values = []
        for _ in range(count):
            value, at = decode_item(data, at)
            values.append(value)
        return values, at

    return decode_each


def _map_decoder(decode_key: Decoder, decode_value: Decoder) -> Decoder:
    def decode_map(data: memoryview, at: int) -> tuple[Any, int]:
        (count,) = _COUNT.unpack_from(data, at)
        at += 4
        values: dict[Any, Any] = {}
        previous: Any = None
        for _ in range(count):
            start = at
            key, at = decode_key(data, at)
            order = _map_order((key, None))
            if values and not previous < order:
                raise EncodingError(f"map at byte {start}: key {key!r} is not after the key before it")
            previous = order
            values[key], at = decode_value(data, at)
        return values, at

    return decode_map


def _record_decoder(decoders: Iterable[Decoder]) -> Decoder:
    fields = list(decoders)

    def decode_record(data: memoryview, at: int) -> tuple[Any, int]:
        values = []
        for decode_field in fields:
            value, at = decode_field(data, at)
            values.append(value)
        return tuple(values), at

    return decode_record
