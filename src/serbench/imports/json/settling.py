"""Decides which objects are maps, and notes what the user wants each path to be."""

from __future__ import annotations

import re
from collections.abc import Iterable

from serbench.errors import InputError
from serbench.imports.json.paths import ITEM, VALUE, WHOLE, inside, member
from serbench.imports.json.settings import Settings
from serbench.imports.json.shape import UUID, Fields, Node, united

DATA_KEY = re.compile(
    rf"-?\d+|{UUID}|[0-9a-f]{{16,}}|\d{{4}}-\d\d(-\d\d([T ][\d:.]+(Z|[+-]\d\d:?\d\d)?)?)?",
    re.ASCII | re.IGNORECASE,
)
"""Matches keys that are data and not names: whole numbers, UUIDs, digests, months, days and times."""

MANY_KEYS = 20
SELDOM = 0.5
"""Objects are maps if they have at least so many different keys, an object has at most this share of them on
average, and their values are alike."""

MANY_RECORDS = 16
"""So many members that are objects of one shape make a map, even if all of them are always present."""

ALIKE = 0.5
"""Objects have one shape only if they have at least this share of all their keys on average."""

_MOST_PATHS_KEPT = 20_000


def settle(root: Node, settings: Settings) -> None:
    """Makes maps of objects, from outside in. An object is a map if

    - all its keys are data (``DATA_KEY``), and its values are alike;
    - it has many keys that are seldom present (``MANY_KEYS``, ``SELDOM``), and its values are alike;
    - it has many members that are objects of one shape (``MANY_RECORDS``);
    - the user says so, or it has more keys than statistics are kept of (shape.py).

    Values are alike if they are of one kind, lists whose items are alike, or objects that have most keys in
    common and members that are alike. Null is like every value.

    Raises:
        InputError: there is a setting for a path that the data do not have.
    """
    known: dict[str, str] = {}
    left: list[tuple[str, Node]] = [(WHOLE, root)]
    while left:
        path, node = left.pop()
        if len(known) < _MOST_PATHS_KEPT:
            known[path] = ""
        node.wanted = settings.at(path)
        _decide(path, node)
        inner = [(inside(path, ITEM), node.items)] if node.items else []
        if node.values:
            inner.append((inside(path, VALUE), node.values))
        elif node.fields:
            inner += [(member(path, key), each) for key, each in node.fields.members.items()]
        left += reversed(inner)
    settings.check(known)


def _decide(path: str, node: Node) -> None:
    kind = node.wanted.kind if node.wanted else ""
    if kind == "record":
        if node.values:
            raise InputError(f"settings: found a record at '{path}', which {node.why}; expected a map")
        return
    if node.fields is None:
        return
    node.why = "set by --set" if kind == "map" else _why_map(node.fields)
    if node.why:
        node.values, node.fields = united(list(node.fields.members.values())), None


def _why_map(fields: Fields) -> str:
    """Why objects are maps; empty if they are records."""
    members = list(fields.members.values())
    n = len(members)
    if not n:
        return ""
    if all(map(DATA_KEY.fullmatch, fields.members)):
        return (
            f"its {n} keys are numbers, identifiers or dates, and its values are alike"
            if alike(members)
            else ""
        )
    share = sum(node.present for node in members) / (n * fields.count) if fields.count else 1
    if n >= MANY_KEYS and share <= SELDOM and alike(members):
        return (
            f"it has {n} different keys, of which an average object has {share:.0%}, and its values are alike"
        )
    if n >= MANY_RECORDS and all(node.kinds == ("object",) for node in members) and alike(members):
        return f"its {n} members are objects of one shape"
    return ""


def alike(nodes: Iterable[Node]) -> bool:
    """Whether the values at all these nodes are alike, as ``settle`` defines it."""
    left = [list(nodes)]
    while left:
        group = left.pop()
        kinds = {kind.replace("integer", "number") for node in group for kind in node.kinds}
        if len(kinds) > 1:
            return False
        if items := [node.items for node in group if node.items]:
            left.append(items)
        if values := [node.values for node in group if node.values]:
            left.append(
                [*values, *(each for node in group if node.fields for each in node.fields.members.values())]
            )
        elif objects := [node.fields for node in group if node.fields]:
            keys = dict.fromkeys(key for fields in objects for key in fields.members)
            have = sum(len(fields.members) for fields in objects)
            if keys and all(map(DATA_KEY.fullmatch, keys)):
                left.append([each for fields in objects for each in fields.members.values()])
            elif have < ALIKE * len(objects) * len(keys):
                return False
            else:
                left += [[fields.members[key] for fields in objects if key in fields.members] for key in keys]
    return True
