"""Hypothesis strategies: random closed schemas, random values of a type, and a comparison that no equality softens."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from tests.unkind import KEYWORDS, MACROS, METHODS, PAIRS, TYPES

from serbench.model import Array, Enum, Field, List, Map, Optional, Record, Scalar, Schema, Type, bytes_, string
from serbench.model.types import SCALARS

KEYS = [s for s in SCALARS.values() if s.is_integer or s == string]
INTEGERS = [s for s in SCALARS.values() if s.is_integer]
AWKWARD_STRINGS = ["", "\0", "NUL \0 inside\0", "žluťoučký kůň", "日本語", "\U0001f40e", "\uffff\U0010ffff", "\u07ff\u0800"]


_LOWER, _DIGITS = "abcdefghijklmnopqrstuvwxyz", "0123456789"
_words = st.text(_LOWER + _LOWER.upper() + _DIGITS, min_size=1, max_size=4)
_made_up = st.builds(
    lambda first, rest: "_".join([first, *rest]),
    st.builds(lambda letter, tail: letter + tail, st.sampled_from(_LOWER + _LOWER.upper()), _words),
    st.lists(_words, max_size=2),
).filter(lambda name: name not in SCALARS)

names = st.sampled_from([*KEYWORDS, *MACROS, *METHODS, *PAIRS, *TYPES]).filter(lambda name: name not in SCALARS) | _made_up
"""Of all that is declared: names that are reserved somewhere, and others; many differ only in case or underscores."""


@st.composite
def enums(draw: st.DrawFn, name: str) -> Enum:
    underlying = draw(st.sampled_from(INTEGERS))
    low, high = underlying.bounds
    members = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    within = st.integers(max(low, -(1 << 31)), min(high, (1 << 31) - 1))
    values = draw(st.lists(within, min_size=len(members), max_size=len(members), unique=True))
    return Enum(name, underlying, list(zip(members, values, strict=True)))


def types(named: Sequence[Record | Enum], depth: int = 3) -> st.SearchStrategy[Type]:
    """Types made of scalars and of ``named``, nested at most ``depth`` deep."""
    leaves: st.SearchStrategy[Type] = st.sampled_from([*SCALARS.values(), *named])
    if not depth:
        return leaves
    inner = types(named, depth - 1)
    return st.one_of(
        leaves,
        inner.map(List),
        st.builds(Array, inner, st.integers(1, 3)),
        st.builds(Map, st.sampled_from(KEYS), inner),
        inner.filter(lambda t: not isinstance(t, Optional)).map(Optional),
    )


@st.composite
def records(draw: st.DrawFn, name: str, named: Sequence[Record | Enum]) -> Record:
    fields = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    numbers: list[int] = [0] * len(fields)
    if draw(st.booleans()):
        one = st.integers(1, 18_999) | st.integers(20_000, 32_767)
        numbers = draw(st.lists(one, min_size=len(fields), max_size=len(fields), unique=True))
    return Record(name, [Field(n, draw(types(named)), number) for n, number in zip(fields, numbers, strict=True)])


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    """A closed schema; each record may hold the enums and the records made before it."""
    declared = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    named: list[Record | Enum] = []
    for name in declared[:-1]:
        one: st.SearchStrategy[Record | Enum] = enums(name) if draw(st.booleans()) else records(name, named)
        named.append(draw(one))
    return Schema(draw(names), draw(records(declared[-1], named)))


def values_of(type: Type) -> st.SearchStrategy[Any]:
    """Values of a type: what it bounds, and what codecs trip over."""
    match type:
        case Scalar():
            return _scalars_of(type)
        case Enum(_, _, members):
            return st.sampled_from([v for _, v in members])
        case List(item):
            return st.lists(values_of(item), max_size=4)
        case Array(item, length):
            return st.lists(values_of(item), min_size=length, max_size=length)
        case Map(key, value):
            return st.dictionaries(values_of(key), values_of(value), max_size=4)
        case Optional(item):
            return st.none() | values_of(item)
        case Record(_, fields):
            return st.tuples(*(values_of(f.type) for f in fields))
    raise TypeError(f"{type!r} has no values")


def _scalars_of(type: Scalar) -> st.SearchStrategy[Any]:
    if type.is_integer:
        low, high = type.bounds
        return st.sampled_from([low, high, 0]) | st.integers(low, high)
    if type.is_float:
        special = st.sampled_from([-0.0, 0.0, float("inf"), float("-inf")])
        return special | st.floats(width=32 if type.width == 4 else 64, allow_nan=False)
    if type == string:
        return st.sampled_from(AWKWARD_STRINGS) | st.text(max_size=8)
    if type == bytes_:
        return st.binary(max_size=8)
    return st.booleans()


@st.composite
def schemas_with_values(draw: st.DrawFn) -> tuple[Schema, Any]:
    schema = draw(schemas())
    return schema, draw(values_of(schema.root))


def exact(value: Any) -> Any:
    """The value in a form that is equal only where the kinds and, of floats, the bits are the same."""
    if isinstance(value, float):
        return ("float", struct.pack("<d", value))
    if isinstance(value, tuple):
        return ("tuple", [exact(v) for v in value])
    if isinstance(value, list):
        return ("list", [exact(v) for v in value])
    if isinstance(value, dict):
        return ("dict", {k: exact(v) for k, v in value.items()})
    return (type(value).__name__, value)
