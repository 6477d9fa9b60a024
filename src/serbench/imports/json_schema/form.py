"""The form of schemas: which keywords hold other schemas, and of what kind the values of keywords have to
be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from serbench.imports.json.values import kind_of

KINDS = ("null", "boolean", "integer", "number", "string", "array", "object")

_SCHEMA = (
    "additionalProperties", "additionalItems", "contains", "contentSchema", "else", "if", "not",
    "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS = ("$defs", "definitions", "dependentSchemas", "patternProperties", "properties")
_TEXTS = ("$anchor", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveRef", "$ref", "format")
_NUMBERS = ("maximum", "minimum", "multipleOf")
_LIMITS = ("exclusiveMaximum", "exclusiveMinimum")
"""Keywords with numbers or, in draft 4, with booleans that say whether the other limit is exclusive."""

LONGEST_NAME = 500
"""The most characters of the name of a member; people's names have a tenth of that."""

Fault = tuple[str, str, str, str]
"""A fault: what was found, what was expected, what to do about it, and in which keyword."""


def inner_schemas(schema: Any) -> Iterator[tuple[str, Any]]:
    """Returns the schemas that a schema without a fault directly holds, each with the step that leads to
    it."""
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        if keyword in _SCHEMA or (keyword == "items" and not isinstance(value, list)):
            yield keyword, value
        elif keyword in _LISTS or keyword == "items":
            yield from ((f"{keyword}/{n}", each) for n, each in enumerate(value))
        elif keyword in _MAPS or (keyword == "dependencies" and isinstance(value, dict)):
            for name, each in value.items():
                if keyword in _MAPS or isinstance(each, dict | bool):
                    yield f"{keyword}/{_escaped(name)}", each


def fault_of(schema: Any) -> Fault | None:
    """Returns the fault of a schema, apart from the schemas inside it; None if it has none."""
    if isinstance(schema, bool):
        return None
    if not isinstance(schema, dict):
        return kind_of(schema), "a schema: an object, true or false", "", ""
    for keyword, value in schema.items():
        fits, expected = _FORMS.get(keyword, (lambda value: True, ""))
        if not fits(value):
            return "an unknown type" if keyword == "type" else kind_of(value), expected, "", keyword
        if keyword in _MAPS and (longest := max(map(len, value), default=0)) > LONGEST_NAME:
            return f"a name of {longest} characters", f"at most {LONGEST_NAME}", "", keyword
    return None


def _is_type(value: Any) -> bool:
    types = value if isinstance(value, list) else [value]
    return bool(types) and all(isinstance(each, str) and each in KINDS for each in types)


def _are_names(value: Any) -> bool:
    """Whether a value of ``required`` is allowed: a list of names, or a boolean, which people still write as
    in draft 3, and which later drafts ignore."""
    return isinstance(value, bool) or (
        isinstance(value, list) and all(isinstance(each, str) and len(each) <= LONGEST_NAME for each in value)
    )


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_FORMS: dict[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(_MAPS, (lambda value: isinstance(value, dict), "an object of schemas")),
    **dict.fromkeys(_LISTS, (lambda value: isinstance(value, list), "a list of schemas")),
    **dict.fromkeys(_TEXTS, (lambda value: isinstance(value, str), "a string")),
    **dict.fromkeys(_NUMBERS, (is_number, "a number")),
    **dict.fromkeys(_LIMITS, (lambda value: isinstance(value, int | float), "a number")),
    "enum": (lambda value: isinstance(value, list), "a list of values"),
    "type": (_is_type, f"one or a list of {', '.join(KINDS)}"),
    "required": (_are_names, "a list of names"),
}
"""Keyword → what tells whether its value has the right form, and what that is."""


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
