"""Settings: the types that the user wants fields to have, as in ``--set items[].price=f32`` or ``--set
'seen=optional<timestamp in ms>'``.

A path is written as in the mapping (paths.py). So is a type::

    type = "bool" | "i8" … "i64" | "u8" … "u64" | "f32" | "f64" | "string"
         | "enum"                                of the strings that occur
         | "uuid"                                for strings in the usual form, in lower case
         | "date"                                for strings like 2026-11-22
         | "timestamp in " ("s"|"ms"|"us"|"ns")  for strings like 2026-11-22T15:04:05Z, or whole numbers
         | "local timestamp in " …               for strings like 2026-11-22T15:04:05, or whole numbers
         | "record"                              for objects that would be taken for maps
         | "map<" key ", " type ">"              for objects that would be taken for records; key is string or
                                                 an integer type
         | "list<" type ">"
         | "optional<" type ">"                  even if it is always present and never null
         | "*"                                   what it would be without a setting

A field that is missing or null somewhere is optional, whatever is set. The part inside ``<>`` is the type of
the inner path: ``m=map<string, f32>`` means ``m=map<string, *>`` and ``m{}=f32``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from serbench.errors import InputError
from serbench.imports.base import refused
from serbench.imports.json.paths import ITEM, VALUE, inside, shown
from serbench.imports.names import listed
from serbench.model.check import UNITS
from serbench.model.types import SCALARS, FixedBytes, Logical, Scalar, string
from serbench.text import shortened

_PARTS = re.compile(r"(list|map|optional)\s*<(.*)>", re.DOTALL)
_TIMESTAMP = re.compile(rf"(local )?timestamp in ({'|'.join(UNITS)})")
_LOGICAL = {"uuid": Logical("uuid", string), "date": Logical("date", SCALARS["i32"])}
_PLAIN = {name: type for name, type in SCALARS.items() if name != "bytes"}
_MOST_PATHS_SHOWN = 10
_LONGEST = 500

MOST_MEMBERS = 1000
"""The most members of an enum."""

_EXPECTED = (
    "a type such as i32, f32, string, enum, uuid, date, timestamp in ms, record, "
    "map<string, *>, list<i32>, optional<*>"
)


@dataclass(frozen=True)
class WantedValues:
    """The type that the user wants for the values at a path; false if the user said nothing.

    Attributes:
        type: a scalar or logical type; None if it is another one, or nothing was said.
        kind: ``enum``, ``record``, ``map`` or ``list``; empty if ``type`` is set, or nothing was said.
        key: the type of a map's keys.
        optional: whether the values are to be optional in any case.
    """

    type: Scalar | Logical | None = None
    kind: str = ""
    key: Scalar = string
    optional: bool = False

    def __bool__(self) -> bool:
        return self != NOTHING_WANTED

    @property
    def word(self) -> str:
        """The type in the user's words, without a unit or the types inside it: ``timestamp``, ``map``."""
        if self.kind:
            return self.kind
        if isinstance(self.type, Logical):
            return self.type.kind
        return self.type.name if self.type else "optional"

    def suits(self, kinds: Sequence[str]) -> bool:
        """Whether values of these kinds can be a wanted list, map, record or enum; True if none is wanted."""
        kind = {"list": "array", "map": "object", "record": "object", "enum": "string"}.get(self.kind)
        return not kind or (kind in kinds and (kind != "string" or len(kinds) == 1))

    def unsuitable(self, path: str, theirs: str) -> InputError:
        """Returns the error for values that cannot be of this type; ``theirs`` names their kinds."""
        return refused("settings", shown(path), f"'{self.word}' for {theirs}", _EXPECTED)


NOTHING_WANTED = WantedValues()


