"""Edge values: values on which codecs tend to fail, made from types alone."""

from __future__ import annotations

from collections import Counter
from typing import Any
from uuid import UUID

from serbench.dataset.recursion import TypeAnswers, leads_back, soonest, ways_back
from serbench.dataset.values import GREATEST_F32, NO_LIMITS, Limits
from serbench.model import (
    Array,
    Enum,
    FixedBytes,
    List,
    Logical,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Type,
    Union,
    bytes_,
    string,
)

_FLOATS = {
    "f32": [0.0, -0.0, 1.5, float("inf"), float("-inf"), GREATEST_F32, 1.401298464324817e-45],
    "f64": [0.0, -0.0, 1.5, float("inf"), float("-inf"), 1.7976931348623157e308, 5e-324],
}

_STRINGS = [
    "",
    "a",
    "fifteen letters",
    "just beyond the small string buffer of every library",
    "with a NUL \0 inside\0",
    "žluťoučký kůň · 日本語 · \U0001f40e · \u0000 · \u07ff \u0800 \uffff \U0010ffff",
    'quote " backslash \\ newline \n comma , tab \t underscore _',
    "x" * 70_000,
]

PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_FIRST_SECOND = -62_135_596_800
_LAST_SECOND = 253_402_300_799
_LONGEST = 315_576_000_000

DEEPEST = 200
"""The most steps of recursion in edge values."""

_DEPTHS = (0, 1, 5, DEEPEST)
"""How many steps of recursion the edge messages have, in turn: the first 0, the second 1, and so on."""

NEAR = 5
"""The deepest step of recursion at which scalars still get different edge values. Deeper inside, all scalars
of a type get the same short one, or messages would take megabytes."""

_SCALARS = 4_000
"""The number of scalars in one message from which on no further recursion begins. Without such a limit, the
edge values of a published schema with many recursive places would take 47 MB, and minutes of every check."""

_ROOM = 64
"""The most items that lists and maps inside each other hold together: with 16 items on each level, messages
would take hundreds of megabytes."""

_AMPLE = 4
"""The least room (number of items, see ``_ROOM``) at which a place in lists and maps gets long strings and
bytes; where less room is left, they are short."""

_LONG_IN_MESSAGE, _LONG_FREELY, _LONG_IN_ALL = 16, 80, 160
"""The most strings and bytes of 70,000 bytes in one message; their number in all messages from which on a
field gets at most two; and the most in all messages. Without such limits, the edge values of a schema with
700 strings, as published schemas of webhooks have, would take 355 MB."""

_CUT = 1000
"""The length to which long strings and bytes are cut once there are enough long ones."""

EDGE_MESSAGES = 32
"""The number of messages with edge values: twice as many as the longest list of edges has items, so that each
field gets each edge, even an optional field that is absent in every other message."""


def edge_values(root: Record, limits: Limits = NO_LIMITS) -> list[Any]:
    """Return ``EDGE_MESSAGES`` values of ``root`` on which codecs tend to fail.

    They have: everything empty; the least and the greatest numbers; strings that are long, not ASCII or
    contain NUL; infinities and negative zero; absent and present optionals; each alternative of a union;
    recursion of 0 to 200 steps; numbers of an open enum that no member has.

    Every edge of every scalar occurs in at least one value; in a schema of more than 80 strings, the longest
    only in some of them. NaN is left out: it is not equal to itself, and text formats have no one spelling of
    it.

    Args:
        limits: the limits that a codec declares; a value beyond them is replaced by the nearest within.
    """
    most = limits.most_steps
    steps = [each if most is None else min(each, most) for each in _DEPTHS]
    long = _Long()
    values = [_Edges(steps[n % len(steps)], long).of(root, n) for n in range(EDGE_MESSAGES)]
    return [limits.fitted(root, value) for value in values]


