"""Glue between domain objects and the case classes that avrohugger makes of an Avro schema."""

from __future__ import annotations

from collections.abc import Sequence

from serbench.idl.avsc import lowered
from serbench.languages.jvm.avro import AvroRecords, scalars
from serbench.languages.jvm.collections import ScalaMessages, quoted
from serbench.model import Field, List, Map, Optional, Schema, Type


def emit(schema: Schema) -> str:
    """The file ``Glue.scala`` of a workload."""
    return _Glue(lowered(schema)).text()


class _Glue(AvroRecords, ScalaMessages):
    what = "avrohugger's case classes"
    scalars = scalars(bytes="Array[Byte]")

    def native(self, low: Type) -> str:
        match low:
            case Map() if not self.is_map(low):
                return f"Seq[{self.entry(low)}]"
            case Map(_, value):
                return f"Map[String, {self.native(value)}]"
            case List(item):
                return f"Seq[{self.native(item)}]"
            case Optional(item):
                return f"Option[{self.native(item)}]"
            case _:
                return super().native(low)

    def names_of(self, fields: Sequence[Field]) -> list[str]:
        return [quoted(field.name) for field in fields]

    def build_map(self, type: Map, low: Map) -> None:
        if self.is_map(low):
            super().build_map(type, low)
            return
        key, value = self.build(type.key, low.key, "pair._1"), self.build(type.value, low.value, "pair._2")
        self.out(f"value.toVector.map(pair => {self.entry(low)}({key}, {value}))")

    def pairs(self, low: Map) -> tuple[str, str, str]:
        return super().pairs(low) if self.is_map(low) else ("message.iterator", "pair.key", "pair.value")

    def bytes_to_native(self, array: str) -> str:
        return array

    def bytes_to_domain(self, native: str) -> str:
        return native
