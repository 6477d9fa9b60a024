"""Generates code between domain objects and the classes that Apache Avro makes of a schema for Java."""

from __future__ import annotations

from serbench.idl.avsc import lowered
from serbench.languages.jvm.avro import AvroRecords, scalars
from serbench.languages.jvm.collections import JavaMessages
from serbench.languages.jvm.message_values import NATIVE
from serbench.model import Alternative, List, Map, Scalar, Schema, Union
from serbench.model.names import pascal


def emit(schema: Schema) -> str:
    """Return the text of ``Glue.scala`` for a workload."""
    return _Glue(lowered(schema)).text()


class _Glue(AvroRecords, JavaMessages):
    what = "Avro's classes"
    scalars = scalars(bytes="java.nio.ByteBuffer")
    new = "new "
    entry_parts = ("pair.getKey", "pair.getValue")

    def name_of(self, name: str) -> str:
        return pascal(name)

    def build_map(self, type: Map, low: Map) -> None:
        if self.is_map(low):
            super().build_map(type, low)
        else:
            self.fill_list(self.entry(low), "pair", f"new {self.entry(low)}({self.built_pair(type, low)})")

    def choice_to_native(self, low: Union, choice: Alternative, built: str) -> str:
        if choice.type is None:
            built = "null"
        elif isinstance(choice.type, Scalar):  # a union of it and null has a field of its own type
            built = f"{built}.asInstanceOf[{self.native(choice.type)}]"
        return f"new {NATIVE}.{low.name}({built})"

    def chosen(self, low: Union) -> str:
        return "message.getValue"

    def case(self, low: Union, choice: Alternative) -> tuple[str, str]:
        """Return the pattern that matches the class of a branch's value, and the value's expression."""
        match choice.type:
            case None:
                return "null", ""
            case Map() as held if self.is_map(held):
                return "value: java.util.Map[_, _]", f"value.asInstanceOf[{self.native(held)}]"
            case List() | Map() as held:
                return "value: java.util.List[_]", f"value.asInstanceOf[{self.native(held)}]"
            case held:
                return f"value: {self.native(held)}", self.item(held, "value")
