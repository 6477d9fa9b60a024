"""Generates functions that make dataclasses from a buffer, one for each table, struct and union."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from serbench.codegen.steps import is_number
from serbench.idl.fbs_parts import is_bytes
from serbench.languages.python.code import suite
from serbench.model import Array, Enum, Map, Record, Type, Union, bytes_, string
from serbench.model.parts import resolved

from .parts import Conversion, Part


@dataclass
class Extracts(Conversion):
    """Generates functions that return the domain's value for the table or struct ``view``."""

    def record(self, name: str, type: Any, low: Any) -> None:
        made = self.made_for(low)
        with suite(self.out, f"def {name}({'view' if low.fields else '_view'}: Any) -> Any:"):
            if made == "fixed":
                self.out(f"return _octets_at(view._tab, {type.length})")
                return
            values = self.members_of(type, low) if self.is_struct(low) else self.fields_of(type, low)
            if made == "entry":
                self.line("return (", values, ")")
            elif made:
                self.out(f"return {values[0]}")
            else:
                self.line(f"return {type.name}(", values, ")")

    def union(self, name: str, type: Any, low: Union) -> None:
        with suite(self.out, f"def {name}(kind: int, table: Any) -> Any:"):
            for own, lower in zip(type.alternatives, low.alternatives, strict=True):
                held = resolved(lower.type)
                with suite(self.out, f"if kind == {self.glue.of(low)}.{low.name}.{lower.name}:"):
                    value = None
                    if own.type is not None:
                        self.view_of(held)
                        value = self.call(own.type, held, "view")
                    self.out(f"return {self.glue.access.alternative(type, own.name, value)}")
            self.out(f'raise ValueError(f"{{kind}} is no alternative of {type.name}")')

    def call(self, type: Type, low: Type, given: str) -> str:
        """Return the call of the function that extracts a value of a type; ``given`` are the arguments."""
        return f"{self.glue.call('extract', resolved(type), low)}({given})"

    def number(self, type: Type, native: str) -> str:
        return f"{type.name}({native})" if isinstance(type, Enum) and not type.open else native

    # A struct.

    def members_of(self, type: Type, low: Record) -> list[str]:
        found = []
        for each, lower, _, accessors in self.members(type, low):
            if isinstance(each, Array):
                items = [self.member(each.item, resolved(lower).item, own) for own in accessors]
                found.append(f"[{', '.join(items)}]")
            else:
                found.append(self.member(each, lower, accessors[0]))
        return found

    def member(self, type: Type, low: Any, accessor: str) -> str:
        if is_number(low):
            return self.number(type, f"view.{accessor}()")
        return self.call(type, low, f"view.{accessor}({self.glue.of(low)}.{low.name}())")

    # A table.

    def fields_of(self, type: Type, low: Record) -> list[str]:
        found = {part.place: self.part(part) for part in self.parts(type, low)}
        return [found[place] for _, place in self.values(type, low)]

    def part(self, part: Part) -> str:
        """Return the expression for a field of a table."""
        type, low = part.held
        native = f"view.{part.name}()"
        if isinstance(low, Union):
            call = self.glue.call("extract", type, low)
            if not part.is_optional:
                return f"{call}(view.{part.name}Type(), {native})"
            kind = self.local(f"{part.variable}_kind")
            return f"{call}({kind}, {native}) if ({kind} := view.{part.name}Type()) else None"
        if isinstance(low, Record) or is_number(low) or low == string:
            if not part.is_optional:
                return self.one(type, low, f"({native} or b'')" if low == string else native)
            own = self.local(part.variable)
            made = self.one(type, low, own)
            return native if made == own else f"None if ({own} := {native}) is None else {made}"
        made = self.vector(part, type, low)
        return f"None if view.{part.name}IsNone() else {made}" if part.is_optional else made

    def one(self, type: Type, low: Type, native: str) -> str:
        if low == string:
            return f"{native}.decode()".replace("''", '""')
        return self.number(type, native) if is_number(low) else self.call(type, low, native)

    def vector(self, part: Part, type: Any, low: Any) -> str:
        """Return the expression for the items of a vector."""
        if is_bytes(low):
            made = part.octets if type == bytes_ else f"list({part.octets})"
            return f"_exact({made}, {type.length})" if isinstance(type, Array) else made
        lower = resolved(low.item)
        count = f"view.{part.name}Length()"
        if isinstance(lower, Record) and not lower.fields:
            count = f"_room({count}, view._tab)"
        each, n = self.local("each"), self.local("n")
        if isinstance(type, Map):
            call = self.glue.call("extract", type, lower)
            return f"dict({call}(view.{part.name}({n})) for {n} in range({count}))"
        if is_number(lower):
            numbers = f"_listed(view.{part.name}, {count}, view.{part.name}AsNumpy)"
            number = self.number(type.item, each)
            made = numbers if number == each else f"[{number} for {each} in {numbers}]"
        else:
            item = self.one(type.item, lower, f"view.{part.name}({n})")
            made = f"[{item} for {n} in range({count})]"
        return f"_exact({made}, {type.length})" if isinstance(type, Array) else made
