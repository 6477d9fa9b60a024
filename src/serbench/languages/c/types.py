"""The domain types in C: those that need a name there, and their names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from serbench.codegen.naming import Naming, Scope
from serbench.codegen.words import MACROS, words
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
    Schema,
    Type,
    Union,
)
from serbench.model.names import as_identifier, capitalised, snake, upper_snake
from serbench.model.parts import led_back_to, parts, with_parts

SCALARS = {"bool": "bool", "f32": "float", "f64": "double"}
SCALARS |= {"string": "serbench_text", "bytes": "serbench_bytes"}
SCALARS |= {f"i{bits}": f"int{bits}_t" for bits in (8, 16, 32, 64)}
SCALARS |= {f"u{bits}": f"uint{bits}_t" for bits in (8, 16, 32, 64)}

KEYWORDS = words(
    """alignas alignof auto bool break case char complex const continue default do double else enum extern
    false float for goto if imaginary inline int long noreturn register restrict return short signed sizeof
    static static_assert struct switch thread_local true typedef typeof union unsigned void volatile while"""
)
"""Keywords, and macros of the standard library in lower case."""

_SHORT = {name: {"string": "text"}.get(name, name) for name in SCALARS}

NAMING = Naming(
    # Types are written in lower case behind the workload's name, so that no field has the name of one;
    # functions are named after them without it.
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
"""Makes C identifiers of the names of domain types. Enumerators share one scope."""


def prefix_of(schema: Schema) -> str:
    """The beginning of the names of a workload's types."""
    name = as_identifier(schema.name).lower()
    # A digit begins no identifier, and ours begin with serbench.
    return f"w{name}" if re.match(r"\d", name) else f"{name}_data" if name == "serbench" else name


