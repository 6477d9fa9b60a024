"""How a library's messages are read and written in C++: the expressions and statements that conversions are
made of."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from serbench.languages.cpp.composites import CompositeGlue
from serbench.languages.cpp.domain import cpp_type
from serbench.model import Enum, Field, List, Map, Scalar, Type


@dataclass(frozen=True)
class Value:
    """A value in C++.

    Attributes:
        it: the expression, with a ``*`` before what leads to it where that is a pointer.
        has: the condition under which an optional of a message is there.
    """

    it: str
    has: str = ""

    @property
    def dot(self) -> str:
        """The text before the name of one of its members."""
        return f"{self.it[1:]}->" if self.it.startswith("*") else f"{self.it}."


@dataclass(frozen=True)
class Slot:
    """A place for a value, in C++.

    Attributes:
        ref: a reference to it, where it is not a number.
        setting: the statement that sets it, with ``{}`` for the value.
        presence: the flag or statement by which a library tells that an optional is there, or is not.
    """

    ref: str
    setting: str
    presence: str = ""

    @classmethod
    def member(cls, name: str, presence: str = "") -> Slot:
        """A slot that can be assigned to as it is."""
        return cls(name, f"{name} = {{}};", presence)

    @property
    def dot(self) -> str:
        """The text before the name of one of its members."""
        return Value(self.ref).dot


class CompositeNotation(CompositeGlue):
    """The notation of a library's messages, in glue that is being written.

    Attributes:
        namespace: the C++ namespace of the generated messages.
        same: names of the scalars that are the same C++ type in the domain and the message; other numbers are
            converted.
        has_vectors: whether lists are ``std::vector`` in messages too.
        extract_numbers: the function that copies a list of numbers out of a message.
    """

    namespace: str
    same: frozenset[str]
    has_vectors = True
    extract_numbers = "extract_numbers"

    @abstractmethod
    def slot(self, message: str, field: Field) -> Slot:
        """A field to write; ``message`` ends in a dot or an arrow."""

    @abstractmethod
    def read(self, message: str, field: Field) -> Value:
        """A field to read."""

    @abstractmethod
    def build_optional(self, item: Type, low: Type, value: Value, slot: Slot) -> None:
        """Sets a field that may be absent."""

    def resize(self, slot: Slot, size: str) -> str:
        """The statement that gives a list this size."""
        return f"{slot.dot}resize({size});"

    @abstractmethod
    def emptied(self, name: str, slot: Slot) -> str:
        """Writes what empties a map; returns the declaration of ``name``, which the loop that fills the map
        indexes."""

    @abstractmethod
    def to_native(self, type: Type, value: str) -> str:
        """The domain's number or string as a message has it."""

    @abstractmethod
    def checksum(self, type: Type, native: str) -> str:
        """The expression that is the sum of a number or string."""

    def sum_of(self, item: Type, native: str) -> str:
        """The expression that is the sum of a list of numbers, with their count."""
        return f"sum_of<{cpp_type(item, 'domain::')}>({native})"

    def is_same(self, type: Type) -> bool:
        """Whether the domain and the message have the same C++ type for this, and there is no map in it."""
        if isinstance(type, List):
            return self.has_vectors and self.is_same(type.item)
        return isinstance(type, Scalar) and type.name in self.same

    def is_same_map(self, type: Map) -> bool:
        """Whether the domain and the message have the same C++ map."""
        return False

    def into_native(self, type: Type, low: Type, value: str) -> str:
        """The domain's number or string as a message has it, also where its enum is an integer there."""
        if isinstance(type, Enum) and isinstance(low, Scalar):
            return self.to_native(low, f"static_cast<{cpp_type(low)}>({value})")
        return self.to_native(type, value)

    def out_of_native(self, type: Type, low: Type, native: str) -> str:
        """A message's number or string as the domain has it, also where its enum is an integer there."""
        if isinstance(type, Enum) and isinstance(low, Scalar):
            return f"number<domain::{type.name}>({native})"
        return self.to_domain(type, native)

    def to_domain(self, type: Type, native: str) -> str:
        """A message's number or string as the domain has it."""
        return native if self.is_same(type) else f"number<{cpp_type(type, 'domain::')}>({native})"
