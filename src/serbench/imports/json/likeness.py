"""The likeness of values at several paths, as a number from 0 to 1, by which maps are told from records. It
is no yes or no, since most values of a map have the same members, and a few have others too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from serbench.imports.json.keys import looked_at
from serbench.imports.json.shape import Fields, Node

LEVELS_LOOKED_AT = 3
"""The most levels of objects, lists and maps that are compared. Looking deeper changes little and would take
time by the square of the depth, since each object is compared again for every object around it."""

_MEMBERS_LOOKED_AT = 1000
"""The most members under each key that are compared with those under other keys, which would take long."""


def kinds_of(node: Node) -> tuple[str, ...]:
    """Returns the kinds of the values that are not null, where whole numbers count as numbers."""
    kinds = node.kinds
    return tuple("number" if kind == "integer" else kind for kind in kinds) if "integer" in kinds else kinds


def likeness(nodes: Iterable[Node], levels: int = LEVELS_LOOKED_AT) -> float:
    """Returns how alike the values at some nodes are, looking at so many levels of objects, lists and maps.

    It is the probability that two of the values are of one kind and, if they are objects, that a member of
    one is in the other too and alike there: 1 for values of one shape, 0.5 for objects that share half of
    their members. Null is like every value; objects in a member are alike if their members have one kind.
    """
    by_kinds: dict[tuple[str, ...], list[Node]] = {}
    for node in nodes:
        if kinds := kinds_of(node):
            by_kinds.setdefault(kinds, []).append(node)
    count = sum(map(len, by_kinds.values()))
    if not count:
        return 1.0
    return sum((len(each) / count) ** 2 * _inside(each, levels) for each in by_kinds.values())


def _inside(nodes: Sequence[Node], levels: int) -> float:
    """Returns the likeness of values of one kind, looking ``levels`` objects, lists and maps inwards."""
    if not levels:
        return 1.0
    found = 1.0
    if items := [node.items for node in nodes if node.items]:
        found = min(found, likeness(items, levels - 1))
    objects = [fields for node in nodes if (fields := node.object) and fields.members]
    values = [node.values for node in nodes if node.values]
    if values:
        inner = [*values, *(each for fields in objects for each in fields.members.values())]
        return min(found, likeness(inner, levels - 1))
    return min(found, _of_objects(objects, levels)) if objects else found


def _of_objects(objects: Sequence[Fields], levels: int) -> float:
    by_key: dict[str, list[Node]] = {}
    for fields in objects:
        for key, node in fields.members.items():
            by_key.setdefault(key, []).append(node)
    members = [each for nodes in by_key.values() for each in nodes[:_MEMBERS_LOOKED_AT]]
    shared = sum(len(nodes) ** 2 * likeness(nodes, levels - 1) for nodes in by_key.values())
    found = shared / (len(objects) * sum(map(len, by_key.values())))
    is_inside = levels < LEVELS_LOOKED_AT
    if is_inside and len({kinds_of(each) for each in members if each.kinds}) == 1 and not members[0].object:
        return 1.0
    if found < 1 and looked_at(by_key).are_data:
        return max(found, likeness(members, levels - 1))
    return found
