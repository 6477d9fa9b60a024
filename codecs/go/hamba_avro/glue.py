"""Conversions between domain objects and the structs that hamba/avro reads and writes."""

from __future__ import annotations

from dataclasses import dataclass

from serbench.idl.avsc import branch_of
from serbench.languages.go.avro import (
    AvroBuilds,
    AvroExtracts,
    AvroMessages,
    AvroSums,
    nested_in_alternatives,
)
from serbench.languages.go.messages import resolved
from serbench.model import Enum, List, Map, Record, Schema, Type, Union

_BUILT_IN = ("boolean", "long", "float", "double", "string", "bytes")
"""Branches whose types the library knows by itself; for int, it would be ``int``."""


def fits(schema: Schema, variant: str) -> str | None:
    """Why the library cannot do a schema; None where it can."""
    if nested_in_alternatives(schema):
        return (
            "it finds the type of a list or a map in a union by the kind of its items, which are lists here"
        )
    return None


def emit(schema: Schema) -> str:
    """The file ``glue.go`` of a workload."""
    return _Glue(schema, {"build": _Builds, "extract": _Extracts, "sum": _Sums}).text()


class _Glue(AvroMessages):
    def alternative(self, low: Type) -> str:
        """The type of a branch in a field of type ``any``.

        Structs by value: of one behind a pointer, the library makes two in which it keeps a pointer in the
        place of the first, which is too small where a struct is smaller than a pointer.
        """
        low = resolved(low)
        match low:
            case Record() | Union():
                return self.message(low)
            case Enum():
                return f"avro{low.name}"
            case _:
                return self.native(low)

    def more(self) -> None:
        super().more()
        told: dict[str, str] = {}
        enums = []
        for union in self.types.unions:
            for each in union.alternatives:
                if each.type is not None and self.branch(each.type) not in _BUILT_IN:
                    told[self._name(each.type)] = self.alternative(each.type)
                    enums += [resolved(each.type)] if isinstance(resolved(each.type), Enum) else []
        for name in dict.fromkeys(enum.name for enum in enums):
            self.out("", f"type avro{name} string")
        self.out("", "// register tells the library what the branches of unions are.")
        with self.out.block("func register(tell func(name string, sample any)) {"):
            for name, type in told.items():
                self.out(f'tell("{name}", *new({type}))')

    def _name(self, low: Type) -> str:
        low = resolved(low)
        inner = low.item if isinstance(low, List) else low.value if isinstance(low, Map) else None
        if inner is None:
            return self.branch(low)
        if isinstance(low, Map) and branch_of(low) == "array":
            return f"array:{self.namespace}.{self.map(low).removeprefix('[]avro')}"
        return f"{branch_of(low)}:{self.branch(inner)}"


@dataclass
class _Builds(AvroBuilds):
    def alternative(self, union: Union, type: Type | None, name: str, low: Type | None, place: str) -> None:
        if low is None:
            self.out("to.Value = nil")
            return
        low, chosen = resolved(low), self.variable("chosen")
        if isinstance(low, Record | Union):
            self.out(f"var {chosen} {self.glue.message(low)}")
            if low.fields if isinstance(low, Record) else True:
                call = self.glue.call("build", resolved(type or low), low)
                self.out(f"{call}(&{chosen}, {place[2:-1]})")
        else:
            assert type is not None
            self.out(f"var {chosen} {self.glue.native(low)}")
            self.value_to(type, low, place, chosen)
        self.out(
            f"to.Value = {self.glue.alternative(low)}({chosen})"
            if isinstance(low, Enum)
            else f"to.Value = {chosen}"
        )


@dataclass
class _Extracts(AvroExtracts):
    def union(self, type: Union, low: Union) -> None:
        uses = any(own.type is not None for own in type.alternatives)
        self.out(f"switch {'chosen := ' if uses else ''}from.Value.(type) {{")
        for own, lower in zip(type.alternatives, low.alternatives, strict=True):
            self.out(f"case {'nil' if lower.type is None else self.glue.alternative(lower.type)}:")
            with self.out.indented():
                place = self.chosen(type, own.name, own.type)
                if own.type is not None and lower.type is not None:
                    native = resolved(lower.type)
                    if isinstance(native, Record | Union):
                        call = self.glue.call("extract", resolved(own.type), native)
                        self.out(f"{call}(&chosen, {place[2:-1]}, faults)")
                    else:
                        held = "string(chosen)" if isinstance(native, Enum) else "chosen"
                        self.value_of(own.type, native, held, place)
        self.out("default:", '\tfaults.Add("a union has no alternative")', "}")


@dataclass
class _Sums(AvroSums):
    def union(self, type: Union, low: Union) -> None:
        uses = any(own.type is not None for own in type.alternatives)
        self.out(f"switch {'chosen := ' if uses else ''}from.Value.(type) {{")
        for index, (own, lower) in enumerate(zip(type.alternatives, low.alternatives, strict=True)):
            self.out(f"case {'nil' if lower.type is None else self.glue.alternative(lower.type)}:")
            with self.out.indented():
                self.out(f"sum += {index}")
                if own.type is not None and lower.type is not None:
                    native = resolved(lower.type)
                    if isinstance(native, Record | Union):
                        call = self.glue.call("sum", resolved(own.type), native)
                        self.out(f"sum += {call}(&chosen)")
                    else:
                        self.value_of(
                            own.type, native, "string(chosen)" if isinstance(native, Enum) else "chosen"
                        )
        self.out("}")
