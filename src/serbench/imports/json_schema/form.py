"""Knows which keywords hold schemas, and checks of what kind the values of keywords are."""

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
"""Their values are numbers; in draft 4, booleans that say whether the other limit is exclusive."""

LONGEST_NAME = 500
"""The most characters of the name of a member; people's names have a tenth of that."""

Fault = tuple[str, str, str, str]
"""A fault: what was found, what was expected, what to do about it, and in which keyword."""


def inner_schemas(schema: Any) -> Iterator[tuple[str, Any]]:
    """The schemas that a schema directly holds, with the steps to them. It must have passed ``fault_of``."""
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        if keyword in _SCHEMA or (keyword == "items" and not isinstance(value, list)):
            yield keyword, value
        elif keyword in _LISTS or keyword == "items":
            yield from ((f"{keyword}/{n}", each) for n, each in enumerate(value))
        elif keyword in _MAPS:
            yield from ((f"{keyword}/{_escaped(name)}", each) for name, each in value.items())
        elif keyword == "dependencies":
            named = value.items() if isinstance(value, dict) else ()
            yield from (
                (f"{keyword}/{_escaped(name)}", each) for name, each in named if isinstance(each, dict | bool)
            )


def fault_of(schema: Any) -> Fault | None:
    """The fault of a schema, without the schemas inside it; None if it has none."""
    if isinstance(schema, bool):
        return None
    if not isinstance(schema, dict):
        return kind_of(schema), "a schema: an object, true or false", "", ""
    for keyword, value in schema.items():
        if fault := _fault_of(keyword, value):
            return *fault, "", keyword
    return None


def _fault_of(keyword: str, value: Any) -> tuple[str, str] | None:
    """The fault of a keyword: what was found, and what was expected; None if it has none."""
    if keyword in _MAPS and isinstance(value, dict):
        longest = max(map(len, value), default=0)
        return (
            (f"a name of {longest} characters", f"at most {LONGEST_NAME}") if longest > LONGEST_NAME else None
        )
    fits, expected = _FORMS.get(keyword, (lambda value: True, ""))
    if fits(value):
        return None
    return "an unknown type" if keyword == "type" else kind_of(value), expected


def _is_type(value: Any) -> bool:
    types = value if isinstance(value, list) else [value]
    return bool(types) and all(isinstance(each, str) and each in KINDS for each in types)


def _are_names(value: Any) -> bool:
    """Whether a value of ``required`` is allowed: a list of names. A boolean is too, since people still write
    it as in draft 3; it says nothing since then."""
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
