"""What is found at each path of JSON values: bounded in memory, whatever the values are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from serbench.errors import InputError

LEVELS = 500
"""Objects and lists inside each other; data of people have 20, and orjson reads 1,024."""

MOST_KEYS = 1000
"""Of an object whose keys could be names of fields; no record of anybody's has more, and statistics stay
small."""

LONGEST_KEY = 200
"""Characters of a key that could be the name of a field."""

MOST_PATHS = 100_000
"""Together they take some 100 MB."""

EXACT = 1 << 53
"""Up to here a double holds every whole number."""

LEAST, MOST = -(1 << 63), (1 << 64) - 1

UUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
"""As libraries write them; one in capitals would come back in small letters."""

_UUID = re.compile(UUID)
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)

MOST_DISTINCT = 17
"""Different strings that are told apart; an enum is not proposed for so many."""


class TooManyPaths(InputError):
    """Values have no shape of a bounded size."""


class Text:
    """Strings at a path.

    Attributes:
        uuid: whether all of them are UUIDs.
        count: of those in the sample.
        distinct: hashes of a few of those in the sample, so that none is kept.
        looks: ``timestamp`` or ``date`` where all in the sample look so; None before the first, else empty.
    """

    __slots__ = ("count", "distinct", "looks", "uuid")

    def __init__(self) -> None:
        self.uuid = True
        self.count = 0
        self.distinct: set[int] = set()
        self.looks: str | None = None

    def add(self, text: str, in_sample: bool) -> None:
        if self.uuid and not _UUID.fullmatch(text):
            self.uuid = False
        if not in_sample:
            return
        self.count += 1
        if len(self.distinct) < MOST_DISTINCT:
            self.distinct.add(hash(text))
        if self.looks != "":
            looks = "timestamp" if _TIMESTAMP.fullmatch(text) else "date" if _DATE.fullmatch(text) else ""
            self.looks = looks if self.looks in (None, looks) else ""

    def merge(self, other: Text) -> None:
        self.uuid &= other.uuid
        self.count += other.count
        if len(self.distinct) < MOST_DISTINCT:
            self.distinct |= other.distinct
        if other.looks is not None:
            self.looks = other.looks if self.looks in (None, other.looks) else ""


class Fields:
    """Objects at a path.

    Attributes:
        members: by key, in the order of first appearance.
        optional: keys that some object has not.
        count: objects in the sample.
        same: the fields that these have become one with.
    """

    __slots__ = ("count", "members", "optional", "same")

    def __init__(self) -> None:
        self.members: dict[str, Node] = {}
        self.optional: set[str] = set()
        self.count = 0
        self.same: Fields | None = None


class Node:
    """Values at a path.

    Attributes:
        null, flag, number: whether one is null, a bool, a number with a fraction or an exponent.
        low, high: least and greatest whole number.
        text, items, fields: of strings, lists and objects.
        values: of objects that are maps.
        present: of how many objects in the sample it is a member.
        wanted: what a user wants it to be, see settings.py.
        why: it was taken for what it is.
        members: all its strings, where they are to be those of an enum.
    """

    __slots__ = (
        "fields", "flag", "high", "items", "low", "members", "null", "number", "present", "text", "values",
        "wanted", "why",
    )  # fmt: skip

    def __init__(self) -> None:
        self.null = self.flag = self.number = False
        self.low: int | None = None
        self.high: int | None = None
        self.text: Text | None = None
        self.items: Node | None = None
        self.fields: Fields | None = None
        self.values: Node | None = None
        self.present = 0
        self.wanted: Any = None
        self.why = ""
        self.members: dict[str, None] | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """Of the values that are not null, in the words of JSON Schema."""
        found = {
            "boolean": self.flag,
            "integer": self.low is not None and not self.number,
            "number": self.number,
            "string": self.text,
            "array": self.items,
            "object": self.object or self.values,
        }
        return tuple(kind for kind, there in found.items() if there)

    @property
    def object(self) -> Fields | None:
        """The fields, or what these have become one with."""
        while self.fields and self.fields.same:
            self.fields = self.fields.same
        return self.fields

    @property
    def inner(self) -> Iterator[Node]:
        """What it directly holds."""
        if self.items:
            yield self.items
        if self.values:
            yield self.values
        if fields := self.object:
            yield from fields.members.values()


class Shape:
    """What all messages are that were added.

    Attributes:
        root: of a message.
        in_sample: whether messages are counted; all else that is noted of them does not depend on how many
            there are.
    """

    def __init__(self) -> None:
        self.root = Node()
        self.in_sample = True
        self._paths = 0

    def add(self, message: Any) -> None:
        """Raises RecursionError where it has too many levels, TooManyPaths where the shape would be too
        big."""
        self._add(self.root, message, LEVELS)

    def _add(self, node: Node, value: Any, levels: int) -> None:
        kind = type(value)
        if kind is str:
            if node.text is None:
                node.text = Text()
            node.text.add(value, self.in_sample)
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
        else:
            node.flag = True

    def _add_object(self, node: Node, value: dict[str, Any], levels: int) -> None:
        if levels < 0:
            raise RecursionError
        if node.values:
            for each in value.values():
                self._add(node.values, each, levels)
            return None
        is_first = node.fields is None
        fields = node.fields = node.fields or Fields()
        fields.count += self.in_sample
        for key, each in value.items():
            found = fields.members.get(key)
            if found is None:
                if len(fields.members) == MOST_KEYS or len(key) > LONGEST_KEY:
                    self._collapse(node, fields, len(key) > LONGEST_KEY)
                    return self._add_object(node, value, levels)
                found = fields.members[key] = self._node()
                if not is_first:
                    fields.optional.add(key)
            found.present += self.in_sample
            self._add(found, each, levels)
        if len(value) < len(fields.members):
            fields.optional.update(fields.members.keys() - value.keys())
        return None

    def _collapse(self, node: Node, fields: Fields, is_long: bool) -> None:
        """Objects with such keys are maps."""
        node.values = united(list(fields.members.values()))
        node.fields = None
        node.why = (
            f"has keys of more than {LONGEST_KEY} characters"
            if is_long
            else f"has more than {MOST_KEYS} different keys"
        )

    def _node(self) -> Node:
        self._paths += 1
        if self._paths > MOST_PATHS:
            raise TooManyPaths(f"more than {MOST_PATHS} different paths of keys")
        return Node()


def united(nodes: list[Node]) -> Node:
    """One for the values at all of them; they are used up."""
    made = Node()
    for node in nodes:
        unite(made, node)
    return made


def unite(into: Node, other: Node) -> None:
    """Adds to ``into`` what is at ``other``, which is used up. Objects that become one may hold others that
    do, and so on."""
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
    if more.text:
        node.text = node.text or Text()
        node.text.merge(more.text)


def _as_values(node: Node, more: Node) -> Iterator[tuple[Node, Node]]:
    """What is to be united so that both are one map."""
    if own := node.object:
        node.values, node.fields = Node(), None
        yield from ((node.values, each) for each in own.members.values())
    node.values = node.values or Node()
    if more.values:
        yield node.values, more.values
    if fields := more.object:
        yield from ((node.values, each) for each in fields.members.values())


def absorb(fields: Fields, other: Fields) -> list[tuple[Node, Node]]:
    """Makes both one; gives the members that are to be united."""
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
