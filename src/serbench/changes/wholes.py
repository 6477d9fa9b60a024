"""The kinds of changes that concern several parts, values alone, or the number of messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from serbench.changes.alike import places_by_kind
from serbench.changes.change import Change, Convert, declared, edited, refused, without
from serbench.changes.convert import by_name
from serbench.changes.drawn import drawn
from serbench.changes.free import empty_of
from serbench.changes.kinds import between_roots, no_path
from serbench.changes.lengthened import lengthened, lists_of
from serbench.changes.paths import Place, named_in, place_of
from serbench.errors import unknown
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
"""Stands for all fields of the root where values become empty, and with the word of a kind behind it, for all
values of that kind."""


def empty(schema: Schema, text: str, argument: str) -> Change:
    """The values of a field, or with ``*`` of all fields, or with ``*:texts`` all values of one kind, become
    empty, absent or zero; the schema stays."""
    if argument == EVERYTHING:
        nothing = empty_of(schema.root)
        return Change(text, schema, schema, lambda value: nothing)
    if argument.startswith(f"{EVERYTHING}:"):
        kind, known = argument.removeprefix(f"{EVERYTHING}:"), places_by_kind(schema)
        if kind not in known:
            raise unknown("kind of value", kind, known)
        return Change(text, schema, schema, _edits(schema, [(p, _emptying(p)) for p in known[kind]]))
    place = place_of(schema, argument)
    if place.type is None or not place.part:
        raise refused(text, f"{argument or 'the root'} has no value that could be empty")
    return Change(text, schema, schema, edit_at(schema, place, _emptying(place)))


def _emptying(place: Place) -> Convert:
    assert place.type is not None
    made = empty_of(place.type)
    return lambda value: made


def edit_at(schema: Schema, place: Place, change: Convert) -> Convert:
    """Return a function that makes of a message the one with ``change`` made to each value at a place."""
    return _edits(schema, [(place, change)])


def _edits(schema: Schema, changes: Iterable[tuple[Place, Convert]]) -> Convert:
    """Return a function that makes several changes, each to the values at its place; those inside of values
    that were changed stay as the change made them."""
    edits = {(place.owner, place.part, place.items): change for place, change in changes}

    def of(type: Any, value: Any, owner: str = "", name: str = "", items: int = 0) -> Any:
        if change := edits.get((owner, name, items)):
            return change(value)
        return inside(type, value, owner, name, items)

    def inside(type: Any, value: Any, owner: str, name: str, items: int) -> Any:
        match resolved(type):
            case Optional(item):
                return None if value is None else inside(item, value, owner, name, items)
            case Map(_, item):
                return {key: of(item, each, owner, name, items + 1) for key, each in value.items()}
            case List(item) | Array(item, _):
                return [of(item, each, owner, name, items + 1) for each in value]
            case Record(name, fields):
                return tuple(of(f.type, each, name, f.name) for f, each in zip(fields, value, strict=True))
            case Union(name, alternatives):
                chosen = alternatives[value[0]]
                held = value[1] if chosen.type is None else of(chosen.type, value[1], name, chosen.name)
                return (value[0], held)
        return value

    return lambda value: inside(schema.root, value, "", "", 0)


def take(schema: Schema, text: str, argument: str) -> Change:
    """The first N messages; the schema and the values stay."""
    return Change(text, schema, schema, messages=_count(text, argument, lambda all, n: all[:n]))


def repeat(schema: Schema, text: str, argument: str) -> Change:
    """All messages N times, one time after the other; the schema and the values stay."""
    return Change(text, schema, schema, messages=_count(text, argument, lambda all, n: all * n))


def draw(schema: Schema, text: str, argument: str) -> Change:
    """N messages in a drawn order; where there are fewer, copies with other values too. The schema stays."""
    made = _count(text, argument, lambda all, n: list(drawn(schema, all, n)))
    if schema.walk:
        raise refused(text, "messages are graphs, whose edges would lead to no node with other values")
    return Change(text, schema, schema, messages=made)


def length(schema: Schema, text: str, argument: str) -> Change:
    """The list at a path has N items in each message, ``path:N``: its own, and then drawn ones of those that
    the messages have there. The schema stays."""
    path, _, number = argument.partition(":")
    place = place_of(schema, path)
    if place not in (known := lists_of(schema)):
        expected = f"expected {' or '.join(each.path for each in known[:3])}" if known else "there is none"
        raise refused(text, f"{path or 'the root'} is no list; {expected}")
    if schema.walk:
        raise refused(text, "messages are graphs, whose edges would lead to no node in longer lists")
    made = _count(text, number, lambda all, n: list(lengthened(schema, place, all, n)), "items")
    return Change(text, schema, schema, messages=made)


def _count(
    text: str, number: str, make: Callable[[list[Any], int], list[Any]], what: str = "messages"
) -> Any:
    if not re.fullmatch(r"[1-9]\d{0,8}", number):
        raise refused(text, f"'{number}' is no number of {what}; expected 1 or more")
    return lambda messages: make(list(messages), int(number))
