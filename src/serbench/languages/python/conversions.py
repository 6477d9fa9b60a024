"""Expressions between values of the domain and those that a library has for them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from serbench.languages.python.code import LocalNames
from serbench.languages.python.fixed import function_of
from serbench.model import Array, FixedBytes, List, Map, Optional, Record, Ref, Type, Union
from serbench.model.parts import resolved


class Conversions(ABC):
    """Expressions one way. A library's own class says what its values are; as they stand here, lists are
    lists, maps are dicts, and an optional that is absent is None.

    ``type`` is always a value's type in the domain, ``low`` what it is to the library, and ``place`` where
    the value stands that is converted.

    Args:
        function: the first word in the names of functions for records and unions.
        made: the names of the records that lowering made for one value.
    """

    def __init__(self, function: str, made: Mapping[str, str]):
        self.function, self.made = function, made
        self.anew()

    def anew(self) -> None:
        """The next expression stands in another function, or beside the last one."""
        self._names = LocalNames()

    def local(self, name: str) -> str:
        """The name of a variable that no expression around has."""
        return self._names.fresh(name)

    def value(self, type: Type, low: Type, place: str) -> str:
        """An expression that stands beside others."""
        self.anew()
        return self.inner(type, low, place)

    def inner(self, type: Type, low: Type, place: str) -> str:
        """An expression inside of another one; the place itself where there is nothing to convert."""
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
        """A value for which lowering made a record."""
        raise NotImplementedError(f"{self.__class__.__name__} has no boxed")

    def optional(self, type: Optional, low: Optional, place: str) -> str:
        return or_none(place, self.inner(type.item, low.item, place))

    def map(self, type: Map, low: Map | List, place: str) -> str:
        assert isinstance(low, Map)
        by, own = self.local("key"), self.local("each")
        key, item = self.key(type.key, low.key, by), self.inner(type.value, low.value, own)
        made = f"{{{key}: {item} for {by}, {own} in {place}.items()}}"
        return self.items(type, place, place if (key, item) == (by, own) else made)

    def key(self, type: Type, low: Type, place: str) -> str:
        """The key of a dict."""
        return self.inner(type, low, place)

    def items(self, type: List | Array | Map, place: str, made: str) -> str:
        """A list or a dict, whose items are converted in ``made``; that is the place where they are the
        same."""
        return made

    @abstractmethod
    def plain(self, type: Type, low: Type, place: str) -> str:
        """A number, an enum, text or bytes; also a list that the library has as bytes."""


def or_none(place: str, made: str) -> str:
    """A value that is made of the one at a place; None where that is."""
    return place if made == place else f"None if {place} is None else {made}"


def exactly(type: Type, items: str) -> str:
    """Items or bytes of which a message may not have more or fewer than their type says."""
    return f"_exact({items}, {type.length})" if isinstance(type, Array | FixedBytes) else items
