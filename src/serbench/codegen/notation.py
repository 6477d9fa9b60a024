"""How a language writes types: what generators need of it is data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from serbench.model import Array, Enum, List, Map, Optional, Record, Scalar, Type
from serbench.model.types import describe


@dataclass(frozen=True)
class Notation:
    """A format for each kind of type, with ``{}`` for each of its parts; an empty one where the language has no such type.

    Attributes:
        language: for messages.
        scalars: name in the type model → type.
        named: the type of an enum or record of this name.
    """

    language: str
    scalars: Mapping[str, str]
    list: str
    array: str = ""
    map: str = ""
    optional: str = ""
    named: Callable[[str], str] = str

    def __call__(self, type: Type) -> str:
        """``type`` as this language writes it."""
        match type:
            case Scalar(name):
                return self.scalars[name]
            case Enum(name) | Record(name):
                return self.named(name)
            case List(item):
                return self.list.format(self(item))
            case Array(item, length) if self.array:
                return self.array.format(self(item), length)
            case Map(key, value) if self.map:
                return self.map.format(self(key), self(value))
            case Optional(item) if self.optional:
                return self.optional.format(self(item))
            case _:
                raise TypeError(f"{describe(type)} has no {self.language} type")
