"""Expressions between dataclasses and the objects of libraries that make classes of a schema: an object has
an attribute for each field, is made with arguments of these names, and of a union one attribute is not
None."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from serbench.codegen.words import words
from serbench.idl.lower import Lowered
from serbench.languages.python.code import LocalNames
from serbench.languages.python.domain import KEYWORDS
from serbench.languages.python.fixed import function_of
from serbench.model import Array, FixedBytes, List, Map, Optional, Record, Ref, Type, Union
from serbench.model.parts import resolved

_LOCALS = KEYWORDS | words("value native name bytes list dict int")


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


@dataclass
class Conversions:
    """Expressions, of whose variables no two have the same name.

    Attributes:
        objects: the objects of the library.
        is_native: whether they are for what an object holds, and not for what is made of it.
    """

    objects: LibraryObjects
    is_native: bool
    _names: LocalNames = field(default_factory=lambda: LocalNames(_LOCALS))

    def value(self, type: Type, low: Type, place: str) -> str:
        """An expression for a value that is ``type`` in the domain and ``low`` in the format, of what is at
        ``place``."""
        self._names = LocalNames(_LOCALS)
        return self._value(type, low, place)

    def _value(self, type: Type, low: Type, place: str) -> str:
        low = resolved(low)
        if made := self.objects.made(low):
            held = made.fields[0]
            name = self.objects.attribute(held.name)
            if self.is_native:
                return f"{self.objects.class_of(made)}({name}={self._value(type, held.type, place)})"
            return self._value(type, held.type, f"{place}.{name}")
        match type, low:
            case Optional(item), Optional(low_item):
                value = self._value(item, low_item, place)
                return place if value == place else f"None if {place} is None else {value}"
            case Map(key, item), Map():
                return self._map(key, item, low, place)
            case ((List(item) | Array(item, _)), List(low_item)):
                own = self._names.fresh("each")
                value = self._value(item, low_item, own)
                return self._counted(type, place if value == own else f"[{value} for {own} in {place}]")
            case ((Record() | Union() | Ref()), _):
                return f"{'build' if self.is_native else 'extract'}_{function_of(type)}({place})"
            case _ if self.is_native:
                return self.objects.held(type, low, place)
            case _:
                return self._counted(type, self.objects.given(type, low, place))

    def _map(self, key: Type, item: Type, low: Map, place: str) -> str:
        by, own = self._names.fresh("key"), self._names.fresh("each")
        of_key, of_item = self._value(key, low.key, by), self._value(item, low.value, own)
        if (of_key, of_item) == (by, own):
            return place
        return f"{{{of_key}: {of_item} for {by}, {own} in {place}.items()}}"

    def _counted(self, type: Type, items: str) -> str:
        """Items of which a message may not have more or fewer than the type says."""
        is_counted = isinstance(type, Array | FixedBytes) and not self.is_native
        return f"_exact({items}, {type.length})" if is_counted else items  # type: ignore[union-attr]
