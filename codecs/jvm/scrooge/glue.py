"""Generates code between domain objects and the structs that Scrooge makes of a Thrift file."""

from __future__ import annotations

from serbench.idl.thrift import lowered, scrooge_name
from serbench.languages.jvm.collections import ScalaMessages, quoted
from serbench.languages.jvm.domain import domain_type
from serbench.languages.jvm.message_values import NATIVE
from serbench.languages.jvm.thrift import PACKAGES, STRUCT_SCALARS
from serbench.model import Alternative, Enum, Schema, Union


def emit(schema: Schema) -> str:
    """Return the text of ``Glue.scala`` for a workload."""
    return _Glue(lowered(schema)).text()


class _Glue(ScalaMessages):
    what = "Scrooge's structs"
    packages = PACKAGES
    imported = ("com.twitter.scrooge.ThriftStruct",)
    trait = "serbench.codec.ScroogeGlue[{}]"
    scalars = STRUCT_SCALARS
    sequence = "collection.Seq"
    mapping = "collection.Map"
    member = "override def codec = {}"

    def name_of(self, name: str) -> str:
        return quoted(scrooge_name(name))

    def enum_to_native(self, enum: Enum) -> None:
        self.out(f"{NATIVE}.{self.natives[enum.name].name}(value.number.toInt)")

    def enum_to_domain(self, enum: Enum) -> str:
        return f"{domain_type(enum)}.of(message.value.toLong)"

    def choice_to_native(self, low: Union, choice: Alternative, built: str) -> str:
        return f"{NATIVE}.{low.name}.{scrooge_name(choice.name, title=True)}({built})"

    def chosen(self, low: Union) -> str:
        return "message"

    def case(self, low: Union, choice: Alternative) -> tuple[str, str]:
        return self.choice_to_native(low, choice, "value"), "value"
