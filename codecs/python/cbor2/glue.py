"""Dataclasses as dicts, as libcbor has records here."""

from __future__ import annotations

from serbench.languages.python.plain import Style, plain_source
from serbench.model import Schema


def emit(schema: Schema) -> str:
    """The module ``cell.glue`` of a workload."""
    return plain_source(schema, Style(enums="ints", packs_octets=True, is_lone=True))
