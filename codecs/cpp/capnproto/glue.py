"""Glue between domain objects and Cap'n Proto: what a user of the library writes around capnp's code."""

from __future__ import annotations

from dataclasses import dataclass

from serbench.codegen.naming import counterparts
from serbench.idl.capnp import NAMESPACE, field_name, is_group, lowered, members
from serbench.languages.cpp.domain import cpp_type
from serbench.languages.cpp.glue import Glue, describe_in_snake, is_number
from serbench.model import Array, Enum, Field, List, Map, Optional, Record, Scalar, Schema, Type, Walk, bool_, bytes_, string
from serbench.model.names import as_identifier, capitalised


@dataclass(frozen=True)
class Slot:
    """One field on both sides.

    Attributes:
        accessor: what follows get, set, init and has.
        type: in the type model.
        native: the lowered type.
        domain: the C++ expression of the domain value.
    """

    accessor: str
    type: Type
    native: Type
    domain: str

    @property
    def view(self) -> str:
        return f"view.get{self.accessor}()"

    def of_item(self, domain: str) -> Slot:
        """The same for the value of an optional."""
        assert isinstance(self.type, Optional) and isinstance(self.native, Optional)
        return Slot(self.accessor, self.type.item, self.native.item, domain)


def emit(schema: Schema) -> str:
    """The text of ``glue.hpp``."""
    return _Glue(schema).text()


