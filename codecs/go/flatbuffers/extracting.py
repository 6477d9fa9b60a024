"""What makes domain objects of what lies in a buffer: a function for each table, struct and union."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from serbench.languages.go.functions import bare, pointer_to
from serbench.languages.go.wanted import is_number, resolved
from serbench.model import Array, Enum, List, Map, Optional, Record, Ref, Scalar, Type, Union, string

from .parts import Conversion, Part, is_bytes

FIRST_SLOT, SLOT = 4, 2
"""Where the slots of a vtable begin, and the bytes of each."""


@dataclass
class Extracts(Conversion):
    """Functions that assign what lies at ``from`` to what ``value`` leads to."""

    def function(self, name: str, type: Type, low: Type) -> None:
        self._taken.clear()
        self.out("")
        if isinstance(low, Union):
            assert isinstance(type, Union)
            head = f"kind fbs.{low.name}, from *flatbuffers.Table, value *{self.held(type)}, found *reading"
            with self.out.block(f"func {name}({head}) {{"):
                self.union(type, low)
            return
        assert isinstance(low, Record)
        if not low.fields:
            value = self.argument(type, low)
            self.out(f"func {name}(_ *fbs.{low.name}, {value}, _ *reading) {{}}")
            return
        made = self.made(low)
        value = f"values {self.held(type)}" if made == "entry" else f"value *{self.held(type)}"
        found = "_" if made == "fixed" else "found"
        with self.out.block(f"func {name}(from *fbs.{low.name}, {value}, {found} *reading) {{"):
            if made == "fixed":
                self.out("table := from.Table()", "copy(value[:], table.Bytes[table.Pos:])")
            elif made == "entry":
                self.entry(type, low)
            elif self.is_struct(low):
                self.struct(type, low)
            else:
                for part in self.parts(type, low):
                    if isinstance(part.type, Ref) and part.place.startswith("value."):
                        self.present(part.place, part.type)
                    self.part(part, part.held)

    def call(self, type: Type, low: Type, arguments: str) -> None:  # type: ignore[override]
        """Calls the function of what leads back or not."""
        line = f"{self.glue.call('extract', resolved(type), low)}({arguments}, found)"
        if isinstance(type, Ref):
            with self.out.block("if found.enter() {"):
                self.out(line, "found.leave()")
        else:
            self.out(line)

    def union(self, type: Union, low: Union) -> None:
        self.out("switch kind {")
        for own, lower in zip(type.alternatives, low.alternatives, strict=True):
            assert lower.type is not None
            table = resolved(lower.type)
            self.out(f"case fbs.{low.name}{lower.name}:")
            with self.out.indented():
                self.out(f"*value = domain.{type.name}{{{own.name}: value.{own.name}}}")
                self.present(f"value.{own.name}", own.type)
                if table.fields:
                    self.out(f"var chosen fbs.{table.name}", "chosen.Init(from.Bytes, from.Pos)")
                    self.call(own.type or table, table, f"&chosen, value.{own.name}")
        self.out("default:", '\tfound.Add("a union has no alternative")', "}")

    def entry(self, type: Type, low: Record) -> None:
        """Puts an entry into a map."""
        assert isinstance(type, Map)
        key, item = self.variable("key"), self.variable("item")
        self.out(f"var {key} {self.type_of(type.key)}", f"var {item} {self.held(type.value)}")
        if self.is_struct(low):
            for each, lower, place, accessor in self.members(type, low):
                self.member(each, lower, key if place == "key" else item, accessor)
        else:
            for part in self.parts(type, low):
                self.part(part, key if part.place == "key" else item)
        self.out(f"values[{key}] = {item}")

    def struct(self, type: Type, low: Record) -> None:
        for each, lower, place, accessor in self.members(type, low):
            self.member(each, lower, place, accessor)

    def member(self, type: Type, low: Type, place: str, accessor: str) -> None:
        if is_number(low):
            self.number_in(type, f"from.{accessor}()", place)
        else:
            assert isinstance(low, Record)
            inner = self.variable("inner")
            self.out(f"var {inner} fbs.{low.name}")
            self.call(type, low, f"from.{accessor}(&{inner}), {pointer_to(place)}")

    def number_in(self, type: Type, native: str, place: str) -> None:
        if not isinstance(type, Enum):
            self.out(f"{bare(place)} = {native}")
            return
        self.out(f"{bare(place)} = {self.held(type)}({native})")
        if not type.open:
            self.out(f"found.Check({place}.IsKnown())")

    def part(self, part: Part, place: str) -> None:
        """Assigns a field of a table."""
        low, type = resolved(part.low), part.type
        match low:
            case Optional(lower):
                assert isinstance(type, Optional)
                self.optional(type.item, resolved(lower), part, place)
            case Scalar("string"):
                self.out(f"{bare(place)} = string(from.{part.name}())")
            case Record() | Union():
                with self.composite(type, low, part, pointer_to(place)):
                    self.out("found.absent()")
            case _ if is_number(low):
                self.number_in(type, f"from.{part.name}()", place)
            case _:
                self.vector(type, low, part, place)

    @contextmanager
    def composite(self, type: Type, low: Record | Union, part: Part, pointer: str) -> Iterator[None]:
        """Reads a record or union, or does what follows where there is none."""
        if isinstance(low, Union):
            inner = self.variable("table")
            self.out(f"var {inner} flatbuffers.Table")
            head, arguments = f"if from.{part.name}(&{inner}) {{", f"from.{part.tag}(), &{inner}"
        else:
            inner = self.variable("inner")
            self.out(f"var {inner} fbs.{low.name}")
            head, arguments = f"if from.{part.name}(&{inner}) != nil {{", f"&{inner}"
        with self.out.block(head, "} else {"):
            if isinstance(part.low, Optional):
                self.present(pointer, type)
            self.call(type, low, f"{arguments}, {pointer}")
        with self.out.indented():
            yield
        self.out("}")

    def optional(self, type: Type, low: Type, part: Part, place: str) -> None:
        """Assigns what may be absent."""
        pointer, native = bare(place), f"from.{part.name}()"
        if isinstance(low, Record | Union):
            with self.composite(type, low, part, pointer):
                self.out(f"{pointer} = nil")
            return
        if is_number(low) and not isinstance(type, Enum):
            self.out(f"{pointer} = {native}")
            return
        value = self.variable("given")
        if is_number(low) or low == string:
            head = f"if {value} := {native}; {value} != nil {{"
        else:
            self.out(f"{value} := from.Table()")
            head = f"if {value}.Offset({FIRST_SLOT + SLOT * part.slot}) != 0 {{"
        with self.out.block(head, "} else {"):
            self.present(pointer, type)
            if is_number(low):
                self.number_in(type, f"*{value}", f"(*{pointer})")
            elif low == string:
                self.out(f"*{pointer} = string({value})")
            else:
                self.vector(type, low, part, f"(*{pointer})")
        self.out(f"\t{pointer} = nil", "}")

    def vector(self, type: Type, low: Type, part: Part, place: str) -> None:
        """Assigns the items of a vector."""
        count = f"from.{part.name}Length()"
        if is_bytes(low):
            octets = f"from.{part.name}Bytes()"
            if isinstance(type, Array):
                self.out(f"found.Fill({place}[:], {octets})")
            else:
                self.out(f"{bare(place)} = append({place}[:0], {octets}...)")
            return
        assert isinstance(low, List)
        lower = resolved(low.item)
        if isinstance(type, Map):
            entry = self.variable("entry")
            self.out(f"{bare(place)} = serbench.Emptied({bare(place)})", f"var {entry} fbs.{lower.name}")
            with self.inner() as at, self.out.block(f"for {at} := range {count} {{"):
                self.out(f"from.{part.name}(&{entry}, {at})")
                self.call(type, lower, f"&{entry}, {bare(place)}")
            return
        assert isinstance(type, List | Array)
        if isinstance(type, List):
            room = f"found.room({count}, {self.glue.tables.size(lower)})"
            self.out(f"{bare(place)} = serbench.Resized({bare(place)}, {room})")
            self.vector_items(type, lower, part, place)
        else:
            with self.out.block(f"if found.Check({count} == {type.length}) {{"):
                self.vector_items(type, lower, part, place)

    def vector_items(self, type: List | Array, low: Type, part: Part, place: str) -> None:
        is_behind = isinstance(type, Array) and isinstance(type.item, Ref)
        inner = ""
        if isinstance(low, Record):
            inner = self.variable("item")
            self.out(f"var {inner} fbs.{low.name}")
        with self.inner() as at, self.out.block(f"for {at} := range {bare(place)} {{"):
            each = f"{place}[{at}]"
            if is_behind:
                self.present(each, type.item)
            if isinstance(low, Record):
                self.out(f"from.{part.name}(&{inner}, {at})")
                self.call(type.item, low, f"&{inner}, {each if is_behind else f'&{each}'}")
            elif low == string:
                self.out(f"{each} = string(from.{part.name}({at}))")
            else:
                self.number_in(type.item, f"from.{part.name}({at})", each)
