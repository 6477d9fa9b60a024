"""Generates functions that make domain objects from a buffer, one for each table, struct and union."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from serbench.codegen.steps import is_number
from serbench.idl.fbs_parts import is_bytes
from serbench.languages.javascript.names import section, text
from serbench.model import Array, Enum, Map, Record, Type, Union, bytes_, string
from serbench.model.parts import resolved

from .parts import Conversion, Part


def is_there(part: Part) -> str:
    """Return the condition that a table has a vector; flatc's accessors give an empty one otherwise."""
    return f"from.bb.__offset(from.bb_pos, {part.place_in_vtable}) !== 0"


@dataclass
class Extracts(Conversion):
    """Generates functions that return the domain's value for the table or struct at ``from``."""

    def record(self, name: str, type: Any, low: Any) -> None:
        made = self.made_for(low)
        given = "" if not low.fields else "from, map" if made == "entry" else "from"
        with self.out.block(f"function {name}({given}) {{"):
            if made == "empty":
                self.out("return null;")
            elif made == "fixed":
                self.out(f"return octetsAt(from, {type.length});")
            else:
                values = self.members_of(type, low) if self.is_struct(low) else self.fields_of(type, low)
                if made == "entry":
                    self.line("map.set(", values, ");")
                elif made:
                    self.out(f"return {values[0]};")
                else:
                    self.line(f"return new {type.name}(", values, ");")

    def union(self, name: str, type: Any, low: Union) -> None:
        """Write two functions: one makes an object for an alternative's table, one reads the table."""
        with self.out.block(f"function {self.table_of(low)}(kind) {{"), self.out.block("switch (kind) {"):
            for lower in low.alternatives:
                table = resolved(lower.type)
                self.out(f"case fbs.{low.name}.{lower.name}:", f"  return new fbs.{table.name}();")
            self.out("default:", "  throw new Error(`a union has no alternative ${kind}`);")
        with section(self.out, f"function {name}(kind, from) {{"):
            self.out('if (from === null) throw new Error("a union has no value");')
            with self.out.block("switch (kind) {"):
                for own, lower in zip(type.alternatives, low.alternatives, strict=True):
                    table = resolved(lower.type)
                    value = "null" if own.type is None else self.call(own.type, table, "from")
                    self.out(f"case fbs.{low.name}.{lower.name}:")
                    with self.out.indented():
                        self.line(f"return new {type.name}(", [text(own.name), value], ");")
                self.out("default:", "  throw new Error(`a union has no alternative ${kind}`);")

    def table_of(self, low: Union) -> str:
        """Return the name of the function that makes the object by which an alternative's table is read."""
        return f"tableOf{low.name}"

    def call(self, type: Type, low: Type, given: str) -> str:
        """Return the call of the function that extracts a value of a type; ``given`` are the arguments."""
        is_empty = isinstance(low, Record) and not low.fields
        return f"{self.glue.call('extract', resolved(type), low)}({'' if is_empty else given})"

    def number(self, type: Type, native: str) -> str:
        return f"known{type.name}({native})" if isinstance(type, Enum) and not type.open else native

    # A struct.

    def members_of(self, type: Type, low: Record) -> list[str]:
        found = []
        for each, lower, _, accessors in self.members(type, low):
            if not isinstance(each, Array):
                found.append(self.member(each, lower, accessors[0]))
                continue
            items = self.local("items")
            self.line(
                f"const {items} = [",
                [self.member(each.item, resolved(lower).item, own) for own in accessors],
                "];",
            )
            found.append(items)
        return found

    def member(self, type: Type, low: Type, accessor: str) -> str:
        if is_number(low):
            return self.number(type, f"from.{accessor}()")
        return self.call(type, low, f"from.{accessor}()")

    # A table.

    def fields_of(self, type: Type, low: Record) -> list[str]:
        found = {part.place: self.part(part) for part in self.parts(type, low)}
        return [found[place] for _, place in self.values(type, low)]

    def part(self, part: Part) -> str:
        """Return the expression for a field of a table, and write the statements that it needs before."""
        type, low = part.held
        native = f"from.{part.name}()"
        if isinstance(low, Union):
            return self.union_field(part, type, low)
        if isinstance(low, Record) or is_number(low):
            made = self.one(type, low, f"present({native})" if isinstance(low, Record) else native)
            if not part.is_optional or made == native:
                return made
            value = self.local(part.name)
            self.out(f"const {value} = {native};")
            return f"{value} === null ? null : {self.one(type, low, value)}"
        if low == string:
            return native if part.is_optional else f'{native} ?? ""'
        return self.vector_field(part, type, low)

    def union_field(self, part: Part, type: Type, low: Union) -> str:
        kind = self.local("kind")
        self.out(f"const {kind} = from.{part.name}Type();")
        call = self.glue.call("extract", type, low)
        given = [kind, f"from.{part.name}({self.table_of(low)}({kind}))"]
        if not part.is_optional:
            return f"{call}({', '.join(given)})"
        value = self.local(part.name)
        self.out(f"let {value} = null;")
        with self.out.block(f"if ({kind} !== fbs.{low.name}.NONE) {{"):
            self.line(f"{value} = {call}(", given, ");")
        return value

    def vector_field(self, part: Part, type: Type, low: Type) -> str:
        value = self.local(part.name)
        if is_bytes(low):
            octets = f"octets(from, from.{part.name}Array())"
            if isinstance(type, Array):
                octets = f"counted({octets}, {type.length})"
            made = octets if type == bytes_ else f"Array.from({octets})"
            if not part.is_optional:
                return made
            self.out(f"const {value} = {is_there(part)} ? {made} : null;")
            return value
        empty = "new Map()" if isinstance(type, Map) else "[]"
        if not part.is_optional:
            self.out(f"const {value} = {empty};")
            self.items(part, type, low, value)
            return value
        self.out(f"let {value} = null;")
        with self.out.block(f"if ({is_there(part)}) {{"):
            self.out(f"{value} = {empty};")
            self.items(part, type, low, value)
        return value

    def items(self, part: Part, type: Any, low: Any, value: str) -> None:
        """Write the loop that puts the items of a vector into a list or a map."""
        lower = resolved(low.item)
        n, count = self.local("n"), self.local("count")
        if isinstance(type, Array):
            self.out(f"const {count} = ofLength(from.{part.name}Length(), {type.length});")
        else:
            given = [f"from.{part.name}Length()", "from", str(self.glue.tables.size(lower))]
            self.line(f"const {count} = room(", given, ");")
        with self.each(part, lower, n, count) as native:
            if isinstance(type, Map):
                self.line(f"{self.glue.call('extract', type, lower)}(", [native, value], ");")
            else:
                self.line(f"{value}.push(", [self.one(type.item, lower, native)], ");")

    def one(self, type: Type, low: Type, native: str) -> str:
        """Return the expression for the value of an item."""
        if isinstance(low, Record):
            return self.call(type, low, native)
        return native if low == string else self.number(type, native)
