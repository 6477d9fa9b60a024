"""Tells which schemas msgspec cannot do."""

from __future__ import annotations

from serbench.languages.python.access import renamed_field
from serbench.model import Schema


def fits(schema: Schema, variant: str) -> str | None:
    """Return why the library cannot do a schema: dataclasses cannot have their fields written by other names;
    msgspec's structs can, but not by names that JSON escapes."""
    if variant.endswith("dataclass"):
        return renamed_field(schema)
    for record in schema.records:
        for field in record.fields:
            name = field.wire_name
            if name != field.name and any(letter in '\\"' or letter < " " for letter in name):
                return "its structs have no field whose name has a quote, a backslash or a control character"
    return None
