"""What adds up every field of messages, and walks over those that are a graph."""

from __future__ import annotations

from dataclasses import dataclass

from serbench.model import Array, Enum, FixedBytes, List, Map, Optional, Record, Scalar, Type, Union, Walk

from .conversions import Conversion, resolved


@dataclass
class Sums(Conversion):
    """``func sumNAME(from *pb.NAME) uint64``, as ``Sum`` of the domain."""

    def function(self, name: str, type: Type, low: Type) -> None:
        self._taken.clear()
        self.out("")
        if isinstance(low, Record) and not low.fields:
            self.out(f"func {name}(_ *{self.glue.message(low)}) uint64 {{ return 0 }}")
            return
        with self.out.block(f"func {name}(from *{self.holder(low)}) (sum uint64) {{"):
            if isinstance(low, Union):
                assert isinstance(type, Union)
                self.union(type, low)
            else:
                assert isinstance(low, Record)
                self.record(type, low)
            self.out("return sum")

    def record(self, type: Type, low: Record) -> None:
        self.there(low)
        names = self.glue.names[low.name].parts
        for each, lower, _ in self.parts(type, low):
            if isinstance(lower.type, Optional) and self.glue.is_in_place(lower.type.item):
                assert isinstance(each, Optional) and isinstance(lower.type.item, Union)
                with self.out.block(f"if from.{self.oneof_of(lower.type.item)} != nil {{"):
                    self.out(f"sum += 1 + {self.glue.call('sum', each.item, lower.type.item)}(from)")
            elif isinstance(lower.type, Optional):
                self.value(each, f"from.{names[lower.name]}", lower.type)
            else:
                self.value(each, f"from.Get{names[lower.name]}()", lower.type)

    def union(self, type: Union, low: Union) -> None:
        uses = any(own.type is not None for own in type.alternatives)
        self.out(f"switch {'chosen := ' if uses else ''}from.Get{self.oneof_of(low)}().(type) {{")
        for index, (own, lower, name, struct) in enumerate(self.choices(type, low)):
            self.out(f"case *{struct}:", f"\tsum += {index}")
            if own.type is not None and lower.type is not None:
                with self.out.indented():
                    self.value(own.type, f"chosen.{name}", lower.type)
        self.out("}")

    def value(self, type: Type, place: str, low: Type | None = None) -> None:
        """Adds what a message has at a place."""
        assert low is not None
        low = resolved(low)
        match type, low:
            case ((FixedBytes() | Array()), Scalar("bytes")):
                self.out(f"sum += serbench.SumBytes({place}) - uint64(len({place}))")
            case _, Scalar("bytes" | "bool" | "string" as name):
                self.out(f"sum += serbench.Sum{name.capitalize()}({place})")
            case _, Scalar("f32" | "f64" as name):
                self.out(f"sum += uint64(math.Float{name[1:]}bits({place}))")
            case _, (Scalar() | Enum()):
                self.out(f"sum += uint64({place})")
            case Optional(item), Optional(lower):
                is_number = isinstance(resolved(lower), Scalar | Enum) and lower != Scalar("bytes")
                with self.out.block(f"if {place} != nil {{"):
                    self.out("sum++")
                    self.value(item, f"*{place}" if is_number else place, lower)
            case _, (Record() | Union()):
                self.out(f"sum += {self.glue.call('sum', resolved(type), low)}({place})")
            case ((List(item) | Array(item, _)), List(lower)):
                if isinstance(type, List):
                    self.out(f"sum += uint64(len({place}))")
                with self.inner():
                    each = self.variable("item")
                    with self.out.block(f"for _, {each} := range {place} {{"):
                        self.value(item, each, lower)
            case Map(key, item), Map():
                self.out(f"sum += uint64(len({place}))")
                with self.inner():
                    first, each = self.variable("key"), self.variable("item")
                    with self.out.block(f"for {first}, {each} := range {place} {{"):
                        self.value(key, first, low.key)
                        self.value(item, each, low.value)
            case _:
                raise TypeError(f"{type} is not expected as {low}")

    def walk(self, walk: Walk | None, low: Record) -> None:
        """``func walkRoot``, which for messages that are no graph is never called."""
        self.out("")
        if walk is None:
            self.out("func walkRoot(*message) uint64 { return 0 }")
            return
        nodes = self.glue.names[low.name].parts[walk.nodes]
        node = _item_of(low, walk.nodes)
        edges = self.glue.names[node.name].parts[walk.edges]
        target = self.glue.names[_item_of(node, walk.edges).name].parts[walk.target]
        with (
            self.out.block("func walkRoot(from *message) uint64 {"),
            self.out.block(
                f"return serbench.DepthFirst(len(from.{nodes}), func(node int, reach func(int)) {{", "})"
            ),
            self.out.block(f"for _, edge := range from.{nodes}[node].{edges} {{"),
        ):
            self.out(f"reach(int(edge.{target}))")


def _item_of(record: Record, name: str) -> Record:
    """The record that a list has."""
    type = next(field.type for field in record.fields if field.name == name)
    assert isinstance(type, List) and isinstance(type.item, Record)
    return type.item
