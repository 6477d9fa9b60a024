"""Tells which schemas the library's generator does not take."""

from __future__ import annotations

from serbench.languages.go import tagged
from serbench.model import Array, Map, Optional, Schema, Type, Union, string
from serbench.model.parts import types_in


def fits(schema: Schema, variant: str) -> str | None:
    """Return why the library cannot do a schema; None where it can."""
    types = types_in(schema.root)
    if any(isinstance(type, Map) and type.key != string for type in types):
        return "its generator leaves out maps whose keys are no strings"
    held = [each for type in types for each in _pointed(type)]
    if any(isinstance(each, Array) for each in held):
        return "what it generates for a pointer to an array does not compile"
    if any(isinstance(each, Map) for each in held):
        return "what it generates for a pointer to a map does not compile"
    return tagged.fits(schema, variant)


def _pointed(type: Type) -> list[Type]:
    """Return the types that a type holds by pointers in Go: an optional's item, or a union's alternatives."""
    if isinstance(type, Union):
        return [each.type for each in type.alternatives if each.type is not None]
    return [type.item] if isinstance(type, Optional) else []
