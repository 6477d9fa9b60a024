"""Oneofs that stand in a message directly, as in the Protocol Buffers schema that they came from.

Such a union is no message of its own: its alternatives are fields of the record that holds it, with names and
numbers among those of the record's other fields.
"""

from __future__ import annotations

from collections import Counter

from serbench.model import Field, Optional, Record, Ref, Schema, Union
from serbench.model.parts import inner_types

HINT = ("proto", "oneof")
"""The hint of a field that was such a oneof; its type is an optional union."""


def union_in(field: Field) -> Union | None:
    """The union of a field that was a oneof in the schema that it came from; None for any other field."""
    if HINT in field.hints and isinstance(field.type, Optional) and isinstance(field.type.item, Union):
        return field.type.item
    return None


def oneofs_in_place(schema: Schema) -> dict[str, str]:
    """The unions that can stand directly in a record: name of the union → name of the record.

    Such a union is used in this record alone, and no two names or numbers of their parts are the same.
    """
    inner = (type for each in schema.composites for type in inner_types(each))
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
    numbers = [part.number for part in (*plain, *alternatives)]
    names = [part.name for part in (*record.fields, *alternatives)]
    # Generated code also has these names.
    names += [f"{field.name}_case" for field in record.fields if union_in(field) is not None]
    return len(set(names)) == len(names) and len(set(numbers)) == len(numbers)
