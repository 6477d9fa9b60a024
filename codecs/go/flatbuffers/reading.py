"""Generates functions that read a buffer, one for each table, struct and union."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from serbench.codegen.steps import Step, has_no_fields
from serbench.languages.go.conversion import GoReading
from serbench.languages.go.functions import bare
from serbench.model import Alternative, Enum, Record, Type, Union
from serbench.model.parts import resolved

from .parts import Part, TableConversion


@dataclass
class Reads(TableConversion, GoReading):
    """Generates the Go functions that extract, or sum, the values of the table, struct or union ``from``."""

    def parameters(self, low: Any) -> str:
        if isinstance(low, Union):
            return f"kind fbs.{low.name}, from *flatbuffers.Table"
        return f"{'_' if has_no_fields(low) else 'from'} *fbs.{low.name}"

    def function(self, name: str, type: Type, low: Type) -> None:
        if self.adds or self.made_for(low) != "fixed":
            super().function(name, type, low)
            return
        self.out("")
        with self.out.block(
            f"func {name}({self.parameters(low)}, {self.argument(type, low)}, _ {self.glue.faults.type}) {{"
        ):
            self.out("table := from.Table()", "copy(value[:], table.Bytes[table.Pos:])")

    def record(self, type: Type, low: Record) -> None:
        with self.use.filled(type, low) as at:
            if self.is_struct(low):
                for each, lower, place, accessor in self.single(type, low):
                    self.member(self.step(each, lower), accessor, at(each, place))
            else:
                for part in self.parts(type, low):
                    self.part(self.step(part.type, part.low), part, at(part.type, part.place))

    def member(self, step: Step, accessor: str, place: str) -> None:
        """Write the statements that extract a member of a struct to the domain's ``place``, or sum it."""
        if step.kind == "number":
            self.number(step, f"from.{accessor}()", place)
            return
        inner = self.variable("inner")
        self.out(f"var {inner} fbs.{step.low.name}")
        self.called(step, f"from.{accessor}(&{inner})", place)

    def part(self, step: Step, part: Part, place: str) -> None:
        """Write the statements that extract a field of a table to the domain's ``place``, or sum it."""
        self.take(step, f"from.{part.name}()" if step.kind in ("number", "text") else part, place)

    def called(self, step: Step, given: str, place: str) -> None:
        if not step.is_back or self.adds:
            super().called(step, given, place)
            return
        with self.out.block("if found.enter() {"):
            super().called(step, given, place)
            self.out("found.leave()")

    def text(self, step: Step, native: str, place: str) -> None:
        self.use.text(native, place)

    def text_of(self, native: str) -> str:
        return f"string({native})"

    def octets(self, step: Step, part: Part, place: str) -> None:
        self.use.octets(step, f"from.{part.name}Bytes()", place)

    def switch(self, type: Union, low: Union) -> None:
        self.out("switch kind {")

    def case(self, union: Union, low: Alternative) -> str:
        return f"fbs.{union.name}{low.name}"

    def alternative(self, type: Type, union: Union, low: Alternative, place: str) -> None:
        assert low.type is not None
        step = self.step(type, low.type)
        if step.low.fields:
            self.out(f"var chosen fbs.{step.low.name}", "chosen.Init(from.Bytes, from.Pos)")
            self.called(step, "&chosen", place)

    def fetched(self, step: Step, part: Part) -> tuple[str, str]:
        """Declare a Go variable for reading a record or union; return the head of the ``if`` for a value
        that is there, and the arguments with which the function that reads the value is called."""
        if isinstance(step.low, Union):
            inner = self.variable("table")
            self.out(f"var {inner} flatbuffers.Table")
            return f"if from.{part.name}(&{inner}) {{", f"from.{part.tag}(), &{inner}"
        inner = self.variable("inner")
        self.out(f"var {inner} fbs.{step.low.name}")
        return f"if from.{part.name}(&{inner}) != nil {{", f"&{inner}"

    def composite(self, step: Step, part: Part, place: str) -> None:
        head, given = self.fetched(step, part)
        with self.use.where(head, "found.absent()"):
            self.called(step, given, place)

    def optional(self, step: Step, part: Part, place: str) -> None:
        item, native = self.step(*step.item), f"from.{part.name}()"
        if item.kind == "composite":
            head, given = self.fetched(item, part)
            with self.use.given(head, step.type.item, place) as held:
                self.called(item, given, held)
            return
        if item.kind == "number" and not isinstance(item.type, Enum) and not self.adds:
            self.out(f"{bare(place)} = {native}")
            return
        value = self.variable("given")
        if item.kind in ("number", "text"):
            head = f"if {value} := {native}; {value} != nil {{"
        else:
            self.out(f"{value} := from.Table()")
            head = f"if {value}.Offset({part.place_in_vtable}) != 0 {{"
        with self.use.given(head, step.type.item, place) as held:
            if item.kind == "number":
                self.number(item, f"*{value}", held)
            elif item.kind == "text":
                self.text(item, native if self.adds else value, held)
            else:
                self.take(item, part, held)

    def items(self, step: Step, part: Part, place: str) -> None:
        count, item = f"from.{part.name}Length()", self.step(*step.item)
        room = f"found.room({count}, {self.glue.tables.size(item.low)})"
        with self.use.counted(step, count, place, room) as bound:
            view = self.view(item.low, "item") if item.kind == "composite" else ""
            with self.inner() as at, self.out.block(f"for {at} := range {bound} {{"):
                each = self.use.item(step, f"{place}[{at}]")
                if view:
                    self.out(f"from.{part.name}(&{view}, {at})")
                    self.called(item, f"&{view}", each)
                else:
                    self.take(item, f"from.{part.name}({at})", each)

    def entries(self, step: Step, part: Part, place: str) -> None:
        count, low = f"from.{part.name}Length()", resolved(step.low.item)
        self.use.emptied(place, count)
        view = self.view(low, "item" if self.adds else "entry")
        with self.inner() as at, self.out.block(f"for {at} := range {count} {{"):
            self.out(f"from.{part.name}(&{view}, {at})")
            self.called(self.step(step.type, low), f"&{view}", f"(*{bare(place)})")

    def view(self, low: Record, word: str) -> str:
        """Declare a Go variable in which a vector's tables or structs are read; return its name."""
        view = self.variable(word)
        self.out(f"var {view} fbs.{low.name}")
        return view
