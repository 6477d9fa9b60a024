"""Avro's messages in Go: structs as users of its libraries write them, with the tag ``avro``. A record that
stands for a union has the value of a branch in a field of type ``any``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from serbench.idl.avsc import branch_of, entry_name, java_package, lowered
from serbench.languages.go.building import Builds
from serbench.languages.go.domain import aligned
from serbench.languages.go.extracting import Extracts
from serbench.languages.go.functions import bare
from serbench.languages.go.messages import Conversion, Messages, resolved
from serbench.languages.go.summing import Sums
from serbench.model import Enum, FixedBytes, List, Map, Record, Schema, Type, Union, string
from serbench.model.names import pascal

NUMBERS = {"bool": "bool", "f32": "float32", "f64": "float64", "string": "string", "bytes": "[]byte"}
NUMBERS |= dict.fromkeys(("i8", "i16", "i32", "u8", "u16"), "int32")
NUMBERS |= dict.fromkeys(("i64", "u32", "u64"), "int64")
"""What libraries read and write int and long as, and all else."""


class AvroMessages(Messages):
    """The structs of a workload, and what makes them of domain objects.

    Attributes:
        namespace: of all types.
    """

    numbers = NUMBERS
    by_pointer = False

    def __init__(self, schema: Schema, kinds: Mapping[str, type[Conversion]]):
        super().__init__(lowered(schema), kinds)
        self.namespace = java_package(schema)
        self.fields: dict[str, dict[str, str]] = {}
        self.entries: dict[str, Map] = {}

    def struct(self, low: Record | Union) -> str:
        return f"avro{low.name}"

    def part(self, low: Record | Union, name: str) -> str:
        if low.name not in self.fields:
            names: dict[str, str] = {}
            for each in low.fields if isinstance(low, Record) else ():
                made = pascal(each.name)
                while made in names.values():
                    made += "_"
                names[each.name] = made
            self.fields[low.name] = names
        return self.fields[low.name][name]

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
        """By which name Avro tells a branch from others: the whole one of a type that has a name."""
        low = resolved(low)
        has_name = isinstance(low, Record | Union | Enum | FixedBytes)
        name = branch_of(low)
        return f"{self.namespace}.{name}" if has_name else {"bool": "boolean"}.get(name, name)

    def more(self) -> None:
        for composite in self.types.composites:
            fields = composite.fields if isinstance(composite, Record) else ()
            lines = [(self.part(composite, e.name), self.native(e.type), e.name) for e in fields]
            self.declare(self.struct(composite), lines if fields else self._value(composite))
        written = 0
        while written < len(self.entries):  # entries may hold maps
            name, map = list(self.entries.items())[written]
            held = [("key", map.key), ("value", map.value)]
            self.declare(name, [(pascal(name), self.native(type), name) for name, type in held])
            written += 1
        for enum in self.types.enums:
            self._names(enum)

    def _value(self, composite: Record | Union) -> list[tuple[str, str, str]]:
        return [("Value", "any", "value")] if isinstance(composite, Union) else []

    def declare(self, name: str, fields: list[tuple[str, str, str]]) -> None:
        """Writes a struct: of each field, its name, its type and its name in Avro."""
        lines = aligned([(own, type, f'`avro:"{told}"`') for own, type, told in fields])
        if not fields:
            self.out("", f"type {name} struct{{}}")
            return
        self.out("", f"type {name} struct {{", *(f"	{line}" for line in lines), "}")

    def _names(self, low: Enum) -> None:
        """What makes symbols of the numbers of an enum, and numbers of symbols."""
        own: Enum = self.domains[low.name]
        pairs = [(mine, name) for (mine, _), (name, _) in zip(own.members, low.members, strict=True)]
        out, type = self.out, f"domain.{own.name}"
        out("", f"func nameOf{low.name}(value {type}) string {{", "\tswitch value {")
        out(*(f'\tcase domain.{mine}:\n\t\treturn "{name}"' for mine, name in pairs))
        out("\t}", '\treturn ""', "}", "", f"func numberOf{low.name}(name string) {type} {{")
        out("\tswitch name {")
        out(*(f'\tcase "{name}":\n\t\treturn domain.{mine}' for mine, name in pairs))
        out("\t}", "\treturn 0", "}")


@dataclass
class AvroBuilds(Builds):
    """With symbols for enums, and arrays of pairs for maps whose keys are no strings."""

    def enum(self, type: Enum, low: Enum, place: str) -> str:
        return f"nameOf{low.name}({place})"

    def map(self, key: Type, value: Type, low: Map, place: str, target: str) -> None:
        if low.key == string:
            super().map(key, value, low, place, target)
            return
        self.out(f"{bare(target)} = make({self.glue.native(low)}, 0, len({bare(place)}))")
        with self.inner():
            first, item, made = (self.variable(name) for name in ("key", "item", "made"))
            with self.out.block(f"for {first}, {item} := range {bare(place)} {{"):
                self.out(f"var {made} {self.glue.native(low)[2:]}")
                self.value_to(key, low.key, first, f"{made}.Key")
                self.value_to(value, low.value, item, f"{made}.Value")
                self.out(f"{bare(target)} = append({bare(target)}, {made})")


@dataclass
class AvroExtracts(Extracts):
    """Likewise."""

    def enum(self, type: Enum, low: Enum, native: str, place: str) -> None:
        self.out(f"{bare(place)} = numberOf{low.name}({bare(native)})")

    def map(self, key: Type, value: Type, low: Map, native: str, place: str) -> None:
        if low.key == string:
            super().map(key, value, low, native, place)
            return
        self.out(f"{bare(place)} = serbench.Emptied({bare(place)})")
        with self.inner() as at:
            made, own = self.variable("made"), self.variable("own")
            with self.out.block(f"for {at} := range {bare(native)} {{"):
                self.out(f"var {own} {self.held(key)}")
                self.value_of(key, low.key, f"{native}[{at}].Key", own)
                self.out(f"var {made} {self.held(value)}")
                self.value_of(value, low.value, f"{native}[{at}].Value", made)
                self.out(f"{place}[{own}] = {made}")


@dataclass
class AvroSums(Sums):
    """Likewise."""

    def enum(self, type: Enum, low: Enum, native: str) -> str:
        return f"numberOf{low.name}({native})"

    def map(self, key: Type, item: Type, low: Map, native: str) -> None:
        if low.key == string:
            super().map(key, item, low, native)
            return
        self.out(f"sum += uint64(len({bare(native)}))")
        with self.inner() as at, self.out.block(f"for {at} := range {bare(native)} {{"):
            self.value_of(key, low.key, f"{native}[{at}].Key")
            self.value_of(item, low.value, f"{native}[{at}].Value")


def nested_in_alternatives(schema: Schema) -> bool:
    """Whether an alternative is a list or a map of lists or maps."""
    for union in lowered(schema).unions:
        for each in union.alternatives:
            held = resolved(each.type) if each.type is not None else None
            inner = held.item if isinstance(held, List) else held.value if isinstance(held, Map) else None
            if isinstance(inner, List | Map):
                return True
    return False
