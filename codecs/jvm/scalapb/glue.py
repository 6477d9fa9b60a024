"""Generates code between domain objects and the case classes that ScalaPB generates.

Domain objects and messages both have Scala's collections, so those of the same type are used as they are.
"""

from __future__ import annotations

from types import MappingProxyType

from serbench.codegen.words import JAVA_OBJECT, SCALA, words
from serbench.idl.proto import is_required, lowered, oneof_of, proto_pascal
from serbench.languages.jvm.collections import ScalaCollections
from serbench.languages.jvm.message_values import NATIVE, MessageField
from serbench.languages.jvm.protobuf import RUNTIME, ProtobufMessages
from serbench.model import Alternative, Array, Enum, List, Map, Optional, Record, Scalar, Schema, Type, Union

# The words of Scala are written between backticks; these members of every case class get an underscore before
# them.
_MEMBERS = JAVA_OBJECT | words(
    """class copy productArity productElementName productElementNames productIterator productPrefix
    serializedSize"""
)


def emit(schema: Schema) -> str:
    """Return the text of ``Glue.scala`` for a workload."""
    return _Glue(lowered(schema)).text()


def member(name: str) -> str:
    """Return the name that ScalaPB gives a field of a case class."""
    written = proto_pascal(name)
    written = written[:1].lower() + written[1:]
    if written in _MEMBERS:
        return f"_{written}"
    return f"`{written}`" if written in SCALA else written


_COUNTED = """
private def counted[Item](items: Seq[Item], length: Int): Seq[Item] = {
  Narrow.count(items.length, length)
  items
}"""


class _Glue(ProtobufMessages, ScalaCollections):
    imported = ("scalapb.GeneratedMessage", *RUNTIME)
    trait = "serbench.codec.ScalapbGlue[{}]"
    member = "override def companion = {}"
    helpers = MappingProxyType({**ProtobufMessages.helpers, "counted": _COUNTED})

    def name_of(self, name: str) -> str:
        return member(name)

    def read(self, message: str, part: MessageField) -> str:
        """The expression for a field, or for its default where a message has none, as proto3 has it."""
        if not _is_option(part):
            return f"{message}.{part.name}"
        plain = part.name.strip("`").lstrip("_")
        return f"{message}.get{plain[:1].upper()}{plain[1:]}"

    def optional(self, part: MessageField) -> tuple[str, str]:
        field = self.read("message", part)
        return f"{field}.isDefined", field if self.is_in_place(part.low.item) else f"{field}.get"

    def native(self, low: Type) -> str:
        """Return the class of a message, or the trait inside of one for a oneof that lies directly in it."""
        if not isinstance(low, Union) or not self.is_in_place(low):
            return super().native(low)
        return f"{super().native(low)}.{proto_pascal(oneof_of(low, self.types))}"

    def build_message(self, type: Type, low: Record) -> None:
        with self.out.block(f"{NATIVE}.{low.name}(", ")"):
            for part in self.parts(type, low):
                built = self.build(part.type, part.low, part.value)
                self.out(f"{part.name} = {f'Some({built})' if _is_option(part) else built},")

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
            case _:
                super().sum_field(part)

    def enum_to_native(self, enum: Enum, value: str) -> str:
        return f"{NATIVE}.{self.natives[enum.name].name}.fromValue({value}.number.toInt)"

    def enum_number(self, native: str) -> str:
        return f"{native}.value"

    def choice_to_native(self, low: Union, choice: Alternative, built: str) -> str:
        made = f"{self.alternative(low, choice)}({built})"
        return made if self.is_in_place(low) else f"{NATIVE}.{low.name}({made})"

    def chosen(self, low: Union) -> str:
        return "message" if self.is_in_place(low) else f"message.{member(oneof_of(low, self.types))}"

    def case(self, low: Union, choice: Alternative) -> tuple[str, str]:
        return f"{self.alternative(low, choice)}(value)", "value"

    def alternative(self, low: Union, choice: Alternative) -> str:
        """Return the class of an alternative."""
        name = proto_pascal(choice.name)
        written = "_Empty" if name == "Empty" else name  # ScalaPB has the name Empty for no alternative
        return f"{NATIVE}.{self.holder_of(low)}.{proto_pascal(oneof_of(low, self.types))}.{written}"

    def nodes(self, message: str, part: MessageField) -> tuple[str, str]:
        self.out(f"val items = {self.read(message, part)}")
        return "items.length", "items(node)"


def _is_option(part: MessageField) -> bool:
    """Whether the case class has an ``Option`` for a value that is always there: a message, or a required
    number or text, which is written even if it is 0 or empty."""
    if isinstance(part.low, Record | Union):
        return True
    return isinstance(part.low, Scalar | Enum) and is_required(part.declared)
