"""C++ expressions and statements that read and write a library's messages; conversions are made of them."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from serbench.languages.cpp.composites import CompositeGlue
from serbench.languages.cpp.domain import cpp_type
from serbench.model import Enum, Field, List, Map, Scalar, Type


@dataclass(frozen=True)
class Value:
    """The C++ expression for a value.

    Attributes:
        it: the expression itself; it begins with ``*`` where it goes through a pointer.
        has: the condition under which a message has this value, if it is optional.
    """

    it: str
    has: str = ""

    @property
    def dot(self) -> str:
        """The expression and the dot or arrow behind it, to which the name of a member can be added."""
        return f"{self.it[1:]}->" if self.it.startswith("*") else f"{self.it}."


@dataclass(frozen=True)
class Slot:
    """A place in C++ to which code assigns a value.

    Attributes:
        ref: the expression that refers to the place; may be empty for numbers, which only ``setting`` sets.
        setting: the statement that assigns a value, with ``{}`` for it.
        presence: the flag or statement by which a message says whether an optional has a value.
    """

    ref: str
    setting: str
    presence: str = ""

    @classmethod
    def member(cls, name: str, presence: str = "") -> Slot:
        """The slot of a variable or a member of a struct, to which ``=`` assigns values."""
        return cls(name, f"{name} = {{}};", presence)

    @property
    def dot(self) -> str:
        """The expression and the dot or arrow behind it, to which the name of a member can be added."""
        return Value(self.ref).dot


class CompositeNotation(CompositeGlue):
    """The part of a generator that gives the C++ to read and write each part of one library's messages.

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
        """The place of a message's field; ``message`` ends in a dot or an arrow."""

    @abstractmethod
    def read(self, message: str, field: Field) -> Value:
        """The expression that reads a message's field."""

    @abstractmethod
    def build_optional(self, item: Type, low: Type, value: Value, slot: Slot) -> None:
        """Writes code that sets an optional field of a message, ``slot``, from the domain's ``value``."""

    def resize(self, slot: Slot, size: str) -> str:
        """The statement that resizes a message's list."""
        return f"{slot.dot}resize({size});"

    @abstractmethod
    def emptied(self, name: str, slot: Slot) -> str:
        """Writes code that empties a message's map, and returns the declaration of the variable ``name``,
        through which a loop fills the map."""

    @abstractmethod
    def to_native(self, type: Type, value: str) -> str:
        """The expression that converts the domain's number or string to a message's."""

    @abstractmethod
    def checksum(self, type: Type, native: str) -> str:
        """The expression for what a message's number or string adds to a sum."""

    def sum_of(self, item: Type, native: str) -> str:
        """The expression for the sum of the numbers in a message's list, to which their count is added."""
        return f"sum_of<{cpp_type(item, 'domain::')}>({native})"

    def is_same(self, type: Type) -> bool:
        """Whether the domain and messages have the same C++ type for ``type``, and it contains no map."""
        if isinstance(type, List):
            return self.has_vectors and self.is_same(type.item)
        return isinstance(type, Scalar) and type.name in self.same

    def is_same_map(self, type: Map) -> bool:
        """Whether the domain and the message have the same C++ map."""
        return False

    def into_native(self, type: Type, low: Type, value: str) -> str:
        """Does what ``to_native`` does, also where messages have an integer for an enum."""
        if isinstance(type, Enum) and isinstance(low, Scalar):
            return self.to_native(low, f"static_cast<{cpp_type(low)}>({value})")
        return self.to_native(type, value)

    def out_of_native(self, type: Type, low: Type, native: str) -> str:
        """Does what ``to_domain`` does, also where messages have an integer for an enum."""
        if isinstance(type, Enum) and isinstance(low, Scalar):
            return f"number<domain::{type.name}>({native})"
        return self.to_domain(type, native)

    def to_domain(self, type: Type, native: str) -> str:
        """The expression that converts a message's number or string to the domain's."""
        return native if self.is_same(type) else f"number<{cpp_type(type, 'domain::')}>({native})"
