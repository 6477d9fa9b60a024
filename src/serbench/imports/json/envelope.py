"""Finds a list of messages inside a document, which is an envelope around it: ``{"Records": [{…}, …],
…}``."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

import msgspec

from serbench.imports.base import refused
from serbench.imports.names import listed
from serbench.text import safe, shortened

ITEMS = "items"
NAMED = f"{ITEMS}:"
"""The beginning of a framing that names a list, whose name follows."""

TOLD_LEVELS = 2
"""How many objects down in a document a list is looked for that the user may mean."""

MOST_LEVELS = 4
"""How many objects down a list of messages is looked for where the user says that there is one."""

_MOST_TOLD = 6
_LONGEST_NAME = 60

Raw = msgspec.Raw


@dataclass(frozen=True)
class ListFound:
    """A list in an envelope; its name is made of the keys that lead to it, joined by dots."""

    name: str
    items: Sequence[Raw]

    @property
    def is_of_objects(self) -> bool:
        return bool(self.items) and all(_begins(item, b"{") for item in self.items)

    @property
    def told(self) -> str:
        """The name of the list with the number of its items, for the user."""
        return f"{_shown(self.name)} ({len(self.items):,} item{'' if len(self.items) == 1 else 's'})"


def lists_of_objects(
    text: bytes | Raw, most_levels: int = TOLD_LEVELS, known: Collection[str] = ()
) -> list[ListFound]:
    """Returns the lists of objects that are members of a document, and those of ``known`` names; if there are
    none, those that are members of its members, and so on. Empty if the document is no object."""
    for levels in range(1, most_levels + 1):
        if found := [each for each in _lists(text, levels) if each.is_of_objects or each.name in known]:
            return found
    return []


def the_list(text: bytes, named: str, file: Path, known: Collection[str] = ()) -> ListFound:
    """Returns the list inside a document whose items are messages.

    Args:
        named: the name of the list that the user means; empty for the only one.
        known: the names of lists of objects in other documents, which may be empty in this one.

    Raises:
        InputError: there is no list of that name, or more than one list.
        ValueError: there is no list of objects, and no name was given.
    """
    if named:
        levels = range(1, named.count(".") + 2)
        each = next((e for n in levels for e in _lists(text, n) if e.name == named), None)
        if each is None:
            found = lists_of_objects(text, MOST_LEVELS)
            expected = _named(found) if found else "a member that is a list"
            raise refused(file, "", f"no list at '{_shown(named)}'", expected, "change --framing")
        return each
    found = lists_of_objects(text, MOST_LEVELS, known)
    if len(found) == 1:
        return found[0]
    lists = [] if found else [*_lists(text, 1)]
    if lists and not any(each.items for each in lists):
        return lists[0]  # a page without items
    if not found:
        raise ValueError("an object without a list of objects")
    few = any(not each.is_of_objects for each in found)
    where = ", which hold some here or elsewhere" if few else ""
    raise refused(file, "", f"{len(found)} lists of objects{where}", "one", choice(found))


def choice(found: Sequence[ListFound]) -> str:
    """Tells the user the option that takes one of several lists; the longest list is the example."""
    longest = max(found, key=lambda each: len(each.items))
    return f"--framing {quote(NAMED + longest.name)} takes the items of that one of its lists {_named(found)}"


def _shown(name: str) -> str:
    return shortened(safe(name, lines=False), _LONGEST_NAME)


def _named(found: Sequence[ListFound]) -> str:
    return listed([each.told for each in found], _MOST_TOLD)


def _lists(text: bytes | Raw, levels: int) -> Iterator[ListFound]:
    """Returns the lists that are ``levels`` objects down in an object."""
    if not _begins(text, b"{"):
        return
    for key, value in msgspec.json.decode(text, type=dict[str, Raw]).items():
        if levels > 1:
            yield from (ListFound(f"{key}.{each.name}", each.items) for each in _lists(value, levels - 1))
        elif _begins(value, b"["):
            yield ListFound(key, msgspec.json.decode(value, type=list[Raw]))


def _begins(text: bytes | Raw, sign: bytes) -> bool:
    return bytes(memoryview(text)[:1]) == sign
