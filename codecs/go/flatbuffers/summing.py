"""What adds up every field of what lies in a buffer, as ``Sum`` of the domain: a function for each table,
struct and union."""

from __future__ import annotations

from dataclasses import dataclass

from serbench.languages.go.wanted import is_number, resolved
from serbench.model import Array, List, Map, Optional, Record, Scalar, Type, Union, string

from .extracting import FIRST_SLOT, SLOT
from .parts import Conversion, Part, is_bytes


@dataclass
class Sums(Conversion):
    """``func sumNAME(from *NAME) uint64``."""

    def function(self, name: str, type: Type, low: Type) -> None:
        self._taken.clear()
        self.out("")
        if isinstance(low, Union):
            assert isinstance(type, Union)
            head = f"kind fbs.{low.name}, from *flatbuffers.Table"
            with self.out.block(f"func {name}({head}) (sum uint64) {{"):
                self.union(type, low)
                self.out("return sum")
            return
        assert isinstance(low, Record)
        if not low.fields:
            self.out(f"func {name}(_ *fbs.{low.name}) uint64 {{ return 0 }}")
            return
        with self.out.block(f"func {name}(from *fbs.{low.name}) (sum uint64) {{"):
            if self.is_struct(low):
                for each, lower, _, accessor in self.members(type, low):
                    self.member(each, lower, accessor)
            else:
                for part in self.parts(type, low):
                    self.part(part)
            self.out("return sum")

    def union(self, type: Union, low: Union) -> None:
        self.out("switch kind {")
        for index, (own, lower) in enumerate(zip(type.alternatives, low.alternatives, strict=True)):
            assert lower.type is not None
            table = resolved(lower.type)
            self.out(f"case fbs.{low.name}{lower.name}:")
            with self.out.indented():
                self.out(f"sum += {index}")
                if table.fields:
                    self.out(f"var chosen fbs.{table.name}", "chosen.Init(from.Bytes, from.Pos)")
                    self.add(own.type or table, table, "&chosen")
        self.out("}")

    def add(self, type: Type, low: Type, arguments: str) -> None:
        """Adds what another function gives."""
        self.out(f"sum += {self.glue.call('sum', resolved(type), low)}({arguments})")

    def add_number(self, low: Type, native: str) -> None:
        match low:
            case Scalar("bool"):
                self.out(f"sum += serbench.SumBool({native})")
            case Scalar("f32" | "f64" as name):
                self.out(f"sum += uint64(math.Float{name[1:]}bits({native}))")
            case _:
                self.out(f"sum += uint64({native})")

    def member(self, type: Type, low: Type, accessor: str) -> None:
        if is_number(low):
            self.add_number(low, f"from.{accessor}()")
        else:
            assert isinstance(low, Record)
            inner = self.variable("inner")
            self.out(f"var {inner} fbs.{low.name}")
            self.add(type, low, f"from.{accessor}(&{inner})")

    def part(self, part: Part) -> None:
        """Adds a field of a table."""
        low, type = resolved(part.low), part.type
        if isinstance(low, Optional):
            assert isinstance(type, Optional)
            self.optional(type.item, resolved(low.item), part)
        elif isinstance(low, Record | Union):
            self.composite(type, low, part)
        else:
            self.plain_value(type, low, part)

    def plain_value(self, type: Type, low: Type, part: Part) -> None:
        if low == string:
            self.out(f"sum += serbench.SumBytes(from.{part.name}())")
        elif is_number(low):
            self.add_number(low, f"from.{part.name}()")
        else:
            self.vector(type, low, part)

    def composite(self, type: Type, low: Record | Union, part: Part) -> None:
        """Adds a record or union where there is one."""
        if isinstance(low, Union):
            inner = self.variable("table")
            self.out(f"var {inner} flatbuffers.Table")
            head, arguments = f"if from.{part.name}(&{inner}) {{", f"from.{part.tag}(), &{inner}"
        else:
            inner = self.variable("inner")
            self.out(f"var {inner} fbs.{low.name}")
            head, arguments = f"if from.{part.name}(&{inner}) != nil {{", f"&{inner}"
        with self.out.block(head):
            if isinstance(part.low, Optional):
                self.out("sum++")
            self.add(type, low, arguments)

    def optional(self, type: Type, low: Type, part: Part) -> None:
        if isinstance(low, Record | Union):
            self.composite(type, low, part)
            return
        value = self.variable("given")
        if is_number(low) or low == string:
            head = f"if {value} := from.{part.name}(); {value} != nil {{"
        else:
            self.out(f"{value} := from.Table()")
            head = f"if {value}.Offset({FIRST_SLOT + SLOT * part.slot}) != 0 {{"
        with self.out.block(head):
            self.out("sum++")
            if is_number(low):
                self.add_number(low, f"*{value}")
            else:
                self.plain_value(type, low, part)

    def vector(self, type: Type, low: Type, part: Part) -> None:
        """Adds the items of a vector, and their number where it may differ."""
        count, octets = f"from.{part.name}Length()", f"from.{part.name}Bytes()"
        if is_bytes(low):
            self.out(f"sum += serbench.SumBytes({octets})")
            if isinstance(type, Array):
                self.out(f"sum -= {type.length}")
            return
        assert isinstance(low, List)
        lower = resolved(low.item)
        if not isinstance(type, Array):
            self.out(f"sum += uint64({count})")
        inner = ""
        if isinstance(lower, Record):
            inner = self.variable("item")
            self.out(f"var {inner} fbs.{lower.name}")
        with self.inner() as at, self.out.block(f"for {at} := range {count} {{"):
            if isinstance(lower, Record):
                assert isinstance(type, List | Array | Map)
                self.out(f"from.{part.name}(&{inner}, {at})")
                self.add(type if isinstance(type, Map) else type.item, lower, f"&{inner}")
            elif lower == string:
                self.out(f"sum += serbench.SumBytes(from.{part.name}({at}))")
            else:
                self.add_number(lower, f"from.{part.name}({at})")
