"""What comes back in another way: maps as objects where all their keys are text; objects without a class."""

from __future__ import annotations

from serbench.languages.javascript.plain import Form, conversions
from serbench.model import Schema

FORM = Form(maps="either")


def fits(schema: Schema, variant: str) -> str | None:
    """Why the library cannot do a schema; None where it can."""
    names = [each.wire_name for record in schema.records for each in record.fields]
    names += [each.wire_name for union in schema.unions for each in union.alternatives]
    if "constructor" in names:
        return "asks each object for the name of its constructor, which a field constructor hides"
    return None


def emit(schema: Schema) -> str:
    """The file ``glue.js`` of a workload."""
    return conversions(schema, FORM)
