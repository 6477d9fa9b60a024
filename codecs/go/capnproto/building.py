"""Generates functions that fill Cap'n Proto's structs with domain objects, one for each struct."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from serbench.codegen.steps import Step, has_no_fields
from serbench.idl.capnp import is_alone
from serbench.languages.go.functions import bare, held_at, pointer_to
from serbench.model import Array, Enum, Scalar, Union, bool_
from serbench.model.parts import resolved

from .parts import Part, PartConversion


@dataclass
class Builds(PartConversion):
    """Generates the Go functions ``buildNAME``, which fill Cap'n Proto's structs from domain objects."""

    def function(self, name: str, type: Any, low: Any) -> None:
        self._taken.clear()
        self.out("")
        found, to = ("_", "_") if has_no_fields(low) else ("found", "to")
        head = f"func {name}({to} messages.{low.name}, {self.argument(type, low)}, {found} *faults) {{"
        if has_no_fields(low):
            self.out(f"{head}}}")
            return
        with self.out.block(head):
            if isinstance(low, Union):
                self.union(type, low)
            else:
                for part in self.parts(type, low):
                    self.value(part.type, part.low, part, part.value_place)

    def union(self, type: Union, low: Union) -> None:
        only = is_alone(low)
        self.out("switch {")
        for own, lower in zip(type.alternatives, low.alternatives, strict=True):
            self.out(f"case value.{own.name} != nil:")
            with self.out.indented():
                if own.type is not None:
                    part = self.glue.alternative(own.type, lower)
                    self.value(part.type, part.low, part, f"(*value.{own.name})")
                elif not only:
                    self.out(f"to.Set{self.glue.alternative(None, lower).name}()")
        self.out("default:", '\tfound.Add("a union has no alternative")', "}")

    def optional(self, step: Step, part: Part, place: str) -> None:
        item, held = self.step(*step.item), f"(*{bare(place)})"
        with self.out.block(f"if {bare(place)} != nil {{"):
            if part.group:
                self.out(f"to.{part.name}().SetSome({self.given(item, held)})")
            elif item.kind == "text":
                call = f"capnp.Struct(to).SetNewText({part.pointer}, {bare(held)})"
                self.out(f"found.keep({call})")
            elif item.kind == "octets":
                self.out(f"found.keep(to.Set{part.name}(present({self.given(item, held)})))")
            else:
                self.take(item, part, held)

    def number(self, step: Step, part: Part, place: str) -> None:
        self.set(step, f"to.Set{part.name}(", place)

    text = octets = number

    def set(self, step: Step, head: str, place: str) -> None:
        """Write the statement that sets a number, a text or bytes; ``head`` is the call up to the value."""
        call = f"{head}{self.given(step, place)})"
        self.out(call if step.kind == "number" else f"found.keep({call})")

    def composite(self, step: Step, part: Part, place: str) -> None:
        made = self.variable("made")
        self.out(f"{made}, err := to.New{part.name}()", "found.keep(err)")
        self.struct(step, made, place)

    def items(self, step: Step, part: Part, place: str) -> None:
        made = self.variable("made")
        self.out(f"{made}, err := to.New{part.name}(int32(len({bare(place)})))", "found.keep(err)")
        self.fill(step, made, place)

    entries = items

    def struct(self, step: Step, to: str, place: str) -> None:
        """Write the call that fills ``to``, a struct in the message, with the value at ``place``."""
        self.out(f"{self.glue.call('build', step.type, step.low)}({to}, {pointer_to(place)}, found)")

    def fill(self, step: Step, made: str, place: str) -> None:
        """Write the loop that fills the list ``made`` with the items, or a map's entries, at ``place``."""
        if step.kind == "entries":
            self.fill_entries(step, made, place)
            return
        item, low = step.type.item, step.low.item
        with self.inner() as at, self.out.block(f"for {at} := range {bare(place)} {{"):
            each = held_at(item, f"{place}[{at}]") if isinstance(step.type, Array) else f"{place}[{at}]"
            inner = self.step(item, low)
            if inner.kind == "composite":
                self.struct(inner, f"{made}.At({at})", each)
            elif inner.kind in ("items", "entries"):
                nested, new = self.variable("made"), self.list_type(inner.low.item, new=True)
                count = f"int32(len({bare(each)}))"
                self.out(f"{nested}, err := {new}({made}.Segment(), {count})", "found.keep(err)")
                self.fill(inner, nested, each)
                self.out(f"found.keep({made}.Set({at}, {nested}.ToPtr()))")
            else:
                self.set(inner, f"{made}.Set({at}, ", each)

    def fill_entries(self, step: Step, made: str, place: str) -> None:
        """Write the loop over the entries of a map in the order of their keys: in another order, the packed
        encoding would take another number of bytes."""
        keys = f"serbench.{'SortedBools' if step.type.key == bool_ else 'SortedKeys'}({bare(place)})"
        at, key, value = (self.variable(word) for word in ("at", "key", "item"))
        with self.out.block(f"for {at}, {key} := range {keys} {{"):
            call = self.glue.call("build", step.type, resolved(step.low.item))
            self.out(f"{value} := {place}[{key}]", f"{call}({made}.At({at}), {key}, &{value}, found)")

    def given(self, step: Step, place: str) -> str:
        """Return the expression for a number, a text or bytes as capnpc-go's code takes them."""
        match step.type, step.low:
            case Enum(), Enum():
                return f"{self.glue.ordinal(step.type, step.low)}({bare(place)})"
            case Enum(), Scalar():
                return f"{self.type_of(step.low)}({bare(place)})"
            case _:
                return bare(place) if step.length is None else f"{place}[:]"
