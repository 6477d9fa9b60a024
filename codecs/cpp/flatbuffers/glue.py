"""Generates glue between domain objects and FlatBuffers: code that users write around flatc's own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from serbench.codegen.steps import is_number
from serbench.idl.fbs import Tables, lowered
from serbench.languages.cpp.composites import Heads
from serbench.languages.cpp.glue import broken, describe_in_snake
from serbench.languages.cpp.views import FieldSlot, ViewGlue
from serbench.model import (
    Array,
    Enum,
    Field,
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
    Walk,
    bool_,
    bytes_,
    string,
)
from serbench.model.names import as_identifier
from serbench.model.parts import resolved

from .structs import (
    accessor,
    extract_array,
    is_packed,
    lacks_some,
    member_value,
    there,
    write_fixed,
)
from .unions import union_heads, write_union
from .vectors import offset, vector


def emit(schema: Schema) -> str:
    """The text of the file ``glue.hpp`` of a workload."""
    return _Glue(schema).text()


class _Glue(ViewGlue):
    """Generator of the functions.

    Attributes:
        seen: the namespace of the types through which messages are seen. Where programs read a part of a
            message, it has those of the whole one, whose verifier looks at everything; that of the part
            passes over deprecated fields, as those which the part has not are.
    """

    walked = "const NativeRoot&"

    def __init__(self, schema: Schema):
        self.tables = Tables(schema)
        self.seen = "whole" if schema.whole else "fbs"
        types, header = self.tables.lowered, f"{as_identifier(schema.name)}_generated.h"
        whole = lowered(schema.whole) if schema.whole else None
        root = f"{self.seen}::{(whole or types).schema.root.name}"
        super().__init__(types, "FlatBuffers", header, root, whole)

    def heads(self, domain: str, native: str, traverse: str = "traverse") -> Heads:
        made, given = f"flatbuffers::Offset<fbs::{native}>", f"const {domain}& value, Builder& builder"
        if self.tables.is_struct(self.types.record(native)):
            made, given = f"fbs::{native}", f"const {domain}& value"
        return (
            f"inline {made} build({given})",
            f"inline void extract(const {self.seen}::{native}& view, {domain}& value)",
            f"inline Checksum {traverse}(const {self.seen}::{native}& view)",
        )

    def declared(self, name: str) -> Iterable[str]:
        native = self.natives[name]
        if isinstance(native, Union):
            return ["\n".join(broken(f"{head};")) for head in union_heads(name, native.name, self.seen)]
        return super().declared(name)

    def view(self, low: Record, field: Field) -> tuple[str, str]:
        return field.name, f"view.{accessor(field.name)}()"

    def slot(self, low: Record, field: Field, type: Type, domain: str) -> FieldSlot:
        return replace(super().slot(low, field, type, domain), is_member=self.tables.is_struct(low))

    def ordered(self, low: Record) -> Sequence[Field]:
        is_struct = self.tables.is_struct(low)
        return self.tables.declared(low).fields if is_struct else self.tables.table_fields(low)

    def built_empty(self, low: Record) -> str:
        return f" return fbs::Create{low.name}(builder); "

    def build_record(self, low: Record, slots: Sequence[FieldSlot]) -> None:
        if self.tables.is_struct(low):
            self.out(*broken(f"return fbs::{low.name}({', '.join(map(member_value, slots))});"))
        else:
            self.create_table(low.name, slots)

    def key(self, slot: FieldSlot) -> str:
        if isinstance(slot.type, Enum):
            return f"enum_cast<domain::{slot.type.name}>({slot.view})"
        return f"{slot.view}->str()" if slot.type == string else slot.view

    def union(self, union: Union, low: Union) -> None:
        self.made_records(union.alternatives, low.alternatives)
        write_union(self.out, union, low, self.seen, set(self.types.made))

    def made_record(self, type: Type, low: Type) -> None:
        match type, low:
            case FixedBytes(length), Record(name) if self.types.made.get(name) == "fixed":
                if self.is_new(name):
                    write_fixed(self.out, name, length, self.seen)
            case _:
                super().made_record(type, low)

    def struct_of(self, type: Type, native: Any) -> str:
        """The name of the struct that stands for a type in the buffer; empty where no struct does."""
        is_struct = isinstance(type, Record | FixedBytes) and self.tables.is_struct(native)
        return str(native.name) if is_struct else ""

    def walk_accessors(self, walk: Walk) -> tuple[str, str, str]:
        nodes, edges, target = (accessor(name) for name in (walk.nodes, walk.edges, walk.target))
        return (
            f"or_empty(graph.{nodes}()).size()",
            f"or_empty(graph.{nodes}()->Get(node)->{edges}())",
            f"edge->{target}()",
        )

    def create_table(self, name: str, slots: Sequence[FieldSlot]) -> None:
        out = self.out
        arguments = [self.argument(slot) for slot in slots]
        floats = [s.domain for s in slots if isinstance(s.type, Scalar) and s.type.is_float]
        call = f"fbs::Create{name}({', '.join(['builder', *arguments])})"
        if not floats:
            out(*broken(f"return {call};"))
            return
        out(*broken(f"builder.ForceDefaults({' || '.join(f'is_negative_zero({each})' for each in floats)});"))
        out(*broken(f"const auto table = {call};"))
        out("builder.ForceDefaults(false);", "return table;")

    def argument(self, slot: FieldSlot) -> str:
        """The argument for a field in a call of flatc's ``Create``; writes the statements that it needs."""
        name, value = slot.name, f"*{slot.domain}" if slot.is_pointer else slot.domain

        def make_offset(expression: str) -> None:
            self.out(*broken(f"const auto {name}_offset = {expression};"))

        match slot.type:
            case Scalar(_, struct_format) if struct_format:
                return value
            case Enum():
                return f"static_cast<fbs::{self.natives[slot.type.name].name}>({value})"
            case Optional(Scalar(_, struct_format)) if struct_format:
                return value
            case Optional(Enum() as item):
                return f"optional_enum<fbs::{self.natives[item.name].name}>({value})"
            case Record() | FixedBytes() if self.struct_of(slot.type, slot.native):
                self.out(f"const auto {name}_struct = build({value});")
                return f"&{name}_struct"
            case Optional(item) if struct := self.struct_of(item, slot.item_native):
                self.out(*broken(f"const auto {name}_struct = {value} ? build(*{value}) : fbs::{struct}();"))
                return f"{value} ? &{name}_struct : nullptr"
            case Union():
                make_offset(f"build_union({value}, builder)")
                return f"union_type({value}), {name}_offset"
            case Optional(item) if isinstance(resolved(item), Union):
                make_offset(f"{value} ? build_union(*{value}, builder) : 0")
                none = f"fbs::{slot.item_native.name}::NONE"
                return f"{value} ? union_type(*{value}) : {none}, {name}_offset"
            case Record():
                make_offset(f"build({value}, builder)")
            case Array(item, _):
                make_offset(vector(value, slot.type, slot.native, self.tables))
            case Optional(item):
                made = offset(f"*{value}", resolved(item), slot.item_native, self.tables)
                make_offset(f"{value} ? {made} : 0")
            case _ if slot.is_key:
                make_offset(offset(value, slot.type, slot.native, self.tables))
            case _:
                made = offset(value, slot.type, slot.native, self.tables)
                make_offset(f"{value}.empty() ? 0 : {made}")
        return f"{name}_offset"

    def extract(self, slot: FieldSlot) -> None:
        """Writes statements that overwrite the domain value of a field."""
        out, value, view = self.out, f"present({slot.domain})" if slot.is_pointer else slot.domain, slot.view
        match slot.type:
            case Union():
                out(f"extract_union(view.{slot.name}_type(), {view}, {value});")
            case Scalar() if slot.type in (string, bytes_):
                out(f"assign({view}, {value});")
            case Scalar():
                out(f"{value} = {view};")
            case Enum(name):
                out(f"{value} = enum_cast<domain::{name}>({view});")
            case Record() | FixedBytes():
                out(f"extract({there(slot)}, {value});")
            case Optional(Scalar(_, struct_format)) if struct_format:
                out(f"{value} = {view};")
            case Optional(item):
                item = resolved(item)
                found = f"auto{'' if isinstance(item, Enum) else '*'} found"
                with out.either(f"if (const {found} = {view}) {{", f"{value}.reset();"):
                    if isinstance(item, Enum):
                        out(f"{value} = enum_cast<domain::{item.name}>(*found);")
                    else:
                        out(f"auto& made = present({value});")
                        self.extract(slot.of_item("made", "found"))
            case Array() if slot.is_member:
                extract_array(out, slot)
            case List() | Array() | Map():
                self.extract_items(slot)

    def extract_items(self, slot: FieldSlot) -> None:
        out, type, value, view = self.out, slot.type, slot.domain, slot.view
        if isinstance(type, Map):
            out(f"{value}.clear();")
            with out.block(f"if (const auto* entries = {view}) {{"):
                out(f"for (const auto* entry : *entries) extract_entry(*entry, {value});")
            return
        item, native = resolved(type.item), resolved(slot.native.item)
        blocks = isinstance(item, Scalar) and item not in (string, bytes_)
        packed = isinstance(item, Record) and self.tables.is_struct(native) and is_packed(item)
        packed = packed and not (self.seen == "whole" and lacks_some(item))
        if isinstance(type, List) and (blocks or packed):
            out(f"assign({view}, {value});")
            return
        match item, native:
            case Scalar(), _ if blocks:
                line = f"{value}[i] = items->Get(i){' != 0' if item == bool_ else ''};"
            case Scalar(), Scalar():
                line = f"assign(items->Get(i), {value}[i]);"
            case Enum(name), _:
                line = f"{value}[i] = enum_cast<domain::{name}>(items->Get(i));"
            case _ if isinstance(type, Array) and isinstance(type.item, Ref):
                line = f"extract(*items->Get(i), present({value}[i]));"
            case _:
                line = f"extract(*items->Get(i), {value}[i]);"
        with out.block("{"):
            out(f"const auto* items = {view};")
            if isinstance(type, Array):
                out(f"require_length(items, {type.length});")
            else:
                out(f"{value}.resize(flatbuffers::VectorLength(items));")
            with out.block(f"for (flatbuffers::uoffset_t i = 0; i < {value}.size(); ++i) {{"):
                out(line)

    def traverse(self, slot: FieldSlot) -> None:
        """Writes statements that add a field to the sum."""
        out, view = self.out, slot.view
        match slot.type:
            case Scalar() if slot.type in (string, bytes_):
                out(f"sum += traverse({view});")
            case Scalar() | Enum():
                out(f"sum += checksum_of({view});")
            case Record():
                out(f"sum += traverse({there(slot)});")
            case FixedBytes():
                out(f"sum += traverse_{describe_in_snake(slot.type)}({there(slot)});")
            case Union():
                out(f"sum += traverse_union(view.{slot.name}_type(), {view});")
            case Optional(item):
                item = resolved(item)
                with out.block(f"if (const auto{'' if is_number(item) else '*'} found = {view}) {{"):
                    out("sum += 1;")
                    self.traverse(slot.of_item("", "*found" if is_number(item) else "found"))
            case Array() if slot.is_member:
                found = f"{view}->Get(i)"
                sum = f"traverse(*{found})" if isinstance(slot.type.item, Record) else f"checksum_of({found})"
                loop = f"for (flatbuffers::uoffset_t i = 0; i < {slot.type.length}; ++i)"
                out(f"{loop} sum += {sum};")
            case List() | Array() | Map():
                self.traverse_items(slot)

    def traverse_items(self, slot: FieldSlot) -> None:
        out, type, view = self.out, slot.type, slot.view
        item = resolved(type.item) if isinstance(type, List | Array) else type
        native = resolved(slot.native.item)
        if is_number(item):
            out(f"sum += {'traverse_numbers' if isinstance(type, Array) else 'traverse'}({view});")
            return
        if isinstance(native, Record) and native.name in self.types.made:
            each = f"traverse_{describe_in_snake(item)}(*item)"
        else:
            each = "traverse(item)" if item == string else "traverse(*item)"
        with out.block(f"if (const auto* items = {view}) {{"):
            if not isinstance(type, Array):
                out("sum += items->size();")
            out(f"for (const auto* item : *items) sum += {each};")
