"""Tests of reading a part: the paths that are asked for, the part's values put back, and what is selected."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.drawn import drawn_schemas, drawn_values
from tests.test_changes import ORDERS, VALUE

from serbench.changes import parse
from serbench.changes.catalogue import changes_of
from serbench.changes.derived import parse_spec
from serbench.changes.reading import fields_with_values, put_back, read_paths, sets_of, words_that_are_fields
from serbench.codegen.naming import Naming, Scope
from serbench.errors import SelectionError, ValueMismatch
from serbench.model import Alternative, Field, Record, Schema, Union
from serbench.paths import Paths
from serbench.selecting.selection import Asked, Chosen, select_workloads
from serbench.workload import WorkloadSpec, load_workloads

KNOWN = load_workloads(*Paths.default().all_workloads)
SHOUTED = Naming(fields=Scope(style=str.upper))
"""Names of fields in another style than the declared one."""


@pytest.mark.parametrize(
    ("asked", "paths"),
    [
        ("id", "id"),
        (" id , lines[].sku ", "id,lines[].sku"),
        ("first", "id"),
        ("100%", "id,lines[].sku,lines[].note,lines[].n,status,node.value"),
    ],
)
def test_paths_are_asked_for_in_several_ways(asked: str, paths: str) -> None:
    assert read_paths(ORDERS, asked, f"read={asked}") == paths


def test_a_share_of_values_is_drawn_and_always_the_same() -> None:
    once = read_paths(ORDERS, "30%", "read=30%").split(",")
    assert once == read_paths(ORDERS, "30%", "read=30%").split(",")
    assert len(once) == 2
    assert len(read_paths(ORDERS, "1%", "read=1%").split(",")) == 1


def test_a_greater_share_has_all_paths_of_a_smaller_one() -> None:
    sizes = set()
    flat = [
        Schema("s", Record("R", [Field(f"f{n}", "i32") for n in range(count)])) for count in range(9, 250)
    ]
    for schema in [*flat, *drawn_schemas(20), *(workload.schema for workload in KNOWN.values())]:
        drawn = [set(read_paths(schema, asked, "").split(",")) for asked in sets_of(["shares"], schema)]
        for smaller, greater in pairwise(drawn):
            assert smaller <= greater
        sizes.add(tuple(map(len, drawn)))
    assert any(len({*each}) == 4 for each in sizes), sizes


def test_shares_are_four_sets_of_paths_among_others() -> None:
    assert sets_of(["id", "shares"], ORDERS) == ["id", "1%", "3%", "10%", "30%"]
    specs = Chosen([], [WorkloadSpec.usual(KNOWN["telemetry"])]).reading(["shares"]).workloads
    sizes = [len(fields_with_values(spec.workload.schema)) for spec in specs]
    whole = sizes[0]
    assert sizes == [whole, 1, round(0.1 * whole), round(0.3 * whole)], "1 % and 3 % are one field alike"


def test_a_field_that_is_named_as_a_word_is_read_alone() -> None:
    inner = Record("Inner", [Field("a", "u8"), Field("b", "u8")])
    schema = Schema("s", Record("R", [Field("id", "u8"), Field("shares", "u8"), Field("first", inner)]))
    assert sets_of(["shares", "1%"], schema) == ["shares", "1%"]
    assert read_paths(schema, " first", "") == "first"
    assert words_that_are_fields(["id", " shares "], schema) == ["shares"]
    assert words_that_are_fields(["shares", "first"], ORDERS) == []


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (
            "lines[0]",
            r"read=lines\[0\]: \[0\] is a single item or entry; expected \[\], which means all of them",
        ),
        ("", "read=: found no path; expected one such as id"),
        ("id,", "read=id,: found no path"),
        ("0%", "found 0%, expected more than 0 % and at most 100 %"),
        ("120%", "found 120%, expected more than 0 %"),
    ],
)
def test_paths_that_cannot_be_read_are_refused(asked: str, error: str) -> None:
    with pytest.raises(SelectionError, match=error):
        read_paths(ORDERS, asked, f"read={asked}")


def test_a_part_is_put_back_where_it_was() -> None:
    change = parse("keep=id,lines[].sku", ORDERS)
    edited = (8, [("A",), ("b",)])
    whole = put_back(ORDERS.root, VALUE, change.new.root, edited)
    assert whole == (8, [("A", None, 3), ("b", "x", 300)], *VALUE[2:])
    assert change.forward(whole) == edited
    with pytest.raises(ValueMismatch, match="the part has 1 where the whole message has 2"):
        put_back(ORDERS.root, VALUE, change.new.root, (8, [("A",)]))


def test_what_a_part_has_of_a_message_is_that_message_s_own() -> None:
    kept = 0
    for schema in drawn_schemas(40):
        texts = [change for change in changes_of(schema) if change.text.startswith("keep=")]
        for change in texts[:4]:
            for value in drawn_values(schema)[:3]:
                assert put_back(schema.root, value, change.new.root, change.forward(value)) == value
                kept += 1
    assert kept > 100


def test_a_workload_reads_a_part_of_another_s_messages() -> None:
    spec = parse_spec("monsters/read=monsters[].name, monsters[].hp", KNOWN)
    assert spec.id == "monsters/read=monsters[].name,monsters[].hp"
    assert spec.whole == parse_spec("monsters", KNOWN)
    kept = parse_spec("monsters/keep=monsters[].name,monsters[].hp", KNOWN)
    assert spec.workload.schema.digest() == kept.workload.schema.digest()
    # Code that reads a part of laid out bytes has the types of the whole message.
    assert spec.workload.name != kept.workload.name
    assert kept.workload.schema.whole is None
    assert spec.workload.schema.whole is KNOWN["monsters"].schema
    for seen in (spec.workload.schema.plain(), SHOUTED.spell(spec.workload.schema)):
        assert seen.whole and len(seen.whole.root.fields[0].type.item.fields) == 9
    twice = parse_spec("monsters/drop=monsters[].mana/read=monsters[].hp", KNOWN)
    assert twice.whole and twice.whole.id == "monsters/drop=monsters[].mana"
    assert twice.workload.schema.whole is twice.whole.workload.schema
    assert parse_spec("monsters/read=monsters", KNOWN).workload is KNOWN["monsters"]


def test_an_unknown_path_is_told_with_the_nearest() -> None:
    with pytest.raises(SelectionError, match=r"unknown path 'monsters\[\].nam'; did you mean .*name"):
        parse_spec("monsters/read=monsters[].nam", KNOWN)


def test_whose_messages_are_read_is_selected_too() -> None:
    assert [spec.id for spec in select_workloads(["monsters/read=first"], KNOWN)] == [
        "monsters",
        parse_spec("monsters/read=first", KNOWN).id,
    ]


def test_a_selection_reads_parts_of_each_workload() -> None:
    specs = [WorkloadSpec.usual(KNOWN[name]) for name in ("record", "monsters")]
    chosen = Chosen([], specs).reading(["first", "10%"], Asked().memory)
    whole = [spec.id for spec in chosen.workloads if not spec.whole]
    assert whole == [spec.id for spec in specs]
    assert {spec.whole.id for spec in chosen.workloads if spec.whole} == set(whole)
    assert [str(each) for each in chosen.operations] == ["read:reuse"]
    assert Chosen([], specs).reading([]) == Chosen([], specs)
    with pytest.raises(SelectionError, match="reading or changing a part is timed; found --metric wire"):
        Chosen([], specs, metrics=("wire",)).reading(["first"])


def test_a_schema_without_values_has_no_first_one() -> None:
    only = Schema("s", Record("R", [Field("u", Union("U", [Alternative("a"), Alternative("b")]))]))
    with pytest.raises(SelectionError, match="read=first: no field holds a value"):
        read_paths(only, "first", "read=first")
