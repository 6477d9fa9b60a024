"""Tests of twins: each message has the shape and the sizes of its original in every format, equal values stay
equal, and no original value remains."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.sizes import FORMATS, Size, ascii_text, leaves, shortest, text
from tests.strategies import schemas_with_values

from serbench.dataset.canonical import encode
from serbench.dataset.edges import decimal_bytes, edge_values
from serbench.dataset.values import Limits, find_mismatch, steps_of
from serbench.drawing.draws import to_f32
from serbench.imports.alike import integers_like
from serbench.imports.substitution import Substitution
from serbench.imports.synthesis import synthesized
from serbench.imports.twin import twin_of
from serbench.model import (
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
    bool_,
    bytes_,
    date,
    decimal,
    duration,
    f32,
    f64,
    i16,
    i32,
    i64,
    string,
    time_of_day,
    timestamp,
    u8,
    u32,
    u64,
    uuid,
)
from serbench.model.parts import describe
from serbench.model.types import MAX_DEPTH
from serbench.paths import PROJECT
from serbench.workload import load_workload

KEY = bytes(range(32))
EVERYTHING = load_workload(PROJECT / "workloads" / "everything.py").schema


def twins(type: Type, values: list[Any], key: bytes = KEY) -> list[Any]:
    """The twins of these values of a field."""
    root = Schema("twin", Record("Twin", [Field("it", type)])).root
    made = list(twin_of(root, lambda: [(value,) for value in values], key)())
    assert not [problem for value in made if (problem := find_mismatch(root, value))]
    assert [len(encode(root, each)) for each in made] == [len(encode(root, (value,))) for value in values]
    return [value for (value,) in made]


def shape(root: Type, value: Any) -> Counter[tuple[str, Any]]:
    """How often each choice occurs in a value: presence of optionals, alternatives of unions, and numbers of
    items."""
    found = (
        (type, each)
        for type, each in leaves(root, value)
        if not isinstance(type, Scalar | FixedBytes | Logical | Enum)
    )
    return Counter((describe(type), each) for type, each in found)


def total(root: Type, value: Any, size: Size) -> int:
    """The bytes of all scalars of a value in a format, of which ``size`` gives the bytes of one scalar; in
    text formats, floats of single precision count with their own shortest digits."""
    scalars = (
        (type, each)
        for type, each in leaves(root, value)
        if isinstance(type, Scalar | FixedBytes | Logical | Enum)
    )
    digits = size in (text, ascii_text)
    return sum(len(shortest(each)) if type == f32 and digits else size(each) for type, each in scalars)


def assert_alike(root: Record, originals: list[Any], made: list[Any]) -> None:
    """Asserts that each twin has its original's shape and canonical size, and that all twins together differ
    from the originals by at most 1 % of size in any format."""
    assert not [problem for twin in made if (problem := find_mismatch(root, twin))]
    assert [shape(root, twin) for twin in made] == [shape(root, value) for value in originals]
    assert [len(encode(root, twin)) for twin in made] == [len(encode(root, value)) for value in originals]
    for size in FORMATS:
        before = sum(total(root, value, size) for value in originals)
        assert sum(total(root, twin, size) for twin in made) == pytest.approx(before, rel=0.01), size.__name__


@pytest.mark.parametrize("name", ["everything", "telemetry", "monsters"])
def test_a_twin_of_every_type_is_of_the_same_sizes(name: str) -> None:
    root = load_workload(PROJECT / "workloads" / f"{name}.py").schema.root
    originals = list(synthesized(root, 5, 1))
    assert_alike(root, originals, list(twin_of(root, lambda: originals, KEY)()))


def test_a_twin_of_edges_is_of_the_same_sizes() -> None:
    originals = edge_values(EVERYTHING.root, Limits(most_steps=3))[:5]
    assert_alike(EVERYTHING.root, originals, list(twin_of(EVERYTHING.root, lambda: originals, KEY)()))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(schemas_with_values())
def test_a_twin_of_drawn_values_is_of_their_shape(drawn: tuple[Schema, Any]) -> None:
    schema, value = drawn
    (made,) = twin_of(schema.root, lambda: [value], KEY)()
    assert find_mismatch(schema.root, made) is None
    assert len(encode(schema.root, made)) == len(encode(schema.root, value))
    assert shape(schema.root, made) == shape(schema.root, value)


@settings(max_examples=100, deadline=None)
@example((1 << 64) - 9)
@given(st.integers(-(1 << 63), (1 << 64) - 1) | st.integers(-1000, 1000) | st.integers(-(1 << 33), 1 << 33))
def test_integers_take_as_many_bytes_in_every_format(value: int) -> None:
    made = Substitution(KEY).integer(value)
    for size in FORMATS:
        assert size(made) == size(value)
    low, high = integers_like(value)
    assert integers_like(low) == integers_like(high) == (low, high)


@settings(max_examples=100, deadline=None)
@given(st.floats(), st.booleans())
def test_floats_take_as_many_bytes(value: float, single: bool) -> None:
    if single:
        value = to_f32(value) if abs(value) < 3e38 else math.inf
    made = Substitution(KEY).real(value, single)
    assert math.copysign(1, made) == math.copysign(1, value)
    assert math.isfinite(made) == math.isfinite(value)
    assert (made == 0) == (value == 0)
    assert not single or not math.isfinite(value) or to_f32(made) == made
    assert made.is_integer() == value.is_integer() or abs(value) > 1 << 53


@pytest.mark.parametrize(
    "value",
    [
        12.99,
        0.1,
        120.123456,
        3.0,
        1.5,
        0.25,
        2049.5,
        1e9,
        1e10,
        123456789.0,
        3.141592653589793,
        1e22,
        6.02e23,
        1e-7,
    ],
)
def test_floats_that_people_write_take_as_many_bytes_in_every_format(value: float) -> None:
    for key in range(10):
        made = Substitution(bytes([key] * 32)).real(value, False)
        for size in FORMATS:
            assert size(made) == size(value)


def test_floats_of_single_precision_have_as_many_digits() -> None:
    draws = random.Random(1)
    kinds = (draws.random, lambda: round(9999 * draws.random(), 2), lambda: draws.randrange(1 << 26) / 8)
    originals = [to_f32(draws.choice(kinds)()) for _ in range(2000)] + [to_f32(1.2345678e-39), to_f32(0.1)]
    substitution = Substitution(KEY)
    made = [substitution.real(value, True) for value in originals]
    assert [to_f32(value) for value in made] == made
    assert [len(shortest(value)) for value in made] == [len(shortest(value)) for value in originals]
    assert sum(map(text, made)) == pytest.approx(sum(map(text, originals)), rel=0.01)
    assert substitution.real(0.1, True) == made[-1]  # which nobody can tell from it once it is written


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_strings_take_as_many_bytes_and_keep_their_kinds_of_characters(value: str) -> None:
    made = Substitution(KEY).text(value)
    assert [len(character.encode()) for character in made] == [len(character.encode()) for character in value]
    assert len(made) == len(value)
    assert text(made) == text(value)
    assert ascii_text(made) == ascii_text(value)
    assert [c.isdigit() for c in made if c.isascii()] == [c.isdigit() for c in value if c.isascii()]


def test_punctuation_and_case_stay() -> None:
    (made,) = twins(string, ["https://api.Example.com/v1/users?id=4711&at=2024-01-02T03:04:05Z"])
    assert "".join(
        "a" if c.islower() else "A" if c.isupper() else "9" if c.isdigit() else c for c in made
    ) == ("aaaaa://aaa.Aaaaaaa.aaa/a9/aaaaa?aa=9999&aa=9999-99-99A99:99:99A")


def test_small_integers_take_as_many_bytes_in_every_format() -> None:
    substitution = Substitution(KEY)
    for size in FORMATS:
        assert [size(substitution.integer(value)) for value in range(-300, 300)] == [
            size(value) for value in range(-300, 300)
        ]


def test_bytes_that_are_text_stay_text() -> None:
    assert [made.isdigit() for made in twins(bytes_, [b"1234567890", b"\xff" * 20])] == [True, False]


def test_hexadecimal_strings_stay_hexadecimal() -> None:
    (made,) = twins(string, ["9f86d081884c7d659a2feaa0c55ad015"])
    assert made != "9f86d081884c7d659a2feaa0c55ad015"
    assert set(made) <= set("0123456789abcdef")


ORIGINALS: list[tuple[Type, list[Any]]] = [
    (
        string,
        [
            "Sir Galahad",
            "straße 17, Köln",
            "galahad@camelot.example",
            "日本語のテキスト",
            "\U0001f40e\U0001f98a",
            "    ",
            "-----",
        ],
    ),
    (string, [f"order number {n}" for n in range(100)]),
    (bytes_, [b"\0\1\2\3\4\5", b"plain text in bytes", b"\xff" * 20]),
    (FixedBytes(20), [bytes(20), b"x" * 20]),
    (uuid(), [UUID("f81d4fae-7dec-11d0-a765-00a0c91e6bf6").bytes]),
    (uuid(string), ["f81d4fae-7dec-11d0-a765-00a0c91e6bf6"]),
    (u32, [20_000_000 + 7 * n for n in range(100)]),
    (i64, [-(1 << 40) - n for n in range(100)]),
    (u64, [(1 << 63) + n for n in range(100)]),
    (f64, [3.141592653589793, 120.123456, 1234567.0, 0.000123456]),
    (timestamp("ms"), [1_718_000_000_000 + 86_400_001 * n for n in range(100)]),
    (duration("ns"), [5_000_000_001, 123_456_789_012]),
    (decimal(38, 2), [decimal_bytes(decimal(38, 2), 10**30 + 7 * n) for n in range(20)]),
]


@pytest.mark.parametrize(("type", "values"), ORIGINALS)
def test_no_value_is_in_its_twin(type: Type, values: list[Any]) -> None:
    for key in range(3):
        assert not set(values) & set(twins(type, values, bytes([key] * 32)))


def test_equal_values_become_equal_and_others_others() -> None:
    names = [f"customer {n % 50:05}" for n in range(1000)]
    numbers = [100_000_000 + n % 50 for n in range(1000)]
    codes = [f"{chr(65 + n // 26)}{chr(65 + n % 26)}" for n in range(26 * 26)]
    for type, values in (
        (string, names),
        (u32, numbers),
        (i64, numbers),
        (string, codes),
        (u8, list(range(256))),
    ):
        pairs = set(zip(values, twins(type, values), strict=True))
        assert len(pairs) == len(set(values))
        assert len({made for _, made in pairs}) == len(set(values))
    assert twins(u32, numbers) == twins(i64, numbers)
    assert twins(List(string), [names])[0] == twins(string, names)


def test_all_digits_of_a_code_are_permuted() -> None:
    codes = [f"{n:04}" for n in range(10_000)]
    assert sorted(twins(string, codes)) == codes


@pytest.mark.parametrize(
    ("type", "keys"),
    [
        (string, [f"k{n}" for n in range(10)]),
        (u8, range(256)),
        (i16, range(-300, 300)),
        (bool_, [False, True]),
        (i64, range(1000)),
    ],
)
def test_keys_of_maps_stay_distinct_and_in_order(type: Any, keys: Any) -> None:
    originals = {key: n for n, key in enumerate(keys)}
    (made,) = twins(Map(type, i32), [originals])
    assert len(made) == len(originals)
    assert list(made) == sorted(made)
    backwards = dict(reversed(originals.items()))
    (unsorted,) = twins(Map(type, i32), [backwards])
    assert unsorted == made
    assert list(unsorted) != list(made)


def test_keys_that_become_the_same_become_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Substitution, "text", lambda self, value, attempt=0: f"key {attempt}")
    root = Schema("twin", Record("Twin", [Field("it", Map(string, bool_))])).root
    ((made,),) = twin_of(root, lambda: [({"key a": True, "key b": False, "key c": True},)], KEY)()
    assert made == {"key 0": True, "key 1": False, "key 2": True}


def test_what_is_shape_stays() -> None:
    level = Enum("Level", i32, [("low", 1), ("high", 70_000)])
    assert twins(level, [1, 70_000]) == [1, 70_000]
    assert twins(bool_, [True, False]) == [True, False]
    assert twins(i32, [0, -1]) == [0, -1]
    assert twins(f64, [0.0, math.inf, -math.inf]) == [0.0, math.inf, -math.inf]
    assert math.copysign(1, twins(f64, [-0.0])[0]) == -1
    assert math.isnan(twins(f64, [math.nan])[0])
    assert twins(string, [""]) == [""]


def test_numbers_that_are_no_members_of_an_open_enum_become_others() -> None:
    level = Enum("Level", u8, [(f"n{n}", n) for n in range(128, 250)], open=True)
    made = twins(level, [*range(128, 256)])
    assert made[:122] == [*range(128, 250)]
    assert sorted(made[122:]) == [*range(250, 256)]
    assert made[122:] != [*range(250, 256)]


def test_times_stay_near_and_on_their_grain() -> None:
    second, day = 10**9, 86_400 * 10**9
    originals = [1_718_000_000 * second + k for k in (0, 10**6, 10**3, 1)] + [19_890 * day]
    made = twins(timestamp("ns"), originals)
    assert [next(each for each in (day, second, 10**6, 10**3, 1) if n % each == 0) for n in made] == [
        second,
        10**6,
        10**3,
        1,
        day,
    ]
    assert all(abs(new - old) < 420 * day for new, old in zip(made, originals, strict=True))
    assert all(abs(new - 19_890) < 512 for new in twins(date(), [19_890]))
    assert all(
        0 <= n < 86_400 * 10**6 and n % 10**6 == 0
        for n in twins(time_of_day("us"), [n * 10**6 for n in range(1, 86_400, 999)])
    )
    assert twins(timestamp("s"), [1 << 62]) != [1 << 62]  # which no calendar has


def test_decimals_stay_within_their_precision_and_width() -> None:
    type = decimal(5, 2, i32)
    assert all(10_000 <= made <= 99_999 for made in twins(type, [*range(65_536, 99_999, 99)]))
    assert [
        len(made) for made in twins(decimal(38, 2), [b"\0\0\0\x05", b"\x05", b"", (10**37).to_bytes(20)])
    ] == [4, 1, 0, 20]


def test_uuids_keep_their_version() -> None:
    identifiers = [UUID(int=random.Random(n).getrandbits(128), version=n % 5 + 1) for n in range(20)]
    made = [UUID(bytes=each) for each in twins(uuid(), [each.bytes for each in identifiers])]
    assert [each.version for each in made] == [each.version for each in identifiers]
    assert twins(uuid(string), [str(each) for each in identifiers]) == [str(each) for each in made]
    (loud,) = twins(uuid(string), [str(identifiers[0]).upper()])
    assert loud == loud.upper()


def test_whole_numbers_in_floats_stay_whole() -> None:
    assert all(made.is_integer() for made in twins(f64, [float(n) for n in range(1, 3000)]))
    assert twins(f64, [5])[0].is_integer()
    assert all(made.is_integer() for made in twins(f32, [float(n) for n in range(1, 3000, 7)]))


def test_nobody_but_who_has_the_key_gets_the_same_twin() -> None:
    root = Record("Twin", [Field("it", string)])
    values = [("a sentence that is long",)]
    again = twin_of(root, lambda: values)
    assert list(again()) == list(again())
    assert list(twin_of(root, lambda: values)()) != list(twin_of(root, lambda: values)())


def test_values_are_read_one_by_one() -> None:
    def two() -> Iterator[Any]:
        yield ("text",)
        yield ("text",)
        raise AssertionError("read on")

    made = twin_of(Record("Twin", [Field("it", string)]), two, KEY)()
    assert next(made) == next(made)


def test_depth_is_no_hurdle() -> None:
    chain = Schema(
        "twin", Record("Chain", [Field("n", i32), Field("next", List(Optional(Ref("Chain"))))])
    ).root
    value: Any = (1, [])
    for _ in range(MAX_DEPTH):
        value = (1000, [value, None])
    (made,) = twin_of(chain, lambda: [value], KEY)()
    assert steps_of(chain, made) == MAX_DEPTH
    assert len(encode(chain, made)) == len(encode(chain, value))
