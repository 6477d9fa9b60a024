"""Applies the user's settings to columns without parts."""

from __future__ import annotations

import re

from serbench.imports.columns.arrays import Convert, Unfit
from serbench.imports.columns.leaves import MappedType
from serbench.imports.json.keys import UUID
from serbench.imports.json.settings import WantedValues
from serbench.model.types import FixedBytes, Logical, Scalar, Type, i64, string

_UUID = re.compile(UUID)


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
            return MappedType(chosen, _uuids(convert, path))
        if isinstance(type, Logical) and (chosen.kind, chosen.unit, chosen.zoned) == (
            type.kind,
            type.unit,
            type.zoned,
        ):
            return MappedType(type, convert)
    return None


def _uuids(convert: Convert, path: str) -> Convert:
    def run(array: object) -> list[str | None]:
        made = convert(array)
        for each in made:
            if each is not None and not _UUID.fullmatch(each):
                raise Unfit(path, f"a text of {len(each)} characters", "a UUID in lower-case letters")
        return made

    return run
