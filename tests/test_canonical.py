"""Tests of the canonical encoding: the exact bytes, decoding, and the bytes that decoding refuses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.strategies import exact, schemas, schemas_with_values, values_of
from tests.support import examples

from serbench.dataset.canonical import decode, encode
from serbench.dataset.coders import flat_format
from serbench.dataset.values import find_mismatch
from serbench.errors import EncodingError, ValueMismatch
from serbench.model import (
    Array,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Schema,
    Type,
    bool_,
    bytes_,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    string,
    u8,
    u16,
    u32,
    u64,
)

COLOR = Enum("Color", u8, ["Red", "Green", ("Blue", 7)])
LEVEL = Enum("Level", i16, [("Low", -2), ("High", 300)])
EDGE = Record("Edge", [Field("from", u16), Field("to", u16), Field("weight", f32)])
NODE = Record("Node", [Field("id", u16), Field("name", string)])
GRAPH = Record(
    "Graph",
    [Field("nodes", List(NODE)), Field("edges", List(EDGE)), Field("tags", Map(string, Optional(u8)))],
)

# Written by hand from the definition of the encoding.
BYTES: list[tuple[Type, Any, str]] = [
    (bool_, False, "00"),
    (bool_, True, "01"),
    (i8, -2, "fe"),
    (i16, -2, "fe ff"),
    (i32, -2, "fe ff ff ff"),
    (i64, -2, "fe ff ff ff ff ff ff ff"),
    (u8, 255, "ff"),
    (u16, 0x1234, "34 12"),
    (u32, 0x12345678, "78 56 34 12"),
    (u64, 0x123456789ABCDEF0, "f0 de bc 9a 78 56 34 12"),
    (f32, 1.0, "00 00 80 3f"),
    (f32, -0.0, "00 00 00 80"),
    (f32, float("inf"), "00 00 80 7f"),
    (f64, -1.5, "00 00 00 00 00 00 f8 bf"),
    (f64, float("-inf"), "00 00 00 00 00 00 f0 ff"),
    (string, "", "00 00 00 00"),
    (string, "a\0é", "04 00 00 00 61 00 c3 a9"),
    (string, "\U0001f40e", "04 00 00 00 f0 9f 90 8e"),
    (bytes_, b"\xff\x00", "02 00 00 00 ff 00"),
    (COLOR, 7, "07"),
    (LEVEL, -2, "fe ff"),
    (List(u16), [], "00 00 00 00"),
    (List(u16), [1, 2], "02 00 00 00 01 00 02 00"),
    (List(bool_), [True, False], "02 00 00 00 01 00"),
    (List(COLOR), [1, 7], "02 00 00 00 01 07"),
    (List(string), ["a", ""], "02 00 00 00 01 00 00 00 61 00 00 00 00"),
    (List(List(u8)), [[], [9]], "02 00 00 00 00 00 00 00 01 00 00 00 09"),
    (List(EDGE), [(1, 2, 1.0)], "01 00 00 00 01 00 02 00 00 00 80 3f"),
    (Array(u16, 2), [1, 2], "01 00 02 00"),
    (Array(Array(u8, 2), 2), [[1, 2], [3, 4]], "01 02 03 04"),
    (Array(string, 1), ["a"], "01 00 00 00 61"),
    (Optional(u16), None, "00"),
    (Optional(u16), 3, "01 03 00"),
    (Optional(List(u8)), [], "01 00 00 00 00"),
    (Map(string, u8), {}, "00 00 00 00"),
    (Map(string, u8), {"b": 1, "a": 2}, "02 00 00 00 01 00 00 00 61 02 01 00 00 00 62 01"),
    (Map(i16, u8), {1: 1, -1: 2}, "02 00 00 00 ff ff 02 01 00 01"),
    (EDGE, (1, 2, -0.0), "01 00 02 00 00 00 00 80"),
    (
        GRAPH,
        ([(5, "ab")], [(1, 2, 1.0)], {"k": None}),
        "01 00 00 00 05 00 02 00 00 00 61 62"
        "01 00 00 00 01 00 02 00 00 00 80 3f"
        "01 00 00 00 01 00 00 00 6b 00",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("type", "value", "expected"), BYTES)
def test_bytes_are_exactly_those_of_the_definition(type: Type, value: Any, expected: str) -> None:
    assert encode(type, value).hex(" ") == bytes.fromhex(expected).hex(" ")
    assert exact(decode(type, bytes.fromhex(expected))) == exact(value)


def test_string_keys_are_sorted_by_their_utf8_bytes() -> None:
    # In UTF-16 the horse, whose first unit is D83D, would come before U+FFFF.
    data = encode(Map(string, u8), {"\U0001f40e": 3, "\uffff": 2, "z": 1, "Z": 0})
    assert list(decode(Map(string, u8), data)) == ["Z", "z", "\uffff", "\U0001f40e"]


@given(schemas_with_values())
@settings(max_examples=examples(80), deadline=None)
def test_decoding_gives_back_what_was_encoded(sample: tuple[Schema, Any]) -> None:
    schema, value = sample
    assert exact(decode(schema.root, encode(schema.root, value))) == exact(value)


@given(schemas_with_values(), st.data())
@settings(max_examples=examples(60), deadline=None)
def test_cut_off_bytes_are_refused(sample: tuple[Schema, Any], data: st.DataObject) -> None:
    schema, value = sample
    whole = encode(schema.root, value)
    assume(whole)
    with pytest.raises(EncodingError):
        decode(schema.root, whole[: data.draw(st.integers(0, len(whole) - 1))])


EVERYTHING = Record(
    "Everything",
    [
        Field("flag", bool_),
        Field("number", i64),
        Field("real", f32),
        Field("text", string),
        Field("blob", bytes_),
        Field("color", COLOR),
        Field("maybe", Optional(u16)),
        Field("numbers", List(u32)),
        Field("edges", List(EDGE)),
        Field("texts", Array(string, 2)),
        Field("map", Map(string, List(bool_))),
        Field("last", f64),
    ],
)
EVERY_VALUE = (
    True,
    -1,
    1.5,
    "žl",
    b"\0\1",
    7,
    3,
    [1, 2],
    [(1, 2, 0.5)] * 2,
    ["a", ""],
    {"a": [True], "b": []},
    -0.0,
)


def test_a_message_cut_at_any_length_is_refused() -> None:
    whole = encode(EVERYTHING, EVERY_VALUE)
    for length in range(len(whole)):
        with pytest.raises(EncodingError):
            decode(EVERYTHING, whole[:length])


def test_trailing_bytes_are_refused() -> None:
    whole = encode(EVERYTHING, EVERY_VALUE)
    with pytest.raises(
        EncodingError, match=f"Everything: {len(whole) + 1} bytes, of which the value takes only {len(whole)}"
    ):
        decode(EVERYTHING, whole + b"\0")


@pytest.mark.parametrize(
    ("type", "data", "message"),
    [
        (bool_, "02", "bool at byte 0: found 2; expected 0 or 1"),
        (List(bool_), "01 00 00 00 ff", "bool at byte 4: found 255; expected 0 or 1"),
        (Optional(u8), "02 00", "optional at byte 0: presence is 2; expected 0 or 1"),
        (COLOR, "02", "enum Color at byte 0: 2 is not a member"),
        (List(LEVEL), "01 00 00 00 ff ff", "enum Level at byte 4: -1 is not a member"),
        (Map(u8, u8), "02 00 00 00 02 00 01 00", "map at byte 6: key 1 is out of order"),
        (Map(u8, u8), "02 00 00 00 01 00 01 00", "map at byte 6: key 1 is out of order"),
        (Map(i8, u8), "02 00 00 00 01 00 ff 00", "map at byte 6: key -1 is out of order"),
        (
            Map(string, u8),
            "02 00 00 00 01 00 00 00 62 00 01 00 00 00 61 00",
            "map at byte 10: key 'a' is out of order",
        ),
        (string, "01 00 00 00 ff", "string: a string is not UTF-8: invalid start byte"),
        (string, "03 00 00 00 ed a0 80", "string: a string is not UTF-8: invalid continuation byte"),
        (string, "02 00 00 00 c0 80", "string: a string is not UTF-8: invalid start byte"),
        (string, "05 00 00 00 61", "string at byte 0: length 5; 1 bytes are left"),
        (List(string), "ff ff ff ff 00", "4294967295 items at byte 4; 1 bytes are left"),
        (List(u32), "02 00 00 00 01 00 00 00", "2 items at byte 4 need 8 bytes; 4 are left"),
        (u16, "01", "u16: the input ends early, after 1 bytes"),
    ],
)
def test_bytes_that_are_not_canonical_are_refused_and_told_why(type: Type, data: str, message: str) -> None:
    with pytest.raises(EncodingError) as caught:
        decode(type, bytes.fromhex(data))
    assert str(caught.value) == message


def is_only_encoding(type: Type, data: bytes) -> bool:
    """Whether decoding refuses ``data``, or gives a value that is encoded as exactly these bytes."""
    try:
        value = decode(type, data)
    except EncodingError:
        return True
    # A signalling NaN in single precision becomes a quiet one where the processor widens it.
    return encode(type, value) == data or "nan" in repr(value)


@given(schemas(), st.binary(max_size=60))
@settings(max_examples=examples(80), deadline=None)
def test_arbitrary_bytes_are_refused_or_the_only_encoding_of_their_value(schema: Schema, data: bytes) -> None:
    assert is_only_encoding(schema.root, data)


@given(schemas_with_values(), st.data())
@settings(max_examples=examples(80), deadline=None)
def test_damaged_bytes_are_refused_or_the_only_encoding_of_their_value(
    sample: tuple[Schema, Any], data: st.DataObject
) -> None:
    schema, value = sample
    damaged = bytearray(encode(schema.root, value))
    assume(damaged)
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(
            st.sampled_from([0, 1, 2, 0x61, 0x80, 0xFF])
        )
    assert is_only_encoding(schema.root, bytes(damaged))


@pytest.mark.parametrize(
    ("type", "value", "message"),
    [
        (GRAPH, ([(1, "a"), (70000, "b")], [], {}), "Graph.nodes[1].id: found 70000, expected u16"),
        (GRAPH, ([], [(1, 2, 0.0), (3, -1, 0.0)], {}), "Graph.edges[1].to: found -1, expected u16"),
        (GRAPH, ([], [], {"a": 1, "b": 256}), "Graph.tags['b']: found 256, expected u8"),
        (GRAPH, ([], [], {"a": 1, 2: 1}), "Graph.tags key: found 2, expected string"),
        (GRAPH, ([], []), "Graph: found ([], []), expected a tuple of 3 fields"),
        (GRAPH, ([(1, "\ud800")], [], {}), "Graph.nodes[0].name: found '\\ud800', expected string"),
        (GRAPH, ([(1, b"a")], [], {}), "Graph.nodes[0].name: found b'a', expected string"),
        (GRAPH, ([], [(1, 2)], {}), "Graph.edges[0]: found (1, 2), expected a tuple of 3 fields"),
        (GRAPH, (None, [], {}), "Graph.nodes: found None, expected list<Node>"),
        (GRAPH, ([], [], []), "Graph.tags: found [], expected map<string, optional<u8>>"),
        (Array(u8, 2), [1], "array<u8, 2>: found 1 items, expected 2"),
        (bool_, 1, "bool: found 1, expected bool"),
        (u8, 1.0, "u8: found 1.0, expected u8"),
        (u8, "1", "u8: found '1', expected u8"),
        (bytes_, "a", "bytes: found 'a', expected bytes"),
        (f64, "1", "f64: found '1', expected f64"),
        (f64, 10**400, f"f64: found 1{'0' * 56}..., expected f64"),
        (COLOR, 2, "Color: found 2, expected a value of enum Color: [0, 1, 7]"),
        (List(COLOR), [7, "Red"], "list<Color>[1]: found 'Red', expected a value of enum Color: [0, 1, 7]"),
        (
            string,
            "\ud800" * 70,
            f"string: found '{chr(92)}ud800{(chr(92) + 'ud800') * 8}{chr(92)}u..., expected string",
        ),
        # A float of double range in a single: struct packs it as infinity where no byte order is given.
        (Record("R", [Field("x", f32)]), (1e300,), "R.x: found 1e+300, expected f32"),
        # Looked up in the set of members, these are not hashable or equal to a member.
        (Record("R", [Field("x", COLOR)]), ([],), "R.x: found [], expected a value of enum Color: [0, 1, 7]"),
        (
            Record("R", [Field("x", COLOR)]),
            (1.0,),
            "R.x: found 1.0, expected a value of enum Color: [0, 1, 7]",
        ),
    ],
)
def test_a_wrong_value_is_refused_and_its_place_named(type: Type, value: Any, message: str) -> None:
    with pytest.raises(ValueMismatch) as caught:
        encode(type, value)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("type", "value"),
    [
        (List(string), "abc"),
        (List(u8), b"ab"),
        (List(u8), {1, 2}),
        (NODE, [1, "a"]),
        (Record("Pair", [Field("a", string), Field("b", string)]), "ab"),
        (List(EDGE), [(1, 2, 0.5, 3), (4, 0.5)]),
    ],
)
def test_a_value_that_is_only_alike_is_refused(type: Type, value: Any) -> None:
    with pytest.raises(ValueMismatch):
        encode(type, value)


@pytest.mark.parametrize(
    ("type", "value"),
    [(u8, True), (List(u8), [True]), (Map(u8, u8), {True: 1}), (List(EDGE), [(1, True, 0.5)])],
)
def test_a_bool_is_no_number(type: Type, value: Any) -> None:
    assert find_mismatch(type, value) is not None
    with pytest.raises(ValueMismatch):
        encode(type, value)


@given(schemas_with_values())
@settings(max_examples=examples(60), deadline=None)
def test_no_mismatch_is_found_in_a_value_of_the_type(sample: tuple[Schema, Any]) -> None:
    schema, value = sample
    assert find_mismatch(schema.root, value) is None


@given(schemas(), schemas(), st.data())
@settings(max_examples=examples(60), deadline=None)
def test_another_type_s_value_is_refused_where_a_mismatch_is_found(
    one: Schema, other: Schema, data: st.DataObject
) -> None:
    value = data.draw(values_of(other.root))
    try:
        encode(one.root, value)
        refused = False
    except ValueMismatch:
        refused = True
    assert refused == (find_mismatch(one.root, value) is not None)


def test_only_plain_numbers_are_packed_in_one_call() -> None:
    assert [flat_format(t) for t in (u16, EDGE, f64)] == ["H", "HHf", "d"]
    assert [
        flat_format(t) for t in (bool_, string, COLOR, NODE, List(u8), Record("R", [Field("a", bool_)]))
    ] == [""] * 6
