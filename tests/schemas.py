"""Random schemas, drawn from a seeded source of random numbers, or from hypothesis, which shrinks a failing
schema.

For either source, the simplest choice comes first, since hypothesis shrinks to the first one.
"""

from __future__ import annotations

import string as letters
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from random import Random
from typing import Any, TypeVar

from tests.unkind import KEYWORDS, MACROS, METHODS, PAIRS, TYPES

from serbench.model import (
    Alternative,
    Array,
    Enum,
    Field,
    FixedBytes,
    List,
    Logical,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Schema,
    Type,
    Union,
    bool_,
    date,
    decimal,
    duration,
    i32,
    i64,
    string,
    time_of_day,
    timestamp,
    uuid,
)
from serbench.model.check import MAX_NUMBER, UNITS
from serbench.model.types import NOTHING, SCALARS, Composite

UNKIND = [name for name in (*KEYWORDS, *MACROS, *METHODS, *PAIRS, *TYPES) if name not in SCALARS]
INTEGERS = [s for s in SCALARS.values() if s.is_integer]
KEYS = [*INTEGERS, string]
KINDS = ("scalar", "named", "scalar", "list", "optional", "map", "array")
DEEPEST = 3
"""The most lists, arrays, maps and optionals inside each other without a record between them."""

FEATURES = (
    "union",
    "recursion",
    "empty",
    "fixed",
    "logical",
    "keys",
    "open",
    "wide",
    "alias",
    "wire",
    "number",
    "metadata",
)
"""The additions of the type model's second edition. A random schema has about half of them, so that a codec
that lacks one is tested with the others."""
LOGICAL = ("timestamp", "date", "time", "duration", "decimal", "uuid")
WRITTEN = [
    "+1",
    "@type",
    "from-address",
    "a b",
    'quote "',
    "back\\slash",
    "$ref",
    "${x}",
    "žluť",
    "日",
    "a.b/c",
    "0",
    "tab\t",
]
MOST_DIGITS = 38
"""The most digits of decimals: as many as two 64-bit numbers can hold, since libraries have no more."""

Part = TypeVar("Part", Field, Alternative)


def schema_of(edition: int) -> Callable[[Random], Schema]:
    """The function that draws random schemas of an edition of the type model. A schema of the second edition
    contains one of the first."""
    return {1: schema_from, 2: grown_schema_from}[edition]


def schema_from(draws: Random) -> Schema:
    """A random schema of the type model's first edition; each record may hold the enums and the records made
    before it."""
    declared = _names(draws, draws.randint(1, 5))
    named: list[Record | Enum] = []
    for name in declared[:-1]:
        named.append(draws.choice((_enum, _record))(draws, name, named))
    return Schema(_name(draws, ()), _record(draws, declared[-1], named))


def _enum(draws: Random, name: str, named: Sequence[Record | Enum]) -> Enum:
    underlying = draws.choice(INTEGERS)
    low, high = underlying.bounds
    members = _names(draws, draws.randint(1, 4))
    values = _distinct(draws, len(members), max(low, -(1 << 31)), min(high, (1 << 31) - 1))
    return Enum(name, underlying, list(zip(members, values, strict=True)))


def _record(draws: Random, name: str, named: Sequence[Record | Enum]) -> Record:
    fields = _names(draws, draws.randint(1, 5))
    numbers = [0] * len(fields)
    if draws.choice((False, True)):
        numbers = [n if n < 19_000 else n + 1_000 for n in _distinct(draws, len(fields), 1, 31_767)]
    return Record(
        name, [Field(f, _type(draws, named, DEEPEST), n) for f, n in zip(fields, numbers, strict=True)]
    )


def _type(draws: Random, named: Sequence[Record | Enum], depth: int) -> Type:
    """A random type: a scalar, one of ``named``, or up to ``depth`` lists, optionals, maps and arrays around
    one of these."""
    match draws.choice(KINDS if depth else KINDS[:2]):
        case "named" if named:
            return draws.choice(named)
        case "list":
            return List(_type(draws, named, depth - 1))
        case "optional":
            inner = _type(draws, named, depth - 1)
            return inner if isinstance(inner, Optional) else Optional(inner)
        case "map":
            return Map(draws.choice(KEYS), _type(draws, named, depth - 1))
        case "array":
            return Array(_type(draws, named, depth - 1), draws.randint(1, 3))
    return draws.choice(list(SCALARS.values()))


