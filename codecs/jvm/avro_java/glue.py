"""Glue between domain objects and the classes that Apache Avro makes of a schema for Java."""

from __future__ import annotations

from collections.abc import Sequence

from serbench.idl.avsc import lowered
from serbench.languages.jvm.avro import AvroRecords, scalars
from serbench.languages.jvm.collections import JavaMessages
from serbench.languages.jvm.messages import NATIVE
from serbench.languages.jvm.unions import Choice
from serbench.model import Field, List, Map, Scalar, Schema, Type, Union
from serbench.model.names import pascal


def emit(schema: Schema) -> str:
    """The file ``Glue.scala`` of a workload."""
    return _Glue(lowered(schema)).text()


class _Glue(AvroRecords, JavaMessages):
    what = "Avro's classes"
    scalars = scalars(bytes="java.nio.ByteBuffer")
    new = "new "
    entry_parts = ("pair.getKey", "pair.getValue")

    def names_of(self, fields: Sequence[Field]) -> list[str]:
        return [pascal(field.name) for field in fields]

    def build_map(self, type: Map, low: Map) -> None:
        if self.is_map(low):
            super().build_map(type, low)
        else:
            self.fill_list(self.entry(low), "pair", f"new {self.entry(low)}({self.built_pair(type, low)})")

    def choice_to_native(self, low: Union, choice: Choice, built: str) -> str:
        return f"new {NATIVE}.{low.name}({self.branch(choice, built)})"

    def branch(self, choice: Choice, built: str) -> str:
        """A value of a branch as an object: of one branch and null, Avro's field has the type of that."""
        if choice.low is None:
            return "null"
        return f"{built}.asInstanceOf[{self.native(choice.low)}]" if isinstance(choice.low, Scalar) else built

    def chosen(self, low: Union, choices: Sequence[Choice]) -> tuple[str, list[tuple[str, str]]]:
        return "message.getValue", [
            ("null", "") if each.low is None else self.case(each.low) for each in choices
        ]

    def case(self, low: Type) -> tuple[str, str]:
        """The pattern of what a branch holds, by its class, and it as a field would have it."""
        match low:
            case Map() if self.is_map(low):
                return "value: java.util.Map[_, _]", f"value.asInstanceOf[{self.native(low)}]"
            case List() | Map():
                return "value: java.util.List[_]", f"value.asInstanceOf[{self.native(low)}]"
            case _:
                return f"value: {self.native(low)}", self.item(low, "value")
