"""Generates code between domain objects and the structs that Thrift's compiler generates for Go."""

from __future__ import annotations

from dataclasses import dataclass

from serbench.idl.thrift_go import go_name, lowered
from serbench.languages.go.structs import StructBuilds, StructReads, Structs
from serbench.model import Alternative, Enum, Field, Optional, Record, Schema, Type, Union
from serbench.model.parts import resolved

_NUMBERS = {"bool": "bool", "f32": "float64", "f64": "float64", "string": "string", "bytes": "[]byte"}
_NUMBERS |= {"i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64"}
_NUMBERS |= {"u8": "int8", "u16": "int32", "u32": "int64", "u64": "int64"}


def emit(schema: Schema) -> str:
    """Return the text of ``glue.go`` for a workload."""
    return _Glue(lowered(schema)).text()


@dataclass
class _Builds(StructBuilds):
    def alternative(self, union: Union, type: Type | None, low: Alternative, place: str) -> None:
        target = f"to.{self.glue.part(union, low.name)}"
        if type is None:
            self.out(f"{target} = new({self.glue.message(resolved(low.type))})")
        else:
            self.present(type, resolved(low.type), place, target)


@dataclass
class _Reads(StructReads):
    def field(self, record: Record, type: Type, low: Field, place: str) -> None:
        """Write the statements that read a field of a message. A struct is nil that a message of another
        schema lacks."""
        if (
            not self.adds
            and isinstance(resolved(low.type), Record | Union)
            and not isinstance(type, Optional)
        ):
            faults = self.glue.faults
            with self.out.block(f"if from.{self.glue.part(record, low.name)} == nil {{"):
                self.out(f'{faults.name}.{faults.add}("a required field is absent")', "return")
        super().field(record, type, low, place)

    def switch(self, type: Union, low: Union) -> None:
        self.out("switch {")

    def case(self, union: Union, low: Alternative) -> str:
        return f"from.{self.glue.part(union, low.name)} != nil"

    def alternative(self, type: Type, union: Union, low: Alternative, place: str) -> None:
        lower = resolved(low.type)
        native = self.held_by(lower, f"from.{self.glue.part(union, low.name)}")
        self.value(type, lower, native, place)


class _Glue(Structs):
    builds = _Builds
    reads = _Reads
    numbers = _NUMBERS
    by_pointer = True
    package = "messages."

    def struct(self, low: Record | Union) -> str:
        return go_name(low.name)

    def part(self, low: Record | Union, name: str) -> str:
        return go_name(name)

    def enum(self, low: Enum) -> str:
        return f"{self.package}{go_name(low.name)}"
