"""Parts that a type had once: the outlines of their types, and the places among the parts that are left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from serbench.model.parts import fixed_width, resolved, with_parts
from serbench.model.types import Alternative, Enum, Field, Gone, Logical, Record, Type, Union


def outline(type: Type | None) -> Type | None:
    """All that generators have to know of the type of a part that is gone, without the rest of its schema.

    Logical types are replaced by their bases. Records whose values vary in length are without fields, and
    unions have alternatives without a type. So no outline leads back, and each is whole in itself.
    """
    match resolved(type):
        case None | Enum() as same:
            return same
        case Logical(_, base):
            return base
        case Record(name, fields) as record:
            inner = fields if fixed_width(record) is not None else ()
            return Record(name, [Field(each.name, _outlined(each.type), each.number) for each in inner])
        case Union(name, alternatives) as union:
            together = with_gone(alternatives, union.gone)
            return Union(name, [Alternative(each.name, None, each.number) for each in together])
        case plain:
            return with_parts(plain, _outlined)


def _outlined(type: Type) -> Type:
    made = outline(type)
    assert made is not None
    return made


def gone_part(type: Record | Union | Enum, name: str, held: Type | None = None) -> Gone:
    """The record of a field, alternative or member of this name that is removed from its type.

    Args:
        held: the type of the part; None for a member, and for an alternative without a value.

    Raises:
        StopIteration: the type has no such part.
    """
    together = with_gone(type.members if isinstance(type, Enum) else type.parts, type.gone)
    named = (
        (place, each)
        for place, each in enumerate(together)
        if (each[0] if isinstance(each, tuple) else each.name) == name
    )
    place, part = next(named)
    if isinstance(part, tuple):
        return Gone(name, part[1], place=place)
    return Gone(name, part.number, outline(held), place, hints=part.hints)


def with_gone(parts: Iterable[Any], gone: Iterable[Gone]) -> list[Any]:
    """The parts of a type, and at their places those that are gone and of which name and number are known."""
    together = list(parts)
    for each in sorted((each for each in gone if each.is_known), key=lambda each: each.place):
        together.insert(each.place, each)
    return together


def respelled(gone: Iterable[Gone], parts: Mapping[str, str], types: Mapping[str, str]) -> list[Gone]:
    """The gone parts with other names; ``types`` has those of the named types in their outlines."""

    def of(type: Any) -> Any:
        match type:
            case Record(name, fields):
                made = [replace(field, type=of(field.type)) for field in fields]
                return Record(types.get(name, name), made)
            case Union(name) | Enum(name):
                return replace(type, name=types.get(name, name))
            case None:
                return None
            case _:
                return with_parts(type, of)

    return [replace(each, name=parts.get(each.name, ""), type=of(each.type)) for each in gone]
