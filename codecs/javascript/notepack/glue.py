"""What its library has not: Map, and the keys of one that are no strings."""

from __future__ import annotations

from serbench.languages.javascript.plain import Form, conversions
from serbench.model import Schema

FORM = Form(maps="objects")


def emit(schema: Schema) -> str:
    """The file ``glue.js`` of a workload."""
    return conversions(schema, FORM)
