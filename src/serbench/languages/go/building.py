"""What builds messages of domain objects: a function for each record and union."""

from __future__ import annotations

from dataclasses import dataclass

from serbench.languages.go.functions import bare, pointer_to, value_at
from serbench.languages.go.messages import Conversion, is_nilable, resolved
from serbench.model import Array, Enum, FixedBytes, List, Map, Optional, Record, Ref, Scalar, Type, Union


@dataclass
class Builds(Conversion):
    """Statements that assign to a field of a message, ``target``."""

    def function(self, name: str, type: Type, low: Type) -> None:
        self._taken.clear()
        self.out("")
        if isinstance(low, Record) and not low.fields:
            self.out(f"func {name}(_ *{self.glue.message(low)}, _ *{self._argument(type, low)}) {{}}")
            return
        with self.out.block(f"func {name}(to *{self.glue.message(low)}, {self.argument(type, low)}) {{"):
            if isinstance(low, Union):
                assert isinstance(type, Union)
                self.union(type, low)
                return
            assert isinstance(low, Record)
            for each, lower, place in self.parts(type, low):
                target = f"to.{self.glue.part(low, lower.name)}"
                self.value_to(each, lower.type, self.held_in(place, each), target)

    def _argument(self, type: Type, low: Type) -> str:
        return self.argument(type, low).rpartition("*")[2]

    def union(self, type: Union, low: Union) -> None:
        """The alternative that is not nil."""
        self.out("switch {")
        for own, lower in zip(type.alternatives, low.alternatives, strict=True):
            self.out(f"case value.{own.name} != nil:")
            with self.out.indented():
                self.alternative(low, own.type, lower.name, lower.type, f"(*value.{own.name})")
        self.out("}")

    def alternative(self, union: Union, type: Type | None, name: str, low: Type | None, place: str) -> None:
        """Puts the value of an alternative into a message."""
        raise NotImplementedError

    def value_to(self, type: Type, low: Type, place: str, target: str) -> None:
        """Assigns a value to a field or an item."""
        low = resolved(low)
        match type, low:
            case _ if self.same(type, low):
                self.out(f"{bare(target)} = {bare(place)}")
            case ((FixedBytes() | Array()), Scalar("bytes")):
                self.out(f"{bare(target)} = {place}[:]")
            case Enum(), Enum():
                self.out(f"{bare(target)} = {self.enum(type, low, bare(place))}")
            case ((Scalar() | Enum()), Scalar()):
                self.out(f"{bare(target)} = {self.glue.native(low)}({bare(place)})")
            case Optional(item), Optional(lower):
                self.optional(item, lower, place, target)
            case _, (Record() | Union()):
                name = self.glue.call("build", resolved(type), low)
                if self.glue.by_pointer:
                    self.out(f"{bare(target)} = new({self.glue.message(low)})")
                self.out(f"{name}({self.pointer(low, target)}, {pointer_to(place)})")
            case ((List(item) | Array(item, _)), List(lower)):
                self.out(f"{bare(target)} = make({self.glue.native(low)}, len({bare(place)}))")
                with self.inner() as at, self.out.block(f"for {at} := range {bare(place)} {{"):
                    each = f"{place}[{at}]"
                    if isinstance(type, Array) and isinstance(item, Ref):
                        each = value_at(each)
                    self.value_to(item, lower, each, f"{target}[{at}]")
            case Map(key, value), Map():
                self.map(key, value, low, place, target)
            case _:
                raise TypeError(f"{type} is not expected as {low}")

    def enum(self, type: Enum, low: Enum, place: str) -> str:
        """An enum of a message."""
        return f"{self.glue.enum(low)}({place})"

    def optional(self, item: Type, low: Type, place: str, target: str) -> None:
        """What may be absent."""
        if self.same(item, low) and self.glue.is_pointer(low) and not is_nilable(low):
            self.out(f"{bare(target)} = {bare(place)}")
            return
        with self.out.block(f"if {bare(place)} != nil {{"):
            self.present(item, low, f"(*{bare(place)})", target)

    def present(self, item: Type, low: Type, place: str, target: str) -> None:
        """What may be absent and is not."""
        held = self.held_by(low, target)
        if held != target:
            self.out(f"{bare(target)} = new({self.glue.native(low)})")
        self.value_to(item, low, place, held)
        if is_nilable(low) and (self.same(item, low) or isinstance(item, Array)):
            with self.out.block(f"if {bare(held)} == nil {{"):
                self.out(f"{bare(held)} = {self.glue.native(low)}{{}}")

    def map(self, key: Type, value: Type, low: Map, place: str, target: str) -> None:
        """The pairs of a map."""
        self.out(f"{bare(target)} = make({self.glue.native(low)}, len({bare(place)}))")
        with self.inner():
            first, item = self.variable("key"), self.variable("item")
            made, native = self.variable("made"), self.variable("native")
            with self.out.block(f"for {first}, {item} := range {bare(place)} {{"):
                self.out(f"var {made} {self.glue.native(low.value)}")
                self.value_to(value, low.value, item, made)
                self.out(f"var {native} {self.glue.native(low.key)}")
                self.value_to(key, low.key, first, native)
                self.out(f"{target}[{native}] = {made}")
