"""Finds objects at several paths that are one record: in trees, and where one thing occurs repeatedly."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from serbench.imports.json.shape import MOST_LEVELS, Fields, Node, absorb, unite

Way = tuple[tuple[Fields, str], ...]
"""The objects around a value, from outside in, each with the key that leads inwards."""

CompareKeys = Callable[[int, int, int], bool]
"""Tells whether two objects may be alike, by the number of keys that they share and that each has."""

ENOUGH_OF_TREE = 4
"""How many objects inwards an object and one inside it are compared; if they are alike so far, they are one
record. What differs deeper becomes a union: a long chain may end in a number instead of an object."""

ENOUGH = 16
"""How many levels of objects inside them are compared when two objects may be one record, unless one is
inside the other. People's data hardly have more levels; the time for all would grow by their cube."""

MOST_COMPARED = 32
"""The most others with the same keys with which an object is compared. Where more have these keys, such as
``type`` and ``value``, the keys say little, and to compare each with each would take long."""

_MOST_KEYS_SHARED = 0.8
"""The least share of keys, of the object that has fewer, that two values of maps have in common to be alike:
not all, since a schema below ``properties`` has ``items`` or none, a ``format`` or none."""

MOST_WORK = 250_000
"""The most pairs of members that are compared, which takes two seconds or so; objects that are left then stay
records of their own. npm's registry needs a hundredth; only chains made to differ far inwards need more."""

_MOST_PASSES = 20


def share(root: Node) -> None:
    """Unites the facts about objects at different paths below ``root``, so that they become one record, in
    three cases:

    - An object is inside another one that is like it. It also has the member by which that one leads to it,
      or both are reached by members of one name: a tree, whose ``children`` have ``children``. Here, objects
      are alike if one of them has all keys of the other, with values of the same kinds.
    - Objects are values of maps that are reached by members of one name, such as ``properties``, and share
      most keys, with values of the same kinds.
    - Objects anywhere have the same keys, with values of the same kinds. If that is a single key, the objects
      have to be members under the same key too.

    Kinds are those of JSON Schema, and what is inside lists, maps and objects is compared in the same way, as
    many objects inwards as are enough (``ENOUGH_OF_TREE``, ``ENOUGH``). Null goes with every kind, and
    settings of the user have to be the same. Objects are left as they are if they have no members, or are
    inside more others than types may be inside each other.
    """
    sharing = _SameRecords()
    passes = 1
    while sharing.walk(root) and passes < _MOST_PASSES:
        passes += 1


class _SameRecords:
    """A search for objects that are the same record, with a limit on its work: ``_left`` is how many pairs of
    members may still be compared."""

    def __init__(self) -> None:
        self._left = MOST_WORK

    def walk(self, root: Node) -> bool:
        """Unites objects that are the same record, from outside in, and returns whether there were any.
        United records hold more than before, so another walk may find more."""
        self._by_keys: dict[tuple[frozenset[str], str], list[Fields]] = {}
        self._by_map: dict[str, list[Fields]] = {}
        met: set[int] = set()
        found = False
        left: list[tuple[Node, Way, str]] = [(root, (), "")]
        while left:
            node, way, of_map = left.pop()
            fields = node.object
            inner = [(node.items, way, of_map)] if node.items else []
            if node.values:
                inner.append((node.values, way, way[-1][1] if way else ""))
            if fields and fields.members and id(fields) not in met:
                if other := self._like(fields, way, of_map):
                    for one, more in absorb(other, fields):
                        unite(one, more)
                    found = True
                else:
                    met.add(id(fields))
                    self._by_keys.setdefault(_looks(fields, way), []).append(fields)
                    self._by_map.setdefault(of_map, []).append(fields)
                    if len(way) < MOST_LEVELS:
                        inner += [(each, (*way, (fields, key)), "") for key, each in fields.members.items()]
            left += reversed(inner)
        return found

    def _like(self, fields: Fields, way: Way, of_map: str) -> Fields | None:
        """Finds the record, among those met before, that these objects are like. ``way`` leads to them from
        the root; ``of_map`` is the key that holds the map whose values they are, or empty."""
        if self._left < 0:
            return None
        reached = way[-1][1] if way else ""
        for n in reversed(range(len(way))):
            outer, key = way[n]
            if outer.same:  # united with another record meanwhile, which is met by its keys
                continue
            is_named_so = n > 0 and way[n - 1][1] == reached
            if (key in fields.members or is_named_so) and self._is_like(
                outer, fields, ENOUGH_OF_TREE, _has_all
            ):
                return outer
        values = self._by_map.get(of_map, []) if of_map else []
        alike = self._by_keys.get(_looks(fields, way), [])
        return self._first(values, fields, _have_most) or self._first(alike, fields, _have_same)

    def _first(self, candidates: list[Fields], fields: Fields, compare: CompareKeys) -> Fields | None:
        for each in candidates[:MOST_COMPARED]:
            if not each.same and self._is_like(each, fields, ENOUGH, compare):
                return each
        return None

    def _is_like(self, fields: Fields, other: Fields, levels: int, compare: CompareKeys) -> bool:
        """Whether the objects at two paths are alike in the sense of ``share``, looking ``levels`` objects
        inwards."""
        assumed = {(id(fields), id(other))}
        left = [(fields, other, levels)]
        while left:
            one, two, levels = left.pop()
            if one is two:
                continue
            keys = one.members.keys() & two.members.keys()
            if not compare(len(keys), len(one.members), len(two.members)):
                return False
            pairs = [(one.members[key], two.members[key]) for key in keys]
            while pairs:
                a, b = pairs.pop()
                self._left -= 1
                if self._left < 0 or (a.kinds and b.kinds and not _are_of_one_kind(a, b)):
                    return False
                pairs += _inner_pairs(a, b)
                inner = (a.object, b.object)
                if inner[0] and inner[1] and levels > 1 and (id(inner[0]), id(inner[1])) not in assumed:
                    assumed.add((id(inner[0]), id(inner[1])))
                    left.append((inner[0], inner[1], levels - 1))
        return True


def _have_same(shared: int, one: int, other: int) -> bool:
    return shared == one == other


def _has_all(shared: int, one: int, other: int) -> bool:
    return shared == min(one, other)


def _have_most(shared: int, one: int, other: int) -> bool:
    return shared >= _MOST_KEYS_SHARED * min(one, other)


def _looks(fields: Fields, way: Way) -> tuple[frozenset[str], str]:
    """Returns the marks by which objects are looked up as one record: their keys. A single key, as in
    ``{"from": …}``, is not enough, so then the key that holds the objects, the last of ``way``, is added."""
    return frozenset(fields.members), way[-1][1] if way and len(fields.members) == 1 else ""


def _are_of_one_kind(a: Node, b: Node) -> bool:
    return a.kinds == b.kinds and bool(a.values) == bool(b.values) and a.wanted == b.wanted


def _inner_pairs(a: Node, b: Node) -> Iterator[tuple[Node, Node]]:
    if a.items and b.items:
        yield a.items, b.items
    if a.values and b.values:
        yield a.values, b.values
