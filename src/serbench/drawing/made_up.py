"""Makes random values from types alone."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from serbench.dataset.edges import decimal_bytes, logical_bounds
from serbench.dataset.recursion import TypeAnswers, leads_back, steps_to_end
from serbench.model import types

_LETTERS = "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJ 0123456789 _-/.:äé→日"


@dataclass
class MadeUp:
    """Draws random values.

    Attributes:
        draws: the source of random numbers.
        depth: the most steps of recursion in a value. All its references back share them: if each had so many
            of its own, the value could have 2 to the power of them.
        share: how often an optional is present, and how often an alternative with a value is chosen over one
            without, where there is a choice: 0 to 1.
        items: how many items a list or map has on average; strings and bytes are eight times as long.
    """

    draws: random.Random
    depth: int
    share: float
    items: int = 3
    _left: int = 0
    _inside: bool = False
    _told: TypeAnswers = field(default_factory=TypeAnswers)

    def value(self, type: types.Type) -> Any:
        """Return a random value of ``type``."""
        match type:
            case types.Scalar():
                return self._scalar(type)
            case types.FixedBytes(length):
                return self.draws.randbytes(length)
            case types.Logical():
                return self._logical(type)
            case types.Enum(_, _, members):
                return self._enum(type) if type.open else self.draws.choice(members)[1]
            case types.Ref():
                return self._step(type)
            case types.Optional(item):
                ends = self._ends(type)
                return self.value(item) if not ends and self.draws.random() < self.share else None
            case types.Array(item, length):
                return [self.value(item) for _ in range(length)]
            case types.List(item):
                return [self.value(item) for _ in range(self._length(type))]
            case types.Map(key, value):
                return {self.value(key): self.value(value) for _ in range(self._length(type))}
            case types.Record(_, fields):
                return tuple(self.value(f.type) for f in fields)
            case types.Union():
                return self._alternative(type)
        raise TypeError(f"{type!r} has no values")

    def _ends(self, type: types.Type) -> bool:
        """Whether values of ``type`` have to be empty: they lead back, and no step of recursion is left."""
        return not self._steps_left() and self._goes_on(type)

    def _goes_on(self, type: types.Type) -> bool:
        return self._told(leads_back, type, self._inside)

    def _steps_left(self) -> int:
        return self._left if self._inside else self.depth

    def _step(self, type: types.Ref) -> Any:
        """Return a value of the type to which a reference leads back; one step less is left for what is
        inside it and what follows it."""
        begins = not self._inside
        if begins:
            self._inside, self._left = True, self.depth
        self._left = max(self._left - 1, 0)
        value = self.value(type.target)
        if begins:
            self._inside = False
        return value

    def _length(self, type: types.Type) -> int:
        if self._ends(type):
            return 0
        if self._goes_on(type):
            return self.draws.randrange(1, 2 + min(self._steps_left(), 2))
        return self.draws.randrange(2 * self.items + 1 if not self._inside else 3)

    def _alternative(self, type: types.Union) -> Any:
        steps = [0 if a.type is None else self._told(steps_to_end, a.type) for a in type.alternatives]
        least = max(steps) if self._steps_left() else min(steps)
        able = [k for k, each in enumerate(steps) if each <= least]
        full = [k for k in able if type.alternatives[k].type is not None]
        empty = [k for k in able if type.alternatives[k].type is None]
        chosen = self.draws.choice(
            full if full and (not empty or self.draws.random() < self.share) else empty
        )
        inner = type.alternatives[chosen].type
        return chosen, None if inner is None else self.value(inner)

    def _scalar(self, type: types.Scalar) -> Any:
        if type == types.string:
            return "".join(self.draws.choice(_LETTERS) for _ in range(self.draws.randrange(16 * self.items)))
        if type == types.bytes_:
            return self.draws.randbytes(self.draws.randrange(16 * self.items))
        if type.name == "bool":
            return self.draws.random() < 0.5
        if type.is_float:
            return self.draws.randrange(-(1 << 20), 1 << 20) / 64  # a single-precision number too
        low, high = type.bounds
        number = self.draws.getrandbits(1 + self.draws.randrange(8 * type.width))  # as often small as large
        return min(number, high) if low == 0 or self.draws.random() < 0.5 else max(-number, low)

    def _enum(self, type: types.Enum) -> int:
        if self.draws.random() < 0.9:
            return self.draws.choice(type.members)[1]
        number: int = self._scalar(type.underlying)
        return number

    def _logical(self, type: types.Logical) -> Any:
        if type.kind == "uuid":
            identifier = UUID(bytes=self.draws.randbytes(16), version=4)
            return str(identifier) if type.base == types.string else identifier.bytes
        low, high = logical_bounds(type)
        number = self.draws.randrange(low, high + 1) >> self.draws.randrange(max(high.bit_length(), 1))
        return decimal_bytes(type, number) if type.kind == "decimal" else number
