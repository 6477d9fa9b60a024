"""Generates glue for Avro's C library: the text of the schema, from which its generic values are made, and
the walk over them.

The conversions between these and the domain objects are no generated code but templates, in
``codecs/cpp/avro_c/convert.hpp``.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from serbench.codegen.steps import of_graph
from serbench.idl import avsc
from serbench.idl.lower import Lowered, lower
from serbench.languages.cpp.domain import cpp_type
from serbench.languages.cpp.glue import GlueHeader, broken
from serbench.model import Array, List, Record, Schema, Type, Walk
from serbench.model.parts import types_in


def emit(schema: Schema) -> str:
    """The text of the file ``glue.hpp`` of a workload."""
    return _Glue(schema).text()


def fits(schema: Schema, variant: str) -> str | None:
    """Why the library cannot do a schema, or None: its arrays cannot have items that take no memory. Items
    whose record was declared before are links to that, which do take memory."""
    has = any(_is_nothing(each.item) for each in types_in(schema.root) if isinstance(each, List | Array))
    if has and _declares_nothing_in_array(json.loads(writer_schema(schema))):
        return "its arrays cannot grow by records without fields that are declared there"
    return None


def _is_nothing(type: Type) -> bool:
    return isinstance(type, Record) and all(_is_nothing(field.type) for field in type.fields)


def _declares_nothing_in_array(declared: Any) -> bool:
    match declared:
        case {"type": "array", "items": {"type": "record", "fields": fields}} if not any(
            map(_has_size, fields)
        ):
            return True
        case dict():
            return any(map(_declares_nothing_in_array, declared.values()))
        case list():
            return any(map(_declares_nothing_in_array, declared))
    return False


def _has_size(field: dict[str, Any]) -> bool:
    match field["type"]:
        case {"type": "record", "fields": fields}:
            return any(map(_has_size, fields))
    return True


def without_maps(schema: Schema) -> Lowered:
    """The schema with arrays of entries instead of maps. They have the same bytes, and the library would cut
    a map's keys at a NUL."""
    return lower(schema, replace(avsc.ABILITIES, maps=False))


def writer_schema(schema: Schema) -> str:
    """The text of the schema by which programs of a workload write."""
    types = without_maps(schema)
    return avsc.emit(Schema(schema.name, types.record(schema.root.name), types.composites))


class _Glue(GlueHeader):
    def __init__(self, schema: Schema):
        self.types = without_maps(schema)
        text = writer_schema(schema)
        declarations = (
            # A string_view would count its characters while compiling, of which GCC allows 262,144.
            f'inline constexpr char schema[] = R"avsc({text})avsc";\n\nusing Native = ValueOf<schema>;'
        )
        super().__init__(
            schema, "the schema of Avro's generic values", ["convert.hpp", "domain.hpp"], declarations
        )

    def functions(self) -> None:
        """Writes constants that tell the templates which types differ in Avro, such as enums as integers."""
        told = []
        for declared, enum in zip(self.types.schema.enums, self.schema.enums, strict=True):
            if declared not in self.types.enums:
                told.append(f"inline constexpr bool is_integer<domain::{enum.name}> = true;")
        for union, lowered in zip(self.schema.unions, self.types.unions, strict=True):
            kinds = [self.types.made.get(getattr(a.type, "name", "")) for a in lowered.alternatives]
            boxed = ", ".join("true" if kind in ("boxed", "optional") else "false" for kind in kinds)
            told.append(f"inline constexpr std::array is_boxed<domain::{union.name}>{{{boxed}}};")
        for record in self.schema.records:
            last = ["true" if avsc.NULL_LAST in field.hints else "false" for field in record.fields]
            if "true" in last:
                told.append(
                    f"inline constexpr std::array null_last<domain::{record.name}>{{{', '.join(last)}}};"
                )
        for line in told:
            self.out("", "template <>", *broken(line))

    def walk_accessors(self, walk: Walk) -> tuple[str, str, str]:
        node, edge = of_graph(self.schema.root, walk)
        nodes, _ = _part("*graph.get()", self.schema.root, walk.nodes)
        edges, _ = _part(f"part({nodes}, node)", node, walk.edges)
        target, type = _part("edge", edge, walk.target)
        return f"size({nodes})", f"items({edges})", f"number_of<{cpp_type(type)}>({target})"


def _part(value: str, record: Record, name: str) -> tuple[str, Type]:
    """The C++ expression for a field of a record, whose expression is ``value``, and the field's type."""
    index, field = next((n, field) for n, field in enumerate(record.fields) if field.name == name)
    return f"part({value}, {index})", field.type
