"""Values of the type model: which are right, and which are at the edges."""

from __future__ import annotations

import struct
from typing import Any

from serbench.model import Array, Enum, List, Map, Optional, Record, Scalar, Type, bytes_, string
from serbench.model.types import describe


def find_mismatch(type: Type, value: Any, path: str = "") -> str | None:
    """Where ``value`` first departs from ``type``, as ``Graph.nodes[3].id: found 70000, expected u16``; None where nowhere."""
    path = path or describe(type)
    match type:
        case Scalar():
            return None if _is_scalar(type, value) else f"{path}: found {_short(value)}, expected {type.name}"
        case Enum(name, _, members):
            known = {v for _, v in members}
            return (
                None
                if _is_int(value) and value in known
                else f"{path}: found {_short(value)}, expected a value of enum {name}: {sorted(known)}"
            )
        case Optional(item):
            return None if value is None else find_mismatch(item, value, path)
        case List(item) | Array(item, _):
            if not isinstance(value, list | tuple):
                return f"{path}: found {_short(value)}, expected {describe(type)}"
            if isinstance(type, Array) and len(value) != type.length:
                return f"{path}: found {len(value)} items, expected {type.length}"
            return _first(find_mismatch(item, each, f"{path}[{n}]") for n, each in enumerate(value))
        case Map(key, item):
            if not isinstance(value, dict):
                return f"{path}: found {_short(value)}, expected {describe(type)}"
            keys = _first(find_mismatch(key, k, f"{path} key") for k in value)
            return keys or _first(find_mismatch(item, v, f"{path}[{k!r}]") for k, v in value.items())
        case Record(_, fields):
            if not isinstance(value, tuple) or len(value) != len(fields):
                return f"{path}: found {_short(value)}, expected a tuple of {len(fields)} fields"
            return _first(find_mismatch(f.type, v, f"{path}.{f.name}") for f, v in zip(fields, value, strict=True))
    return f"{path}: {type!r} is not a type"


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _first(found: Any) -> str | None:
    return next((problem for problem in found if problem), None)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _is_scalar(type: Scalar, value: Any) -> bool:
    if type.name == "bool":
        return isinstance(value, bool)
    if type == bytes_:
        return isinstance(value, bytes)
    if type == string:
        try:
            return isinstance(value, str) and value.encode() is not None
        except UnicodeEncodeError:  # a lone surrogate
            return False
    if type.is_float:
        if not isinstance(value, float | int) or isinstance(value, bool):
            return False
        try:
            struct.pack(f"<{type.struct_format}", value)
        except (OverflowError, struct.error):
            return False
        return True
    low, high = type.bounds
    return _is_int(value) and low <= value <= high


def first_difference(type: Type, expected: Any, found: Any, float_absolute: float = 0.0, path: str = "") -> str | None:
    """Where ``found`` first departs from ``expected``, both of ``type``; None where they are the same.

    Floats are compared by their bits, so that 0.0 is not -0.0; with ``float_absolute`` by value within it.
    """
    path = path or describe(type)
    match type:
        case Scalar() | Enum():
            if _same_scalar(type, expected, found, float_absolute):
                return None
            return f"{path}: found {_short(found)}, expected {_short(expected)}"
        case Optional(item):
            if expected is None or found is None:
                return None if expected is found else f"{path}: found {_short(found)}, expected {_short(expected)}"
            return first_difference(item, expected, found, float_absolute, path)
        case List(item) | Array(item, _):
            if len(expected) != len(found):
                return f"{path}: found {len(found)} items, expected {len(expected)}"
            pairs = enumerate(zip(expected, found, strict=True))
            return _first(first_difference(item, e, f, float_absolute, f"{path}[{n}]") for n, (e, f) in pairs)
        case Map(_, item):
            if expected.keys() != found.keys():
                return f"{path}: found keys {_short(sorted(found))}, expected {_short(sorted(expected))}"
            return _first(first_difference(item, v, found[k], float_absolute, f"{path}[{k!r}]") for k, v in expected.items())
        case Record(_, fields):
            named = zip(fields, expected, found, strict=True)
            return _first(first_difference(x.type, e, f, float_absolute, f"{path}.{x.name}") for x, e, f in named)
    raise TypeError(f"{type!r} has no values")


def _same_scalar(type: Scalar | Enum, expected: Any, found: Any, float_absolute: float) -> bool:
    if isinstance(type, Scalar) and type.is_float:
        if float_absolute:
            return bool(expected == found or abs(expected - found) <= float_absolute)
        return struct.pack("<d", expected) == struct.pack("<d", found)
    return bool(expected == found)


