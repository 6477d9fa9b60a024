"""Tests of messages that are made up for a schema without data: distributed as published figures are, valid,
bounded, and the same for the same seed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cache
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.strategies import schemas

from serbench.dataset.canonical import encode
from serbench.dataset.values import find_mismatch, steps_of
from serbench.imports.figures import Draws
from serbench.imports.hints import words_of
from serbench.imports.synthesis import synthesized
from serbench.model import (
    Alternative,
    Array,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Schema,
    Type,
    Union,
    bool_,
    bytes_,
    date,
    decimal,
    duration,
    f32,
    f64,
    i32,
    i64,
    string,
    time_of_day,
    timestamp,
    u8,
    u64,
    uuid,
)
from serbench.paths import PROJECT
from serbench.workload import load_workload

MANY = 4000
"""The number of values in a sample, so large that a share has a standard deviation of at most 0.008."""

EVERYTHING = load_workload(PROJECT / "workloads" / "everything.py").schema

ANY = Union(
    "Any",
    [
        Alternative("none"),
        Alternative("text", string),
        Alternative("items", List(Ref("Any"))),
        Alternative("named", Map(string, Ref("Any"))),
    ],
)
EXPRESSION = Union(
    "Expression",
    [
        Alternative("number", i64),
        Alternative(
            "sum", Record("Sum", [Field("left", Ref("Expression")), Field("right", Ref("Expression"))])
        ),
        Alternative("negation", Record("Negation", [Field("of", Ref("Expression"))])),
    ],
)
WIDE = Record("Wide", [Field("n", i32), *(Field(f"way_{n}", Optional(Ref("Wide"))) for n in range(30))])
CHAIN = Record("Chain", [Field("n", i32), Field("next", Optional(Ref("Chain")))])


@cache
def of(type: Type, count: int = MANY, seed: int = 1, name: str = "plain") -> list[Any]:
    """Makes up ``count`` values for a field of a type."""
    root = Schema("made", Record("Made", [Field(name, type)])).root
    values = list(synthesized(root, count, seed))
    assert not any(find_mismatch(root, value) for value in values)
    return [value for (value,) in values]


def share(values: Sequence[Any]) -> float:
    """The share of true values."""
    return sum(map(bool, values)) / len(values)


@pytest.mark.parametrize(
    ("least", "part"), [(2, 0.9), (5, 0.75), (12, 0.5), (25, 0.25), (53, 0.1), (506, 0.01)]
)
@pytest.mark.parametrize("type", [string, bytes_], ids=["string", "bytes"])
def test_strings_are_as_long_as_published(type: Type, least: int, part: float) -> None:
    assert share([len(text) >= least for text in of(type)]) == pytest.approx(part, abs=0.03)


@pytest.mark.parametrize("type", [i64, u64, i32], ids=["i64", "u64", "i32"])
def test_integers_are_as_great_as_published(type: Type) -> None:
    numbers = of(type)
    possible = (34, 8, 9, 16, 9, 24)[: 6 if type != i32 else 5]  # numbers of one to five bytes, and more
    for n, weight in enumerate(possible):
        taking = share([min(max(1, -(-number.bit_length() // 7)), 6) == n + 1 for number in numbers])
        assert taking == pytest.approx(weight / sum(possible), abs=0.03)
    assert min(numbers) >= 0


def test_the_idls_words_for_numbers_that_are_negative_or_great_are_heard() -> None:
    root = Record(
        "R", [Field("a", i64, hints=[("proto", "sint64")]), Field("b", u64, hints=[("proto", "fixed64")])]
    )
    values = list(synthesized(root, MANY, 1))
    assert share([a < 0 for a, _ in values]) == pytest.approx(0.5, abs=0.03)
    assert share([b >= 1 << 56 for _, b in values]) > 0.98


def test_optionals_and_lists_are_filled_as_often_as_published() -> None:
    inner = Record("Inner", [Field("n", u8)])
    assert share([each is not None for each in of(Optional(i32))]) == pytest.approx(0.39, abs=0.03)
    assert share([each is not None for each in of(Optional(inner))]) == pytest.approx(0.72, abs=0.03)
    assert share(of(List(i32))) == pytest.approx(0.40, abs=0.03)
    assert share(of(List(inner))) == pytest.approx(0.75, abs=0.03)
    counts = [len(each) for each in of(List(i32)) if each]
    assert share([count >= 2 for count in counts]) == pytest.approx(0.5, abs=0.05)
    assert share([count >= 20 for count in counts]) == pytest.approx(0.1, abs=0.03)
    assert max(map(len, of(List(inner)))) == 2


def test_enums_have_all_members_and_open_ones_seldom_others() -> None:
    members = [("low", 1), ("high", 300), ("lowest", -4)]
    assert set(of(Enum("Closed", i32, members), 200)) == {1, 300, -4}
    others = [number not in (1, 300, -4) for number in of(Enum("Open", i32, members, open=True))]
    assert 0.01 < share(others) < 0.05


def test_every_alternative_of_a_union_occurs() -> None:
    assert {index for index, _ in of(ANY, 200)} == {0, 1, 2, 3}
    assert {index for index, _ in of(EXPRESSION, 200)} == {0, 1, 2}


@pytest.mark.parametrize("type", [ANY, EXPRESSION, WIDE, CHAIN], ids=lambda type: str(type.name))
def test_recursion_ends_and_stays_small(type: Type) -> None:
    root = Schema("made", Record("Made", [Field("it", type)])).root
    values = list(synthesized(root, 300, 2))
    sizes = [len(encode(root, value)) for value in values]
    depths = sorted(steps_of(root, value) for value in values)
    assert 5 <= depths[-1] <= 20
    assert sum(sizes) / len(sizes) < 4000
    assert max(sizes) < 1 << 17


def test_lists_in_lists_share_their_room() -> None:
    root = Schema("made", Record("Made", [Field("it", List(List(List(string))))])).root
    assert max(len(encode(root, value)) for value in synthesized(root, 300, 3)) < 1 << 17
    assert 100 < max(sum(map(len, each)) for each in of(Array(List(u8), 10), 300)) <= 1000


def test_logical_types_are_within_their_bounds() -> None:
    assert all(1_704_067_200_000 <= each < 1_767_225_600_000 for each in of(timestamp("ms"), 500))
    assert all(19_723 <= each < 20_454 for each in of(date(), 500))
    assert all(0 <= each < 86_400_000_000 for each in of(time_of_day("us"), 500))
    assert all(0 <= each <= 315_576_000_000 for each in of(duration("s"), 500))
    assert all(abs(each) < 10**5 for each in of(decimal(5, 2, i32), 500))
    assert all(abs(int.from_bytes(each, signed=True)) < 10**30 for each in of(decimal(30, 2), 500))
    assert all(UUID(bytes=each).version == 4 for each in of(uuid(), 50))
    assert all(UUID(each).version == 4 for each in of(uuid(string), 50))


def test_keys_of_maps_are_distinct_and_as_many_as_there_can_be() -> None:
    filled = [each for each in of(Map(bool_, i32)) if each]
    assert share([len(each) == 2 for each in filled]) == pytest.approx(0.5, abs=0.04)
    assert max(map(len, of(Map(u8, i32)))) > 20


@pytest.mark.parametrize(
    ("name", "type", "pattern"),
    [
        ("email", string, r"\w+\.\w+@\w+\.example"),
        ("contactEmails", List(string), r"\w+\.\w+@\w+\.example"),
        ("website_url", string, r"https://\w+\.example/\w+/\w+/\d+"),
        ("created_at", string, r"202[45]-\d\d-\d\dT\d\d:\d\d:\d\dZ"),
        ("birthday", string, r"202[45]-\d\d-\d\d"),
        ("country", string, r"[A-Z]{2}"),
        ("currency", string, r"[A-Z]{3}"),
        ("request_uuid", string, r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"),
        ("user_id", string, r"[0-9a-f-]{16,36}"),
        ("first_name", string, r"\w+( \w+)?"),
        ("ip", string, r"10\.\d+\.\d+\.\d+"),
    ],
)
def test_names_tell_what_strings_are(name: str, type: Type, pattern: str) -> None:
    found = of(type, 200, name=name)
    texts = [text for each in found for text in each] if isinstance(type, List) else found
    assert texts
    assert all(re.fullmatch(pattern, text) for text in texts)


@pytest.mark.parametrize(
    ("name", "type", "least", "most"),
    [
        ("start_time_unix_nano", u64, 1_704_067_200 * 10**9, 1_767_225_600 * 10**9),
        ("createdAt", i64, 1_704_067_200_000, 1_767_225_600_000),
        ("updated", i32, 1_704_067_200, 1_767_225_600),
        ("itemCount", i32, 0, 1000),
        ("latitude", f64, -90, 90),
        ("lon", f32, -180, 180),
        ("price", f64, 0, 10_000),
        ("port", u8, 0, 255),  # which no port is
    ],
)
def test_names_tell_what_numbers_are(name: str, type: Type, least: float, most: float) -> None:
    assert all(least <= number <= most for number in of(type, 500, name=name))


def test_few_strings_are_written_where_an_enum_is_meant() -> None:
    assert 3 <= len(set(of(string, 500, name="order_status"))) <= 9


def test_names_are_taken_apart() -> None:
    assert words_of("userIDs_of_HTTPServer") == ["user", "ids", "of", "http", "server", "server"]
    assert words_of("createdAt") == ["created", "at", "at"]
    assert words_of("userIDs") == ["user", "ids", "id"]
    assert words_of("_1") == []


def test_every_type_has_values() -> None:
    values = list(synthesized(EVERYTHING.root, 30, 4))
    assert not [problem for value in values if (problem := find_mismatch(EVERYTHING.root, value))]
    assert sum(len(encode(EVERYTHING.root, value)) for value in values) < 30 * 100_000


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(schemas(), st.integers(0, 99))
def test_values_are_of_their_schema(schema: Schema, seed: int) -> None:
    values = list(synthesized(schema.root, 5, seed))
    assert len(values) == 5
    assert not any(find_mismatch(schema.root, value) for value in values)


def test_a_seed_gives_the_same_messages_in_every_version_of_python() -> None:
    fields = [
        Field("user_id", string),
        Field("lat", f32),
        Field("price", decimal(9, 2)),
        Field("blob", bytes_),
        Field("any", ANY),
    ]
    root = Schema("made", Record("Made", fields)).root
    data = [b"".join(encode(root, value) for value in synthesized(root, 100, seed)) for seed in (5, 5, 6)]
    assert hashlib.sha256(data[0]).hexdigest()[:16] == "00b57e408a6a8ef0"
    assert data[0] == data[1] != data[2]


def test_draws_have_no_holes() -> None:
    draws = Draws(1)
    assert {draws.below(3) for _ in range(100)} == {0, 1, 2}
    assert max(draws.below(1 << 64) for _ in range(100)) > 1 << 63
    assert {draws.between(-1, 1) for _ in range(100)} == {-1, 0, 1}
    assert draws.octets(0) == b""
