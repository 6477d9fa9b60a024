"""The parts of messages that can be emptied one by one, as a tree: fields, alternatives and items, from the
root down."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from serbench.changes.alike import places_by_kind
from serbench.changes.paths import Place, place_of, places
from serbench.changes.wholes import EVERYTHING as EVERYTHING
from serbench.model import Enum, Record, Schema, Union
from serbench.model.parts import resolved

EMPTY = "empty"
"""The word of the change that empties a part."""

_REMAINS = {Enum: "its first member", Union: "its first alternative"}

_LAST_STEP = re.compile(r"(\[\]|(^|\.)[^.\[\]]+)$")


@dataclass(frozen=True)
class Part:
    """A part of messages.

    Attributes:
        path: the path of the part, by which a change empties it.
        above: the path of the part that it is in; empty for fields of the root.
        depth: how many parts it is in.
        type: the name of the part's type where that is a record or union; else empty.
        remains: a value that stays where the part is emptied, such as an enum's first member; empty where
            nothing stays.
        same_as: the path below which the parts of that type stand, if they do not stand below this one,
            since a change means a part wherever its type stands; None where they stand here, or there are
            none. It is empty for the root.
    """

    path: str
    above: str
    depth: int
    type: str = ""
    remains: str = ""
    same_as: str | None = None

    @property
    def step(self) -> str:
        """The last step of the path: a name, or ``[]``."""
        return self.path.removeprefix(self.above).removeprefix(".")

    @property
    def change(self) -> str:
        """The change that empties the part."""
        return f"{EMPTY}={self.path}"


def above(path: str) -> str:
    """Return the path without its last step; empty for a field of the root."""
    return _LAST_STEP.sub("", path)


def parts_to_empty(schema: Schema) -> list[Part]:
    """Return the parts of a schema that have a value: each directly behind the one that it is in, and those
    of each type once."""
    found = [place for place in places(schema) if place.type is not None]
    homes: dict[str, str] = {schema.root.name: ""}
    below: dict[str, list[Place]] = {}
    for place in found:
        below.setdefault(above(place.path), []).append(place)
        if not place.items:
            homes[place.owner] = above(place.path)
    return list(_parts("", 0, below, homes))


def kinds_to_empty(schema: Schema) -> list[Part]:
    """Return the kinds of values that stand at two places or more, each as a part whose change empties all
    of its values; a kind at one place is that part."""
    found = places_by_kind(schema)
    return [Part(f"{EVERYTHING}:{kind}", "", 0) for kind, places in found.items() if len(places) > 1]


def _parts(path: str, depth: int, below: dict[str, list[Place]], homes: dict[str, str]) -> Iterator[Part]:
    for place in below.get(path, []):
        type = place.inner.name if isinstance(place.inner, Record | Union) else ""
        home = homes.get(type) if type and place.path not in below else None
        remains = _REMAINS.get(resolved(place.type).__class__, "")
        yield Part(place.path, path, depth, type, remains, home)
        yield from _parts(place.path, depth + 1, below, homes)


def inside(parts: Sequence[Part], schema: Schema, paths: Sequence[str]) -> list[Part]:
    """Return the parts at these paths, with all that is in them; all parts where there are no paths.

    Raises:
        SelectionError: a path is not there, with the nearest ones, or it leads to a part that stands
            elsewhere, which is named.
    """
    if not paths:
        return list(parts)
    chosen = {_as_listed(parts, schema, path) for path in paths}
    kept: list[Part] = []
    for part in parts:
        if part.path in chosen:
            kept.append(part)
            chosen.update(each.path for each in parts if each.above == part.path)
    return kept


def _as_listed(parts: Sequence[Part], schema: Schema, path: str) -> str:
    """The path under which a part is listed: that of the first place of its type."""
    place = place_of(schema, path)
    same = [each.path for each in parts if _is_same(place, place_of(schema, each.path))]
    return same[0] if same else path


def _is_same(one: Place, other: Place) -> bool:
    return (one.owner, one.part, one.items) == (other.owner, other.part, other.items)
