"""Tests of edge values: every edge of every type occurs, and the values stay small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from tests.strategies import any_depth, exact, schemas
from tests.support import examples

from serbench.dataset.canonical import decode, encode
from serbench.dataset.edges import DEEPEST, edge_values
from serbench.dataset.values import find_mismatch
from serbench.model import Schema, bytes_, f32, f64, i32, string, u8, u16
from serbench.model.types import SCALARS, Array, Enum, Field, List, Map, Optional, Record, Ref, Scalar, Type
from serbench.paths import PROJECT
from serbench.workload import load_workloads

FLOAT_EDGES = {f32: [3.4028234663852886e38, 1.401298464324817e-45], f64: [1.7976931348623157e308, 5e-324]}


def edges_of(type: Scalar) -> list[Any]:
    """The edges of a scalar that must occur, written independently of the tested code: bounds, signs of zero,
    infinities, lengths and characters."""
    if type.is_integer:
        numbers = (0, 1, -1, 127, 128, 255, 256, -128, -129, 65535, 65536, 1 << 31, 1 << 53)
        return [*type.bounds, *(n for n in numbers if type.bounds[0] <= n <= type.bounds[1])]
    if type.is_float:
        return [0.0, -0.0, float("inf"), float("-inf"), *FLOAT_EDGES[type]]
    if type == bytes_:
        return [b"", b"\0", bytes(range(256)), b"\xff" * 70_000]
    return ["", "a", "x" * 70_000] if type == string else [False, True]


def missing(field: Type, scalar: Scalar, found: Callable[[Any], list[Any]]) -> list[Any]:
    """The edges of ``scalar`` that are missing in the edge values of a record with a single field of type
    ``field``.

    Args:
        found: gives the scalars that are inside a value of the field.
    """
    values = [exact(v) for (value,) in edge_values(Record("R", [Field("a", field)])) for v in found(value)]
    return [edge for edge in edges_of(scalar) if exact(edge) not in values]


@pytest.mark.parametrize("scalar", SCALARS.values(), ids=lambda s: s.name)
def test_every_edge_of_a_scalar_occurs(scalar: Scalar) -> None:
    assert missing(scalar, scalar, lambda value: [value]) == []


@pytest.mark.parametrize("scalar", SCALARS.values(), ids=lambda s: s.name)
def test_every_edge_of_a_scalar_occurs_in_a_list_and_an_array(scalar: Scalar) -> None:
    assert missing(List(scalar), scalar, list) == []
    assert missing(Array(scalar, 3), scalar, list) == []


@pytest.mark.parametrize("scalar", SCALARS.values(), ids=lambda s: s.name)
def test_every_edge_of_a_scalar_occurs_in_an_optional(scalar: Scalar) -> None:
    assert missing(Optional(scalar), scalar, lambda value: [] if value is None else [value]) == []


def test_collections_and_optionals_occur_empty_and_not() -> None:
    root = Record(
        "R", [Field("a", List(u8)), Field("b", Optional(u8)), Field("c", Map(u8, u8)), Field("d", bytes_)]
    )
    values = edge_values(root)
    assert values[0] == ([], None, {}, b"")
    for column in zip(*values, strict=True):
        assert {value in ([], None, {}, b"") for value in column} == {True, False}


@pytest.mark.parametrize("scalar", SCALARS.values(), ids=lambda s: s.name)
def test_every_edge_of_a_scalar_occurs_in_lists_of_lists(scalar: Scalar) -> None:
    assert (
        missing(List(List(scalar)), scalar, lambda value: [each for inner in value for each in inner]) == []
    )
    assert (
        missing(List(List(List(scalar))), scalar, lambda value: [x for a in value for b in a for x in b])
        == []
    )


@pytest.mark.parametrize("around", [List, lambda item: Map(u16, item)], ids=["lists", "maps"])
def test_edge_values_stay_small_however_deep_a_type_is(around: Callable[[Type], Type]) -> None:
    def largest(levels: int) -> int:
        type: Type = string
        for _ in range(levels):
            type = around(type)
        root = Record("R", [Field("a", type)])
        return max(len(encode(root, value)) for value in edge_values(root))

    assert 70_000 < largest(1) < 3_000_000
    assert 1_000 < largest(5) < 3_000_000


def test_edge_values_of_a_wide_schema_stay_small_and_long_strings_still_occur_in_many_fields() -> None:
    item = Record("Item", [Field(f"s{n}", Optional(string) if n % 2 else string) for n in range(300)])
    keyed = [Field(f"m{n}", Map(string, bytes_)) for n in range(100)]
    root = Record("R", [*(Field(f"r{n}", item) for n in range(5)), *keyed])
    values = edge_values(root)
    sizes = [len(encode(root, value)) for value in values]
    assert max(sizes) < 4 << 20 and sum(sizes) < 30 << 20
    found = [(n, len(each)) for value in values for part in value[:5] for n, each in enumerate(part) if each]
    assert len({n for n, length in found if length == 70_000}) > 20
    assert {length for _, length in found} >= {1, 1000, 70_000}


def test_edge_values_stay_small_where_much_is_recursive_and_one_still_goes_to_the_full_depth() -> None:
    def depth(value: Any) -> int:
        return 1 + max(map(depth, value), default=0) if isinstance(value, list | tuple) else 0

    leads = [Field(f"a{n}", List(Ref("Node"))) for n in range(12)]
    node = Record("Node", [*leads, *(Field(f"x{n}", u16) for n in range(40))])
    root = Schema("wide", Record("R", [Field(f"b{n}", List(Ref("Node"))) for n in range(12)]), [node]).root
    values = edge_values(root)
    assert sum(len(encode(root, value)) for value in values) < 2 << 20
    with any_depth():
        assert max(map(depth, values)) > 2 * DEEPEST


def test_strings_hold_nul_quotes_and_characters_of_every_utf8_length() -> None:
    texts = "".join(value for (value,) in edge_values(Record("R", [Field("a", string)])))
    assert {len(c.encode()) for c in texts} == {1, 2, 3, 4}
    assert set('\0"\\\n,\t_\u07ff\u0800\uffff\U0010ffff') <= set(texts)


def test_every_enum_member_occurs() -> None:
    enum = Enum("E", u8, [f"M{n}" for n in range(16)])
    assert {v for (v,) in edge_values(Record("R", [Field("a", enum)]))} == set(range(16))


def test_neighbouring_fields_differ() -> None:
    values = edge_values(Record("R", [Field("a", i32), Field("b", i32)]))
    assert all(a != b for a, b in values[1:])


@given(schemas())
@settings(max_examples=examples(40), deadline=None)
def test_edge_values_are_of_their_type(schema: Schema) -> None:
    with any_depth():
        values = edge_values(schema.root)
        assert [find_mismatch(schema.root, value) for value in values] == [None] * len(values)


@pytest.mark.parametrize("name", ["record", "graph", "monsters", "nobid"])
def test_edge_values_of_a_workload_encode_and_come_back(name: str) -> None:
    root = load_workloads(PROJECT / "workloads")[name].root
    for value in edge_values(root):
        assert exact(decode(root, encode(root, value))) == exact(value)
