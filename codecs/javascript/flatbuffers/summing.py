"""Generates functions that add up every field in a buffer, as the sum of a domain object does: one for each
table, struct and union."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from serbench.codegen.steps import has_no_fields, is_number
from serbench.idl.fbs_parts import is_bytes
from serbench.languages.javascript.names import number_of
from serbench.model import Array, Map, Record, Type, Union, string
from serbench.model.parts import resolved

from .extracting import is_there
from .parts import Conversion, Part


def sum_of(type: Type, native: str) -> str:
    """Return the expression for what a number adds to a sum."""
    number = number_of(type)
    match number.name:
        case "bool":
            return f"Number({native})"
        case "i64" | "u64":
            return f"sumOfBigInt({native})"
        case _:
            return f"sumOfFloat({native})" if number.is_float else native


@dataclass
class Sums(Conversion):
    """Generates functions that return the sum of the value at ``from``."""

    def record(self, name: str, type: Any, low: Any) -> None:
        if not low.fields:
            with self.out.block(f"function {name}() {{"):
                self.out("return 0;")
            return
        with self.out.block(f"function {name}(from) {{"):
            if self.made_for(low) == "fixed":
                self.out(f"return sumOfBytes(octetsAt(from, {type.length}));")
                return
            self.out("let sum = 0;")
            if self.is_struct(low):
                self.struct(type, low)
            else:
                for part in self.parts(type, low):
                    self.part(part)
            self.out("return sum;")

    def union(self, name: str, type: Any, low: Union) -> None:
        with self.out.block(f"function {name}(kind, from) {{"), self.out.block("switch (kind) {"):
            for index, (own, lower) in enumerate(zip(type.alternatives, low.alternatives, strict=True)):
                table = resolved(lower.type)
                self.out(f"case fbs.{low.name}.{lower.name}:")
                inner = self.call(own.type, table, "from") if own.type and table.fields else "0"
                self.out(f"  return ({index} + {inner}) | 0;" if inner != "0" else f"  return {index};")
            self.out("default:", "  throw new Error(`a union has no alternative ${kind}`);")

    def call(self, type: Type, low: Type, given: str) -> str:
        is_empty = isinstance(low, Record) and not low.fields
        return f"{self.glue.call('sum', resolved(type), low)}({'' if is_empty else given})"

    def add(self, value: str) -> None:
        self.out(f"sum = (sum + {value}) | 0;")

    def struct(self, type: Type, low: Record) -> None:
        for own, held, _, accessor in self.single(type, low):
            native = f"from.{accessor}()"
            self.add(sum_of(own, native) if is_number(held) else self.call(own, held, native))

    def part(self, part: Part) -> None:
        """Write the statements that add a field of a table."""
        type, low = part.held
        native = f"from.{part.name}()"
        if isinstance(low, Union):
            self.union_field(part, type, low)
        elif is_number(low) or low == string or isinstance(low, Record):
            if not part.is_optional:
                self.add(self.one(type, low, native))
                return
            value = self.local(part.name)
            self.out(f"const {value} = {native};")
            with self.out.block(f"if ({value} !== null) {{"):
                self.add(f"1 + {self.one(type, low, value)}")
        elif part.is_optional:
            with self.out.block(f"if ({is_there(part)}) {{"):
                self.add("1")
                self.vector(part, type, low)
        else:
            self.vector(part, type, low)

    def one(self, type: Type, low: Type, native: str) -> str:
        if low == string:
            return f'sumOfText({native} ?? "")' if native.endswith("()") else f"sumOfText({native})"
        return sum_of(type, native) if is_number(low) else self.call(type, low, native)

    def union_field(self, part: Part, type: Type, low: Union) -> None:
        kind = self.local("kind")
        self.out(f"const {kind} = from.{part.name}Type();")
        table = self.glue.conversions["extract"].table_of(low)
        self.glue.call("extract", type, low)  # which has the function beside it
        call = self.glue.call("sum", type, low)
        added = f"{call}({kind}, from.{part.name}({table}({kind})))"
        if not part.is_optional:
            self.add(added)
            return
        with self.out.block(f"if ({kind} !== fbs.{low.name}.NONE) {{"):
            self.add(f"1 + {added}")

    def vector(self, part: Part, type: Any, low: Any) -> None:
        """Write the statements that add the items of a vector and, but for an array, their count."""
        if is_bytes(low):
            octets = f"sumOfBytes(octets(from, from.{part.name}Array()))"
            self.add(f"{octets} - {type.length}" if isinstance(type, Array) else octets)
            return
        lower = resolved(low.item)
        n, count = self.local("n"), self.local("count")
        self.out(f"const {count} = from.{part.name}Length();")
        if not isinstance(type, Array):
            self.add(count)
        if not has_no_fields(lower):
            with self.each(part, lower, n, count) as native:
                self.add(self.one(type if isinstance(type, Map) else type.item, lower, native))
