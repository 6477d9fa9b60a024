"""The sizes of scalars in several formats, by which twins are compared with their originals."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Iterator
from typing import Any

from serbench.drawing.draws import to_f32
from serbench.imports.alike import rounded
from serbench.model import Array, List, Map, Optional, Record, Ref, Type, Union

Size = Callable[[Any], int]
"""A function that gives the number of bytes of a scalar in some format."""


def leaves(type: Type, value: Any) -> Iterator[tuple[Type, Any]]:
    """The type and value of every scalar in a value; and the type of every optional with whether it is
    absent, of every list, array and map with its number of items, and of every union with the index of its
    alternative."""
    match type:
        case Optional(item):
            yield type, value is None
            if value is not None:
                yield from leaves(item, value)
        case List(item) | Array(item, _):
            yield type, len(value)
            for each in value:
                yield from leaves(item, each)
        case Map(key, item):
            yield type, len(value)
            for each, held in value.items():
                yield from leaves(key, each)
                yield from leaves(item, held)
        case Record(_, fields):
            for field, each in zip(fields, value, strict=True):
                yield from leaves(field.type, each)
        case Union(_, alternatives):
            yield type, value[0]
            chosen = alternatives[value[0]].type
            if chosen is not None:
                yield from leaves(chosen, value[1])
        case Ref():
            yield from leaves(type.target, value)
        case _:
            yield type, value


def varint(value: Any) -> int:
    """The number of bytes of an integer in Protocol Buffers' varint encoding; a negative one takes ten."""
    return max(1, -(-(value % (1 << 64)).bit_length() // 7)) if isinstance(value, int) else 0


def zigzag(value: Any) -> int:
    """The number of bytes of an integer as Avro and Thrift's compact protocol write it; an unsigned one of 64
    bits is written as if it had a sign."""
    if isinstance(value, int) and value >= 1 << 63:
        value -= 1 << 64
    return varint(2 * value if value >= 0 else -2 * value - 1) if isinstance(value, int) else 0


def msgpack(value: Any) -> int:
    if isinstance(value, bool) or value is None:
        return 1
    if isinstance(value, float):
        return 5 if not math.isfinite(value) or (abs(value) < 3e38 and to_f32(value) == value) else 9
    if isinstance(value, int):
        if -32 <= value < 128:
            return 1
        bits = (value if value >= 0 else 2 * ~value + 1).bit_length()
        return 1 + next(width for width in (1, 2, 4, 8) if bits <= 8 * width)
    raw = value.encode() if isinstance(value, str) else value
    return len(raw) + (1 if len(raw) < 32 else 2 if len(raw) < 256 else 3)


def cbor(value: Any) -> int:
    """The number of bytes of a scalar in CBOR, with floats in the least precision that holds them, as the
    preferred serialization has it."""
    if isinstance(value, bool) or value is None:
        return 1
    if isinstance(value, float):
        for letter in "ef":
            try:
                if (
                    math.isnan(value)
                    or struct.unpack(f"<{letter}", struct.pack(f"<{letter}", value))[0] == value
                ):
                    return 1 + struct.calcsize(letter)
            except OverflowError:
                continue
        return 9
    if isinstance(value, int):
        magnitude = value if value >= 0 else ~value
        return (
            1 if magnitude < 24 else 1 + next(width for width in (1, 2, 4, 8) if magnitude < 1 << 8 * width)
        )
    raw = value.encode() if isinstance(value, str) else value
    return len(raw) + cbor(len(raw))


def text(value: Any) -> int:
    """The number of bytes of a scalar in JSON."""
    return len(value) if isinstance(value, bytes) else len(json.dumps(value, ensure_ascii=False).encode())


def ascii_text(value: Any) -> int:
    return len(value) if isinstance(value, bytes) else len(json.dumps(value))


def shortest(value: float) -> str:
    """The shortest decimal text of a number of single precision."""
    return next(
        (written for n in range(6, 10) if rounded(float(written := f"{value:.{n}g}"), True) == value),
        repr(value),
    )


FORMATS: list[Size] = [varint, zigzag, msgpack, cbor, text, ascii_text]
