"""The fields of tables and structs on both sides, and what the functions of all kinds have in common.

``type`` is always a value's type in the domain, and ``low`` what it is in the IDL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from serbench.codegen.source import Source
from serbench.codegen.words import words
from serbench.idl.fbs_py import camel
from serbench.languages.python.code import Names, wrapped
from serbench.languages.python.domain import KEYWORDS
from serbench.model import Array, Enum, List, Map, Optional, Record, Ref, Scalar, Type, bytes_, u8

FIRST_SLOT, SLOT = 4, 2
"""Where the slots of a vtable begin, and the bytes of each."""

LOCALS = KEYWORDS | words(
    "to value view kind table key item total native copysign range len list bytes sorted dict bool"
)
"""Names that no variable has that is named after a field."""


def resolved(type: Type) -> Any:
    """What a type leads back to, or the type itself."""
    return type.target if isinstance(type, Ref) else type


def is_number(low: Type) -> bool:
    """Whether a type is a number, a bool or an enum."""
    return isinstance(low, Enum) or (isinstance(low, Scalar) and bool(low.width))


def is_bytes(low: Type) -> bool:
    """Whether it is a vector of bytes."""
    return low in (bytes_, List(u8))


def number_of(low: Type) -> Scalar:
    """The number that an enum is, or the number itself."""
    number = low.underlying if isinstance(low, Enum) else low
    assert isinstance(number, Scalar)
    return number


@dataclass(frozen=True)
class Part:
    """A field of a table.

    Attributes:
        place: of its value in the domain.
        name: of its accessor.
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

    @property
    def octets(self) -> str:
        """The bytes of a vector."""
        return f"_octets(view._tab, {FIRST_SLOT + SLOT * self.slot})"

    @property
    def variable(self) -> str:
        """What a variable for it is called."""
        return self.place.rpartition(".")[2]


@dataclass
class Conversion:
    """The functions of one kind.

    Attributes:
        glue: what wants them.
    """

    out: Source
    glue: Any
    _names: Names = field(default_factory=lambda: Names(LOCALS))

    def function(self, name: str, type: Type, low: Type) -> None:
        """Writes a function."""
        raise NotImplementedError

    def anew(self) -> None:
        """Begins another function."""
        self._names = Names(LOCALS)
        self.out("", "")

    def local(self, name: str) -> str:
        """A variable that its function has not yet."""
        return self._names.fresh(name)

    def line(self, head: str, items: Sequence[str], end: str) -> None:
        """A line, with its items in lines of their own where it is too long."""
        wrapped(self.out, head, items, end)

    def view_of(self, low: Record) -> None:
        """The table of an alternative, which is at ``table``."""
        self.out(f"view = {self.glue.of(low)}.{low.name}()", "view.Init(table.Bytes, table.Pos)")

    def made(self, low: Type) -> str:
        """What a record was made for; empty for a declared one."""
        return str(self.glue.types.made.get(low.name, "")) if isinstance(low, Record) else ""

    def is_struct(self, low: Type) -> bool:
        return bool(self.glue.tables.is_struct(low))

    def parts(self, type: Type, low: Record) -> list[Part]:
        """The fields of a table in the order of their slots; of a made one, the value that it was made for is
        the only one, and of an entry, the key and the value are."""
        known = {lower.name: each for lower, each in zip(low.fields, self.values(type, low), strict=True)}
        found = []
        for lower, slot in self.glue.tables.slots(low):
            each, place = known[lower.name]
            is_key = self.made(low) == "entry" and place == "key"
            found.append(Part(each, lower.type, place, camel(lower.name), slot, is_key))
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
        return [(each.type, f"value.{each.name}") for each in type.fields]

    def members(self, type: Type, low: Record) -> list[tuple[Type, Type, str, list[str]]]:
        """The members of a struct: types, place in the domain, and the accessor, or that of each item."""
        declared = self.glue.tables.declared(low)
        found = []
        pairs = zip(self.values(type, low), declared.fields, low.fields, strict=True)
        for (each, place), own, lower in pairs:
            names = [lower.name]
            if isinstance(own.type, Array):
                names = self.glue.tables.members_of(declared, own)
            found.append((each, lower.type, place, [camel(name) for name in names]))
        return found
