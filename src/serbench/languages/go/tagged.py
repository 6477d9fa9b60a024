"""Limits of codecs that go by the tags of fields."""

from __future__ import annotations

from serbench.model import Optional, Record, Schema

_MARKS = frozenset("!#$%&()*+-./:;<=>?@[]^_{|}~ ")
"""Characters that a name in a tag may have besides letters and digits."""


def unsaid(schema: Schema) -> str | None:
    """Why tags cannot say the names that a schema has; None where they can."""
    for composite in schema.composites:
        for part in composite.fields if isinstance(composite, Record) else composite.alternatives:
            name = part.wire_name
            if not all(letter.isalnum() or letter in _MARKS for letter in name):
                return "its tags have no names with commas, quotes or backslashes"
    return None


def unseen(schema: Schema) -> str | None:
    """Why alternatives that are pointers are not all told apart; None where they are."""
    for union in schema.unions:
        if any(isinstance(alternative.type, Optional) for alternative in union.alternatives):
            return "it does not tell an alternative that is null from one that is not there"
    return None


def fits(schema: Schema, variant: str) -> str | None:
    """Why tags cannot say a schema; None where they can."""
    return unsaid(schema) or unseen(schema)
