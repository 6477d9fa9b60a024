"""What msgspec cannot do."""

from __future__ import annotations

from serbench.languages.python.access import Access
from serbench.model import Schema


def fits(schema: Schema, variant: str) -> str | None:
    """Dataclasses have no other names for their fields."""
    if variant.endswith("dataclass"):
        access = Access(schema)
        for record in access.schema.records:
            for part in record.fields:
                if (written := access.written(record.name, part.name)) != part.name:
                    return (
                        f"it writes a field of a dataclass by its name in Python, which is {part.name} for "
                        f"{written}"
                    )
    return None
