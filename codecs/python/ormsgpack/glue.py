"""Dataclasses as lists, as MessagePack for C and C++ has records here."""

from __future__ import annotations

from serbench.languages.python.plain import Style, plain_source, too_deep
from serbench.model import Schema


def emit(schema: Schema) -> str:
    """The module ``cell.glue`` of a workload."""
    style = Style(records="lists", enums="numbers", packs_octets=True, unions="indexed", is_lone=True)
    return plain_source(schema, style)


def fits(schema: Schema, variant: str) -> str | None:
    """Steps are as many as ``codec.toml`` has them."""
    return too_deep(schema, 100 if variant == "dataclass" else 50, 254, "writes")
