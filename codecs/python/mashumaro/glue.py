"""What mashumaro cannot do."""

from __future__ import annotations

from serbench.languages.python.access import renamed_field
from serbench.model import Schema


def fits(schema: Schema, variant: str) -> str | None:
    """Dataclasses have no other names for their fields."""
    return renamed_field(schema)
