"""Generates code for libraries whose objects are structs with the same fields as the domain's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from serbench.codegen.steps import Step, has_no_fields
from serbench.languages.go.conversion import GoConversion, GoReading
from serbench.languages.go.domain import SCALARS
from serbench.languages.go.functions import bare, held_at, pointer_to
from serbench.languages.go.glue import GoGlue
from serbench.model import (
    Alternative,
    Array,
    Enum,
    Field,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    Scalar,
    Type,
    Union,
    Walk,
    bytes_,
)
from serbench.model.names import pascal
from serbench.model.parts import resolved


def is_nilable(low: Type) -> bool:
    """Whether values of a type are slices or maps, which may be nil."""
    return resolved(low) == bytes_ or isinstance(resolved(low), List | Map)


class Structs(GoGlue):
    """Generates ``glue.go`` for a library whose objects are structs; a subclass gives the names of these.

    Attributes:
        numbers: name of a scalar in the type model → the type that messages have for it.
        by_pointer: whether fields, items and values of maps are pointers to structs.
        package: the prefix of the names of messages.
    """

    numbers: Mapping[str, str]
    by_pointer: bool
    package = ""

    def struct(self, low: Record | Union) -> str:
        """Return the name of the library's struct for a record or union."""
        raise NotImplementedError(f"{self.__class__.__name__} has no struct")

    def part(self, low: Record | Union, name: str) -> str:
        """Return the name that a record's field or a union's alternative has in the library's struct."""
        raise NotImplementedError(f"{self.__class__.__name__} has no part")

    def enum(self, low: Enum) -> str:
        """Return the Go type of an enum in a message."""
        raise NotImplementedError(f"{self.__class__.__name__} has no enum")

    def optional(self, item: Type) -> str:
        """Return the Go type of a message's field that may be absent."""
        native = self.native(item)
        return native if is_nilable(item) or isinstance(resolved(item), Record | Union) else f"*{native}"

    def map(self, low: Map) -> str:
        """Return the Go type of a map in a message."""
        return f"map[{self.native(low.key)}]{self.native(low.value)}"

    def is_pointer(self, item: Type) -> bool:
        """Whether an optional field is a pointer to its value; if not, it is a slice or a map, which is nil
        where it is absent."""
        return not is_nilable(item)

    def native(self, low: Type) -> str:
        """Return the Go type of a value in a message."""
        match resolved(low):
            case Scalar(name):
                return self.numbers[name]
            case Enum() as enum:
                return self.enum(enum)
            case FixedBytes(length):
                return f"[{length}]byte"
            case List(item):
                return f"[]{self.native(item)}"
            case Map() as map:
                return self.map(map)
            case Optional(item):
                return self.optional(item)
            case (Record() | Union()) as low:
                return f"{'*' if self.by_pointer else ''}{self.message(low)}"
            case _:
                raise TypeError(low)

    def message(self, low: Type) -> str:
        """Return the name of the struct for a record or union, with the prefix ``package``."""
        return f"{self.package}{self.struct(resolved(low))}"

    def holder(self, low: Record | Union) -> str:
        """Return the name of the struct that has the fields of a record or the alternatives of a union."""
        return self.message(low)

    def function_name(self, kind: str, low: Type) -> str:
        return f"{kind}{pascal(self.struct(resolved(low)))}"

    def declare(self, low: Record) -> None:
        self.out(f"type message = {self.message(low)}")

    def walk(self, walk: Walk, root: Record, node: Record, edge: Record) -> None:
        nodes, target = self.part(root, walk.nodes), self.part(edge, walk.target)
        loop, place = self.edge_of(f"from.{nodes}[node].{self.part(node, walk.edges)}")
        head = f"return serbench.DepthFirst(len(from.{nodes}), func(node int, reach func(int)) {{"
        with self.out.block(head, "})"), self.out.block(f"for {loop} {{"):
            self.out(f"reach(int({place}.{target}))")

    def edge_of(self, edges: str) -> tuple[str, str]:
        """Return the head of a loop over the ``edges`` of a graph's node, and the Go for an edge in it."""
        return f"edge := range {edges}", f"{edges}[edge]"


