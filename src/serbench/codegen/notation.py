"""A table of the way in which a language writes types, for generators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from serbench.model import (
    Array,
    Enum,
    FixedBytes,
    List,
    Logical,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Type,
    Union,
)
from serbench.model.parts import describe


@dataclass(frozen=True)
class Notation:
    """The way in which a language writes types: a template for each kind of type, with ``{}`` for each of its
    parts; a template is empty if the language has no such type.

    Attributes:
        language: its name, for errors.
        scalars: name in the type model → type of the language.
        named: gives the type of an enum, record or union of this name.
        fixed: bytes of a fixed length.
        back: a reference back to a record or union, with ``{}`` for its name; ``optional_back``: one that may
            be absent; ``items_back``: one that is an item of a list or a value of a map, if that is written
            otherwise.
    """

    language: str
    scalars: Mapping[str, str]
    list: str
    array: str = ""
    map: str = ""
    optional: str = ""
    named: Callable[[str], str] = str
    fixed: str = ""
    back: str = ""
    optional_back: str = ""
    items_back: str = ""

    def __call__(self, type: Type) -> str:
        """The type as source text of the language; raises TypeError if the language has no such type."""
        match type:
            case Scalar(name):
                return self.scalars[name]
            case Enum(name) | Record(name) | Union(name):
                return self.named(name)
            case FixedBytes(length) if self.fixed:
                return self.fixed.format(length)
            case Logical():
                return self(type.base)
            case Ref(name) if self.back:
                return self.back.format(self.named(name))
            case Optional(Ref(name)) if self.optional_back:
                return self.optional_back.format(self.named(name))
            case List(item):
                return self.list.format(self._item(item))
            case Array(item, length) if self.array:
                return self.array.format(self(item), length)
            case Map(key, value) if self.map:
                return self.map.format(self(key), self._item(value))
            case Optional(item) if self.optional:
                return self.optional.format(self(item))
            case _:
                raise TypeError(f"{describe(type)} has no {self.language} type")

    def _item(self, type: Type) -> str:
        if isinstance(type, Ref) and self.items_back:
            return self.items_back.format(self.named(type.name))
        return self(type)
