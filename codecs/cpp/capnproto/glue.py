"""Glue between domain objects and Cap'n Proto: what a user of the library writes around capnp's code."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from serbench.codegen.steps import is_number
from serbench.idl.capnp import NAMESPACE, constant, field_name, is_group, lowered, members
from serbench.languages.cpp.composites import UNKNOWN_ALTERNATIVE, Heads, Use, switch
from serbench.languages.cpp.domain import cpp_type
from serbench.languages.cpp.views import FieldSlot
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

from .traversal import Traversal, numbered


def emit(schema: Schema) -> str:
    """The text of ``glue.hpp``."""
    return _Glue(schema).text()


class _Glue(Traversal):
    walked = "NativeRoot::Reader"

    def __init__(self, schema: Schema):
        types, header = lowered(schema), f"{as_identifier(schema.name)}.capnp.h"
        super().__init__(types, "Cap'n Proto", header, f"{NAMESPACE}::{types.schema.root.name}")

    def heads(self, domain: str, native: str, traverse: str = "traverse") -> Heads:
        name = f"capnp_types::{native}"
        return (
            f"inline void build(const {domain}& value, {name}::Builder native)",
            f"inline void extract({name}::Reader view, {domain}& value)",
            f"inline Checksum {traverse}({name}::Reader view)",
        )

    def view(self, low: Record, field: Field) -> tuple[str, str]:
        name = capitalised(field_name(low, field))
        return name, f"view.get{name}()"

    def ordered(self, low: Record) -> Sequence[Field]:
        return members(low)

    def build_record(self, low: Record, slots: Sequence[FieldSlot]) -> None:
        for slot in slots:
            self.build(slot)

    def key(self, slot: FieldSlot) -> str:
        if slot.type != string:
            return self.to_domain(slot.type, slot.native, slot.view)
        self.out(f"const auto key = {slot.view};")
        return "std::string(key.begin(), key.size())"

    def union(self, union: Union, low: Union) -> None:
        pairs = list(zip(union.alternatives, low.alternatives, strict=True))

        def slot(n: int) -> FieldSlot:
            own, lower = pairs[n]
            assert own.type is not None and lower.type is not None
            name = capitalised(lower.name)
            types = resolved(own.type), resolved(lower.type)
            return FieldSlot(name, *types, "held", f"view.get{name}()", isinstance(own.type, Ref))

        def building(n: int) -> None:
            own, lower = pairs[n]
            if own.type is None:
                self.out(f"native.set{capitalised(lower.name)}();")
            else:
                self.build(slot(n))

        self.union_functions(
            self.heads(f"domain::{union.name}", low.name),
            "value",
            [own.type is not None for own, _ in pairs],
            (building, lambda n: self.extract(slot(n)), lambda n: self.traverse(slot(n))),
            partial(self.choose, low),
        )

    def choose(self, native: Union, write: Use) -> None:
        """Writes what is done with each alternative of the union ``view``."""
        if len(native.alternatives) == 1:
            write(0)  # a struct with a field
            return
        labels = [
            f"{NAMESPACE.split('::')[-1]}::{native.name}::{constant(each.name)}"
            for each in native.alternatives
        ]
        switch(self.out, "view.which()", labels, write, UNKNOWN_ALTERNATIVE)

    def walk_accessors(self, walk: Walk) -> tuple[str, str, str]:
        nodes, edges, target = (capitalised(name) for name in (walk.nodes, walk.edges, walk.target))
        return f"graph.get{nodes}().size()", f"graph.get{nodes}()[node].get{edges}()", f"edge.get{target}()"

    # Building.

    def build(self, slot: FieldSlot) -> None:
        out, name = self.out, slot.name
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
        """The argument of a setter for a domain value that is no struct and no list of its own."""
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

    def extract(self, slot: FieldSlot) -> None:
        out, value, view, name = self.out, slot.domain, slot.view, slot.name
        if slot.is_pointer:
            out(f"require(view.has{name}());")
            value = f"present({value})"
        match slot.type:
            case Optional(item) if is_group(slot.native):
                found = self.to_domain(item, slot.of_item("").native, "found.getSome()")
                head = f"if (const auto found = {view}; found.isSome()) {{"
                with out.either(head, f"{value}.reset();"):
                    out(f"{value} = {found};")
            case Optional() if isinstance(slot.native, Record):
                out(f"extract({view}, {value});")
            case Optional():
                with out.either(f"if (view.has{name}()) {{", f"{value}.reset();"):
                    out(f"auto& made = present({value});")
                    self.extract(slot.of_item("made"))
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
