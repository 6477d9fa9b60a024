"""Glue between domain objects and the structs that Scrooge makes of a Thrift file."""

from __future__ import annotations

from collections.abc import Sequence

from serbench.idl.thrift import lowered, scrooge_name
from serbench.languages.jvm.collections import ScalaMessages, quoted
from serbench.languages.jvm.domain import domain_type
from serbench.languages.jvm.messages import NATIVE
from serbench.languages.jvm.thrift import PACKAGES, STRUCT_SCALARS
from serbench.languages.jvm.unions import Choice
from serbench.model import Enum, Field, Record, Schema, Union


def emit(schema: Schema) -> str:
    """The file ``Glue.scala`` of a workload."""
    return _Glue(lowered(schema)).text()


class _Glue(ScalaMessages):
    what = "Scrooge's structs"
    packages = PACKAGES
    imported = ("com.twitter.scrooge.ThriftStruct",)
    trait = "serbench.codec.ScroogeGlue[{}]"
    scalars = STRUCT_SCALARS
    sequence = "collection.Seq"
    mapping = "collection.Map"

    def members(self, root: Record) -> list[str]:
        return [f"override def codec = {NATIVE}.{root.name}"]

    def names_of(self, fields: Sequence[Field]) -> list[str]:
        return [quoted(scrooge_name(field.name)) for field in fields]

    def enum_to_native(self, enum: Enum) -> None:
        self.out(f"{NATIVE}.{self.natives[enum.name].name}(value.number.toInt)")

    def enum_to_domain(self, enum: Enum) -> str:
        return f"{domain_type(enum)}.of(message.value.toLong)"

    def choice_to_native(self, low: Union, choice: Choice, built: str) -> str:
        return f"{self.case(low, choice)}({built})"

    def chosen(self, low: Union, choices: Sequence[Choice]) -> tuple[str, list[tuple[str, str]]]:
        return "message", [(f"{self.case(low, each)}(value)", "value") for each in choices]

    def case(self, low: Union, choice: Choice) -> str:
        """The class of an alternative."""
        return f"{NATIVE}.{low.name}.{scrooge_name(low.alternatives[choice.index].name, title=True)}"

    def empty(self, low: Record) -> str:
        return f"{NATIVE}.{low.name}()"
