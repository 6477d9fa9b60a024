"""Values of the type model: whether one fits its type, and where two differ."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
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
from serbench.model.parts import describe

Tell = Callable[[Any], str]
"""How an error message writes a value: ``short``, or ``kind_of`` if the data are private."""


def short(value: Any) -> str:
    """The value as Python writes it, cut to 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def kind_of(value: Any) -> str:
    """The kind and length of a value, for errors about private data, whose values must not be shown."""
    match value:
        case None:
            return "nothing"
        case str():
            return f"a text of {len(value)} characters"
        case bytes():
            return f"{len(value)} bytes"
        case bool():
            return "a bool"
        case int():
            return f"{'a negative' if value < 0 else 'an'} integer of {value.bit_length()} bits"
        case float():
            return "a float"
        case list() | tuple() | dict():
            return f"{len(value)} items"
        case _:
            return type(value).__name__


def held(type: Type, value: Any, path: str, tell: Tell = short) -> Iterator[tuple[str, Type, Any]]:
    """The path, the type and the value of each part of a value, apart from the keys of maps."""
    match type:
        case Optional(item):
            if value is not None:
                yield path, item, value
        case List(item) | Array(item, _):
            yield from ((f"{path}[{n}]", item, each) for n, each in enumerate(value))
        case Map(_, item):
            yield from ((f"{path}[{tell(key)}]", item, each) for key, each in value.items())
        case Record(_, fields):
            pairs = zip(fields, value, strict=True)
            yield from ((f"{path}.{field.name}", field.type, each) for field, each in pairs)
        case Union(_, alternatives):
            chosen = alternatives[value[0]]
            if chosen.type is not None:
                yield f"{path}.{chosen.name}", chosen.type, value[1]
        case Logical():
            yield path, type.base, value
        case Ref():
            yield path, type.target, value


def find_mismatch(type: Type, value: Any, tell: Tell = short) -> str | None:
    """The first place where ``value`` does not fit ``type``, as ``Graph.nodes[3].id: found 70000, expected
    u16``; None if it fits."""
    return _mismatch(type, value, describe(type), tell)


def _mismatch(type: Type, value: Any, path: str, tell: Tell) -> str | None:
    match type:
        case Scalar():
            return None if _is_scalar(type, value) else f"{path}: found {tell(value)}, expected {type.name}"
        case FixedBytes(length):
            fits = isinstance(value, bytes) and len(value) == length
            return None if fits else f"{path}: found {tell(value)}, expected {length} bytes"
        case Enum(name, underlying, members):
            if type.open:
                return _mismatch(underlying, value, path, tell)
            known = {v for _, v in members}
            return (
                None
                if _is_int(value) and value in known
                else f"{path}: found {tell(value)}, expected a value of enum {name}: {sorted(known)}"
            )
        case Union() if found := _union_mismatch(type, value, path, tell):
            return found
        case List() | Array() if not isinstance(value, list | tuple):
            return f"{path}: found {tell(value)}, expected {describe(type)}"
        case Array(_, length) if len(value) != length:
            return f"{path}: found {len(value)} items, expected {length}"
        case Map() if not isinstance(value, dict):
            return f"{path}: found {tell(value)}, expected {describe(type)}"
        case Map(key) if odd := [found for k in value if (found := _mismatch(key, k, f"{path} key", tell))]:
            return odd[0]
        case Record(_, fields) if not isinstance(value, tuple) or len(value) != len(fields):
            return f"{path}: found {tell(value)}, expected a tuple of {len(fields)} fields"
        case _ if not isinstance(type, Type):
            return f"{path}: {type!r} is not a type"
    for place, part, each in held(type, value, path, tell):
        if found := _mismatch(part, each, place, tell):
            return found
    return None


def _union_mismatch(type: Union, value: Any, path: str, tell: Tell) -> str | None:
    """The fault of a union's value, apart from that of the alternative's own; None if there is none."""
    if (
        not isinstance(value, tuple)
        or len(value) != 2
        or not _is_int(value[0])
        or not 0 <= value[0] < len(type.alternatives)
    ):
        return (
            f"{path}: found {tell(value)}, expected the index of an alternative of {type.name} "
            f"(0 to {len(type.alternatives) - 1}) and its value"
        )
    chosen = type.alternatives[value[0]]
    if chosen.type is None and value[1] is not None:
        return f"{path}.{chosen.name}: found {tell(value[1])}, expected None"
    return None


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


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


def first_difference(
    type: Type, expected: Any, found: Any, float_absolute: float = 0.0, tell: Tell = short
) -> str | None:
    """The first place where ``found`` differs from ``expected``, both values of ``type``; None if they are
    equal.

    Floats are compared by their bits, so 0.0 and -0.0 differ. With ``float_absolute`` those of other bits are
    compared by value, and may differ by so much.
    """
    return _difference(type, expected, found, describe(type), float_absolute, tell)


def _difference(
    type: Type, expected: Any, found: Any, path: str, float_absolute: float, tell: Tell
) -> str | None:
    match type:
        case Scalar() | Enum() | FixedBytes():
            if _same_scalar(type, expected, found, float_absolute):
                return None
            return f"{path}: found {tell(found)}, expected {tell(expected)}"
        case Optional() if (expected is None) != (found is None):
            return f"{path}: found {tell(found)}, expected {tell(expected)}"
        case List() | Array() if len(expected) != len(found):
            return f"{path}: found {len(found)} items, expected {len(expected)}"
        case Map():
            if expected.keys() != found.keys():
                return f"{path}: found keys {tell(sorted(found))}, expected {tell(sorted(expected))}"
            found = {key: found[key] for key in expected}
        case Union(_, alternatives) if (chosen := alternatives[expected[0]]) is not (
            other := alternatives[found[0]]
        ):
            return f"{path}: found alternative {other.name}, expected {chosen.name}"
        case _ if not isinstance(type, Type):
            raise TypeError(f"{type!r} has no values")
    pairs = zip(held(type, expected, path, tell), held(type, found, path, tell), strict=True)
    for (place, part, one), (*_, other) in pairs:
        if difference := _difference(part, one, other, place, float_absolute, tell):
            return difference
    return None


def steps_of(type: Type, value: Any) -> int:
    """How many steps of recursion the deepest part of a value is inside of."""
    deepest = 0
    for _, part, each in held(type, value, "", lambda key: ""):
        if not isinstance(part, Scalar):
            deepest = max(deepest, steps_of(part, each))
    return deepest + isinstance(type, Ref)


def _same_scalar(type: Scalar | Enum | FixedBytes, expected: Any, found: Any, float_absolute: float) -> bool:
    if isinstance(type, Scalar) and type.is_float:
        if struct.pack("<d", expected) == struct.pack("<d", found):
            return True
        return bool(float_absolute and (expected == found or abs(expected - found) <= float_absolute))
    return bool(expected == found)
