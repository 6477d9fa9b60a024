"""Generates code between dataclasses and the documents that bson writes and reads."""

from __future__ import annotations

from serbench.languages.python.plain import Style
from serbench.model import Schema

emit = Style(enums="ints", packs_octets=True, wide_ints="own").source


def fits(schema: Schema, variant: str) -> str | None:
    """Return why the library cannot do a schema; None where it can."""
    if any({"$ref", "$id"} <= {each.wire_name for each in record.fields} for record in schema.records):
        return "it takes a document with the keys $ref and $id for a DBRef"
    return None