class _Glue(Glue):
    def __init__(self, schema: Schema):
        includes = ["domain.hpp", f"{as_identifier(schema.name)}.capnp.h", "support.hpp"]
        self.lowered = lowered(schema)
        root = f"using NativeRoot = {NAMESPACE}::{self.lowered.schema.root.name};"
        super().__init__(schema, "between domain objects and Cap'n Proto", includes, root)
        self.natives = counterparts(self.schema, self.lowered.schema)
        self.written: set[Type] = set()

    def functions(self) -> None:
        for record in self.schema.records:
            native = self.lowered.record(self.natives[record.name].name)
            for field, native_field in zip(record.fields, native.fields, strict=True):
                self.made_structs(field.type, native_field.type)
            fields = {low.name: field for low, field in zip(native.fields, record.fields, strict=True)}
            own = [(m.field, fields[m.field.name]) for m in members(native)]
            slots = [self.slot(native, low, field.type, f"value.{field.name}") for low, field in own]
            self.struct(native.name, f"domain::{record.name}", "traverse", slots)

    walked = "NativeRoot::Reader"

    @property
    def walked_fields(self) -> Walk | None:
        return self.lowered.schema.walk

    def walk_accessors(self, walk: Walk) -> tuple[str, str, str]:
        nodes, edges, target = (capitalised(name) for name in (walk.nodes, walk.edges, walk.target))
        return f"graph.get{nodes}().size()", f"graph.get{nodes}()[node].get{edges}()", f"edge.get{target}()"

    def slot(self, record: Record, field: Field, type: Type, domain: str) -> Slot:
        name = field_name(record, field)
        return Slot(capitalised(name), type, field.type, domain)

    def struct(self, name: str, domain: str, traverse: str, slots: list[Slot]) -> None:
        native = f"capnp_types::{name}"
        with self.function(f"inline void build(const {domain}& value, {native}::Builder native) {{"):
            for slot in slots:
                self.build(slot)
        with self.function(f"inline void extract({native}::Reader view, {domain}& value) {{"):
            for slot in slots:
                self.extract(slot)
        self.traversal(native, traverse, slots)

    def traversal(self, native: str, name: str, slots: list[Slot]) -> None:
        with self.sum_function(f"{name}({native}::Reader view)"):
            for slot in slots:
                self.traverse(slot)

    # Structs that lowering made, before what uses them.

    def made_structs(self, type: Type, native: Type) -> None:
        match type, native:
            case Optional(), Record(name):
                record = self.lowered.record(name)
                inner = record.fields[0]
                assert isinstance(type, Optional) and isinstance(inner.type, Optional)
                self.made_structs(type.item, inner.type.item)
                if self.is_new(type):
                    slot = self.slot(record, inner, type, "value")
                    self.struct(name, cpp_type(type, "domain::"), f"traverse_{describe_in_snake(type)}", [slot])
            case Optional(item), Optional(native_item):
                self.made_structs(item, native_item)
            case Map(), List(Record(name)):
                self.entry(type, self.lowered.record(name))
            case ((List(item) | Array(item, _)), List(native_item)):
                self.made_structs(item, native_item)

    def is_new(self, type: Type) -> bool:
        new = type not in self.written
        self.written.add(type)
        return new

    def entry(self, type: Map, record: Record) -> None:
        key, value = record.fields
        self.made_structs(type.value, value.type)
        if not self.is_new(type):
            return
        out, domain, native = self.out, cpp_type(type, "domain::"), f"capnp_types::{record.name}"
        slots = [self.slot(record, key, type.key, "entry.first"), self.slot(record, value, type.value, "entry.second")]
        with self.function(f"inline void build(const {domain}::value_type& entry, {native}::Builder native) {{"):
            for slot in slots:
                self.build(slot)
        with self.function(f"inline void extract_entry({native}::Reader view, {domain}& map) {{"):
            if type.key == string:
                out("const auto key = view.getKey();")
                out("auto& value = map.try_emplace(map.end(), std::string(key.begin(), key.size()))->second;")
            else:
                out("auto& value = map.try_emplace(map.end(), view.getKey())->second;")
            self.extract(self.slot(record, value, type.value, "value"))
        self.traversal(native, f"traverse_{describe_in_snake(type)}", slots)

    # Building.

    def build(self, slot: Slot) -> None:
        out, value, name = self.out, slot.domain, slot.accessor
        match slot.type:
            case Optional() if is_group(slot.native):
                inner = slot.of_item(f"*{value}")
                out(f"if ({value}) native.get{name}().setSome({self.simple(inner.domain, inner.type, inner.native)});")
            case Optional():
                with out.block(f"if ({value}) {{"):
                    out(f"const auto& some = *{value};")
                    self.build(slot.of_item("some"))
            case Record():
                out(f"build({value}, native.init{name}());")
            case List(item) | Array(item, _) if is_number(item) and not isinstance(item, Enum) and item != bool_:
                made = "as_data" if slot.native == bytes_ else "as_numbers"
                out(f"native.set{name}({made}({value}));")
            case List() | Array() | Map():
                assert isinstance(slot.native, List)
                with out.block("{"):
                    out(f"auto items = native.init{name}({value}.size());")
                    self.build_items(value, slot.type, slot.native, 1)
            case _:
                out(f"native.set{name}({self.simple(value, slot.type, slot.native)});")

    def build_items(self, value: str, type: Type, native: List, depth: int) -> None:
        """Fills the list ``items`` of this depth from the domain's ``value``."""
        out, index, items = self.out, _numbered("i", depth), _numbered("items", depth)
        if isinstance(type, Map):
            out(f"unsigned {index} = 0;", f"for (const auto& entry : {value}) build(entry, {items}[{index}++]);")
            return
        assert isinstance(type, List | Array)
        item, from_item = type.item, f"{value}[{index}]"
        loop = f"for (unsigned {index} = 0; {index} < {value}.size(); ++{index})"
        match item:
            case List() | Array() | Map() if native.item != bytes_:
                assert isinstance(native.item, List)
                with out.block(f"{loop} {{"):
                    inner = _numbered("items", depth + 1)
                    out(f"auto {inner} = {items}.init({index}, {from_item}.size());")
                    self.build_items(from_item, item, native.item, depth + 1)
            case Record() | Optional():
                out(f"{loop} build({from_item}, {items}[{index}]);")
            case _:
                out(f"{loop} {items}.set({index}, {self.simple(from_item, item, native.item)});")

    def simple(self, value: str, type: Type, native: Type) -> str:
        """What a setter is given for a domain value that is no struct and no list of its own."""
        match type:
            case Enum(name):
                return f"to_native<capnp_types::{self.natives[name].name}>({value})"
            case Scalar() if type == string:
                return f"as_text({value})"
            case _ if native == bytes_:
                return f"as_data({value})"
            case _:
                return value

    # Extracting.

    def extract(self, slot: Slot) -> None:
        out, value, view, name = self.out, slot.domain, slot.view, slot.accessor
        match slot.type:
            case Optional(item) if is_group(slot.native):
                found = f"to_domain<domain::{item.name}>(found.getSome())" if isinstance(item, Enum) else "found.getSome()"
                with out.block(f"if (const auto found = {view}; found.isSome()) {{", "} else {"):
                    out(f"{value} = {found};")
                with out.indented():
                    out(f"{value}.reset();")
                out("}")
            case Optional():
                with out.block(f"if (view.has{name}()) {{", "} else {"):
                    out(f"auto& made = present({value});")
                    self.extract(slot.of_item("made"))
                with out.indented():
                    out(f"{value}.reset();")
                out("}")
            case Enum(enum):
                out(f"{value} = to_domain<domain::{enum}>({view});")
            case Record():
                out(f"extract({view}, {value});")
            case Scalar() if is_number(slot.type):
                out(f"{value} = {view};")
            case _ if self.is_assigned(slot.type, slot.native):
                out(f"assign({view}, {value});")
            case _:
                assert isinstance(slot.native, List)
                with out.block("{"):
                    out(f"const auto items = {view};")
                    self.extract_items(value, slot.type, slot.native, 1)

    def is_assigned(self, type: Type, native: Type) -> bool:
        """Strings, bytes and lists of numbers, which ``assign`` copies in one piece."""
        numbers = isinstance(type, List | Array) and isinstance(type.item, Scalar) and is_number(type.item)
        return isinstance(native, Scalar) or (numbers and native != List(bool_))

    def extract_items(self, value: str, type: Type, native: List, depth: int) -> None:
        """Overwrites the domain's ``value`` with the list ``items`` of this depth."""
        out, index, items = self.out, _numbered("i", depth), _numbered("items", depth)
        if isinstance(type, Map):
            out(f"{value}.clear();", f"for (const auto entry : {items}) extract_entry(entry, {value});")
            return
        assert isinstance(type, List | Array)
        item, to_item, found = type.item, f"{value}[{index}]", f"{items}[{index}]"
        resize = f"require_length({items}, {type.length})" if isinstance(type, Array) else f"{value}.resize({items}.size())"
        out(f"{resize};")
        loop = f"for (unsigned {index} = 0; {index} < {items}.size(); ++{index})"
        match item:
            case Enum(name):
                out(f"{loop} {to_item} = to_domain<domain::{name}>({found});")
            case Record() | Optional():
                out(f"{loop} extract({found}, {to_item});")
            case Scalar() if is_number(item):
                out(f"{loop} {to_item} = {found};")
            case _ if self.is_assigned(item, native.item):
                out(f"{loop} assign({found}, {to_item});")
            case _:
                assert isinstance(native.item, List)
                with out.block(f"{loop} {{"):
                    out(f"const auto {_numbered('items', depth + 1)} = {found};")
                    self.extract_items(to_item, item, native.item, depth + 1)

    # Traversing.

    def traverse(self, slot: Slot) -> None:
        out, view = self.out, slot.view
        match slot.type:
            case Optional() if is_group(slot.native):
                with out.block(f"if (const auto found = {view}; found.isSome()) {{"):
                    found = self.number(slot.of_item("").type, "found.getSome()")
                    out(f"sum += 1 + checksum_of({found});")
            case Optional():
                with out.block(f"if (view.has{slot.accessor}()) {{"):
                    out("sum += 1;")
                    self.traverse(slot.of_item(""))
            case List() | Array() | Map():
                with out.block("{"):
                    out(f"const auto items = {view};")
                    self.traverse_items(slot.type, slot.native, 1)
            case _ if is_number(slot.type):
                out(f"sum += checksum_of({self.number(slot.type, view)});")
            case _:
                out(f"sum += traverse({view});")

    def number(self, type: Type, found: str) -> str:
        return f"to_domain<domain::{type.name}>({found})" if isinstance(type, Enum) else found

    def traverse_items(self, type: Type, native: Type, depth: int) -> None:
        """Adds the list ``items`` of this depth to the sum."""
        out, items, each = self.out, _numbered("items", depth), _numbered("item", depth)
        if not isinstance(type, Array):
            out(f"sum += {items}.size();")
        loop = f"for (const auto {each} : {items})"
        if isinstance(type, Map):
            out(f"{loop} sum += traverse_{describe_in_snake(type)}({each});")
            return
        assert isinstance(type, List | Array)
        item = type.item
        match item:
            case Enum():
                out(f"{loop} sum += checksum_of({self.number(item, each)});")
            case Scalar() if is_number(item):
                out(f"sum += traverse_numbers({items});")
            case List() | Array() | Map():
                assert isinstance(native, List)
                with out.block(f"{loop} {{"):
                    out(f"const auto {_numbered('items', depth + 1)} = {each};")
                    self.traverse_items(item, native.item, depth + 1)
            case Optional():
                out(f"{loop} sum += traverse_{describe_in_snake(item)}({each});")
            case _:
                out(f"{loop} sum += traverse({each});")


def _numbered(name: str, depth: int) -> str:
    return name if depth == 1 else f"{name}{depth}"
