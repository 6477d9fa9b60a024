"""Tests that all faults in declared types are named, each with what was found and what was expected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from serbench.errors import SchemaError
from serbench.model import (
    Alternative,
    Array,
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
    Walk,
    bool_,
    bytes_,
    decimal,
    f32,
    i64,
    string,
    u8,
    u16,
    uuid,
)

NOT_A_NAME = "is not a name; expected ASCII letters, digits and single inner underscores"


OF_A_SCALAR = "also the name of a scalar; expected another"


UNKNOWN = "expected a scalar, or a record, union or enum of this schema"


NO_KEY = "expected an integer type, string, bool or an enum"


def problems_of(root: Record, also: Sequence[Record | Enum | Union] = ()) -> list[str]:
    try:
        Schema("sample", root, also)
    except SchemaError as error:
        return error.problems
    return []


def of_field(type: Type | str, name: str = "a", number: int = 0) -> list[str]:
    """The faults of a record R with this single field."""
    return problems_of(Record("R", [Field(name, type, number)]))


def of_enum(enum: Enum) -> list[str]:
    return of_field(enum)


@pytest.mark.parametrize("name", ["", "1a", "_a", "a_", "a__b", "a-b", "a b", "é", "a\n", "from_"])
def test_a_bad_name_is_a_fault_of_a_field_an_enum_member_and_a_record(name: str) -> None:
    assert f"record R, field {name}: {name!r} {NOT_A_NAME}" in of_field(u8, name)
    assert f"enum E, member {name}: {name!r} {NOT_A_NAME}" in of_enum(Enum("E", u8, [name]))
    assert f"record {name}: {name!r} {NOT_A_NAME}" in problems_of(Record(name, [Field("a", u8)]))


@pytest.mark.parametrize("name", ["u8", "string", "bytes"])
def test_a_record_or_enum_has_no_name_of_a_scalar(name: str) -> None:
    """JSON refers to scalars and declared types by name, so no declared type may have a scalar's name."""
    assert problems_of(Record(name, [Field("a", u8)])) == [f"record {name}: {OF_A_SCALAR}"]
    assert of_enum(Enum(name, u8, ["A"])) == [f"enum {name}: {OF_A_SCALAR}"]


@pytest.mark.parametrize("name", ["lower", "None", "Object", "class", "EOF"])
def test_any_other_name_is_one_of_a_record_an_enum_a_field_and_a_member(name: str) -> None:
    named = Record("R", [Field(name, Record(name, [Field(name, u8)])), Field("other", Enum("E", u8, [name]))])
    assert problems_of(named) == []
    assert problems_of(Record("R", [Field("enum", Enum(name, u8, [name]))])) == []


@pytest.mark.parametrize(
    ("enum", "problems"),
    [
        (Enum("E", string, ["A"]),
         ["enum E: underlying type is string; expected an integer type such as u8"]),
        (Enum("E", bool_, ["A"]), ["enum E: underlying type is bool; expected an integer type such as u8"]),
        (Enum("E", u8, []), ["enum E: has no members; expected at least one"]),
        (Enum("E", u8, [("A", 256)]), ["enum E, member A: 256 is not a u8 (0 to 255)"]),
        (Enum("E", u8, [("A", -1)]), ["enum E, member A: -1 is not a u8 (0 to 255)"]),
        (Enum("E", i64, [("A", 1 << 31), ("B", -(1 << 63))]), []),
        (Enum("E", u8, [("A", 1)], aliases=[("B", 1)]), []),
        (Enum("E", u8, [("A", 1)], aliases=[("B", 2)]), ["enum E, alias B: no member has the number 2"]),
        (Enum("E", u8, ["A"], wire=[("B", "b-b")]), ["enum E: there is no B to be written as 'b-b'"]),
        (Enum("E", u8, ["A", "B"], wire=[("B", "A")]), ["enum E: written name A is declared 2 times"]),
        (Enum("E", u8, [("A", 0), ("A", 255)]), ["enum E: member A is declared 2 times"]),
        (Enum("E", u8, [("A", 1), ("B", 1)]), ["enum E: value 1 is declared 2 times"]),
    ],
)  # fmt: skip
def test_enum_faults(enum: Enum, problems: list[str]) -> None:
    assert of_enum(enum) == problems


@pytest.mark.parametrize("number", [-1, 1 << 29])
def test_a_field_number_that_no_idl_has_is_a_fault(number: int) -> None:
    assert of_field(u8, "a", number) == [f"record R, field a: number {number}; expected 1 to 536870911"]


@pytest.mark.parametrize("number", [1, 19000, (1 << 29) - 1])
def test_the_outermost_field_numbers_are_allowed(number: int) -> None:
    assert of_field(u8, "a", number) == []


def test_a_root_without_fields_is_a_fault_and_another_record_without_them_is_none() -> None:
    assert problems_of(Record("R", [])) == ["record R: the root has no fields; expected at least one"]
    assert of_field(Record("Nothing", [])) == []


def test_duplicate_fields_and_numbers_are_faults() -> None:
    assert problems_of(Record("R", [Field("a", u8, 2), Field("a", u8, 3)])) == [
        "record R: field a is declared 2 times"
    ]
    assert problems_of(Record("R", [Field("a", u8, 2), Field("b", u8, 2)])) == [
        "record R: field number 2 is declared 2 times"
    ]


