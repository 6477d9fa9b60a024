"""Recognises JSON data. A JSON Schema is JSON too, but is imported as another format."""

from __future__ import annotations

import re
from typing import Any

import orjson

from serbench.imports.packed import unpacked_head

_TYPES = {"null", "boolean", "integer", "number", "string", "array", "object"}
_KEYWORDS = {
    "$schema", "$id", "id", "$ref", "$defs", "$comment", "$anchor", "$vocabulary", "definitions", "title",
    "description", "default", "examples", "type", "enum", "const", "properties", "required",
    "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties",
    "dependencies", "items", "prefixItems", "additionalItems", "contains", "minItems", "maxItems",
    "uniqueItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format",
    "pattern", "minLength", "maxLength", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
    "unevaluatedProperties", "dependentRequired", "dependentSchemas", "deprecated", "readOnly", "writeOnly",
}  # fmt: skip
"""The keywords of JSON Schema, draft 4 to 2020-12."""

_TEXTS = ("$schema", "$id", "id", "title", "description", "format", "pattern")

_BEGINS_AS_SCHEMA = re.compile(
    rb'\s*\{[^{}\[\]]*"(\$schema"\s*:\s*"[^"]*json-schema\.org|\$defs"\s*:\s*\{|definitions"\s*:\s*\{)'
)
_BEGINS_AS_PROPERTIES = re.compile(rb'\s*\{[^{}\[\]]*"type"\s*:\s*"object"[^{}\[\]]*"properties"\s*:\s*\{')
_TEXT = rb'"(?:[^"\\]|\\.)*"'
_OBJECT = rb"\{\s*(" + _TEXT + rb"\s*:|\}\s*(\n|$))"
_OBJECTS = re.compile(_OBJECT)
_LISTS = re.compile(
    rb"(\[\s*)+(" + _OBJECT + rb"|(-?\d+(\.\d+)?([eE][-+]?\d+)?|" + _TEXT + rb"|null|true|false)\s*,)"
)
_BEGINS_AS_JSON = re.compile(rb'\s*[\[{"\-0-9tfn]')


def recognises(head: bytes) -> bool:
    """Whether a file with these first bytes, which may be packed, is JSON or JSON lines and not a JSON
    Schema."""
    text = unpacked_head(head)
    return bool(_BEGINS_AS_JSON.match(text)) and not is_schema(text)


def beginning(head: bytes) -> str:
    """Tells the user why a file of any ending is JSON: that its first bytes, which may be packed, begin with
    the sign of an object or a list. Empty for a JSON Schema, and for what may be something else, such as
    lines of a log that begin with [INFO]."""
    text = unpacked_head(head).lstrip()
    if is_schema(text) or not (_OBJECTS.match(text) or _LISTS.match(text) or _is_list(text)):
        return ""
    return f"begins with {text[:1].decode()}"


def _is_list(text: bytes) -> bool:
    """Whether a whole text is a list, or its first line is."""
    try:
        return isinstance(orjson.loads(text.partition(b"\n")[0]), list)
    except orjson.JSONDecodeError:
        return False


def is_schema(text: bytes) -> bool:
    """Whether a file whose text begins with ``text`` is a JSON Schema.

    A schema has a ``$schema`` of json-schema.org, or is an object in the form of a schema: with no other
    members than keywords, and with a valid ``type``, a ``$ref``, or ``properties`` or ``$defs`` that are
    schemas. A ``$schema`` of another site says nothing, since data may name their schema so.
    """
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:  # cut off, or in lines
        return bool(_BEGINS_AS_SCHEMA.match(text) or _BEGINS_AS_PROPERTIES.match(text))
    return _is_schema(value)


def _is_schema(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if "json-schema.org" in str(value.get("$schema", "")):
        return True
    inner = (value.get(key) for key in ("properties", "$defs", "definitions"))
    of_schemas = (isinstance(each, dict) and each and all(map(_has_form, each.values())) for each in inner)
    return any(of_schemas) or _has_form(value)


def _has_form(value: Any) -> bool:
    """Whether a value is a bool, or an object of keywords of JSON Schema alone that tells the type of
    something."""
    if isinstance(value, bool):
        return True
    if not isinstance(value, dict) or not value.keys() <= _KEYWORDS:
        return False
    if not all(isinstance(value.get(key, ""), str) for key in _TEXTS):
        return False
    if isinstance(value.get("$ref"), str) or any(
        isinstance(value.get(key), list) for key in ("allOf", "anyOf", "oneOf", "enum")
    ):
        return True
    types = value.get("type")
    return bool(types) and all(
        isinstance(each, str) and each in _TYPES for each in (types if isinstance(types, list) else [types])
    )
