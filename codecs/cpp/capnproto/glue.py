"""Generates glue between domain objects and Cap'n Proto: code that users write around capnp's own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from serbench.codegen.steps import is_number
from serbench.idl.capnp import (
    NAMESPACE,
    constant,
    field_name,
    is_alone,
    is_group,
    lowered,
    members,
    ordinals,
)
from serbench.languages.cpp.composites import UNKNOWN_ALTERNATIVE, Heads, Use, switch
from serbench.languages.cpp.domain import cpp_type
from serbench.languages.cpp.glue import describe_in_snake
from serbench.languages.cpp.views import FieldSlot, ViewGlue
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


def emit(schema: Schema) -> str:
    """The text of the file ``glue.hpp`` of a workload."""
    return _Glue(schema).text()


class _Glue(ViewGlue):
    walked = "NativeRoot::Reader"

    def __init__(self, schema: Schema):
        types, header = lowered(schema), f"{as_identifier(schema.name)}.capnp.h"
        super().__init__(types, "Cap'n Proto", header, f"{NAMESPACE}::{types.schema.root.name}")
        for name, low in self.natives.items():
            if isinstance(low, Enum) and low.gone and low in types.enums:
                held = ", ".join(map(str, ordinals(low).values()))
                type = f"std::array<std::uint16_t, {len(low.members)}>"
                self.out("", "template <>")
                self.out(f"inline constexpr {type} ordinals<domain::{name}>{{{held}}};")

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
        self.made_records(union.alternatives, low.alternatives)
        pairs = list(zip(union.alternatives, low.alternatives, strict=True))

        def slot(n: int) -> FieldSlot:
            own, lower = pairs[n]
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
        """Writes a switch over the alternatives of the union ``view``; ``write(n)`` writes the n-th case."""
        if is_alone(native):
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
        """Writes statements that set a field of the struct ``native`` to the domain's value."""
        out, name = self.out, slot.name
        value = f"*{slot.domain}" if slot.is_pointer else slot.domain
        match slot.type:
            case Optional() if is_group(slot.native):
                inner = slot.of_item(f"*{value}")
                some = self.simple(inner.domain, inner.type, inner.native)
                out(f"if ({value}) native.get{name}().setSome({some});")
            case Optional() if not isinstance(slot.native, Record):
                with out.block(f"if ({value}) {{"):
                    out(f"const auto& some = *{value};")
                    self.build(slot.of_item("some"))
            case List(item) | Array(item, _) if (
                is_number(item) and not isinstance(item, Enum) and item != bool_
            ):
                made = "as_data" if slot.native == bytes_ else "as_numbers"
                out(f"native.set{name}({made}({value}));")
            case _:
                calls = f"native.{{}}{name}({{}})"
                self.build_value(value, slot.type, slot.native, calls, calls.format("init", ""))

    def build_value(
        self, value: str, type: Any, native: Any, calls: str, struct: str, head: str = "", depth: int = 1
    ) -> None:
        """Writes the statement that sets a field or an item.

        Args:
            calls: a call of the builder, with ``{}`` for ``set`` or ``init``, and for the last argument.
            struct: the expression for the builder by which a struct in this place is written.
            head: the first line of the loop around the statement; empty where there is none.
            depth: 1 for a list that lies in no other, 2 for one that lies in such a list, and so on.
        """
        match type:
            case Record() | Union() | Optional():
                self.out(f"{head}build({value}, {struct});")
            case List() | Array() | Map() if native != bytes_:
                with self.out.block(f"{head}{{"):
                    made = calls.format("init", f"{value}.size()")
                    self.out(f"auto {_numbered('items', depth)} = {made};")
                    self.build_items(value, type, native, depth)
            case _:
                self.out(f"{head}{calls.format('set', self.simple(value, type, native))};")

    def build_items(self, value: str, type: Any, native: Any, depth: int) -> None:
        """Writes the loop that fills the list in the variable ``items`` of this depth from ``value``."""
        index, items = _numbered("i", depth), _numbered("items", depth)
        if isinstance(type, Map):
            self.out(
                f"unsigned {index} = 0;",
                f"for (const auto& entry : {value}) build(entry, {items}[{index}++]);",
            )
            return
        item = f"{value}[{index}]"
        if isinstance(type, Array) and isinstance(type.item, Ref):
            item = f"*{item}"
        loop = f"for (unsigned {index} = 0; {index} < {value}.size(); ++{index}) "
        calls, struct = f"{items}.{{}}({index}, {{}})", f"{items}[{index}]"
        self.build_value(item, resolved(type.item), native.item, calls, struct, loop, depth + 1)

    def simple(self, value: str, type: Type, native: Type) -> str:
        """The argument of a setter for a domain value that becomes neither a struct nor a list."""
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
            case Optional() if not isinstance(slot.native, Record):
                with out.either(f"if (view.has{name}()) {{", f"{value}.reset();"):
                    out(f"auto& made = present({value});")
                    self.extract(slot.of_item("made"))
            case _:
                self.extract_value(value, slot.type, slot.native, view)

    def extract_value(
        self, value: str, type: Any, native: Any, found: str, head: str = "", depth: int = 1
    ) -> None:
        """Writes the statement that overwrites the domain's ``value`` with ``found``, an expression for what
        was read. ``head`` and ``depth`` are as in ``build_value``."""
        match type:
            case Record() | Union() | Optional():
                self.out(f"{head}extract({found}, {value});")
            case Scalar() | Enum() if is_number(type):
                self.out(f"{head}{value} = {self.to_domain(type, native, found)};")
            case _ if _is_assigned(type, native):
                self.out(f"{head}assign({found}, {value});")
            case _:
                with self.out.block(f"{head}{{"):
                    self.out(f"const auto {_numbered('items', depth)} = {found};")
                    self.extract_items(value, type, native, depth)

    def extract_items(self, value: str, type: Any, native: Any, depth: int) -> None:
        """Writes the loop that overwrites ``value`` with the list in the variable ``items`` of this depth."""
        index, items = _numbered("i", depth), _numbered("items", depth)
        if isinstance(type, Map):
            self.out(f"{value}.clear();", f"for (const auto entry : {items}) extract_entry(entry, {value});")
            return
        to_item = f"{value}[{index}]"
        if isinstance(type, Array) and isinstance(type.item, Ref):
            to_item = f"present({to_item})"
        if isinstance(type, Array):
            self.out(f"require_length({items}, {type.length});")
        else:
            self.out(f"{value}.resize({items}.size());")
        loop = f"for (unsigned {index} = 0; {index} < {items}.size(); ++{index}) "
        found = f"{items}[{index}]"
        self.extract_value(to_item, resolved(type.item), native.item, found, loop, depth + 1)

    def to_domain(self, type: Type, native: Type, found: str) -> str:
        """The expression that converts ``found``, a number or an enum in a message, to the domain's."""
        if isinstance(type, Enum):
            return f"{'to_domain' if isinstance(native, Enum) else 'number'}<domain::{type.name}>({found})"
        return found

    # Traversing.

    def traverse(self, slot: FieldSlot) -> None:
        out, view = self.out, slot.view
        match slot.type:
            case Optional() if is_group(slot.native):
                with out.block(f"if (const auto found = {view}; found.isSome()) {{"):
                    found = self.to_domain(slot.type.item, slot.of_item("").native, "found.getSome()")
                    out(f"sum += 1 + checksum_of({found});")
            case Optional() if not isinstance(slot.native, Record):
                with out.block(f"if (view.has{slot.name}()) {{"):
                    out("sum += 1;")
                    self.traverse(slot.of_item(""))
            case _:
                if slot.is_pointer:
                    out(f"require(view.has{slot.name}());")
                self.traverse_value(slot.type, slot.native, view)

    def traverse_value(self, type: Any, native: Any, found: str, head: str = "", depth: int = 1) -> None:
        """Writes the statement that adds ``found``, an expression for what was read, to the sum. ``head`` and
        ``depth`` are as in ``build_value``."""
        match type:
            case List() | Array() | Map():
                with self.out.block(f"{head}{{"):
                    self.out(f"const auto {_numbered('items', depth)} = {found};")
                    self.traverse_items(type, native, depth)
            case Optional():
                self.out(f"{head}sum += traverse_{describe_in_snake(type)}({found});")
            case _ if is_number(type):
                self.out(f"{head}sum += checksum_of({self.to_domain(type, native, found)});")
            case _:
                self.out(f"{head}sum += traverse({found});")

    def traverse_items(self, type: Any, native: Any, depth: int) -> None:
        """Writes the loop that adds the list in the variable ``items`` of this depth to the sum."""
        items, each = _numbered("items", depth), _numbered("item", depth)
        if not isinstance(type, Array):
            self.out(f"sum += {items}.size();")
        loop = f"for (const auto {each} : {items}) "
        if isinstance(type, Map):
            self.out(f"{loop}sum += traverse_{describe_in_snake(type)}({each});")
        elif isinstance(type.item, Scalar) and is_number(type.item):
            self.out(f"sum += traverse_numbers({items});")
        else:
            self.traverse_value(resolved(type.item), native.item, each, loop, depth + 1)


def _is_assigned(type: Type, native: Type) -> bool:
    """Whether a value is text, bytes or a list of numbers, which ``assign`` copies in one piece."""
    numbers = isinstance(type, List | Array) and isinstance(type.item, Scalar) and is_number(type.item)
    return isinstance(native, Scalar) or (numbers and native != List(bool_))


def _numbered(name: str, depth: int) -> str:
    """The name of a variable of a loop inside of ``depth - 1`` others, such as ``items2``."""
    return name if depth == 1 else f"{name}{depth}"
