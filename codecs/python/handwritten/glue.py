"""Writes and reads dataclasses function by function, as one would by hand."""

from __future__ import annotations

from serbench.languages.python.canonical import packed_source
from serbench.model import Schema

COUNT = "Q"
"""The letter of ``struct`` for the numbers that counts are."""


def emit(schema: Schema) -> str:
    """The module ``cell.glue`` of a workload."""
    return packed_source(schema, "how its types lie in the bytes", COUNT)
