"""Generates code between domain objects and the classes that Apache Thrift makes for Java."""

from __future__ import annotations

from serbench.idl.thrift import lowered
from serbench.languages.jvm.collections import JavaMessages, quoted
from serbench.languages.jvm.domain import domain_type
from serbench.languages.jvm.message_values import NATIVE, MessageField, is_bytes
from serbench.languages.jvm.thrift import PACKAGES, STRUCT_SCALARS
from serbench.model import Alternative, Enum, Optional, Record, Schema, Union, bool_
from serbench.model.names import capitalised


def emit(schema: Schema) -> str:
    """Return the text of ``Glue.scala`` for a workload."""
    return _Glue(lowered(schema)).text()


class _Glue(JavaMessages):
    what = "Thrift's classes"
    packages = PACKAGES
    imported = ("org.apache.thrift.TBase",)
    trait = "serbench.codec.ThriftGlue[{}]"
    member = "override def create(): TBase[_, _] = new {}"
    scalars = STRUCT_SCALARS

    @property
    def base(self) -> str:
        return "TBase[_, _]"

    def name_of(self, name: str) -> str:
        return capitalised(name)

    def read(self, message: str, part: MessageField) -> str:
        low = part.low.item if isinstance(part.low, Optional) else part.low
        verb = "is" if low == bool_ else "bufferFor" if is_bytes(low) else "get"
        return f"{message}.{verb}{part.name}"

    def optional(self, part: MessageField) -> tuple[str, str]:
        return f"message.isSet{part.name}", self.read("message", part)

    def enum_to_native(self, enum: Enum) -> None:
        self.out(f"{NATIVE}.{self.natives[enum.name].name}.findByValue(value.number.toInt)")

    def enum_to_domain(self, enum: Enum) -> str:
        return f"{domain_type(enum)}.of(message.getValue.toLong)"

    def choice_to_native(self, low: Union, choice: Alternative, built: str) -> str:
        return f"{NATIVE}.{low.name}.{quoted(choice.name)}({built})"

    def chosen(self, low: Union) -> str:
        """Return the expression for the number of the field that is set; no field has 0."""
        return "(if (message.isSet) message.getSetField.getThriftFieldId.toInt else 0)"

    def case(self, low: Union, choice: Alternative) -> tuple[str, str]:
        """Return the number of an alternative's field, and the call of its getter, ``get…`` for bools too."""
        verb = "bufferFor" if choice.type and is_bytes(choice.type) else "get"
        return f"{choice.number}", f"message.{verb}{self.name_of(choice.name)}"

    def empty(self, low: Record) -> str:
        return f"new {NATIVE}.{low.name}"
