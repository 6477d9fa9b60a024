"""Says which schemas wincode cannot do."""

from __future__ import annotations

from serbench.model import Array, Optional, Ref, Schema, Type
from serbench.model.parts import parts


def fits(schema: Schema, variant: str) -> str | None:
    if variant == "borrowed" and schema.is_recursive:
        return "its derive asks a type with a lifetime what it is, which never ends where it leads back"
    if any(_is_boxed(part) for each in schema.composites for part in parts(each)):
        return "its derive asks a type in a Box what it is, which never ends where it leads back"
    return None


def _is_boxed(type: Type) -> bool:
    """Whether a type leads back without a list or map between, so that Rust has a ``Box``."""
    return isinstance(type, Ref) or (isinstance(type, Optional | Array) and _is_boxed(type.item))
