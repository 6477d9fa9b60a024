"""Makes up messages for a schema without data, whose lengths, magnitudes, presence and depths are like those
that were published of real messages.

The published figures are in ``figures.py``; values that the names of fields suggest are in ``hints.py``. All
else was chosen:

- Unions have each alternative equally often, enums each member, and open enums now and then a number that is
  no member.
- For every message, a depth and a number of steps of recursion are drawn, the latter like the published
  number of sub-messages. All places of a value that lead back share the steps that are left, so that a type
  which leads back to itself in many places does not have larger values.
- Lists and maps that are inside each other hold 1,000 items together, and the strings in them are shorter
  accordingly.
- Timestamps are of the years 2024 and 2025.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any
from uuid import UUID

from serbench.dataset.edges import PER_SECOND, decimal_bytes, logical_bounds
from serbench.dataset.recursion import soonest
from serbench.imports.figures import (
    COMPOSITE_FILLED,
    COMPOSITE_ITEMS,
    COMPOSITE_PRESENT,
    DEPTH,
    PLAIN_FILLED,
    PLAIN_ITEMS,
    PLAIN_PRESENT,
    SUB_MESSAGES,
    TEXT_BYTES,
    Draws,
)
from serbench.imports.hints import FIRST_SECOND, LAST_SECOND, Maker, Texts, hinted, rounded
from serbench.model import types
from serbench.model.parts import reaches_back, types_in

_ROOM = 1000
"""The number of items that lists and maps inside each other hold together."""

_TEXT_OF_AN_ITEM = 64
"""The most bytes of a string, for each item that there is still room for."""

_MEMBERS = 0.97
"""How often the value of an open enum is one of its members."""

_NEGATIVE = 0.5
"""How often an integer is negative if its IDL says that it often is."""

_TRIES = 4
"""How often the key of a map is drawn to find a new one; a small integer type has few."""


def synthesized(root: types.Record, count: int, seed: int) -> Iterator[Any]:
    """Makes up ``count`` values of ``root``, which is the root of a ``Schema``. The same seed gives the same
    values in every version of Python."""
    synthesis = _Synthesis(Draws(seed))
    make = synthesis.of(root)
    for _ in repeat(None, count):
        synthesis.begin()
        yield make()


class _Synthesis:
    """Gives, for a type, the function that makes up its values.

    Attributes:
        room: how many items the list or map that is being made may have, with those inside its items.
        steps: how many steps of recursion the rest of the message may still take.
        depth: how many of these steps may be inside the value that is being made.
    """

    def __init__(self, draws: Draws):
        self._draws = draws
        self._texts = Texts(draws)
        self._depth, self._steps = draws.from_knots(DEPTH), draws.from_knots(SUB_MESSAGES)
        self._octets = draws.from_knots(TEXT_BYTES)
        self._of_composites: dict[str, Maker] = {}
        self.room = self.steps = self.depth = 0

    def begin(self) -> None:
        """Begins the next message: draws how many steps of recursion it takes, and how deep they go."""
        self.room, self.steps, self.depth = _ROOM, self._steps(), self._depth()

    def of(self, type: types.Type, name: str = "", words: tuple[str, ...] = ()) -> Maker:
        """The function that makes up values of ``type``, for a field with a name and the hints ``words``."""
        match type:
            case types.Scalar():
                return hinted(name, type, self._texts) or self._scalar(type, words)
            case types.FixedBytes(length):
                return lambda: self._draws.octets(length)
            case types.Logical():
                return self._logical(type)
            case types.Enum():
                return self._enum(type)
            case types.Optional(item):
                return self._optional(type, self.of(item, name, words))
            case types.Array(item, length):
                return self._items(lambda: length, self.of(item, name, words))
            case types.List(item):
                return self._items(self._count(type), self.of(item, name, words))
            case types.Map(key, value):
                return self._map(type, self._key(key), self.of(value, name, words))
            case types.Record(name):
                return self._composite(name, lambda: self._record(type))
            case types.Union(name):
                return self._composite(name, lambda: self._union(type))
            case types.Ref(name):
                return self._back(name)
        raise TypeError(f"{type!r} has no values")

    def _composite(self, name: str, make: Callable[[], Maker]) -> Maker:
        if name not in self._of_composites:
            self._of_composites[name] = make()
        return self._of_composites[name]

    def _back(self, name: str) -> Maker:
        """The function that makes up the value to which a reference back to the type ``name`` leads.

        Half of these values may take all steps of recursion that are left, so that chains become deep; the
        others may take a drawn number of them, and leave the rest to values behind them.
        """
        below, share, makers = self._draws.below, self._draws.share, self._of_composites

        def step() -> Any:
            left, depth = max(self.steps - 1, 0), self.depth
            given = left if share() < 0.5 else below(left + 1)
            self.steps, self.depth = given, depth - 1
            value = makers[name]()
            self.steps, self.depth = left - given + self.steps, depth
            return value

        return step

    def _ends(self) -> bool:
        return self.steps <= 0 or self.depth <= 0

    def _record(self, type: types.Record) -> Maker:
        makers = [self.of(f.type, f.name, tuple(word for _, word in f.hints)) for f in type.fields]
        return lambda: tuple([make() for make in makers])

    def _union(self, type: types.Union) -> Maker:
        made = [(lambda: None) if a.type is None else self.of(a.type, a.name) for a in type.alternatives]
        every = list(enumerate(made))
        ending = [every[k] for k in soonest(type)]
        of = self._draws.of

        def alternative() -> Any:
            index, make = of(ending if self._ends() else every)
            return index, make()

        return alternative

    def _optional(self, type: types.Optional, item: Maker) -> Maker:
        share, present = self._draws.share, COMPOSITE_PRESENT if _is_composite(type) else PLAIN_PRESENT
        if not reaches_back(type):
            return lambda: item() if share() < present else None
        return lambda: item() if share() < present and not self._ends() else None

    def _items(self, count: Callable[[], int], item: Maker) -> Maker:
        """The function that makes up a list of items, which share the list's ``room`` for what is in them."""

        def items() -> Any:
            n, room = count(), self.room
            self.room = max(room // n, 1) if n else room
            made = [item() for _ in range(n)]
            self.room = room
            return made

        return items

    def _map(self, type: types.Map, key: Maker, value: Maker) -> Maker:
        count = self._count(type)

        def pairs() -> Any:
            n, room = count(), self.room
            self.room = room // n if n else room
            made: dict[Any, Any] = {}
            for _ in range(n):
                chosen = next((each for each in (key() for _ in range(_TRIES)) if each not in made), None)
                if chosen is not None:
                    made[chosen] = value()
            self.room = room
            return made

        return pairs

    def _count(self, type: types.List | types.Map) -> Callable[[], int]:
        """The function that draws the number of items of a list or map: at most as many as there is room for,
        and 0 if they lead back and no step is left."""
        goes_on, share = reaches_back(type), self._draws.share
        filled, items = (
            (COMPOSITE_FILLED, COMPOSITE_ITEMS) if _is_composite(type) else (PLAIN_FILLED, PLAIN_ITEMS)
        )
        count = self._draws.from_knots(items)

        def counted() -> int:
            if share() >= filled or (goes_on and self._ends()):
                return 0
            return min(count(), self.room)

        return counted

    def _key(self, type: types.Type) -> Maker:
        """The function that makes up keys of a map: strings are words, which come again in other messages."""
        return self._texts.word if type == types.string else self.of(type)

    def _scalar(self, type: types.Scalar, words: tuple[str, ...]) -> Maker:
        draws, texts = self._draws, self._texts
        if type == types.string:
            return lambda: texts.text(_TEXT_OF_AN_ITEM * self.room)
        if type == types.bytes_:
            return lambda: draws.octets(min(self._octets(), _TEXT_OF_AN_ITEM * self.room))
        if type.name == "bool":
            return lambda: draws.share() < 0.5
        if type.is_float:
            return rounded(type, lambda: draws.below(1_000_000) / 1_000_000)
        low, high = type.bounds
        if any("fixed" in word for word in words):  # IDLs have such types for numbers that are mostly great
            return lambda: draws.between(low, high)
        count = draws.integers(high)
        if any("sint" in word or "zigzag" in word for word in words):
            return lambda: ~count() if draws.share() < _NEGATIVE else count()
        return count

    def _enum(self, type: types.Enum) -> Maker:
        draws, members = self._draws, [number for _, number in type.members]
        if not type.open:
            return lambda: draws.of(members)
        others = draws.integers(type.underlying.bounds[1])
        return lambda: draws.of(members) if draws.share() < _MEMBERS else others()

    def _logical(self, type: types.Logical) -> Maker:
        draws = self._draws
        if type.kind == "uuid":
            return (
                self._texts.uuid
                if type.base == types.string
                else lambda: UUID(int=draws.bits(128), version=4).bytes
            )
        low, high = logical_bounds(type)
        match type.kind:
            case "timestamp":
                per_second = PER_SECOND[type.unit]
                return lambda: draws.between(FIRST_SECOND * per_second, LAST_SECOND * per_second)
            case "date":
                return lambda: draws.between(FIRST_SECOND // 86_400, LAST_SECOND // 86_400)
            case "time":
                return lambda: draws.between(low, high)
        count = draws.integers(high)
        return count if type.kind == "duration" else lambda: decimal_bytes(type, count())


def _is_composite(type: types.Optional | types.List | types.Map) -> bool:
    """Whether a type holds records or unions, and not plain values."""
    return any(isinstance(part, types.Record | types.Union | types.Ref) for part in types_in(type))
