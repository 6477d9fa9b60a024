"""What writes domain objects: a function for each struct, which fills it."""

from __future__ import annotations

from dataclasses import dataclass

from serbench.languages.go.functions import bare, pointer_to, value_at
from serbench.languages.go.wanted import is_number, resolved
from serbench.model import (
    Array,
    Enum,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Type,
    Union,
    bool_,
    bytes_,
    string,
)

from .parts import Conversion, Part


@dataclass
class Builds(Conversion):
    """``func buildNAME(to messages.NAME, value *domain.NAME, found *faults)``."""

    def function(self, name: str, type: Type, low: Type) -> None:
        self._taken.clear()
        self.out("")
        assert isinstance(low, Record | Union)
        is_empty = isinstance(low, Record) and not low.fields
        found, to = ("_", "_") if is_empty else ("found", "to")
        head = f"func {name}({to} messages.{low.name}, {self.argument(type, low)}, {found} *faults) {{"
        if is_empty:
            self.out(f"{head}}}")
            return
        with self.out.block(head):
            if isinstance(low, Union):
                assert isinstance(type, Union)
                self.union(type, low)
            else:
                for part in self.parts(type, low):
                    self.part(part, part.held)

    def union(self, type: Union, low: Union) -> None:
        is_alone = len(low.alternatives) == 1
        self.out("switch {")
        for own, lower in zip(type.alternatives, low.alternatives, strict=True):
            self.out(f"case value.{own.name} != nil:")
            with self.out.indented():
                part = self.glue.alternative(own, lower)
                if own.type is not None:
                    self.part(part, f"(*value.{own.name})")
                elif not is_alone:
                    self.out(f"to.Set{part.name}()")
        self.out("default:", '\tfound.Add("a union has no alternative")', "}")

    def part(self, part: Part, place: str) -> None:
        """Writes a field of a struct."""
        low = resolved(part.low)
        if isinstance(low, Optional):
            with self.out.block(f"if {bare(place)} != nil {{"):
                item, inner = self.item_of(part)
                held = f"(*{bare(place)})"
                if part.group:
                    self.out(f"to.{part.name}().SetSome({self.number(item, inner, held)})")
                elif inner == string:
                    call = f"capnp.Struct(to).SetNewText({part.pointer}, {bare(held)})"
                    self.out(f"found.keep({call})")
                elif inner == bytes_:
                    octets = self.octets(item, held)
                    self.out(f"found.keep(to.Set{part.name}(present({octets})))")
                else:
                    self.referred(item, inner, part, held)
        elif is_number(low):
            self.out(f"to.Set{part.name}({self.number(part.type, low, place)})")
        elif low == string:
            self.out(f"found.keep(to.Set{part.name}({bare(place)}))")
        elif low == bytes_:
            self.out(f"found.keep(to.Set{part.name}({self.octets(part.type, place)}))")
        else:
            self.referred(part.type, low, part, place)

    def referred(self, type: Type, low: Type, part: Part, place: str) -> None:
        """Writes a struct or a list."""
        made = self.variable("made")
        if isinstance(low, Record | Union):
            self.out(f"{made}, err := to.New{part.name}()", "found.keep(err)")
            self.struct(type, low, made, pointer_to(place))
            return
        assert isinstance(low, List)
        self.out(f"{made}, err := to.New{part.name}(int32(len({bare(place)})))", "found.keep(err)")
        self.fill(type, low, made, place)

    def struct(self, type: Type, low: Type, to: str, pointer: str) -> None:
        self.out(f"{self.glue.call('build', resolved(type), low)}({to}, {pointer}, found)")

    def fill(self, type: Type, low: List, made: str, place: str) -> None:
        """Writes the items of a list."""
        type, item = resolved(type), resolved(low.item)
        if isinstance(type, Map):
            # Packed, entries in another order would take another number of bytes.
            keys = f"serbench.{'SortedBools' if type.key == bool_ else 'SortedKeys'}({bare(place)})"
            at, key, value = (self.variable(word) for word in ("at", "key", "item"))
            with self.out.block(f"for {at}, {key} := range {keys} {{"):
                call = self.glue.call("build", type, item)
                self.out(f"{value} := {place}[{key}]", f"{call}({made}.At({at}), {key}, &{value}, found)")
            return
        assert isinstance(type, List | Array)
        is_behind = isinstance(type, Array) and isinstance(type.item, Ref)
        with self.inner() as at, self.out.block(f"for {at} := range {bare(place)} {{"):
            each = f"{place}[{at}]"
            if is_behind:
                each = value_at(each)
            if is_number(item):
                self.out(f"{made}.Set({at}, {self.number(type.item, item, each)})")
            elif item == string:
                self.out(f"found.keep({made}.Set({at}, {bare(each)}))")
            elif item == bytes_:
                self.out(f"found.keep({made}.Set({at}, {self.octets(type.item, each)}))")
            elif isinstance(item, Record | Union):
                self.struct(type.item, item, f"{made}.At({at})", pointer_to(each))
            else:
                assert isinstance(item, List)
                inner, new = self.variable("made"), self.list_type(item.item, new=True)
                self.out(
                    f"{inner}, err := {new}({made}.Segment(), int32(len({bare(each)})))", "found.keep(err)"
                )
                self.fill(type.item, item, inner, each)
                self.out(f"found.keep({made}.Set({at}, {inner}.ToPtr()))")

    def octets(self, type: Type, place: str) -> str:
        """A slice of what are bytes there."""
        is_slice = isinstance(type, List) or type == bytes_
        return bare(place) if is_slice else f"{place}[:]"

    def number(self, type: Type, low: Type, place: str) -> str:
        """A number of the domain as capnpc-go's code has it."""
        match type, low:
            case Enum(), Enum():
                return f"{self.glue.ordinal(type, low)}({bare(place)})"
            case Enum(), Scalar():
                return f"{self.plain(low)}({bare(place)})"
            case _:
                return bare(place)

    def plain(self, low: Scalar) -> str:
        """The type of a number in Go."""
        return str(self.type_of(low))
