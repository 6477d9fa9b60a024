"""Generates glue between domain objects and Thrift structs.

There is also a function ``reset``, since Thrift's ``read`` leaves alone what the bytes do not mention.
"""

from __future__ import annotations

from serbench.idl.thrift import NAMESPACE, REQUIRED, is_reference, lowered
from serbench.idl.thrift import SCALARS as THRIFT_SCALARS
from serbench.languages.cpp.composites import UNKNOWN_ALTERNATIVE, Use
from serbench.languages.cpp.domain import SCALARS, cpp_type
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
    Record,
    Ref,
    Scalar,
    Schema,
    Type,
    Union,
)
from serbench.model.names import as_identifier
from serbench.model.parts import resolved
from serbench.model.types import NOTHING


def emit(schema: Schema) -> str:
    """The text of the file ``glue.hpp`` of a workload."""
    return _Glue(lowered(schema), "Thrift structs", f"{as_identifier(schema.name)}_types.h").text()


class _Glue(MessageGlue):
    namespace = NAMESPACE
    same = frozenset({"bool", "i8", "i16", "i32", "i64", "f64", "string"})

    def functions(self) -> None:
        """Writes the functions of all types, and ``reset``, which empties the root and what it holds
        directly; items of containers are made anew anyway. A required field is there, or reading fails."""
        super().functions()
        resetting: dict[str, list[str]] = {}
        for each in self.types.composites:
            has_flags = isinstance(each, Union) or any(isinstance(part.type, Optional) for part in each.parts)
            statements = ["native.__isset = {};"] if has_flags else []
            for part in each.parts:
                type = part.type.item if isinstance(part.type, Optional) else part.type
                if isinstance(type, Ref):
                    statements.append(f"native.{part.name}.reset();")
                elif isinstance(type, Record | Union) and resetting[type.name]:
                    statements.append(f"reset(native.{part.name});")
                elif isinstance(part, Field) and REQUIRED not in part.hints:
                    statements.append(self.emptying(each.name, part))
            resetting[each.name] = statements
        for name, statements in resetting.items():
            if statements:
                with self.function(f"inline void reset({NAMESPACE}::{name}& native)"):
                    self.out(*statements)
        if not resetting[self.types.schema.root.name]:
            self.out("", "inline void reset(Native&) {}  // all fields are required")

    def emptying(self, struct: str, field: Field) -> str:
        """The statement that gives a field the value that it has in a new struct, and keeps its memory."""
        if field.default is not NOTHING:
            return f"native.{field.name} = {NAMESPACE}::{struct}().{field.name};"
        match field.type:
            case Scalar("string" | "bytes") | List() | Array() | Map():
                return f"native.{field.name}.clear();"
            case _:
                return f"native.{field.name} = {{}};"

    def slot(self, message: str, field: Field) -> Slot:
        name = f"{message}{field.name}"
        to = f"engaged({name})" if is_reference(field.type) else name
        return Slot.member(to, presence=f"{message}__isset.{field.name}")

    def read(self, message: str, field: Field) -> Value:
        name = f"{message}.{field.name}"
        found = f"referenced({name})" if is_reference(field.type) else name
        return Value(found, f"{message}.__isset.{field.name}")

    def build_alternative(self, type: Type | None, low: Alternative, value: Value) -> None:
        self.out("native.__isset = {};", f"native.__isset.{low.name} = true;")
        if type is not None:
            super().build_alternative(type, low, value)

    def choose(self, union: Union, write: Use) -> None:
        """Writes an ``if`` for the flag of each alternative of a union; ``write(n)`` writes the n-th body."""
        for n, each in enumerate(union.alternatives):
            head = f"if (native.__isset.{each.name}) {{"
            self.out(head if n == 0 else f"}} else {head}")
            with self.out.indented():
                write(n)
        with self.out.block("} else {"):
            self.out(UNKNOWN_ALTERNATIVE)

    def build_optional(self, item: Type, low: Type, value: Value, slot: Slot) -> None:
        there = f"{value.it} != nullptr" if isinstance(item, Ref) else f"{value.dot}has_value()"
        self.out(f"{slot.presence} = {there};")
        if statement := self.build.statement(resolved(item), low, Value(f"*{value.it}"), slot):
            self.out(f"if ({value.it}) {statement}")
        else:
            with self.out.block(f"if ({value.it}) {{"):
                self.build.value(resolved(item), low, Value(f"(*{value.it})"), slot)

    def emptied(self, name: str, slot: Slot) -> str:
        return f"Fill {name}({slot.ref})"

    def is_same_map(self, type: Map) -> bool:
        return self.is_same(type.key) and self.is_same(type.value)

    def to_native(self, type: Type, value: str) -> str:
        match type:
            case Enum():
                return f"static_cast<{NAMESPACE}::{self.native(type)}::type>({value})"
            case Scalar("u8" | "u64" as name):
                return f"static_cast<{SCALARS[THRIFT_SCALARS[name]]}>({value})"
            case _:
                return value

    def checksum(self, type: Type, native: str) -> str:
        match type:
            case Scalar("u8" | "f32"):
                return f"checksum_of(static_cast<{cpp_type(type)}>({native}))"
            case _:
                return f"checksum_of({native})"
