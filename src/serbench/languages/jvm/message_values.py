"""Generates Scala expressions for values of the domain as a library's messages hold them, and back.

``type`` is always a value's type in the domain and ``low`` its type in the IDL.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from serbench.codegen.naming import counterparts
from serbench.codegen.source import Source
from serbench.idl.lower import Lowered
from serbench.languages.jvm.domain import SCALARS, domain_type, domain_types, function_name
from serbench.model import Alternative, Array, Enum, Field, FixedBytes, Optional, Record, Scalar, Type, Union
from serbench.model.parts import resolved

NATIVE = "native"
"""The name in generated code of the package or class that holds the messages."""

_MAY_NOT_FIT = frozenset({"i8", "i16", "u8", "u16", "u32"})
"""Integers that messages may hold in a wider type, so that code that reads them has to check their range."""


@dataclass(frozen=True)
class MessageField:
    """One field of a message.

    Attributes:
        type: the type of the value in the domain.
        low: its type in the IDL.
        name: the field's name in the library's accessors.
        value: the expression for the domain's value in the function that builds the message.
        declared: the field of the IDL.
    """

    type: Any
    low: Any
    name: str
    value: str
    declared: Field


def is_bytes(type: Type) -> bool:
    """Whether values of a type are arrays of bytes in the domain, and bytes in the IDL."""
    return isinstance(type, FixedBytes) or (isinstance(type, Scalar) and type.name == "bytes")


class MessageValues(ABC):
    """Generates expressions that convert values of the domain to those of messages, and back, and sum them. A
    library's own class says how Scala reads and makes its messages.

    Attributes:
        scalars: name in the type model → the Scala type that messages have.
        new: the word before the class of a message that is made.
        sum_of_bytes: the function that sums a message's bytes and their count.
    """

    scalars: Mapping[str, str]
    new = ""
    sum_of_bytes = "Checksum.of"

    def __init__(self, types: Lowered):
        self.types = types
        self.schema = domain_types(types.declared)
        self.natives = counterparts(self.schema, types.schema)
        self.out = Source()
        self.names: dict[tuple[Type, Type], str] = {}
        # functions that are called, in the order of their first call
        self.wanted: dict[tuple[str, Type, Type], None] = {}

    # The messages of a library.

    @abstractmethod
    def name_of(self, name: str) -> str:
        """Return the name of a field or alternative in the library's accessors."""

    @abstractmethod
    def native(self, low: Type) -> str:
        """Return the Scala type that a message has for a type of the IDL."""

    @abstractmethod
    def read(self, message: str, part: MessageField) -> str:
        """Return the expression for a field of a message, as the message holds it."""

    @abstractmethod
    def optional(self, part: MessageField) -> tuple[str, str]:
        """Return the condition under which ``message`` has an optional field, and the expression for the
        field's value there."""

    @abstractmethod
    def bytes_to_native(self, array: str) -> str:
        """Return the expression that makes a message's bytes out of an array."""

    @abstractmethod
    def bytes_to_domain(self, native: str) -> str:
        """Return the expression that makes an array out of a message's bytes."""

    def choice_to_native(self, low: Union, choice: Alternative, built: str) -> str:
        """Return the expression that makes a message's union out of an alternative's value, ``built``."""
        raise NotImplementedError(f"{self.__class__.__name__} has no choice_to_native")

    def chosen(self, low: Union) -> str:
        """Return the expression that is matched to tell which alternative the union ``message`` holds."""
        raise NotImplementedError(f"{self.__class__.__name__} has no chosen")

    def case(self, low: Union, choice: Alternative) -> tuple[str, str]:
        """Return the pattern that matches an alternative in a ``match`` over the union, and the expression
        for the alternative's value as the message holds it."""
        raise NotImplementedError(f"{self.__class__.__name__} has no case")

    def empty(self, low: Record) -> str:
        """Return the expression that makes a message without fields."""
        return f"{self.new}{NATIVE}.{low.name}()"

    def is_boxed(self, low: Type) -> bool:
        """Whether a type is a record that lowering made around an alternative's value or an item's union."""
        return isinstance(low, Record) and self.types.made.get(low.name) == "boxed"

    def is_taken(self, type: Type, low: Type) -> bool:
        """Whether a message takes the domain's value without a conversion."""
        return (
            isinstance(type, Scalar)
            and not self.is_boxed(low)
            and self.scalars[type.name] == SCALARS[type.name]
        )

    def is_given(self, type: Type, low: Type) -> bool:
        """Whether the expression ``given`` converts a message's value to the domain's, without a function."""
        return self.is_taken(type, low) and isinstance(type, Scalar) and type.name not in {"u8", "u16", "u32"}

    def given(self, type: Type, native: str) -> str:
        """Return the expression that converts a message's value to the domain's, where ``is_given``."""
        return native

    # Expressions that build, extract and sum a value.

    def call(self, function: str, type: Type, low: Type, argument: str) -> str:
        """Return a call of the function for a pair of types, and note that the file needs it."""
        type, low = resolved(type), resolved(low)
        self.wanted[function, type, low] = None
        return f"{function}{self.name(type, low)}({argument})"

    def name(self, type: Type, low: Type) -> str:
        """Return the end of the names of the functions for a pair of types, which no other pair has."""
        if (type, low) not in self.names:
            boxed = low if self.is_boxed(low) else type
            self.names[type, low] = function_name(boxed, self.names.values())
        return self.names[type, low]

    def build(self, type: Type, low: Type, value: str) -> str:
        """Return the expression that converts the domain's ``value`` to what a message holds."""
        match type:
            case _ if self.is_taken(type, low):
                return value
            case _ if self.is_boxed(low):
                return self.call("build", type, low, value)
            case Enum() if isinstance(low, Scalar):
                return f"{value}.number.to{self.scalars[low.name]}"
            case _ if is_bytes(type):
                return self.bytes_to_native(value)
            case Scalar(name):
                return f"{value}.to{self.scalars[name]}"
            case _:
                return self.call("build", type, low, value)

    def extract(self, type: Type, low: Type, native: str) -> str:
        """Return the expression that converts what a message holds to the domain's value."""
        match type:
            case _ if self.is_given(type, low):
                return self.given(type, native)
            case _ if self.is_boxed(low):
                return self.call("extract", type, low, native)
            case Enum() if isinstance(low, Scalar):
                return f"{domain_type(type)}.of({self.extract(low, low, native)})"
            case FixedBytes(length):
                return f"Narrow.bytes({self.bytes_to_domain(native)}, {length})"
            case _ if is_bytes(type):
                return self.bytes_to_domain(native)
            case Scalar("u8") if self.scalars["u8"] == "Byte":
                return f"({native} & 0xff).toShort"
            case Scalar("u32") if self.scalars["u32"] == "Int":
                return f"({native} & 0xffffffffL)"
            case Scalar(name) if name in _MAY_NOT_FIT:
                return f"Narrow.{name}({native})"
            case Scalar(name):
                return f"{native}.to{SCALARS[name]}"
            case _:
                return self.call("extract", type, low, native)

    def sum(self, type: Type, low: Type, native: str) -> str:
        """Return the expression for the number that a message's value adds to a sum."""
        match type:
            case _ if self.is_boxed(low):
                return self.call("sum", type, low, native)
            case Enum() if isinstance(low, Scalar):
                return self.sum(low, low, native)
            case Scalar("u8") if self.scalars["u8"] == "Byte":
                return f"({native} & 0xff)"
            case Scalar("u32") if self.scalars["u32"] == "Int":
                return f"({native} & 0xffffffffL)"
            case Scalar("f32") if self.scalars["f32"] == "Double":
                return f"Checksum.of({native}.toFloat)"
            case Scalar() if type.is_integer:
                return native
            case _ if is_bytes(low) or is_bytes(type):
                counted = f" - {type.length}" if isinstance(type, Array) else ""
                return f"{self.sum_of_bytes}({native}){counted}"
            case Scalar():
                return f"Checksum.of({native})"
            case _:
                return self.call("sum", type, low, native)

    def extract_field(self, part: MessageField) -> str:
        """Return the expression that converts a field of ``message`` to the domain's value."""
        type, low = part.type, part.low
        if isinstance(type, Optional) and isinstance(low, Optional) and not self.is_given(type, low):
            is_there, held = self.optional(part)
            return f"if ({is_there}) Some({self.extract(type.item, low.item, held)}) else None"
        return self.extract(type, low, self.read("message", part))

    def sum_field(self, part: MessageField) -> None:
        """Write the statements that add a field of ``message`` to ``sum``."""
        type, low = part.type, part.low
        if isinstance(type, Optional) and isinstance(low, Optional):
            is_there, held = self.optional(part)
            self.out(f"if ({is_there}) sum += 1L + {self.sum(type.item, low.item, held)}")
        else:
            self.out(f"sum += {self.sum(type, low, self.read('message', part))}")
