"""Finds where each value of a message lies in its canonical encoding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from serbench.dataset.coders import COUNT
from serbench.model import types


@dataclass(frozen=True)
class Leaf:
    """A number, a text or bytes in a message, which can be changed alone. Values on which others depend are
    no leaves: counts, keys and presence.

    Attributes:
        offset, length: the place of its bytes in the message; for a text or bytes, without the count.
        type: a scalar, bytes of a fixed length, or an enum.
        logical: the kind of its logical type, such as ``date``; empty if it has none.
        of: the record and field, or the union and alternative, that it is in or an item of.
    """

    offset: int
    length: int
    type: types.Scalar | types.FixedBytes | types.Enum
    logical: str = ""
    of: tuple[str, str] = field(default=("", ""), compare=False)


def leaves(type: types.Type, message: bytes, chosen: bool = False) -> Iterator[Leaf]:
    """Yield the leaves of a message of this type, in the order of its canonical bytes. With ``chosen``, truth
    values and enums are leaves too, unless they are items of a list."""
    return Walk(message, chosen).over(type)


class Walk:
    """One walk over a message's canonical bytes, from the first to the last, that finds its leaves."""

    def __init__(self, message: bytes, chosen: bool):
        self._message = message
        self._chosen = chosen
        self._at = 0
        self._of = ("", "")

    def over(self, type: types.Type, logical: str = "") -> Iterator[Leaf]:
        match type:
            case types.Scalar():
                length = self._count() if type in (types.string, types.bytes_) else type.width
                yield from self._leaf(length, type, logical)
            case types.FixedBytes(length):
                yield from self._leaf(length, type, logical)
            case types.Enum():
                yield from self._leaf(type.underlying.width, type, logical)
            case types.Logical(kind):
                yield from self.over(type.base, kind)
            case types.Ref():
                yield from self.over(type.target)
            case types.Optional(item):
                self._at += 1
                if self._message[self._at - 1]:
                    yield from self.over(item)
            case types.Array(item, length):
                for _ in range(length):
                    yield from self.over(item)
            case types.List(item):
                count = self._count()
                if item == types.bool_:
                    self._at += count
                    return
                for _ in range(count):
                    yield from self.over(item)
            case types.Map(key, value):
                for _ in range(self._count()):
                    for _key in self.over(key):
                        pass
                    yield from self.over(value)
            case types.Union(name, alternatives):
                chosen = alternatives[self._count()]
                if chosen.type is not None:
                    yield from self._inside(name, chosen)
            case types.Record(name, fields):
                for each in fields:
                    yield from self._inside(name, each)
            case _:
                raise TypeError(f"{type!r} has no values")

    def _inside(self, owner: str, part: Any) -> Iterator[Leaf]:
        around, self._of = self._of, (owner, part.name)
        yield from self.over(part.type)
        self._of = around

    def _leaf(
        self, length: int, type: types.Scalar | types.FixedBytes | types.Enum, logical: str
    ) -> Iterator[Leaf]:
        begin, self._at = self._at, self._at + length
        if self._chosen or not (isinstance(type, types.Enum) or type == types.bool_):
            yield Leaf(begin, length, type, logical, self._of)

    def _count(self) -> int:
        (count,) = COUNT.unpack_from(self._message, self._at)
        self._at += COUNT.size
        return int(count)
