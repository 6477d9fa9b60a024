"""Conversions of what its library lacks: Map, and keys that are no strings."""

from __future__ import annotations

from serbench.languages.javascript.plain import PROTOTYPE, Form, conversions, has_key
from serbench.model import Schema

FORM = Form(maps="objects")


def emit(schema: Schema) -> str:
    """The file ``glue.js`` of a workload."""
    return conversions(schema, FORM)


def fits(schema: Schema, variant: str) -> str | None:
    """Why the library cannot do a schema; None where it can."""
    return f"its decoder refuses the key {PROTOTYPE}" if has_key(schema, PROTOTYPE) else None
