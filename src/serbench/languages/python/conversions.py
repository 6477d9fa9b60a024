"""Generates expressions that convert between values of the domain and a library's own values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from serbench.languages.python.code import LocalNames
from serbench.languages.python.fixed import function_of
from serbench.model import Array, FixedBytes, List, Map, Optional, Record, Ref, Type, Union
from serbench.model.parts import resolved


class Conversions(ABC):
    """Generates expressions that convert one way. A library's own class says what its values are; here, lists
    are lists, maps are dicts, and an optional that is absent is None.

    ``type`` is always a value's type in the domain, ``low`` its type in the library's terms, and ``place``
    the expression for the value that is converted.

    Args:
        function: the first word in the names of functions for records and unions.
        made: the names of the records that lowering made for one value.
    """

    def __init__(self, function: str, made: Mapping[str, str]):
        self.function, self.made = function, made
        self.anew()

    def anew(self) -> None:
        """Forget which variables are taken, since the next expression is not inside of the last one."""
        self._names = LocalNames()

    def local(self, name: str) -> str:
        """Return the name of a new variable, which no expression around the current one uses."""
        return self._names.fresh(name)

    def value(self, type: Type, low: Type, place: str) -> str:
        """Return the expression that converts the value at ``place``, to stand alone or beside others."""
        self.anew()
        return self.inner(type, low, place)

    def inner(self, type: Type, low: Type, place: str) -> str:
        """Return what ``value`` returns, for use inside of another expression; may be ``place`` itself."""
        low = resolved(low)
        if isinstance(low, Record) and low.name in self.made:
            return self.boxed(type, low, place)
        match type, low:
            case Optional(), Optional():
                return self.optional(type, low, place)
            case Map(), Map() | List():
                return self.map(type, low, place)
            case ((List(item) | Array(item, _)), (List(low_item) | Array(low_item, _))):
                own = self.local("each")
                made = self.inner(item, low_item, own)
                return self.items(type, place, place if made == own else f"[{made} for {own} in {place}]")
            case ((Record() | Union() | Ref()), _):
                return f"{self.function}_{function_of(type)}({place})"
        return self.plain(type, low, place)

    def boxed(self, type: Type, low: Record, place: str) -> str:
        """Return the expression that converts a value for which ``low`` is a record that lowering made."""
        raise NotImplementedError(f"{self.__class__.__name__} has no boxed")

    def optional(self, type: Optional, low: Optional, place: str) -> str:
        return or_none(place, self.inner(type.item, low.item, place))

    def map(self, type: Map, low: Any, place: str) -> str:
        by, own = self.local("key"), self.local("each")
        key, item = self.key(type.key, low.key, by), self.inner(type.value, low.value, own)
        made = f"{{{key}: {item} for {by}, {own} in {place}.items()}}"
        return self.items(type, place, place if (key, item) == (by, own) else made)

    def key(self, type: Type, low: Type, place: str) -> str:
        """Return the expression that converts a map's key at ``place``."""
        return self.inner(type, low, place)

    def items(self, type: List | Array | Map, place: str, made: str) -> str:
        """Return the expression for a list or a dict: as a rule ``made``, a comprehension that converts the
        items, or the place itself where no item needs a conversion."""
        return made

    @abstractmethod
    def plain(self, type: Type, low: Type, place: str) -> str:
        """The expression that converts the number, enum, text or bytes at a place, in this class's direction;
        also a list that the library holds as bytes."""


def or_none(place: str, made: str) -> str:
    """The expression that is None where the value at ``place`` is, else ``made``, which converts it."""
    return place if made == place else f"None if {place} is None else {made}"


def exactly(type: Type, items: str) -> str:
    """Return the expression for ``items`` or bytes; for a type of fixed length, it checks their count."""
    return f"_exact({items}, {type.length})" if isinstance(type, Array | FixedBytes) else items
