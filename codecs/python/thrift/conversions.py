"""Expressions for what Thrift's objects hold of a value, and for the value that they hold."""

from __future__ import annotations

from dataclasses import dataclass, field

from serbench.codegen.words import words
from serbench.idl.lower import Lowered
from serbench.languages.python.code import Names
from serbench.languages.python.domain import KEYWORDS
from serbench.languages.python.fixed import function_of
from serbench.model import Array, Enum, FixedBytes, List, Map, Optional, Record, Ref, Scalar, Type, Union

_LOCALS = KEYWORDS | words("value native name bytes list dict ttypes")

_MASKS = {"u8": "0xFF", "u64": "0xFFFFFFFFFFFFFFFF"}
"""Of the bits of integers that Thrift has as signed ones of the same width."""


def target(type: Type) -> Type:
    """What a type that leads back leads to; else the type."""
    return type.target if isinstance(type, Ref) else type


@dataclass
class Conversions:
    """Expressions, of whose variables no two have the same name.

    Attributes:
        types: the schema in Thrift's terms.
        is_native: whether they are for what an object holds, and not for what is made of it.
    """

    types: Lowered
    is_native: bool
    _names: Names = field(default_factory=lambda: Names(_LOCALS))

    def value(self, type: Type, low: Type, place: str) -> str:
        """An expression for a value that is ``type`` in the domain and ``low`` in Thrift, of what is at
        ``place``."""
        self._names = Names(_LOCALS)
        return self._value(type, low, place)

    def _value(self, type: Type, low: Type, place: str) -> str:
        low = target(low)
        if isinstance(low, Record) and low.name in self.types.made:
            held = low.fields[0]
            if self.is_native:
                return f"ttypes.{low.name}({held.name}={self._value(type, held.type, place)})"
            return self._value(type, held.type, f"{place}.{held.name}")
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
            case Enum(), Enum():  # numbers of 32 bits on the wire, whatever they are of in the domain
                return place if self.is_native else f"{type.name}({place})"
            case _:
                return self._leaf(type, place)

    def _map(self, key: Type, item: Type, low: Map, place: str) -> str:
        by, own = self._names.fresh("key"), self._names.fresh("each")
        of_key, of_item = self._value(key, low.key, by), self._value(item, low.value, own)
        if (of_key, of_item) == (by, own):
            return place
        return f"{{{of_key}: {of_item} for {by}, {own} in {place}.items()}}"

    def _leaf(self, type: Type, place: str) -> str:
        if self.is_native:
            return self._native_leaf(type, place)
        match type:
            case Enum():
                number = self._leaf(type.underlying, place)
                return number if type.open else f"{type.name}({number})"
            case Scalar("u16" | "u32"):
                least, most = type.bounds
                return f"_narrow({place}, {least}, {most})"
            case Scalar(name) if name in _MASKS:
                return f"{place} & {_MASKS[name]}"
            case List() | Array():  # of bytes
                return self._counted(type, f"list({place})")
            case _:
                return self._counted(type, place)

    def _native_leaf(self, type: Type, place: str) -> str:
        match type:
            case Enum():
                return self._native_leaf(type.underlying, place)
            case Scalar("u8"):
                return f"({place} ^ 0x80) - 0x80"
            case Scalar("u64"):
                return f"_signed({place})"
            case List() | Array():  # of bytes
                return f"bytes({place})"
            case _:
                return place

    def _counted(self, type: Type, items: str) -> str:
        """Items of which a message may not have more or fewer than the type says."""
        is_counted = isinstance(type, Array | FixedBytes) and not self.is_native
        return f"_exact({items}, {type.length})" if is_counted else items  # type: ignore[union-attr]
