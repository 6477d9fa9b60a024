"""Generates functions that write domain objects into a buffer, one for each table, struct and union."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from serbench.codegen.steps import Step, has_no_fields, is_number
from serbench.idl.fbs_parts import Call, together
from serbench.languages.javascript.messages import no_tag
from serbench.languages.javascript.names import number_of, section, text
from serbench.model import Map, Optional, Record, Type, Union
from serbench.model.parts import resolved

from .parts import Conversion, Part


@dataclass
class Builds(Conversion):
    """Generates functions that write a value into the buffer and return its place there.

    ``begin`` is always the name of flatc's function for a vector, with ``NAME`` for ``start`` or ``create``.
    """

    def record(self, name: str, type: Any, low: Any) -> None:
        given = ["key", "value"] if self.made_for(low) == "entry" else ["value"] if low.fields else []
        with self.out.block(f"function {name}({', '.join(['to', *given])}) {{"):
            if self.is_struct(low):
                self.line(f"return fbs.{low.name}.create{low.name}(", ["to", *self.flat(type, low)], ");")
            else:
                self.table(type, low)

    def union(self, name: str, type: Any, low: Union) -> None:
        """Write two functions: one returns the number of an alternative, one its place in the buffer."""
        pairs = list(zip(type.alternatives, low.alternatives, strict=True))
        with (
            self.out.block(f"function {self.kind_of(low)}(value) {{"),
            self.out.block("switch (value.tag) {"),
        ):
            for own, lower in pairs:
                self.out(f"case {text(own.name)}:", f"  return fbs.{low.name}.{lower.name};")
            self.out("default:", f"  {no_tag(type)}")
        with section(self.out, f"function {name}(to, value) {{"), self.out.block("switch (value.tag) {"):
            for own, lower in pairs:
                table = resolved(lower.type)
                call = self.glue.call("build", resolved(own.type or table), table)
                given = "to, value.value" if table.fields else "to"
                self.out(f"case {text(own.name)}:", f"  return {call}({given});")
            self.out("default:", f"  {no_tag(type)}")

    def kind_of(self, low: Union) -> str:
        """Return the name of the function that returns the number of a union's alternative."""
        return f"kindOf{low.name}"

    def table(self, type: Type, low: Record) -> None:
        parts = self.parts(type, low)
        offsets = {part.slot: self.referred(low.name, part) for part in parts}
        self.out(f"fbs.{low.name}.start{low.name}(to);")
        for part, is_tag in self.added(parts):
            if is_tag:
                self.add_tag(low.name, part)
            else:
                self.add(low.name, part, offsets[part.slot])
        self.out(f"return fbs.{low.name}.end{low.name}(to);")

    # Values that lie elsewhere are written first.

    def referred(self, table: str, part: Part) -> str:
        """Write the statements that write the value to which a field refers; return the name of the variable
        with its place in the buffer, empty for a value that lies in the table itself."""
        type, low = part.held
        if self.is_inside(low):
            return ""
        place, begin = part.place, f"fbs.{table}.NAME{part.title}Vector"
        name = self.local("offset")
        if part.is_always_there:
            self.assign(f"const {name}", self.value(type, low, place, begin))
            return name
        is_filled = f"{place}.{'size' if isinstance(type, Map) else 'length'} !== 0"
        self.out(f"let {name} = 0;")
        with self.out.block(f"if ({f'{place} !== null' if part.is_optional else is_filled}) {{"):
            self.assign(name, self.value(type, low, place, begin))
        return name

    def assign(self, name: str, made: Call) -> None:
        self.line(f"{name} = {made[0]}", made[1], ");")

    def text(self, step: Step, place: str, begin: str) -> Call:
        return "to.createString(", [place]

    def octets(self, step: Step, place: str, begin: str) -> Call:
        return "to.createByteVector(", [place]

    def composite(self, step: Step, place: str, begin: str) -> Call:
        given = ["to"] if has_no_fields(step.low) else ["to", place]
        return f"{self.glue.call('build', step.type, step.low)}(", given

    def items(self, step: Step, place: str, begin: str) -> Call:
        item = self.step(*step.item)
        if item.kind == "number":
            return f"{begin.replace('NAME', 'create')}(", ["to", place]
        if self.is_struct(item.low):
            with self.vector(place, begin) as n:
                self.line(*self.composite(item, f"{place}[{n}]", ""), ");")
            return "to.endVector(", []
        each = self.local("item")
        with self.offsets(f"{each} of {place}", begin) as offsets:
            self.line(f"{offsets}.push(", [together(self.take(item, each, ""))], ");")
        return f"{begin.replace('NAME', 'create')}(", ["to", offsets]

    def entries(self, step: Step, place: str, begin: str) -> Call:
        """Write a map's entries in the order of their keys; return the call for the vector's place."""
        low = resolved(step.low.item)
        call = self.glue.call("build", step.type, low)
        entries, key, item = self.local("entries"), self.local("key"), self.local("item")
        self.out(f"const {entries} = [...{place}].sort({self.order(step.type.key)});")
        if self.is_struct(low):
            with self.vector(entries, begin) as n:
                self.out(f"const [{key}, {item}] = {entries}[{n}];", f"{call}(to, {key}, {item});")
            return "to.endVector(", []
        with self.offsets(f"[{key}, {item}] of {entries}", begin) as offsets:
            self.line(f"{offsets}.push(", [f"{call}(to, {key}, {item})"], ");")
        return f"{begin.replace('NAME', 'create')}(", ["to", offsets]

    @contextmanager
    def vector(self, place: str, begin: str) -> Iterator[str]:
        """Write a loop that puts structs into a vector from the last to the first, around the statements that
        the ``with`` block writes; yield the name of the loop's index."""
        n = self.local("n")
        self.line(f"{begin.replace('NAME', 'start')}(", ["to", f"{place}.length"], ");")
        with self.out.block(f"for (let {n} = {place}.length - 1; {n} >= 0; --{n}) {{"):
            yield n

    @contextmanager
    def offsets(self, each: str, begin: str) -> Iterator[str]:
        """Write a loop in which the ``with`` block writes statements that collect the places of values in the
        buffer; yield the name of the array for these places."""
        offsets = self.local("offsets")
        self.out(f"const {offsets} = [];")
        with self.out.block(f"for (const {each}) {{"):
            yield offsets

    def order(self, key: Type) -> str:
        """Return the function that compares entries by their keys."""
        match number_of(key).name:
            case "string":
                return "byText"
            case "bool" | "i64" | "u64":
                return "byValue"
            case _:
                return "byNumber"

    # Values that lie in the table.

    def where_there(self, part: Part) -> AbstractContextManager[None]:
        """Write, around the body's code, the condition that an optional field has a value."""
        return self.out.block(f"if ({part.place} !== null) {{") if part.is_optional else nullcontext()

    def add_tag(self, table: str, part: Part) -> None:
        """Write the statement that adds the number of a union's alternative to a table."""
        kind = self.kind_of(part.held[1])
        with self.where_there(part):
            self.line(f"fbs.{table}.add{part.title}Type(", ["to", f"{kind}({part.place})"], ");")

    def add(self, table: str, part: Part, offset: str) -> None:
        """Write the statement that adds a field to a table."""
        type, low = part.held
        head = f"fbs.{table}.add{part.title}"
        if offset:
            self.line(f"{head}(", ["to", offset], ");")
        elif is_number(low):
            self.add_number(head, part, low)
        else:
            made = f"{self.glue.call('build', type, low)}(to, {part.place})"
            with self.where_there(part):
                self.line(f"{head}(", ["to", made], ");")

    def add_number(self, head: str, part: Part, low: Type) -> None:
        """Write the statement that adds a number to a table. flatc's function for a field is not called for
        an optional number or -0, since it may leave those out as equal to the default."""
        number = number_of(low)
        kind = f"{'Float' if number.is_float else 'Int'}{8 * number.width}"
        if isinstance(part.low, Optional):
            value = f"Number({part.place})" if number.name == "bool" else part.place
            with self.out.block(f"if ({part.place} !== null) {{"):
                self.line(f"to.addField{kind}(", [str(part.slot), value, "null"], ");")
        elif number.is_float:
            with self.out.block(f"if (Object.is({part.place}, -0)) {{", "} else {"):
                self.out(f"to.addField{kind}({part.slot}, -0, null);")
            with self.out.indented():
                self.line(f"{head}(", ["to", part.place], ");")
            self.out("}")
        else:
            self.line(f"{head}(", ["to", part.place], ");")
