"""What makes domain objects of what lies in a message: a function for each struct."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

from serbench.languages.go.functions import bare, pointer_to
from serbench.languages.go.wanted import is_number, resolved
from serbench.model import Array, Enum, List, Map, Optional, Record, Ref, Type, Union, bytes_, string

from .parts import Conversion, Part


@dataclass
class Extracts(Conversion):
    """``func extractNAME(from messages.NAME, value *domain.NAME, found *faults)``."""

    def function(self, name: str, type: Type, low: Type) -> None:
        self._taken.clear()
        self.out("")
        assert isinstance(low, Record | Union)
        is_entry = self.made(low) == "entry"
        if isinstance(low, Record) and not low.fields:
            self.out(f"func {name}(_ messages.{low.name}, _ *{self.held(type)}, _ *faults) {{}}")
            return
        value = f"values {self.held(type)}" if is_entry else f"value *{self.held(type)}"
        with self.out.block(f"func {name}(from messages.{low.name}, {value}, found *faults) {{"):
            if isinstance(low, Union):
                assert isinstance(type, Union)
                self.union(type, low)
            elif is_entry:
                self.entry(type, low)
            else:
                for part in self.parts(type, low):
                    if isinstance(part.type, Ref) and part.place.startswith("value."):
                        self.present(part.place, part.type)
                    self.part(part, part.held)

    def union(self, type: Union, low: Union) -> None:
        is_alone = len(low.alternatives) == 1
        if not is_alone:
            self.out("switch from.Which() {")
        for own, lower, label in zip(type.alternatives, low.alternatives, self.chosen(low), strict=True):
            if not is_alone:
                self.out(f"case {label}:")
            with nullcontext() if is_alone else self.out.indented():
                self.out(f"*value = domain.{type.name}{{{own.name}: value.{own.name}}}")
                self.present(f"value.{own.name}", own.type)
                if own.type is not None:
                    self.part(self.glue.alternative(own, lower), f"(*value.{own.name})")
        if not is_alone:
            self.out("default:", '\tfound.Add("a union has no alternative")', "}")

    def entry(self, type: Type, low: Record) -> None:
        """Puts an entry into a map."""
        assert isinstance(type, Map)
        key, item = self.variable("key"), self.variable("item")
        self.out(f"var {key} {self.type_of(type.key)}", f"var {item} {self.held(type.value)}")
        for part in self.parts(type, low):
            self.part(part, key if part.place == "key" else item)
        self.out(f"values[{key}] = {item}")

    @contextmanager
    def taken(self, call: str, word: str) -> Iterator[str]:
        """A variable with what a call gives besides an error, which is kept."""
        name = self.variable(word)
        self.out(f"{name}, err := {call}", "found.keep(err)")
        yield name

    def part(self, part: Part, place: str) -> None:
        """Assigns a field of a struct."""
        low = resolved(part.low)
        if isinstance(low, Optional):
            self.optional(part, place)
        elif is_number(low):
            self.number(part.type, low, f"from.{part.name}()", place)
        elif isinstance(part.type, Ref):
            # The default of what is not there could hold itself without end.
            with self.out.block(f"if found.Check(from.Has{part.name}()) {{"):
                self.referred(part.type, low, f"from.{part.name}()", place)
        else:
            self.referred(part.type, low, f"from.{part.name}()", place)

    def optional(self, part: Part, place: str) -> None:
        """Assigns what may be absent."""
        item, low = self.item_of(part)
        pointer = bare(place)
        head = f"if from.Has{part.name}() {{"
        if part.group:
            group = self.variable("group")
            head = f"if {group} := from.{part.name}(); {group}.Which() == {part.group}_Which_some {{"
        with self.out.block(head, "} else {"):
            self.present(pointer, item)
            if part.group:
                self.number(item, low, f"{group}.Some()", f"(*{pointer})")
            else:
                self.referred(item, low, f"from.{part.name}()", f"(*{pointer})")
        self.out(f"\t{pointer} = nil", "}")

    def number(self, type: Type, low: Type, native: str, place: str) -> None:
        if not isinstance(type, Enum):
            self.out(f"{bare(place)} = {native}")
        elif isinstance(low, Enum):
            self.out(f"{bare(place)} = {self.glue.number(type, low)}({native}, found)")
        else:
            self.out(f"{bare(place)} = {self.held(type)}({native})")
            if not type.open:
                self.out(f"found.Check({place}.IsKnown())")

    def referred(self, type: Type, low: Type, call: str, place: str) -> None:
        """Assigns what a call gives, or an error."""
        if low == string:
            with self.taken(call, "text") as text:
                self.out(f"{bare(place)} = {text}")
        elif low == bytes_:
            with self.taken(call, "octets") as octets:
                if isinstance(type, List) or type == bytes_:
                    self.out(f"{bare(place)} = append({place}[:0], {octets}...)")
                else:
                    self.out(f"found.Fill({place}[:], {octets})")
        elif isinstance(low, Record | Union):
            with self.taken(call, "inner") as inner:
                self.struct(type, low, inner, pointer_to(place))
        else:
            assert isinstance(low, List)
            with self.taken(call, "items") as items:
                self.items(resolved(type), low, items, place)

    def struct(self, type: Type, low: Type, native: str, pointer: str) -> None:
        self.out(f"{self.glue.call('extract', resolved(type), low)}({native}, {pointer}, found)")

    def items(self, type: Type, low: List, items: str, place: str) -> None:  # type: ignore[override]
        """Assigns the items of a list."""
        item = resolved(low.item)
        if isinstance(type, Map):
            self.out(f"{bare(place)} = serbench.Emptied({bare(place)})")
            with self.inner() as at, self.out.block(f"for {at} := range {items}.Len() {{"):
                self.struct(type, item, f"{items}.At({at})", bare(place))
            return
        assert isinstance(type, List | Array)
        if isinstance(type, List):
            self.out(f"{bare(place)} = serbench.Resized({bare(place)}, {items}.Len())")
            self.each(type, item, items, place)
        else:
            with self.out.block(f"if found.Check({items}.Len() == {type.length}) {{"):
                self.each(type, item, items, place)

    def each(self, type: List | Array, low: Type, items: str, place: str) -> None:
        is_behind = isinstance(type, Array) and isinstance(type.item, Ref)
        with self.inner() as at, self.out.block(f"for {at} := range {bare(place)} {{"):
            to = f"{place}[{at}]"
            if is_behind:
                self.present(to, type.item)
                to = f"(*{to})"
            if is_number(low):
                self.number(type.item, low, f"{items}.At({at})", to)
            elif isinstance(low, Record | Union):
                self.struct(type.item, low, f"{items}.At({at})", pointer_to(to))
            elif isinstance(low, List):
                with self.taken(f"{items}.At({at})", "pointer") as pointer:
                    inner = self.variable("items")
                    self.out(f"{inner} := {self.list_type(low.item)}({pointer}.List())")
                    self.items(resolved(type.item), low, inner, to)
            else:
                self.referred(type.item, low, f"{items}.At({at})", to)
