"""The closed set of types that a workload's data is described with.

Everything that is imported becomes these types, and every generator consumes them; there is no other way from
a workload to a codec. Types are immutable values: two declarations that say the same are equal.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

NOTHING: Any = object()
"""Stands for a default that is not declared; None would be a declared one."""

MAX_DEPTH = 1000
"""The most steps back inside each other in a value of a recursive type; every reader refuses more."""


@dataclass(frozen=True)
class Scalar:
    """A type without parts.

    Attributes:
        name: its name in the type model, such as ``u16``.
        struct_format: the ``struct`` module's letter for the fixed-width ones, empty for ``string`` and
            ``bytes``.
        width: bytes in the canonical encoding, 0 where it varies.
    """

    name: str
    struct_format: str = ""
    width: int = 0

    @property
    def is_integer(self) -> bool:
        return self.name[0] in "iu"

    @property
    def is_signed(self) -> bool:
        return self.name[0] == "i"

    @property
    def is_float(self) -> bool:
        return self.name[0] == "f"

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and the greatest value of an integer type."""
        bits = 8 * self.width
        return (-(1 << bits - 1), (1 << bits - 1) - 1) if self.is_signed else (0, (1 << bits) - 1)


bool_ = Scalar("bool", "?", 1)
i8 = Scalar("i8", "b", 1)
i16 = Scalar("i16", "h", 2)
i32 = Scalar("i32", "i", 4)
i64 = Scalar("i64", "q", 8)
u8 = Scalar("u8", "B", 1)
u16 = Scalar("u16", "H", 2)
u32 = Scalar("u32", "I", 4)
u64 = Scalar("u64", "Q", 8)
f32 = Scalar("f32", "f", 4)
f64 = Scalar("f64", "d", 8)
string = Scalar("string")
bytes_ = Scalar("bytes")

SCALARS = {s.name: s for s in (bool_, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, string, bytes_)}


@dataclass(frozen=True)
class FixedBytes:
    """A fixed number of bytes, such as a digest or a UUID. An ``Array(u8, 16)`` is sixteen numbers."""

    length: int


@dataclass(frozen=True)
class Logical:
    """A plain type with a meaning, such as a timestamp. A codec uses its library's own type for it where the
    library's users would, and else the base; the canonical encoding and the domain type are the base's.

    Attributes:
        kind: ``timestamp``, ``date``, ``time``, ``duration``, ``decimal`` or ``uuid``.
        base: the plain type that it is written as.
        unit: ``s``, ``ms``, ``us`` or ``ns``; a timestamp counts them from 1970-01-01, a time from midnight.
        zoned: whether a timestamp is an instant (UTC), and not what some local clock showed.
        precision: how many digits a decimal has.
        scale: how many of these digits are behind the point.
    """

    kind: str
    base: Scalar | FixedBytes
    unit: str = ""
    zoned: bool = True
    precision: int = 0
    scale: int = 0


@dataclass(frozen=True)
class List:
    """The type of any number of items, all of one type."""

    item: Type


@dataclass(frozen=True)
class Array:
    """The type of a fixed number of items, all of one type."""

    item: Type
    length: int


@dataclass(frozen=True)
class Map:
    """Pairs with distinct keys; keys are integers, strings, bools or enums."""

    key: Type
    value: Type


@dataclass(frozen=True)
class Optional:
    """The type of what is either a value of another type or nothing (None)."""

    item: Type


