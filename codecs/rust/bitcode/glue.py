"""Says which schemas bitcode cannot do."""

from __future__ import annotations

from serbench.model import Optional, Schema, bytes_
from serbench.model.parts import reaches_back


def fits(schema: Schema, variant: str) -> str | None:
    """Why the library cannot do a schema; None where it can."""
    if reaches_back(schema.root):
        return "its columns are types inside each other; a type that is part of itself would never end"
    held = (part.type for each in schema.composites for part in each.parts)
    if variant == "borrowed" and any(type in (bytes_, Optional(bytes_)) for type in held):
        return "it borrows texts, and no bytes"
    return None
