"""The canonical encoding: serbench's own plain encoding and the yardstick of verification.

Little-endian without padding: bool and enums by their underlying type, integers and IEEE floats at their
width; string and bytes: u32 length and the bytes; bytes of a fixed length: themselves; list: u32 count and
items; map: u32 count and pairs sorted by key; optional: u8 0 or 1 and the value; array: its items; record:
its fields in order; union: u32 index of the alternative and its value; a logical type as its base. A value
has at most ``MAX_DEPTH`` steps back to a type that it is part of. The full text is
``docs/canonical-encoding.md``.

A type is compiled once into functions over values, because datasets hold millions of them.
"""

from __future__ import annotations

import struct
import sys
from typing import Any

from serbench.dataset.coders import Coder, Coders
from serbench.dataset.values import find_mismatch
from serbench.errors import EncodingError, ValueMismatch
from serbench.model import Type
from serbench.model.parts import describe
from serbench.model.types import MAX_DEPTH

# Each step back takes about ten nested Python calls, in encoding as well as in comparing two values.
sys.setrecursionlimit(max(sys.getrecursionlimit(), 20 * MAX_DEPTH))


def encode(type: Type, value: Any) -> bytes:
    """Return the canonical bytes of one value; raise ValueMismatch, which names the place, where it does not
    fit."""
    out = bytearray()
    try:
        _coder(type).encode(value, out)
    except (
        struct.error,
        TypeError,
        ValueError,
        AttributeError,
        OverflowError,
        KeyError,
        IndexError,
    ) as error:
        raise ValueMismatch(find_mismatch(type, value) or f"{describe(type)}: {error}") from error
    return bytes(out)


def encode_backwards(type: Type, value: Any) -> bytes:
    """Return the bytes of a value that fits its type, with the entries of maps in descending order of their
    keys. They are not canonical; only runners whose maps keep an order of entries read them."""
    out = bytearray()
    Coders(backwards=True).of(type).encode(value, out)
    return bytes(out)


def decode(type: Type, data: bytes | memoryview) -> Any:
    """Return the value whose canonical bytes are exactly ``data``; records become plain tuples. Raise
    EncodingError where the bytes are truncated, too long, or not canonical."""
    view = memoryview(data)
    try:
        value, end = _coder(type).decode(view, 0)
    except struct.error as error:
        raise EncodingError(f"{describe(type)}: the input ends early, after {len(view)} bytes") from error
    except UnicodeDecodeError as error:
        raise EncodingError(f"{describe(type)}: a string is not UTF-8: {error.reason}") from error
    if end != len(view):
        raise EncodingError(f"{describe(type)}: {len(view)} bytes, of which the value takes only {end}")
    return value


_made: dict[int, tuple[Type, Coder]] = {}
"""The coders of types, by the ``id`` of the type object: in two types that are equal, a reference by name can
mean two different types."""


def _coder(type: Type) -> Coder:
    found = _made.get(id(type))
    if found is None:
        if len(_made) >= 1000:
            _made.clear()
        # The type is kept too: while it lives, no other object gets its id.
        found = _made[id(type)] = (type, Coders().of(type))
    return found[1]
