"""What reading dataclasses takes, which orjson does not make, as one would write it by hand."""

from __future__ import annotations

from serbench.languages.python.plain import JSON, plain_source
from serbench.model import Schema


def emit(schema: Schema) -> str:
    """The module ``cell.glue`` of a workload."""
    return plain_source(schema, JSON)
