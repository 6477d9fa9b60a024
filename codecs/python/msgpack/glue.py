"""Dataclasses as lists, as MessagePack for C and C++ has records here."""

from __future__ import annotations

from serbench.languages.python.plain import Style, plain_source
from serbench.model import Schema, f32, f64
from serbench.model.parts import types_in

LISTS = Style(records="lists", enums="numbers", packs_octets=True, unions="indexed", is_lone=True)


def emit(schema: Schema) -> str:
    """The module ``cell.glue`` of a workload."""
    types = types_in(schema.root)
    single = f32 in types and f64 not in types
    told = '"""Whether all floats are of 32 bits: the library writes all of them alike."""'
    return f"{plain_source(schema, LISTS)}\n\nSINGLE = {single}\n{told}\n"
