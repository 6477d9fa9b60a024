"""Generates functions that read Cap'n Proto's messages, one for each struct."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from serbench.codegen.steps import Step, has_no_fields
from serbench.languages.go.conversion import GoReading
from serbench.languages.go.functions import bare
from serbench.model import Alternative, Enum, Record, Type, Union
from serbench.model.parts import resolved

from .parts import Part, PartConversion


@dataclass
class Reads(PartConversion, GoReading):
    """Generates the Go functions that read the struct ``from``, and extract its values or add them up. Those
    that add up check for no faults, which extracting the same message has found before."""

    looks_up_enums = True

    def parameters(self, low: Any) -> str:
        return f"{'_' if has_no_fields(low) else 'from'} messages.{low.name}"

    def record(self, type: Type, low: Record) -> None:
        with self.use.filled(type, low) as at:
            for part in self.parts(type, low):
                self.part(part, at(part.type, part.place))

    def union(self, type: Union, low: Union) -> None:
        if len(low.alternatives) > 1:
            super().union(type, low)
            return
        (own,), (lower,) = type.alternatives, low.alternatives
        place = self.use.only_alternative(type, own)
        if own.type is not None:
            self.alternative(own.type, low, lower, place)

    def switch(self, type: Union, low: Union) -> None:
        self.out("switch from.Which() {")

    def case(self, union: Union, low: Alternative) -> str:
        return f"messages.{union.name}_Which_{low.name}"

    def alternative(self, type: Type, union: Union, low: Alternative, place: str) -> None:
        self.part(self.glue.alternative(type, low), place)

    def part(self, part: Part, place: str) -> None:
        """Write the statements that extract a field of a struct to the domain's ``place``, or sum it."""
        step, call = self.step(part.type, part.low), f"from.{part.name}()"
        if step.kind == "optional":
            self.given(step, part, place)
        elif step.is_back and not self.adds:
            # The default of what is not there could hold itself without end.
            with self.out.block(f"if found.Check(from.Has{part.name}()) {{"):
                self.take(step, call, place)
        else:
            self.take(step, call, place)

    def given(self, step: Step, part: Part, place: str) -> None:
        """Write the statements that extract an optional field to the domain's ``place``, or sum it."""
        head, native = f"if from.Has{part.name}() {{", f"from.{part.name}()"
        if part.group:
            group = self.variable("group")
            head = f"if {group} := {native}; {group}.Which() == {part.group}_Which_some {{"
            native = f"{group}.Some()"
        with self.use.given(head, step.type.item, place) as held:
            self.value(*step.item, native, held)

    def number_of(self, step: Step, native: str) -> str:
        if isinstance(step.low, Enum):
            faults = "new(faults)" if self.adds else "found"
            return f"{self.glue.number(step.type, step.low)}({native}, {faults})"
        return super().number_of(step, native)

    def taken(self, call: str, word: str) -> str:
        """Declare a Go variable for the result of ``call`` and return its name; the call's error is kept,
        except in functions that sum."""
        name = self.variable(word)
        if self.adds:
            self.out(f"{name}, _ := {call}")
        else:
            self.out(f"{name}, err := {call}", "found.keep(err)")
        return name

    def text(self, step: Step, call: str, place: str) -> None:
        if self.adds and ".At(" in call:
            call = call.replace(".At(", ".BytesAt(")
        elif self.adds:
            call = call.replace("()", "Bytes()")
        self.use.text(self.taken(call, "text"), place)

    def octets(self, step: Step, call: str, place: str) -> None:
        self.use.octets(step, self.taken(call, "octets"), place)

    def composite(self, step: Step, call: str, place: str) -> None:
        self.called(step, self.taken(call, "inner"), place)

    def items(self, step: Step, call: str, place: str) -> None:
        self.listed(step, self.taken(call, "items"), place)

    entries = items

    def listed(self, step: Step, items: str, place: str) -> None:
        """Write the loop that extracts the items of a list to the domain's ``place``, or sums them."""
        count = f"{items}.Len()"
        if step.kind == "entries":
            self.use.emptied(place, count)
            entry = self.step(step.type, resolved(step.low.item))
            with self.inner() as at, self.out.block(f"for {at} := range {count} {{"):
                self.called(entry, f"{items}.At({at})", f"(*{bare(place)})")
            return
        with (
            self.use.counted(step, count, place) as bound,
            self.inner() as at,
            self.out.block(f"for {at} := range {bound} {{"),
        ):
            self.item(self.step(*step.item), f"{items}.At({at})", self.use.item(step, f"{place}[{at}]"))

    def item(self, step: Step, call: str, place: str) -> None:
        """Write the statements that extract an item of a list to the domain's ``place``, or sum it."""
        if step.kind == "composite":
            self.called(step, call, place)
        elif step.kind in ("items", "entries"):
            pointer, inner = self.taken(call, "pointer"), self.variable("items")
            self.out(f"{inner} := {self.list_type(step.low.item)}({pointer}.List())")
            self.listed(step, inner, place)
        else:
            self.take(step, call, place)