@dataclass(frozen=True)
class Ref:
    """A record, union or enum by its name; a ``Schema`` resolves it.

    A schema keeps only the references that lead back to a type which they are part of. They have no parts, so
    a walk over a type ends at them.

    Attributes:
        target: the record or union that is meant; known in a schema only.
    """

    name: str
    target: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Gone:
    """A field, alternative or member that a type had once. Its name and number stay taken, so that no reader
    takes the values in old messages for those of another part.

    Attributes:
        name: empty where only the number is known.
        number: None where only the name is known.
        type: the outline of its type (``model/gone.py``); None where it had no value or is not known.
        place: its index among the parts of its type, among which are those that went before it.
        last: the last number of a range of numbers that begins with ``number``; None for a single number.
        hints: see ``NamedPart``.
    """

    name: str = ""
    number: int | None = None
    type: Type | None = None
    place: int = 0
    last: int | None = None
    hints: tuple[tuple[str, str], ...] = ()

    @property
    def numbers(self) -> range:
        """The numbers that it keeps; none where only the name is known."""
        if self.number is None:
            return range(0)
        return range(self.number, (self.number if self.last is None else self.last) + 1)

    @property
    def is_known(self) -> bool:
        """Whether both name and number are known, so that it has a place among the parts of its type."""
        return bool(self.name) and self.number is not None


@dataclass(frozen=True)
class Enum:
    """Named integers of an underlying integer type.

    Attributes:
        members: name and number of each; numbers are distinct.
        aliases: more names for numbers of members.
        open: whether numbers without a name are values too.
        wire: name of a type or member → its original name, where that is no identifier or is spelt otherwise.
        gone: the members that it had once.
    """

    name: str
    underlying: Scalar
    members: tuple[tuple[str, int], ...]
    aliases: tuple[tuple[str, int], ...] = ()
    open: bool = False
    wire: tuple[tuple[str, str], ...] = ()
    gone: tuple[Gone, ...] = ()

    def __init__(
        self,
        name: str,
        underlying: Scalar,
        members: Iterable[str | tuple[str, int]],
        aliases: Iterable[tuple[str, int]] = (),
        open: bool = False,
        wire: Iterable[tuple[str, str]] = (),
        gone: Iterable[Gone] = (),
    ):
        """A member given by name alone gets the number after that of the member before it, the first 0."""
        pairs: list[tuple[str, int]] = []
        for member in members:
            following = pairs[-1][1] + 1 if pairs else 0
            pairs.append((member, following) if isinstance(member, str) else member)
        vars(self).update(name=name, underlying=underlying, members=tuple(pairs), open=open)
        vars(self).update(aliases=tuple(aliases), wire=tuple(wire), gone=tuple(gone))

    def wire_name(self, member: str) -> str:
        """The name of a member in formats that carry names."""
        return dict(self.wire).get(member, member)

    def named(self, number: Any) -> str:
        """The name of the member with a number; empty if there is no such member."""
        return next((name for name, each in self.members if each == number), "")


@dataclass(frozen=True)
class NamedPart:
    """A field or an alternative.

    Attributes:
        name: unique in its record or union.
        type: a type, or the name of a scalar or of a record, union or enum of the same schema; None for an
            alternative that has no value.
        number: its number in IDLs that number fields and alternatives, from 1; by order where it is not given
            (0).
        wire: its original name, where that is no identifier or is spelt otherwise; empty where it is the
            name.
        hints: how the IDL that it came from writes it, as ``(IDL, its word)``; other IDLs ignore them.
    """

    name: str
    type: Type | None = None
    number: int = 0
    wire: str = ""
    hints: tuple[tuple[str, str], ...] = ()

    def __init__(
        self,
        name: str,
        type: Type | str | None = None,
        number: int = 0,
        wire: str = "",
        hints: Iterable[tuple[str, str]] = (),
    ):
        vars(self).update(name=name, type=_named(type), number=number, wire=wire, hints=tuple(hints))

    @property
    def wire_name(self) -> str:
        """The name in formats that carry names."""
        return self.wire or self.name


class Alternative(NamedPart):
    """One alternative of a union."""


