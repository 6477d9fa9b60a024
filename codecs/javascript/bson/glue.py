"""Generates conversions for what bson lacks: maps whose keys may hold a NUL, and unsigned 64-bit integers."""

from __future__ import annotations

from serbench.languages.javascript.plain import Form, lacking
from serbench.model import Schema

emit = Form(maps="entries", signed=True).source
_lacking = lacking({"_bsontype": "takes an object with the key _bsontype for one of its own types"})


def fits(schema: Schema, variant: str) -> str | None:
    """Why the library cannot do a schema; None where it can."""
    if any({"$ref", "$id"} <= {each.wire_name for each in record.fields} for record in schema.records):
        return "takes an object with the keys $ref and $id for a DBRef"
    return _lacking(schema, variant)
