"""Places in an expected value at which a reader may have any value, and the value that stands for nothing."""

from __future__ import annotations

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
    Scalar,
    Type,
    Union,
)
from serbench.model.parts import resolved


class _Free:
    """The class of ``FREE``, which prints as its name."""

    def __repr__(self) -> str:
        return "FREE"


FREE: Any = _Free()
"""Stands in an expected value for a part of which a reader may make any value of its type."""


def is_free(value: Any) -> bool:
    """Whether FREE stands anywhere in an expected value."""
    held = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return value is FREE or any(map(is_free, held))


def settled(type: Type, expected: Any, found: Any, empties: bool = False) -> Any:
    """The expected value with what was found at each place that is FREE, so that the rest can be compared.

    Args:
        empties: whether a place also counts as free where what was found is empty, or a field's default.
    """
    if expected is FREE or (empties and found == empty_of(type)):
        return found
    if expected is None or found is None:
        return found if empties and found == _empty_inside(type) else expected
    match resolved(type):
        case Optional(item):
            return settled(item, expected, found, empties)
        case List(item) | Array(item, _) if len(expected) == len(found):
            return [settled(item, one, other, empties) for one, other in zip(expected, found, strict=True)]
        case Map(_, item) if expected.keys() == found.keys():
            return {key: settled(item, each, found[key], empties) for key, each in expected.items()}
        case Record(_, fields):
            return tuple(
                other if empties and other == field.default else settled(field.type, one, other, empties)
                for field, one, other in zip(fields, expected, found, strict=True)
            )
        case Union(_, alternatives) if expected[0] == found[0] and alternatives[expected[0]].type is not None:
            return (found[0], settled(alternatives[found[0]].type, expected[1], found[1], empties))
    return expected


def common(type: Type, one: Any, other: Any) -> Any:
    """The parts that two values of a type have in common, with FREE at each place where they differ."""
    if one is None or other is None or other is FREE:
        return one if one is other else FREE
    match resolved(type):
        case Optional(item):
            return common(item, one, other)
        case List(item) | Array(item, _) if len(one) == len(other):
            return [common(item, *both) for both in zip(one, other, strict=True)]
        case Map(_, item) if one.keys() == other.keys():
            return {key: common(item, each, other[key]) for key, each in one.items()}
        case Record(_, fields):
            return tuple(common(f.type, *both) for f, *both in zip(fields, one, other, strict=True))
        case Union(_, alternatives) if one[0] == other[0] and alternatives[one[0]].type is not None:
            return (one[0], common(alternatives[one[0]].type, one[1], other[1]))
    return one if one == other else FREE


def _empty_inside(type: Type) -> Any:
    """The empty value of a type, or of the item of an optional."""
    inner = resolved(type)
    return empty_of(inner.item if isinstance(inner, Optional) else inner)


def filled(type: Type, value: Any) -> Any:
    """The value with the empty value of its type at each place that is FREE."""
    if value is FREE:
        return empty_of(type)
    match resolved(type):
        case Optional(item):
            return None if value is None else filled(item, value)
        case List(item) | Array(item, _):
            return [filled(item, each) for each in value]
        case Map(_, item):
            return {key: filled(item, each) for key, each in value.items()}
        case Record(_, fields):
            return tuple(filled(f.type, each) for f, each in zip(fields, value, strict=True))
        case Union(_, alternatives):
            held = alternatives[value[0]].type
            return (value[0], None if held is None else filled(held, value[1]))
        case _:
            return value


def empty_of(type: Type) -> Any:
    """The empty value of a type: zero, empty, absent, an enum's member 0 or else its first, a union's first
    alternative whose empty value ends."""
    return _empty(type, ())


class _Endless(Exception):
    """Raised where the empty value of a type would have to hold itself."""


def _empty(type: Any, within: tuple[str, ...]) -> Any:
    match resolved(type):
        case Scalar(name) as scalar:
            plain = {"bool": False, "string": "", "bytes": b""}
            return plain.get(name, 0.0 if scalar.is_float else 0)
        case FixedBytes(length):
            return bytes(length)
        case Logical(_, base):
            return _empty(base, within)
        case Enum(_, _, members):
            numbers = [number for _, number in members]
            return 0 if 0 in numbers else numbers[0]
        case List():
            return []
        case Map():
            return {}
        case Optional():
            return None
        case Array(item, length):
            return [_empty(item, within)] * length
        case Record(name, fields):
            _refuse_endless(name, within)
            return tuple(_empty(f.type, (*within, name)) for f in fields)
        case Union(name, alternatives):
            _refuse_endless(name, within)
            for n, each in enumerate(alternatives):
                try:
                    return (n, None if each.type is None else _empty(each.type, (*within, name)))
                except _Endless:
                    continue
            raise _Endless
    raise TypeError(f"{type!r} has no empty value")


def _refuse_endless(name: str, within: tuple[str, ...]) -> None:
    if name in within:
        raise _Endless
