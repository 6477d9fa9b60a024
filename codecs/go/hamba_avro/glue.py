"""Generates code between domain objects and the structs that hamba/avro reads and writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from serbench.codegen.steps import has_no_fields
from serbench.idl.avsc import branch_of
from serbench.languages.go.avro import AvroBuilds, AvroReads, AvroStructs, nested_in_alternatives
from serbench.model import Alternative, Enum, List, Map, Record, Schema, Type, Union
from serbench.model.parts import resolved

_BUILT_IN = ("boolean", "long", "float", "double", "string", "bytes")
"""Branches of unions whose Go types the library knows by itself; for Avro's int, it knows Go's ``int``."""


def fits(schema: Schema, variant: str) -> str | None:
    """Return why the library cannot do a schema; None where it can."""
    if nested_in_alternatives(schema):
        return (
            "it finds the type of a list or a map in a union by the kind of its items, which are lists here"
        )
    return None


def emit(schema: Schema) -> str:
    """Return the text of ``glue.go`` for a workload."""
    return _Glue(schema).text()


@dataclass
class _Builds(AvroBuilds):
    def branch(self, type: Type | None, lower: Any, chosen: str, place: str) -> str:
        self.out(f"var {chosen} {self.glue.native(lower)}")
        if not has_no_fields(lower):
            self.value(type or lower, lower, place, chosen)
        return f"{self.glue.alternative(lower)}({chosen})" if isinstance(lower, Enum) else chosen


@dataclass
class _Reads(AvroReads):
    def switch(self, type: Union, low: Union) -> None:
        uses = any(own.type is not None for own in type.alternatives)
        self.out(f"switch {'chosen := ' if uses else ''}from.Value.(type) {{")

    def case(self, union: Union, low: Alternative) -> str:
        return "nil" if low.type is None else str(self.glue.alternative(low.type))

    def alternative(self, type: Type, union: Union, low: Alternative, place: str) -> None:
        lower = resolved(low.type)
        self.value(type, lower, "string(chosen)" if isinstance(lower, Enum) else "chosen", place)


class _Glue(AvroStructs):
    builds = _Builds
    reads = _Reads

    def alternative(self, low: Type) -> str:
        """Return the Go type of a union's branch as a value in a field of type ``any``.

        A struct is held there by itself, not by a pointer: for a pointer, the library would allocate a struct
        and then keep a pointer in its memory, which is too small where a struct is smaller than a pointer.
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
