"""Counts the values inside each other in messages, since cbor4ii reads a limited number of them."""

from __future__ import annotations

from collections.abc import Iterator

from serbench.languages.rust.depth import is_around
from serbench.model import Enum, Optional, Schema, Type
from serbench.model.nesting import nested as nested_of


def nested(schema: Schema) -> Iterator[int]:
    """How many values, enums and optionals too, are at most inside each other with 0, 1, 2 … steps back."""
    return nested_of(schema.composites, schema.root, _counts)


def _counts(type: Type) -> bool:
    return is_around(type) or isinstance(type, Optional | Enum)
