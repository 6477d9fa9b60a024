"""Converts values of the type model back to the JSON that they were imported from, in the plainest way, for
tests of imports."""

from __future__ import annotations

from typing import Any

from serbench.model import Enum, List, Logical, Map, Optional, Record, Ref, Schema, Type, Union


def to_json(type: Type, value: Any) -> Any:
    """A value as JSON with written names; absent fields are left out, and the value of a union stands alone,
    without the name of its alternative."""
    match type:
        case Optional(item):
            return None if value is None else to_json(item, value)
        case Ref():
            return to_json(type.target, value)
        case Logical():
            return value
        case Enum():
            return type.wire_name(next(name for name, number in type.members if number == value))
        case Union(_, alternatives):
            chosen = alternatives[value[0]].type
            assert chosen is not None
            return to_json(chosen, value[1])
        case List(item):
            return [to_json(item, each) for each in value]
        case Map(_, item):
            return {str(key): to_json(item, each) for key, each in value.items()}
        case Record(_, fields):
            pairs = (
                (field.wire_name, to_json(field.type, each))
                for field, each in zip(fields, value, strict=True)
            )
            return {name: each for name, each in pairs if each is not None}
        case _:
            return value


def message(schema: Schema, value: Any, wrapped: bool = False) -> Any:
    """A message as JSON; with ``wrapped``, the value of the only field of the record that the import put
    around each message."""
    if wrapped:
        return to_json(schema.root.fields[0].type, value[0])
    return to_json(schema.root, value)


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal, where a member that is null equals one that is missing."""
    if isinstance(one, dict) and isinstance(other, dict):
        one, other = (
            {key: each for key, each in value.items() if each is not None} for value in (one, other)
        )
        return one.keys() == other.keys() and all(same(each, other[key]) for key, each in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other or float(one) == float(other)
    return type(one) is type(other) and bool(one == other)
