"""Generates expressions that convert the domain's values to those of a library of Avro, and back."""

from __future__ import annotations

from typing import Any

from serbench.idl.avsc import SCALARS, branch_of
from serbench.idl.lower import Lowered
from serbench.languages.python.access import members_of, names_of
from serbench.languages.python.conversions import Conversions, exactly, or_none
from serbench.model import Array, Enum, FixedBytes, List, Map, Optional, Record, Scalar, Type, string, u64
from serbench.model.parts import resolved
from serbench.model.types import Composite


def branch(low: Type) -> str:
    """Return the name by which Avro's libraries know a branch of a union."""
    low = resolved(low)
    return SCALARS[low.name] if isinstance(low, Scalar) else branch_of(low)


def is_named(low: Type) -> bool:
    """Whether the type of a branch has a name, which a library that tells branches gives with the value."""
    return isinstance(resolved(low), Composite | Enum | FixedBytes)


class AvroValues(Conversions):
    """Generates expressions that convert one way, to a library's values or from them.

    Args:
        tells_branches: whether the value of a union is a tuple of the branch's name and the value.
    """

    def __init__(self, function: str, types: Lowered, tells_branches: bool):
        super().__init__(function, types.made)
        self.tells_branches = tells_branches


class Plains(AvroValues):
    """Generates expressions that convert the domain's values to those that the library writes."""

    def boxed(self, type: Type, low: Record, place: str) -> str:
        (held,) = low.fields
        return f'{{"{held.name}": {self.inner(type, held.type, place)}}}'

    def optional(self, type: Optional, low: Optional, place: str) -> str:
        if not self.tells_branches:
            return super().optional(type, low, place)
        plain = self.inner(type.item, low.item, place)
        return f'None if {place} is None else ("{branch(low.item)}", {plain})'

    def map(self, type: Map, low: Any, place: str) -> str:
        if low.key == string:
            return super().map(type, low, place)
        by, own = self.local("key"), self.local("each")
        key, value = self.inner(type.key, low.key, by), self.inner(type.value, low.value, own)
        return f'[{{"key": {key}, "value": {value}}} for {by}, {own} in {place}.items()]'

    def plain(self, type: Type, low: Type, place: str) -> str:
        match type, low:
            case Enum(), Enum():
                return f"{names_of(type)}[{place}]"
            case _ if low == u64:  # which Avro has as a signed one with the same bits
                return f"_signed({place})"
            case ((List() | Array()), _):
                return f"bytes({place})"
        return place


class Mades(AvroValues):
    """Generates expressions that convert the values that the library read to the domain's."""

    def boxed(self, type: Type, low: Record, place: str) -> str:
        (held,) = low.fields
        return self.inner(type, held.type, f'{place}["{held.name}"]')

    def optional(self, type: Optional, low: Optional, place: str) -> str:
        is_told = self.tells_branches and is_named(low.item)
        return or_none(place, self.inner(type.item, low.item, f"{place}[1]" if is_told else place))

    def map(self, type: Map, low: Any, place: str) -> str:
        if low.key == string:
            return super().map(type, low, place)
        self.local("key")
        own = self.local("each")
        key = self.inner(type.key, low.key, f'{own}["key"]')
        value = self.inner(type.value, low.value, f'{own}["value"]')
        return f"{{{key}: {value} for {own} in {place}}}"

    def items(self, type: List | Array | Map, place: str, made: str) -> str:
        return exactly(type, made)

    def plain(self, type: Type, low: Type, place: str) -> str:
        match type, low:
            case Enum(), Enum():
                return f"{members_of(type)}[{place}]"
            case Enum(), _:
                number = self.plain(type.underlying, low, place)
                return number if type.open else f"{type.name}({number})"
            case Scalar("u64"), _:
                return f"{place} & 0xFFFFFFFFFFFFFFFF"
            case Scalar("i8" | "i16" | "u8" | "u16" | "u32"), _:  # which Avro has in a wider type
                least, most = type.bounds
                return f"_narrow({place}, {least}, {most})"
            case ((List() | Array()), _):
                return f"list({exactly(type, place)})"
        return place
