"""Says which schemas speedy cannot do."""

from __future__ import annotations

from serbench.languages.rust.memory import takes_none
from serbench.model import Array, List, Record, Schema, Type, Union
from serbench.model.parts import parts, types_in


def fits(schema: Schema, variant: str) -> str | None:
    """Why the library cannot do a schema; None where it can."""
    numbers = (number for enum in schema.enums if not enum.open for _, number in enum.members)
    if any(not 0 <= number <= 0xFFFF_FFFF for number in numbers):
        return "its derive writes the numbers that an enum has in Rust as u32"
    lists = (type for type in types_in(schema.root) if isinstance(type, List))
    if any(takes_none(each.item) and _has_union(each.item) for each in lists):
        return "it reads no item of a list whose items take no memory, although it writes their alternatives"
    return None


def _has_union(type: Type) -> bool:
    return isinstance(type, Union) or (isinstance(type, Record | Array) and any(map(_has_union, parts(type))))
