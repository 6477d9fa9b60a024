"""Conversions between domain objects and the structs that Thrift's compiler generates for Go."""

from __future__ import annotations

from dataclasses import dataclass

from serbench.idl.thrift_go import go_name, lowered
from serbench.languages.go.building import Builds
from serbench.languages.go.extracting import Extracts
from serbench.languages.go.messages import Messages, is_nilable, resolved
from serbench.languages.go.summing import Sums
from serbench.model import Enum, Record, Schema, Type, Union

_NUMBERS = {"bool": "bool", "f32": "float64", "f64": "float64", "string": "string", "bytes": "[]byte"}
_NUMBERS |= {"i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64"}
_NUMBERS |= {"u8": "int8", "u16": "int32", "u32": "int64", "u64": "int64"}


def emit(schema: Schema) -> str:
    """The file ``glue.go`` of a workload."""
    return _Glue(lowered(schema), {"build": _Builds, "extract": _Extracts, "sum": _Sums}).text()


class _Glue(Messages):
    numbers = _NUMBERS
    by_pointer = True
    package = "messages."
    imported = ("cell/messages",)

    def struct(self, low: Record | Union) -> str:
        return go_name(low.name)

    def part(self, low: Record | Union, name: str) -> str:
        return go_name(name)

    def enum(self, low: Enum) -> str:
        return f"{self.package}{go_name(low.name)}"

    def optional(self, item: Type) -> str:
        native = self.native(item)
        return native if is_nilable(item) or isinstance(resolved(item), Record | Union) else f"*{native}"

    def is_pointer(self, item: Type) -> bool:
        return not is_nilable(item)


@dataclass
class _Builds(Builds):
    def alternative(self, union: Union, type: Type | None, name: str, low: Type | None, place: str) -> None:
        assert low is not None
        target = f"to.{self.glue.part(union, name)}"
        if type is None:
            self.out(f"{target} = new({self.glue.message(low)})")
        else:
            self.present(type, resolved(low), place, target)


@dataclass
class _Extracts(Extracts):
    def union(self, type: Union, low: Union) -> None:
        self.out("switch {")
        for own, lower in zip(type.alternatives, low.alternatives, strict=True):
            native = f"from.{self.glue.part(low, lower.name)}"
            self.out(f"case {native} != nil:")
            with self.out.indented():
                place = self.chosen(type, own.name, own.type)
                if own.type is not None and lower.type is not None:
                    self.value_of(own.type, lower.type, self.held_by(lower.type, native), place)
        self.out("default:", '\tfaults.Add("a union has no alternative")', "}")


@dataclass
class _Sums(Sums):
    def union(self, type: Union, low: Union) -> None:
        self.out("switch {")
        for index, (own, lower) in enumerate(zip(type.alternatives, low.alternatives, strict=True)):
            native = f"from.{self.glue.part(low, lower.name)}"
            self.out(f"case {native} != nil:", f"\tsum += {index}")
            with self.out.indented():
                if own.type is not None and lower.type is not None:
                    self.value_of(own.type, lower.type, self.held_by(lower.type, native))
        self.out("}")
