"""Finds objects at several paths that are the same record: trees, and the same thing in several places."""

from __future__ import annotations

from collections.abc import Iterator

from serbench.imports.json.shape import MOST_LEVELS, Fields, Node, absorb, unite

Way = tuple[tuple[Fields, str], ...]
"""The objects on the way to a value, from outside in, each with the key of the next."""

ENOUGH_OF_TREE = 4
"""Objects that are alike so many objects inwards are one record, if one is inside the other. What differs
further in becomes a union: the last object of a long chain holds a number where all others hold an object."""

ENOUGH = 16
"""The same for objects at different places. People's data have hardly more levels; looking at all of hostile
data took time by the cube of their depth."""

MOST_COMPARED = 100
"""An object is compared with so many others that have its keys. Where so many have these keys and other
values, the keys (``type``, ``value``) say nothing, and comparing each with each would take the square."""

_MOST_PASSES = 20


def share(root: Node) -> None:
    """Makes one record of objects in two cases:

    - An object is inside another one that is like it, and has the same member as that by which it is reached:
      a tree, whose ``children`` have ``children``. Here, objects are alike if one of them has all keys of the
      other, with values of the same kinds.
    - Objects anywhere have the same keys, with values of the same kinds. If that is a single key, the objects
      have to be members under the same key too.

    Kinds are those of JSON Schema, and what is inside lists, maps and objects is compared in the same way, as
    many objects inwards as are enough (``ENOUGH_OF_TREE``, ``ENOUGH``). Objects that are inside more others
    than types may be are left as they are.
    Null goes with every kind, and settings of the user have to be the same. Objects without members are left
    as they are.
    """
    for _ in range(_MOST_PASSES):
        if not _Pass().over(root):
            return


class _Pass:
    """One walk over everything, from outside in. Records that were united hold more than before, so another
    walk may find more."""

    def __init__(self) -> None:
        self._by_keys: dict[tuple[frozenset[str], str], list[Fields]] = {}
        self._met: set[int] = set()

    def over(self, root: Node) -> bool:
        """Walks over everything; returns whether any objects were united."""
        found = False
        left: list[tuple[Node, Way]] = [(root, ())]
        while left:
            node, way = left.pop()
            fields = node.object
            inner = [(each, way) for each in (node.items, node.values) if each]
            if fields and fields.members and id(fields) not in self._met:
                if other := self._like(fields, way):
                    _become_one(other, fields)
                    found = True
                else:
                    self._met.add(id(fields))
                    self._by_keys.setdefault(_looks(fields, way), []).append(fields)
                    if len(way) < MOST_LEVELS:
                        inner += [(each, (*way, (fields, key))) for key, each in fields.members.items()]
            left += reversed(inner)
        return found

    def _like(self, fields: Fields, way: Way) -> Fields | None:
        for outer, key in reversed(way):
            if key in fields.members and is_like(outer, fields, ENOUGH_OF_TREE, same_keys=False):
                return outer
        alike = self._by_keys.get(_looks(fields, way), [])[:MOST_COMPARED]
        return next(
            (each for each in alike if not each.same and is_like(each, fields, ENOUGH, same_keys=True)), None
        )


def _looks(fields: Fields, way: Way) -> tuple[frozenset[str], str]:
    """What objects of one record have in common: their keys. A single key, as in ``{"from": …}``, is not
    enough, so then the key under which they stand counts too."""
    return frozenset(fields.members), way[-1][1] if way and len(fields.members) == 1 else ""


def _become_one(fields: Fields, other: Fields) -> None:
    for node, more in absorb(fields, other):
        unite(node, more)


def is_like(fields: Fields, other: Fields, levels: int, same_keys: bool) -> bool:
    """Whether objects are alike, as ``share`` defines it, looking at so many objects inwards."""
    assumed = {(id(fields), id(other))}
    left = [(fields, other, levels)]
    while left:
        one, two, levels = left.pop()
        if one is two:
            continue
        keys = one.members.keys() & two.members.keys()
        if len(keys) != (max if same_keys else min)(len(one.members), len(two.members)):
            return False
        pairs = [(one.members[key], two.members[key]) for key in keys]
        while pairs:
            a, b = pairs.pop()
            if a.kinds and b.kinds and not _are_of_one_kind(a, b):
                return False
            pairs += _inner_pairs(a, b)
            inner = (a.object, b.object)
            if inner[0] and inner[1] and levels > 1 and (id(inner[0]), id(inner[1])) not in assumed:
                assumed.add((id(inner[0]), id(inner[1])))
                left.append((inner[0], inner[1], levels - 1))
    return True


def _are_of_one_kind(a: Node, b: Node) -> bool:
    return a.kinds == b.kinds and bool(a.values) == bool(b.values) and a.wanted == b.wanted


def _inner_pairs(a: Node, b: Node) -> Iterator[tuple[Node, Node]]:
    if a.items and b.items:
        yield a.items, b.items
    if a.values and b.values:
        yield a.values, b.values
