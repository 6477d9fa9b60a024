"""What mashumaro cannot do."""

from __future__ import annotations

from serbench.languages.python.access import renamed_field
from serbench.languages.python.plain import too_deep
from serbench.model import Schema


def fits(schema: Schema, variant: str) -> str | None:
    """Dataclasses have no other names for their fields; steps are as many as ``codec.toml`` has them."""
    return renamed_field(schema) or too_deep(schema, 60, 254, "writes")
