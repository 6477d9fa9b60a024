"""Tests of changes on one small schema: what each kind makes of it and of a value, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from tests.agreeing import agrees

from serbench.changes import FREE, between, changes_of, filled, parse, parse_all
from serbench.changes.alike import places_by_kind
from serbench.changes.catalogue import choices_of
from serbench.errors import SelectionError, ValueMismatch
from serbench.idl import emit
from serbench.model import (
    Alternative,
    Array,
    Enum,
    Field,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Schema,
    Union,
    bool_,
    f64,
    i32,
    i64,
    string,
    u8,
    u32,
)
from serbench.model.logical import timestamp

STATUS = Enum("Status", u8, ["open", "done"])
LINE = Record("Line", [Field("sku", "string"), Field("note", Optional(string)), Field("n", "u32")])
PAID = Union("Paid", [Alternative("cash"), Alternative("card", "string")])
NODE = Record("Node", [Field("value", "i32"), Field("next", Optional(Ref("Node")))])
ORDERS = Schema(
    "orders",
    Record(
        "Order",
        [
            *(Field("id", "u32"), Field("lines", List(LINE)), Field("status", STATUS)),
            *(Field("paid", PAID), Field("node", NODE)),
        ],
    ),
)
VALUE: Any = (7, [("a", None, 3), ("b", "x", 300)], 1, (1, "visa"), (1, (2, None)))


@pytest.mark.parametrize(
    ("text", "forward", "back"),
    [
        ("drop=lines.note", (7, [("a", 3), ("b", 300)], *VALUE[2:]), {1: [("a", None, 3), ("b", None, 300)]}),
        ("add=lines.more:u8=5", (7, [("a", None, 3, 5), ("b", "x", 300, 5)], *VALUE[2:]), {}),
        ("add=more:string", (*VALUE, None), {}),
        ("add=more:required<string>", (*VALUE, ""), {}),
        ("rename=id:key", VALUE, {}),
        ("renumber=id:9", VALUE, {}),
        ("reorder=status,id", (1, 7, VALUE[1], *VALUE[3:]), {}),
        ("reorder=paid:card", (*VALUE[:3], (0, "visa"), VALUE[4]), {}),
        ("widen=lines.n:u64", VALUE, {}),
        ("narrow=id:u8", VALUE, {}),
        ("sign=id:i32", VALUE, {}),
        ("optional=id", VALUE, {}),
        ("list=id", ([7], *VALUE[1:]), {}),
        ("list=lines.note", (7, [("a", [], 3), ("b", ["x"], 300)], *VALUE[2:]), {}),
        ("text=id", ("7", *VALUE[1:]), {}),
        ("add=status.lost", VALUE, {}),
        ("drop=status.open", VALUE, {}),
        ("drop=paid.cash", (*VALUE[:3], (0, "visa"), VALUE[4]), {}),
        ("group=id,status:head", ((7, 1), VALUE[1], *VALUE[3:]), {}),
        ("keep=id,lines[].sku", (7, [("a",), ("b",)]), {1: [("a", None, 0), ("b", None, 0)]} | {
            2: 0, 3: (0, None), 4: (0, None)}),
        ("empty=node.value", (*VALUE[:4], (0, (0, None))), {4: (0, (0, None))}),
        ("empty=*:texts", (7, [("", None, 3), ("", None, 300)], 1, (1, ""), VALUE[4]), {
            1: [("", None, 3), ("", None, 300)], 3: (1, "")}),
        ("drop=node.next", (*VALUE[:4], (1,)), {4: (1, None)}),
        ("hint=lines.n:fixed32", VALUE, {}),
    ],
)  # fmt: skip
def test_a_change_says_what_a_value_is_in_the_other_schema(
    text: str, forward: Any, back: dict[int, Any]
) -> None:
    change = parse(text, ORDERS)
    assert change.text == text
    assert change.forward(VALUE) == forward
    assert change.backward(forward) == tuple(back.get(n, each) for n, each in enumerate(VALUE))


def test_a_value_that_the_old_reader_cannot_hold_is_free() -> None:
    added = parse("add=status.lost", ORDERS)
    read = added.backward((*VALUE[:2], 2, *VALUE[3:]))
    assert read[2] is FREE and agrees(read, VALUE) and not agrees(read, (8, *VALUE[1:]))
    assert filled(ORDERS.root, read)[2] == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("narrow=lines.n:u8", r"narrow=lines.n:u8: lines\[1\].n: the value does not fit u8"),
        ("required=lines.note", r"lines\[0\].note: the value is absent"),
        ("drop=status.done", "status: the value does not fit Status"),
        ("drop=paid.card", "paid: there is no alternative for card"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_its_path(text: str, reason: str) -> None:
    with pytest.raises(ValueMismatch, match=reason):
        parse(text, ORDERS).forward(VALUE)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("dorp=id", "unknown change 'dorp'; did you mean drop"),
        ("drop=lines.nota", r"unknown path 'lines.nota'; did you mean lines\[\].note"),
        ("widen=lines.sku:u64", "no number that becomes 'u64'"),
        ("required=id", "id is not optional"),
        ("rename=id:status", "field status is declared 2 times"),
        ("add=x:nothing", "'nothing' is no type"),
        ("add=x:u8=300", "'300' is no value"),
        ("add=x:required<nothing>", "'nothing' is no type"),
        ("group=id,lines.sku:g", "expected fields of one record"),
        ("hint=node.value:sint64", "'sint64' is no other form of it; expected sint32 or sfixed32"),
        ("hint=id:uint32", "'uint32' is its form already; expected fixed32"),
        ("hint=lines:fixed32", "lines is no whole number that an IDL writes in several forms"),
        ("empty=*:text", "unknown kind of value 'text'; did you mean texts"),
        ("take=0", "no number of messages"),
        ("drop=", "found no path; expected one such as id"),
    ],
)
def test_a_change_that_the_schema_cannot_have_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(SelectionError, match=reason):
        parse(text, ORDERS)


def test_a_root_without_fields_is_refused() -> None:
    with pytest.raises(SelectionError, match="the root has no fields"):
        parse("drop=x", Schema("small", Record("R", [Field("x", "u8")])))


def test_take_and_repeat_change_the_number_of_messages() -> None:
    assert parse_all(["take=2", "repeat=2"], ORDERS).messages([1, 2, 3]) == [1, 2, 1, 2]


def test_between_finds_parts_by_name_and_else_by_number() -> None:
    new = parse_all(["rename=id:key", "drop=lines.note", "add=more:string", "widen=key:u64"], ORDERS).new
    change = between(ORDERS, new)
    assert change.forward(VALUE) == (7, [("a", 3), ("b", 300)], *VALUE[2:], None)
    assert change.backward(change.forward(VALUE))[0] == 7


def test_between_refuses_schemas_that_have_nothing_in_common() -> None:
    other = Schema("other", Record("R", [Field("x", "u8", 99)]))
    with pytest.raises(SelectionError, match="no field of Order is one of R"):
        between(ORDERS, other)
    with pytest.raises(SelectionError, match="id: u32 cannot be read as bytes"):
        between(ORDERS, Schema("other", Record("R", [Field("id", "bytes")])))


def test_each_listed_change_is_read_back_from_its_text() -> None:
    listed = [change.text for change in changes_of(ORDERS)]
    assert {"drop=lines[].note", "widen=id:u64", "add=status.added", "keep=lines[]"} <= set(listed)
    assert [parse(text, ORDERS).text for text in listed] == listed


def test_records_become_columns_and_a_record_of_one_field_becomes_the_field() -> None:
    change = parse("columns=lines", ORDERS)
    assert change.forward(VALUE) == (7, (["a", "b"], [None, "x"], [3, 300]), *VALUE[2:])
    assert change.backward(change.forward(VALUE)) == VALUE
    assert change.backward((7, ([], [], []), *VALUE[2:])) == (7, [], *VALUE[2:])
    assert change.backward((7, (["a"], [], []), *VALUE[2:]))[1] is FREE  # no rows
    point = Record("Point", [Field("x", "i32")])
    schema = Schema("points", Record("Points", [Field("a", Optional(point)), Field("all", List(point))]))
    change = parse_all(["ungroup=a", "ungroup=all[]"], schema)
    assert change.forward(((1,), [(2,), (3,)])) == (1, [2, 3]) and change.forward((None, [])) == (None, [])
    assert change.backward((1, [2, 3])) == ((1,), [(2,), (3,)]) and change.backward((None, [])) == (None, [])
    with pytest.raises(SelectionError, match=r"columns=id: id is no list of records with fields"):
        parse("columns=id", ORDERS)
    with pytest.raises(SelectionError, match=r"ungroup=node: node is no record of one field"):
        parse("ungroup=node", ORDERS)
    with pytest.raises(SelectionError, match=r"columns=all: Tree holds Tree again"):
        tree = Record("Tree", [Field("all", List(Ref("Tree")))])
        parse("columns=all", Schema("trees", tree))


def test_texts_become_numbers_in_a_table_of_the_distinct_ones() -> None:
    lines = [("b", "x", 1), ("a", None, 2), ("b", "y", 3)]
    value = (7, lines, *VALUE[2:])
    change = parse("dictionary=lines.sku", ORDERS)
    assert change.new.root.fields[-1].name == "sku_texts"
    assert change.forward(value) == (7, [(0, "x", 1), (1, None, 2), (0, "y", 3)], *VALUE[2:], ["b", "a"])
    assert change.forward(VALUE)[-1] == ["a", "b"], "each message has a table of its own"
    both = parse_all(["dictionary=lines.sku", "dictionary=lines.note", "columns=lines"], ORDERS)
    assert both.forward(value)[1] == ([0, 1, 0], [0, None, 1], [1, 2, 3])
    assert both.backward(both.forward(value)) == value
    assert change.backward((7, [(2, None, 0), (1, None, 0)], *VALUE[2:], ["b", "a"]))[1] == [
        (FREE, None, 0),
        ("a", None, 0),
    ]
    of_root = Schema("texts", Record("Texts", [Field("x", Map(string, string)), Field("x_texts", u8)]))
    change = parse("dictionary=x[]", of_root)
    assert change.new.root.fields[-1].name == "x_texts_too"
    assert change.forward(({"k": "v", "l": "v"}, 1)) == ({"k": 0, "l": 0}, 1, ["v"])
    with pytest.raises(SelectionError, match="dictionary=id: id is no string"):
        parse("dictionary=id", ORDERS)
    with pytest.raises(SelectionError, match="Tree holds itself, so that each of them would have a table"):
        tree = Record("Tree", [Field("name", string), Field("all", List(Ref("Tree")))])
        parse("dictionary=name", Schema("trees", tree))


def test_a_hint_says_how_a_number_is_written() -> None:
    numbers = [Field("one", Optional(u32)), Field("all", List(i64)), Field("by_name", Map(string, i32))]
    schema = Schema("numbers", Record("Numbers", [*numbers, Field("octets", List(u8))]))
    texts = ["hint=one:fixed32", "hint=all[]:sint64", "hint=by_name[]:sfixed32"]
    written = emit("proto", parse_all(texts, schema).new)
    lines = ["fixed32 one = 1", "repeated sint64 all = 2", "map<string, sfixed32> by_name = 3"]
    assert all(line in written for line in lines), written
    written = emit("proto", parse_all([*texts, "hint=all[]:sfixed64", "hint=one:uint32"], schema).new)
    assert "uint32 one = 1" in written and "repeated sfixed64 all = 2" in written
    with pytest.raises(SelectionError, match=r"octets\[\] is no whole number that"):
        parse("hint=octets[]:fixed32", schema)


def test_all_values_that_could_have_another_form_get_it_together() -> None:
    numbers = [Field("one", Optional(u32)), Field("all", List(i64)), Field("by_name", Map(string, u32))]
    texts = [Field("text", string), Field("texts", List(Optional(string)))]
    schema = Schema("numbers", Record("Numbers", [*numbers, *texts]))
    assert choices_of(schema, ["proto"]) == {
        "hint=*:fixed32": 2, "retype=*:utf8": 2, "hint=*:sint64": 1, "hint=*:sfixed64": 1,
    }  # fmt: skip
    assert choices_of(schema, []) == {"retype=*:utf8": 2}
    fixed = parse("hint=*:fixed32", schema)
    one_by_one = parse_all(["hint=one:fixed32", "hint=by_name[]:fixed32"], schema)
    assert (fixed.text, fixed.new.digest()) == ("hint=*:fixed32", one_by_one.new.digest())
    value = (1, [2], {"ä": 3}, "ö", ["x", None])
    assert fixed.forward(value) == value
    octets = parse("retype=*:utf8", schema)
    assert octets.forward(value) == (1, [2], {"ä": 3}, b"\xc3\xb6", [b"x", None])
    assert octets.backward(octets.forward(value)) == value
    assert octets.backward((1, [2], {}, b"\xff", []))[3] is FREE
    with pytest.raises(SelectionError, match="could have the form 'sint32'; expected fixed32 or sint64"):
        parse("hint=*:sint32", schema)
    with pytest.raises(SelectionError, match="expected nothing, since no value has another form"):
        parse("retype=*:uuid", Schema("no_texts", Record("R", [Field("n", u32)])))


def test_all_values_of_a_kind_become_empty_and_what_is_inside_of_them_with_them() -> None:
    assert {kind: [place.path for place in of] for kind, of in places_by_kind(ORDERS).items()} == {
        "integers": ["id", "lines[].n", "node.value"],
        "lists": ["lines"],
        "records": ["lines[]", "node", "node.next"],
        "enums": ["status"],
        "unions": ["paid"],
        "texts": ["lines[].sku", "lines[].note", "paid.card"],
        "optionals": ["lines[].note", "node.next"],
    }
    emptied = parse("empty=*:records", ORDERS).forward(VALUE)
    assert emptied == (7, [("", None, 0), ("", None, 0)], 1, (1, "visa"), (0, None))
    when, held = Optional(timestamp("ms")), [Field("flags", Map(string, bool_)), Field("raw", FixedBytes(2))]
    schema = Schema("kinds", Record("Kinds", [Field("when", when), Field("rates", Array(f64, 2)), *held]))
    value: Any = (5, [1.5, 2.5], {"a": True}, b"xy")
    assert parse("empty=*:timestamps", schema).forward(value) == (None, *value[1:])
    assert parse("empty=*:floats", schema).forward(value) == (5, [0.0, 0.0], {"a": True}, b"xy")
    assert parse("empty=*:bools", schema).forward(value)[2] == {"a": False}
    assert parse_all(["empty=*:bytes", "empty=*:maps"], schema).forward(value)[2:] == ({}, b"\0\0")
