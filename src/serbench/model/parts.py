"""Walks over the types that a type is made of, and tells properties that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from serbench.model.types import (
    Array,
    Enum,
    FixedBytes,
    List,
    Logical,
    Map,
    NamedPart,
    Optional,
    Record,
    Ref,
    Scalar,
    Type,
    Union,
)

AnyPart = TypeVar("AnyPart", bound=NamedPart)


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


def has_floats(root: Type) -> bool:
    """Whether ``root`` is made of a type whose values are floats."""
    return any(isinstance(type, Scalar) and type.is_float for type in types_in(root))


def parts(type: Type) -> tuple[Type, ...]:
    """The types that ``type`` is directly made of."""
    match type:
        case List(item) | Array(item, _) | Optional(item):
            return (item,)
        case Map(key, value):
            return (key, value)
        case Record(_, fields):
            return tuple(f.type for f in fields)
        case Union(_, alternatives):
            return tuple(a.type for a in alternatives if a.type is not None)
        case Logical():
            return (type.base,)
        case _:
            return ()


def inner_types(type: Type) -> Iterator[Type]:
    """The types inside ``type``, each before those inside it, but not inside records and unions."""
    for part in parts(type):
        yield part
        if not isinstance(part, Record | Union):
            yield from inner_types(part)


def with_parts(type: Type, change: Callable[[Type], Type]) -> Type:
    """``type`` with ``change`` made to each type that it is directly made of; scalars, logical types and
    types with a name of their own stay as they are."""
    match type:
        case List(item) | Array(item, _) | Optional(item):
            return replace(type, item=change(item))
        case Map(key, value):
            return Map(change(key), change(value))
        case _:
            return type


def numbered(held: Iterable[AnyPart]) -> list[AnyPart]:
    """The fields or alternatives, numbered by their order: 1, 2, …"""
    return [replace(part, number=n) for n, part in enumerate(held, 1)]


def back_references(type: Type) -> Iterator[Ref]:
    """The references back in ``type``, without those inside its records and unions."""
    if isinstance(type, Ref):
        yield type
    elif not isinstance(type, Record | Union):
        for part in parts(type):
            yield from back_references(part)


def resolved(type: Type | None) -> Any:
    """The record or union that a reference leads back to; any other type, and None, as it is.

    The result is typed as Any, since generators know by its place which kinds of type it can be.
    """
    return type.target if isinstance(type, Ref) else type


def reaches_back(type: Type) -> bool:
    """Whether there is a reference back anywhere in ``type``, also inside its records and unions."""
    return any(isinstance(each, Ref) for each in types_in(type))


def is_part_of_itself(composite: Record | Union) -> bool:
    """Whether a reference leads back from a record or union to itself."""
    return any(isinstance(each, Ref) and each.name == composite.name for each in types_in(composite))


def led_back_to(composites: Iterable[Record | Union]) -> list[Record | Union]:
    """The records and unions of a schema to which a reference leads back."""
    held = list(composites)
    back = {ref.name for each in held for part in parts(each) for ref in back_references(part)}
    return [each for each in held if each.name in back]


def bind(types: Iterable[Record | Enum | Union]) -> None:
    """Sets the target of each reference back in ``types`` to the one of ``types`` that it names."""
    made = {type.name: type for type in types}
    for type in made.values():
        for part in parts(type):
            for ref in back_references(part):
                object.__setattr__(ref, "target", made[ref.name])


def describe(type: Any) -> str:
    """The type in the words of a declaration, for messages: ``map<string, list<Edge>>``."""
    match type:
        case Scalar(name) | Ref(name) | Enum(name) | Record(name) | Union(name):
            return name
        case FixedBytes(length):
            return f"bytes<{length}>"
        case Logical("decimal", base):
            return f"decimal<{type.precision}, {type.scale}> over {describe(base)}"
        case Logical(kind, base, unit, zoned):
            what = kind if zoned else f"local {kind}"
            return f"{what} in {unit}" if unit else f"{what} over {describe(base)}"
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
    """The bytes that each value of ``type`` takes in the canonical encoding; None if their number varies."""
    match type:
        case Scalar():
            return type.width or None
        case FixedBytes(length):
            return length
        case Logical():
            return fixed_width(type.base)
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
