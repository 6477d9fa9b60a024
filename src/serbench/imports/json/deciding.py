"""Decides from a few figures whether objects are maps or records, and when the user is told that records may
be maps."""

from __future__ import annotations

from dataclasses import dataclass

from serbench.imports.json.keys import Keys

ALIKE = 0.5
"""The least likeness of values that count as of one shape: two of them share half of their members. Entries
of npm's lock files have 0.8, resources of different kinds in one list 0.2."""

HARDLY_ALIKE = 0.3
"""The least likeness of a map's values where the form of its keys already shows that they are data, such as
paths of an API: the operations (get, post) below them have 0.4."""

MANY_RECORDS = 8
"""With so many members that are objects of one shape, an object is a map. A week has seven days, and a record
with eight members of one type has a list in their place."""

MANY_WITH_ONE_MEMBER = 12
"""With so many members that are objects of hardly more than one member each, an object is a map: records have
up to ten such members, as links with nothing but an address."""

MANY_ALWAYS = 16
"""With so many members that are objects of one shape, an object is a map even if there are ``MANY_OBJECTS``
objects or more, although these would show by themselves whether keys change."""

MANY_OBJECTS = 20
"""The number of objects that is enough to show whether keys change, as those of maps do. If fewer objects all
have the same keys, they may still be maps."""

MANY_PLAIN = 100
"""With so many members of one plain kind, an object is a map: tables of a hundred numbers are written as
lists, and nobody declares as many strings."""

MANY_CODES = 12
"""With so many keys that are codes of two or three capital letters, an object is a map. Records have
abbreviations too, but not in such numbers, nor all of a length."""

MANY_KEYS, SELDOM = 20, 0.5
"""Objects are maps if all of them together have at least ``MANY_KEYS`` different keys, and an object has at
most the share ``SELDOM`` of these on average."""

SOME_KEYS, RARELY, USUAL = 6, 0.34, 0.5
"""Objects with at least ``SOME_KEYS`` different keys are maps if an object has at most the share ``RARELY``
of them, and no key is in more than the share ``USUAL`` of the objects, as a record's id would be."""

SOME_VERSIONS = 2
"""With so many members, all of them versions, an object is a map of dependencies, unless keys show that they
are names (``SAME_KEYS``): a record may have the current version and the latest."""

FEW_VERSIONS = 5
"""With fewer members than this, the user is told that a map of versions may be a record."""

SEVERAL_OBJECTS, SAME_KEYS = 4, 0.5
"""Keys are names where several objects have at least the share ``SAME_KEYS`` of them, or where each of fewer
objects has all: packages hardly ever have the same dependencies."""

MANY_LANGUAGES = 5
"""With so many keys that are languages without a region, an object of numbers is a map. With fewer they may
be abbreviations, as ``hr`` is of heart rate; translations are texts, or objects or lists of them."""

SOME_RECURRING = 3
"""With so many different keys at an object, and at those under the same key inside its members, they are
maps: dependencies of dependencies. A record inside a record has the same few keys again."""

MIXED = 8
"""With so many keys that are numbers, an object is a map even if its values are of two kinds: with fewer they
may be the places of a tuple."""

OTHERS, OTHERS_SHARE = 2, 0.1
"""How many of a map's keys, as a number or as a share, may be names and not data, such as ``created`` among
versions and ``default`` among numbers."""

TOLD_RECORDS, TOLD_PLAIN = 3, 16
"""With so many members of one shape, or of one plain kind, the user is told that a record may be a map. A
person or an address has up to fifteen texts."""


