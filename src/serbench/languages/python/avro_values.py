"""Expressions for what a library of Avro writes of a value, and for the value that it read."""

from __future__ import annotations

from dataclasses import dataclass, field

from serbench.codegen.words import words
from serbench.idl.avsc import SCALARS, fixed_name
from serbench.idl.lower import Lowered
from serbench.languages.python.access import Access, names_of
from serbench.languages.python.code import LocalNames
from serbench.languages.python.domain import KEYWORDS
from serbench.languages.python.fixed import function_of
from serbench.model import (
    Array,
    Enum,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Type,
    Union,
    string,
)
from serbench.model.names import upper_snake
from serbench.model.parts import resolved
from serbench.model.types import Composite

_LOCALS = KEYWORDS | words("value plain item name bytes list")

_MASK = "0xFFFFFFFFFFFFFFFF"


def branch(low: Type) -> str:
    """The name of a union's branch in libraries."""
    match resolved(low):
        case Scalar(name):
            return SCALARS[name]
        case Enum(name) | Record(name) | Union(name):
            return name
        case FixedBytes(length):
            return fixed_name(length)
        case Map(key, _) if key == string:
            return "map"
        case _:
            return "array"


def _is_wide(type: Type) -> bool:
    """Whether numbers are written as signed ones with the same bits."""
    return isinstance(type, Scalar) and type.name == "u64"


@dataclass
class _Conversions:
    """Expressions.

    Attributes:
        access: the dataclasses.
        types: the schema in Avro's types.
        tells_branches: whether the value of a union is a tuple of the branch's name and the value.
    """

    access: Access
    types: Lowered
    tells_branches: bool
    _names: LocalNames = field(default_factory=lambda: LocalNames(_LOCALS))

    def made(self, low: Type) -> Record | None:
        """A record that was made for one value."""
        return low if isinstance(low, Record) and low.name in self.types.made else None

    def anew(self) -> None:
        """The next expression is of another function, or stands beside the last."""
        self._names = LocalNames(_LOCALS)


@dataclass
class Plains(_Conversions):
    """The values that the library writes."""

    def value(self, type: Type, low: Type, place: str) -> str:
        """An expression for it, of a value of the domain at ``place``."""
        self.anew()
        return self._value(type, low, place)

    def _value(self, type: Type, low: Type, place: str) -> str:
        low = resolved(low)
        if made := self.made(low):
            held = made.fields[0]
            return f'{{"{held.name}": {self._value(type, held.type, place)}}}'
        match type, low:
            case Optional(item), Optional(low_item):
                plain = self._value(item, low_item, place)
                if not self.tells_branches:
                    return place if plain == place else f"None if {place} is None else {plain}"
                return f'None if {place} is None else ("{branch(low_item)}", {plain})'
            case Enum(), Enum():
                return f"{names_of(type)}[{place}]"
            case Enum(), _:
                return f"_signed({place})" if _is_wide(low) else place
            case ((List() | Array()), Scalar("bytes")):
                return f"bytes({place})"
            case Scalar("u64"), _:
                return f"_signed({place})"
            case ((List(item) | Array(item, _)), List(low_item)):
                own = self._names.fresh("each")
                plain = self._value(item, low_item, own)
                return place if plain == own else f"[{plain} for {own} in {place}]"
            case Map(key, value), Map(low_key, low_value):
                by, own = self._names.fresh("key"), self._names.fresh("each")
                of_key, of_value = self._value(key, low_key, by), self._value(value, low_value, own)
                if low_key != string:
                    pair = f'{{"key": {of_key}, "value": {of_value}}}'
                    return f"[{pair} for {by}, {own} in {place}.items()]"
                if of_value == own:
                    return place
                return f"{{{by}: {of_value} for {by}, {own} in {place}.items()}}"
            case ((Record() | Union() | Ref()), _):
                return f"plain_{function_of(type)}({place})"
            case _:
                return place


@dataclass
class Mades(_Conversions):
    """The values that the library read, as values of the domain."""

    def value(self, type: Type, low: Type, place: str) -> str:
        """An expression for a value, of what the library read at ``place``."""
        self.anew()
        return self._value(type, low, place)

    def _value(self, type: Type, low: Type, place: str) -> str:
        low = resolved(low)
        if made := self.made(low):
            held = made.fields[0]
            return self._value(type, held.type, f'{place}["{held.name}"]')
        match type, low:
            case Optional(item), Optional(low_item):
                # Such a library gives the name of a branch that has one.
                has_name = isinstance(resolved(low_item), Composite | Enum | FixedBytes)
                is_named = self.tells_branches and has_name
                value = self._value(item, low_item, f"{place}[1]" if is_named else place)
                return place if value == place else f"None if {place} is None else {value}"
            case Enum(), Enum():
                return f"{upper_snake(type.name)}_MEMBERS[{place}]"
            case Enum(), _:
                number = f"{place} & {_MASK}" if _is_wide(low) else self._narrowed(type.underlying, place)
                return number if type.open else f"{type.name}({number})"
            case Scalar(), _:
                return f"{place} & {_MASK}" if _is_wide(type) else self._narrowed(type, place)
            case List(), Scalar("bytes"):
                return f"list({place})"
            case Array(_, length), Scalar("bytes"):
                return f"list(_exact({place}, {length}))"
            case List(), List():
                return self._items(type.item, low.item, place)
            case Array(_, length), List():
                return f"_exact({self._items(type.item, low.item, place)}, {length})"
            case Map(key, value), Map(low_key, low_value):
                by, own = self._names.fresh("key"), self._names.fresh("each")
                if low_key != string:
                    of_key = self._value(key, low_key, f'{own}["key"]')
                    of_value = self._value(value, low_value, f'{own}["value"]')
                    return f"{{{of_key}: {of_value} for {own} in {place}}}"
                of_value = self._value(value, low_value, own)
                if of_value == own:
                    return place
                return f"{{{by}: {of_value} for {by}, {own} in {place}.items()}}"
            case ((Record() | Union() | Ref()), _):
                return f"made_{function_of(type)}({place})"
            case _:
                return place

    def _items(self, item: Type, low: Type, place: str) -> str:
        own = self._names.fresh("each")
        value = self._value(item, low, own)
        return place if value == own else f"[{value} for {own} in {place}]"

    def _narrowed(self, type: Scalar, place: str) -> str:
        """A number that Avro has in a wider type is held to its range."""
        if type.name not in ("i8", "i16", "u8", "u16", "u32"):
            return place
        least, most = type.bounds
        return f"_narrow({place}, {least}, {most})"
