"""Glue between domain objects and protobuf messages.

Messages are overwritten in place rather than cleared and filled: protobuf keeps the objects of repeated
fields, and their strings keep their memory.
"""

from __future__ import annotations

from collections.abc import Callable

from serbench.idl.nesting import deepest
from serbench.idl.proto import accessor, is_implicit, lowered, oneof_of, proto_pascal
from serbench.languages.cpp.composites import UNKNOWN_ALTERNATIVE, switch
from serbench.languages.cpp.messages import MessageGlue
from serbench.languages.cpp.notation import Slot, Value
from serbench.model import Alternative, Enum, Field, Schema, Type, Union, Walk
from serbench.model.names import as_identifier
from serbench.model.parts import resolved


def emit(schema: Schema, syntax: str = "proto3") -> str:
    """The file ``glue.hpp`` of a workload."""
    types = lowered(schema, syntax)
    glue = _Glue(types, "protobuf messages", f"{as_identifier(schema.name)}.pb.h")
    glue.syntax = syntax
    if levels := deepest(types):
        glue.out("", "template <>", f"inline constexpr int recursion_limit<Native> = {levels};")
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

    def leaves_out_zero(self, low: Field) -> bool:
        """Only where it has to be written: with proto3 the library does that by itself."""
        return self.syntax == "proto2" and is_implicit(low)

    def choose(self, union: Union, write: Callable[[int], None]) -> None:
        holder = self.types.in_place.get(union.name, union.name)
        labels = [f"pb::{holder}::k{proto_pascal(each.name)}" for each in union.alternatives]
        switch(self.out, f"native.{oneof_of(union, self.types)}_case()", labels, write, UNKNOWN_ALTERNATIVE)

    def placed_union(self, union: Union) -> tuple[str, str]:
        name = oneof_of(union, self.types)
        nothing = f"pb::{self.types.in_place[union.name]}::{name.upper()}_NOT_SET"
        return f"native.{name}_case() != {nothing}", f"native.clear_{name}();"

    def chosen_empty(self, low: Alternative) -> str:
        return f"native.mutable_{accessor(low.name)}();"

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
