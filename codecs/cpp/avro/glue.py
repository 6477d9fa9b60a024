"""Generates glue between domain objects and the structs that avrogencpp makes."""

from __future__ import annotations

import json

from serbench.codegen.steps import is_number
from serbench.idl import avsc
from serbench.idl.avsc import branch_of, lowered
from serbench.idl.lower import Lowered
from serbench.languages.cpp.composites import UNKNOWN_ALTERNATIVE, Use, switch
from serbench.languages.cpp.messages import MessageGlue
from serbench.languages.cpp.notation import Slot, Value
from serbench.model import (
    Alternative,
    Array,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Ref,
    Schema,
    Type,
    Union,
    string,
    u64,
)
from serbench.model.names import as_identifier
from serbench.model.parts import resolved, types_in


def emit(schema: Schema) -> str:
    """The text of the file ``glue.hpp`` of a workload."""
    text = json.dumps(json.loads(avsc.emit(schema)), separators=(",", ":"))  # the file beside it has lines
    return _Glue(lowered(schema), text, f"{as_identifier(schema.name)}.hh").text()


def fits(schema: Schema, variant: str) -> str | None:
    """Why avrogencpp cannot do a schema, or None: it declares the types in a union again where the union
    leads back to itself, and C++ does not allow that for an enum."""
    for union in lowered(schema).unions:
        if any(_is_of_enum(alternative.type) for alternative in union.alternatives) and _leads_back(union):
            return "its avrogencpp declares an enum twice that is in a union which leads back to itself"
    return None


def _is_of_enum(type: Type | None) -> bool:
    """Whether a union's branch is an enum, or has one in lists, arrays or maps with no record between."""
    match type:
        case List(item) | Array(item):
            return _is_of_enum(item)
        case Map(key, value):
            return key == string and _is_of_enum(value)
        case _:
            return isinstance(type, Enum)


def _leads_back(union: Union) -> bool:
    """Whether a union is a part of itself, by way of any references."""
    met = types_in(union) - {union}
    while more := {type for ref in met if isinstance(ref, Ref) for type in types_in(ref.target)} - met:
        met |= more
    return union in met


class _Glue(MessageGlue):
    namespace = "avro_types"
    limits_recursion = False
    same = frozenset({"bool", "i32", "i64", "f32", "f64", "string"})
    making = 0  # values of unions inside each other

    def __init__(self, types: Lowered, text: str, header: str):
        super().__init__(types, "Avro's structs", header)
        # A string_view would count its characters while compiling, of which GCC allows 262,144.
        self.out("", f'inline constexpr char schema[] = R"avsc({text})avsc";')

    def slot(self, message: str, field: Field) -> Slot:
        return Slot.member(f"{message}{field.name}")

    def read(self, message: str, field: Field) -> Value:
        name = f"{message}.{field.name}"
        if isinstance(field.type, Optional):
            return Value(f"{name}.get_{branch_of(field.type.item)}()", f"!{name}.is_null()")
        return Value(name)

    def build_optional(self, item: Type, low: Type, value: Value, slot: Slot) -> None:
        """Writes code that sets an optional, which is a union with null."""
        with self.out.either(f"if ({value.it}) {{", f"{slot.dot}set_null();"):
            self.build_branch(resolved(item), low, Value(f"*{value.it}"), slot.dot)

    def build_branch(self, type: Type, low: Type, value: Value, union: str) -> None:
        """Writes code that converts a value and sets a union to it, as its branch for ``low``; ``union`` is
        the expression for the union and the dot after it."""
        branch = branch_of(low)
        if (is_number(type) or type == string) and not self.build.is_made(low):
            self.out(f"{union}set_{branch}({self.into_native(type, low, value.it)});")
        else:
            self.making += 1
            made = "made" if self.making == 1 else f"made{self.making}"
            self.out(f"std::remove_cvref_t<decltype({union}get_{branch}())> {made};")
            self.build.part(type, low, value, Slot.member(made))
            self.out(f"{union}set_{branch}(std::move({made}));")
            self.making -= 1

    def build_alternative(self, type: Type | None, low: Alternative, value: Value) -> None:
        if low.type is None:
            self.out("native.value.set_null();")
        elif type is None:
            self.out(f"native.value.set_{branch_of(low.type)}({{}});")
        else:
            self.build_branch(type, low.type, value, "native.value.")

    def read_alternative(self, message: str, low: Field) -> Value:
        return Value(f"{message}.value.get_{branch_of(low.type)}()")

    def choose(self, union: Union, write: Use) -> None:
        labels = [str(n) for n in range(len(union.alternatives))]
        switch(self.out, "native.value.idx()", labels, write, UNKNOWN_ALTERNATIVE)

    def emptied(self, name: str, slot: Slot) -> str:
        return f"auto {name} = filled({slot.ref})"

    def is_same_map(self, type: Map) -> bool:
        return type.key == string and self.is_same(type.value)

    def to_native(self, type: Type, value: str) -> str:
        if isinstance(type, Enum):
            return f"to_native<{self.namespace}::{self.native(type)}>({value})"
        return f"static_cast<std::int64_t>({value})" if type == u64 else value

    def to_domain(self, type: Type, native: str) -> str:
        if isinstance(type, Enum):
            return f"to_domain<domain::{type.name}>({native})"
        return super().to_domain(type, native)

    def checksum(self, type: Type, native: str) -> str:
        return f"checksum_of({self.to_domain(type, native) if isinstance(type, Enum) else native})"
