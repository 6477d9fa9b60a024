"""The protobuf-c messages for the domain objects of a schema, and the field for each part of an object."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from serbench.codegen.naming import counterparts
from serbench.idl.lower import Lowered
from serbench.idl.oneofs import holder_of, placed_in
from serbench.idl.proto import oneof_of
from serbench.languages.c.types import Types, is_pointer
from serbench.model import Alternative, Array, Enum, Field, List, Map, Optional, Record, Ref, Type, Union
from serbench.model.parts import resolved
from serbench.model.types import Composite


@dataclass(frozen=True)
class Pair:
    """A part of a domain object, with the field of a message into which it is converted.

    Attributes:
        value: the C expression for the part.
        type: the type of the part; None for an alternative without a value.
        has: the C condition that an optional part of the domain object is there.
        field: the field of the message, or the alternative of its oneof.
    """

    value: str
    type: Any
    has: str
    field: Field | Alternative

    @property
    def name(self) -> str:
        return self.field.name

    @property
    def low(self) -> Any:
        """The type in the IDL of the message's field."""
        return self.field.type

    @property
    def is_there(self) -> str:
        """The C condition that the message ``from`` has an optional part."""
        return f"from->{self.name} != NULL" if is_message(self.low.item) else f"from->has_{self.name}"


@dataclass(frozen=True)
class Message:
    """A message into which domain objects of a type are converted.

    Attributes:
        end: the end of the names of its functions.
        low: the record or union in the IDL; a union is a message with a oneof.
        holder: the record or union whose C struct is used: ``low`` or, for a union whose oneof lies directly
            in a record's message, that record.
        entry: whether the message is an entry of a map; then, ``type`` is the map.
    """

    end: str
    type: Any
    low: Composite
    parts: list[Pair]
    holder: Composite
    entry: bool = False


def struct(low: Any) -> str:
    """The name of a message's struct in C."""
    return f"Serbench__Pb__{low.name}"


def lower(low: Any) -> str:
    """The beginning of the names of the library's functions for a message."""
    return f"serbench__pb__{re.sub('(?<=[^A-Z])(?=[A-Z])', '_', low.name).lower()}"


def is_message(low: Type | None) -> bool:
    return isinstance(low, Record | Union | Ref)


class Messages:
    """The messages of a schema.

    Attributes:
        all: the messages of records and unions, and those that were made for values that a field cannot hold.
            Each comes after the messages that it contains, except those that lead back to it.
        empty: names of the messages that lowering made for alternatives without a value.
    """

    def __init__(self, types: Types, lowered: Lowered):
        self._types, self._lowered = types, lowered
        self._spelled = counterparts(types.schema, lowered.schema)
        self._begun: set[str] = set()
        self.all: list[Message] = []
        self.empty = {name for name, kind in lowered.made.items() if kind == "empty"}
        for composite in types.schema.composites:
            self._meet(composite, self.of(composite))

    def of(self, composite: Any) -> Any:
        """The lowered type of a record or union."""
        name = self._spelled[composite.name].name
        return next(each for each in self._lowered.composites if each.name == name)

    def enum(self, enum: Enum) -> str:
        """The name of an enum in C as the library generates it."""
        return f"Serbench__Pb__{self._spelled[enum.name].name}"

    def case(self, union: Union) -> str:
        """The name of the struct's member that tells which alternative of a oneof there is."""
        return f"{oneof_of(union, self._lowered)}_case"

    def placed(self, part: Pair) -> Union | None:
        """The union of a field whose oneof lies directly in the record's message; None for other fields."""
        return placed_in(part.field, self._lowered) if isinstance(part.field, Field) else None

    def is_chosen(self, union: Union) -> str:
        """The C condition that a union's oneof, which lies directly in the message ``from``, is set."""
        return f"from->{self.case(union)} != {self._case_prefix(union)}__NOT_SET"

    def _case_prefix(self, union: Union) -> str:
        holder = holder_of(union, self._lowered)
        return f"{lower(holder).upper()}__{oneof_of(union, self._lowered).upper()}"

    def cases(self, union: Union) -> list[str]:
        """The C enumerators, one for each alternative of a union, that tell which of them is set."""
        return [f"{self._case_prefix(union)}_{each.name.upper()}" for each in union.alternatives]

    def _meet(self, type: Type, low: Composite) -> None:
        """Adds the message of a record or union to ``all``, after the messages that it contains."""
        self._add(self._types.short(type), type, low, _parts(type, low))

    def _add(self, end: str, type: Type, low: Composite, parts: list[Pair], entry: bool = False) -> None:
        if end not in self._begun:
            self._begun.add(end)
            for part in parts:
                if part.type is not None:
                    self._meet_inside(part.type, part.low)
            self.all.append(Message(end, type, low, parts, holder_of(low, self._lowered), entry))

    def _meet_inside(self, type: Type, low: Type) -> None:
        """Adds to ``all`` the messages that values of a part's type contain, but not those that lead back."""
        match type, low:
            case Optional(item), Optional(inside):
                self._meet_inside(item, inside)
            case _, Record() | Union():
                self._meet(resolved(type), low)
            case Map(), List(Record() as entry):
                pairs = zip((type.key, resolved(type.value)), ("key", "value"), entry.fields, strict=True)
                parts = [Pair(f"from->{name}", held, "", field) for held, name, field in pairs]
                self._add(f"{self._types.short(type)}_entry", type, entry, parts, entry=True)
            case ((List(item) | Array(item, _)), List(inside)):
                self._meet_inside(item, inside)


def _parts(type: Type, low: Any) -> list[Pair]:
    match type, low:
        case Record(), Record():
            fields = zip(type.fields, low.fields, strict=True)
            return [_pair(f"from->{f.name}", f.type, f"from->has_{f.name}", field) for f, field in fields]
        case Union(), Union():
            alternatives = zip(type.alternatives, low.alternatives, strict=True)
            return [Pair(f"from->as.{a.name}", a.type, "", alternative) for a, alternative in alternatives]
        case Optional(), Record():
            return [
                _pair(
                    "(*from)" if is_pointer(type) else "from->value", type, "from->has_value", low.fields[0]
                )
            ]
    return [Pair("from" if isinstance(type, Array) else "(*from)", type, "", low.fields[0])]


def _pair(value: str, type: Type, has: str, field: Field) -> Pair:
    return Pair(value, type, f"{value} != NULL" if is_pointer(type) else has, field)
