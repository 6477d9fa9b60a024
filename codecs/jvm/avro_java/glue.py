"""Glue between domain objects and the classes that Apache Avro makes of a schema for Java."""

from __future__ import annotations

from collections.abc import Sequence

from serbench.idl.avsc import lowered
from serbench.languages.jvm.avro import AvroRecords, scalars
from serbench.languages.jvm.collections import JavaMessages
from serbench.model import Field, List, Map, Schema, Type
from serbench.model.names import pascal


def emit(schema: Schema) -> str:
    """The file ``Glue.scala`` of a workload."""
    return _Glue(lowered(schema)).text()


class _Glue(AvroRecords, JavaMessages):
    what = "Avro's classes"
    scalars = scalars(bytes="java.nio.ByteBuffer")

    def native(self, low: Type) -> str:
        match low:
            case Map() if not self.is_map(low):
                return f"java.util.List[{self.entry(low)}]"
            case Map(_, value):
                return f"java.util.Map[String, {self.native(value)}]"
            case List(item):
                return f"java.util.List[{self.native(item)}]"
            case _:
                return super().native(low)

    def names_of(self, fields: Sequence[Field]) -> list[str]:
        return [pascal(field.name) for field in fields]

    def build_map(self, type: Map, low: Map) -> None:
        if self.is_map(low):
            super().build_map(type, low)
            return
        key, value = self.build(type.key, low.key, "pair._1"), self.build(type.value, low.value, "pair._2")
        self.fill_list(self.entry(low), "pair", f"new {self.entry(low)}({key}, {value})")

    def pairs(self, low: Map) -> tuple[str, str, str]:
        if self.is_map(low):
            return super().pairs(low)
        return "message.iterator", "pair.getKey", "pair.getValue"

    def bytes_to_native(self, array: str) -> str:
        return f"java.nio.ByteBuffer.wrap({array})"

    def bytes_to_domain(self, native: str) -> str:
        return f"Bytes.left({native})"