@dataclass(frozen=True)
class Seen:
    """The figures about the objects at a path by which maps are told from records.

    Attributes:
        keys: facts about their keys.
        count: how many different keys they have.
        objects: how many objects there are in the sample, with those beside them that have the same keys.
        share: the share of all keys that an average object has.
        usual: the share of the objects that have the most frequent key.
        kinds: the kinds of their members, without null, and with whole numbers as numbers.
        likeness: how alike the members are (likeness.py).
        members: how many members an average member has, if members are objects; else 0.
        versions: the share of the members whose values are all versions of software.
        named: whether a map stands under the same key as these objects, and its values are like their
            members.
        recurring: how many different keys these objects have together with those under the same key inside
            their members, if the members of both are alike; else 0.
    """

    keys: Keys
    count: int
    objects: int = 1
    share: float = 1.0
    usual: float = 1.0
    kinds: frozenset[str] = frozenset({"string"})
    likeness: float = 1.0
    members: float = 0.0
    versions: float = 0.0
    named: bool = False
    recurring: int = 0

    @property
    def are_alike(self) -> bool:
        """Whether the members are of one kind and shape."""
        return len(self.kinds) <= 1 and self.likeness >= ALIKE

    @property
    def are_names(self) -> bool:
        """Whether keys are names of fields, since several objects have the same ones."""
        return self.objects > 1 and self.share >= (SAME_KEYS if self.objects >= SEVERAL_OBJECTS else 1)

    @property
    def are_objects(self) -> bool:
        return self.kinds == {"object"}


def why_map(seen: Seen) -> str:
    """Tells the user why objects are taken for maps; empty if they are records."""
    return (_by_keys(seen) or _by_members(seen)) if seen.count else ""


def _by_keys(seen: Seen) -> str:
    keys, n = seen.keys, seen.count
    named = " and ".join(keys.names[:2])
    if keys.are_data:
        if keys.names == ("codes",):
            fits = n >= MANY_CODES and seen.are_alike
        elif keys.names == ("languages",) and seen.kinds <= {"number", "boolean"}:
            fits = n >= MANY_LANGUAGES or keys.sure
        elif keys.sure:
            fits = len(seen.kinds) <= 2
        elif len(seen.kinds) <= 1:
            fits = seen.likeness >= HARDLY_ALIKE or (seen.are_objects and n >= MIXED)
        else:
            fits = n >= MIXED and len(seen.kinds) <= 2
        return f"keys are {named} ({n})" if fits else ""
    others = keys.count - keys.data
    if (
        keys.data >= others
        and others <= max(OTHERS, OTHERS_SHARE * n)
        and seen.are_alike
        and (seen.are_objects or keys.data >= (2 if keys.sure else 3))
    ):
        return f"{keys.data} of {n} keys are {named}, and values are alike"
    return ""


def _by_members(seen: Seen) -> str:
    n = seen.count
    if seen.named:
        return "members are like the values of another map of this name"
    if seen.recurring >= SOME_RECURRING:
        return f"members have objects of this name with other keys, of {seen.recurring} in all"
    shows_by_itself = seen.objects >= MANY_OBJECTS
    if seen.kinds == {"string"} and n >= SOME_VERSIONS and seen.versions >= 0.9:
        return "" if seen.are_names else f"values are versions ({n})"
    if not seen.are_alike:
        return ""
    is_seldom = n >= MANY_KEYS and seen.share <= SELDOM
    is_rarely = n >= SOME_KEYS and seen.share <= RARELY and seen.usual <= USUAL and seen.objects > 2
    if is_seldom or is_rarely:
        return f"{n} different keys, of which an object has {seen.share:.0%} on average, and values are alike"
    if seen.are_objects:
        least = MANY_WITH_ONE_MEMBER if seen.members < 1.5 else MANY_RECORDS
        if n >= (max(least, MANY_ALWAYS) if shows_by_itself else least):
            return f"{n} members are objects of one shape"
    elif n >= MANY_PLAIN and not shows_by_itself:
        return f"{n} members are of one kind"
    return ""


def perhaps_record(seen: Seen) -> bool:
    """Whether objects that were taken for maps may be records: a few versions below words."""
    return seen.kinds == {"string"} and seen.count < FEW_VERSIONS and not seen.keys.data


def perhaps_map(seen: Seen) -> str:
    """Tells the user why objects that were taken for records may be maps; empty if they hardly are."""
    if not seen.are_alike or (seen.are_objects and not seen.members):
        return ""
    if seen.keys.are_data and not seen.are_names:
        return f"keys may be {seen.keys.names[0]} ({seen.count})"
    if seen.count < (TOLD_RECORDS if seen.are_objects else TOLD_PLAIN):
        return ""
    if not seen.are_objects and seen.objects >= MANY_OBJECTS and seen.share == 1:
        return ""  # rows of a table
    return f"{seen.count} members of one {'shape' if seen.are_objects else 'kind'}"
