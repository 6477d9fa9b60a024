"""Tests of names in imported schemas: each becomes a valid name of the type model, and no two become the
same."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serbench.imports.names import LONGEST, ScopeNames, TypeNames, identifier, wire
from serbench.model.names import IDENTIFIER


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("created_at", "created_at"),
        ("created-at", "created_at"),
        ("+1", "plus_1"),
        ("-1", "minus_1"),
        ("@id", "id"),
        ("_links", "links"),
        ("$ref", "ref"),
        ("123", "n123"),
        ("Café", "Cafe"),
        ("日本", "unnamed"),
        ("", "unnamed"),
        ("a__b", "a_b"),
        ("1st place", "n1st_place"),
    ],
)
def test_names_are_as_near_as_can_be(written: str, name: str) -> None:
    assert identifier(written) == name


@given(st.lists(st.text(max_size=2 * LONGEST), max_size=20))
def test_every_text_becomes_a_name_of_its_own(written: list[str]) -> None:
    names = ScopeNames()
    made = [names.of(each) for each in written]
    assert all(IDENTIFIER.fullmatch(name) for name in made)
    assert len(set(made)) == len(made)


def test_a_name_stays_where_it_can() -> None:
    names = ScopeNames()
    assert [names.of("a-b"), names.of("a_b"), names.of("a.b"), names.of("a_b_2")] == [
        "a_b",
        "a_b_2",
        "a_b_3",
        "a_b_2_2",
    ]


def test_what_is_written_is_kept_where_it_is_not_the_name() -> None:
    assert wire("a-b", "a_b") == "a-b"
    assert wire("a_b", "a_b") == ""


def test_of_types_the_shortest_end_is_taken() -> None:
    names = TypeNames()
    assert [
        names.of_qualified(each)
        for each in ("shop.v1.Order", "shop.v2.Order", "Order", ".shop.v1.Order", "x.u8")
    ] == [
        "Order",
        "v2_Order",
        "Order_2",
        "v1_Order",
        "x_u8",
    ]


def test_many_names_that_are_alike_take_no_longer_than_others() -> None:
    names, began = ScopeNames(), time.process_time()
    assert (
        len({names.of(f"\u4e00{n}".rstrip("0123456789") + "\u4e00" * (n % 7)) for n in range(50_000)})
        == 50_000
    )
    assert time.process_time() - began < 10
