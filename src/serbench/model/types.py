"""The closed set of types that a workload's data is described with.

Everything that is imported becomes these types, and every generator consumes them; there is no
other way from a workload to a codec. Types are immutable values: two declarations that say the same
are equal.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


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
class List:
    """Any number of items."""

    item: Type


@dataclass(frozen=True)
class Array:
    """A fixed number of items."""

    item: Type
    length: int


@dataclass(frozen=True)
class Map:
    """Pairs with distinct keys; keys are integers or strings."""

    key: Type
    value: Type


@dataclass(frozen=True)
class Optional:
    """A value or nothing."""

    item: Type


@dataclass(frozen=True)
class Ref:
    """A record or enum named rather than given; a ``Schema`` resolves it."""

    name: str


@dataclass(frozen=True)
class Enum:
    """Named integers of an underlying integer type."""

    name: str
    underlying: Scalar
    members: tuple[tuple[str, int], ...]

    def __init__(self, name: str, underlying: Scalar, members: Iterable[str | tuple[str, int]]):
        """Members given by name alone count on from the one before, beginning with 0."""
        pairs: list[tuple[str, int]] = []
        for member in members:
            following = pairs[-1][1] + 1 if pairs else 0
            pairs.append((member, following) if isinstance(member, str) else member)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "underlying", underlying)
        object.__setattr__(self, "members", tuple(pairs))


@dataclass(frozen=True)
class Field:
    """One field of a record.

    Attributes:
        name: unique in its record.
        type: a type, or the name of a scalar or of a record or enum of the same schema.
        number: its number in IDLs that number fields, from 1; by order where it is not given (0).
    """

    name: str
    type: Type
    number: int = 0

    def __init__(self, name: str, type: Type | str, number: int = 0):
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "type", SCALARS.get(type, Ref(type)) if isinstance(type, str) else type)
        object.__setattr__(self, "number", number)


@dataclass(frozen=True)
class Record:
    """Named fields in order.

    A value of it, in Python, is a tuple with one value per field; calling the record makes a named
    one: ``edge(1, 2, weight=3)``.
    """

    name: str
    fields: tuple[Field, ...]
    _value_class: Any = field(default=None, compare=False, repr=False)

    def __init__(self, name: str, fields: Iterable[Field]):
        """Fields without a number get the one after the field before them, beginning with 1."""
        numbered: list[Field] = []
        for each in fields:
            following = numbered[-1].number + 1 if numbered else 1
            numbered.append(Field(each.name, each.type, each.number or following))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "fields", tuple(numbered))
        object.__setattr__(self, "_value_class", None)

    def __hash__(self) -> int:
        """Of the name alone: records hold records, and all of them would be hashed again each time."""
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
            object.__setattr__(self, "_value_class", made)
        return self._value_class


Type = Scalar | List | Array | Map | Optional | Enum | Record | Ref


def types_in(root: Type) -> set[Type]:
    """``root`` and every type that it is made of."""
    found: set[Type] = set()
    left = [root]
    while left:
        type = left.pop()
        if type not in found:
            found.add(type)
            left += parts(type)
    return found


def parts(type: Type) -> tuple[Type, ...]:
    """The types that ``type`` is directly made of."""
    match type:
        case List(item) | Array(item, _) | Optional(item):
            return (item,)
        case Map(key, value):
            return (key, value)
        case Record(_, fields):
            return tuple(f.type for f in fields)
        case _:
            return ()


def describe(type: Any) -> str:
    """The type in the words of a declaration, for messages: ``map<string, list<Edge>>``."""
    match type:
        case Scalar(name) | Ref(name) | Enum(name) | Record(name):
            return name
        case List(item):
            return f"list<{describe(item)}>"
        case Array(item, length):
            return f"array<{describe(item)}, {length}>"
        case Map(key, value):
            return f"map<{describe(key)}, {describe(value)}>"
        case Optional(item):
            return f"optional<{describe(item)}>"
        case _:
            return repr(type)


def fixed_width(type: Type) -> int | None:
    """Bytes that every value of ``type`` takes in the canonical encoding; None where it varies."""
    match type:
        case Scalar():
            return type.width or None
        case Enum():
            return type.underlying.width
        case Array(item, length):
            each = fixed_width(item)
            return None if each is None else each * length
        case Record(_, fields):
            widths = [fixed_width(f.type) for f in fields]
            return None if None in widths else sum(w for w in widths if w is not None)
        case _:
            return None
