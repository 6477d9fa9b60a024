"""Generates functions that write and read dataclasses, as one would write them by hand."""

from __future__ import annotations

from serbench.languages.python.canonical import packed_source
from serbench.model import Schema

COUNT = "Q"
"""The letter of ``struct`` for counts."""


def emit(schema: Schema) -> str:
    """Return the text of the Python module ``cell.glue`` for a workload."""
    return packed_source(schema, "how its types lie in the bytes", COUNT)
