"""Places of values: the path in the data, and the words from which the type there is named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from serbench.imports.json.paths import inside, member, shown
from serbench.imports.names import identifier, singular
from serbench.model.names import pascal


@dataclass(frozen=True)
class Location:
    """The place of a value.

    Attributes:
        path: its path in the data, as paths.py writes it.
        words: the words from which the name of a type there is made.
        levels: how many types are around it.
        around: the lists and maps directly around it, without a record or union in between.
    """

    path: str
    words: tuple[str, ...]
    levels: int = 0
    around: frozenset[Any] = frozenset()

    @property
    def shown(self) -> str:
        """The path as messages show it."""
        return shown(self.path)

    @property
    def qualified(self) -> str:
        """The full name of a type there, which is shortened as far as it stays unique."""
        return ".".join(self.words)

    def member(self, key: str) -> Location:
        return Location(member(self.path, key), (*self.words, pascal(identifier(key))), self.levels + 1)

    def inside(self, step: str, kind: frozenset[Any] = frozenset()) -> Location:
        """The place of an item of a list or a value of a map; ``kind`` are the cases of that list or map, if
        it follows from a schema."""
        words = (*self.words[:-1], singular(self.words[-1]))
        return Location(inside(self.path, step), words, self.levels + 1, self.around | {(step, kind)})

    def of_kind(self, kind: str) -> Location:
        """The place of the values of one kind, for which a union here has an alternative."""
        words = (*self.words[:-1], f"{self.words[-1]}{kind.capitalize()}")
        return Location(self.path, words, self.levels + 1)
