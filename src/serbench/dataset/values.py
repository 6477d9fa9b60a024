"""Values of the type model: whether one fits its type, and where two differ."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
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


def parts_of(type: Type, value: Any, path: str = "", tell: Tell = short) -> Iterator[tuple[Type, Any, str]]:
    """The values that a value is directly made of, keys of maps left out: the type, value and path of each,
    if ``path`` is that of the value itself."""
    match type:
        case Optional(item) if value is not None:
            yield item, value, path
        case List(item) | Array(item, _):
            for n, each in enumerate(value):
                yield item, each, f"{path}[{n}]"
        case Map(_, item):
            for key, each in value.items():
                yield item, each, f"{path}[{tell(key)}]"
        case Record(_, fields):
            for field, each in zip(fields, value, strict=True):
                yield field.type, each, f"{path}.{field.name}"
        case Union(_, alternatives):
            chosen = alternatives[value[0]]
            if chosen.type is not None:
                yield chosen.type, value[1], f"{path}.{chosen.name}"
        case Ref():
            yield type.target, value, path
        case Logical():
            yield type.base, value, path


def find_mismatch(type: Type, value: Any, tell: Tell = short) -> str | None:
    """The first place where ``value`` does not fit ``type``, as ``Graph.nodes[3].id: found 70000, expected
    u16``; None if it fits."""
    return _mismatch(type, value, describe(type), tell)


def _mismatch(type: Type, value: Any, path: str, tell: Tell) -> str | None:
    if expected := _misshapen(type, value):
        return f"{path}: found {tell(value)}, expected {expected}"
    match type:
        case Array(_, length) if len(value) != length:
            return f"{path}: found {len(value)} items, expected {length}"
        case Union(_, alternatives):
            chosen, held = alternatives[value[0]], value[1]
            if chosen.type is None and held is not None:
                return f"{path}.{chosen.name}: found {tell(held)}, expected None"
        case Map(key, _):
            if found := first(_mismatch(key, k, f"{path} key", tell) for k in value):
                return found
    for part in parts_of(type, value, path, tell):
        if found := _mismatch(*part, tell):
            return found
    return None


def _misshapen(type: Type, value: Any) -> str:
    """The expectation that a value does not meet whatever its parts are; empty where it does."""
    match type:
        case Scalar():
            return "" if _is_scalar(type, value) else type.name
        case FixedBytes(length):
            return "" if isinstance(value, bytes) and len(value) == length else f"{length} bytes"
        case Enum() if type.open:
            return _misshapen(type.underlying, value)
        case Enum(name, _, members):
            known = {v for _, v in members}
            fits = _is_int(value) and value in known
            return "" if fits else f"a value of enum {name}: {sorted(known)}"
        case Union(name, alternatives):
            fits = isinstance(value, tuple) and len(value) == 2 and _is_int(value[0])
            last = len(alternatives) - 1
            expected = f"the index of an alternative of {name} (0 to {last}) and its value"
            return "" if fits and 0 <= value[0] <= last else expected
        case List() | Array():
            return "" if isinstance(value, list | tuple) else describe(type)
        case Map():
            return "" if isinstance(value, dict) else describe(type)
        case Record(_, fields):
            fits = isinstance(value, tuple) and len(value) == len(fields)
            return "" if fits else f"a tuple of {len(fields)} fields"
        case _:
            return ""


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
        tell = self.tell
        match type:
            case Scalar() | Enum() | FixedBytes():
                if not _same_scalar(type, expected, found, self.float_absolute):
                    return f"{path}: found {tell(found)}, expected {tell(expected)}"
            case Optional() if (expected is None) != (found is None):
                return f"{path}: found {tell(found)}, expected {tell(expected)}"
            case List() | Array() if len(expected) != len(found):
                return f"{path}: found {len(found)} items, expected {len(expected)}"
            case Map() if expected.keys() != found.keys():
                return f"{path}: found keys {tell(sorted(found))}, expected {tell(sorted(expected))}"
            case Map():
                found = {key: found[key] for key in expected}
            case Union(_, alternatives) if expected[0] != found[0]:
                chosen, other = alternatives[expected[0]], alternatives[found[0]]
                return f"{path}: found alternative {other.name}, expected {chosen.name}"
        both = zip(parts_of(type, expected, path, tell), parts_of(type, found), strict=True)
        for (part, each, at), (_, other, _) in both:
            if difference := self.difference(part, each, other, at):
                return difference
        return None


def steps_of(type: Type, value: Any) -> int:
    """How many steps of recursion the deepest part of a value is inside of."""
    steps = 0
    for part, each, _ in parts_of(type, value):
        steps = max(steps, steps_of(part, each))
    return steps + 1 if isinstance(type, Ref) else steps


def _same_scalar(type: Scalar | Enum | FixedBytes, expected: Any, found: Any, float_absolute: float) -> bool:
    if isinstance(type, Scalar) and type.is_float:
        if struct.pack("<d", expected) == struct.pack("<d", found):
            return True
        return bool(float_absolute and (expected == found or abs(expected - found) <= float_absolute))
    return bool(expected == found)
