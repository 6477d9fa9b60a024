"""Values of the type model: whether one fits its type, and where two differ."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
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
        case Logical():
            return _mismatch(type.base, value, path, tell)
        case Ref():
            return _mismatch(type.target, value, path, tell)
        case Enum(name, underlying, members):
            if type.open:
                return _mismatch(underlying, value, path, tell)
            known = {v for _, v in members}
            return (
                None
                if _is_int(value) and value in known
                else f"{path}: found {tell(value)}, expected a value of enum {name}: {sorted(known)}"
            )
        case Union():
            return _union_mismatch(type, value, path, tell)
        case Optional(item):
            return None if value is None else _mismatch(item, value, path, tell)
        case List(item) | Array(item, _):
            if not isinstance(value, list | tuple):
                return f"{path}: found {tell(value)}, expected {describe(type)}"
            if isinstance(type, Array) and len(value) != type.length:
                return f"{path}: found {len(value)} items, expected {type.length}"
            return first(_mismatch(item, each, f"{path}[{n}]", tell) for n, each in enumerate(value))
        case Map(key, item):
            if not isinstance(value, dict):
                return f"{path}: found {tell(value)}, expected {describe(type)}"
            keys = first(_mismatch(key, k, f"{path} key", tell) for k in value)
            return keys or first(_mismatch(item, v, f"{path}[{tell(k)}]", tell) for k, v in value.items())
        case Record(_, fields):
            if not isinstance(value, tuple) or len(value) != len(fields):
                return f"{path}: found {tell(value)}, expected a tuple of {len(fields)} fields"
            return first(
                _mismatch(f.type, v, f"{path}.{f.name}", tell) for f, v in zip(fields, value, strict=True)
            )
    return f"{path}: {type!r} is not a type"


def _union_mismatch(type: Union, value: Any, path: str, tell: Tell) -> str | None:
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
    if chosen.type is None:
        return None if value[1] is None else f"{path}.{chosen.name}: found {tell(value[1])}, expected None"
    return _mismatch(chosen.type, value[1], f"{path}.{chosen.name}", tell)


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def first(found: Iterable[str | None]) -> str | None:
    """The first problem that is not None (or empty); None if there is none."""
    return next((problem for problem in found if problem), None)


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
    return _Comparison(float_absolute, tell).difference(type, expected, found, describe(type))


@dataclass(frozen=True)
class _Comparison:
    float_absolute: float
    tell: Tell

    def difference(self, type: Type, expected: Any, found: Any, path: str) -> str | None:
        tell, of = self.tell, self.difference
        match type:
            case Logical():
                return of(type.base, expected, found, path)
            case Ref():
                return of(type.target, expected, found, path)
            case Scalar() | Enum() | FixedBytes():
                if _same_scalar(type, expected, found, self.float_absolute):
                    return None
                return f"{path}: found {tell(found)}, expected {tell(expected)}"
            case Optional(item):
                if expected is None or found is None:
                    return (
                        None
                        if expected is found
                        else f"{path}: found {tell(found)}, expected {tell(expected)}"
                    )
                return of(item, expected, found, path)
            case List(item) | Array(item, _):
                if len(expected) != len(found):
                    return f"{path}: found {len(found)} items, expected {len(expected)}"
                pairs = enumerate(zip(expected, found, strict=True))
                return first(of(item, e, f, f"{path}[{n}]") for n, (e, f) in pairs)
            case Map(_, item):
                if expected.keys() != found.keys():
                    return f"{path}: found keys {tell(sorted(found))}, expected {tell(sorted(expected))}"
                return first(of(item, v, found[k], f"{path}[{tell(k)}]") for k, v in expected.items())
            case Record(_, fields):
                named = zip(fields, expected, found, strict=True)
                return first(of(x.type, e, f, f"{path}.{x.name}") for x, e, f in named)
            case Union(_, alternatives):
                chosen, other = alternatives[expected[0]], alternatives[found[0]]
                if chosen is not other:
                    return f"{path}: found alternative {other.name}, expected {chosen.name}"
                if chosen.type is None:
                    return None
                return of(chosen.type, expected[1], found[1], f"{path}.{chosen.name}")
        raise TypeError(f"{type!r} has no values")


def steps_of(type: Type, value: Any) -> int:
    """How many steps of recursion the deepest part of a value is inside of."""
    match type:
        case Optional(item):
            return 0 if value is None else steps_of(item, value)
        case List(item) | Array(item, _):
            return max((steps_of(item, each) for each in value), default=0)
        case Map(_, item):
            return max((steps_of(item, each) for each in value.values()), default=0)
        case Record(_, fields):
            return max((steps_of(f.type, each) for f, each in zip(fields, value, strict=True)), default=0)
        case Union(_, alternatives):
            chosen = alternatives[value[0]].type
            return 0 if chosen is None else steps_of(chosen, value[1])
        case Ref():
            return 1 + steps_of(type.target, value)
        case _:
            return 0


def _same_scalar(type: Scalar | Enum | FixedBytes, expected: Any, found: Any, float_absolute: float) -> bool:
    if isinstance(type, Scalar) and type.is_float:
        if struct.pack("<d", expected) == struct.pack("<d", found):
            return True
        return bool(float_absolute and (expected == found or abs(expected - found) <= float_absolute))
    return bool(expected == found)