@dataclass
class PathSettings:
    """All settings, by path; ``used`` are the paths that were looked up."""

    by_path: Mapping[str, WantedValues]
    used: set[str] = field(default_factory=set)

    @classmethod
    def parse(cls, said: Mapping[str, str]) -> PathSettings:
        """Reads settings from path → text; raises InputError if a text is not a type, or a path has two
        types."""
        by_path: dict[str, WantedValues] = {}
        for path, text in said.items():
            if len(text) > _LONGEST:
                raise _no_type(shortened(text, _LONGEST), _EXPECTED)
            for inner, wanted in _parsed(
                path, text.strip(), f"{shortened(path, 200)}={shortened(text, 200)}"
            ):
                if inner in by_path and by_path[inner] != wanted:
                    raise InputError(f"settings: found two types for {shortened(inner, 200)}; expected one")
                by_path[inner] = wanted
        return cls(by_path)

    def at(self, path: str) -> WantedValues:
        if path in self.by_path:
            self.used.add(path)
        return self.by_path.get(path, NOTHING_WANTED)

    def check(self, paths: Iterable[str]) -> None:
        """Raises InputError if there is a setting for a path that was never looked up; ``paths`` are all
        paths that the data have."""
        if not self.by_path.keys() - self.used:
            return
        paths = list(dict.fromkeys(paths))
        for path in self.by_path.keys() - self.used:
            near = get_close_matches(path, paths, n=3, cutoff=0.5)
            known = listed(paths, _MOST_PATHS_SHOWN)
            hint = f"did you mean {' or '.join(near)}?" if near else f"there are {known}"
            raise InputError(f"settings: found no field at '{shortened(path, 200)}'; {hint}")


def checked_members(path: str, found: Iterable[str] | None, what: str = "text") -> list[str]:
    """Returns the members of the enum that the user wants at a path: all different strings found there, which
    errors call ``what``. Raises InputError if there are none or too many, or one is empty."""
    members = list(found or ())
    if members and "" not in members and len(members) <= MOST_MEMBERS:
        return members
    many = f"more than {MOST_MEMBERS}" if len(members) > MOST_MEMBERS else len(members) or "no"
    told = f"an empty {what}" if "" in members else f"{many} different {what}s"
    expected = f"1 to {MOST_MEMBERS} {what}s, which are names"
    raise refused("settings", path, f"'enum' for {told}", expected)


def _parsed(path: str, text: str, whole: str) -> Iterator[tuple[str, WantedValues]]:
    """Reads the settings for ``path`` and the paths inside it from ``text``, a type that is a part of the
    setting ``whole``."""
    if text == "*":
        return
    if not (parts := _PARTS.fullmatch(text)):
        yield path, _simple(text, whole)
        return
    name, inner = parts[1], parts[2].strip()
    match name:
        case "list":
            yield path, WantedValues(kind="list")
            yield from _parsed(inside(path, ITEM), inner, whole)
        case "map":
            key, comma, value = inner.partition(",")
            type = _PLAIN.get(key.strip())
            if not comma or not type or not (type.is_integer or type == string):
                raise _no_type(whole, "a map such as map<string, *>, by strings or integers")
            yield path, WantedValues(kind="map", key=type)
            yield from _parsed(inside(path, VALUE), value.strip(), whole)
        case _:
            if inner.startswith("optional"):
                raise _no_type(whole, "one optional")
            said = dict(_parsed(path, inner, whole))
            yield path, replace(said.pop(path, NOTHING_WANTED), optional=True)
            yield from said.items()


def _simple(text: str, whole: str) -> WantedValues:
    if text in ("enum", "record"):
        return WantedValues(kind=text)
    if timestamp := _TIMESTAMP.fullmatch(text):
        return WantedValues(Logical("timestamp", SCALARS["i64"], unit=timestamp[2], zoned=not timestamp[1]))
    type = _PLAIN.get(text) or _LOGICAL.get(text)
    if type is None or isinstance(type, FixedBytes):
        raise _no_type(whole, _EXPECTED)
    return WantedValues(type)


def _no_type(whole: str, expected: str) -> InputError:
    return InputError(f"settings: found '{whole}'; expected {expected}")
