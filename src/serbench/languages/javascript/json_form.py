"""The form of types in JSON, and the schemas that this form cannot hold."""

from __future__ import annotations

from serbench.languages.javascript.plain import Form
from serbench.model import Enum, Schema
from serbench.model.parts import types_in

JSON = Form(maps="objects", enums="names", wide="text", floats="text", octets="numbers")
"""The form of values that JSON has no way to write: bigints, ``Map``, bytes, infinities, and names of
enums."""


def why_not_json(schema: Schema, variant: str) -> str | None:
    """Return why a schema cannot be JSON in which 64-bit numbers and enums are text; None if it can."""
    wide = (t for t in types_in(schema.root) if isinstance(t, Enum) and t.open and t.underlying.width == 8)
    for enum in wide:
        if any(enum.wire_name(name).lstrip("-").isdecimal() for name, _ in enum.members):
            return f"of the open enum {enum.name}, names and numbers are text, and a name is a number"
    return None
