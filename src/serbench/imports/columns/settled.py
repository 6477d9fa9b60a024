"""Applies the user's settings to columns without parts."""

from __future__ import annotations

from serbench.imports.columns import arrays
from serbench.imports.columns.arrays import Convert
from serbench.imports.columns.leaves import MappedType
from serbench.imports.json.settings import WantedValues
from serbench.model.types import FixedBytes, Logical, Scalar, Type, i64, string


def as_wanted(type: Type, convert: Convert, wanted: WantedValues, path: str) -> MappedType | None:
    """The type that the user wants instead of ``type``; None if it cannot be that. Values that do not fit are
    found when they are written."""
    chosen = wanted.type
    if chosen is None or chosen == type:
        return MappedType(type, convert) if chosen == type else None
    if isinstance(chosen, Scalar) and isinstance(type, Scalar):
        if chosen.is_integer and type.is_integer:
            return MappedType(chosen, convert)
        if chosen.is_float and type.is_float:
            losses = ("numbers are rounded to single precision",) if chosen.name == "f32" else ()
            return MappedType(chosen, convert, losses=losses)
    if isinstance(chosen, Logical):
        if chosen.kind == "timestamp" and type == i64:
            return MappedType(chosen, convert)
        if chosen.kind == "uuid" and type == FixedBytes(16):
            return MappedType(Logical("uuid", FixedBytes(16)), convert)
        if chosen.kind == "uuid" and type == string:
            return MappedType(chosen, arrays.uuids(path, convert))
        if isinstance(type, Logical) and (chosen.kind, chosen.unit, chosen.zoned) == (
            type.kind,
            type.unit,
            type.zoned,
        ):
            return MappedType(type, convert)
    return None
