"""Generates functions that write domain objects into a buffer, one for each table, struct and union."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from serbench.codegen.steps import Step, is_number
from serbench.languages.go.domain import SCALARS
from serbench.languages.go.functions import bare, held_at, pointer_to
from serbench.model import Array, Enum, Optional, Record, Scalar, Type, Union, bool_
from serbench.model.parts import resolved

from .parts import Part, TableConversion

_OFFSET = "flatbuffers.UOffsetT"


@dataclass
class Builds(TableConversion):
    """Generates Go functions that write a value into the buffer and return its place there.

    Attributes:
        begin: the function that begins the vector of the field that is being written.
    """

    begin: str = ""

    def function(self, name: str, type: Any, low: Any) -> None:
        self._taken.clear()
        self.out("")
        result = f"(fbs.{low.name}, {_OFFSET})" if isinstance(low, Union) else _OFFSET
        with self.out.block(f"func {name}(to *message, {self.argument(type, low)}) {result} {{"):
            if isinstance(low, Union):
                self.union(type, low)
            elif self.is_struct(low):
                arguments = ", ".join(["to.Builder", *self.flat(type, low)])
                self.out(f"return fbs.Create{low.name}({arguments})")
            else:
                self.table(type, low)

    def union(self, type: Union, low: Union) -> None:
        self.out("switch {")
        for own, lower in zip(type.alternatives, low.alternatives, strict=True):
            self.out(f"case value.{own.name} != nil:")
            with self.out.indented():
                table = resolved(lower.type)
                call = self.glue.call("build", resolved(own.type or table), table)
                self.out(f"return fbs.{low.name}{lower.name}, {call}(to, value.{own.name})")
        self.out("}", f"return fbs.{low.name}NONE, 0")

    def table(self, type: Type, low: Record) -> None:
        parts = self.parts(type, low)
        values = {part.slot: self.referred(low.name, part) for part in parts}
        self.out(f"fbs.{low.name}Start(to.Builder)")
        for part, is_tag in self.added(parts):
            if is_tag:
                self.out(f"fbs.{low.name}Add{part.tag}(to.Builder, {values[part.slot][0]})")
            else:
                self.add(f"fbs.{low.name}Add{part.name}", part, values[part.slot])
        self.out(f"return fbs.{low.name}End(to.Builder)")

    # Values that lie elsewhere are written first: each method returns the expression for the place of one.

    def referred(self, table: str, part: Part) -> tuple[str, ...]:
        """Write the statements that write the value to which a field refers; return the variables with its
        place in the buffer, none for a value that lies in the table itself."""
        type, low = part.held
        place = part.value_place
        if self.is_inside(low):
            return ()
        if part.is_optional:
            place = f"(*{bare(place)})"
        names = tuple(map(self.variable, ("kind", "offset") if isinstance(low, Union) else ("offset",)))
        self.begin = f"fbs.{table}Start{part.name}Vector"
        if part.is_always_there:
            self.out(f"{', '.join(names)} := {self.value(type, low, place)}")
            return names
        kinds = (f"fbs.{low.name}", _OFFSET) if isinstance(low, Union) else (_OFFSET,)
        self.out(*(f"var {name} {kind}" for name, kind in zip(names, kinds, strict=True)))
        there = f"{bare(part.value_place)} != nil" if part.is_optional else f"len({bare(place)}) != 0"
        with self.out.block(f"if {there} {{"):
            self.out(f"{', '.join(names)} = {self.value(type, low, place)}")
        return names

    def text(self, step: Step, place: str) -> str:
        return f"to.CreateString({bare(place)})"

    def octets(self, step: Step, place: str) -> str:
        octets = f"{place}[:]" if isinstance(step.type, Array) else bare(place)
        return f"to.CreateByteVector({octets})"

    def composite(self, step: Step, place: str) -> str:
        return f"{self.glue.call('build', step.type, step.low)}(to, {pointer_to(place)})"

    def items(self, step: Step, place: str) -> str:
        item, low = step.type.item, resolved(step.low.item)
        if self.is_inside(low):
            count = f"len({bare(place)})"
            self.out(f"{self.begin}(to.Builder, {count})")
            with self.inner() as at, self.out.block(f"for {at} := {count} - 1; {at} >= 0; {at}-- {{"):
                self.prepend(item, low, self.item_at(step, f"{place}[{at}]"))
            return f"to.EndVector({count})"
        mark = self.variable("mark")
        self.out(f"{mark} := len(to.offsets)")
        with self.inner() as at, self.out.block(f"for {at} := range {bare(place)} {{"):
            self.out(f"to.keep({self.value(item, low, self.item_at(step, f'{place}[{at}]'))})")
        return f"to.vector({mark})"

    def item_at(self, step: Step, place: str) -> str:
        """Return the Go expression for an item; an array holds pointers to items that lead back."""
        return held_at(step.type.item, place) if isinstance(step.type, Array) else place

    def prepend(self, type: Type, low: Type, place: str) -> None:
        """Write the statement that puts an item into the vector that holds it."""
        if is_number(low):
            value = place if isinstance(low, Scalar) else f"{plain(low)}({place})"
            self.out(f"to.Prepend{plain(low).capitalize()}({value})")
        else:
            self.out(self.value(type, low, place))

    def entries(self, step: Step, place: str) -> str:
        """Write the statements that write a map's entries in the order of their keys; return the expression
        for the place of their vector in the buffer."""
        type, low = step.type, resolved(step.low.item)
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

    # Values that lie in the table.

    def add(self, head: str, part: Part, values: tuple[str, ...]) -> None:
        """Write the statements that add a field to a table by the function ``head``; ``values`` are what
        ``referred`` returned for the field."""
        if values:
            self.out(f"{head}(to.Builder, {values[-1]})")
            return
        type, low = part.held
        place = part.value_place
        if isinstance(part.low, Optional):
            with self.out.block(f"if {bare(place)} != nil {{"):
                self.add_inside(head, type, low, f"(*{bare(place)})")
        elif isinstance(low, Scalar) and low.is_float:
            with self.out.block(f"if isNegativeZero({bare(place)}) {{", "} else {"):
                self.out(f"to.Prepend{plain(low).capitalize()}({bare(place)})", f"to.Slot({part.slot})")
            with self.out.indented():
                self.add_inside(head, type, low, place)
            self.out("}")
        else:
            self.add_inside(head, type, low, place)

    def add_inside(self, head: str, type: Type, low: Type, place: str) -> None:
        value = self.argument_of(low, place) if is_number(low) else self.value(type, low, place)
        self.out(f"{head}(to.Builder, {value})")


def plain(low: Type) -> str:
    """Return the type of a number in Go."""
    return SCALARS[low.underlying.name if isinstance(low, Enum) else low.name]  # type: ignore[union-attr]
