"""How many values are inside each other as serde writes messages, for libraries that limit their number."""

from __future__ import annotations

from collections.abc import Iterator

from serbench.model import Array, FixedBytes, List, Map, Record, Schema, Type, Union, bytes_
from serbench.model.nesting import nested as nested_of


def nested(schema: Schema) -> Iterator[int]:
    """Yields the most values inside each other in messages with 0 steps of recursion, with 1, 2 and so on."""
    return nested_of(schema.composites, schema.root, is_around)


def is_around(type: Type) -> bool:
    """Whether a type's values are a level of nesting: bytes are, as lists of numbers; optionals are not."""
    return isinstance(type, Record | Union | List | Array | Map | FixedBytes) or type == bytes_
