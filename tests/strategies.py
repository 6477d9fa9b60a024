"""Hypothesis strategies: random schemas, random values of a type, and a comparison that is stricter than
Python's equality."""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hypothesis import note
from hypothesis import strategies as st
from tests.described import described
from tests.schemas import schema_of

from serbench.dataset.edges import decimal_bytes, logical_bounds
from serbench.dataset.recursion import soonest
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
    Schema,
    Type,
    Union,
    bytes_,
    string,
)
from serbench.model.grown import EDITION
from serbench.model.parts import reaches_back
from serbench.model.types import MAX_DEPTH

AWKWARD_STRINGS = [
    "",
    "\0",
    "NUL \0 inside\0",
    "žluťoučký kůň",
    "日本語",
    "\U0001f40e",
    "\uffff\U0010ffff",
    "\u07ff\u0800",
]


MOST_ITEMS = 4
"""The most items of a list or map that is inside no other list or map."""

STEPS = 3
"""The most steps of recursion in random values. Edge values have hundreds of steps, but the number of
possible random values doubles with each."""


@st.composite
def schemas(draw: st.DrawFn, edition: int = EDITION) -> Schema:
    """Random schemas of an edition of the type model. Hypothesis shrinks them to few and simple types, and a
    failing test prints them as declarations."""
    schema = schema_of(edition)(draw(st.randoms(use_true_random=False)))
    note(described(schema))
    return schema


def values_of(type: Type, steps: int = STEPS) -> st.SearchStrategy[Any]:
    """Random values of a type, among them its bounds and values that codecs often mishandle; with at most
    ``steps`` steps of recursion, or a few more where a union has no value without them."""
    return _Values().of(type, steps)


class _Values:
    """Strategies for the values of a type and of all types inside it. Each is made once and shared; otherwise
    their number would double with every step of recursion.
    """

    def __init__(self) -> None:
        self._of_composites: dict[tuple[str, int, int], st.SearchStrategy[Any]] = {}

    def of(self, type: Type, left: int, most: int = MOST_ITEMS) -> st.SearchStrategy[Any]:
        """Values of a type with at most ``left`` more steps of recursion, and at most ``most`` items in a
        list or map; lists and maps inside them have half as many, or most examples would become too large."""
        ends = not left and reaches_back(type)
        fewer = max(most // 2, 1)
        match type:
            case Scalar():
                return _scalars_of(type)
            case FixedBytes(length):
                return st.binary(min_size=length, max_size=length)
            case Logical():
                return _logical_of(type)
            case Enum():
                return _enum_values_of(type)
            case List(item):
                return st.just([]) if ends else st.lists(self.of(item, left, fewer), max_size=most)
            case Array(item, length):
                return st.lists(self.of(item, left, most), min_size=length, max_size=length)
            case Map(key, value):
                return (
                    st.just({})
                    if ends
                    else st.dictionaries(self.of(key, left), self.of(value, left, fewer), max_size=most)
                )
            case Optional(item):
                return st.none() if ends else st.none() | self.of(item, left, most)
            case Ref():
                return self.of(type.target, max(left - 1, 0), fewer)
            case Record() | Union():
                return self._composite(type, left, most)
        raise TypeError(f"{type!r} has no values")

    def _composite(self, type: Record | Union, left: int, most: int) -> st.SearchStrategy[Any]:
        made = self._of_composites.get((type.name, left, most))
        if made is None:
            made = (
                self._tuples(type, left, most) if isinstance(type, Record) else self._chosen(type, left, most)
            )
            self._of_composites[type.name, left, most] = made
        return made

    def _tuples(self, type: Record, left: int, most: int) -> st.SearchStrategy[Any]:
        return st.tuples(*(self.of(f.type, left, most) for f in type.fields))

    def _chosen(self, type: Union, left: int, most: int) -> st.SearchStrategy[Any]:
        """Values of every alternative of a union; with no step left, only of the alternatives that end
        soonest."""
        able = [
            (k, type.alternatives[k].type) for k in (range(len(type.alternatives)) if left else soonest(type))
        ]
        return st.one_of(
            *(
                st.tuples(st.just(k), st.none() if each is None else self.of(each, left, most))
                for k, each in able
            )
        )


def _enum_values_of(type: Enum) -> st.SearchStrategy[int]:
    """Values of an enum; for an open one, also numbers that no member has."""
    known = st.sampled_from([v for _, v in type.members])
    return known | _scalars_of(type.underlying) if type.open else known


def _logical_of(type: Logical) -> st.SearchStrategy[Any]:
    if type.kind == "uuid":
        return st.uuids().map(lambda each: str(each) if type.base == string else each.bytes)
    low, high = logical_bounds(type)
    numbers = st.sampled_from([low, high, 0]) | st.integers(low, high)
    return numbers.map(lambda number: decimal_bytes(type, number)) if type.kind == "decimal" else numbers


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


@contextmanager
def any_depth() -> Iterator[None]:
    """Raises Python's recursion limit in this context to that of serbench itself: property tests start 2,000
    frames deep, and edge values go 200 steps deeper at ten frames or more each. CPython 3.11 can crash where
    a traced test reaches its limit."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20 * MAX_DEPTH)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


@st.composite
def schemas_with_values(draw: st.DrawFn) -> tuple[Schema, Any]:
    schema = draw(schemas())
    return schema, draw(values_of(schema.root))


def exact(value: Any) -> Any:
    """A copy of a value that equals another copy only if both values have the same Python types and, for
    floats, the same bits."""
    if isinstance(value, float):
        return ("float", struct.pack("<d", value))
    if isinstance(value, tuple):
        return ("tuple", [exact(v) for v in value])
    if isinstance(value, list):
        return ("list", [exact(v) for v in value])
    if isinstance(value, dict):
        return ("dict", {exact(k): exact(v) for k, v in value.items()})
    return (type(value).__name__, value)
