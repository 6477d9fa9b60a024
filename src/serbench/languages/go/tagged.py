"""Reasons why codecs that go by the tags of structs' fields cannot do a schema."""

from __future__ import annotations

from serbench.model import Optional, Record, Schema

_MARKS = frozenset("!#$%&()*+-./:;<=>?@[]^_{|}~ ")
"""Characters that a name in a tag may have besides letters and digits."""


def fits(schema: Schema, variant: str) -> str | None:
    """The reason why a codec that goes by tags of structs' fields cannot do a schema; None where it can."""
    for composite in schema.composites:
        for part in composite.fields if isinstance(composite, Record) else composite.alternatives:
            name = part.wire_name
            if not all(letter.isalnum() or letter in _MARKS for letter in name):
                return "its tags have no names with commas, quotes or backslashes"
    for union in schema.unions:
        if any(isinstance(alternative.type, Optional) for alternative in union.alternatives):
            return "it does not tell an alternative that is null from one that is not there"
    return None
