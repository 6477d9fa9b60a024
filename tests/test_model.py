"""Tests of the type model: declarations and their JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from tests.strategies import schemas
from tests.support import examples

from serbench.errors import SchemaError
from serbench.model import (
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
    bool_,
    bytes_,
    f32,
    i64,
    string,
    u8,
    u16,
)
from serbench.model.names import bare, camel, capitalised, in_python, pascal, snake, upper_snake
from serbench.model.parts import describe, fixed_width
from serbench.model.types import SCALARS

COLOR = Enum("Color", u8, ["Red", "Green"])


def json_of(fields: Any) -> dict[str, Any]:
    """The JSON of a schema with a single record, which has these fields."""
    return {"name": "s", "root": "Root", "enums": [], "records": [{"name": "Root", "fields": fields}]}


# --- declarations ---


def test_fields_are_numbered_on_from_the_one_before() -> None:
    fields = [Field("a", u8), Field("b", u8, 7), Field("c", u8), Field("d", u8, 3), Field("e", u8)]
    assert [f.number for f in Record("R", fields).fields] == [1, 7, 8, 3, 4]


def test_enum_members_count_on_from_the_one_before() -> None:
    assert Enum("E", u8, ["A", ("B", 5), "C", ("D", 2), "F"]).members == (
        ("A", 0),
        ("B", 5),
        ("C", 6),
        ("D", 2),
        ("F", 3),
    )


def test_a_field_type_can_be_named() -> None:
    assert Field("a", "u16").type == u16
    assert Field("a", "Color").type == Ref("Color")


def test_declarations_that_say_the_same_are_equal() -> None:
    one, other = (Record("R", [Field("a", List(COLOR))]) for _ in range(2))
    one(a=[0])  # a value class that was made already does not tell them apart
    assert one == other
    assert hash(one) == hash(other)
    assert one != Record("R", [Field("a", List(COLOR), 2)])


def test_a_record_makes_named_tuples() -> None:
    edge = Record("Edge", [Field("from", u16), Field("to", u16)])
    made: Any = edge(1, to=2)
    assert made == (1, 2)
    assert (made.from_, made.to) == (1, 2)
    with pytest.raises(TypeError):
        edge(1)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("i8", -128, 127),
        ("i16", -32768, 32767),
        ("i32", -2147483648, 2147483647),
        ("i64", -9223372036854775808, 9223372036854775807),
        ("u8", 0, 255),
        ("u16", 0, 65535),
        ("u32", 0, 4294967295),
        ("u64", 0, 18446744073709551615),
    ],
)
def test_integer_bounds(name: str, low: int, high: int) -> None:
    assert SCALARS[name].bounds == (low, high)


def test_fixed_width_is_known_where_no_part_varies() -> None:
    flat = Record("Flat", [Field("a", u16), Field("b", Array(f32, 3)), Field("c", COLOR), Field("d", bool_)])
    assert fixed_width(Array(flat, 2)) == 2 * (2 + 12 + 1 + 1)
    text = Record("R", [Field("a", string)])
    varying: list[Type] = [string, bytes_, List(u8), Map(u8, u8), Optional(u8), Array(string, 2), text]
    assert [fixed_width(t) for t in varying] == [None] * 7


def test_types_are_described_as_they_are_declared() -> None:
    assert (
        describe(Map(string, List(Array(Optional(COLOR), 3))))
        == "map<string, list<array<optional<Color>, 3>>>"
    )


# --- schemas ---


def test_a_schema_holds_records_after_those_they_contain_and_each_once() -> None:
    inner = Record("Inner", [Field("color", COLOR)])
    middle = Record("Middle", [Field("inner", List(inner))])
    root = Record(
        "Root",
        [Field("middle", Map(u8, middle)), Field("inner", Optional(inner)), Field("color", Array(COLOR, 2))],
    )
    schema = Schema("sample", root)
    assert schema.records == [inner, middle, root]
    assert schema.enums == [COLOR]
    assert schema.root == root


def test_references_become_what_they_name() -> None:
    inner = Record("Inner", [Field("color", "Color")])
    root = Record(
        "Root", [Field("a", List(Ref("Inner"))), Field("b", Map(u8, Optional(Array(Ref("Color"), 2))))]
    )
    schema = Schema("sample", root, [inner, COLOR, Record("Unused", [Field("a", u8)])])
    solid = Record("Inner", [Field("color", COLOR)])
    assert schema.root == Record(
        "Root", [Field("a", List(solid)), Field("b", Map(u8, Optional(Array(COLOR, 2))))]
    )
    assert [r.name for r in schema.records] == ["Inner", "Root"]


@given(schemas())
@settings(max_examples=examples(80), deadline=None)
def test_a_schema_comes_back_from_its_json(schema: Schema) -> None:
    back = Schema.from_json(json.loads(json.dumps(schema.to_json())))
    assert (back.name, back.root, back.records, back.enums) == (
        schema.name,
        schema.root,
        schema.records,
        schema.enums,
    )
    assert back.digest() == schema.digest()


def test_the_digest_is_the_same_however_a_layout_is_declared() -> None:
    direct = Schema("sample", Record("Root", [Field("a", COLOR)]))
    by_name = Schema(
        "sample", Record("Root", [Field("a", "Color", 1)]), [COLOR, Record("Unused", [Field("a", u8)])]
    )
    assert direct.digest() == by_name.digest()


@pytest.mark.parametrize(
    "other",
    [
        [Field("b", u16), Field("a", COLOR)],
        [Field("a", COLOR), Field("b", i64)],
        [Field("a", COLOR), Field("c", u16)],
        [Field("a", COLOR), Field("b", u16, 3)],
        [Field("a", COLOR)],
        [Field("a", COLOR), Field("b", u16), Field("c", u16)],
        [Field("a", Enum("Color", u16, ["Red", "Green"])), Field("b", u16)],
        [Field("a", Enum("Color", u8, ["Red", ("Green", 2)])), Field("b", u16)],
        [Field("a", Enum("Color", u8, ["Red", "Blue"])), Field("b", u16)],
        [Field("a", Optional(COLOR)), Field("b", u16)],
    ],
)
def test_the_digest_changes_with_the_layout(other: list[Field]) -> None:
    digest = Schema("sample", Record("Root", [Field("a", COLOR), Field("b", u16)])).digest()
    assert len(digest) == 64
    assert Schema("sample", Record("Root", other)).digest() != digest


def test_json_without_its_root_is_refused() -> None:
    with pytest.raises(SchemaError, match="root record Root is not declared"):
        Schema.from_json({"name": "s", "root": "Root", "enums": [], "records": []})


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (
            {"type": "u99"},
            (
                "record Root, field a: unknown type 'u99'; expected a scalar, or a record, "
                "union or enum of this schema"
            ),
        ),
        ({"type": {"set": "u8"}}, "record Root, field a: {'set': 'u8'} is not a type of the type model"),
        (
            {"type": {"array": "u8", "length": 0}},
            "record Root, field a: array of 0 items; expected at least 1",
        ),
    ],
)
def test_json_with_a_faulty_type_is_refused(damage: dict[str, Any], problem: str) -> None:
    with pytest.raises(SchemaError) as caught:
        Schema.from_json(json_of([{"name": "a", "number": 1} | damage]))
    assert caught.value.problems == [problem]


def test_an_error_of_a_damaged_schema_is_told_in_some_lines() -> None:
    long = [{"name": f"field_{n}", "number": n + 1, "type": "x" * 70_000} for n in range(30)]
    with pytest.raises(
        SchemaError, match=r"30 errors\n  record Root, field field_0: unknown type 'x+ … x+'; expected"
    ) as caught:
        Schema.from_json(json_of(long) | {"name": "y" * 70_000})
    told = str(caught.value).splitlines()
    assert len(told) == 22 and told[-1] == "  and 10 more" and max(map(len, told)) < 700
    assert len(caught.value.problems) == 30


@pytest.mark.parametrize(
    "data",
    [
        {},
        json_of([{"name": "a", "type": "u8", "number": "1"}]),
        json_of([{"name": "a", "type": "u8"}]),
        json_of(None),
    ],
    ids=["empty", "number is text", "no number", "no list of fields"],
)
def test_json_that_declares_no_schema_raises_schema_error(data: dict[str, Any]) -> None:
    with pytest.raises(SchemaError):
        Schema.from_json(data)


# --- names ---


def test_names_are_written_in_each_style() -> None:
    written = [
        (camel(n), pascal(n), snake(n), upper_snake(n)) for n in ("out_edges", "OutEdges", "x", "md5Sum")
    ]
    assert written == [
        ("outEdges", "OutEdges", "out_edges", "OUT_EDGES"),
        ("outEdges", "OutEdges", "out_edges", "OUT_EDGES"),
        ("x", "X", "x", "X"),
        ("md5Sum", "Md5Sum", "md5_sum", "MD5_SUM"),
    ]


def test_names_are_compared_and_written_in_python() -> None:
    assert [capitalised(n) for n in ("outEdges", "out_edges", "X")] == ["OutEdges", "Out_edges", "X"]
    assert [bare(n) for n in ("out_Edges", "OutEdges")] == ["outedges", "outedges"]
    assert [in_python(n) for n in ("from", "class", "None", "weight")] == [
        "from_",
        "class_",
        "None_",
        "weight",
    ]
    value: Any = Record("None", [Field("from", u8), Field("None", u8)])(1, 2)
    assert (value.from_, value.None_) == (1, 2)
