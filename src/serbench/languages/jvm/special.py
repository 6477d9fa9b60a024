"""Finds what libraries for Scala do not derive, by themselves, in the form that other languages write."""

from __future__ import annotations

from serbench.languages.jvm.domain import domain_types
from serbench.model import Enum, Map, Schema
from serbench.model.parts import types_in


def special_enums(schema: Schema) -> list[Enum]:
    """The enums whose values may be numbers without a name, or whose members have written names; with their
    names in Scala."""
    pairs = zip(schema.enums, domain_types(schema).enums, strict=True)
    return [enum for declared, enum in pairs if declared.open or declared.wire]


def enum_keys(types: Schema) -> list[Enum]:
    """The enums that are keys of maps."""
    keys = {type.key for type in types_in(types.root) if isinstance(type, Map)}
    return [enum for enum in types.enums if enum in keys]
