"""Domain objects as they are; classes are given back to what is read."""

from __future__ import annotations

from serbench.languages.javascript.plain import Form, conversions
from serbench.model import Schema

# Arrays with holes are written item by item with its index, even where none is missing.
FORM = Form(unions="tagged", wide_are_exact=True, packed=True)


def emit(schema: Schema) -> str:
    """The file ``glue.js`` of a workload."""
    return conversions(schema, FORM)
