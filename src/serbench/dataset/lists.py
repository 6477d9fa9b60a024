"""Finds where each list of a message and its items lie in the canonical encoding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from serbench.dataset.coders import COUNT
from serbench.dataset.leaves import Leaf, Walk
from serbench.model import types


@dataclass(frozen=True)
class Listed:
    """A list in a message.

    Attributes:
        of: the record and field, or the union and alternative, that it is in or an item of.
        depth: in how many lists, arrays and maps of that field it is.
        offset: the place of its count in the message.
        bounds: where each item begins, and where the last one ends.
    """

    of: tuple[str, str]
    depth: int
    offset: int
    bounds: Sequence[int]

    @property
    def items(self) -> int:
        return len(self.bounds) - 1


def lists_in(type: types.Type, message: bytes) -> list[Listed]:
    """Return the lists of a message of this type, in the order of their counts."""
    walk = _Lists(message)
    for _ in walk.over(type):
        pass
    return sorted(walk.found, key=lambda each: each.offset)


class _Lists(Walk):
    """One walk over a message that finds its lists."""

    def __init__(self, message: bytes):
        super().__init__(message, chosen=False)
        self.found: list[Listed] = []
        self._depth = 0

    def over(self, type: types.Type, logical: str = "") -> Iterator[Leaf]:
        if not isinstance(type, types.List | types.Array | types.Map):
            yield from super().over(type, logical)
            return
        of, depth, offset = self._of, self._depth, self._at
        self._depth += 1
        if isinstance(type, types.List):
            bounds = [offset + COUNT.size]
            for _ in range(self._count()):
                yield from self.over(type.item)
                bounds.append(self._at)
            self.found.append(Listed(of, depth, offset, bounds))
        else:
            yield from super().over(type, logical)
        self._depth = depth

    def _inside(self, owner: str, part: Any) -> Iterator[Leaf]:
        around, self._depth = self._depth, 0
        yield from super()._inside(owner, part)
        self._depth = around
