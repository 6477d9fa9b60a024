"""How deep serde_json reads."""

from __future__ import annotations

from serbench.languages.rust.depth import too_deep
from serbench.model import Schema


def fits(schema: Schema, variant: str) -> str | None:
    """Steps are as many as ``codec.toml`` has them."""
    return too_deep(schema, 20, 127)