@dataclass
class StructConversion(GoConversion):
    """Generates functions that build, extract or sum the structs of a library."""

    def same(self, type: Type, low: Type) -> bool:
        """Whether messages have the same Go type for a value as the domain."""
        match resolved(type), resolved(low):
            case Scalar(name), Scalar():
                return bool(self.glue.numbers[name] == SCALARS[name])
            case List(Scalar("u8")), Scalar("bytes"):
                return True
            case List(item), List(lower):
                return self.same(item, lower)
            case Map(key, value), Map(low_key, low_value) as map:
                is_map = self.glue.map(map).startswith("map[")
                return is_map and self.same(key, low_key) and self.same(value, low_value)
            case FixedBytes(), FixedBytes():
                return True
            case _:
                return False

    def parts(self, type: Type, low: Record) -> list[tuple[Type, Field, str]]:
        """Return the fields of a message, each with the type and the place of its value in the domain."""
        pairs = zip(self.values(type, low), low.fields, strict=True)
        return [(each, field, place) for (each, place), field in pairs]

    def pointer(self, native: str) -> str:
        """Return the expression for a pointer to the struct at a place in a message."""
        return native if self.glue.by_pointer else pointer_to(native)

    def held_by(self, low: Type, native: str) -> str:
        """Return the place of an optional field's value; ``native`` is the place of the field itself."""
        is_itself = self.glue.by_pointer and isinstance(resolved(low), Record | Union)
        return f"(*{bare(native)})" if self.glue.is_pointer(low) and not is_itself else native

    def is_cast(self, name: str) -> bool:
        """Whether messages have as many bits for the scalar ``name`` as the domain: a cast converts it."""
        bits = [re.sub(r"\D", "", each) for each in (SCALARS[name], self.glue.numbers[name])]
        return bits[0] == bits[1]


@dataclass
class StructBuilds(StructConversion):
    """Generates functions that build messages; ``target`` is the place in a message that is assigned."""

    def function(self, name: str, type: Any, low: Any) -> None:
        self._taken.clear()
        self.out("")
        own, value = self.glue.holder(low), self.argument(type, low)
        if has_no_fields(low):
            self.out(f"func {name}(_ *{own}, {value}) {{}}")
            return
        with self.out.block(f"func {name}(to *{own}, {value}) {{"):
            if isinstance(low, Record):
                for part in self.parts(type, low):
                    self.field(low, *part)
                return
            self.out("switch {")
            for alternative, lower in zip(type.alternatives, low.alternatives, strict=True):
                self.out(f"case value.{alternative.name} != nil:")
                with self.out.indented():
                    self.alternative(low, alternative.type, lower, f"(*value.{alternative.name})")
            self.out("}")

    def field(self, record: Record, type: Type, low: Field, place: str) -> None:
        """Write the statement that assigns a field of a message."""
        self.value(type, low.type, held_at(type, place), f"to.{self.glue.part(record, low.name)}")

    def alternative(self, union: Union, type: Type | None, low: Alternative, place: str) -> None:
        """Write the statements that put the value of an alternative into a message."""
        raise NotImplementedError(f"{self.__class__.__name__} has no alternative")

    def value(self, type: Type, low: Type, *places: Any) -> Any:
        if self.same(type, low):
            place, target = places
            self.out(f"{bare(target)} = {bare(place)}")
        else:
            super().value(type, low, *places)

    def octets(self, step: Step, place: str, target: str) -> None:
        self.out(f"{bare(target)} = {place}[:]")

    def number(self, step: Step, place: str, target: str) -> None:
        self.out(f"{bare(target)} = {self.glue.native(step.low)}({bare(place)})")

    def composite(self, step: Step, place: str, target: str) -> None:
        name = self.glue.call("build", step.type, step.low)
        if self.glue.by_pointer:
            self.out(f"{bare(target)} = new({self.glue.message(step.low)})")
        self.out(f"{name}({self.pointer(target)}, {pointer_to(place)})")

    def items(self, step: Step, place: str, target: str) -> None:
        self.out(f"{bare(target)} = make({self.glue.native(step.low)}, len({bare(place)}))")
        item, low = step.item
        with self.inner() as at, self.out.block(f"for {at} := range {bare(place)} {{"):
            each = f"{place}[{at}]"
            if isinstance(step.type, Array):
                each = held_at(item, each)
            self.value(item, low, each, f"{target}[{at}]")

    def optional(self, step: Step, place: str, target: str) -> None:
        item, low = step.item
        if self.same(item, low) and self.glue.is_pointer(low) and not is_nilable(low):
            self.out(f"{bare(target)} = {bare(place)}")
            return
        with self.out.block(f"if {bare(place)} != nil {{"):
            self.present(item, low, f"(*{bare(place)})", target)

    def present(self, item: Type, low: Type, place: str, target: str) -> None:
        """Write the statements that assign an optional value that is there to its place in a message."""
        held = self.held_by(low, target)
        if held != target:
            self.out(f"{bare(target)} = new({self.glue.native(low)})")
        self.value(item, low, place, held)
        if is_nilable(low) and self.may_be_nil(item, low):
            with self.out.block(f"if {bare(held)} == nil {{"):
                self.out(f"{bare(held)} = {self.glue.native(low)}{{}}")

    def may_be_nil(self, item: Type, low: Type) -> bool:
        """Whether the slice or map that is assigned may be nil, which messages take for an absent one."""
        return self.same(item, low) or isinstance(item, Array)

    def pairs(self, step: Step, place: str, target: str) -> None:
        low = step.low
        self.out(f"{bare(target)} = make({self.glue.native(low)}, len({bare(place)}))")
        with self.inner():
            first, item = self.variable("key"), self.variable("item")
            made, native = self.variable("made"), self.variable("native")
            with self.out.block(f"for {first}, {item} := range {bare(place)} {{"):
                self.out(f"var {made} {self.glue.native(low.value)}")
                self.value(*step.value, item, made)
                self.out(f"var {native} {self.glue.native(low.key)}")
                self.value(*step.key, first, native)
                self.out(f"{target}[{native}] = {made}")


