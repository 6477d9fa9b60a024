"""Decides which objects are maps, and notes at each path the type that the user wants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from serbench.errors import InputError
from serbench.imports.base import setting
from serbench.imports.json.deciding import ALIKE, Seen, perhaps_map, perhaps_record, why_map
from serbench.imports.json.keys import looked_at
from serbench.imports.json.likeness import kinds_of, likeness
from serbench.imports.json.paths import ITEM, VALUE, WHOLE, inside, member
from serbench.imports.json.settings import PathSettings
from serbench.imports.json.shape import Fields, Node, united

_MOST_PATHS_KEPT = 20_000

_LIKE_OTHERS = 0.8
"""The share of objects' members that a map's values have at least, if the objects are like them."""


class KnownMap(NamedTuple):
    """A map that is the value of some key: its own keys, facts about its values, and their path."""

    keys: frozenset[str]
    values: Node
    inside: str


def settle(root: Node, settings: PathSettings) -> None:
    """Makes maps of the objects that deciding.py or the user takes for maps, from outside in; notes at the
    others why they may be maps after all.

    Raises:
        InputError: there is a setting for a path that the data do not have.
    """
    maps: dict[str, KnownMap] = {}
    for place in _walk(root):
        node = place.node
        node.wanted = settings.at(place.path)
        node.members = {} if node.wanted.kind == "enum" else None
        _decide(place, maps)
    settings.check(place.path for place in islice(_walk(root), _MOST_PATHS_KEPT))
    for place in _walk(root):  # maps that were found behind others of the same name
        if place.key in maps and not place.node.values:
            _decide(place, maps)


class _Place(NamedTuple):
    """A path, its node, the key of the member whose value, or list of values, is there, and how many objects
    with the same keys other members of the object around it have."""

    path: str
    node: Node
    key: str = ""
    beside: int = 0


def _walk(root: Node) -> Iterator[_Place]:
    """Returns every place, from outside in."""
    left = [_Place(WHOLE, root)]
    while left:
        path, node, key, _ = place = left.pop()
        yield place
        inner = [_Place(inside(path, ITEM), node.items, key)] if node.items else []
        if node.values:
            inner.append(_Place(inside(path, VALUE), node.values))
        elif node.fields:
            inner += _members(path, node.fields)
        left += reversed(inner)


def _members(path: str, fields: Fields) -> list[_Place]:
    """Returns the places of the members of objects at a path."""
    counts = Counter[frozenset[str]]()
    for each in fields.members.values():
        if object := each.object:
            counts[frozenset(object.members)] += object.count
    return [
        _Place(
            member(path, key), each, key, counts[frozenset(o.members)] - o.count if (o := each.object) else 0
        )
        for key, each in fields.members.items()
    ]


def _decide(place: _Place, maps: dict[str, KnownMap]) -> None:
    path, node, key, _ = place
    if node.wanted.kind == "record":
        if node.values:
            raise InputError(f"settings: found a record at '{path}', which {node.why}; expected a map")
        return
    if node.fields is None:
        return
    seen = _seen(node.fields, place, maps.get(key) if key else None)
    node.why = "set by --set" if node.wanted.kind == "map" else why_map(seen)
    if not node.why:
        node.perhaps = perhaps_map(seen)
        return
    if node.wanted.kind != "map" and perhaps_record(seen):
        node.why += f": {setting(path, 'record')} makes a record of them"
    keys = frozenset(node.fields.members)
    node.values, node.fields = united(list(node.fields.members.values())), None
    maps.setdefault(key, KnownMap(keys, node.values, inside(path, VALUE)))


def _seen(fields: Fields, place: _Place, known: KnownMap | None) -> Seen:
    members = list(fields.members.values())
    n, objects = len(members), fields.count
    inner = [each for node in members if (each := node.object)]
    telling = [node for node in members if not (inner and _is_empty_list(node))]
    return Seen(
        looked_at(fields.members),
        n,
        objects + place.beside,
        sum(node.present for node in members) / (n * objects) if n and objects else 1.0,
        max(node.present for node in members) / objects if n and objects else 1.0,
        frozenset(kind for node in telling for kind in kinds_of(node)),
        likeness(telling),
        sum(len(each.members) for each in inner) / len(inner) if inner else 0.0,
        sum(node.text is not None and node.text.looks == "version" for node in members) / n if n else 0.0,
        known is not None and _is_like(fields, place.path, known),
        _recurring(fields, place.key),
    )


def _is_empty_list(node: Node) -> bool:
    """Whether all values are lists without items, as PHP writes objects without members."""
    return node.kinds == ("array",) and not (node.items and (node.items.kinds or node.items.null))


def _recurring(fields: Fields, key: str) -> int:
    """Returns how many different keys objects have together with those that are reached by the same key from
    their members; 0 if there are none, or if these add no key or have members of another shape."""
    inner = [
        object
        for node in fields.members.values()
        if (each := node.object) and key in each.members and (object := each.members[key].object)
    ]
    members = [*fields.members.values(), *(node for each in inner for node in each.members.values())]
    keys = fields.members.keys() | {each for object in inner for each in object.members}
    if not inner or len(keys) == len(fields.members) or {*map(kinds_of, members)} != {("object",)}:
        return 0
    return len(keys) if likeness(members) >= ALIKE else 0


def _is_like(fields: Fields, path: str, known: KnownMap) -> bool:
    """Whether objects may be a map like the known one: their members are of the same kind as its values.
    Members that are objects must be of one shape with its values, if they are inside these, and elsewhere
    have hardly any members that these lack; others must stand under keys that the map has."""
    if not fields.members or {kinds_of(node) for node in fields.members.values()} != {kinds_of(known.values)}:
        return False
    values = known.values.object
    if not values:
        return fields.members.keys() <= known.keys
    if path.startswith(known.inside):
        return likeness([known.values, *fields.members.values()]) >= ALIKE
    inner = [key for node in fields.members.values() if (each := node.object) for key in each.members]
    return bool(inner) and sum(key in values.members for key in inner) >= _LIKE_OTHERS * len(inner)
