"""The fields of FlatBuffers' tables and structs, their values in the domain, and the order in which
they are written, for glue that calls functions which flatc generates.

``type`` is always the type of a value in the domain, and ``low`` its type in the IDL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from serbench.codegen.steps import Step, Stepping, is_number, step_of, values_of
from serbench.idl.fbs import OFFSET
from serbench.model import Array, List, Optional, Record, Type, Union, bytes_, u8
from serbench.model.parts import resolved

_FIRST_SLOT, _SLOT = 4, 2
"""The place of the first slot in a vtable, and the bytes of each."""

_SIZES = (8, 4, 2, 1)
"""The sizes of fields, in the order of adding them: without padding between, as in flatc's C++."""


Call = tuple[str, list[str]]
"""A call of a function: its text up to the arguments, and the arguments."""


def together(call: Call) -> str:
    """The source text of a whole call: its beginning, the arguments, and the closing parenthesis."""
    return f"{call[0]}{', '.join(call[1])})"


def is_bytes(low: Type) -> bool:
    """Whether a lowered type is a vector of bytes."""
    return low in (bytes_, List(u8))


@dataclass(frozen=True)
class TablePart:
    """A field of a table.

    Attributes:
        place: the expression for the domain's value, such as ``value.id``.
        name: the name of the accessor of the field, in the code that flatc generates.
        slot: the index of the field's entry in the table's vtable.
        is_key: whether it is the key of a map's entry, which is written even if it is an empty string.
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
    def held(self) -> tuple[Any, Any]:
        """The domain type and the lowered type of the value, without the optional around it."""
        if isinstance(self.low, Optional):
            assert isinstance(self.type, Optional)
            return resolved(self.type.item), resolved(self.low.item)
        return resolved(self.type), resolved(self.low)

    @property
    def is_always_there(self) -> bool:
        """Whether a value that lies outside of its table is written even if it is empty."""
        type, low = self.held
        return not self.is_optional and (
            self.is_key or isinstance(type, Array) or isinstance(low, Record | Union)
        )

    @property
    def place_in_vtable(self) -> int:
        return _FIRST_SLOT + _SLOT * self.slot


P = TypeVar("P", bound=TablePart)


class Parts(Stepping, Generic[P]):
    """Finds the parts of tables and structs; the subclass of a language says how its code names them.

    Attributes:
        part_class: the class for a field of a table.
        glue: has ``types``, the lowered schema, and ``tables``, the ``Tables`` of ``idl/fbs.py``.
        whole: the expression for the domain's value in a record that lowering made around that value.
        spread: the sign before a list that passes each item as an argument; empty if the language has none.
    """

    part_class: ClassVar[type[Any]]
    glue: Any
    whole = "value"
    spread = ""

    def step(self, type: Type, low: Type) -> Step:
        return Step("octets", resolved(type), low) if is_bytes(low) else step_of(type, low)

    def accessor(self, name: str) -> str:
        """The name that flatc gives the accessor, by which generated code reads the field ``name``."""
        raise NotImplementedError(f"{self.__class__.__name__} has no accessor")

    def place(self, name: str) -> str:
        """The expression for the field ``name`` of the domain's record ``value``, such as ``value.id``."""
        raise NotImplementedError(f"{self.__class__.__name__} has no place")

    def made_for(self, low: Type) -> str:
        """The purpose for which lowering made a record, such as ``entry``; empty for a declared one."""
        return str(self.glue.types.made.get(low.name, "")) if isinstance(low, Record) else ""

    def is_struct(self, low: Type) -> bool:
        return bool(self.glue.tables.is_struct(low))

    def is_inside(self, low: Type) -> bool:
        """Whether a value lies inside its table, and not at an offset elsewhere."""
        return is_number(low) or self.is_struct(low)

    def parts(self, type: Type, low: Record) -> list[P]:
        """The fields of a table in the order of their slots. A table that lowering made has one field, the
        value that it was made for; one for an entry of a map has the key and the value."""
        known = {lower.name: each for lower, each in zip(low.fields, self.values(type, low), strict=True)}
        found = []
        for lower, slot in self.glue.tables.slots(low):
            each, place = known[lower.name]
            is_key = self.made_for(low) == "entry" and place == "key"
            found.append(self.part_class(each, lower.type, place, self.accessor(lower.name), slot, is_key))
        return found

    def values(self, type: Type, low: Record) -> Sequence[tuple[Type, str]]:
        """The domain type and the expression for the value of each field of a record, in declared order."""
        return values_of(type, low, self.made_for(low), self.place, self.whole)

    def members(self, type: Type, low: Record) -> list[tuple[Type, Type, str, list[str]]]:
        """For each member of a struct: domain type, lowered type, the expression for the domain's value, and
        the name of the accessor in flatc's code; for an array, one accessor for each of its items."""
        declared = self.glue.tables.declared(low)
        found = []
        pairs = zip(self.values(type, low), declared.fields, low.fields, strict=True)
        for (each, place), own, lower in pairs:
            names = [lower.name]
            if isinstance(own.type, Array):
                names = self.glue.tables.members_of(declared, own)
            found.append((each, lower.type, place, [self.accessor(name) for name in names]))
        return found

    def single(self, type: Type, low: Record) -> Iterator[tuple[Type, Any, str, str]]:
        """The same as ``members``, but with an array's items one by one, each with a single accessor."""
        for member in self.members(type, low):
            yield from self._items(*member)

    def _items(
        self, type: Type, low: Any, place: str, accessors: list[str]
    ) -> Iterator[tuple[Type, Any, str, str]]:
        if not isinstance(low, List | Array):
            yield type, low, place, accessors[0]
            return
        item = type.item if isinstance(type, Array) else u8
        for n, accessor in enumerate(accessors):
            yield item, low.item, f"{place}[{n}]", accessor

    def flat(self, type: Type, low: Record, inside: str = "") -> list[str]:
        """The expressions for all numbers of a struct and of the structs in it, in order, as arguments."""
        found = []
        for each, lower, place, accessors in self.members(type, low):
            if inside:
                place = f"{inside}{place.removeprefix('value')}"
            if self.spread and isinstance(lower, List | Array) and is_number(lower.item):
                found.append(f"{self.spread}{place}")
                continue
            for own, held, at, _ in self._items(each, lower, place, accessors):
                found += [self.argument_of(held, at)] if is_number(held) else self.flat(own, held, at)
        return found

    def argument_of(self, low: Type, place: str) -> str:
        """The source text that passes the number at ``place`` to a function that flatc generated."""
        return place

    def added(self, parts: list[P]) -> Iterator[tuple[P, bool]]:
        """The fields in the order in which they are added to a table. A union comes twice: with True for the
        number of its alternative, and with False for its value."""
        for size in _SIZES:
            for part in reversed(parts):
                _, low = part.held
                if size == 1 and isinstance(low, Union):
                    yield part, True
                if size == (self.glue.tables.size(low) if is_number(low) else OFFSET):
                    yield part, False
