"""What borsh cannot do."""

from __future__ import annotations

from serbench.model import List, Record, Ref, Schema, Type
from serbench.model.parts import types_in


def fits(schema: Schema, variant: str) -> str | None:
    if any(isinstance(each, List) and _is_empty(each.item) for each in types_in(schema.root)):
        return "it refuses lists whose items take no bytes"
    return None


def _is_empty(type: Type) -> bool:
    held = type.target if isinstance(type, Ref) else type
    return isinstance(held, Record) and all(_is_empty(field.type) for field in held.fields)
