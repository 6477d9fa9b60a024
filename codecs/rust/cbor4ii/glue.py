"""How deep cbor4ii reads."""

from __future__ import annotations

from serbench.languages.rust.depth import too_deep
from serbench.model import Schema


def fits(schema: Schema, variant: str) -> str | None:
    """Steps are as many as ``codec.toml`` has them."""
    return too_deep(schema, 40, 256)
