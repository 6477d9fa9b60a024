"""Finds unions that are oneofs directly in a message, as in the imported schema of Protocol Buffers.

Such a union is no message of its own: its alternatives are fields of the record that holds it, with names and
numbers among those of the record's other fields.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from serbench.idl.lower import Lowered
from serbench.model import Alternative, Field, Optional, Record, Ref, Schema, Union
from serbench.model.parts import inner_types, types_in
from serbench.model.types import Composite, Type

HINT = ("proto", "oneof")
"""The hint of a field that was a oneof directly in a message; its type is an optional union."""


def union_in(field: Field) -> Union | None:
    """The union of a field that is a oneof in its original schema; None for any other field."""
    if HINT in field.hints and isinstance(field.type, Optional) and isinstance(field.type.item, Union):
        return field.type.item
    return None


def is_in_place(low: Type | None, types: Lowered) -> bool:
    """Whether a type is a union whose oneof lies directly in a record's message: it has no message itself."""
    return isinstance(low, Union) and low.name in types.in_place


def placed_in(field: Field, types: Lowered) -> Union | None:
    """The union that a lowered field holds, if its oneof lies directly in the record's message; else None."""
    held = field.type.item if isinstance(field.type, Optional) else None
    return held if isinstance(held, Union) and is_in_place(held, types) else None


def holder_of(low: Composite, types: Lowered) -> Composite:
    """The type whose message has the parts of ``low``: ``low`` itself, or the record its oneof lies in."""
    return types.record(types.in_place[low.name]) if is_in_place(low, types) else low


def message_parts(low: Composite, types: Lowered) -> list[Field | Alternative]:
    """The fields of a record's or union's message; for a oneof that lies in it, its alternatives."""
    if isinstance(low, Union):
        return [*low.alternatives]
    found: list[Field | Alternative] = []
    for field in low.fields:
        union = placed_in(field, types)
        found += union.alternatives if union else [field]
    return found


def oneofs_in_place(schema: Schema) -> dict[str, str]:
    """The unions that can be oneofs directly in a message: name of the union → name of the record.

    Such a union is used in this record alone, and shares no names or numbers of parts with it.
    """
    inner = [type for each in schema.composites for type in inner_types(each)]
    held = (gone.type for each in schema.composites for gone in each.gone if gone.type is not None)
    inner += (type for outline in held for type in types_in(outline))
    uses = Counter(type.name for type in inner if isinstance(type, Record | Union | Ref))
    found = {}
    for record in schema.records:
        unions = [union for union in map(union_in, record.fields) if union is not None]
        if unions and all(uses[union.name] == 1 for union in unions) and _are_apart(record, unions):
            found.update({union.name: record.name for union in unions})
    return found


def _are_apart(record: Record, unions: list[Union]) -> bool:
    plain = [field for field in record.fields if union_in(field) is None]
    alternatives = [each for union in unions for each in union.alternatives]
    gone = [*record.gone, *(each for union in unions for each in union.gone)]
    known: list[Any] = [*alternatives, *(each for each in gone if each.is_known)]
    numbers = [part.number for part in (*plain, *known)]
    names = [part.name for part in (*record.fields, *known)]
    # Generated code also has these names.
    names += [f"{field.name}_case" for field in record.fields if union_in(field) is not None]
    return len(set(names)) == len(names) and len(set(numbers)) == len(numbers)
