"""How Python's generated messages are used: their fields by name, and what is there of them."""

from __future__ import annotations

import json
import keyword
from collections.abc import Mapping
from dataclasses import dataclass

from serbench.codegen.words import words
from serbench.idl.lower import Lowered
from serbench.idl.oneofs import union_in
from serbench.idl.proto import oneof_of
from serbench.languages.python.access import Access
from serbench.languages.python.code import LocalNames
from serbench.languages.python.domain import KEYWORDS
from serbench.model import Array, Enum, List, Map, Optional, Record, Scalar, Type, Union
from serbench.model.types import Composite

LOCALS = KEYWORDS | words(
    "to view value native root chosen nodes total messages_pb2 bytes dict getattr len list setattr struct sum"
)
"""Names that no variable has that is named after a field."""


@dataclass(frozen=True)
class Messages:
    """The messages of a schema.

    Attributes:
        access: the dataclasses.
        types: the schema in terms of messages.
        natives: by name of a dataclass, what it is in ``types.schema``.
    """

    access: Access
    types: Lowered
    natives: Mapping[str, Composite | Enum]

    def names(self) -> LocalNames:
        """Those of the local variables of a function."""
        return LocalNames(LOCALS)

    def at(self, place: str, name: str) -> str:
        """A field of the message at ``place``, or a message of the module."""
        return f"getattr({place}, {json.dumps(name)})" if keyword.iskeyword(name) else f"{place}.{name}"

    def assign(self, place: str, name: str, value: str) -> str:
        """The statement that gives a field a value."""
        if keyword.iskeyword(name):
            return f"setattr({place}, {json.dumps(name)}, {value})"
        return f"{place}.{name} = {value}"

    def has(self, holder: Composite, place: str, name: str) -> str:
        """Whether a field of a message is there."""
        return f"{self._method(holder, place, 'HasField')}{json.dumps(name)})"

    def chosen(self, low: Union, place: str) -> str:
        """The name of the alternative that a message has; None without one."""
        holder: Composite = low
        if low.name in self.types.in_place:
            holder = self.types.record(self.types.in_place[low.name])
        return f"{self._method(holder, place, 'WhichOneof')}{json.dumps(oneof_of(low, self.types))})"

    def present(self, low: Composite, place: str) -> str:
        """The statement that makes a message be there without a field of its own."""
        return f"{self._method(low, place, 'SetInParent').removesuffix(', ')})"

    def _method(self, holder: Composite, place: str, method: str) -> str:
        """The call of a message's method, up to its arguments; by the class where a field has its name."""
        parts: list[str] = []
        for part in holder.fields if isinstance(holder, Record) else holder.alternatives:
            union = union_in(part) if isinstance(holder, Record) else None  # type: ignore[arg-type]
            placed = union is not None and union.name in self.types.in_place
            parts += [each.name for each in union.alternatives] if union and placed else [part.name]
        if method in parts:
            return f"{self.at('messages_pb2', holder.name)}.{method}({place}, "
        return f"{place}.{method}("

    def is_made(self, low: Type) -> bool:
        """Whether a message was made for one value, or for none."""
        return isinstance(low, Record) and low.name in self.types.made

    def is_in_place(self, low: Type) -> bool:
        """Whether the alternatives of a union are fields of the message that holds it."""
        return isinstance(low, Union) and low.name in self.types.in_place

    def is_sure(self, low: Composite) -> bool:
        """Whether filling a message always sets a field of it, by which it is there."""
        if isinstance(low, Union):
            return True
        return any(not isinstance(field.type, Optional | List | Map) for field in low.fields)


def is_plain(type: Type, low: Type) -> bool:
    """Whether what a message holds is the value itself."""
    return isinstance(low, Scalar | Enum) and not (low == Scalar("bytes") and isinstance(type, List | Array))
