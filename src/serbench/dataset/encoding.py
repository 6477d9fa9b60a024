"""Functions that append the canonical bytes of values."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

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
    string,
)
from serbench.model.types import MAX_DEPTH

Encoder = Callable[[Any, bytearray], None]

_COUNT = struct.Struct("<I")


class Encoders:
    """Makes the encoders of one type and of the types that it is made of.

    For a value that does not fit the type they raise ``struct.error``, or whatever Python raises, without the
    place of the fault; the caller then looks for it (``find_mismatch``).
    """

    def __init__(self) -> None:
        self._of_composites: dict[str, Encoder] = {}
        self._depth = 0

    def of(self, type: Type) -> Encoder:
        """The encoder of ``type``."""
        match type:
            case Scalar():
                return _scalar(type)
            case FixedBytes(length):
                return _fixed_bytes(length)
            case Logical():
                return self.of(type.base)
            case Enum(_, underlying, members):
                return (
                    _scalar(underlying) if type.open else _enum(underlying, frozenset(v for _, v in members))
                )
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
                return self._composite(
                    name, lambda: _union([None if a.type is None else self.of(a.type) for a in alternatives])
                )
            case Ref(name):
                return self._back(name)
        raise TypeError(f"{type!r} cannot be encoded")

    def _composite(self, name: str, make: Callable[[], Encoder]) -> Encoder:
        if name not in self._of_composites:
            self._of_composites[name] = make()
        return self._of_composites[name]

    def _back(self, name: str) -> Encoder:
        """The encoder of a reference back to the type ``name``.

        The value lies inside a value of that type, whose encoder is still being made; so it is looked up only
        when encoding.
        """
        encoders = self._of_composites

        def encode_back(value: Any, out: bytearray) -> None:
            if self._depth == MAX_DEPTH:
                raise ValueError(f"more than {MAX_DEPTH} steps of recursion")
            self._depth += 1
            try:
                encoders[name](value, out)
            finally:
                self._depth -= 1

        return encode_back

    def _items(self, item: Type) -> Encoder:
        """The encoder of the items of a list or array; it makes a single ``struct`` call if they are plain
        numbers, or records of numbers alone."""
        if isinstance(item, Scalar) and (letter := flat_format(item)):

            def encode_numbers(value: Any, out: bytearray) -> None:
                _refuse_bools(value)
                out += struct.pack(f"<{len(value)}{letter}", *value)

            return encode_numbers
        if isinstance(item, Record) and is_flat_record(item):
            return _flat_records(flat_format(item) or "", len(item.fields))
        encode_item = self.of(item)

        def encode_each(value: Any, out: bytearray) -> None:
            for each in value:
                encode_item(each, out)

        return encode_each


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


def is_flat_record(type: Type) -> bool:
    """Whether ``type`` is a record with at least one field, all of them numbers."""
    return (
        isinstance(type, Record)
        and all(isinstance(f.type, Scalar) for f in type.fields)
        and bool(flat_format(type))
    )


def map_order(key: Any) -> Any:
    """The sort key of a map's key: strings are sorted by their UTF-8 bytes, which every language can do, all
    others by value."""
    return key.encode() if isinstance(key, str) else key


def _list(items: Encoder) -> Encoder:
    def encode_list(value: Any, out: bytearray) -> None:
        if not isinstance(value, list | tuple):
            raise TypeError("not a list")
        out += _COUNT.pack(len(value))
        items(value, out)

    return encode_list


def _array(items: Encoder, length: int) -> Encoder:
    def encode_array(value: Any, out: bytearray) -> None:
        if not isinstance(value, list | tuple) or len(value) != length:
            raise ValueError(f"{len(value)} items in an array of {length}")
        items(value, out)

    return encode_array


def _map(encode_key: Encoder, encode_value: Encoder) -> Encoder:
    def encode_map(value: Any, out: bytearray) -> None:
        out += _COUNT.pack(len(value))
        for k, v in sorted(value.items(), key=lambda pair: map_order(pair[0])):
            encode_key(k, out)
            encode_value(v, out)

    return encode_map


def _optional(encode_item: Encoder) -> Encoder:
    def encode_optional(value: Any, out: bytearray) -> None:
        out.append(value is not None)
        if value is not None:
            encode_item(value, out)

    return encode_optional


def _record(encoders: list[Encoder]) -> Encoder:
    def encode_record(value: Any, out: bytearray) -> None:
        if not isinstance(value, tuple):
            raise TypeError("not a tuple")
        for encode_field, each in zip(encoders, value, strict=True):
            encode_field(each, out)

    return encode_record


def _union(encoders: list[Encoder | None]) -> Encoder:
    def encode_union(value: Any, out: bytearray) -> None:
        index, chosen = value
        if not isinstance(value, tuple) or index is True or index is False or index < 0:
            raise TypeError("not an alternative and its value")
        encode_chosen = encoders[index]
        out += _COUNT.pack(index)
        if encode_chosen:
            encode_chosen(chosen, out)
        elif chosen is not None:
            raise ValueError("a value of an alternative that has none")

    return encode_union


def _scalar(type: Scalar) -> Encoder:
    if type == string:
        return _string
    if type == bytes_:
        return _bytes
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


def _string(value: Any, out: bytearray) -> None:
    text = value.encode()
    out += _COUNT.pack(len(text))
    out += text


def _bytes(value: Any, out: bytearray) -> None:
    if not isinstance(value, bytes):
        raise TypeError("not bytes")
    out += _COUNT.pack(len(value))
    out += value


def _fixed_bytes(length: int) -> Encoder:
    def encode_fixed(value: Any, out: bytearray) -> None:
        if not isinstance(value, bytes) or len(value) != length:
            raise TypeError(f"not {length} bytes")
        out += value

    return encode_fixed


def _enum(underlying: Scalar, known: frozenset[int]) -> Encoder:
    pack = struct.Struct(f"<{underlying.struct_format}").pack

    def encode_enum(value: Any, out: bytearray) -> None:
        if value is True or value is False or value not in known:
            raise ValueError("not a member")
        out += pack(value)

    return encode_enum


def _flat_records(letters: str, width: int) -> Encoder:
    def encode_records(value: Any, out: bytearray) -> None:
        flat = list(chain.from_iterable(value))
        if not all(isinstance(each, tuple) and len(each) == width for each in value):
            raise ValueError("a record has the wrong number of fields")
        _refuse_bools(flat)
        out += struct.pack("<" + letters * len(value), *flat)

    return encode_records


def _refuse_bools(values: Iterable[Any]) -> None:
    """Raises TypeError if a value is a bool, which ``struct`` would take for 0 or 1."""
    if bool in set(map(type, values)):
        raise TypeError("not a number")
