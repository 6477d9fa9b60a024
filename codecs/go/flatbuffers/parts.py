"""The fields of tables and structs on both sides, and what the functions of all kinds have in common.

``type`` is always a value's type in the domain, and ``low`` what it is in the IDL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from serbench.idl.fbs_go import go_camel
from serbench.languages.go import wanted
from serbench.languages.go.domain import SCALARS
from serbench.languages.go.wanted import resolved
from serbench.model import (
    Array,
    Enum,
    FixedBytes,
    List,
    Map,
    Record,
    Type,
    bytes_,
    u8,
)


def is_bytes(low: Type) -> bool:
    """Whether it is a vector of bytes."""
    return low in (bytes_, List(u8))


@dataclass(frozen=True)
class Part(wanted.Part):
    """A field of a table.

    Attributes:
        slot: its number in the table.
        is_required: whether an empty string is written too.
    """

    slot: int
    is_required: bool = False

    @property
    def tag(self) -> str:
        """The accessor of which alternative a union has. flatc appends ``_type`` to the field's name, and
        writes it without underscores before another character."""
        return f"{self.name}{'type' if self.name.endswith('_') else 'Type'}"


@dataclass
class Conversion(wanted.Conversion):
    def is_struct(self, low: Type) -> bool:
        return bool(self.glue.tables.is_struct(low))

    def parts(self, type: Type, low: Record) -> list[Part]:
        """The fields of a table in the order of their slots; of a made one, the value that it was made for is
        the only one, and of an entry, the key and the value are."""
        made = self.made(low)
        values: list[tuple[Type, str]]
        if made == "empty":
            values = []
        elif made == "entry":
            assert isinstance(type, Map)
            values = [(type.key, "key"), (type.value, "(*value)")]
        elif made:
            values = [(resolved(type), "(*value)")]
        else:
            assert isinstance(type, Record)
            values = [(each.type, f"value.{each.name}") for each in type.fields]
        known = {lower.name: each for lower, each in zip(low.fields, values, strict=True)}
        found = []
        for lower, slot in self.glue.tables.slots(low):
            each, place = known[lower.name]
            if place == "(*value)":
                each = resolved(each)
            is_key = made == "entry" and place == "key"
            found.append(Part(each, lower.type, place, go_camel(lower.name), slot, is_key))
        return found

    def members(self, type: Type, low: Record) -> list[tuple[Type, Type, str, str]]:
        """The members of a struct: types, place in the domain, accessor."""
        if self.made(low) == "fixed":
            assert isinstance(type, FixedBytes)
            names = self.glue.tables.members_of(low, low.fields[0])
            return [(u8, u8, f"value[{n}]", go_camel(name)) for n, name in enumerate(names)]
        if self.made(low) == "entry":
            assert isinstance(type, Map)
            values: Sequence[tuple[Type, str]] = [(type.key, "key"), (type.value, "(*value)")]
        else:
            assert isinstance(type, Record)
            values = [(each.type, f"value.{each.name}") for each in type.fields]
        declared = self.glue.tables.declared(low)
        found = []
        for (each, place), field, lower in zip(values, declared.fields, low.fields, strict=True):
            if isinstance(each, Array):
                names = self.glue.tables.members_of(declared, field)
                assert isinstance(lower.type, List)
                found += [
                    (each.item, lower.type.item, f"{place}[{n}]", go_camel(name))
                    for n, name in enumerate(names)
                ]
            else:
                found.append((each, lower.type, place, go_camel(lower.name)))
        return found

    def argument(self, type: Type, low: Type) -> str:
        """What a function takes of the domain."""
        match self.made(low):
            case "empty":
                return "_ *struct{}"
            case "entry":
                assert isinstance(type, Map)
                return f"key {self.type_of(type.key)}, value *{self.held(type.value)}"
            case _:
                unused = isinstance(low, Record) and not low.fields
                return f"{'_' if unused else 'value'} *{self.held(type)}"

    def number(self, low: Type, value: str) -> str:
        """A number of the domain as flatc's code has it."""
        return f"fbs.{low.name}({value})" if isinstance(low, Enum) else value

    def plain(self, low: Type) -> str:
        """The type of a number in Go."""
        return SCALARS[low.underlying.name if isinstance(low, Enum) else low.name]  # type: ignore[union-attr]
