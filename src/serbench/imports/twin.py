"""Makes a twin of somebody's messages: messages of the same shape and sizes with none of their values, so
that a benchmark can be shared.

What a twin keeps of each message: which optionals are present, which alternatives unions have, how many items
there are; booleans and members of enums; the length of strings and the kind of each character in its place
(``alike.py``), the length of bytes; of numbers the sign, how many digits they have, and whatever else decides
how many bytes a format takes for them. Equal values become equal values, whatever fields and messages they
are in, so codecs that intern strings, fill dictionaries or compress have as much to gain.

Why the values cannot be told from a twin: each is replaced by a keyed function of it (``substitution.py``).
The key is drawn from the system's source of randomness, is written nowhere, and is gone when the process
ends. If it were a seed published with the twin, or one of a few, anybody who suspects a value could compute
what it becomes and look whether that occurs. So two twins of the same data differ, and no twin can be made
again.

What a twin still tells: all that it keeps, and therefore how often each value occurs and where the same one
occurs again. Who knows that most orders come from one country can tell which code stands for it. Zero, empty
strings and others that are like no other value stay as they are; and a value of three bytes or less has so
few others like it that its replacement may be the value of another message by chance.

What a twin does not keep: what different strings have in common, such as beginnings and words, and how
different numbers are related, such as being in order or a millisecond apart. Bytes that are not text become
random. So its data compress less well.

Values of logical types stay valid. A timestamp stays within about 400 days of the original, since compressors
profit from its high bytes, and stays a whole day, second, millisecond or microsecond if it was one.
Timestamps are not all moved by the same distance, since one known time would then give away all others. UUIDs
keep their version and variant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any
from uuid import UUID

from serbench.dataset.edges import PER_SECOND, logical_bounds
from serbench.imports.alike import integers_like
from serbench.imports.json.keys import UUID as UUID_PATTERN
from serbench.imports.substitution import Substitution
from serbench.model import types

Change = Callable[[Any], Any]
"""Returns the replacement of a value."""

_DAY = 86_400
_WINDOW_DAYS = 366
"""The days that a window has at least, in which a timestamp's replacement lies. Its length in the timestamp's
unit is the next power of two, 388 to 512 days, and it begins at a multiple of that length."""


def twin_of(
    root: types.Record, values: Callable[[], Iterable[Any]], key: bytes | None = None
) -> Callable[[], Iterator[Any]]:
    """Returns a function that makes the twin of each value, one by one and in bounded memory; when it is
    called again, it makes the same twins.

    Args:
        root: the root of a ``Schema``.
        values: gives the values of type ``root``, from the first one each time it is called.
        key: 32 bytes, for tests alone; with the key, the values can be found out.
    """
    change = _Twin(Substitution(key)).of(root)
    return lambda: map(change, values())


class _Twin:
    """Makes for each type the function that replaces its values."""

    def __init__(self, substitution: Substitution):
        self._substitution = substitution
        self._of_composites: dict[str, Change] = {}

    def of(self, type: types.Type) -> Change:
        match type:
            case types.Scalar():
                return self._scalar(type)
            case types.FixedBytes():
                return self._substitution.octets
            case types.Logical():
                return self._logical(type)
            case types.Enum():
                return self._enum(type)
            case types.Optional(item):
                change = self.of(item)
                return lambda value: None if value is None else change(value)
            case types.List(item) | types.Array(item, _):
                change = self.of(item)
                return lambda value: [change(each) for each in value]
            case types.Map(key, value):
                return self._map(self.of(key), self.of(value))
            case types.Record(name, fields):
                return self._composite(name, lambda: _record([self.of(f.type) for f in fields]))
            case types.Union(name, alternatives):
                return self._composite(
                    name, lambda: _union([_kept if a.type is None else self.of(a.type) for a in alternatives])
                )
            case types.Ref(name):
                return lambda value: self._of_composites[name](value)
        raise TypeError(f"{type!r} has no values")

    def _composite(self, name: str, make: Callable[[], Change]) -> Change:
        if name not in self._of_composites:
            self._of_composites[name] = make()
        return self._of_composites[name]

    def _scalar(self, type: types.Scalar) -> Change:
        substitution = self._substitution
        if type == types.string:
            return substitution.text
        if type == types.bytes_:
            return substitution.octets
        if type.name == "bool":
            return _kept
        if type.is_float:
            single = type.width == 4
            return lambda value: substitution.real(float(value), single)
        return substitution.integer

    def _enum(self, type: types.Enum) -> Change:
        """Returns the function that replaces an enum's values. Members stay, since they are part of the
        schema; other numbers, which open enums can have, become numbers that are no members either."""
        members = frozenset(number for _, number in type.members)
        integer = self._substitution.integer

        def other(value: int, attempt: int = 0) -> int:
            made = value
            for _ in range(len(members) + 1 if value not in members else 0):
                made = integer(made, attempt)
                if made not in members:
                    break
            return made

        return other

    def _map(self, change_key: Callable[..., Any], change: Change) -> Change:
        def change_pairs(value: dict[Any, Any]) -> dict[Any, Any]:
            made: dict[Any, Any] = {}
            for key, each in value.items():
                changed = change_key(key)
                attempts = count(1)
                while changed in made:
                    changed = change_key(key, next(attempts))
                made[changed] = change(each)
            keys = list(value)
            return dict(sorted(made.items())) if keys == sorted(keys) else made

        return change_pairs

    def _logical(self, type: types.Logical) -> Change:
        if type.kind == "uuid":
            return self._uuid_text if type.base == types.string else self._uuid
        return self._decimal(type) if type.kind == "decimal" else self._time(type)

    def _time(self, type: types.Logical) -> Change:
        """Returns the function that replaces times. A whole day, second, … is replaced by another such one,
        and a point in time by one in the same window (``_WINDOW_DAYS``)."""
        among = self._substitution.among
        a_second = PER_SECOND.get(type.unit, 0)
        grains = [
            grain for grain in (_DAY * a_second, a_second, a_second // 10**3, a_second // 10**6) if grain
        ]
        point = type.kind in ("timestamp", "date")
        window = 1 << (_WINDOW_DAYS * (_DAY * a_second or 1)).bit_length()

        def change(value: int) -> int:
            least, most = integers_like(value)
            least, most = _within(least, most, _bounds(type, value))
            if point:
                least, most = _within(
                    least, most, (value // window * window, value // window * window + window - 1)
                )
            grain = next((each for each in grains if value % each == 0), 1)
            first = -(-least // grain)
            return (
                first
                + among(most // grain - first + 1, value // grain - first, b"time %d %d" % (first, grain))
            ) * grain

        return change

    def _decimal(self, type: types.Logical) -> Change:
        integer = self._substitution.integer
        if isinstance(type.base, types.Scalar) and type.base.is_integer:
            return integer
        return lambda value: integer(int.from_bytes(value, signed=True)).to_bytes(len(value), signed=True)

    def _uuid(self, value: bytes) -> bytes:
        made = bytearray(self._substitution.octets(value))
        for place, kept in ((6, 0xF0), (8, 0xC0)):
            made[place] = value[place] & kept | made[place] & ~kept
        return bytes(made)

    def _uuid_text(self, value: str) -> str:
        # Only the usual way to write a UUID, in lower case, is changed as one; any other is just text.
        if not re.fullmatch(UUID_PATTERN, value):
            return self._substitution.text(value)
        return str(UUID(bytes=self._uuid(UUID(value).bytes)))


def _kept(value: Any) -> Any:
    return value


def _record(changes: list[Change]) -> Change:
    return lambda value: tuple([change(each) for change, each in zip(changes, value, strict=True)])


def _union(changes: list[Change]) -> Change:
    return lambda value: (value[0], changes[value[0]](value[1]))


def _bounds(type: types.Logical, value: int) -> tuple[int, int]:
    """Returns the bounds of a logical type; for a value beyond them, which the base type allows, the least
    and the greatest integer that all formats write in as many bytes."""
    low, high = logical_bounds(type)
    return (low, high) if low <= value <= high else integers_like(value)


def _within(least: int, most: int, bounds: tuple[int, int]) -> tuple[int, int]:
    return max(least, bounds[0]), min(most, bounds[1])
