"""Dataclasses as lists, as MessagePack for C and C++ has records here."""

from __future__ import annotations

from serbench.languages.python.plain import Style, plain_source
from serbench.model import Schema


def emit(schema: Schema) -> str:
    """The module ``cell.glue`` of a workload."""
    style = Style(records="lists", enums="numbers", packs_octets=True, unions="indexed", is_lone=True)
    return plain_source(schema, style)
