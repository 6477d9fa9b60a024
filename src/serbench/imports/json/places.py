"""Places of values: the path in the data, and the words of which the name of a type there is made."""

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
        words: the words of which the name of a type there is made.
        levels: how many types are around it.
        around: the lists and maps around it, as ``inside`` is given them, up to the next record or union.
    """

    path: str
    words: tuple[str, ...]
    levels: int = 0
    around: frozenset[Any] = frozenset()

    @property
    def shown(self) -> str:
        """The path as the user is shown it."""
        return shown(self.path)

    @property
    def qualified(self) -> str:
        """The full name of a type at this place; its shortest end that is unique becomes the type's name."""
        return ".".join(self.words)

    def member(self, key: str) -> Location:
        return Location(member(self.path, key), (*self.words, pascal(identifier(key))), self.levels + 1)

    def inside(self, step: str, kind: frozenset[Any] = frozenset()) -> Location:
        """Returns the place of the items of a list, or the values of a map. ``kind`` are the cases of the
        list or map, if it follows from a JSON Schema."""
        words = (*self.words[:-1], singular(self.words[-1]))
        return Location(inside(self.path, step), words, self.levels + 1, self.around | {(step, kind)})

    def of_kind(self, kind: str) -> Location:
        """Returns the place of the values of one kind, for which a union here has an alternative."""
        words = (*self.words[:-1], f"{self.words[-1]}{kind.capitalize()}")
        return Location(self.path, words, self.levels + 1)
