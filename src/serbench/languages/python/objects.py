"""Expressions between dataclasses and the objects of libraries that make classes of a schema: an object has
an attribute for each field, is made with arguments of these names, and of a union one attribute is not
None."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from serbench.idl.lower import Lowered
from serbench.languages.python.conversions import Conversions, exactly
from serbench.model import Array, List, Record, Type, Union


@dataclass(frozen=True)
class LibraryObjects(ABC):
    """The objects of a library, which hold other values in each format.

    Attributes:
        types: the schema in the format's terms.
        module: the variable that has the library's classes.
        head: the lines that bring it, below the imports of the domain.
    """

    types: Lowered
    module: str
    head: Sequence[str]

    def class_name(self, name: str) -> str:
        """The class of a record or union."""
        return name

    def attribute(self, name: str) -> str:
        """The attribute of a field or alternative."""
        return name

    @abstractmethod
    def held(self, type: Type, low: Type, place: str) -> str:
        """The value that an object holds for a number, text or bytes; ``place`` where it is the same.
        ``type`` is of the domain, and a list or array one that is held as bytes; ``low`` is the type in the
        format."""

    @abstractmethod
    def given(self, type: Type, low: Type, place: str) -> str:
        """The value of the domain for the one that an object holds at ``place``."""

    @abstractmethod
    def summed(self, type: Type, low: Type, place: str) -> str:
        """The number that a number, text or bytes of an object, or a record or union, adds to a sum."""

    def made(self, low: Type) -> Record | None:
        """The record that was made for one value, or for none."""
        return low if isinstance(low, Record) and low.name in self.types.made else None

    def is_in_place(self, low: Type) -> bool:
        """Whether the alternatives of a union are fields of the record that holds it."""
        return isinstance(low, Union) and low.name in self.types.in_place

    def class_of(self, low: Record | Union) -> str:
        return f"{self.module}.{self.class_name(low.name)}"


class ObjectValues(Conversions):
    """Expressions one way.

    Args:
        is_native: whether they are for what an object holds, and not for what is made of it.
    """

    def __init__(self, objects: LibraryObjects, is_native: bool):
        super().__init__("build" if is_native else "extract", objects.types.made)
        self.objects, self.is_native = objects, is_native

    def boxed(self, type: Type, low: Record, place: str) -> str:
        (held,) = low.fields
        name = self.objects.attribute(held.name)
        if self.is_native:
            return f"{self.objects.class_of(low)}({name}={self.inner(type, held.type, place)})"
        return self.inner(type, held.type, f"{place}.{name}")

    def items(self, type: List | Array, place: str, made: str) -> str:
        return made if self.is_native else exactly(type, made)

    def plain(self, type: Type, low: Type, place: str) -> str:
        if self.is_native:
            return self.objects.held(type, low, place)
        return exactly(type, self.objects.given(type, low, place))
