"""The kinds of changes that concern several parts, values alone, or the number of messages."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from serbench.changes.change import Change, Convert, declared, edited, refused, without
from serbench.changes.convert import by_name
from serbench.changes.free import empty_of
from serbench.changes.kinds import between_roots, no_path
from serbench.changes.paths import Place, item_of, named_in, place_of
from serbench.model import Array, List, Map, Optional, Record, Schema, Union
from serbench.model.parts import resolved


def keep(schema: Schema, text: str, argument: str) -> Change:
    """A projection: only the fields at these paths stay, with all that is inside them, and the fields that
    lead to them. Alternatives of unions stay. The result has no walk."""
    kept: set[tuple[str, str]] = set()
    whole: list[Any] = []
    met: set[str] = set()
    for path in argument.split(","):
        if not path:
            raise no_path(schema, text)
        for end in (m.start() for m in re.finditer(r"[.\[]|$", path)):
            place = place_of(schema, path[:end])
            kept.add((place.owner, place.part))
        whole.append(named_in(place.type))
    whole += [
        named_in(each.type) for union in schema.unions for each in union.alternatives if each.type is not None
    ]
    while whole:
        type = whole.pop()
        for part in type.parts if isinstance(type, Record | Union) else ():
            inner = None if part.type is None else named_in(part.type)
            kept.add((type.name, part.name))
            if isinstance(inner, Record | Union) and inner.name not in met:
                met.add(inner.name)
                whole.append(inner)
    types = declared(schema)
    for record in schema.records:
        for field in record.fields:
            if (record.name, field.name) not in kept:
                types[record.name] = without(schema, types[record.name], field.name)
    new = edited(text, schema, types, keeps_walk=False)
    return between_roots(text, schema, new, by_name({}), by_name({}))


EVERYTHING = "*"
"""Stands for all fields of the root where values become empty."""


def empty(schema: Schema, text: str, argument: str) -> Change:
    """The values of a field, or with ``*`` of all fields, become empty, absent or zero; the schema stays."""
    if argument == EVERYTHING:
        nothing = empty_of(schema.root)
        return Change(text, schema, schema, lambda value: nothing)
    place = place_of(schema, argument)
    if place.type is None or not place.part:
        raise refused(text, f"{argument or 'the root'} has no value that could be empty")
    made = empty_of(place.type)
    return Change(text, schema, schema, edit_at(schema, place, lambda value: made))


def edit_at(schema: Schema, place: Place, change: Convert) -> Convert:
    """Return a function that makes of a message the one with ``change`` made to each value at a place."""

    def of(type: Any, value: Any) -> Any:
        match resolved(type):
            case Optional(item):
                return None if value is None else of(item, value)
            case Map(_, item):
                return {key: of(item, each) for key, each in value.items()}
            case Record(name, fields):
                return tuple(part(name, f.name, f.type, each) for f, each in zip(fields, value, strict=True))
            case Union(name, alternatives):
                chosen = alternatives[value[0]]
                held = value[1] if chosen.type is None else part(name, chosen.name, chosen.type, value[1])
                return (value[0], held)
            case List(item) | Array(item, _):
                return [of(item, each) for each in value]
        return value

    def part(owner: str, name: str, type: Any, value: Any) -> Any:
        is_meant = (owner, name) == (place.owner, place.part)
        return behind(type, value, place.items) if is_meant else of(type, value)

    def behind(type: Any, value: Any, items: int) -> Any:
        if not items:
            return change(value)
        if isinstance(type, Optional):
            return None if value is None else behind(type.item, value, items)
        item = item_of(type)
        if isinstance(type, Map):
            return {key: behind(item, each, items - 1) for key, each in value.items()}
        return [behind(item, each, items - 1) for each in value]

    return lambda value: of(schema.root, value)


def take(schema: Schema, text: str, argument: str) -> Change:
    """The first N messages; the schema and the values stay."""
    return Change(text, schema, schema, messages=_count(text, argument, lambda all, n: all[:n]))


def repeat(schema: Schema, text: str, argument: str) -> Change:
    """All messages N times, one time after the other; the schema and the values stay."""
    return Change(text, schema, schema, messages=_count(text, argument, lambda all, n: all * n))


def _count(text: str, number: str, make: Callable[[list[Any], int], list[Any]]) -> Any:
    if not re.fullmatch(r"[1-9]\d{0,8}", number):
        raise refused(text, f"'{number}' is no number of messages; expected 1 or more")
    return lambda messages: make(list(messages), int(number))
