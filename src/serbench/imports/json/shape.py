"""The shape of JSON values: facts about the values at each path, in bounded memory whatever the values
are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from serbench.errors import InputError
from serbench.imports.json.keys import looked_at
from serbench.imports.json.settings import MOST_MEMBERS, NOTHING_WANTED, WantedValues
from serbench.imports.json.texts import Text

LEVELS = 500
"""The most objects and lists inside each other; people's data have 20, and orjson reads 1,024."""

MOST_LEVELS = 64
"""The most types inside each other, not counting steps back; nobody uses code that is generated for more."""

MOST_KEYS = 1000
"""The most keys of an object that may be a record. Nobody's records have more, and statistics stay small."""

MANY_DATA_KEYS = 128
"""With so many keys that are data and not numbers, an object becomes a map while values are still being read.
Otherwise a thousand large values, such as the versions of a package, would have more than ``MOST_PATHS``."""

LONGEST_KEY = 200
"""The most characters of a key that may be the name of a field."""

MOST_PATHS = 100_000
"""The most different paths in a shape; so many take about 100 MB."""

EXACT = 1 << 53
"""A double holds every whole number up to this one."""


class TooManyPaths(InputError):
    """Raised for values that have more different paths than a shape may have."""


@dataclass(slots=True, eq=False)
class Fields:
    """Facts about the objects at a path.

    Attributes:
        members: key → facts about its values, in the order of first appearance.
        optional: the keys that some object lacks.
        count: how many objects there are in the sample.
        same: the facts that replace these, after both were united; None if they were not.
    """

    members: dict[str, Node] = field(default_factory=dict)
    optional: set[str] = field(default_factory=set)
    count: int = 0
    same: Fields | None = None


