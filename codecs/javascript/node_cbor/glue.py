"""What comes back in another way: maps as objects where all their keys are text; objects without a class."""

from __future__ import annotations

from serbench.languages.javascript.plain import PROTOTYPE, Form, conversions, has_key
from serbench.model import Schema

FORM = Form(maps="either")


def fits(schema: Schema, variant: str) -> str | None:
    """Why the library cannot do a schema; None where it can."""
    if has_key(schema, "constructor"):
        return "asks each object for the name of its constructor, which a field constructor hides"
    if has_key(schema, PROTOTYPE):
        return f"gives an object with the key {PROTOTYPE} as a Map"
    return None


def emit(schema: Schema) -> str:
    """The file ``glue.js`` of a workload."""
    return conversions(schema, FORM)
