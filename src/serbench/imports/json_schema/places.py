"""Where a value is: by its path in the data, and by the words of which types are named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from serbench.imports.json.building import single
from serbench.imports.json.paths import inside, member
from serbench.imports.names import identifier
from serbench.model.names import pascal


@dataclass(frozen=True)
class Place:
    """Where a value is.

    Attributes:
        path: in the data, as paths.py has it.
        words: of which the name of a type there is made.
        levels: types around it.
        around: the lists and maps around it that no record or union ends.
    """

    path: str
    words: tuple[str, ...]
    levels: int = 0
    around: frozenset[Any] = frozenset()

    def member(self, key: str) -> Place:
        return Place(member(self.path, key), (*self.words, pascal(identifier(key))), self.levels + 1)

    def inside(self, step: str, kind: frozenset[Any]) -> Place:
        """Of an item or a value, of a list or map of such a ``kind``."""
        return Place(
            inside(self.path, step), single(self.words), self.levels + 1, self.around | {(step, kind)}
        )
