"""What JSON has not: bigints, Map, bytes, infinities, and names of enums."""

from __future__ import annotations

from serbench.languages.javascript.plain import Form, conversions
from serbench.model import Enum, Schema
from serbench.model.parts import types_in

FORM = Form(maps="objects", enums="names", wide="text", floats="text", octets="numbers")


def emit(schema: Schema) -> str:
    """The file ``glue.js`` of a workload."""
    return conversions(schema, FORM)


def fits(schema: Schema, variant: str) -> str | None:
    """Numbers of 64 bits are text, and so are the names of an enum's members."""
    wide = (t for t in types_in(schema.root) if isinstance(t, Enum) and t.open and t.underlying.width == 8)
    for enum in wide:
        if any(enum.wire_name(name).lstrip("-").isdecimal() for name, _ in enum.members):
            return f"of the open enum {enum.name}, names and numbers are text, and a name is a number"
    return None
