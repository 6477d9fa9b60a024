"""Tells which schemas gob cannot do: those with values that it leaves out and cannot restore."""

from __future__ import annotations

from serbench.model import Array, List, Map, Optional, Record, Schema, Type, Union
from serbench.model.parts import types_in

_ZERO = "it leaves out what is zero, also behind a pointer, which is nil when it is read"
_NIL = "it writes no list, array or map with an item that is nil"
_EMPTY = "it writes no struct without fields"


def fits(schema: Schema, variant: str) -> str | None:
    """Return why the library cannot do a schema; None where it can."""
    found = set(map(_fault, types_in(schema.root)))
    return next((reason for reason in (_NIL, _ZERO, _EMPTY) if reason in found), None)


def _fault(type: Type) -> str | None:
    match type:
        case Record(_, fields) if not fields:
            return _EMPTY
        case List(Optional()) | Array(Optional(), _) | Map(_, Optional()):
            return _NIL
        case Optional(item) if not isinstance(item, Record | Union):
            return _ZERO
        case Union(_, alternatives) if any(each.type is None for each in alternatives):
            return _EMPTY
        case Union(_, alternatives) if any(not isinstance(a.type, Record | Union) for a in alternatives):
            return _ZERO
        case _:
            return None