class Types:
    """The domain types of a schema in C, with their names.

    A reference back is a pointer, which is NULL where it is optional and absent. Only items of lists and
    maps that lead back are values, since a list or map has a pointer to its items anyway.

    Attributes:
        schema: the schema with C's names.
        composites: every record, union, list, map, array, bytes of a fixed length, and optional, each after
            those it is made of. Optional fields are not among them: they have a member ``has_x`` beside them.
        led_back_to: the records and unions that are part of themselves.
        pointed_to: the composites that pointers lead back to.
    """

    def __init__(self, declared: Schema):
        self.schema = NAMING.spell(declared)
        self.prefix = prefix_of(declared)
        self.composites: list[Type] = []
        self.led_back_to = led_back_to(self.schema.composites)
        pointed_to = {
            name for type in self.schema.composites for part in parts(type) for name in _pointed_to(part)
        }
        self.pointed_to = [type for type in self.led_back_to if type.name in pointed_to]
        self._names: dict[Type, str] = {}
        self._taken = {snake(type.name) for type in self.schema.named}
        self._nested: set[Type] = set()
        for composite in self.schema.composites:
            for part in parts(composite):
                # An alternative stands in a C union, where nothing can be beside it.
                has_beside = isinstance(part, Optional) and isinstance(composite, Record)
                self._meet(
                    part.item if isinstance(part, Optional) and has_beside and not is_pointer(part) else part
                )
            self._name(composite, snake(composite.name))
        taken = {member for enum in self.schema.enums for member, _ in (*enum.members, *enum.aliases)}
        self._tags = {
            union.name: Scope().spell([NAMING.member(union.name, a.name) for a in union.alternatives], taken)
            for union in self.schema.unions
        }
        self._made = {
            (type.name, end): self._unused(f"{snake(type.name)}_{end}")
            for end, types in (("tag", self.schema.unions), ("pointer", self.pointed_to))
            for type in types
        }

    def _meet(self, type: Type, nested: bool = False) -> None:
        """Gives a name to a list, map, array or optional, and before that to the types that it is made of."""
        match type:
            case List(item) | Array(item, _) | Optional(item):
                self._meet(item, nested=True)
            case Map(key, value):
                self._meet(key)
                self._meet(value, nested=True)
            case FixedBytes():
                pass
            case _:
                return
        if nested:
            self._nested.add(_key(type))
        if _key(type) not in self._names:
            self._name(type, self._unused(self._composed(type)))

    def _name(self, type: Type, name: str) -> None:
        self.composites.append(type)
        self._names[_key(type)] = name

    def _unused(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

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
            case FixedBytes(length):
                return f"bytes_{length}"
        raise TypeError(f"{type} is not made of others")

    def short(self, type: Type) -> str:
        """The name of a type in the names of functions, such as ``weapon_list`` or ``i16``."""
        match type:
            case Scalar(name):
                return _SHORT[name]
            case Enum(name) | Ref(name):
                return snake(name)
            case _:
                return self._names[_key(type)]

    def c(self, type: Type) -> str:
        """The type as C code has it, such as ``monsters_weapon_list`` or ``recursion_tree*``."""
        match type:
            case Scalar(name):
                return SCALARS[name]
            case Ref() | Optional(Ref()):
                return f"{self.prefix}_{self.short(type.item if isinstance(type, Optional) else type)}*"
            case _:
                return f"{self.prefix}_{self.short(type)}"

    def entry(self, type: Map) -> str:
        """The name of the C struct that has a key of a map and its value."""
        return f"{self.c(type)}_entry"

    def enumerator(self, member: str) -> str:
        return f"{self.prefix.upper()}_{member}"

    def tag(self, union: Union) -> str:
        """The name of the enum whose members tell a union's alternatives apart."""
        return f"{self.prefix}_{self._made[union.name, 'tag']}"

    def tags(self, union: Union) -> list[str]:
        """The enumerator of each alternative."""
        return [self.enumerator(name) for name in self._tags[union.name]]

    def pointer(self, type: Any) -> str:
        """The name of a pointer to a recursive type in the names of functions."""
        return self._made[type.name, "pointer"]

    def has_typedef(self, type: Type) -> bool:
        """Whether a composite has a typedef; an array that is only a member of structs has none."""
        if is_pointer(type):
            return False
        return not isinstance(type, Array | FixedBytes) or _key(type) in self._nested

    def member(self, type: Type, name: str) -> str:
        """The declaration of a struct's member."""
        if isinstance(type, Array) and not self.has_typedef(type):
            return self.member(type.item, f"{name}[{type.length}]")
        if isinstance(type, FixedBytes) and not self.has_typedef(type):
            return f"uint8_t {name}[{type.length}];"
        return f"{self.c(type)} {name};"

    def pointee(self, type: Type) -> str:
        """The type that a pointer to a value points to; arrays are pointers to their first item."""
        return (
            "uint8_t"
            if isinstance(type, FixedBytes)
            else self.c(type.item if isinstance(type, Array) else type)
        )


def _key(type: Type) -> Type:
    """A key for a type, equal for types that are one type in C: as items of a list or map, a reference back
    and the type that it leads to are both held by value."""

    def item(part: Type) -> Type:
        return Ref(part.name) if isinstance(part, Record | Union) else _key(part)

    match type:
        case List(held):
            return List(item(held))
        case Map(key, held):
            return Map(key, item(held))
        case _:
            return with_parts(type, _key)


def is_pointer(type: Type) -> bool:
    """Whether values of a type are pointers in C: references back, and optionals of them."""
    return isinstance(type, Ref) or (isinstance(type, Optional) and isinstance(type.item, Ref))


def _pointed_to(type: Type) -> Iterator[str]:
    """The names of the types that pointers in ``type`` lead back to."""
    if isinstance(type, Ref):
        yield type.name
    elif not isinstance(type, Record | Union) and not (
        isinstance(type, List | Map) and isinstance(parts(type)[-1], Ref)
    ):
        for part in parts(type):
            yield from _pointed_to(part)


def steps_back(type: Type) -> bool:
    """Whether a list or map in ``type`` has items that lead back; references elsewhere are pointers, whose
    steps are counted where they are read."""
    if isinstance(type, List | Map) and isinstance(parts(type)[-1], Ref):
        return True
    return not isinstance(type, Record | Union) and any(map(steps_back, parts(type)))


def is_named_integer(enum: Enum) -> bool:
    """Whether an enum is its underlying integer with constants beside it, since C's ``enum`` need not hold
    numbers without a name."""
    return enum.open or is_wide(enum)


def is_wide(enum: Enum) -> bool:
    """Whether a member's number does not fit ``int``, which is the type of all that C's ``enum`` declares."""
    return not all(-(1 << 31) <= number < 1 << 31 for _, number in enum.members)


def ref(type: Type, value: str) -> str:
    """The C expression for a pointer to a value."""
    return value if isinstance(type, Array | FixedBytes) else f"&{value}"


def fields_of(record: Record) -> Iterator[tuple[Field, Type, bool]]:
    """The fields of a record, each with the type of its member in C and whether a member ``has_x`` says if
    the value is there."""
    for field in record.fields:
        if isinstance(field.type, Optional) and not is_pointer(field.type):
            yield field, field.type.item, True
        else:
            yield field, field.type, False
