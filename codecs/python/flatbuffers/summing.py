"""Generates functions that add up every field in a buffer, as the sum of a dataclass does: one for each
table, struct and union."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from serbench.codegen.steps import is_number
from serbench.idl.fbs_parts import is_bytes
from serbench.languages.python.code import suite
from serbench.languages.python.fixed import branch
from serbench.languages.python.sums import added
from serbench.model import Array, Map, Record, Type, Union, string
from serbench.model.parts import resolved

from .parts import Conversion, Part, number_of


@dataclass
class Sums(Conversion):
    """Generates functions that return the sum of the table or struct ``view``."""

    def record(self, name: str, type: Any, low: Any) -> None:
        with suite(self.out, f"def {name}({'view' if low.fields else '_view'}: Any) -> int:"):
            if not low.fields:
                self.out("return 0")
                return
            if self.made_for(low) == "fixed":
                self.out(f"return _sum(_octets_at(view._tab, {type.length}))")
                return
            self.out("total = 0")
            if self.is_struct(low):
                self.struct(type, low)
            else:
                for part in self.parts(type, low):
                    self.part(part)
            self.out("return total")

    def union(self, name: str, type: Any, low: Union) -> None:
        with suite(self.out, f"def {name}(kind: int, table: Any) -> int:"):
            for index, (own, lower) in enumerate(zip(type.alternatives, low.alternatives, strict=True)):
                held = resolved(lower.type)
                with branch(self.out, index, f"kind == {self.glue.of(low)}.{low.name}.{lower.name}"):
                    if own.type is None:
                        self.out(f"total = {index}")
                        continue
                    self.view_of(held)
                    self.out(f"total = {index} + {self.call(own.type, held, 'view')}")
            with suite(self.out, "else:"):
                self.out(f'raise ValueError(f"{{kind}} is no alternative of {type.name}")')
            self.out("return total")

    def call(self, type: Type, low: Type, given: str) -> str:
        return f"{self.glue.call('sum', resolved(type), low)}({given})"

    def struct(self, type: Type, low: Record) -> None:
        for own, held, _, accessor in self.single(type, low):
            given = f"{self.glue.of(held)}.{held.name}()" if isinstance(held, Record) else ""
            self.out(f"total += {self.one(own, held, f'view.{accessor}({given})')}")

    def one(self, type: Type, low: Type, native: str) -> str:
        if low == string:
            return f"_sum({native})"
        return added(number_of(low), native) if is_number(low) else self.call(type, low, native)

    def part(self, part: Part) -> None:
        """Write the statements that add a field of a table."""
        type, low = part.held
        native = f"view.{part.name}()"
        if isinstance(low, Union):
            call = self.glue.call("sum", type, low)
            if not part.is_optional:
                self.out(f"total += {call}(view.{part.name}Type(), {native})")
                return
            with suite(self.out, f"if kind := view.{part.name}Type():"):
                self.out(f"total += 1 + {call}(kind, {native})")
        elif isinstance(low, Record) or is_number(low) or low == string:
            if not part.is_optional:
                given = f'{native} or b""' if low == string else native
                self.out(f"total += {self.one(type, low, given)}")
                return
            with suite(self.out, f"if (item := {native}) is not None:"):
                self.out(f"total += 1 + {self.one(type, low, 'item')}")
        elif part.is_optional:
            with suite(self.out, f"if not view.{part.name}IsNone():"):
                self.out("total += 1")
                self.vector(part, type, low)
        else:
            self.vector(part, type, low)

    def vector(self, part: Part, type: Any, low: Any) -> None:
        """Write the statements that add the items of a vector and, but for an array, their count."""
        if is_bytes(low):
            function = "sum" if isinstance(type, Array) else "_sum"
            self.out(f"total += {function}({part.octets})")
            return
        lower = resolved(low.item)
        count = f"view.{part.name}Length()"
        if not isinstance(type, Array):
            self.out(f"total += {count}")
        if isinstance(lower, Record) and not lower.fields:
            return
        if is_number(lower):
            numbers = f"_listed(view.{part.name}, {count}, view.{part.name}AsNumpy)"
            if added(number_of(lower), "each") == "each":
                self.out(f"total += sum({numbers})")
            else:
                self.out(f"total += sum({added(number_of(lower), 'each')} for each in {numbers})")
            return
        own = type if isinstance(type, Map) else type.item
        item = self.one(own, lower, f"view.{part.name}(n)")
        self.out(f"total += sum({item} for n in range({count}))")
