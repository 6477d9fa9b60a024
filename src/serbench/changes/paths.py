"""Paths into a schema, such as ``lines[].sku``: from the root by the names of fields and alternatives.

``[]`` leads to the items of a list or array, or to the values of a map. A name leads through optionals and
items without a sign of its own. A path means a part of a type, wherever the type stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from serbench.errors import SelectionError, unknown
from serbench.model import Array, Enum, List, Map, Optional, Record, Schema, Type, Union
from serbench.model.parts import resolved

_STEP = re.compile(r"\.?(?P<name>\w+)|(?P<items>\[\])")


@dataclass(frozen=True)
class Place:
    """A part of a named type.

    Attributes:
        path: the path as the user types it.
        owner: the name of the record, union or enum; that of the root for the root itself.
        part: the name of the field, alternative or member; empty for the root itself.
        items: how many times a ``[]`` stands behind the part.
        type: the type of the place; None for an alternative without a value and for a member.
    """

    path: str
    owner: str
    part: str
    items: int
    type: Type | None

    @property
    def inner(self) -> Any:
        """The type of the place without the optional around it."""
        return resolved(self.type.item if isinstance(self.type, Optional) else self.type)


def place_of(schema: Schema, path: str) -> Place:
    """The place that a path names; raises SelectionError that names the nearest paths if there is none."""
    here = Place("", schema.root.name, "", 0, schema.root)
    at = 0
    while at < len(path):
        step = _STEP.match(path, at)
        following = step and _after(here, step["name"], path[: step.end()])
        if step is None or following is None or path.startswith("."):
            raise unknown("path", path, (each.path for each in places(schema)))
        here, at = following, step.end()
    return here


def _after(place: Place, name: str | None, path: str) -> Place | None:
    if name is None:
        item = item_of(place.inner)
        return None if item is None else replace(place, path=path, items=place.items + 1, type=item)
    owner = named_in(place.type)
    for each, type in parts_of(owner):
        if each == name:
            return Place(path, owner.name, name, 0, type)
    return None


def item_of(type: Any) -> Type | None:
    """The type of the items of a list or array, or of the values of a map; None for other types."""
    match type:
        case List(item) | Array(item, _) | Map(_, item):
            return item
        case _:
            return None


def named_in(type: Any) -> Any:
    """The record, union or enum to which optionals, lists and maps lead; else the type that they lead to."""
    type = resolved(type)
    inner = type.item if isinstance(type, Optional) else item_of(type)
    return type if inner is None else named_in(inner)


def parts_of(type: Any) -> Iterator[tuple[str, Type | None]]:
    """The name and type of each field, alternative or member of a type; of other types none."""
    match type:
        case Record() | Union():
            yield from ((part.name, part.type) for part in type.parts)
        case Enum(_, _, members):
            yield from ((name, None) for name, _ in members)


def places(schema: Schema) -> Iterator[Place]:
    """Every field, alternative and member of a schema, each type's parts once, and items behind them."""
    left: list[tuple[str, Any]] = [("", schema.root)]
    met: set[str] = set()
    while left:
        path, owner = left.pop(0)
        if owner.name in met:
            continue
        met.add(owner.name)
        for name, type in parts_of(owner):
            here = Place(f"{path}.{name}" if path else name, owner.name, name, 0, type)
            yield here
            while (item := item_of(here.inner)) is not None:
                here = replace(here, path=f"{here.path}[]", items=here.items + 1, type=item)
                yield here
            if isinstance(here.inner, Record | Union | Enum):
                left.append((here.path, here.inner))


def type_at(type: Type, items: int, change: Callable[[Type], Type]) -> Type:
    """``type`` with ``change`` made to the type behind so many ``[]``."""
    if not items:
        return change(type)
    if isinstance(type, Optional):
        return Optional(type_at(type.item, items, change))
    if isinstance(type, Map):
        return Map(type.key, type_at(type.value, items - 1, change))
    if isinstance(type, List | Array):
        return replace(type, item=type_at(type.item, items - 1, change))
    raise SelectionError(f"{type!r} has no items")
