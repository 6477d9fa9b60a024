"""Tells which schemas pydantic cannot do."""

from __future__ import annotations

from serbench.languages.python.access import Access
from serbench.model import Schema


def fits(schema: Schema, variant: str) -> str | None:
    """Return why the library cannot do a schema: a name that begins with an underscore is no field."""
    for record in Access(schema, "model").schema.records:
        for part in record.fields:
            if part.name.startswith("_"):
                return f"it takes {part.name} for a private attribute, which is no field of a model"
    return None