@dataclass(frozen=True)
class Field(NamedPart):
    """One field of a record.

    Attributes:
        default: the value that an IDL may declare to stand for an absent field; NOTHING where none is
            declared. It is metadata: a field that can be absent is an ``Optional``.
    """

    type: Type
    default: Any = NOTHING

    def __init__(
        self,
        name: str,
        type: Type | str,
        number: int = 0,
        wire: str = "",
        default: Any = NOTHING,
        hints: Iterable[tuple[str, str]] = (),
    ):
        super().__init__(name, type, number, wire, hints)
        vars(self).update(default=default)


@dataclass(frozen=True)
class Record:
    """Named fields in order; there may be none.

    ``wire`` is its original name with its namespace, such as ``shop.v1.Order``, where that is not its name;
    ``gone`` are the fields that it had once.

    A value of it, in Python, is a tuple with one value per field; calling the record makes a named one:
    ``edge(1, 2, weight=3)``.
    """

    name: str
    fields: tuple[Field, ...]
    wire: str = ""
    gone: tuple[Gone, ...] = ()
    _value_class: Any = field(default=None, compare=False, repr=False)

    def __init__(self, name: str, fields: Iterable[Field], wire: str = "", gone: Iterable[Gone] = ()):
        """Fields without a number get the one after the field before them, beginning with 1."""
        vars(self).update(name=name, fields=_numbered(fields), wire=wire, gone=tuple(gone), _value_class=None)

    @property
    def parts(self) -> tuple[Field, ...]:
        """The record's fields, under the same name as a union's alternatives (``Union.parts``)."""
        return self.fields

    @property
    def is_lone(self) -> bool:
        """Whether it has one field and had no other: some formats write such a root as that field alone."""
        return len(self.fields) == 1 and not self.gone

    def __hash__(self) -> int:
        """The hash of the name alone: with the fields, all records inside would be hashed again each time."""
        return hash(self.name)

    def __call__(self, *values: Any, **named: Any) -> tuple[Any, ...]:
        made: tuple[Any, ...] = self.value_class(*values, **named)
        return made

    @property
    def value_class(self) -> Any:
        """The named tuple of this record; a field that is a Python keyword has a trailing underscore."""
        if self._value_class is None:
            from serbench.model.names import in_python

            made = namedtuple(in_python(self.name), [in_python(f.name) for f in self.fields])  # type: ignore[misc]
            vars(self)["_value_class"] = made
        return self._value_class


@dataclass(frozen=True)
class Union:
    """A value of exactly one of several named alternatives.

    A value of it, in Python, is a pair of the alternative's index and its value, which is None where the
    alternative has no type; calling the union makes one: ``any_value("text", "GET")``.
    """

    name: str
    alternatives: tuple[Alternative, ...]
    wire: str = ""
    gone: tuple[Gone, ...] = ()

    def __init__(
        self, name: str, alternatives: Iterable[Alternative], wire: str = "", gone: Iterable[Gone] = ()
    ):
        """Alternatives without a number get the one after the one before them, beginning with 1."""
        vars(self).update(name=name, alternatives=_numbered(alternatives), wire=wire, gone=tuple(gone))

    @property
    def parts(self) -> tuple[Alternative, ...]:
        """The union's alternatives, under the same name as a record's fields (``Record.parts``)."""
        return self.alternatives

    def __hash__(self) -> int:
        return hash(self.name)

    def __call__(self, alternative: str, value: Any = None) -> tuple[int, Any]:
        """The value of this union for an alternative; raises KeyError where no alternative has that name."""
        return {each.name: n for n, each in enumerate(self.alternatives)}[alternative], value


Type = Scalar | FixedBytes | Logical | List | Array | Map | Optional | Enum | Record | Union | Ref

Composite = Record | Union
"""A type with named parts, which may therefore lead back to itself."""


def _named(type: Any) -> Any:
    return SCALARS.get(type, Ref(type)) if isinstance(type, str) else type


def _numbered(parts: Iterable[Any]) -> tuple[Any, ...]:
    made: list[Any] = []
    for part in parts:
        made.append(part if part.number else replace(part, number=made[-1].number + 1 if made else 1))
    return tuple(made)
