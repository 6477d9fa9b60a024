"""What JSON has not: bigints, Map, bytes, infinities, and names of enums."""

from __future__ import annotations

from serbench.languages.javascript.plain import Form, conversions
from serbench.model import Schema

FORM = Form(maps="objects", enums="names", wide="text", floats="text", octets="numbers")


def emit(schema: Schema) -> str:
    """The file ``glue.js`` of a workload."""
    return conversions(schema, FORM)