def grown_schema_from(draws: Random) -> Schema:
    """A random schema of the type model's second edition."""
    return _Grown(draws).schema()


class _Grown:
    """Draws one schema of the type model's second edition, in which every type has a finite value. Recursion
    stands only in a list, map or optional, in a union, or in an alternative of a union that has another
    alternative."""

    def __init__(self, draws: Random):
        self._draws = draws
        self._features = {feature for feature in FEATURES if draws.choice((False, True))}
        self._made: list[Composite | Enum] = []
        self._unions: list[str] = []
        self._composites: list[str] = []

    def schema(self) -> Schema:
        draws = self._draws
        makers: list[Callable[[str], Composite | Enum]] = [self._enum, self._record]
        makers += [self._union] * 2 if "union" in self._features else []
        declared = [(name, draws.choice(makers)) for name in _names(draws, draws.randint(0, 8))]
        root = _name(draws, [name for name, _ in declared])
        self._unions = [name for name, make in declared if make == self._union]
        self._composites = [root, *(name for name, make in declared if make != self._enum)]
        for name, make in declared:
            self._made.append(make(name))
        return Schema(_name(draws, ()), self._record(root, least=1), self._made)

    def _has(self, feature: str) -> bool:
        return feature in self._features and self._draws.choice((False, True))

    def _enum(self, name: str) -> Enum:
        draws = self._draws
        underlying = draws.choice(INTEGERS)
        low, high = underlying.bounds
        if "wide" not in self._features:
            low, high = max(low, -(1 << 31)), min(high, (1 << 31) - 1)
        names = _names(draws, draws.randint(1, 5))
        more = names[: draws.randint(0, len(names) - 1)] if self._has("alias") else []
        values = _distinct(draws, len(names) - len(more), low, high)
        wire = list(zip(names, self._written(names), strict=True)) if self._has("wire") else []
        return Enum(
            name,
            underlying,
            list(zip(names[len(more) :], values, strict=True)),
            [(alias, draws.choice(values)) for alias in more],
            self._has("open"),
            [pair for pair in wire if pair[1]],
        )

    def _record(self, name: str, least: int = 0) -> Record:
        draws = self._draws
        names = _names(draws, draws.randint(1, 5)) if least or not self._has("empty") else []
        types = [self._type(DEEPEST, self._made, self._unions) for _ in names]
        fields = [
            Field(f, type, default=self._default(type), hints=self._hints())
            for f, type in zip(names, types, strict=True)
        ]
        return Record(name, self._told(fields), self._type_wire(name))

    def _union(self, name: str) -> Union:
        """A union with one alternative that never leads to recursion, whatever the others lead to."""
        draws = self._draws
        names = _names(draws, draws.randint(1, 4))
        ending = draws.randint(0, len(names) - 1)
        enums = [type for type in self._made if isinstance(type, Enum)]
        made: list[Alternative] = []
        for n, each in enumerate(names):
            named, back = (enums, []) if n == ending else (self._made, self._composites)
            made.append(
                Alternative(
                    each, None if draws.choice((True, False, False)) else self._type(DEEPEST, named, back)
                )
            )
        return Union(name, self._told(made), self._type_wire(name))

    def _type(self, depth: int, named: Sequence[Composite | Enum], back: Sequence[str]) -> Type:
        """A random type: a plain one, or up to ``depth`` lists, optionals, maps and arrays around one.
        Outside of lists, maps and optionals, a declared type can only be one of ``named``, and a recursive
        reference only one to a type of ``back``; inside them, any declared type can stand."""
        draws = self._draws
        own: list[str] = [kind for kind in ("fixed", "logical") if kind in self._features]
        own += ["named"] * 5 if named else []
        own += ["back"] * 6 if back and "recursion" in self._features else []

        def inner() -> Type:
            return self._type(depth - 1, self._made, self._composites)

        match draws.choice([*(KINDS if depth else KINDS[:2]), *own]):
            case "named" if named:
                return draws.choice(named)
            case "back":
                return Ref(draws.choice(back))
            case "fixed":
                return FixedBytes(draws.randint(1, 20))
            case "logical":
                return self._logical()
            case "list":
                return List(inner())
            case "optional":
                item = inner()
                return item if isinstance(item, Optional) else Optional(item)
            case "map":
                return Map(self._key(), inner())
            case "array":
                return Array(self._type(depth - 1, named, back), draws.randint(1, 3))
        return draws.choice(list(SCALARS.values()))

    def _key(self) -> Type:
        own: list[Type] = [bool_, *(type for type in self._made * 2 if isinstance(type, Enum))]
        return self._draws.choice(own) if self._has("keys") else self._draws.choice(KEYS)

    def _logical(self) -> Logical:
        draws = self._draws
        unit, digits = draws.choice(UNITS), draws.randint(1, MOST_DIGITS)
        match draws.choice(LOGICAL):
            case "timestamp":
                return timestamp(unit, draws.choice((True, False)))
            case "time":
                return time_of_day(unit)
            case "duration":
                return duration(unit)
            case "decimal":
                base = draws.choice((None, i32, i64, FixedBytes(draws.randint(1, 20))))
                return decimal(digits, draws.randint(0, digits), base)
            case "uuid":
                return uuid(draws.choice((None, string)))
        return date()

    def _told(self, parts: list[Part]) -> list[Part]:
        """The given fields, members or alternatives with numbers and written names, if this schema has these
        features."""
        count = len(parts)
        numbers = _distinct(self._draws, count, 1, MAX_NUMBER) if self._has("number") else [0] * count
        wires = self._written([part.name for part in parts]) if self._has("wire") else [""] * count
        return [
            replace(p, number=number, wire=wire)
            for p, number, wire in zip(parts, numbers, wires, strict=True)
        ]

    def _written(self, names: Sequence[str]) -> list[str]:
        """The written name of each part, in the order of ``names``: either new ones for some parts and none,
        an empty text, for the others, or for each part the name of the next one."""
        if len(names) > 1 and self._draws.choice((False, False, True)):
            return [*names[1:], names[0]]
        taken = set(names)
        return [self._free_written(taken) if self._draws.choice((False, True)) else "" for _ in names]

    def _free_written(self, taken: set[str]) -> str:
        written = self._draws.choice(WRITTEN)
        while written in taken:
            written += "'"
        taken.add(written)
        return written

    def _type_wire(self, name: str) -> str:
        return f"shop.v1.{name}" if self._has("wire") else ""

    def _default(self, type: Type) -> Any:
        type = type.item if isinstance(type, Optional) else type
        if not (isinstance(type, Enum | Scalar) and type.name != "bytes" and self._has("metadata")):
            return NOTHING
        if isinstance(type, Enum):
            return self._draws.choice(type.members)[1]
        if type == string:
            return self._draws.choice(WRITTEN)
        return True if type == bool_ else 0.5 if type.is_float else self._draws.choice(type.bounds)

    def _hints(self) -> list[tuple[str, str]]:
        return [("an idl", "a word")] if self._has("metadata") else []


def _names(draws: Random, count: int) -> list[str]:
    """Distinct random names; many differ only in case or underscores."""
    found: list[str] = []
    for _ in range(count):
        found.append(_name(draws, found))
    return found


def _name(draws: Random, taken: Collection[str]) -> str:
    """A random name, often one that is a reserved word of some language; none of ``taken``."""
    if draws.choice((False, True)):
        name = draws.choice(UNKIND)
    else:
        alphabet = letters.ascii_lowercase + letters.ascii_uppercase
        words = [_word(draws, alphabet + letters.digits) for _ in range(draws.randint(0, 2))]
        name = "_".join([draws.choice(alphabet) + _word(draws, alphabet + letters.digits), *words])
    free = (f"{name}{n}" if n else name for n in range(len(taken) + len(SCALARS) + 1))
    return next(each for each in free if each not in taken and each not in SCALARS)


def _word(draws: Random, alphabet: str) -> str:
    return "".join(draws.choice(alphabet) for _ in range(draws.randint(1, 4)))


def _distinct(draws: Random, count: int, low: int, high: int) -> list[int]:
    found: list[int] = []
    for _ in range(count):
        number = draws.randint(low, high)
        while number in found:
            number = number + 1 if number < high else low
        found.append(number)
    return found
