"""Domain objects as they are: records and maps are told apart."""

from __future__ import annotations

from serbench.languages.javascript.plain import Form, conversions
from serbench.model import Schema

FORM = Form()


def emit(schema: Schema) -> str:
    """The file ``glue.js`` of a workload."""
    return conversions(schema, FORM)