@dataclass
class StructReads(StructConversion, GoReading):
    """Generates functions that read messages; ``native`` is the place in a message that is read."""

    text_sum = "SumString"

    def parameters(self, low: Type) -> str:
        return f"{'_' if has_no_fields(low) else 'from'} *{self.glue.holder(low)}"

    def record(self, type: Type, low: Record) -> None:
        for each, field, place in self.parts(type, low):
            self.field(low, each, field, place)

    def field(self, record: Record, type: Type, low: Field, place: str) -> None:
        """Write the statements that read a field of a message."""
        place = self.use.field(type, place)
        self.value(type, low.type, f"from.{self.glue.part(record, low.name)}", place)

    def number_of(self, step: Step, native: str) -> str:
        match step.type, step.low:
            case Enum(), Enum():
                return self.glue.faults.narrowed(self.held(step.type), native)  # type: ignore[no-any-return]
            case Enum() as enum, _:
                return f"{self.held(enum)}({self.scalar_of(enum.underlying, native)})"
            case _ if self.same(step.type, step.low):
                return native
            case _:
                return self.scalar_of(step.type, native)

    def scalar_of(self, type: Scalar, native: str) -> str:
        """Return the expression that converts a number in a message to a type of the domain."""
        own = SCALARS[type.name]
        if type.is_float or self.is_cast(type.name):
            return f"{own}({native})"
        return self.glue.faults.narrowed(own, native)  # type: ignore[no-any-return]

    def summand(self, step: Step, native: str) -> str:
        """Return the expression for what a number adds to a sum, once it has the domain's sign and size."""
        if not isinstance(step.low, Scalar):
            return super().summand(step, native)
        name = step.low.name
        held = self.glue.numbers[name]
        has_sign = name[0] == "u" and self.is_cast(name) and held[0] == "i"
        if has_sign or (step.low.is_float and held != SCALARS[name]):
            native = f"{SCALARS[name]}({native})"
        return super().summand(step, native)

    def number(self, step: Step, native: str, place: str) -> None:
        super().number(step, bare(native), place)

    def text(self, step: Step, native: str, place: str) -> None:
        self.use.text(bare(native), place)

    def octets(self, step: Step, native: str, place: str) -> None:
        is_array, adds = isinstance(step.low, FixedBytes), self.adds
        if is_array and adds:
            self.out(f"sum += serbench.SumBytes({native}[:]) - {step.length}")
        elif is_array:
            self.out(f"{bare(place)} = {bare(native)}")
        elif adds and step.length is not None:
            self.out(f"sum += serbench.SumBytes({bare(native)}) - uint64(len({bare(native)}))")
        else:
            self.use.octets(step, bare(native), place)

    def optional(self, step: Step, native: str, place: str) -> None:
        item, low = step.item
        with self.use.given(f"if {bare(native)} != nil {{", item, place) as held:
            self.value(item, low, self.held_by(low, native), held)

    def composite(self, step: Step, native: str, place: str) -> None:
        self.called(step, self.pointer(native), place)

    def items(self, step: Step, native: str, place: str) -> None:
        if step.length is None:
            self.use.resized(place, f"len({bare(native)})")
        elif not self.adds:
            faults = self.glue.faults
            count = f"len({bare(native)}) == len({bare(place)})"
            with self.out.block(f"if !{faults.name}.{faults.check}({count}) {{"):
                self.out("return")
        if not self.adds and self.is_copied(*step.item):
            self.out(f"copy({bare(place) if step.length is None else f'{place}[:]'}, {bare(native)})")
            return
        with self.inner() as at, self.out.block(f"for {at} := range {bare(native)} {{"):
            self.value(*step.item, f"{native}[{at}]", self.use.item(step, f"{place}[{at}]"))

    def is_copied(self, item: Type, low: Type) -> bool:
        """Whether Go's ``copy`` makes the domain's items of those of a message and shares no memory."""
        return isinstance(item, Scalar) and item != bytes_ and self.same(item, low)

    def pairs(self, step: Step, native: str, place: str) -> None:
        self.use.emptied(place, f"len({bare(native)})")
        with self.inner():
            first, item = self.variable("key"), self.variable("item")
            with self.out.block(f"for {first}, {item} := range {bare(native)} {{"):
                self.pair(step, first, item, place)

    def pair(self, step: Step, key: str, value: str, place: str) -> None:
        """Write the statements that read a pair of a message's map into the map at ``place``."""
        own = self.use.declared("own", step.type.key)
        self.value(*step.key, key, own)
        self.sees_to(value, step.low.value)
        made = self.use.declared("made", step.type.value)
        self.value(*step.value, value, made)
        self.use.put(place, own, made)

    def sees_to(self, native: str, low: Type) -> None:
        """Write Go that makes the value ``native`` of a map's entry where the library has left it out."""
