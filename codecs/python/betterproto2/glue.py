"""Generates code between a workload's dataclasses and those that betterproto2 generates."""

from __future__ import annotations

from serbench.idl.proto_py import attribute, class_name, lowered
from serbench.languages.python.object_glue import ObjectGlue
from serbench.languages.python.objects import LibraryObjects
from serbench.model import Enum, Schema, Type


def emit(schema: Schema) -> str:
    """Return the text of the Python module ``cell.glue`` for a workload."""
    return ObjectGlue(schema, _Messages(lowered(schema), "pb", ["from messages.serbench import pb"])).text()


class _Messages(LibraryObjects):
    """Generates expressions for messages: dataclasses with the library's own enums, which are numbers too."""

    def class_name(self, name: str) -> str:
        return class_name(name)

    def attribute(self, name: str) -> str:
        return attribute(name)

    def given(self, type: Type, low: Type, place: str) -> str:
        if isinstance(type, Enum) and type.open and isinstance(low, Enum):
            return f"int({place})"
        return super().given(type, low, place)
