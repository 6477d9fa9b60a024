"""Tests of the strategies for property tests: values of every type, recursion that ends, and a comparison
that is stricter than Python's equality."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from tests.strategies import STEPS, exact, schemas, schemas_with_values, values_of

from serbench.dataset.edges import decimal_bytes, logical_bounds
from serbench.dataset.values import find_mismatch, steps_of
from serbench.model import (
    Alternative,
    Enum,
    Field,
    FixedBytes,
    List,
    Logical,
    Map,
    Optional,
    Record,
    Ref,
    Schema,
    Type,
    Union,
    date,
    decimal,
    duration,
    i32,
    time_of_day,
    timestamp,
    u8,
    u32,
)
from serbench.model.grown import beyond_first_edition

LINE = Record("Line", [Field("space", Ref("Space"))])
SPACE = Record("Space", [Field("part", Ref("Part"))])
PART = Union("Part", [Alternative("lines", Map(u32, LINE)), Alternative("space", SPACE), Alternative("none")])
TREE = Record("Tree", [Field("left", Optional(Ref("Tree"))), Field("trees", List(Ref("Tree")))])
OPEN = Enum("Open", u8, ["a", "b"], open=True)


def drawn(type: Type, count: int = 300) -> list[Any]:
    """Random values of a type, each taken from a record with a single field of that type; the same ones each
    time."""
    schema = Schema("s", Record("Root", [Field("a", type)]), [SPACE, PART])
    return [value for (value,) in drawn_of(values_of(schema.root), count)]


def drawn_of(strategy: st.SearchStrategy[Any], count: int) -> list[Any]:
    found: list[Any] = []

    @seed(1)
    @settings(
        max_examples=count, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
    )
    @given(strategy)
    def collect(value: Any) -> None:
        found.append(value)

    collect()
    return found


def test_every_alternative_is_drawn() -> None:
    assert {index for index, _ in drawn(PART)} == {0, 1, 2}


@pytest.mark.parametrize("type", [TREE, PART])
def test_recursion_is_drawn_with_an_end(type: Record | Union) -> None:
    root = Schema("s", Record("Root", [Field("a", type)]), [SPACE, PART]).root
    values = drawn_of(values_of(root), 300)
    assert [find_mismatch(root, value) for value in values] == [None] * len(values)
    steps = {steps_of(root, value) for value in values}
    assert steps >= set(range(STEPS + 1))
    # With no step left, the way to an end is the shortest, and of no type here longer than one more of each.
    assert max(steps) <= STEPS + len([LINE, SPACE, PART])


def test_of_an_open_enum_numbers_without_a_name_are_drawn() -> None:
    found = set(drawn(OPEN))
    assert found > {value for _, value in OPEN.members}
    assert found <= set(range(1 << 8))


@pytest.mark.parametrize(
    "type",
    [
        timestamp("s"),
        timestamp("ns"),
        date(),
        time_of_day("ms"),
        duration("us"),
        decimal(38, 2),
        decimal(3, 1, i32),
    ],
)
def test_the_ends_of_logical_types_are_drawn(type: Logical) -> None:
    ends = [decimal_bytes(type, end) if type.kind == "decimal" else end for end in logical_bounds(type)]
    found = drawn(type)
    assert all(end in found for end in ends)
    assert len({exact(value) for value in found}) > len(ends)


def test_fixed_bytes_are_drawn_at_their_length() -> None:
    assert {len(value) for value in drawn(FixedBytes(3))} == {3}


@given(schemas_with_values())
def test_drawn_values_are_of_their_type(sample: tuple[Schema, Any]) -> None:
    schema, value = sample
    assert find_mismatch(schema.root, value) is None


def test_first_edition_schemas_are_drawn_where_asked_for() -> None:
    found = drawn_of(schemas(edition=1), 100)
    assert not any(beyond_first_edition(schema) for schema in found)
    assert any(beyond_first_edition(schema) for schema in drawn_of(schemas(), 100))


@pytest.mark.parametrize(
    ("one", "other"),
    [({True: 1}, {1: 1}), ((0, None), [0, None]), (0.0, -0.0), ((1, True), (1, 1)), ({1: ()}, {1: []})],
)
def test_equal_values_of_other_kinds_are_told_apart(one: Any, other: Any) -> None:
    assert exact(one) == exact(one)
    assert exact(one) != exact(other)
