"""Generates expressions for the dicts that pycapnp takes, and for the domain's values of what it reads."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from typing import Any

from serbench.codegen.words import words
from serbench.idl.capnp import field_name, is_group
from serbench.languages.python.access import members_of, names_of
from serbench.languages.python.conversions import Conversions, exactly
from serbench.model import Array, Enum, FixedBytes, List, Map, Optional, Record, Type

_OF_READERS = words("as_builder is_root schema to_dict total_size which")
"""The attributes that every reader has by itself; a field of the same name is read by a method instead."""


def at(view: str, name: str) -> str:
    """Return the expression for a field of the reader at ``view``."""
    is_other = keyword.iskeyword(name) or name in _OF_READERS
    return f'{view}._get("{name}")' if is_other else f"{view}.{name}"


def is_pointer(low: Type) -> bool:
    """Whether a type is an optional that messages have as a pointer, which may be null."""
    return isinstance(low, Optional) and not is_group(low)


Pair = tuple[str, Type, Type, str]
"""A field: its name, its types in the domain and in Cap'n Proto, and the expression for its value."""


class Plains(Conversions):
    """Generates expressions that convert the domain's values to what pycapnp takes, such as dicts."""

    def boxed(self, type: Type, low: Record, place: str) -> str:
        (held,) = low.fields
        return self.dict([(field_name(low, held), type, held.type, place)])

    def optional(self, type: Optional, low: Optional, place: str) -> str:
        plain = self.inner(type.item, low.item, place)
        return f'{{"none": None}} if {place} is None else {{"some": {plain}}}'

    def map(self, type: Map, low: Any, place: str) -> str:
        by, own = self.local("key"), self.local("each")
        key, value = _entry(low)
        pairs = [("key", type.key, key, by), ("value", type.value, value, own)]
        return f"[{self.dict(pairs)} for {by}, {own} in {place}.items()]"

    def plain(self, type: Type, low: Type, place: str) -> str:
        if isinstance(type, Enum) and isinstance(low, Enum):
            return f"{names_of(type)}[{place}]"
        return f"bytes({place})" if isinstance(type, List | Array) else place

    def dict(self, pairs: Sequence[Pair]) -> str:
        """Return the expression for a dict of fields (``pairs``), which leaves out absent ones."""
        items = []
        for name, type, low, place in pairs:
            if isinstance(type, Optional) and isinstance(low, Optional) and is_pointer(low):
                plain = self.inner(type.item, low.item, place)
                items.append(f'**({{}} if {place} is None else {{"{name}": {plain}}})')
            else:
                items.append(f'"{name}": {self.inner(type, low, place)}')
        return f"{{{', '.join(items)}}}"


class Mades(Conversions):
    """Generates expressions that convert what a pycapnp reader gives to the domain's values."""

    def of(self, type: Type, low: Type, view: str, name: str) -> str:
        """Return the expression for the domain's value of a field of the reader at ``view``."""
        place = at(view, name)
        if isinstance(type, Optional) and isinstance(low, Optional):
            if is_pointer(low):
                return f'{self.inner(type.item, low.item, place)} if {view}._has("{name}") else None'
            own = self.local("chosen")
            some = self.inner(type.item, low.item, f"{own}.some")
            return f'None if ({own} := {place}).which() == "none" else {some}'
        return self.inner(type, low, place)

    def boxed(self, type: Type, low: Record, place: str) -> str:
        (held,) = low.fields
        return self.of(type, held.type, place, field_name(low, held))

    def map(self, type: Map, low: Any, place: str) -> str:
        own = self.local("each")
        low_key, low_value = _entry(low)
        key = self.of(type.key, low_key, own, "key")
        return f"{{{key}: {self.of(type.value, low_value, own, 'value')} for {own} in {place}}}"

    def items(self, type: List | Array | Map, place: str, made: str) -> str:
        return exactly(type, f"list({place})" if made == place else made)

    def plain(self, type: Type, low: Type, place: str) -> str:
        match type:
            case Enum() if isinstance(low, Enum):
                return f"{members_of(type)}[{place}.raw]"
            case List() | Array():
                return f"list({exactly(type, place)})"
            case FixedBytes():
                return exactly(type, place)
        return place


def _entry(low: Any) -> tuple[Type, Type]:
    """Return the types of key and value in the record that stands for the entries of a map."""
    key, value = low.item.fields
    return key.type, value.type
