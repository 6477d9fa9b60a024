"""Updates: the fields whose values programs change in messages, and the values that messages have after it.

An update is the same for every value of a type, and undoes itself: the lowest bit of an integer is the other
one, a float has the other sign (one that is not a number stays), and a bool is the other one. So each value
stays within its type, and two updates leave a message as it was.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from serbench.changes.change import refused
from serbench.changes.kinds import no_path
from serbench.changes.paths import item_of, place_of
from serbench.changes.reading import refuse_single
from serbench.model import Array, List, Map, Optional, Record, Scalar, Schema, Type, Union, Updates
from serbench.model.parts import describe, resolved

UPDATE = "update"
"""The word of a workload whose programs change values in another workload's messages."""


def updated_paths(asked: str) -> str:
    """Return the paths that are asked for without the spaces around commas."""
    return ",".join(each.strip() for each in asked.split(","))


def updates_of(schema: Schema, paths: str, text: str) -> Updates:
    """Return the parts of a schema's types in which values change, at paths that commas separate.

    Raises:
        SelectionError: there is no such path, with the most similar ones; a path names a single item; or it
            leads to values that no update changes, with the first of their paths.
    """
    if not all(paths.split(",")):
        raise no_path(schema, text)
    refuse_single(paths, text)
    found: dict[str, set[str]] = {}
    for path in paths.split(","):
        names = path.split(".")
        places = [place_of(schema, ".".join(names[: n + 1])) for n in range(len(names))]
        for place in places:
            found.setdefault(place.owner, set()).add(place.part)
        for owner, part in _inside(places[-1].type, path, text, set()):
            found.setdefault(owner, set()).add(part)
    return {owner: frozenset(parts) for owner, parts in found.items()}


def _inside(type: Type | None, path: str, text: str, met: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the parts of all types inside the type of a path, each type's once, by the name of their owner.
    Raise SelectionError where one of them cannot change."""
    type = resolved(type)
    inner = type.item if isinstance(type, Optional) else item_of(type)
    if inner is not None:
        yield from _inside(inner, path, text, met)
    elif isinstance(type, Record | Union) and any(part.type is not None for part in type.parts):
        for part in () if type.name in met else type.parts:
            met.add(type.name)
            if part.type is not None:
                yield type.name, part.name
                yield from _inside(part.type, f"{path}.{part.name}", text, met)
    elif not (isinstance(type, Scalar) and type.width):
        what = "an alternative or member without a value" if type is None else f"of the type {describe(type)}"
        raise refused(text, f"{path} is {what}; an update changes integers, floats and bools alone")


def updated(type: Any, value: Any, updates: Updates) -> Any:
    """Return what a message's value, of this type, is after an update."""
    type = resolved(type)
    match type:
        case Record():
            own = updates.get(type.name, frozenset())
            return tuple(
                updated(f.type, each, updates) if f.name in own else each
                for f, each in zip(type.fields, value, strict=True)
            )
        case Union():
            alternative = type.alternatives[value[0]]
            if alternative.name not in updates.get(type.name, frozenset()):
                return value
            return (value[0], updated(alternative.type, value[1], updates))
        case Optional(item):
            return None if value is None else updated(item, value, updates)
        case List(item) | Array(item, _):
            return [updated(item, each, updates) for each in value]
        case Map(_, item):
            return {key: updated(item, each, updates) for key, each in value.items()}
    if type.is_float:
        return value if math.isnan(value) else -value
    return value ^ 1 if type.is_integer else not value
