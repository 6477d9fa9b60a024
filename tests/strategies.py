"""Hypothesis strategies: random closed schemas, random values of a type, and a comparison that no equality softens."""

from __future__ import annotations

import struct
from typing import Any

from hypothesis import strategies as st
from tests.schemas import schema_from

from serbench.model import Array, Enum, List, Map, Optional, Record, Scalar, Schema, Type, bytes_, string

AWKWARD_STRINGS = ["", "\0", "NUL \0 inside\0", "žluťoučký kůň", "日本語", "\U0001f40e", "\uffff\U0010ffff", "\u07ff\u0800"]


def schemas() -> st.SearchStrategy[Schema]:
    """Closed schemas, which shrink to the fewest and simplest types."""
    return st.randoms(use_true_random=False).map(schema_from)


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
