"""Tells which schemas the library cannot do: those with names that tags of Go's fields cannot have."""

from __future__ import annotations

from serbench.codegen.words import words
from serbench.languages.go import tagged
from serbench.model import Record, Schema

_OPTIONS = words("inline minsize omitempty truncate")
"""Words that the library takes for an option wherever they stand in a tag."""


def fits(schema: Schema, variant: str) -> str | None:
    """Return why the library cannot do a schema; None where it can."""
    for composite in schema.composites:
        for part in composite.fields if isinstance(composite, Record) else composite.alternatives:
            if part.wire_name in _OPTIONS:
                return f"its tags have no field called {part.wire_name}"
    return tagged.fits(schema, variant)
