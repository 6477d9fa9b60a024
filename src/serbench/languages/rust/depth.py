"""How deep messages are as serde writes them, for libraries that read so many values inside each other."""

from __future__ import annotations

from serbench.model import Array, FixedBytes, List, Map, Record, Schema, Type, Union, bytes_
from serbench.model.nesting import levels


def too_deep(schema: Schema, steps: int, most: int) -> str | None:
    """Why a library that reads ``most`` values inside each other cannot do a schema, where recursion takes no
    more than ``steps`` steps; None if it can."""
    found = levels(schema.composites, steps, _is_around)[schema.root.name]
    if found <= most:
        return None
    return (
        f"its from_slice reads at most {most} values inside each other; "
        f"there are {found} after {steps} steps of recursion"
    )


def _is_around(type: Type) -> bool:
    """Whether a value is around others. Bytes may be a list of numbers; nothing is around what is present."""
    return isinstance(type, Record | Union | List | Array | Map | FixedBytes) or type == bytes_
