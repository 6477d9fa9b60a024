"""Domain types in C: their names, and every type that needs one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from serbench.codegen.naming import Naming, Scope
from serbench.codegen.words import MACROS, words
from serbench.model import Array, Enum, Field, List, Map, Optional, Record, Scalar, Schema, Type
from serbench.model.names import as_identifier, capitalised, snake, upper_snake

SCALARS = {
    "bool": "bool",
    "i8": "int8_t",
    "i16": "int16_t",
    "i32": "int32_t",
    "i64": "int64_t",
    "u8": "uint8_t",
    "u16": "uint16_t",
    "u32": "uint32_t",
    "u64": "uint64_t",
    "f32": "float",
    "f64": "double",
    "string": "serbench_text",
    "bytes": "serbench_bytes",
}

KEYWORDS = words(
    """alignas alignof auto bool break case char complex const continue default do double else enum extern false float for
    goto if imaginary inline int long noreturn register restrict return short signed sizeof static static_assert struct
    switch thread_local true typedef typeof union unsigned void volatile while"""
)
"""Keywords, and macros of the standard library in lower case."""

_SHORT = {name: {"string": "text"}.get(name, name) for name in SCALARS}

NAMING = Naming(
    # Types are written in lower case behind the workload's name, so that no field has the name of one; functions are named
    # after them without it.
    types=Scope(
        style=capitalised,
        reserved=frozenset(f"~{name}" for name in (*_SHORT.values(), "message", "root")),
        claims=lambda name: (name, f"~{snake(name)}"),
    ),
    fields=Scope(style=snake, reserved=KEYWORDS, pattern=MACROS, claims=lambda name: (name, f"has_{name}")),
    members=Scope(),
    member=lambda enum, member: f"{upper_snake(enum)}_{upper_snake(member)}",
    members_beside_types=True,
)
"""The names of domain types in C. Enumerators share one scope."""


def prefix_of(schema: Schema) -> str:
    """What the names of a workload's types begin with."""
    name = as_identifier(schema.name).lower()
    # A digit begins no identifier, and ours begin with serbench.
    return f"w{name}" if re.match(r"\d", name) else f"{name}_data" if name == "serbench" else name


class Types:
    """The domain types of a schema.

    Attributes:
        schema: the schema with C's names.
        composites: every record, list, map, array, and optional that is no field, each after those it is made of; but an
            optional field is a member ``has_x`` beside it.
    """

    def __init__(self, declared: Schema):
        self.schema = NAMING.spell(declared)
        self.prefix = prefix_of(declared)
        self._names: dict[Type, str] = {}
        self._taken = {snake(type.name) for type in self.schema.named}
        self._nested: set[Type] = set()
        for record in self.schema.records:
            for field in record.fields:
                self._meet(field.type.item if isinstance(field.type, Optional) else field.type)
            self._names[record] = snake(record.name)
        self.composites = list(self._names)

    def _meet(self, type: Type, nested: bool = False) -> None:
        """Names a type and those it is made of, which come first."""
        match type:
            case List(item) | Array(item, _) | Optional(item):
                self._meet(item, nested=True)
            case Map(key, value):
                self._meet(key)
                self._meet(value, nested=True)
            case _:
                return
        if nested:
            self._nested.add(type)
        if type not in self._names:
            name = self._composed(type)
            while name in self._taken:
                name += "_"
            self._taken.add(name)
            self._names[type] = name

    def _composed(self, type: Type) -> str:
        match type:
            case List(item):
                return f"{self.short(item)}_list"
            case Array(item, length):
                return f"{self.short(item)}_array_{length}"
            case Optional(item):
                return f"optional_{self.short(item)}"
            case Map(key, value):
                return f"{self.short(key)}_to_{self.short(value)}"
        raise TypeError(f"{type} is not made of others")

    def short(self, type: Type) -> str:
        """The name of a type as part of a function's: ``weapon_list``, ``i16``."""
        match type:
            case Scalar(name):
                return _SHORT[name]
            case Enum(name):
                return snake(name)
            case _:
                return self._names[type]

    def c(self, type: Type) -> str:
        """The name of a type: ``monsters_weapon_list``, ``int16_t``."""
        return SCALARS[type.name] if isinstance(type, Scalar) else f"{self.prefix}_{self.short(type)}"

    def entry(self, type: Map) -> str:
        """The name of the struct of a key and its value."""
        return f"{self.c(type)}_entry"

    def enumerator(self, member: str) -> str:
        return f"{self.prefix.upper()}_{member}"

    def has_typedef(self, type: Type) -> bool:
        """Whether a composite has a typedef; an array that is only ever a field is declared there."""
        return not isinstance(type, Array) or type in self._nested

    def member(self, type: Type, name: str) -> str:
        """The declaration of a member."""
        if isinstance(type, Array) and not self.has_typedef(type):
            return self.member(type.item, f"{name}[{type.length}]")
        return f"{self.c(type)} {name};"

    def pointee(self, type: Type) -> str:
        """The type that a pointer to a value points to; arrays are pointers to their first item."""
        return self.c(type.item if isinstance(type, Array) else type)


def ref(type: Type, value: str) -> str:
    """The pointer to a value."""
    return value if isinstance(type, Array) else f"&{value}"


def fields_of(record: Record) -> Iterator[tuple[Field, Type, bool]]:
    """Each field with the type of its member, and whether ``has_x`` stands beside it."""
    for field in record.fields:
        optional = isinstance(field.type, Optional)
        yield field, field.type.item if isinstance(field.type, Optional) else field.type, optional
