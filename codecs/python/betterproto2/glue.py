"""The dataclasses of a workload to and from those that betterproto2 generates."""

from __future__ import annotations

from serbench.idl.proto_py import attribute, class_name, lowered
from serbench.languages.python.object_glue import object_source
from serbench.languages.python.objects import LibraryObjects
from serbench.languages.python.sums import added
from serbench.model import Array, Enum, List, Scalar, Schema, Type


def emit(schema: Schema) -> str:
    """The module ``cell.glue`` of a workload."""
    return object_source(schema, _Messages(lowered(schema), "pb", ["from messages.serbench import pb"]))


class _Messages(LibraryObjects):
    """What its messages hold: enums of their own, which are numbers too."""

    def class_name(self, name: str) -> str:
        return class_name(name)

    def attribute(self, name: str) -> str:
        return attribute(name)

    def held(self, type: Type, low: Type, place: str) -> str:
        return f"bytes({place})" if isinstance(type, List | Array) else place

    def given(self, type: Type, low: Type, place: str) -> str:
        match type:
            case Enum():
                if not type.open:
                    return f"{type.name}({place})"
                return f"int({place})" if isinstance(low, Enum) else place
            case Scalar("i8" | "i16" | "u8" | "u16"):
                least, most = type.bounds
                return f"_narrow({place}, {least}, {most})"
            case List() | Array():  # of bytes
                return f"list({place})"
            case _:
                return place

    def summed(self, type: Type, low: Type, place: str) -> str:
        return added(type, place)
