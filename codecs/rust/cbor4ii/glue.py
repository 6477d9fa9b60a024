"""How deep cbor4ii reads."""

from __future__ import annotations

from collections.abc import Iterator

from serbench.languages.rust.depth import is_around
from serbench.model import Enum, Optional, Schema, Type
from serbench.model.nesting import nested as nested_of


def nested(schema: Schema) -> Iterator[int]:
    """The values inside each other as its Deserializer counts them: what is present and an enum count too."""
    return nested_of(schema.composites, schema.root, _counts)


def _counts(type: Type) -> bool:
    return is_around(type) or isinstance(type, Optional | Enum)
