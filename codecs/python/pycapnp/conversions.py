"""Expressions for the dicts that pycapnp fills messages with, and for what it reads of them."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from dataclasses import dataclass, field

from serbench.codegen.words import words
from serbench.idl.capnp import field_name, is_group
from serbench.idl.lower import Lowered
from serbench.languages.python.access import names_of
from serbench.languages.python.code import LocalNames
from serbench.languages.python.domain import KEYWORDS
from serbench.languages.python.fixed import function_of
from serbench.model import (
    Array,
    Enum,
    Field,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Type,
    Union,
)
from serbench.model.names import upper_snake
from serbench.model.parts import resolved

_LOCALS = KEYWORDS | words("value plain view which bytes list")

_OF_READERS = words("as_builder is_root schema to_dict total_size which")
"""What every reader has by itself; a field of the same name is asked for by a method."""


def at(view: str, name: str) -> str:
    """A field of the reader at ``view``."""
    is_other = keyword.iskeyword(name) or name in _OF_READERS
    return f'{view}._get("{name}")' if is_other else f"{view}.{name}"


def members_of(enum: Enum) -> str:
    """The list of an enum's members in the order of its enumerants."""
    return f"{upper_snake(enum.name)}_MEMBERS"


def is_pointer(low: Type) -> bool:
    """Whether an optional is a pointer that may be null."""
    return isinstance(low, Optional) and not is_group(low)


Pair = tuple[str, Type, Type, str]
"""A field: its name, its types in the domain and in Cap'n Proto, and where its value is."""


@dataclass
class _Conversions:
    types: Lowered
    _names: LocalNames = field(default_factory=lambda: LocalNames(_LOCALS))

    def anew(self) -> None:
        """The next expression stands in another function."""
        self._names = LocalNames(_LOCALS)

    def made(self, low: Type) -> Record | None:
        """A record that was made for one value."""
        return low if isinstance(low, Record) and low.name in self.types.made else None

    def name(self, record: Record, part: Field) -> str:
        return field_name(record, part)


@dataclass
class Plains(_Conversions):
    """What the library is given."""

    def value(self, type: Type, low: Type, place: str) -> str:
        low = resolved(low)
        if made := self.made(low):
            held = made.fields[0]
            return self.dict([(self.name(made, held), type, held.type, place)])
        match type, low:
            case Optional(item), Optional(low_item):
                plain = self.value(item, low_item, place)
                return f'{{"none": None}} if {place} is None else {{"some": {plain}}}'
            case Enum(), Enum():
                return f"{names_of(type)}[{place}]"
            case ((List() | Array()), Scalar("bytes")):
                return f"bytes({place})"
            case Map(key, item), List(Record() as entry):
                by, own = self._names.fresh("key"), self._names.fresh("each")
                of_key, of_item = entry.fields
                pairs = [("key", key, of_key.type, by), ("value", item, of_item.type, own)]
                return f"[{self.dict(pairs)} for {by}, {own} in {place}.items()]"
            case ((List(item) | Array(item, _)), List(low_item)):
                own = self._names.fresh("each")
                plain = self.value(item, low_item, own)
                return place if plain == own else f"[{plain} for {own} in {place}]"
            case ((Record() | Union() | Ref()), _):
                return f"plain_{function_of(type)}({place})"
            case _:
                return place

    def dict(self, pairs: Sequence[Pair]) -> str:
        """A dict of fields, of which those that are absent are left out."""
        items = []
        for name, type, low, place in pairs:
            if isinstance(type, Optional) and isinstance(low, Optional) and is_pointer(low):
                plain = self.value(type.item, low.item, place)
                items.append(f'**({{}} if {place} is None else {{"{name}": {plain}}})')
            else:
                items.append(f'"{name}": {self.value(type, low, place)}')
        return f"{{{', '.join(items)}}}"


@dataclass
class Mades(_Conversions):
    """What is made of a reader."""

    def of(self, type: Type, low: Type, view: str, name: str) -> str:
        """An expression for a field of the reader at ``view``."""
        place = at(view, name)
        if isinstance(type, Optional) and isinstance(low, Optional):
            if is_pointer(low):
                return f'{self._value(type.item, low.item, place)} if {view}._has("{name}") else None'
            own = self._names.fresh("chosen")
            some = self._value(type.item, low.item, f"{own}.some")
            return f'None if ({own} := {place}).which() == "none" else {some}'
        return self._value(type, low, place)

    def _value(self, type: Type, low: Type, place: str) -> str:
        low = resolved(low)
        if made := self.made(low):
            held = made.fields[0]
            return self.of(type, held.type, place, self.name(made, held))
        match type, low:
            case Enum(), Enum():
                return f"{members_of(type)}[{place}.raw]"
            case List(), Scalar("bytes"):
                return f"list({place})"
            case Array(_, length), Scalar("bytes"):
                return f"list(_exact({place}, {length}))"
            case FixedBytes(length), _:
                return f"_exact({place}, {length})"
            case Map(key, item), List(Record() as entry):
                own = self._names.fresh("each")
                of_key, of_item = entry.fields
                made_key = self.of(key, of_key.type, own, "key")
                return f"{{{made_key}: {self.of(item, of_item.type, own, 'value')} for {own} in {place}}}"
            case List(item), List(low_item):
                return self._items(item, low_item, place)
            case Array(item, length), List(low_item):
                return f"_exact({self._items(item, low_item, place)}, {length})"
            case ((Record() | Union() | Ref()), _):
                return f"made_{function_of(type)}({place})"
            case _:
                return place

    def _items(self, item: Type, low: Type, place: str) -> str:
        own = self._names.fresh("each")
        made = self._value(item, low, own)
        return f"list({place})" if made == own else f"[{made} for {own} in {place}]"
