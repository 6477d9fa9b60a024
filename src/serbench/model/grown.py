"""Finds types of the second edition of the type model in schemas, for adapters that know only the first."""

from __future__ import annotations

from serbench.model.parts import types_in
from serbench.model.patterns import parse_pattern
from serbench.model.schema import Schema
from serbench.model.types import Enum, Map, Scalar

EDITION = 2
"""The current edition of the type model; ``codec.toml`` says which edition its adapter knows."""

_NEW = ("union", "recursion", "empty record", "fixed bytes", "open enum", "wide enum")


def beyond_first_edition(schema: Schema) -> str | None:
    """The first kind of type in a schema that the first edition lacks, such as ``union``; None if there is
    none.

    Logical types and written names do not count: an adapter that does not know them sees the base and the
    declared name.
    """
    types = types_in(schema.root)
    for name in _NEW:
        pattern = parse_pattern(name)
        if any(pattern.fits(type) for type in types):
            return name
    for type in types:
        if isinstance(type, Map) and (
            isinstance(type.key, Enum) or (isinstance(type.key, Scalar) and type.key.name == "bool")
        ):
            return f"map whose keys are {'enums' if isinstance(type.key, Enum) else 'bools'}"
    return None
