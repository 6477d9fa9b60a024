"""Dataclasses as dicts, as libcbor has records here."""

from __future__ import annotations

from serbench.languages.python.plain import Style, plain_source, too_deep
from serbench.model import Schema


def emit(schema: Schema) -> str:
    """The module ``cell.glue`` of a workload."""
    return plain_source(schema, Style(enums="ints", packs_octets=True, is_lone=True))


def fits(schema: Schema, variant: str) -> str | None:
    """Steps are as many as ``codec.toml`` has them."""
    return too_deep(schema, 90, 400, "reads")
