"""The fields of FlatBuffers' tables and structs on both sides, for glue by the functions that flatc writes.

``type`` is always a value's type in the domain, and ``low`` what it is in the IDL.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from serbench.model import Array, Enum, List, Map, Optional, Record, Ref, Scalar, Type, bytes_, u8


def resolved(type: Type) -> Any:
    """The type that a reference leads back to; any other type itself."""
    return type.target if isinstance(type, Ref) else type


def is_number(low: Type) -> bool:
    """Whether a type is a number, a bool or an enum."""
    return isinstance(low, Enum) or (isinstance(low, Scalar) and bool(low.width))


def is_bytes(low: Type) -> bool:
    """Whether it is a vector of bytes."""
    return low in (bytes_, List(u8))


@dataclass(frozen=True)
class Part:
    """A field of a table.

    Attributes:
        place: the expression for its value in the domain.
        name: the name of its accessor.
        slot: its number in the table.
        is_key: whether an empty string is written too.
    """

    type: Type
    low: Type
    place: str
    name: str
    slot: int
    is_key: bool = False

    @property
    def is_optional(self) -> bool:
        return isinstance(self.low, Optional)

    @property
    def held(self) -> tuple[Type, Type]:
        """The types of the value where there is one."""
        if isinstance(self.low, Optional):
            assert isinstance(self.type, Optional)
            return resolved(self.type.item), resolved(self.low.item)
        return resolved(self.type), resolved(self.low)


P = TypeVar("P", bound=Part)


class Parts(Generic[P]):
    """The fields of tables and structs. A language's own class says how code names them.

    Attributes:
        part_class: the language's class for a field of a table.
        glue: has ``types``, the lowered schema, and ``tables``.
    """

    part_class: ClassVar[type[Any]]
    glue: Any

    def accessor(self, name: str) -> str:
        """The name that flatc gives a field."""
        raise NotImplementedError

    def place(self, name: str) -> str:
        """The expression for a field of the domain object ``value``."""
        raise NotImplementedError

    def made(self, low: Type) -> str:
        """The kind of type that a record was made for; empty for a declared record."""
        return str(self.glue.types.made.get(low.name, "")) if isinstance(low, Record) else ""

    def is_struct(self, low: Type) -> bool:
        return bool(self.glue.tables.is_struct(low))

    def parts(self, type: Type, low: Record) -> list[P]:
        """The fields of a table in the order of their slots. A made table has one field, the value that it
        was made for; an entry has its key and its value."""
        known = {lower.name: each for lower, each in zip(low.fields, self.values(type, low), strict=True)}
        found = []
        for lower, slot in self.glue.tables.slots(low):
            each, place = known[lower.name]
            is_key = self.made(low) == "entry" and place == "key"
            found.append(self.part_class(each, lower.type, place, self.accessor(lower.name), slot, is_key))
        return found

    def values(self, type: Type, low: Record) -> list[tuple[Type, str]]:
        """The types and places in the domain of the fields of a record of the IDL, in the order that was
        declared."""
        made = self.made(low)
        if made == "empty":
            return []
        if made == "entry":
            assert isinstance(type, Map)
            return [(type.key, "key"), (type.value, "value")]
        if made:
            return [(type, "value")]
        assert isinstance(type, Record)
        return [(each.type, self.place(each.name)) for each in type.fields]

    def members(self, type: Type, low: Record) -> list[tuple[Type, Type, str, list[str]]]:
        """The members of a struct: types, place in the domain, and the accessor, or that of each item."""
        declared = self.glue.tables.declared(low)
        found = []
        pairs = zip(self.values(type, low), declared.fields, low.fields, strict=True)
        for (each, place), own, lower in pairs:
            names = [lower.name]
            if isinstance(own.type, Array):
                names = self.glue.tables.members_of(declared, own)
            found.append((each, lower.type, place, [self.accessor(name) for name in names]))
        return found
