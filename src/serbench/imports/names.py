"""Names of other people's schemas as names of the type model; what is spelt otherwise keeps its name on the
wire."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from serbench.model.names import IDENTIFIER
from serbench.model.types import SCALARS

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
"""What a name is made of that would be empty or begin with a digit without them: GitHub counts ``+1`` and
``-1``."""

LONGEST = 100
"""Characters of a name; what is longer is cut, and told apart by its end."""


def identifier(written: str) -> str:
    """``written`` as a name of the type model, or what is like it: ``created-at`` → ``created_at``, ``+1`` →
    ``plus_1``."""
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


class Names:
    """The names of one scope, of which no two are alike."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def of(self, written: str) -> str:
        """A name for what is written so; with a number where another is alike."""
        wanted = written if IDENTIFIER.fullmatch(written) and len(written) <= LONGEST else identifier(written)
        name, n = wanted, self._next.get(wanted, 2)
        while name in self._taken:
            name, n = f"{wanted}_{n}", n + 1
        self._next[wanted] = n
        self._taken.add(name)
        return name


def wire(written: str, name: str) -> str:
    """``wire`` of a declaration that is called ``name`` here: empty where that is its own name."""
    return "" if written == name else written


def singular(word: str) -> str:
    """The word for an item of what is called so: ``Orders`` → ``Order``, ``Data`` → ``DataItem``."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "ches", "shes", "xes", "tuses")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 2:
        return word[:-1]
    return f"{word}Item"


class TypeNames(Names):
    """The names of the types of a schema: of ``shop.v1.Order`` as short an end as no other has."""

    def __init__(self) -> None:
        super().__init__(SCALARS)

    def of_qualified(self, qualified: str, separator: str = ".") -> str:
        """A name for a type in namespaces or other types."""
        parts = [part for part in qualified.split(separator) if part]
        ends = (identifier("_".join(parts[-n:])) for n in range(1, len(parts) + 1))
        return self.of(next((end for end in ends if end not in self._taken), identifier("_".join(parts))))
