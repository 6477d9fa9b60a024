"""What the library's generator does not take."""

from __future__ import annotations

from serbench.languages.go import tagged
from serbench.model import Array, Map, Optional, Schema, Type, Union, string
from serbench.model.parts import types_in


def fits(schema: Schema, variant: str) -> str | None:
    """Why the library cannot do a schema; None where it can."""
    types = types_in(schema.root)
    if any(isinstance(type, Map) and type.key != string for type in types):
        return "its generator leaves out maps whose keys are no strings"
    if any(_is_pointer_to_array(type) for type in types):
        return "what it generates for a pointer to an array does not compile"
    return tagged.fits(schema, variant)


def _is_pointer_to_array(type: Type) -> bool:
    held = [type.item] if isinstance(type, Optional) else []
    if isinstance(type, Union):
        held = [each.type for each in type.alternatives if each.type is not None]
    return any(isinstance(each, Array) for each in held)
