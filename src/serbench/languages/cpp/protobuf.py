"""Generates glue between domain objects and protobuf messages.

Messages are overwritten in place rather than cleared and filled: protobuf keeps the objects of repeated
fields, and their strings keep their memory.
"""

from __future__ import annotations

from serbench.idl.oneofs import placed_in
from serbench.idl.proto import accessor, is_implicit, lowered, oneof_of, proto_pascal
from serbench.languages.cpp.composites import UNKNOWN_ALTERNATIVE, Use, switch
from serbench.languages.cpp.domain import cpp_type
from serbench.languages.cpp.messages import MessageGlue
from serbench.languages.cpp.notation import Slot, Value
from serbench.model import Alternative, Enum, Field, Scalar, Schema, Type, Union, Walk
from serbench.model.names import as_identifier
from serbench.model.parts import resolved


def emit(schema: Schema, syntax: str = "proto3") -> str:
    """The text of the file ``glue.hpp`` of a workload."""
    glue = _Glue(lowered(schema, syntax), "protobuf messages", f"{as_identifier(schema.name)}.pb.h")
    glue.syntax = syntax
    return glue.text()


class _Glue(MessageGlue):
    namespace = "pb"
    syntax = "proto3"
    same = frozenset({"bool", "i32", "i64", "u32", "u64", "f32", "f64", "string"})
    has_vectors = False
    extract_numbers = "copy_numbers"

    def slot(self, message: str, field: Field) -> Slot:
        name = accessor(field.name)
        return Slot(f"*{message}mutable_{name}()", f"{message}set_{name}({{}});", f"{message}clear_{name}();")

    def read(self, message: str, field: Field) -> Value:
        name = accessor(field.name)
        return Value(f"{message}.{name}()", f"{message}.has_{name}()")

    def build_field(self, type: Type, low: Field, name: str) -> None:
        if union := placed_in(low, self.types):
            clear = f"native.clear_{oneof_of(union, self.types)}();"
            self.out(f"if ({name}) build(*{name}, native);", f"else {clear}")
        elif self.syntax == "proto2" and is_implicit(low):  # with proto3 the library leaves out zeros
            slot = self.slot("native.", low)
            with self.out.either(f"if ({_is_set(type, name)}) {{", slot.presence):
                self.build.part(type, low.type, Value(name), slot)
        else:
            super().build_field(type, low, name)

    def extract_field(self, type: Type, low: Field, name: str) -> None:
        if union := placed_in(low, self.types):
            extract = f"extract(native, engaged({name}));"
            self.out(f"if ({self.is_chosen(union)}) {extract}", f"else {name}.reset();")
        else:
            super().extract_field(type, low, name)

    def sum_field(self, type: Type, low: Field, name: str) -> None:
        if union := placed_in(low, self.types):
            self.out(f"if ({self.is_chosen(union)}) sum += 1 + traverse_{union.name}(native);")
        else:
            super().sum_field(type, low, name)

    def is_chosen(self, union: Union) -> str:
        """The condition that the message ``native`` has an alternative of a union that is a oneof in it."""
        name = oneof_of(union, self.types)
        return f"native.{name}_case() != pb::{self.types.in_place[union.name]}::{name.upper()}_NOT_SET"

    def choose(self, union: Union, write: Use) -> None:
        holder = self.types.in_place.get(union.name, union.name)
        labels = [f"pb::{holder}::k{proto_pascal(each.name)}" for each in union.alternatives]
        switch(self.out, f"native.{oneof_of(union, self.types)}_case()", labels, write, UNKNOWN_ALTERNATIVE)

    def build_alternative(self, type: Type | None, low: Alternative, value: Value) -> None:
        if type is None:
            self.out(f"native.mutable_{accessor(low.name)}();")
        else:
            super().build_alternative(type, low, value)

    def build_optional(self, item: Type, low: Type, value: Value, slot: Slot) -> None:
        with self.out.either(f"if ({value.it}) {{", slot.presence):
            self.build.value(resolved(item), low, Value(f"*{value.it}"), slot)

    def walk_accessors(self, walk: Walk) -> tuple[str, str, str]:
        nodes, edges, target = (accessor(name) for name in (walk.nodes, walk.edges, walk.target))
        return f"graph.{nodes}_size()", f"graph.{nodes}(node).{edges}()", f"edge.{target}()"

    def resize(self, slot: Slot, size: str) -> str:
        return f"resize({slot.ref}, {size});"

    def emptied(self, name: str, slot: Slot) -> str:
        self.out(f"{slot.dot}clear();")
        return f"auto& {name} = {slot.ref}"

    def to_native(self, type: Type, value: str) -> str:
        return f"static_cast<pb::{self.native(type)}>({value})" if isinstance(type, Enum) else value

    def checksum(self, type: Type, native: str) -> str:
        return f"checksum_of({native})"

    def sum_of(self, item: Type, native: str) -> str:
        return f"sum_of({native})"


def _is_set(type: Type, name: str) -> str:
    """The C++ condition that a field is not zero or empty; a float's negative zero is not zero here."""
    if not isinstance(type, Scalar) or not (type.is_float or not type.width):
        return f"{name} != {cpp_type(type, 'domain::')}{{}}"
    return f"{name} != 0 || std::signbit({name})" if type.is_float else f"!{name}.empty()"
