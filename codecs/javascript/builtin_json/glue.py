"""What JSON has not: bigints, Map, bytes, infinities, and names of enums."""

from __future__ import annotations

from serbench.languages.javascript.json_form import JSON, why_not_json
from serbench.languages.javascript.plain import conversions
from serbench.model import Schema


def emit(schema: Schema) -> str:
    """The file ``glue.js`` of a workload."""
    return conversions(schema, JSON)


def fits(schema: Schema, variant: str) -> str | None:
    """Why a schema cannot be JSON; None if it can."""
    return why_not_json(schema)
