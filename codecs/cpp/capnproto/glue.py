"""Glue between domain objects and Cap'n Proto: what a user of the library writes around capnp's code."""

from __future__ import annotations

from collections.abc import Callable

from serbench.codegen.naming import counterparts
from serbench.idl.capnp import NAMESPACE, constant, field_name, is_group, lowered, members
from serbench.idl.nesting import deepest
from serbench.languages.cpp.domain import cpp_type
from serbench.languages.cpp.glue import (
    UNKNOWN_ALTERNATIVE,
    describe_in_snake,
    is_number,
    switch,
    used_before,
)
from serbench.model import (
    Array,
    Enum,
    Field,
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
from serbench.model.names import as_identifier, capitalised
from serbench.model.parts import resolved

from .slots import Slot, heads, slot_of
from .traversal import Traversal, numbered


def emit(schema: Schema) -> str:
    """The text of ``glue.hpp``."""
    return _Glue(schema).text()


class _Glue(Traversal):
    def __init__(self, schema: Schema):
        includes = ["domain.hpp", f"{as_identifier(schema.name)}.capnp.h", "support.hpp"]
        self.lowered = lowered(schema)
        root = f"using NativeRoot = {NAMESPACE}::{self.lowered.schema.root.name};"
        super().__init__(schema, "between domain objects and Cap'n Proto", includes, root)
        self.natives = counterparts(self.schema, self.lowered.schema)
        self.written: set[str] = set()
        if levels := deepest(self.lowered):
            self.out("", "template <>", f"inline constexpr int nesting_limit<NativeRoot> = {levels};")

    def functions(self) -> None:
        if before := used_before(self.schema):
            self.out("")
        for name in before:
            self.out(*(f"{head};" for head in heads(self.natives[name].name, f"domain::{name}", "traverse")))
        for composite in self.schema.composites:
            if isinstance(composite, Record):
                self.record(composite, self.lowered.record(self.natives[composite.name].name))
            else:
                self.union(composite, self.lowered.union(self.natives[composite.name].name))

    def record(self, record: Record, native: Record) -> None:
        for field, native_field in zip(record.fields, native.fields, strict=True):
            self.made_structs(field.type, native_field.type)
        fields = {low.name: field for low, field in zip(native.fields, record.fields, strict=True)}
        own = [(field, fields[field.name]) for field in members(native)]
        slots = [self.slot(native, low, field.type, f"value.{field.name}") for low, field in own]
        self.struct(native.name, f"domain::{record.name}", "traverse", slots)

    def union(self, union: Union, native: Union) -> None:
        slots: list[Slot | str] = []  # only the accessor of an alternative without a value
        for alternative, low in zip(union.alternatives, native.alternatives, strict=True):
            if alternative.type is None or low.type is None:
                slots.append(capitalised(low.name))
            else:
                self.made_structs(alternative.type, low.type)
                slots.append(slot_of(capitalised(low.name), alternative.type, low.type, "held"))
        build, extract, traverse = heads(native.name, f"domain::{union.name}", "traverse")

        def building(n: int) -> None:
            if isinstance(slot := slots[n], str):
                self.out(f"native.set{slot}();")
            else:
                self.out(f"const auto& held = std::get<{n}>(value.value).value;")
                self.build(slot)

        def extracting(n: int) -> None:
            if isinstance(slot := slots[n], str):
                self.out(f"chosen<{n}>(value.value);")
            else:
                self.out(f"auto& held = chosen<{n}>(value.value).value;")
                self.extract(slot)

        def summing(n: int) -> None:
            self.out(*([f"sum += {n};"] if n else []))
            if isinstance(slot := slots[n], Slot):
                self.traverse(slot)

        with self.function(f"{build} {{"):
            switch(self.out, "value.value.index()", [str(n) for n in range(len(slots))], building)
        with self.function(f"{extract} {{"):
            self.choose(native, extracting)
        with self.sum_function(traverse.removeprefix("inline Checksum ")):
            self.choose(native, summing)

    def choose(self, native: Union, write: Callable[[int], None]) -> None:
        """Writes what is done with each alternative of the union ``view``."""
        if len(native.alternatives) == 1:
            write(0)  # a struct with a field
            return
        labels = [
            f"{NAMESPACE.split('::')[-1]}::{native.name}::{constant(each.name)}"
            for each in native.alternatives
        ]
        switch(self.out, "view.which()", labels, write, UNKNOWN_ALTERNATIVE)

    walked = "NativeRoot::Reader"

    @property
    def walked_fields(self) -> Walk | None:
        return self.lowered.schema.walk

    def walk_accessors(self, walk: Walk) -> tuple[str, str, str]:
        nodes, edges, target = (capitalised(name) for name in (walk.nodes, walk.edges, walk.target))
        return f"graph.get{nodes}().size()", f"graph.get{nodes}()[node].get{edges}()", f"edge.get{target}()"

    def slot(self, record: Record, field: Field, type: Type, domain: str) -> Slot:
        return slot_of(capitalised(field_name(record, field)), type, field.type, domain)

    def struct(self, name: str, domain: str, traverse: str, slots: list[Slot]) -> None:
        native = f"capnp_types::{name}"
        if not slots:
            self.out(
                "",
                f"inline void build(const {domain}&, {native}::Builder) {{}}",
                f"inline void extract({native}::Reader, {domain}&) {{}}",
                f"inline Checksum {traverse}({native}::Reader) {{ return 0; }}",
            )
            return
        build, extract, _ = heads(name, domain, traverse)
        with self.function(f"{build} {{"):
            for slot in slots:
                self.build(slot)
        with self.function(f"{extract} {{"):
            for slot in slots:
                self.extract(slot)
        self.traversal(native, traverse, slots)

    def traversal(self, native: str, name: str, slots: list[Slot]) -> None:
        if self.is_new(f"{name} {native}"):
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
                domain = cpp_type(type, "domain::")
                if self.is_new(f"{domain} {name}"):
                    slot = self.slot(record, inner, type, "value")
                    self.struct(name, domain, f"traverse_{describe_in_snake(type)}", [slot])
            case Optional(item), Optional(native_item):
                self.made_structs(item, native_item)
            case Map(), List(Record(name)):
                self.entry(type, self.lowered.record(name))
            case ((List(item) | Array(item, _)), List(native_item)):
                self.made_structs(item, native_item)

    def is_new(self, function: str) -> bool:
        """Whether a function is not written yet; types that differ in how they lead back may share it."""
        new = function not in self.written
        self.written.add(function)
        return new

    def entry(self, type: Map, record: Record) -> None:
        key, value = record.fields
        self.made_structs(type.value, value.type)
        out, domain, native = self.out, cpp_type(type, "domain::"), f"capnp_types::{record.name}"
        if not self.is_new(f"{domain} {native}"):
            return
        slots = [
            self.slot(record, key, type.key, "entry.first"),
            self.slot(record, value, resolved(type.value), "entry.second"),
        ]
        with self.function(
            f"inline void build(const {domain}::value_type& entry, {native}::Builder native) {{"
        ):
            for slot in slots:
                self.build(slot)
        with self.function(f"inline void extract_entry({native}::Reader view, {domain}& map) {{"):
            if type.key == string:
                out("const auto key = view.getKey();")
                out("auto& value = map.try_emplace(map.end(), std::string(key.begin(), key.size()))->second;")
            else:
                found = self.to_domain(type.key, key.type, "view.getKey()")
                out(f"auto& value = map.try_emplace(map.end(), {found})->second;")
            self.extract(self.slot(record, value, resolved(type.value), "value"))
        self.traversal(native, f"traverse_{describe_in_snake(type)}", slots)

    # Building.

    def build(self, slot: Slot) -> None:
        out, name = self.out, slot.accessor
        value = f"*{slot.domain}" if slot.is_pointer else slot.domain
        match slot.type:
            case Optional() if is_group(slot.native):
                inner = slot.of_item(f"*{value}")
                some = self.simple(inner.domain, inner.type, inner.native)
                out(f"if ({value}) native.get{name}().setSome({some});")
            case Optional() if isinstance(slot.native, Record):
                out(f"build({value}, native.init{name}());")
            case Optional():
                with out.block(f"if ({value}) {{"):
                    out(f"const auto& some = *{value};")
                    self.build(slot.of_item("some"))
            case Record() | Union():
                out(f"build({value}, native.init{name}());")
            case List(item) | Array(item, _) if (
                is_number(item) and not isinstance(item, Enum) and item != bool_
            ):
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
        out, index, items = self.out, numbered("i", depth), numbered("items", depth)
        if isinstance(type, Map):
            out(
                f"unsigned {index} = 0;",
                f"for (const auto& entry : {value}) build(entry, {items}[{index}++]);",
            )
            return
        assert isinstance(type, List | Array)
        item, from_item = resolved(type.item), f"{value}[{index}]"
        if isinstance(type, Array) and isinstance(type.item, Ref):
            from_item = f"*{from_item}"
        loop = f"for (unsigned {index} = 0; {index} < {value}.size(); ++{index})"
        match item:
            case List() | Array() | Map() if native.item != bytes_:
                assert isinstance(native.item, List)
                with out.block(f"{loop} {{"):
                    inner = numbered("items", depth + 1)
                    out(f"auto {inner} = {items}.init({index}, {from_item}.size());")
                    self.build_items(from_item, item, native.item, depth + 1)
            case Record() | Union() | Optional():
                out(f"{loop} build({from_item}, {items}[{index}]);")
            case _:
                out(f"{loop} {items}.set({index}, {self.simple(from_item, item, native.item)});")

    def simple(self, value: str, type: Type, native: Type) -> str:
        """What a setter is given for a domain value that is no struct and no list of its own."""
        match type:
            case Enum(name) if isinstance(native, Enum):
                return f"to_native<capnp_types::{self.natives[name].name}>({value})"
            case Enum():
                return f"static_cast<{cpp_type(native)}>({value})"
            case Scalar() if type == string:
                return f"as_text({value})"
            case _ if native == bytes_:
                return f"as_data({value})"
            case _:
                return value

    # Extracting.

    def extract(self, slot: Slot) -> None:
        out, value, view, name = self.out, slot.domain, slot.view, slot.accessor
        if slot.is_pointer:
            out(f"require(view.has{name}());")
            value = f"present({value})"
        match slot.type:
            case Optional(item) if is_group(slot.native):
                found = self.to_domain(item, slot.of_item("").native, "found.getSome()")
                with out.block(f"if (const auto found = {view}; found.isSome()) {{", "} else {"):
                    out(f"{value} = {found};")
                with out.indented():
                    out(f"{value}.reset();")
                out("}")
            case Optional() if isinstance(slot.native, Record):
                out(f"extract({view}, {value});")
            case Optional():
                with out.block(f"if (view.has{name}()) {{", "} else {"):
                    out(f"auto& made = present({value});")
                    self.extract(slot.of_item("made"))
                with out.indented():
                    out(f"{value}.reset();")
                out("}")
            case Enum():
                out(f"{value} = {self.to_domain(slot.type, slot.native, view)};")
            case Record() | Union():
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
        out, index, items = self.out, numbered("i", depth), numbered("items", depth)
        if isinstance(type, Map):
            out(f"{value}.clear();", f"for (const auto entry : {items}) extract_entry(entry, {value});")
            return
        assert isinstance(type, List | Array)
        item, to_item, found = resolved(type.item), f"{value}[{index}]", f"{items}[{index}]"
        if isinstance(type, Array) and isinstance(type.item, Ref):
            to_item = f"present({to_item})"
        resize = (
            f"require_length({items}, {type.length})"
            if isinstance(type, Array)
            else f"{value}.resize({items}.size())"
        )
        out(f"{resize};")
        loop = f"for (unsigned {index} = 0; {index} < {items}.size(); ++{index})"
        match item:
            case Enum():
                out(f"{loop} {to_item} = {self.to_domain(item, native.item, found)};")
            case Record() | Union() | Optional():
                out(f"{loop} extract({found}, {to_item});")
            case Scalar() if is_number(item):
                out(f"{loop} {to_item} = {found};")
            case _ if self.is_assigned(item, native.item):
                out(f"{loop} assign({found}, {to_item});")
            case _:
                assert isinstance(native.item, List)
                with out.block(f"{loop} {{"):
                    out(f"const auto {numbered('items', depth + 1)} = {found};")
                    self.extract_items(to_item, item, native.item, depth + 1)