_FLOATS = {
    "f32": [0.0, -0.0, 1.5, float("inf"), float("-inf"), 3.4028234663852886e38, 1.401298464324817e-45],
    "f64": [0.0, -0.0, 1.5, float("inf"), float("-inf"), 1.7976931348623157e308, 5e-324],
}

_STRINGS = [
    "",
    "a",
    "fifteen letters",
    "just beyond the small string buffer of every library",
    "with a NUL \0 inside\0",
    "žluťoučký kůň · 日本語 · \U0001f40e · \u0000 · \u07ff \u0800 \uffff \U0010ffff",
    'quote " backslash \\ newline \n comma , tab \t underscore _',
    "x" * 70_000,
]


EDGE_MESSAGES = 32
"""Twice as many as the longest list of edges, so that each field meets each edge, also one that is absent every other time."""


def edge_values(root: Record, float_range: tuple[float, float] | None = None) -> list[Any]:
    """Values of ``root`` that codecs trip over: everything empty, everything at its least and greatest, long, non-ASCII
    and NUL-holding strings, infinities and negative zero, absent and present optionals.

    Every edge of every scalar occurs in at least one value. NaN is left out: it is not equal to itself and
    text formats have no one spelling of it.

    Args:
        float_range: where it is given, floats beyond are replaced by its ends: for a codec that declares it takes no others.
    """
    values = [_edge(root, n) for n in range(EDGE_MESSAGES)]
    return [_clamped(root, value, *float_range) for value in values] if float_range else values


def float_outside(type: Type, value: Any, low: float, high: float, path: str = "") -> str | None:
    """The first float of ``value`` that is not from ``low`` to ``high``, as ``Scene.points[3].x is 7.5``; None for none."""
    path = path or describe(type)
    match type:
        case Scalar() if type.is_float:
            return None if low <= value <= high else f"{path} is {value}"
        case Optional(item):
            return None if value is None else float_outside(item, value, low, high, path)
        case List(item) | Array(item, _):
            return _first(float_outside(item, each, low, high, f"{path}[{n}]") for n, each in enumerate(value))
        case Map(_, item):
            return _first(float_outside(item, each, low, high, f"{path}[{k!r}]") for k, each in value.items())
        case Record(_, fields):
            named = zip(fields, value, strict=True)
            return _first(float_outside(x.type, each, low, high, f"{path}.{x.name}") for x, each in named)
        case _:
            return None


def _clamped(type: Type, value: Any, low: float, high: float) -> Any:
    match type:
        case Scalar() if type.is_float:
            return min(max(value, low), high)
        case Optional(item):
            return None if value is None else _clamped(item, value, low, high)
        case List(item) | Array(item, _):
            return [_clamped(item, each, low, high) for each in value]
        case Map(_, item):
            return {key: _clamped(item, each, low, high) for key, each in value.items()}
        case Record(_, fields):
            return tuple(_clamped(f.type, each, low, high) for f, each in zip(fields, value, strict=True))
        case _:
            return value


def _edge(type: Type, n: int) -> Any:
    """The n-th edge value of a type; the 0th is empty or zero."""
    match type:
        case Scalar():
            choices = _scalar_edges(type)
            return choices[n % len(choices)]
        case Enum(_, _, members):
            return members[n % len(members)][1]
        case Optional(item):
            return _edge(item, n // 2) if n % 2 else None
        case Array(item, length):
            return [_edge(item, n + k) for k in range(length)]
        case List(item):
            # Long strings in every item of every list would make megabytes of nothing new.
            return [_edge(item, n + k) for k in range((0, 1, 2, 3, 7, 16, 1, 1)[n % 8])]
        case Map(key, value):
            keys = _scalar_edges(key) if isinstance(key, Scalar) else []
            return {keys[(n + k) % len(keys)]: _edge(value, n + k) for k in range((0, 1, 3, len(keys))[n % 4])}
        case Record(_, fields):
            # Neighbouring fields get different edges, so that a swap of two is seen.
            return tuple(_edge(f.type, n if n == 0 else n + k) for k, f in enumerate(fields))
    raise TypeError(f"{type!r} has no edge values")


def _scalar_edges(type: Scalar) -> list[Any]:
    if type == string:
        return _STRINGS
    if type == bytes_:
        return [b"", b"a", b"\0", bytes(range(256)), b"\xff" * 70_000]
    if type.name == "bool":
        return [False, True]
    if type.is_float:
        return _FLOATS[type.name]
    low, high = type.bounds
    middle = [v for v in (1, -1, 127, 128, 255, 256, -128, -129, 65535, 65536, 1 << 31, 1 << 53) if low < v < high]
    return [0, low, high, *middle]
