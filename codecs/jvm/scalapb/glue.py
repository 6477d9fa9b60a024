"""Glue between domain objects and the case classes that ScalaPB generates.

Both sides hold Scala's collections, so what has the same type is handed over as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from serbench.codegen.words import JAVA_OBJECT, SCALA, words
from serbench.idl.proto import is_required, lowered, oneof_of, proto_pascal
from serbench.languages.jvm.collections import ScalaCollections
from serbench.languages.jvm.messages import NATIVE, MessageField
from serbench.languages.jvm.protobuf import RUNTIME, ProtobufMessages
from serbench.languages.jvm.unions import Choice
from serbench.model import Array, Enum, Field, List, Map, Optional, Record, Scalar, Schema, Type, Union

# The words of Scala are written between backticks; these members of every case class get an underscore before
# them.
_MEMBERS = JAVA_OBJECT | words(
    """class copy productArity productElementName productElementNames productIterator productPrefix
    serializedSize"""
)


def emit(schema: Schema) -> str:
    """The file ``Glue.scala`` of a workload."""
    return _Glue(lowered(schema)).text()


def member(name: str) -> str:
    """The field of a case class, as ScalaPB names it."""
    written = proto_pascal(name)
    written = written[:1].lower() + written[1:]
    if written in _MEMBERS:
        return f"_{written}"
    return f"`{written}`" if written in SCALA else written


class _Required(MessageField):
    """A field that is always there and is written even if it is 0: the case class has an ``Option``."""


_COUNTED = """
private def counted[Item](items: Seq[Item], length: Int): Seq[Item] = {
  Narrow.count(items.length, length)
  items
}"""


class _Glue(ProtobufMessages, ScalaCollections):
    imported = ("scalapb.GeneratedMessage", *RUNTIME)
    trait = "serbench.codec.ScalapbGlue[{}]"
    helpers = MappingProxyType({**ProtobufMessages.helpers, "counted": _COUNTED})

    def members(self, root: Record) -> list[str]:
        return [f"override def companion = {NATIVE}.{root.name}"]

    def names_of(self, fields: Sequence[Field]) -> list[str]:
        return [member(field.name) for field in fields]

    def read(self, message: str, part: MessageField) -> str:
        """A message that may be absent is an empty one then, as for every reader of proto3."""
        if not isinstance(part.low, Record | Union) and not isinstance(part, _Required):
            return f"{message}.{part.name}"
        plain = part.name.strip("`").lstrip("_")
        return f"{message}.get{plain[:1].upper()}{plain[1:]}"

    def parts(self, type: Type, low: Record) -> list[MessageField]:
        parts = super().parts(type, low)
        required = [is_required(field) for field in low.fields]
        return [
            _Required(part.type, part.low, part.name, part.value)
            if there and isinstance(part.low, Scalar | Enum)
            else part
            for part, there in zip(parts, required, strict=True)
        ]

    def native(self, low: Type) -> str:
        """A oneof that is in a message has a type of its own there."""
        if not isinstance(low, Union) or not self.is_in_place(low):
            return super().native(low)
        return f"{super().native(low)}.{proto_pascal(oneof_of(low, self.types))}"

    def build_record(self, low: Record, parts: list[MessageField]) -> None:
        with self.out.block(f"{NATIVE}.{low.name}(", ")"):
            for part in parts:
                built = self.build(part.type, part.low, part.value)
                is_there = isinstance(part.low, Record | Union) or isinstance(part, _Required)
                self.out(f"{part.name} = Some({built})," if is_there else f"{part.name} = {built},")

    def build(self, type: Type, low: Type, value: str) -> str:
        match type, low:
            case _ if self.is_taken(type, low):
                return value
            case Map(), Map():
                made = self.build(type.key, low.key, "key"), self.build(type.value, low.value, "item")
                return f"{value}.map {{ case (key, item) => ({', '.join(made)}) }}"
            case ((List(item) | Array(item, _)), List(low_item)):
                return f"{value}.map(item => {self.build(item, low_item, 'item')})"
            case Optional(item), Optional(union) if self.is_in_place(union):
                there = self.build(item, union, "item")
                return f"{value}.fold[{self.native(union)}]({self.native(union)}.Empty)(item => {there})"
        return super().build(type, low, value)

    def extract_field(self, part: MessageField) -> str:
        return self.extract(part.type, part.low, self.read("message", part))

    def extract(self, type: Type, low: Type, native: str) -> str:
        match type, low:
            case _ if self.is_given(type, low):
                return self.given(type, native)
            case Map(), Map():
                made = self.extract(type.key, low.key, "key"), self.extract(type.value, low.value, "item")
                return f"{native}.map {{ case (key, item) => ({', '.join(made)}) }}"
            case ((List(item) | Array(item, _)), List(low_item)):
                items = f"counted({native}, {type.length})" if isinstance(type, Array) else native
                each = self.extract(item, low_item, "item")
                return f"{items}.toVector" if each == "item" else f"{items}.map(item => {each}).toVector"
            case Optional(item), Optional(union) if self.is_in_place(union):
                return f"if ({native}.isDefined) Some({self.extract(item, union, native)}) else None"
            case Optional(item), Optional(low_item):
                return f"{native}.map(item => {self.extract(item, low_item, 'item')})"
        return super().extract(type, low, native)

    def given(self, type: Type, native: str) -> str:
        return native if isinstance(type, Map) else super().given(type, native)

    def sum_field(self, part: MessageField) -> None:
        type, low, field = part.type, part.low, self.read("message", part)
        each = f"{part.name.strip('`')}Items"
        match type, low:
            case Map(key, value), Map():
                self.out(f"sum += {field}.size", f"val {each} = {field}.iterator")
                with self.out.block(f"while ({each}.hasNext) {{"):
                    self.out(f"val (key, item) = {each}.next()", f"sum += {self.sum(key, low.key, 'key')}")
                    self.out(f"sum += {self.sum(value, low.value, 'item')}")
            case List(item) | Array(item, _), List():
                if isinstance(type, List):
                    self.out(f"sum += {field}.length")
                self.out(f"val {each} = {field}.iterator")
                self.out(f"while ({each}.hasNext) sum += {self.sum(item, low.item, f'{each}.next()')}")
            case Optional(item), Optional():
                held = field if self.is_in_place(low.item) else f"{field}.get"
                self.out(f"if ({field}.isDefined) sum += 1L + {self.sum(item, low.item, held)}")
            case _:
                self.out(f"sum += {self.sum(type, low, field)}")

    def enum_to_native(self, enum: Enum, value: str) -> str:
        return f"{NATIVE}.{self.natives[enum.name].name}.fromValue({value}.number.toInt)"

    def enum_number(self, native: str) -> str:
        return f"{native}.value"

    def choice_to_native(self, low: Union, choice: Choice, built: str) -> str:
        made = f"{self.case(low, choice)}({built})"
        return made if self.is_in_place(low) else f"{NATIVE}.{low.name}({made})"

    def chosen(self, low: Union, choices: Sequence[Choice]) -> tuple[str, list[tuple[str, str]]]:
        head = "message" if self.is_in_place(low) else f"message.{member(oneof_of(low, self.types))}"
        return head, [(f"{self.case(low, each)}(value)", "value") for each in choices]

    def case(self, low: Union, choice: Choice) -> str:
        """The class of an alternative."""
        name = proto_pascal(low.alternatives[choice.index].name)
        written = "_Empty" if name == "Empty" else name  # which is what ScalaPB calls that there is none
        return f"{NATIVE}.{self.holder_of(low)}.{proto_pascal(oneof_of(low, self.types))}.{written}"

    def empty(self, low: Record) -> str:
        return f"{NATIVE}.{low.name}()"

    def nodes(self, message: str, part: MessageField) -> tuple[str, str]:
        self.out(f"val items = {self.read(message, part)}")
        return "items.length", "items(node)"
