"""Glue between domain objects and FlatBuffers: what a user of the library writes around flatc's code."""

from __future__ import annotations

from dataclasses import replace

from serbench.codegen.naming import counterparts
from serbench.idl.fbs import Tables
from serbench.idl.nesting import deepest
from serbench.languages.cpp.domain import cpp_type
from serbench.languages.cpp.glue import GlueHeader, broken, describe_in_snake, is_number, used_before
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
    Slot,
    accessor,
    create_struct,
    extract_member,
    is_packed,
    table_heads,
    traverse_member,
    write_fixed,
)
from .unions import union_heads, write_union
from .vectors import offset, vector


def emit(schema: Schema) -> str:
    """The text of ``glue.hpp``."""
    return _Glue(schema).text()


class _Glue(GlueHeader):
    def __init__(self, schema: Schema):
        includes = ["domain.hpp", f"{as_identifier(schema.name)}_generated.h", "support.hpp"]
        self.tables = Tables(schema)
        root = f"using NativeRoot = fbs::{self.tables.schema.root.name};"
        super().__init__(schema, "between domain objects and FlatBuffers", includes, root)
        self.natives = counterparts(self.schema, self.tables.schema)
        self.written: set[str] = set()
        if levels := deepest(self.tables.lowered):
            self.out("", "template <>", f"inline constexpr int nesting_limit<NativeRoot> = {levels};")

    def functions(self) -> None:
        self.declarations()
        for composite in self.schema.composites:
            if isinstance(composite, Union):
                self.union(composite)
                continue
            lowered = self.tables.lowered.record(self.native(composite))
            for field, native in zip(composite.fields, lowered.fields, strict=True):
                self.made_records(field.type, native.type)
            if self.is_struct(composite):
                self.struct(composite)
            else:
                self.table(composite, lowered)

    def declarations(self) -> None:
        """Of functions that are called before they are written."""
        before = used_before(self.schema)
        self.out(*([""] if before else []))
        for name in before:
            native = self.natives[name]
            if isinstance(native, Union):
                self.out(*("\n".join(broken(f"{head};")) for head in union_heads(name, native.name)))
            else:
                self.out(*(f"{head};" for head in table_heads(native.name, f"domain::{name}", "traverse")))

    def union(self, union: Union) -> None:
        native = self.tables.lowered.union(self.native(union))
        for alternative, low in zip(union.alternatives, native.alternatives, strict=True):
            if alternative.type is not None:
                assert low.type is not None
                self.made_records(alternative.type, low.type)
        write_union(self.out, union, native, set(self.tables.lowered.made))

    def native(self, type: Record | Union | Enum) -> str:
        """The name of the struct, table, union or enum for a domain type."""
        return str(self.natives[type.name].name)

    def is_struct(self, record: Record) -> bool:
        """Whether it is a struct that a domain type is there."""
        return self.tables.is_struct(self.natives[record.name])

    def struct_of(self, type: Type, native: Type) -> str:
        """The struct that a type is in the buffer; empty where it is none."""
        return native.name if isinstance(type, Record | FixedBytes) and self.tables.is_struct(native) else ""  # type: ignore[union-attr]

    walked = "const NativeRoot&"

    @property
    def walked_fields(self) -> Walk | None:
        return self.tables.schema.walk

    def walk_accessors(self, walk: Walk) -> tuple[str, str, str]:
        nodes, edges, target = (accessor(name) for name in (walk.nodes, walk.edges, walk.target))
        return (
            f"or_empty(graph.{nodes}()).size()",
            f"or_empty(graph.{nodes}()->Get(node)->{edges}())",
            f"edge->{target}()",
        )

    # Records that lowering made, before what uses them.

    def made_records(self, type: Type, native: Type) -> None:
        match type, native:
            case Optional(item), Optional(native_item):
                self.made_records(item, native_item)
            case Map(), List(Record() as entry):
                self.entry(type, self.tables.lowered.record(entry.name))
            case ((List(item) | Array(item, _)), List(native_item)):
                self.made_records(item, native_item)
            case FixedBytes(length), Record(name) if self.tables.lowered.made.get(name) == "fixed":
                if self.is_new(name):
                    write_fixed(self.out, name, length)
            case _, Record(name) if name in self.tables.lowered.made:
                self.holder(resolved(type), self.tables.lowered.record(name))

    def is_new(self, function: str) -> bool:
        """Whether a function is not written yet; types that differ in how they lead back may share it."""
        new = function not in self.written
        self.written.add(function)
        return new

    def holder(self, type: Type, record: Record) -> None:
        """A table that holds what cannot be an item of a list, or an alternative, itself."""
        inner, domain = record.fields[0], cpp_type(type, "domain::")
        self.made_records(type, inner.type)
        if not self.is_new(f"{domain} {record.name}"):
            return
        slot = Slot(inner.name, type, resolved(inner.type), "value", f"view.{accessor(inner.name)}()")
        build, extract, traverse = table_heads(record.name, domain, f"traverse_{describe_in_snake(type)}")
        with self.function(f"{build} {{"):
            self.create_table(record.name, [slot])
        with self.function(f"{extract} {{"):
            self.extract(slot)
        if self.is_new(traverse):
            with self.sum_function(traverse.removeprefix("inline Checksum ")):
                self.traverse(slot)

    def entry(self, type: Map, record: Record) -> None:
        key, value = record.fields
        self.made_records(type.value, value.type)
        out, domain = self.out, cpp_type(type, "domain::")
        if not self.is_new(f"{domain} {record.name}"):
            return
        slots = [
            Slot("key", type.key, key.type, "entry.first", "view.key()", required=True),
            Slot("value", resolved(type.value), resolved(value.type), "entry.second", "view.value()"),
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
            if isinstance(type.key, Enum):
                made = f"enum_cast<domain::{type.key.name}>({made})"
            out(f"auto& value = map.try_emplace(map.end(), {made})->second;")
            slot = replace(slots[1], domain="value")
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
        with self.function(
            f"inline void extract(const fbs::{native.name}& view, domain::{record.name}& value) {{"
        ):
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
        build, extract, _ = table_heads(name, domain, "traverse")
        if not slots:
            self.out(
                "",
                f"{build.replace('& value', '&')} {{ return fbs::Create{name}(builder); }}",
                f"{extract.replace('& view', '&').replace('& value', '&')} {{}}",
                f"inline Checksum traverse(const fbs::{name}&) {{ return 0; }}",
            )
            return
        with self.function(f"{build} {{"):
            self.create_table(name, slots)
        with self.function(f"{extract} {{"):
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
        name, value = slot.name, f"*{slot.domain}" if slot.is_pointer else slot.domain

        def make_offset(expression: str) -> None:
            self.out(*broken(f"const auto {name}_offset = {expression};"))

        match slot.type:
            case Scalar(_, struct_format) if struct_format:
                return value
            case Enum():
                return f"static_cast<fbs::{self.native(slot.type)}>({value})"
            case Optional(Scalar(_, struct_format)) if struct_format:
                return value
            case Optional(Enum() as item):
                return f"optional_enum<fbs::{self.native(item)}>({value})"
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
                none = f"fbs::{slot.item_native.name}::NONE"  # type: ignore[union-attr]
                return f"{value} ? union_type(*{value}) : {none}, {name}_offset"
            case Record():
                make_offset(f"build({value}, builder)")
            case Array(item, _):
                make_offset(vector(value, slot.type, slot.native, self.tables))
            case Optional(item):
                made = offset(f"*{value}", resolved(item), slot.item_native, self.tables)
                make_offset(f"{value} ? {made} : 0")
            case _ if slot.required:
                make_offset(offset(value, slot.type, slot.native, self.tables))
            case _:
                made = offset(value, slot.type, slot.native, self.tables)
                make_offset(f"{value}.empty() ? 0 : {made}")
        return f"{name}_offset"

    def extract(self, slot: Slot) -> None:
        """Statements that overwrite the domain value of a table's field."""
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
                out(f"extract(*{view}, {value});")
            case Optional(Scalar(_, struct_format)) if struct_format:
                out(f"{value} = {view};")
            case Optional(item):
                item, native = resolved(item), slot.item_native
                with out.block(
                    f"if (const auto{'' if isinstance(item, Enum) else '*'} found = {view}) {{", "} else {"
                ):
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
        item, native = resolved(type.item), resolved(slot.native.item)
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
            case FixedBytes():
                out(f"sum += traverse_{describe_in_snake(slot.type)}(*{view});")
            case Union():
                out(f"sum += traverse_union(view.{slot.name}_type(), {view});")
            case Optional(item):
                item, native = resolved(item), slot.item_native
                with out.block(f"if (const auto{'' if is_number(item) else '*'} found = {view}) {{"):
                    out("sum += 1;")
                    self.traverse(Slot(slot.name, item, native, "", "*found" if is_number(item) else "found"))
            case List() | Array() | Map():
                self.traverse_items(slot)

    def traverse_items(self, slot: Slot) -> None:
        out, type, view = self.out, slot.type, slot.view
        assert isinstance(slot.native, List)
        item = resolved(type.item) if isinstance(type, List | Array) else type
        native = resolved(slot.native.item)
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
    view, is_pointer = f"view.{accessor(low.name)}()", isinstance(field.type, Ref)
    return Slot(
        low.name, resolved(field.type), resolved(low.type), f"value.{field.name}", view, is_pointer=is_pointer
    )
