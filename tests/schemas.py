"""Schemas drawn from a source of random numbers: a seeded one, or hypothesis's, which shrinks what it finds.

Of either source, the simplest choice comes first, since that is where hypothesis shrinks to.
"""

from __future__ import annotations

import string as letters
from collections.abc import Collection, Sequence
from random import Random

from tests.unkind import KEYWORDS, MACROS, METHODS, PAIRS, TYPES

from serbench.model import Array, Enum, Field, List, Map, Optional, Record, Schema, Type, string
from serbench.model.types import SCALARS

UNKIND = [name for name in (*KEYWORDS, *MACROS, *METHODS, *PAIRS, *TYPES) if name not in SCALARS]
INTEGERS = [s for s in SCALARS.values() if s.is_integer]
KEYS = [*INTEGERS, string]
KINDS = ("scalar", "named", "scalar", "list", "optional", "map", "array")
DEEPEST = 3
"""How many lists, arrays, maps and optionals may be in one another without a record between."""


def schema_from(draws: Random) -> Schema:
    """A closed schema; each record may hold the enums and the records made before it."""
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
    return Record(name, [Field(f, _type(draws, named, DEEPEST), n) for f, n in zip(fields, numbers, strict=True)])


def _type(draws: Random, named: Sequence[Record | Enum], depth: int) -> Type:
    """A scalar, or one of ``named``, or up to ``depth`` types around it."""
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


def _names(draws: Random, count: int) -> list[str]:
    """Distinct names; many differ only in case or underscores."""
    found: list[str] = []
    for _ in range(count):
        found.append(_name(draws, found))
    return found


def _name(draws: Random, taken: Collection[str]) -> str:
    """A name that is reserved somewhere, or another."""
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
