"""The form of types in JSON, and the schemas that this form cannot hold."""

from __future__ import annotations

from serbench.languages.javascript.plain import Form
from serbench.model import Enum, Schema
from serbench.model.parts import types_in

JSON = Form(maps="objects", enums="names", wide="text", floats="text", octets="numbers")
"""The form of values in JSON: maps are objects, enums their names, bytes lists of numbers; 64-bit integers
and infinities are text."""


def why_not_json(schema: Schema, variant: str) -> str | None:
    """Return why a codec cannot write a schema in the form ``JSON``; None if it can."""
    wide = (t for t in types_in(schema.root) if isinstance(t, Enum) and t.open and t.underlying.width == 8)
    for enum in wide:
        if any(enum.wire_name(name).lstrip("-").isdecimal() for name, _ in enum.members):
            return f"of the open enum {enum.name}, names and numbers are text, and a name is a number"
    return None
