"""What makes domain objects of messages: a function for each record and union."""

from __future__ import annotations

from dataclasses import dataclass

from serbench.languages.go.domain import SCALARS
from serbench.languages.go.functions import bare, pointer_to, value_at
from serbench.languages.go.messages import Conversion, resolved
from serbench.model import (
    Array,
    Enum,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Type,
    Union,
    bytes_,
)


@dataclass
class Extracts(Conversion):
    """Statements that assign what a message has at ``native`` to a place of the domain."""

    def function(self, name: str, type: Type, low: Type) -> None:
        self._taken.clear()
        self.out("")
        if isinstance(low, Record) and not low.fields:
            argument = self.argument(type, low).rpartition("*")[2]
            self.out(f"func {name}(_ *{self.glue.message(low)}, _ *{argument}, _ *serbench.Faults) {{}}")
            return
        head = f"from *{self.glue.message(low)}, {self.argument(type, low)}, faults *serbench.Faults"
        with self.out.block(f"func {name}({head}) {{"):
            if isinstance(low, Union):
                assert isinstance(type, Union)
                self.union(type, low)
                return
            assert isinstance(low, Record)
            for each, lower, place in self.parts(type, low):
                if isinstance(each, Ref) and place.startswith("value."):
                    self.made(place, each)
                native = f"from.{self.glue.part(low, lower.name)}"
                self.value_of(each, lower.type, native, self.held_in(place, each))

    def union(self, type: Union, low: Union) -> None:
        """The alternative that a message has."""
        raise NotImplementedError

    def chosen(self, type: Union, name: str, item: Type | None) -> str:
        """The place of the value of an alternative, which is the only one from here on."""
        self.out(f"*value = domain.{type.name}{{{name}: value.{name}}}")
        self.made(f"value.{name}", item)
        return f"(*value.{name})"

    def value_of(self, type: Type, low: Type, native: str, place: str) -> None:
        """Assigns what a message has."""
        low = resolved(low)
        match type, low:
            case ((Scalar("bytes") | List()), Scalar("bytes")):
                self.out(f"{bare(place)} = append({place}[:0], {bare(native)}...)")
            case ((FixedBytes() | Array()), Scalar("bytes")):
                self.out(f"faults.Fill({place}[:], {bare(native)})")
            case _ if self.same(type, low) and not isinstance(type, List | Map):
                self.out(f"{bare(place)} = {bare(native)}")
            case Scalar(name), Scalar():
                self.out(f"{bare(place)} = {self.number(name, bare(native))}")
            case Enum(), Scalar():
                held = f"{self.number(type.underlying.name, bare(native))}"
                self.out(f"{bare(place)} = {self.held(type)}({held})")
                if not type.open:
                    self.out(f"faults.Check({place}.IsKnown())")
            case Enum(), Enum():
                self.enum(type, low, native, place)
            case Optional(item), Optional(lower):
                self.optional(item, lower, native, place)
            case _, (Record() | Union()):
                name = self.glue.call("extract", resolved(type), low)
                self.out(f"{name}({self.pointer(low, native)}, {pointer_to(place)}, faults)")
            case ((List() | Array()), List()):
                self.list(type, low, native, place)
            case Map(key, value), Map():
                self.map(key, value, low, native, place)
            case _:
                raise TypeError(f"{type} is not expected as {low}")

    def number(self, name: str, native: str) -> str:
        """A number of the domain."""
        if name[0] == "f" or self.is_cast(name):
            return f"{SCALARS[name]}({native})"
        return f"serbench.Narrow[{SCALARS[name]}](faults, {native})"

    def enum(self, type: Enum, low: Enum, native: str, place: str) -> None:
        """An enum of the domain."""
        self.out(f"{bare(place)} = serbench.Narrow[{self.held(type)}](faults, {bare(native)})")
        if not type.open:
            self.out(f"faults.Check({place}.IsKnown())")

    def optional(self, item: Type, low: Type, native: str, place: str) -> None:
        """What may be absent."""
        with self.out.block(f"if {bare(native)} != nil {{", "} else {"):
            self.made(place, item)
            self.value_of(item, low, self.held_by(low, native), f"(*{bare(place)})")
        with self.out.indented():
            self.out(f"{bare(place)} = nil")
        self.out("}")

    def list(self, type: List | Array, low: List, native: str, place: str) -> None:
        """The items of a list or an array."""
        if isinstance(type, List):
            self.out(f"{bare(place)} = serbench.Resized({bare(place)}, len({bare(native)}))")
        else:
            with self.out.block(f"if !faults.Check(len({bare(native)}) == len({bare(place)})) {{"):
                self.out("return")
        if isinstance(type.item, Scalar) and type.item != bytes_ and self.same(type.item, low.item):
            self.out(f"copy({bare(place) if isinstance(type, List) else f'{place}[:]'}, {bare(native)})")
            return
        with self.inner() as at, self.out.block(f"for {at} := range {bare(native)} {{"):
            each = f"{place}[{at}]"
            if isinstance(type, Array) and isinstance(type.item, Ref):
                self.made(each, type.item)
                each = value_at(each)
            self.value_of(type.item, low.item, f"{native}[{at}]", each)

    def map(self, key: Type, value: Type, low: Map, native: str, place: str) -> None:
        """The pairs of a map."""
        self.out(f"{bare(place)} = serbench.Emptied({bare(place)})")
        with self.inner():
            first, item = self.variable("key"), self.variable("item")
            made, own = self.variable("made"), self.variable("own")
            with self.out.block(f"for {first}, {item} := range {bare(native)} {{"):
                self.out(f"var {own} {self.held(key)}")
                self.value_of(key, low.key, first, own)
                self.out(f"var {made} {self.held(value)}")
                self.value_of(value, low.value, item, made)
                self.out(f"{place}[{own}] = {made}")