class _Long:
    """Cuts long strings and bytes in edge values once a message, or all messages, have enough long ones. Its
    ``at`` is the field or alternative whose value is being made: the name of its type, and its own name."""

    def __init__(self) -> None:
        self.at = ("", "")
        self._all = self._in_message = 0
        self._of: Counter[tuple[str, str]] = Counter()

    def begin_message(self) -> None:
        self._in_message = 0

    def fitted(self, value: Any) -> Any:
        if not _is_long(value):
            return value
        is_free = self._all < _LONG_FREELY or self._of[self.at] < 2
        if not is_free or self._in_message == _LONG_IN_MESSAGE or self._all == _LONG_IN_ALL:
            return value[:_CUT]
        self._all, self._in_message = self._all + 1, self._in_message + 1
        self._of[self.at] += 1
        return value


class _Edges:
    """Makes the edge values of one message.

    Where a type leads back in several places, only the first place goes on with recursion at each step, and
    the others end it: if all went on, the number of values would double with each step.
    """

    def __init__(self, steps: int, long: _Long):
        long.begin_message()
        self._long = long
        self._steps = steps
        self._left = steps
        self._gone = 0
        self._scalars = 0
        self._been: set[str] = set()
        self._told = TypeAnswers()

    def of(self, type: Type, n: int, room: int = _ROOM) -> Any:
        """Return the n-th edge value of a type; the 0th is empty or zero. Lists and maps inside each other
        hold at most ``room`` items together."""
        match type:
            case Scalar() | FixedBytes() | Logical() | Enum():
                self._scalars += 1
                if self._scalars > _SCALARS and not self._gone:
                    self._steps = self._left = 0
                choices = self._told(_short if self._gone or room < _AMPLE else _edges, type)
                return self._long.fitted(choices[(n if self._gone <= NEAR else 1) % len(choices)])
            case Ref():
                return self._step(type, n, room)
            case Optional(item):
                if self._goes_on(type):
                    return self.of(item, n, room) if self._left else None
                return self.of(item, n // 2, room) if n % 2 else None
            case Array(item, length):
                return self._several(item, n, length, room)
            case List(item):
                if self._goes_on(type):
                    return self._several(item, n, min(self._left, 1 + n % 2), room)
                # Long strings in every item of every list would take megabytes and test nothing new.
                return self._several(item, n, min((0, 1, 2, 3, 7, 16, 1, 1)[n % 8], room), room)
            case Map(key, value):
                keys = _edges(key)
                at = self._long.at
                count = (
                    min(self._left, 1)
                    if self._goes_on(type)
                    else min((0, 1, 3, len(keys))[n % 4], len(keys), room)
                )
                values = self._several(value, n, count, room)
                self._long.at = at
                return {self._long.fitted(keys[(n + k) % len(keys)]): each for k, each in enumerate(values)}
            case Record(name, fields):
                # Neighbouring fields get different edges, so that a codec that swaps two of them is found
                # out.
                made = []
                for k, f in enumerate(fields):
                    self._long.at = name, f.name
                    made.append(self.of(f.type, n if n == 0 else n + k, room))
                return tuple(made)
            case Union(name, alternatives):
                index = self._alternative(type, n)
                chosen, self._long.at = alternatives[index].type, (name, alternatives[index].name)
                return index, None if chosen is None else self.of(chosen, n // len(alternatives), room)
        raise TypeError(f"{type!r} has no edge values")

    def _goes_on(self, type: Type) -> bool:
        return self._told(leads_back, type, self._gone > 0)

    def _several(self, item: Type, n: int, count: int, room: int) -> list[Any]:
        """Return ``count`` edge values, the n-th and on, each with an equal part of ``room`` (see ``of``)."""
        return [self.of(item, n + k, max(room // count, 1)) for k in range(count)]

    def _step(self, type: Ref, n: int, room: int) -> Any:
        """Return a value of the type to which a reference leads back, one step further down. When no step is
        left, the value ends as soon as possible."""
        if not self._gone:
            # Only the first value of each type goes to the full depth: if each of 64 items did, each would
            # hold thousands of values.
            self._left = min(self._steps, NEAR) if type.name in self._been else self._steps
            self._been.add(type.name)
        self._left, self._gone = max(self._left - 1, 0), self._gone + 1
        value = self.of(type.target, n, room)
        self._gone -= 1
        if not self._gone:
            self._left = self._steps
        return value

    def _alternative(self, type: Union, n: int) -> int:
        """Return the index of the n-th alternative to take. Inside recursion, alternatives that continue it
        are taken while steps are left, and then those that end soonest."""
        ways = self._told(ways_back, type)
        if not ways or (self._left and not self._gone):
            ways = list(range(len(type.alternatives)))
        elif not self._left:
            ways = self._told(soonest, type)
        return ways[n % len(ways)]


def _short(type: Type) -> list[Any]:
    """Return the edges of a type without the long strings and bytes, which would take megabytes if they were
    repeated at each step, and test nothing new."""
    return [each for each in _edges(type) if not _is_long(each)]


def _is_long(value: Any) -> bool:
    return isinstance(value, str | bytes) and len(value) > _CUT


def _edges(type: Type) -> list[Any]:
    match type:
        case Scalar():
            return _scalar_edges(type)
        case FixedBytes(length):
            return [bytes(length), b"\xff" * length, bytes(k % 256 for k in range(1, length + 1))]
        case Logical():
            return _logical_edges(type)
        case Enum():
            return _enum_edges(type)
    raise TypeError(f"{type!r} has no edge values of its own")


def _scalar_edges(type: Scalar) -> list[Any]:
    if type == string:
        return _STRINGS
    if type == bytes_:
        return [b"", b"a", b"\0", bytes(range(256)), b"\xff" * 70_000]
    if type.name == "bool":
        return [False, True]
    if type.is_float:
        return _FLOATS[type.name]
    low, high = type.bounds
    middle = [
        v for v in (1, -1, 127, 128, 255, 256, -128, -129, 65535, 65536, 1 << 31, 1 << 53) if low < v < high
    ]
    return [0, low, high, *middle]


def _enum_edges(enum: Enum) -> list[int]:
    known = [value for _, value in enum.members]
    if not enum.open:
        return known
    low, high = enum.underlying.bounds
    unknown = [value for value in (max(known) + 1, high, low) if low <= value <= high and value not in known]
    return [*known, *dict.fromkeys(unknown)]


def logical_bounds(type: Logical) -> tuple[int, int]:
    """Return the least and the greatest number of a logical type; for a decimal, the unscaled numbers.

    All libraries' own types can hold them: the years 1 to 9999, and durations up to 10,000 years, as far as
    the base type has room.
    """
    per_second = PER_SECOND.get(type.unit, 1)
    low, high = {
        "timestamp": (_FIRST_SECOND * per_second, _LAST_SECOND * per_second),
        "duration": (-_LONGEST * per_second, _LONGEST * per_second),
        "time": (0, 86_400 * per_second - 1),
        "date": (_FIRST_SECOND // 86_400, _LAST_SECOND // 86_400),
        "decimal": (1 - 10**type.precision, 10**type.precision - 1),
    }[type.kind]
    match type.base:
        case Scalar() as base if base.width:
            least, most = base.bounds
        case FixedBytes(length):
            least, most = -(1 << 8 * length - 1), (1 << 8 * length - 1) - 1
        case _:
            return low, high
    return max(low, least), min(high, most)


def decimal_bytes(type: Logical, unscaled: int) -> Any:
    """Return the value of a decimal's base type for an unscaled number: the number itself, or its bytes
    (big-endian, two's complement)."""
    if isinstance(type.base, Scalar) and type.base.width:
        return unscaled
    width = type.base.length if isinstance(type.base, FixedBytes) else _bytes_of(unscaled)
    return unscaled.to_bytes(width, "big", signed=True)


def _logical_edges(type: Logical) -> list[Any]:
    if type.kind == "uuid":
        identifiers = [UUID(int=0), UUID(int=(1 << 128) - 1), UUID("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")]
        return [str(each) if type.base == string else each.bytes for each in identifiers]
    low, high = logical_bounds(type)
    numbers = list(dict.fromkeys([0, 1, *([-1] if low < 0 else []), low, high, high // 3]))
    return [decimal_bytes(type, each) for each in numbers] if type.kind == "decimal" else numbers


def _bytes_of(number: int) -> int:
    """Return the fewest bytes of two's complement that hold ``number``."""
    return (number if number >= 0 else ~number).bit_length() // 8 + 1
