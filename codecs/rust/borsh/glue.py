"""Says which schemas borsh cannot do."""

from __future__ import annotations

from serbench.languages.rust.memory import takes_none
from serbench.model import List, Schema
from serbench.model.parts import types_in


def fits(schema: Schema, variant: str) -> str | None:
    """Why the library cannot do a schema; None where it can."""
    if any(isinstance(each, List) and takes_none(each.item) for each in types_in(schema.root)):
        return "it refuses lists whose items take no memory in Rust"
    return None
