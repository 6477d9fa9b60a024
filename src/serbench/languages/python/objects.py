"""Generates expressions that convert between dataclasses and the objects of libraries that make classes of a
schema. Objects have an attribute for each field; most are made with arguments of these names, and a union has
one attribute that is not None."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from serbench.idl import oneofs
from serbench.idl.lower import Lowered
from serbench.languages.python.conversions import Conversions, exactly, or_none
from serbench.languages.python.sums import added
from serbench.model import Array, Enum, Field, List, Map, Optional, Record, Scalar, Type, Union
from serbench.model.types import Composite


@dataclass(frozen=True)
class LibraryObjects:
    """Generates expressions for the objects of a library. A subclass for a format says what they hold.

    Attributes:
        types: the schema in the format's terms.
        module: the variable for the module of the library's classes.
        head: the lines that import that module, below the imports of the domain.
        before: further imports, above those of the domain.
        after: the lines below the class of the root.
    """

    types: Lowered
    module: str
    head: Sequence[str] = ()
    before: Sequence[str] = ()
    after: Sequence[str] = ()

    def class_name(self, name: str) -> str:
        """Return the name of the class of a record or union."""
        return name

    def attribute(self, name: str) -> str:
        """Return the attribute of a field or alternative."""
        return name

    def at(self, place: str, name: str) -> str:
        """Return the expression for a field or alternative of the object at ``place``."""
        return f"{place}.{self.attribute(name)}"

    def is_there(self, holder: Record, place: str, name: str) -> str:
        """Return the condition under which an object has an optional field."""
        return f"{self.at(place, name)} is not None"

    def optional(self, holder: Record, place: str, name: str, value: str) -> str:
        """Return the expression for ``value``, read from an optional field; None where that is absent."""
        return or_none(self.at(place, name), value)

    def chosen(self, low: Union, place: str) -> str:
        """Return the expression for the name of the alternative that an object has; empty where it is the one
        whose attribute is not None."""
        return ""

    def copied(self, kind: str, place: str) -> str:
        """Return the expression for a plain list or dict (``kind``) of the same items as an object's own."""
        return place

    def held(self, type: Type, low: Type, place: str) -> str:
        """Return the expression for what an object holds for a number, text or bytes; ``place`` where nothing
        has to be converted. A list or array is held as bytes here; ``low`` is the type in the format."""
        return f"bytes({place})" if isinstance(type, List | Array) else place

    def given(self, type: Type, low: Type, place: str) -> str:
        """Return the expression that converts what an object holds at ``place`` to the domain's value, and
        refuses small integers that are out of the domain's range."""
        match type:
            case Enum():
                return place if type.open else f"{type.name}({place})"
            case Scalar("i8" | "i16" | "u8" | "u16"):
                least, most = type.bounds
                return f"_narrow({place}, {least}, {most})"
            case List() | Array():  # a list of bytes
                return f"list({place})"
            case _:
                return place

    def summed(self, type: Type, low: Type, place: str) -> str:
        """The expression for what a number, text, bytes, a record or a union of an object adds to a sum."""
        return added(type, place)

    def made(self, low: Type) -> Record | None:
        """Return the type if it is a record that lowering made to hold one value or none; else None."""
        return low if isinstance(low, Record) and low.name in self.types.made else None

    def is_in_place(self, low: Type) -> bool:
        """Whether the alternatives of a union are fields of the record that holds it."""
        return oneofs.is_in_place(low, self.types)

    def class_of(self, low: Composite) -> str:
        return f"{self.module}.{self.class_name(low.name)}"


class ObjectValues(Conversions):
    """Generates expressions that convert one way between dataclasses and a library's objects.

    Args:
        is_native: whether expressions make what an object holds, and not the domain's values.
    """

    def __init__(self, objects: LibraryObjects, is_native: bool):
        super().__init__("build" if is_native else "extract", objects.types.made)
        self.objects, self.is_native = objects, is_native

    def part(self, type: Type, low: Field, holder: Record, place: str) -> str:
        """Return the expression that converts a field of the object at ``place`` to the domain's value."""
        at = self.objects.at(place, low.name)
        match type, low.type:
            case Optional(item), Optional(low_item):
                return self.objects.optional(holder, place, low.name, self.inner(item, low_item, at))
        return self.inner(type, low.type, at)

    def boxed(self, type: Type, low: Record, place: str) -> str:
        (held,) = low.fields
        if not self.is_native:
            return self.part(type, held, low, place)
        name = self.objects.attribute(held.name)
        return f"{self.objects.class_of(low)}({name}={self.inner(type, held.type, place)})"

    def items(self, type: List | Array | Map, place: str, made: str) -> str:
        if self.is_native:
            return made
        if made == place:
            made = self.objects.copied("dict" if isinstance(type, Map) else "list", place)
        return exactly(type, made)

    def plain(self, type: Type, low: Type, place: str) -> str:
        if self.is_native:
            return self.objects.held(type, low, place)
        return exactly(type, self.objects.given(type, low, place))
