"""Glue between domain objects and FlatBuffers: what a user of the library writes around flatc's code."""

from __future__ import annotations

from serbench.codegen.naming import counterparts
from serbench.idl.fbs import Tables
from serbench.languages.cpp.domain import cpp_type
from serbench.languages.cpp.glue import Glue, broken, describe_in_snake, is_number
from serbench.model import Array, Enum, Field, List, Map, Optional, Record, Scalar, Schema, Type, Walk, bool_, bytes_, string
from serbench.model.names import as_identifier
from serbench.model.types import describe

from .structs import (
    Slot,
    accessor,
    create_struct,
    extract_member,
    is_packed,
    traverse_member,
)


def emit(schema: Schema) -> str:
    """The text of ``glue.hpp``."""
    return _Glue(schema).text()


class _Glue(Glue):
    def __init__(self, schema: Schema):
        includes = ["domain.hpp", f"{as_identifier(schema.name)}_generated.h", "support.hpp"]
        self.tables = Tables(schema)
        root = f"using NativeRoot = fbs::{self.tables.schema.root.name};"
        super().__init__(schema, "between domain objects and FlatBuffers", includes, root)
        self.natives = counterparts(self.schema, self.tables.schema)
        self.written: set[tuple[str, Type]] = set()

    def functions(self) -> None:
        for record in self.schema.records:
            lowered = self.tables.lowered.record(self.native(record))
            for field, native in zip(record.fields, lowered.fields, strict=True):
                self.made_records(field.type, native.type)
            if self.is_struct(record):
                self.struct(record)
            else:
                self.table(record, lowered)

    def native(self, type: Record | Enum) -> str:
        """The name of the struct, table or enum for a domain type."""
        return self.natives[type.name].name

    def is_struct(self, record: Record) -> bool:
        """Whether it is a struct that a domain type is there."""
        return self.tables.is_struct(self.natives[record.name])

    walked = "const NativeRoot&"

    @property
    def walked_fields(self) -> Walk | None:
        return self.tables.schema.walk

    def walk_accessors(self, walk: Walk) -> tuple[str, str, str]:
        nodes, edges, target = (accessor(name) for name in (walk.nodes, walk.edges, walk.target))
        return f"or_empty(graph.{nodes}()).size()", f"or_empty(graph.{nodes}()->Get(node)->{edges}())", f"edge->{target}()"

    # Records that lowering made, before what uses them.

    def made_records(self, type: Type, native: Type) -> None:
        match type, native:
            case Optional(item), Optional(native_item):
                self.made_records(item, native_item)
            case Map(), List(Record() as entry):
                self.entry(type, self.tables.lowered.record(entry.name))
            case ((List(item) | Array(item, _)), List(native_item)):
                self.made_records(item, native_item)
            case ((List() | Array() | Map() | Optional() | Scalar()), Record(name)) if name in self.tables.lowered.made:
                self.holder(type, self.tables.lowered.record(name))

    def is_new(self, kind: str, type: Type) -> bool:
        new = (kind, type) not in self.written
        self.written.add((kind, type))
        return new

    def holder(self, type: Type, record: Record) -> None:
        """A table that holds a list, an optional or bytes as the item of a list."""
        inner = record.fields[0]
        self.made_records(type, inner.type)
        if not self.is_new("holder", type):
            return
        slot = Slot(inner.name, type, inner.type, "value", f"view.{accessor(inner.name)}()")
        domain = cpp_type(type, "domain::")
        head = f"inline flatbuffers::Offset<fbs::{record.name}> build(const {domain}& value, Builder& builder) {{"
        with self.function(head):
            self.create_table(record.name, [slot])
        with self.function(f"inline void extract(const fbs::{record.name}& view, {domain}& value) {{"):
            self.extract(slot)
        with self.sum_function(f"traverse_{describe_in_snake(type)}(const fbs::{record.name}& view)"):
            self.traverse(slot)

    def entry(self, type: Map, record: Record) -> None:
        key, value = record.fields
        self.made_records(type.value, value.type)
        if not self.is_new("entry", type):
            return
        out, domain = self.out, cpp_type(type, "domain::")
        slots = [
            Slot("key", type.key, key.type, "entry.first", "view.key()", required=True),
            Slot("value", type.value, value.type, "entry.second", "view.value()"),
        ]
        if self.tables.is_struct(record):
            with self.function(f"inline fbs::{record.name} build(const {domain}::value_type& entry) {{"):
                create_struct(self.out, record.name, slots)
        else:
            head = f"build(const {domain}::value_type& entry, Builder& builder) {{"
            with self.function(f"inline flatbuffers::Offset<fbs::{record.name}> {head}"):
                self.create_table(record.name, slots)
        with self.function(f"inline void extract_entry(const fbs::{record.name}& view, {domain}& map) {{"):
            made = "view.key()->str()" if type.key == string else "view.key()"
            out(f"auto& value = map.try_emplace(map.end(), {made})->second;")
            slot = Slot("value", type.value, value.type, "value", "view.value()")
            extract_member(self.out, slot) if self.tables.is_struct(record) else self.extract(slot)
        with self.sum_function(f"traverse_{describe_in_snake(type)}(const fbs::{record.name}& view)"):
            for slot in slots:
                traverse_member(self.out, slot) if self.tables.is_struct(record) else self.traverse(slot)

    # Structs: fixed size, by value.

    def struct(self, record: Record) -> None:
        native = self.natives[record.name]
        assert isinstance(native, Record)
        slots = [_slot(field, low) for field, low in zip(record.fields, native.fields, strict=True)]
        with self.function(f"inline fbs::{native.name} build(const domain::{record.name}& value) {{"):
            create_struct(self.out, native.name, slots)
        with self.function(f"inline void extract(const fbs::{native.name}& view, domain::{record.name}& value) {{"):
            for slot in slots:
                extract_member(self.out, slot)
        with self.sum_function(f"traverse(const fbs::{native.name}& view)"):
            for slot in slots:
                traverse_member(self.out, slot)

    # Tables.

    def table(self, record: Record, lowered: Record) -> None:
        name, domain = lowered.name, f"domain::{record.name}"
        fields = {low.name: field for low, field in zip(lowered.fields, record.fields, strict=True)}
        slots = [_slot(fields[low.name], low) for low in self.tables.table_fields(lowered)]
        with self.function(f"inline flatbuffers::Offset<fbs::{name}> build(const {domain}& value, Builder& builder) {{"):
            self.create_table(name, slots)
        with self.function(f"inline void extract(const fbs::{name}& view, {domain}& value) {{"):
            for slot in slots:
                self.extract(slot)
        with self.sum_function(f"traverse(const fbs::{name}& view)"):
            for slot in slots:
                self.traverse(slot)

    def create_table(self, name: str, slots: list[Slot]) -> None:
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

    def argument(self, slot: Slot) -> str:
        """What the table's Create function is given for a field; writes the statements that make it."""
        name, value = slot.name, slot.domain
        match slot.type:
            case Scalar(_, struct_format) if struct_format:
                return value
            case Enum():
                return f"static_cast<fbs::{self.native(slot.type)}>({value})"
            case Optional(Scalar(_, struct_format)) if struct_format:
                return value
            case Optional(Enum() as item):
                return f"optional_enum<fbs::{self.native(item)}>({value})"
            case Record() if self.is_struct(slot.type):
                self.out(f"const auto {name}_struct = build({value});")
                return f"&{name}_struct"
            case Optional(Record() as item) if self.is_struct(item):
                self.out(*broken(f"const auto {name}_struct = {value} ? build(*{value}) : fbs::{self.native(item)}();"))
                return f"{value} ? &{name}_struct : nullptr"
            case Record():
                self.out(*broken(f"const auto {name}_offset = build({value}, builder);"))
            case Array(item, _):
                self.out(*broken(f"const auto {name}_offset = {self.vector(value, slot.type, slot.native)};"))
            case Optional(item):
                native = slot.native.item if isinstance(slot.native, Optional) else slot.native
                self.out(*broken(f"const auto {name}_offset = {value} ? {self.offset(f'*{value}', item, native)} : 0;"))
            case _ if slot.required:
                self.out(*broken(f"const auto {name}_offset = {self.offset(value, slot.type, slot.native)};"))
            case _:
                self.out(
                    *broken(f"const auto {name}_offset = {value}.empty() ? 0 : {self.offset(value, slot.type, slot.native)};")
                )
        return f"{name}_offset"

    def offset(self, value: str, type: Type, native: Type) -> str:
        match type:
            case Scalar():
                return f"builder.CreateString({value})" if type == string else f"builder.CreateBytes({value})"
            case Record():
                return f"build({value}, builder)"
            case _:
                return self.vector(f"({value})" if value.startswith("*") else value, type, native)

    def vector(self, value: str, type: Type, native: Type) -> str:
        """The vector of a list, array or map."""
        assert isinstance(native, List)
        data = f"{value}.data(), {value}.size()"
        item = type.item if isinstance(type, List | Array) else type
        match item, native.item:
            case Scalar(), Record(name):  # bytes in a table of their own
                return self.vector_of_tables(name, value)
            case Scalar(), _ if item == string:
                return f"builder.CreateVectorOfStrings({value}.begin(), {value}.end())"
            case Scalar(), _ if item == bool_:
                as_bytes = f"builder.CreateVectorScalarCast<std::uint8_t>({data})"
                return as_bytes if isinstance(type, Array) else f"builder.CreateVector({value})"
            case Scalar(), _:
                return f"builder.CreateVector({data})"
            case Enum(), Enum(name):
                return f"builder.CreateVectorOfEnums<fbs::{name}>({value})"
            case Record(), Record(name) if is_packed(item) and self.tables.is_struct(native.item):
                return f"builder.CreateVectorOfPackedStructs<fbs::{name}>({value})"
            case _, Record(name) if self.tables.is_struct(native.item):
                return f"builder.CreateVectorOfStructsFrom<fbs::{name}>({value}, [](const auto& item) {{ return build(item); }})"
            case _, Record(name):
                return self.vector_of_tables(name, value)
            case _:
                raise TypeError(f"{describe(type)} has no FlatBuffers vector")

    def vector_of_tables(self, name: str, value: str) -> str:
        return f"builder.CreateVectorOfTables<fbs::{name}>({value}, [&](const auto& item) {{ return build(item, builder); }})"

    def extract(self, slot: Slot) -> None:
        """Statements that overwrite the domain value of a table's field."""
        out, value, view = self.out, slot.domain, slot.view
        match slot.type:
            case Scalar() if slot.type in (string, bytes_):
                out(f"assign({view}, {value});")
            case Scalar():
                out(f"{value} = {view};")
            case Enum(name):
                out(f"{value} = enum_cast<domain::{name}>({view});")
            case Record():
                out(f"extract(*{view}, {value});")
            case Optional(Scalar(_, struct_format)) if struct_format:
                out(f"{value} = {view};")
            case Optional(item):
                native = slot.native.item if isinstance(slot.native, Optional) else slot.native
                with out.block(f"if (const auto{'' if isinstance(item, Enum) else '*'} found = {view}) {{", "} else {"):
                    if isinstance(item, Enum):
                        out(f"{value} = enum_cast<domain::{item.name}>(*found);")
                    else:
                        out(f"auto& made = present({value});")
                        self.extract(Slot(slot.name, item, native, "made", "found"))
                with out.indented():
                    out(f"{value}.reset();")
                out("}")
            case List() | Array() | Map():
                self.extract_items(slot)

    def extract_items(self, slot: Slot) -> None:
        out, type, value, view = self.out, slot.type, slot.domain, slot.view
        assert isinstance(slot.native, List)
        if isinstance(type, Map):
            out(f"{value}.clear();")
            with out.block(f"if (const auto* entries = {view}) {{"):
                out(f"for (const auto* entry : *entries) extract_entry(*entry, {value});")
            return
        assert isinstance(type, List | Array)
        item, native = type.item, slot.native.item
        blocks = isinstance(item, Scalar) and item not in (string, bytes_)
        packed = isinstance(item, Record) and self.tables.is_struct(native) and is_packed(item)
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

    def traverse(self, slot: Slot) -> None:
        """Statements that add a table's field to the sum."""
        out, view = self.out, slot.view
        match slot.type:
            case Scalar() if slot.type in (string, bytes_):
                out(f"sum += traverse({view});")
            case Scalar() | Enum():
                out(f"sum += checksum_of({view});")
            case Record():
                out(f"sum += traverse(*{view});")
            case Optional(item):
                native = slot.native.item if isinstance(slot.native, Optional) else slot.native
                with out.block(f"if (const auto{'' if is_number(item) else '*'} found = {view}) {{"):
                    out("sum += 1;")
                    self.traverse(Slot(slot.name, item, native, "", "*found" if is_number(item) else "found"))
            case List() | Array() | Map():
                self.traverse_items(slot)

    def traverse_items(self, slot: Slot) -> None:
        out, type, view = self.out, slot.type, slot.view
        assert isinstance(slot.native, List)
        item = type.item if isinstance(type, List | Array) else type
        native = slot.native.item
        if is_number(item):
            out(f"sum += {'traverse_numbers' if isinstance(type, Array) else 'traverse'}({view});")
            return
        if isinstance(native, Record) and native.name in self.tables.lowered.made:
            each = f"traverse_{describe_in_snake(item)}(*item)"
        else:
            each = "traverse(item)" if item == string else "traverse(*item)"
        with out.block(f"if (const auto* items = {view}) {{"):
            if not isinstance(type, Array):
                out("sum += items->size();")
            out(f"for (const auto* item : *items) sum += {each};")


def _slot(field: Field, low: Field) -> Slot:
    """A field of the domain's ``value`` and of the ``view``."""
    return Slot(low.name, field.type, low.type, f"value.{field.name}", f"view.{accessor(low.name)}()")