@dataclass(slots=True, eq=False)
class Node:
    """Facts about the values at a path.

    Attributes:
        null, flag, number: whether some value is null, a bool, a number with a fraction or an exponent.
        low, high: the least and the greatest whole number; None if there is none.
        least, greatest: the least and the greatest of the other numbers in the sample.
        text, items, fields: facts about the strings, about the items of lists, and about the objects.
        values: facts about the values of objects that are maps.
        present: how many objects in the sample have a member at this path.
        wanted: the type that the user wants (settings.py).
        why: why the objects were taken for maps, in words; empty if they were not.
        perhaps: why the objects may be maps, although they were taken for records.
        members: the different strings if the user wants an enum, at most one more than it may have; else
            None.
    """

    null: bool = False
    flag: bool = False
    number: bool = False
    low: int | None = None
    high: int | None = None
    least: float = math.inf
    greatest: float = -math.inf
    text: Text | None = None
    items: Node | None = None
    fields: Fields | None = None
    values: Node | None = None
    present: int = 0
    wanted: WantedValues = NOTHING_WANTED
    why: str = ""
    perhaps: str = ""
    members: dict[str, None] | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the values that are not null, in the words of JSON Schema."""
        found = []
        if self.flag:
            found.append("boolean")
        if self.number:
            found.append("number")
        elif self.low is not None:
            found.append("integer")
        if self.text:
            found.append("string")
        if self.items:
            found.append("array")
        if self.fields or self.values:
            found.append("object")
        return tuple(found)

    @property
    def object(self) -> Fields | None:
        """The facts about the objects, or those that replaced them."""
        while self.fields and self.fields.same:
            self.fields = self.fields.same
        return self.fields

    @property
    def inner(self) -> Iterator[Node]:
        """The nodes of the items, values and members that this one directly holds."""
        if self.items:
            yield self.items
        if self.values:
            yield self.values
        if fields := self.object:
            yield from fields.members.values()


class Shape:
    """The shape of all messages that were added.

    Attributes:
        root: facts about the messages themselves.
        in_sample: whether messages that are added now belong to the sample, of which numbers are counted; all
            other facts are noted of every message.
    """

    def __init__(self) -> None:
        self.root = Node()
        self.in_sample = True
        self._paths = 0

    def add(self, message: Any) -> None:
        """Adds a message to the shape; raises RecursionError if it has too many levels, and TooManyPaths if
        the shape would become too big."""
        self._add(self.root, message, LEVELS)

    def _add(self, node: Node, value: Any, levels: int) -> None:
        kind = type(value)
        if kind is str:
            if node.text is None:
                node.text = Text()
            node.text.add(value, self.in_sample)
            if node.members is not None and len(node.members) <= MOST_MEMBERS:
                node.members[value] = None
        elif kind is int:
            if node.low is None or node.high is None:
                node.low = node.high = value
            elif value < node.low:
                node.low = value
            elif value > node.high:
                node.high = value
        elif kind is dict:
            self._add_object(node, value, levels - 1)
        elif kind is list:
            if node.items is None:
                node.items = self._node()
            if not levels:
                raise RecursionError
            for item in value:
                self._add(node.items, item, levels - 1)
        elif value is None:
            node.null = True
        elif kind is float:
            node.number = True
            if value < node.least:
                node.least = value
            if value > node.greatest:
                node.greatest = value
        else:
            node.flag = True

    def _add_object(self, node: Node, value: dict[str, Any], levels: int) -> None:
        if levels < 0:
            raise RecursionError
        if node.values:
            for each in value.values():
                self._add(node.values, each, levels)
            return
        is_first = node.fields is None
        fields = node.fields = node.fields or Fields()
        fields.count += self.in_sample
        for key, each in value.items():
            found = fields.members.get(key)
            if found is None:
                if why := _why_too_many(fields, key):
                    node.values, node.fields = united(list(fields.members.values())), None
                    node.why = why
                    self._add_object(node, value, levels)
                    return
                found = fields.members[key] = self._node()
                if not is_first:
                    fields.optional.add(key)
            found.present += self.in_sample
            self._add(found, each, levels)
        if len(value) < len(fields.members):
            fields.optional.update(fields.members.keys() - value.keys())

    def _node(self) -> Node:
        self._paths += 1
        if self._paths > MOST_PATHS:
            raise TooManyPaths(f"more than {MOST_PATHS} different paths of keys")
        return Node()


def _why_too_many(fields: Fields, key: str) -> str:
    """Tells why objects become maps at once if they get ``key`` too; empty if they may still be records."""
    if len(key) > LONGEST_KEY:
        return f"has keys of more than {LONGEST_KEY} characters"
    if len(fields.members) == MOST_KEYS:
        return f"has more than {MOST_KEYS} different keys"
    if len(fields.members) == MANY_DATA_KEYS:
        keys = looked_at(fields.members)
        if keys.are_data and keys.sure:
            return f"has more than {MANY_DATA_KEYS} keys that are {' and '.join(keys.names[:2])}"
    return ""


def united(nodes: list[Node]) -> Node:
    """Makes a single node for the values at all these nodes, which must not be used any more."""
    made = Node()
    for node in nodes:
        unite(made, node)
    return made


def unite(into: Node, other: Node) -> None:
    """Adds the facts of ``other``, which must not be used any more, to ``into``. Members that objects of both
    have are united too, and so on inwards."""
    left = [(into, other)]
    while left:
        node, more = left.pop()
        if node is more:
            continue
        _unite_plain(node, more)
        if more.items:
            node.items = node.items or Node()
            left.append((node.items, more.items))
        if more.values or (node.values and more.object):
            left += _as_values(node, more)
        elif fields := more.object:
            if own := node.object:
                left += absorb(own, fields)
            else:
                node.fields = fields


def _unite_plain(node: Node, more: Node) -> None:
    node.null |= more.null
    node.flag |= more.flag
    node.number |= more.number
    node.present += more.present
    node.wanted = node.wanted or more.wanted
    node.why = node.why or more.why
    if more.low is not None and more.high is not None:
        node.low = more.low if node.low is None else min(node.low, more.low)
        node.high = more.high if node.high is None else max(node.high, more.high)
    node.least, node.greatest = min(node.least, more.least), max(node.greatest, more.greatest)
    if more.members is not None:
        node.members = (node.members or {}) | more.members
    if more.text:
        node.text = node.text or Text()
        node.text.merge(more.text)


def _as_values(node: Node, more: Node) -> Iterator[tuple[Node, Node]]:
    """Makes one map of the objects at both nodes; yields the pairs of nodes that have to be united then."""
    if own := node.object:
        node.values, node.fields = Node(), None
        yield from ((node.values, each) for each in own.members.values())
    node.values = node.values or Node()
    if more.values:
        yield node.values, more.values
    if fields := more.object:
        yield from ((node.values, each) for each in fields.members.values())


def absorb(fields: Fields, other: Fields) -> list[tuple[Node, Node]]:
    """Replaces ``other``, the facts about objects at one path, by ``fields``, those at another path, which
    get the members of both; returns the pairs of nodes of members that have to be united then."""
    if fields is other:
        return []
    other.same = fields
    fields.count += other.count
    fields.optional |= other.optional | (fields.members.keys() ^ other.members.keys())
    pairs = []
    for key, node in other.members.items():
        own = fields.members.setdefault(key, node)
        if own is not node:
            pairs.append((own, node))
    return pairs
