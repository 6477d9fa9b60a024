"""The canonical bytes of values that are not made of others, and of many numbers at once."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, NamedTuple

from serbench.errors import EncodingError
from serbench.model import Enum, FixedBytes, Record, Scalar, Type, bytes_
from serbench.model.parts import fixed_width

COUNT = struct.Struct("<I")


class Coder(NamedTuple):
    """Functions for the values of a type.

    Attributes:
        encode: appends the bytes of a value. Where a value does not fit the type, it raises ``struct.error``,
            or whatever Python raises, without the place of the fault, which ``find_mismatch`` then looks for.
        decode: takes the bytes and an offset; returns the value that begins there, and the offset behind it.
            It raises EncodingError for bytes that are not canonical, and ``struct.error`` if they end early.
    """

    encode: Callable[[Any, bytearray], None]
    decode: Callable[[memoryview, int], tuple[Any, int]]


class ItemsCoder(NamedTuple):
    """The same for the items of a list or array, of which ``decode`` is told the number."""

    encode: Callable[[Any, bytearray], None]
    decode: Callable[[memoryview, int, int], tuple[Any, int]]


def flat_format(type: Type) -> str:
    """The ``struct`` format of a number, or of a record of numbers alone, without byte order; empty for any
    other type. Enums and bools are no numbers here, since their values are checked one by one."""
    match type:
        case Scalar():
            return type.struct_format if type.width and type.name != "bool" else ""
        case Record(_, fields) if all(isinstance(f.type, Scalar) for f in fields):
            formats = [flat_format(f.type) for f in fields]
            return "".join(formats) if all(formats) else ""
        case _:
            return ""


def scalar(type: Scalar) -> Coder:
    if not type.width:
        return _counted(type)
    return _bool() if type.name == "bool" else _number(type)


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
    """The coder of a string, or of bytes of any length."""
    of_bytes: Callable[[memoryview], Any] = bytes if type == bytes_ else lambda view: str(view, "utf-8")

    def encode_text(value: Any, out: bytearray) -> None:
        text = value.encode()
        out += COUNT.pack(len(text))
        out += text

    def encode_octets(value: Any, out: bytearray) -> None:
        if not isinstance(value, bytes):
            raise TypeError("not bytes")
        out += COUNT.pack(len(value))
        out += value

    def decode_counted(data: memoryview, at: int) -> tuple[Any, int]:
        (length,) = COUNT.unpack_from(data, at)
        end = at + 4 + length
        if end > len(data):
            raise EncodingError(
                f"{type.name} at byte {at}: length {length}; {len(data) - at - 4} bytes are left"
            )
        return of_bytes(data[at + 4 : end]), end

    return Coder(encode_octets if type == bytes_ else encode_text, decode_counted)


def fixed_bytes(type: FixedBytes) -> Coder:
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


def enum(type: Enum) -> Coder:
    if type.open:
        return scalar(type.underlying)
    packed, width = struct.Struct(f"<{type.underlying.struct_format}"), type.underlying.width
    pack, unpack = packed.pack, packed.unpack_from
    known = frozenset(number for _, number in type.members)

    def encode_enum(value: Any, out: bytearray) -> None:
        if value is True or value is False or value not in known:
            raise ValueError("not a member")
        out += pack(value)

    def decode_enum(data: memoryview, at: int) -> tuple[Any, int]:
        (value,) = unpack(data, at)
        if value not in known:
            raise EncodingError(f"enum {type.name} at byte {at}: {value} is not a member")
        return value, at + width

    return Coder(encode_enum, decode_enum)


def flat_items(item: Type) -> ItemsCoder:
    """The coder of items that have a ``flat_format``, which makes a single call of ``struct``."""
    letters, width = flat_format(item), fixed_width(item) or 0
    unpack_record = struct.Struct(f"<{letters}").iter_unpack

    def encode_numbers(value: Any, out: bytearray) -> None:
        _refuse_bools(value)
        out += struct.pack(f"<{len(value)}{letters}", *value)

    def encode_records(value: Any, out: bytearray) -> None:
        flat = list(chain.from_iterable(value))
        if not all(isinstance(each, tuple) and len(each) == len(letters) for each in value):
            raise ValueError("a record has the wrong number of fields")
        _refuse_bools(flat)
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


def _refuse_bools(values: Iterable[Any]) -> None:
    """Raises TypeError if a value is a bool, which ``struct`` would take for 0 or 1."""
    if bool in set(map(type, values)):
        raise TypeError("not a number")
