"""Generates functions that write dataclasses into a buffer, one for each table, struct and union."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from serbench.codegen.steps import Step, is_number
from serbench.idl.fbs_parts import Call, together
from serbench.languages.python.code import suite
from serbench.model import Array, List, Record, Scalar, Type, Union
from serbench.model.parts import resolved

from .parts import Conversion, Part, number_of


@dataclass
class Builds(Conversion):
    """Generates functions that write a value into the buffer and return its place there."""

    def record(self, name: str, type: Any, low: Any) -> None:
        is_entry, value = self.made_for(low) == "entry", "value" if low.fields else "_value"
        with suite(self.out, f"def {name}(to: Any, {'entry' if is_entry else value}: Any) -> int:"):
            if is_entry:
                self.out("key, value = entry")
            if self.is_struct(low):
                self.line(f"return {self.glue.of(low)}.Create{low.name}(", ["to", *self.flat(type, low)], ")")
            else:
                self.table(type, low)

    def union(self, name: str, type: Any, low: Union) -> None:
        """Write the function that returns the number of a union's alternative and its place in the buffer."""
        with suite(self.out, f"def {name}(to: Any, value: Any) -> tuple[int, int]:"):
            for own, lower in zip(type.alternatives, low.alternatives, strict=True):
                table = resolved(lower.type)
                call = self.glue.call("build", resolved(own.type or table), table)
                given = "value.value" if own.type is not None else "value"
                with suite(self.out, f"if type(value) is {self.glue.access.classes[type.name, own.name]}:"):
                    kind = f"{self.glue.of(low)}.{low.name}.{lower.name}"
                    self.line("return (", [kind, f"{call}(to, {given})"], ")")
            self.out(f'raise ValueError(f"{{value!r}} is no {type.name}")')

    def table(self, type: Type, low: Record) -> None:
        parts = self.parts(type, low)
        offsets = {part.slot: self.referred(low, part) for part in parts}
        head = f"{self.glue.of(low)}.{low.name}"
        self.out(f"{head}Start(to)")
        for part, is_tag in self.added(parts):
            if is_tag:
                self.out(f"{head}Add{part.name}Type(to, {offsets[part.slot][0]})")
            else:
                self.add(f"{head}Add{part.name}", part, offsets[part.slot])
        self.out(f"return {head}End(to)")

    # Values that lie elsewhere are written first.

    def referred(self, table: Record, part: Part) -> tuple[str, ...]:
        """Write the statements that write the value to which a field refers; return the variables with its
        place in the buffer, none for a value that lies in the table itself."""
        type, low = part.held
        if self.is_inside(low):
            return ()
        begin = f"{self.glue.of(table)}.{table.name}Start{part.name}Vector"
        head, items = self.value(type, low, part.place, begin)
        words = ("kind", "offset") if isinstance(low, Union) else ("offset",)
        names = tuple(self.local(f"{part.variable}_{word}") for word in words)
        if part.is_always_there:
            self.line(f"{', '.join(names)} = {head}", items, ")")
            return names
        self.out(f"{' = '.join(names)} = 0")
        with suite(self.out, f"if {part.place}{' is not None' if part.is_optional else ''}:"):
            self.line(f"{', '.join(names)} = {head}", items, ")")
        return names

    def text(self, step: Step, place: str, begin: str) -> Call:
        return "to.CreateString(", [place]

    def octets(self, step: Step, place: str, begin: str) -> Call:
        is_list = isinstance(step.type, List | Array)
        return "to.CreateByteVector(", [f"bytes({place})" if is_list else place]

    def composite(self, step: Step, place: str, begin: str) -> Call:
        return f"{self.glue.call('build', step.type, step.low)}(", ["to", place]

    def items(self, step: Step, place: str, begin: str) -> Call:
        return self.vector(self.step(*step.item), place, begin)

    def entries(self, step: Step, place: str, begin: str) -> Call:
        return self.vector(self.step(step.type, step.low.item), f"sorted({place}.items())", begin)

    def vector(self, item: Step, items: str, begin: str) -> Call:
        """Return the call that writes the items of a list or an array, or the entries of a map."""
        if item.kind == "number":
            number = number_of(item.low)
            prepend = f"to.Prepend{method_of(number)}"
            return "_numbers(", ["to", begin, prepend, f'"{dtype_of(number)}"', items]
        if self.is_struct(item.low):
            return "_structs(", ["to", begin, self.glue.call("build", item.type, item.low), items]
        each = self.local("each")
        made = together(self.take(item, each, ""))
        return "_offsets(", ["to", begin, f"[{made} for {each} in {items}]"]

    # Values that lie in the table.

    def add(self, head: str, part: Part, offsets: tuple[str, ...]) -> None:
        """Write the statements that add a field to a table."""
        type, low = part.held
        if offsets:
            self.out(f"{head}(to, {offsets[-1]})")
            return
        value = part.place if is_number(low) else f"{self.glue.call('build', type, low)}(to, {part.place})"
        if part.is_optional:
            with suite(self.out, f"if {part.place} is not None:"):
                self.line(f"{head}(", ["to", value], ")")
        elif is_number(low) and number_of(low).is_float:
            with suite(self.out, f"if {value} or copysign(1.0, {value}) > 0.0:"):
                self.line(f"{head}(", ["to", value], ")")
            with suite(self.out, "else:"):  # it equals the default, which is left out
                self.out(f"to.Prepend{method_of(number_of(low))}Slot({part.slot}, -0.0, None)")
        else:
            self.line(f"{head}(", ["to", value], ")")


def method_of(number: Scalar) -> str:
    """Return the library's name for a number: ``Int32``."""
    if number.name == "bool":
        return "Bool"
    kind = "Float" if number.is_float else "Uint" if number.name.startswith("u") else "Int"
    return f"{kind}{8 * number.width}"


def dtype_of(number: Scalar) -> str:
    """Return numpy's name for a number: ``<i4``."""
    if number.name == "bool":
        return "?"
    return f"<{number.name[0]}{number.width}"
