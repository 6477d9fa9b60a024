"""Says how many values inside each other cbor4ii reads."""

from __future__ import annotations

from collections.abc import Iterator

from serbench.languages.rust.depth import is_around
from serbench.model import Enum, Optional, Schema, Type
from serbench.model.nesting import nested as nested_of


def nested(schema: Schema) -> Iterator[int]:
    """The most values inside each other as the library counts them, with enums and optionals."""
    return nested_of(schema.composites, schema.root, _counts)


def _counts(type: Type) -> bool:
    return is_around(type) or isinstance(type, Optional | Enum)
