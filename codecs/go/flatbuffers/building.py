"""What writes domain objects: a function for each table, struct and union."""

from __future__ import annotations

from dataclasses import dataclass

from serbench.idl.fbs import OFFSET
from serbench.languages.go.functions import bare, pointer_to, value_at
from serbench.languages.go.wanted import is_number, resolved
from serbench.model import (
    Array,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Type,
    Union,
    bool_,
)

from .parts import Conversion, Part, is_bytes

_OFFSET = "flatbuffers.UOffsetT"


@dataclass
class Builds(Conversion):
    """Functions whose result is where in the buffer something lies.

    Attributes:
        begin: what begins the vector of the field at hand.
    """

    begin: str = ""

    def function(self, name: str, type: Type, low: Type) -> None:
        self._taken.clear()
        self.out("")
        result = f"(fbs.{low.name}, {_OFFSET})" if isinstance(low, Union) else _OFFSET
        with self.out.block(f"func {name}(to *message, {self.argument(type, low)}) {result} {{"):
            if isinstance(low, Union):
                assert isinstance(type, Union)
                self.union(type, low)
            elif self.is_struct(low):
                assert isinstance(low, Record)
                arguments = ", ".join(["to.Builder", *self.flat(type, low)])
                self.out(f"return fbs.Create{low.name}({arguments})")
            else:
                assert isinstance(low, Record)
                self.table(type, low)

    def union(self, type: Union, low: Union) -> None:
        self.out("switch {")
        for own, lower in zip(type.alternatives, low.alternatives, strict=True):
            self.out(f"case value.{own.name} != nil:")
            with self.out.indented():
                assert lower.type is not None
                table = resolved(lower.type)
                call = self.glue.call("build", resolved(own.type or table), table)
                self.out(f"return fbs.{low.name}{lower.name}, {call}(to, value.{own.name})")
        self.out("}", f"return fbs.{low.name}NONE, 0")

    def flat(self, type: Type, low: Record, inside: str = "") -> list[str]:
        """The numbers of a struct, with those of structs in it, in their order."""
        found = []
        for each, lower, place, _ in self.members(type, low):
            if inside:
                place = f"{inside}{place.removeprefix('value')}"
            if is_number(lower):
                found.append(self.number(lower, bare(place)))
            else:
                assert isinstance(lower, Record)
                found += self.flat(each, lower, place)
        return found

    def table(self, type: Type, low: Record) -> None:
        parts = self.parts(type, low)
        values = {part.slot: self.referred(low.name, part) for part in parts}
        self.out(f"fbs.{low.name}Start(to.Builder)")
        for size in (8, 4, 2, 1):  # without padding between them, as flatc's code for C++ has it
            for part in reversed(parts):
                self.add(low.name, part, values[part.slot], size)
        self.out(f"return fbs.{low.name}End(to.Builder)")

    # What lies elsewhere is written first.

    def referred(self, table: str, part: Part) -> tuple[str, ...]:
        """Writes what a field refers to; the variables that say where it lies. None for what lies in the
        table."""
        is_optional = isinstance(part.low, Optional)
        low = resolved(part.low.item if isinstance(part.low, Optional) else part.low)
        type, place = part.type, part.held
        if is_number(low) or self.is_struct(low):
            return ()
        if isinstance(type, Optional):
            type, place = type.item, f"(*{bare(place)})"
        names = tuple(map(self.variable, ("kind", "offset") if isinstance(low, Union) else ("offset",)))
        self.begin = f"fbs.{table}Start{part.name}Vector"
        if is_optional:
            condition = f"{bare(part.held)} != nil"
        elif part.is_required or isinstance(type, Array) or isinstance(low, Record | Union):
            condition = ""
        else:
            condition = f"len({bare(place)}) != 0"
        if not condition:
            self.out(f"{', '.join(names)} := {self.offset(type, low, place)}")
            return names
        kinds = (f"fbs.{low.name}", _OFFSET) if isinstance(low, Union) else (_OFFSET,)
        self.out(*(f"var {name} {kind}" for name, kind in zip(names, kinds, strict=True)))
        with self.out.block(f"if {condition} {{"):
            self.out(f"{', '.join(names)} = {self.offset(type, low, place)}")
        return names

    def offset(self, type: Type, low: Type, place: str) -> str:
        """Writes what makes a value, and gives the expression that is where it lies."""
        type = resolved(type)
        match type, low:
            case _, Scalar("string"):
                return f"to.CreateString({bare(place)})"
            case Array(), List(Scalar("u8")):
                return f"to.CreateByteVector({place}[:])"
            case _ if is_bytes(low):
                return f"to.CreateByteVector({bare(place)})"
            case _, (Record() | Union()):
                return f"{self.glue.call('build', type, low)}(to, {pointer_to(place)})"
            case Map(), List(item):
                return self.entries(type, resolved(item), place)
            case ((List() | Array()), List(item)):
                return self.vector(type, resolved(item), place)
            case _:
                raise TypeError(f"{type} is not expected as {low}")

    def vector(self, type: List | Array, low: Type, place: str) -> str:
        """That of a list or an array."""
        is_behind = isinstance(type, Array) and isinstance(type.item, Ref)
        if is_number(low) or self.is_struct(low):
            count = f"len({bare(place)})"
            self.out(f"{self.begin}(to.Builder, {count})")
            with self.inner() as at, self.out.block(f"for {at} := {count} - 1; {at} >= 0; {at}-- {{"):
                each = f"{place}[{at}]"
                if is_number(low):
                    value = each if isinstance(low, Scalar) else f"{self.plain(low)}({each})"
                    self.out(f"to.Prepend{self.plain(low).capitalize()}({value})")
                else:
                    call = self.glue.call("build", resolved(type.item), low)
                    self.out(f"{call}(to, {each if is_behind else f'&{each}'})")
            return f"to.EndVector({count})"
        mark = self.variable("mark")
        self.out(f"{mark} := len(to.offsets)")
        with self.inner() as at, self.out.block(f"for {at} := range {bare(place)} {{"):
            each = f"{place}[{at}]"
            self.out(f"to.keep({self.offset(type.item, low, value_at(each) if is_behind else each)})")
        return f"to.vector({mark})"

    def entries(self, type: Map, low: Record, place: str) -> str:
        """The vector of a map, whose entries are in the order of their keys."""
        sort = f"serbench.{'SortedBools' if type.key == bool_ else 'SortedKeys'}({bare(place)})"
        call, item = self.glue.call("build", type, low), self.variable("item")
        if not self.is_struct(low):
            mark, key = self.variable("mark"), self.variable("key")
            self.out(f"{mark} := len(to.offsets)")
            with self.out.block(f"for _, {key} := range {sort} {{"):
                self.out(f"{item} := {place}[{key}]", f"to.keep({call}(to, {key}, &{item}))")
            return f"to.vector({mark})"
        keys = self.variable("keys")
        self.out(f"{keys} := {sort}")
        self.out(f"{self.begin}(to.Builder, len({keys}))")
        with self.inner() as at, self.out.block(f"for {at} := len({keys}) - 1; {at} >= 0; {at}-- {{"):
            self.out(f"{item} := {place}[{keys}[{at}]]", f"{call}(to, {keys}[{at}], &{item})")
        return f"to.EndVector(len({keys}))"

    # What lies in the table.

    def add(self, table: str, part: Part, values: tuple[str, ...], size: int) -> None:
        """Adds the parts of a field that have this size."""
        low = resolved(part.low.item if isinstance(part.low, Optional) else part.low)
        head = f"fbs.{table}Add{part.name}"
        if len(values) == 2 and size == 1:
            self.out(f"fbs.{table}Add{part.tag}(to.Builder, {values[0]})")
        if (self.glue.tables.size(low) if is_number(low) else OFFSET) != size:
            return
        if values:
            self.out(f"{head}(to.Builder, {values[-1]})")
            return
        place = part.held
        if isinstance(part.low, Optional):
            with self.out.block(f"if {bare(place)} != nil {{"):
                self.inline_value(head, part.type.item, low, f"(*{bare(place)})")  # type: ignore[union-attr]
        elif isinstance(low, Scalar) and low.is_float:
            with self.out.block(f"if isNegativeZero({bare(place)}) {{", "} else {"):
                self.out(f"to.Prepend{self.plain(low).capitalize()}({bare(place)})", f"to.Slot({part.slot})")
            with self.out.indented():
                self.inline_value(head, part.type, low, place)
            self.out("}")
        else:
            self.inline_value(head, part.type, low, place)

    def inline_value(self, head: str, type: Type, low: Type, place: str) -> None:
        if is_number(low):
            self.out(f"{head}(to.Builder, {self.number(low, bare(place))})")
        else:
            self.out(
                f"{head}(to.Builder, {self.glue.call('build', resolved(type), low)}(to, {pointer_to(place)}))"
            )