@pytest.mark.parametrize(
    ("type", "problem"),
    [
        ("Nowhere", "unknown type 'Nowhere'; " + UNKNOWN),
        (Map(f32, u8), f"map key is f32; {NO_KEY}"),
        (Map(bytes_, u8), f"map key is bytes; {NO_KEY}"),
        (Map(Record("Pair", [Field("a", u8)]), u8), f"map key is Pair; {NO_KEY}"),
        (FixedBytes(0), "0 bytes; expected at least 1"),
        (
            Logical("moment", i64),
            "logical type 'moment'; expected one of timestamp, date, time, duration, decimal, uuid",
        ),
        (Logical("date", i64), "date over i64; expected i32"),
        (Logical("timestamp", i64, "days"), "timestamp in 'days'; expected one of s, ms, us, ns"),
        (decimal(3, 4), "decimal of 3 digits, 4 of them behind the point"),
        (uuid(bytes_), "uuid over bytes; expected 16 bytes or string"),
        (Map(List(u8), u8), f"map key is list<u8>; {NO_KEY}"),
        (Optional(Optional(u8)), "optional of optional; one of them is enough"),
        (Array(u8, 0), "array of 0 items; expected at least 1"),
        (Array(u8, -2), "array of -2 items; expected at least 1"),
        (None, "None is not a type of the type model"),
        (int, "<class 'int'> is not a type of the type model"),
    ],
)
def test_type_faults_are_found_at_any_depth(type: Any, problem: str) -> None:
    assert of_field(type) == [f"record R, field a: {problem}"]
    inner = Ref(type) if isinstance(type, str) else type
    assert of_field(Map(string, List(Array(Optional(List(inner)), 2)))) == [f"record R, field a: {problem}"]


def test_names_that_differ_only_in_case_or_underscores_are_no_faults() -> None:
    fields = [Field(name, u8) for name in ("out_edges", "outEdges", "OutEdges")]
    enum = Enum("Out_Edges", u8, ["low", "LOW", "Low"])
    assert problems_of(Record("R", [*fields, Field("x", enum), Field("y", Record("OutEdges", fields))])) == []


def test_one_name_for_two_layouts_is_a_fault() -> None:
    one, other = Record("A", [Field("x", u8)]), Record("A", [Field("x", u16)])
    found = problems_of(Record("R", [Field("a", one), Field("b", List(other))]))
    assert found == ["A: declared 2 times with different contents"]


def test_a_type_that_would_hold_itself_without_end_is_a_fault() -> None:
    a = Record("A", [Field("x", u8), Field("b", Array(Ref("B"), 2))])
    b = Union("B", [Alternative("a", Ref("A")), Alternative("c", Record("C", [Field("a", Ref("A"))]))])
    endless = (
        "every value of it would hold another one; expected a list, map, optional or union on the way back"
    )
    assert problems_of(Record("R", [Field("a", a)]), [b]) == [f"{name}: {endless}" for name in "ABCR"]
    ending = Union("B", [*b.alternatives, Alternative("end")])
    assert problems_of(Record("R", [Field("a", a)]), [ending]) == []


def test_a_record_that_occurs_twice_is_no_recursion() -> None:
    leaf = Record("Leaf", [Field("x", u8)])
    assert (
        problems_of(Record("R", [Field("a", leaf), Field("b", List(Record("S", [Field("leaf", leaf)])))]))
        == []
    )


def test_all_faults_of_a_schema_come_together() -> None:
    enum = Enum("color", u8, [("Red", 256), ("Red", 256)])
    bad = Record(
        "Bad", [Field("a", Map(f32, Array(Optional(Optional(u8)), 0))), Field("b", Ref("Nowhere"), 1 << 29)]
    )
    root = Record("Root", [Field("self", Ref("Root")), Field("bad", bad), Field("1st", enum)])
    with pytest.raises(SchemaError) as caught:
        Schema("sample", root)
    expected = [
        "record Root, field 1st: '1st' " + NOT_A_NAME,
        f"record Bad, field a: map key is f32; {NO_KEY}",
        "record Bad, field a: array of 0 items; expected at least 1",
        "record Bad, field a: optional of optional; one of them is enough",
        "record Bad, field b: number 536870912; expected 1 to 536870911",
        "record Bad, field b: unknown type 'Nowhere'; " + UNKNOWN,
        "enum color, member Red: 256 is not a u8 (0 to 255)",
        "enum color: member Red is declared 2 times",
        "enum color: value 256 is declared 2 times",
    ]
    assert sorted(caught.value.problems) == sorted(expected)
    lines = str(caught.value).splitlines()
    assert lines == ["schema sample: 9 errors", *(f"  {p}" for p in caught.value.problems)]


@pytest.mark.parametrize(
    ("walk", "said"),
    [
        (Walk("knots", "edges", "to"), "walk: record Net has no field knots that is a list of records"),
        (Walk("nodes", "to", "to"), "walk: record Knot has no field to that is a list of records"),
        (Walk("nodes", "edges", "name"), "walk: record Arc has no integer field name"),
        (Walk("nodes", "edges", "to", source="name"), "walk: record Arc has no other u16 field name"),
        (Walk("nodes", "edges", "to", source="to"), "walk: record Arc has no other u16 field to"),
    ],
)
def test_a_walk_over_what_is_no_graph_is_refused(walk: Walk, said: str) -> None:
    arc = Record("Arc", [Field("to", u16), Field("name", string)])
    knot = Record("Knot", [Field("edges", List(arc)), Field("to", u16)])
    net = Record("Net", [Field("nodes", List(knot))])
    assert Schema("net", net, walk=Walk("nodes", "edges", "to")).walk == Walk("nodes", "edges", "to")
    with pytest.raises(SchemaError, match=said):
        Schema("net", net, walk=walk)
