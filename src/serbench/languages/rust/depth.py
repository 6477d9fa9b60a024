"""How deep messages are as serde writes them, for libraries that read so many values inside each other."""

from __future__ import annotations

from collections.abc import Iterator

from serbench.model import Array, FixedBytes, List, Map, Record, Schema, Type, Union, bytes_
from serbench.model.nesting import nested as nested_of


def nested(schema: Schema) -> Iterator[int]:
    """The values inside each other that a message has at most with 0, 1, 2 and so on steps of recursion."""
    return nested_of(schema.composites, schema.root, is_around)


def is_around(type: Type) -> bool:
    """Whether a value is around others. Bytes may be a list of numbers; nothing is around what is present."""
    return isinstance(type, Record | Union | List | Array | Map | FixedBytes) or type == bytes_
