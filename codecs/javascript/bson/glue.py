"""What its library has not: maps whose keys may hold a NUL, and unsigned integers of 64 bits."""

from __future__ import annotations

from serbench.languages.javascript.plain import Form, conversions
from serbench.model import Schema

FORM = Form(maps="entries", signed=True)


def emit(schema: Schema) -> str:
    """The file ``glue.js`` of a workload."""
    return conversions(schema, FORM)
