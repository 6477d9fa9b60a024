"""What its library has not: Map, and the keys of one that are no strings."""

from __future__ import annotations

from serbench.languages.javascript.plain import PROTOTYPE, Form, conversions, has_key
from serbench.model import Schema

FORM = Form(maps="objects")


def emit(schema: Schema) -> str:
    """The file ``glue.js`` of a workload."""
    return conversions(schema, FORM)


def fits(schema: Schema, variant: str) -> str | None:
    """Why the library cannot do a schema; None where it can."""
    return (
        f"its decoder takes the value of the key {PROTOTYPE} for the object's prototype"
        if has_key(schema, PROTOTYPE)
        else None
    )
