"""Generates the conversions that any JSON needs, and the JSON Schema by which the library writes JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from serbench.codegen.source import Source
from serbench.languages.javascript.json_form import JSON, why_not_json
from serbench.languages.javascript.names import INHERITED, WIDTH, property_name, text
from serbench.model import (
    Array,
    Enum,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Schema,
    Type,
    Union,
)
from serbench.model.parts import types_in


def emit(schema: Schema) -> str:
    """The file ``glue.js`` of a workload."""
    out = Source()
    out("")
    _write(out, "export const schema = ", _root(schema.plain()), ";")
    return replace(JSON, floats="numbers").source(schema) + out.text()


def fits(schema: Schema, variant: str) -> str | None:
    """Why the library, or JSON, cannot do a schema; None if it can. The library takes a property that is not
    undefined for present, so names that every object inherits cannot be those of alternatives."""
    for union in (each for each in types_in(schema.root) if isinstance(each, Union)):
        if inherited := [each.wire_name for each in union.alternatives if each.wire_name in INHERITED]:
            return f"takes {inherited[0]}, which every object inherits, for the alternative of {union.name}"
    return why_not_json(schema, variant)


def _root(schema: Schema) -> dict[str, Any]:
    """The JSON Schema of the root, which holds those of all other records and unions."""
    root = schema.root
    others = {each.name: _object(each, root) for each in schema.composites if each.name != root.name}
    return {**({"definitions": others} if others else {}), **_object(root, root)}


def _object(composite: Record | Union, root: Record) -> dict[str, Any]:
    """The JSON Schema of a record or union, both objects: a union's value has one of the properties. An
    optional field may be lacking, as it is in messages of a schema without it that a relay writes again."""
    if isinstance(composite, Union):
        held = {
            each.wire_name: {"type": "null"} if each.type is None else _of(each.type, root)
            for each in composite.alternatives
        }
        return {"type": "object", "properties": held}
    fields = {each.wire_name: _of(each.type, root) for each in composite.fields}
    needed = [each.wire_name for each in composite.fields if not isinstance(each.type, Optional)]
    return {"type": "object", "properties": fields, **({"required": needed} if needed else {})}


def _of(type: Type, root: Record) -> dict[str, Any]:
    match type:
        case Scalar("bool"):
            return {"type": "boolean"}
        case Scalar("i64" | "u64" | "string"):
            return {"type": "string"}
        case Scalar("bytes") | FixedBytes():
            return {"type": "array", "items": {"type": "integer"}}
        case Scalar():
            return {"type": "number" if type.is_float else "integer"}
        case Enum():
            has_numbers = type.open and type.underlying.width < 8
            return {"type": ["string", "integer"] if has_numbers else "string"}
        case Record(name) | Union(name) | Ref(name):
            return {"$ref": "#" if name == root.name else f"#/definitions/{name}"}
        case List(item) | Array(item, _):
            return {"type": "array", "items": _of(item, root)}
        case Map(_, value):
            return {"type": "object", "additionalProperties": _of(value, root)}
        case Optional(item):
            return {**_of(item, root), "nullable": True}
    raise TypeError(f"no JSON Schema for {type}")


def _write(out: Source, head: str, value: Any, end: str) -> None:
    """Writes ``value`` in JavaScript between ``head`` and ``end``; if too long, with a line for each part."""
    line = f"{head}{_literal(value)}{end}"
    if out.margin + len(line) <= WIDTH or not isinstance(value, dict | list):
        out(line)
    elif isinstance(value, dict):
        with out.block(f"{head}{{", f"}}{end}"):
            for name, each in value.items():
                _write(out, f"{property_name(name)}: ", each, ",")
    else:
        with out.block(f"{head}[", f"]{end}"):
            for each in value:
                _write(out, "", each, ",")


def _literal(value: Any) -> str:
    match value:
        case dict():
            held = ", ".join(f"{property_name(name)}: {_literal(each)}" for name, each in value.items())
            return f"{{ {held} }}" if held else "{}"
        case list():
            return f"[{', '.join(map(_literal, value))}]"
        case bool():
            return "true" if value else "false"
        case _:
            return text(value)
