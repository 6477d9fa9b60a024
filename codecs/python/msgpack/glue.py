"""Generates conversions of dataclasses to lists, which C and C++ write for records in MessagePack too."""

from __future__ import annotations

from serbench.languages.python.plain import LISTS
from serbench.model import Schema, f32, f64
from serbench.model.parts import types_in


def emit(schema: Schema) -> str:
    """Return the text of the Python module ``cell.glue`` for a workload."""
    types = types_in(schema.root)
    single = f32 in types and f64 not in types
    told = '"""Whether all floats are of 32 bits: the library writes all of them alike."""'
    return f"{LISTS.source(schema)}\n\nSINGLE = {single}\n{told}\n"
