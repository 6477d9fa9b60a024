"""Generates functions that build and read messages where protoc-gen-go's structs are unlike others: with
getters, and with oneofs, which have a struct around each alternative.

``type`` is always a value's type in the domain, and ``low`` what it is in the IDL.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from serbench.codegen.steps import Step, step_of
from serbench.idl.oneofs import placed_in
from serbench.idl.proto import is_required
from serbench.languages.go.functions import bare, held_at
from serbench.languages.go.structs import StructBuilds, StructReads
from serbench.model import Alternative, Enum, Field, Optional, Record, Scalar, Type, Union, bytes_
from serbench.model.parts import resolved


@dataclass
class Builds(StructBuilds):
    def field(self, record: Record, type: Any, low: Field, place: str) -> None:
        if union := placed_in(low, self.glue.types):
            with self.out.block(f"if {place} != nil {{"):
                self.out(f"{self.glue.call('build', type.item, union)}(to, {place})")
            return
        has_presence = is_required(low) and isinstance(low.type, Scalar | Enum)
        write = self.present if has_presence else self.value
        write(type, low.type, held_at(type, place), f"to.{self.glue.part(record, low.name)}")

    def alternative(self, union: Union, type: Type | None, low: Alternative, place: str) -> None:
        chosen, name = self.variable("chosen"), self.glue.part(union, low.name)
        self.out(f"{chosen} := new({self.glue.around(union, low)})")
        if type is None:
            self.out(f"{chosen}.{name} = new({self.glue.message(resolved(low.type))})")
        else:
            self.value(type, resolved(low.type), place, f"{chosen}.{name}")
        self.out(f"to.{self.glue.oneof_of(union)} = {chosen}")

    def optional(self, step: Step, place: str, target: str) -> None:
        with self.out.block(f"if {bare(place)} != nil {{"):
            self.present(*step.item, f"(*{place})", target)

    def may_be_nil(self, item: Type, low: Type) -> bool:
        return True


@dataclass
class Reads(StructReads):
    def record(self, type: Type, low: Record) -> None:
        """Write the code that reads a message. Where it has optional fields, which are read without getters,
        the code begins by putting an empty message in the place of an absent one."""
        if any(isinstance(field.type, Optional) for field in low.fields):
            with self.out.block("if from == nil {"):
                self.out(f"from = new({self.glue.holder(low)})")
        super().record(type, low)

    def field(self, record: Record, type: Any, low: Field, place: str) -> None:
        if union := placed_in(low, self.glue.types):
            self.oneof(step_of(type.item, union), place)
            return
        name = self.glue.part(record, low.name)
        native = f"from.{name}" if isinstance(low.type, Optional) else f"from.Get{name}()"
        self.value(type, low.type, native, self.use.field(type, place))

    def oneof(self, step: Step, place: str) -> None:
        """Write the statements that read a union whose oneof lies directly in the message ``from``."""
        head = f"if from.{self.glue.oneof_of(step.low)} != nil {{"
        if self.adds:
            with self.out.block(head):
                self.out(f"sum += 1 + {self.glue.call('sum', step.type, step.low)}(from)")
            return
        with self.use.given(head, step.type, place) as held:
            self.called(step, "from", held)

    def switch(self, type: Union, low: Union) -> None:
        uses = any(own.type is not None for own in type.alternatives)
        self.out(f"switch {'chosen := ' if uses else ''}from.Get{self.glue.oneof_of(low)}().(type) {{")

    def case(self, union: Union, low: Alternative) -> str:
        return f"*{self.glue.around(union, low)}"

    def alternative(self, type: Type, union: Union, low: Alternative, place: str) -> None:
        self.value(type, resolved(low.type), f"chosen.{self.glue.part(union, low.name)}", place)

    def number_of(self, step: Step, native: str) -> str:
        if isinstance(step.type, Enum):
            return str(self.glue.faults.narrowed(self.held(step.type), native))
        return super().number_of(step, native)

    def optional(self, step: Step, native: str, place: str) -> None:
        item, low = step.item
        with self.use.given(f"if {native} != nil {{", item, place):
            self.value(item, low, self.held_by(low, native), f"(*{place})")

    def items(self, step: Step, native: str, place: str) -> None:
        if not self.adds:
            items = self.variable("items")
            self.out(f"{items} := {native}")
            super().items(step, items, place)
            return
        if step.length is None:
            self.use.resized(place, f"len({native})")
        with self.inner():
            each = self.variable("item")
            with self.out.block(f"for _, {each} := range {native} {{"):
                self.value(*step.item, each, "")

    def is_copied(self, item: Type, low: Type) -> bool:
        return self.same(item, low) and item != bytes_

    def sees_to(self, native: str, low: Type) -> None:
        """Write code that makes an empty message where the Go expression ``native``, the value of a map's
        entry, is nil: vtprotobuf leaves out such messages."""
        held = self.glue.native(low)
        if held.startswith("*") and not self.adds:
            with self.out.block(f"if {native} == nil {{"):
                self.out(f"{native} = new({held[1:]})")
