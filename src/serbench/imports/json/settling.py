"""Decides which objects are maps, and notes at each path the type that the user wants."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from serbench.errors import InputError
from serbench.imports.json.deciding import Seen, perhaps_map, why_map
from serbench.imports.json.keys import looked_at
from serbench.imports.json.likeness import kinds_of, likeness
from serbench.imports.json.paths import ITEM, VALUE, WHOLE, inside, member
from serbench.imports.json.settings import PathSettings
from serbench.imports.json.shape import Fields, Node, united

_MOST_PATHS_KEPT = 20_000

_LIKE_OTHERS = 0.8
"""The share of objects' members that a map's values have at least, if the objects are like them."""


class KnownMap(NamedTuple):
    """A map that is the value of some key: its own keys, and facts about its values."""

    keys: frozenset[str]
    values: Node


def settle(root: Node, settings: PathSettings) -> None:
    """Makes maps of the objects that deciding.py or the user takes for maps, from outside in; notes at the
    others why they may be maps after all.

    Raises:
        InputError: there is a setting for a path that the data do not have.
    """
    maps: dict[str, KnownMap] = {}
    for path, node, key in _walk(root):
        node.wanted = settings.at(path)
        node.members = {} if node.wanted.kind == "enum" else None
        _decide(path, node, key, maps)
    settings.check(path for path, _, _ in islice(_walk(root), _MOST_PATHS_KEPT))
    for path, node, key in _walk(root):  # maps that were found behind others of the same name
        if key in maps and not node.values:
            _decide(path, node, key, maps)


def _walk(root: Node) -> Iterator[tuple[str, Node, str]]:
    """Returns every path, its node, and the key of the member whose value, or list of values, is there."""
    left: list[tuple[str, Node, str]] = [(WHOLE, root, "")]
    while left:
        path, node, key = left.pop()
        yield path, node, key
        inner = [(inside(path, ITEM), node.items, key)] if node.items else []
        if node.values:
            inner.append((inside(path, VALUE), node.values, ""))
        elif node.fields:
            inner += [(member(path, k), each, k) for k, each in node.fields.members.items()]
        left += reversed(inner)


def _decide(path: str, node: Node, key: str, maps: dict[str, KnownMap]) -> None:
    if node.wanted.kind == "record":
        if node.values:
            raise InputError(f"settings: found a record at '{path}', which {node.why}; expected a map")
        return
    if node.fields is None:
        return
    seen = _seen(node.fields, maps.get(key) if key else None)
    node.why = "set by --set" if node.wanted.kind == "map" else why_map(seen)
    if not node.why:
        node.perhaps = perhaps_map(seen)
        return
    keys = frozenset(node.fields.members)
    node.values, node.fields = united(list(node.fields.members.values())), None
    maps.setdefault(key, KnownMap(keys, node.values))


def _seen(fields: Fields, known: KnownMap | None) -> Seen:
    members = list(fields.members.values())
    n, objects = len(members), fields.count
    inner = [each for node in members if (each := node.object)]
    return Seen(
        looked_at(fields.members),
        n,
        objects,
        sum(node.present for node in members) / (n * objects) if n and objects else 1.0,
        max(node.present for node in members) / objects if n and objects else 1.0,
        frozenset(kind for node in members for kind in kinds_of(node)),
        likeness(members),
        sum(len(each.members) for each in inner) / len(inner) if inner else 0.0,
        sum(node.text is not None and node.text.looks == "version" for node in members) / n if n else 0.0,
        known is not None and _is_like(fields, known),
    )


def _is_like(fields: Fields, known: KnownMap) -> bool:
    """Whether objects may be a map like the known one: their members are of the same kind as its values.
    Members that are objects must have hardly any members that its values lack; others must stand under keys
    that the map has."""
    if not fields.members or {kinds_of(node) for node in fields.members.values()} != {kinds_of(known.values)}:
        return False
    values = known.values.object
    if not values:
        return fields.members.keys() <= known.keys
    inner = [key for node in fields.members.values() if (each := node.object) for key in each.members]
    return bool(inner) and sum(key in values.members for key in inner) >= _LIKE_OTHERS * len(inner)
