"""Generates the structs that users of Avro's libraries for Go write, with the tag ``avro``, and the code
between them and domain objects. A record that stands for a union has the value of a branch in a field of type
``any``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from serbench.codegen.naming import counterparts
from serbench.codegen.steps import Step
from serbench.idl.avsc import branch_of, entry_name, java_package, lowered
from serbench.languages.go.domain import aligned
from serbench.languages.go.functions import bare, choosing
from serbench.languages.go.structs import StructBuilds, StructReads, Structs
from serbench.model import Alternative, Enum, FixedBytes, List, Map, Record, Schema, Type, Union, string
from serbench.model.names import pascal
from serbench.model.parts import parts, resolved

NUMBERS = {"bool": "bool", "f32": "float32", "f64": "float64", "string": "string", "bytes": "[]byte"}
NUMBERS |= dict.fromkeys(("i8", "i16", "i32", "u8", "u16"), "int32")
NUMBERS |= dict.fromkeys(("i64", "u32", "u64"), "int64")
"""The types that libraries have for scalars: one for Avro's int, one for its long."""


class AvroStructs(Structs):
    """Generates the structs of a workload, and the functions that convert them.

    Attributes:
        namespace: the namespace of all types in Avro.
    """

    numbers = NUMBERS
    by_pointer = False

    def __init__(self, schema: Schema):
        super().__init__(lowered(schema))
        self.domains = counterparts(self.types.schema, self.schema)
        self.namespace = java_package(schema)
        self.entries: dict[str, Map] = {}

    def struct(self, low: Record | Union) -> str:
        return f"avro{low.name}"

    def part(self, low: Record | Union, name: str) -> str:
        names: dict[str, str] = {}
        for each in low.fields if isinstance(low, Record) else ():
            made = pascal(each.name)
            while made in names.values():
                made += "_"
            names[each.name] = made
        return names[name]

    def enum(self, low: Enum) -> str:
        return "string"

    def optional(self, item: Type) -> str:
        return f"*{self.native(item)}"

    def is_pointer(self, item: Type) -> bool:
        return True

    def map(self, low: Map) -> str:
        if low.key == string:
            return super().map(low)
        name = f"avro{entry_name(self.types, low)}"
        self.entries[name] = low
        return f"[]{name}"

    def branch(self, low: Type) -> str:
        """Return the name of a union's branch in Avro, with the namespace if its type is a named one."""
        low = resolved(low)
        has_name = isinstance(low, Record | Union | Enum | FixedBytes)
        name = branch_of(low)
        return f"{self.namespace}.{name}" if has_name else {"bool": "boolean"}.get(name, name)

    def more(self) -> None:
        for composite in self.types.composites:
            lines = [("Value", "any", "value")]
            if isinstance(composite, Record):
                lines = [
                    (self.part(composite, e.name), self.native(e.type), e.name) for e in composite.fields
                ]
            self.declare_struct(self.struct(composite), lines)
        written = 0
        while written < len(self.entries):  # entries may hold maps
            name, map = list(self.entries.items())[written]
            held = [("key", map.key), ("value", map.value)]
            self.declare_struct(name, [(pascal(name), self.native(type), name) for name, type in held])
            written += 1
        for enum in self.types.enums:
            self._names(enum)

    def declare_struct(self, name: str, fields: list[tuple[str, str, str]]) -> None:
        """Write a struct of fields, each with its name, its type and its name in Avro."""
        lines = aligned([(own, type, f'`avro:"{told}"`') for own, type, told in fields])
        body = ["struct {", *(f"\t{line}" for line in lines), "}"] if fields else ["struct{}"]
        self.out("", f"type {name} {body[0]}", *body[1:])

    def _names(self, low: Enum) -> None:
        """Write two functions: from an enum's number in the domain to its symbol in Avro, and back."""
        own: Enum = self.domains[low.name]
        out, type = self.out, f"domain.{own.name}"
        pairs = [
            (f"domain.{mine}", f'"{name}"')
            for (mine, _), (name, _) in zip(own.members, low.members, strict=True)
        ]
        choosing(out, f"func nameOf{low.name}(value {type}) string {{", "value", pairs, 'return ""')
        numbers = [(name, mine) for mine, name in pairs]
        choosing(out, f"func numberOf{low.name}(name string) {type} {{", "name", numbers, "return 0")


@dataclass
class AvroBuilds(StructBuilds):
    """Generates functions that build messages: symbols for enums, arrays for maps without string keys."""

    def branch(self, type: Type | None, lower: Any, chosen: str, place: str) -> str:
        """Write the code that makes the value of a union's branch in the variable ``chosen``; return the
        expression for it that is assigned to a field of type ``any``."""
        raise NotImplementedError(f"{self.__class__.__name__} has no branch")

    def alternative(self, union: Union, type: Type | None, low: Alternative, place: str) -> None:
        made = "nil"
        if low.type is not None:
            made = self.branch(type, resolved(low.type), self.variable("chosen"), place)
        self.out(f"to.Value = {made}")

    def number(self, step: Step, place: str, target: str) -> None:
        if isinstance(step.low, Enum):
            self.out(f"{bare(target)} = nameOf{step.low.name}({bare(place)})")
        else:
            super().number(step, place, target)

    def pairs(self, step: Step, place: str, target: str) -> None:
        if step.low.key == string:
            super().pairs(step, place, target)
            return
        native = self.glue.native(step.low)
        self.out(f"{bare(target)} = make({native}, 0, len({bare(place)}))")
        with self.inner():
            first, item, made = (self.variable(name) for name in ("key", "item", "made"))
            with self.out.block(f"for {first}, {item} := range {bare(place)} {{"):
                self.out(f"var {made} {native[2:]}")
                self.value(*step.key, first, f"{made}.Key")
                self.value(*step.value, item, f"{made}.Value")
                self.out(f"{bare(target)} = append({bare(target)}, {made})")


@dataclass
class AvroReads(StructReads):
    """Generates functions that read the messages that those of ``AvroBuilds`` build."""

    looks_up_enums = True

    def number_of(self, step: Step, native: str) -> str:
        if isinstance(step.low, Enum):
            return f"numberOf{step.low.name}({native})"
        return super().number_of(step, native)

    def pairs(self, step: Step, native: str, place: str) -> None:
        if step.low.key == string:
            super().pairs(step, native, place)
            return
        self.use.emptied(place, f"len({bare(native)})")
        with self.inner() as at, self.out.block(f"for {at} := range {bare(native)} {{"):
            self.pair(step, f"{native}[{at}].Key", f"{native}[{at}].Value", place)


def nested_in_alternatives(schema: Schema) -> bool:
    """Whether an alternative of any union is a list or a map of lists or maps."""
    held = [resolved(each.type) for union in lowered(schema).unions for each in union.alternatives]
    return any(isinstance(type, List | Map) and isinstance(parts(type)[-1], List | Map) for type in held)
