"""Glue between domain objects and the case classes that ScalaPB generates.

Both sides hold Scala's collections, so what has the same type is handed over as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from serbench.codegen.glue.scala_messages import Part, ScalaMessages
from serbench.codegen.scala import package
from serbench.model import Array, Enum, Field, List, Map, Optional, Record, Schema
from serbench.model.names import PROTO, SCALA_WORDS, SCALAPB_MEMBERS, proto_pascal


def emit(schema: Schema) -> str:
    """The file ``Glue.scala`` of a workload."""
    return _Glue(schema, f"serbench.pb.{{{package(schema)} => pb}}").text()


def member(name: str) -> str:
    """The field of a case class, as ScalaPB names it."""
    written = proto_pascal(PROTO.mangle(name))
    written = written[:1].lower() + written[1:]
    if written in SCALAPB_MEMBERS:
        return f"_{written}"
    return f"`{written}`" if written in SCALA_WORDS else written


_COUNTED = """
private def counted[Item](items: Seq[Item], length: Int): Seq[Item] = {
  Narrow.count(items.length, length)
  items
}"""


class _Glue(ScalaMessages):
    trait = "serbench.codec.ScalapbGlue"
    helpers = MappingProxyType({**ScalaMessages.helpers, "counted": _COUNTED})

    def head(self, root: str) -> None:
        self.out(f"override type Message = pb.{self.schema.root.name}")
        self.out(f"override def companion = pb.{self.schema.root.name}", "")

    def names_of(self, fields: Sequence[Field]) -> list[str]:
        return [member(field.name) for field in fields]

    def build(self, head: str, message: str, parts: list[Part]) -> None:
        with self.out.block(head, ""), self.out.block(f"pb.{message}(", ")"):
            self.out(*(f"{part.name} = {self.written(part)}," for part in parts))

    def written(self, part: Part) -> str:
        """The expression that is a message's field, of ``value``."""
        type, low, it = part.type, part.low, part.value
        if isinstance(low, List | Map | Optional) and self.is_unchanged(self.to_native, type, low):
            return it
        match type, low:
            case Map(key, value), Map():
                pair = f"({self.to_native(key, low.key, 'key')}, {self.to_native(value, low.value, 'item')})"
                return f"{it}.map {{ case (key, item) => {pair} }}"
            case (List(item) | Array(item, _), List(low_item)) | (Optional(item), Optional(low_item)):
                return f"{it}.map(item => {self.to_native(item, low_item, 'item')})"
            case _, Record():
                return f"Some({self.to_native(type, low, it)})"
        return self.to_native(type, low, it)

    def read(self, part: Part) -> str:
        type, low, it = part.type, part.low, f"message.{part.name}"
        same = self.is_unchanged(self.to_domain, type, low)
        match type, low:
            case Map(key, value), Map():
                pair = f"({self.to_domain(key, low.key, 'key')}, {self.to_domain(value, low.value, 'item')})"
                return it if same else f"{it}.map {{ case (key, item) => {pair} }}"
            case List(item) | Array(item, _), List():
                items = f"counted({it}, {type.length})" if isinstance(type, Array) else it
                mapped = "" if same else f".map(item => {self.to_domain(item, low.item, 'item')})"
                return f"{items}{mapped}.toVector"
            case Optional(item), Optional():
                return it if same else f"{it}.map(item => {self.to_domain(item, low.item, 'item')})"
        return self.to_domain(type, low, self.singular(part))

    def singular(self, part: Part) -> str:
        """A message that may be absent is an empty one then, as for every reader of proto3."""
        if not isinstance(part.low, Record):
            return f"message.{part.name}"
        plain = part.name.strip("`")
        return f"message.get{plain[:1].upper()}{plain[1:]}"

    def sum(self, part: Part) -> None:
        type, low, name = part.type, part.low, part.name
        each = f"{name.strip('`')}Items"
        match type, low:
            case Map(key, value), Map():
                self.out(f"sum += message.{name}.size", f"val {each} = message.{name}.iterator")
                with self.out.block(f"while ({each}.hasNext) {{"):
                    self.out(f"val (key, item) = {each}.next()", f"sum += {self.sum_of(key, low.key, 'key')}")
                    self.out(f"sum += {self.sum_of(value, low.value, 'item')}")
            case List(item) | Array(item, _), List():
                if isinstance(type, List):
                    self.out(f"sum += message.{name}.length")
                self.out(f"val {each} = message.{name}.iterator")
                self.out(f"while ({each}.hasNext) sum += {self.sum_of(item, low.item, f'{each}.next()')}")
            case Optional(item), Optional():
                self.out(f"if (message.{name}.isDefined) sum += 1L + {self.sum_of(item, low.item, f'message.{name}.get')}")
            case _:
                self.out(f"sum += {self.sum_of(type, low, self.singular(part))}")

    def enum_to_native(self, type: Enum, it: str) -> str:
        return f"pb.{type.name}.fromValue({it}.number.toInt)"

    def enum_number(self, it: str) -> str:
        return f"{it}.value"

    def walk_accessors(self, nodes: str, edges: str, target: str) -> tuple[str, str, str]:
        return f"message.{nodes}.length", f"message.{nodes}(node).{edges}.iterator", f"edge.{target}"
