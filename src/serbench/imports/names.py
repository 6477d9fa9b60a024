"""Makes names of the type model from names in other people's schemas. A name that has to change for that is
kept too, as the written name (``wire``) of a declaration."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import count

from serbench.model.names import IDENTIFIER
from serbench.model.types import SCALARS, Enum, Scalar, i32

_SIGNS = {
    "+": "plus",
    "-": "minus",
    "@": "at",
    "$": "dollar",
    "#": "hash",
    "%": "percent",
    "&": "and",
    "*": "star",
}
"""Words for signs, in names that would be empty or begin with a digit without them, such as the ``+1`` and
``-1`` of GitHub's data."""

LONGEST = 100
"""The most characters of a name. A longer one is cut, and gets a number if that makes two alike."""


def identifier(written: str) -> str:
    """Returns the name of the type model that is closest to ``written``: ``created_at`` for ``created-at``,
    ``plus_1`` for ``+1``."""
    plain = _words(written)
    if not plain or not plain[0].isalpha():
        plain = _words("".join(f" {_SIGNS[c]} " if c in _SIGNS else c for c in written))
    if not plain:
        plain = "unnamed"
    elif not plain[0].isalpha():
        plain = f"n{plain}"
    return plain[:LONGEST].rstrip("_")


def _words(text: str) -> str:
    ascii_ = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9]+", "_", ascii_).strip("_")


class ScopeNames:
    """Makes the names of one scope, such as the fields of a record; all of them differ."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def of(self, written: str) -> str:
        """Makes the name for a declaration that the schema calls ``written``, with a number if it is
        taken."""
        wanted = written if IDENTIFIER.fullmatch(written) and len(written) <= LONGEST else identifier(written)
        name, n = wanted, self._next.get(wanted, 2)
        while name in self._taken:
            name, n = f"{wanted}_{n}", n + 1
        self._next[wanted] = n
        self._taken.add(name)
        return name


def wire(written: str, name: str) -> str:
    """Returns the written name of a declaration that is called ``name`` here: empty if both are the same."""
    return "" if written == name else written


def singular(word: str) -> str:
    """Returns the word for one item of a list called ``word``: ``Order`` for ``Orders``, ``DataItem`` for
    ``Data``."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "ches", "shes", "xes", "tuses")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 2:
        return word[:-1]
    return f"{word}Item"


def listed(names: Sequence[str], most: int) -> str:
    """Joins the first ``most`` names, and says how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


class TypeNames(ScopeNames):
    """Makes the names of a schema's types: of ``shop.v1.Order`` the shortest end that is no other type's
    name."""

    def __init__(self) -> None:
        super().__init__(SCALARS)

    def of_qualified(self, qualified: str) -> str:
        """Makes the name of a type from its full name, which begins with namespaces or enclosing types."""
        parts = [part for part in qualified.split(".") if part]
        ends = (identifier("_".join(parts[-n:])) for n in range(1, len(parts) + 1))
        return self.of(next((end for end in ends if end not in self._taken), identifier("_".join(parts))))


def enum_of(
    name: str, members: Iterable[tuple[str, int]], underlying: Scalar = i32, open: bool = False
) -> Enum:
    """Makes an enum called ``name`` of members with their names and numbers in somebody's schema; of several
    with one number, the later members are aliases of the first."""
    names, by_number = ScopeNames(), dict[int, str]()
    aliases, written = [], []
    for theirs, number in members:
        own = names.of(theirs)
        if own != theirs:
            written.append((own, theirs))
        if by_number.setdefault(number, own) != own:
            aliases.append((own, number))
    return Enum(name, underlying, [(own, n) for n, own in by_number.items()], aliases, open, written)


def enum_of_texts(name: str, texts: Iterable[str]) -> Enum:
    """Makes an enum called ``name`` whose members are texts, numbered from 0 in their order."""
    return enum_of(name, zip(texts, count()))
