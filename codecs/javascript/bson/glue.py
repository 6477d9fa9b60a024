"""What its library has not: maps whose keys may hold a NUL, and unsigned integers of 64 bits."""

from __future__ import annotations

from serbench.languages.javascript.plain import Form, conversions, has_key
from serbench.model import Schema

FORM = Form(maps="entries", signed=True)


def emit(schema: Schema) -> str:
    """The file ``glue.js`` of a workload."""
    return conversions(schema, FORM)


def fits(schema: Schema, variant: str) -> str | None:
    """Why the library cannot do a schema; None where it can."""
    if has_key(schema, "_bsontype"):
        return "takes an object with the key _bsontype for one of its own types"
    if any({"$ref", "$id"} <= {each.wire_name for each in record.fields} for record in schema.records):
        return "takes an object with the keys $ref and $id for a DBRef"
    return None
