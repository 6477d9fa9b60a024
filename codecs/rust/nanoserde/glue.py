"""Says which schemas nanoserde cannot do."""

from __future__ import annotations

from serbench.model import Schema


def fits(schema: Schema, variant: str) -> str | None:
    """Why the library cannot do a schema; None where it can."""
    numbers = (number for enum in schema.enums if not enum.open for _, number in enum.members)
    if any(number < 0 for number in numbers):
        return "its derive understands no negative number of an enum"
    return None
