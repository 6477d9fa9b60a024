"""What msgspec cannot do."""

from __future__ import annotations

from serbench.languages.python.access import renamed_field
from serbench.model import Schema


def fits(schema: Schema, variant: str) -> str | None:
    """Dataclasses have no other names for their fields; structs have."""
    return renamed_field(schema) if variant.endswith("dataclass") else None
