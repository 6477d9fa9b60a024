"""Tests of the type model's second edition: unions, recursion, written names, logical types, open enums,
empty records."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from tests.support import TEST_WORKLOADS

from serbench.codegen.naming import Naming, Scope
from serbench.dataset.canonical import decode, encode
from serbench.dataset.edges import NEAR, edge_values
from serbench.dataset.values import find_mismatch, first_difference, steps_of
from serbench.drawing.made_up import MadeUp
from serbench.errors import EncodingError, ValueMismatch
from serbench.model import (
    Alternative,
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
    date,
    decimal,
    i32,
    i64,
    string,
    time_of_day,
    timestamp,
    u8,
    u64,
    uuid,
)
from serbench.model.grown import beyond_first_edition
from serbench.model.parts import describe, resolved, types_in
from serbench.model.types import MAX_DEPTH
from serbench.verification.checks import well_formed
from serbench.workload import load_workloads

NOTHING_IN_IT = Record("Nothing", [])
ANY = Union(
    "Any",
    [
        Alternative("none"),
        Alternative("text", string),
        Alternative("number", i64),
        Alternative("empty", NOTHING_IN_IT),
        Alternative("items", List(Ref("Any"))),
        Alternative("named", Map(string, Ref("Any"))),
    ],
)
TREE = Record(
    "Tree", [Field("value", i32), Field("left", Optional(Ref("Tree"))), Field("right", Optional(Ref("Tree")))]
)
LEVEL = Enum(
    "Level", u8, [("low", 1), ("high", 3)], aliases=[("top", 3)], open=True, wire=[("low", "the-low")]
)
WIDE = Enum("Wide", u64, [("least", 0), ("most", (1 << 64) - 1)])
ROOT = Record(
    "Root",
    [
        Field("any", ANY, wire="@any"),
        Field("tree", TREE, 70_000),
        Field("level", LEVEL),
        Field("by_level", Map(LEVEL, Map(bool_, WIDE))),
        Field("digest", FixedBytes(3)),
        Field("when", timestamp("ms"), default=7),
        Field("price", decimal(20, 2)),
        Field("id", uuid(), hints=[("an idl", "a word")]),
        Field("day", date()),
        Field("at", time_of_day("us")),
        Field("nothings", List(NOTHING_IN_IT)),
    ],
)
SCHEMA = Schema("grown", ROOT)


def any_of(schema: Schema) -> Union:
    return next(union for union in schema.unions if union.name == "Any")


def nested(steps: int) -> tuple[int, Any]:
    value = ANY("number", 1)
    for _ in range(steps):
        value = ANY("items", [value])
    return value


# --- schemas ---


def test_references_that_lead_back_know_their_target_and_the_others_are_gone() -> None:
    items = any_of(SCHEMA).alternatives[4].type
    assert isinstance(items, List)
    assert isinstance(items.item, Ref)
    assert items.item.target is any_of(SCHEMA) is resolved(items.item)
    assert resolved(items) is items and resolved(None) is None
    assert [c.name for c in SCHEMA.composites] == ["Nothing", "Any", "Tree", "Root"]


def test_recursion_by_way_of_others_is_cut_where_it_comes_back() -> None:
    a = Record("A", [Field("b", Optional(Ref("B")))])
    b = Record("B", [Field("a", List(Ref("A")))])
    schema = Schema("mutual", Record("Root", [Field("b", b), Field("a", Ref("A"))]), [a])
    assert [r.name for r in schema.records] == ["A", "B", "Root"]
    back = [t for t in types_in(schema.root) if isinstance(t, Ref)]
    assert [(ref.name, ref.target) for ref in back] == [("B", schema.records[1])]
    assert schema.root.fields[1].type is schema.records[0]


def test_two_schemas_with_one_name_for_two_types_each_mean_their_own() -> None:
    """Two types are equal if their declarations are, and a declaration only names the types that it refers
    to. So types of two schemas may be equal although they refer to different types; each must be encoded by
    its own schema."""

    def schema(item: Any) -> Schema:
        b = Record("B", [Field("x", item), Field("a", Optional(Ref("A")))])
        return Schema("s", Record("A", [Field("b", List(b))]))

    narrow, wide = schema(u8), schema(u64)
    assert encode(narrow.root, ([(1, ([],))],)) == bytes([1, 0, 0, 0, 1, 1, 0, 0, 0, 0])
    assert len(encode(wide.root, ([(1, ([],))],))) == 17


def test_a_schema_comes_back_from_its_json_whole() -> None:
    back = Schema.from_json(json.loads(json.dumps(SCHEMA.to_json())))
    assert back.to_json() == SCHEMA.to_json()
    assert back.root == SCHEMA.root
    assert back.digest() == SCHEMA.digest()


def test_what_the_first_edition_had_is_written_as_it_was() -> None:
    color = Enum("Color", u8, ["Red"])
    schema = Schema("old", Record("Root", [Field("a", List(color))]))
    assert schema.to_json() == {
        "name": "old",
        "root": "Root",
        "enums": [{"name": "Color", "underlying": "u8", "members": [["Red", 0]]}],
        "records": [{"name": "Root", "fields": [{"name": "a", "type": {"list": "Color"}, "number": 1}]}],
    }


def test_the_plain_schema_has_bases_in_place_of_logical_types_and_the_same_digest() -> None:
    plain = SCHEMA.plain()
    assert [describe(f.type) for f in plain.root.fields[5:10]] == ["i64", "bytes", "bytes<16>", "i32", "i64"]
    assert plain.digest() == SCHEMA.digest()
    assert plain.root.fields[0].wire_name == "@any"
    items = any_of(plain).alternatives[4].type
    assert isinstance(items, List)
    assert items.item.target is any_of(plain)  # type: ignore[union-attr]


def test_names_of_a_generator_reach_unions_their_alternatives_and_what_leads_back() -> None:
    spelled = Naming(
        types=Scope(style=str.upper), fields=Scope(style=str.upper, reserved=frozenset({"TEXT"}))
    ).spell(SCHEMA)
    union = spelled.unions[0]
    assert union.name == "ANY"
    assert [a.name for a in union.alternatives] == ["NONE", "TEXT_", "NUMBER", "EMPTY", "ITEMS", "NAMED"]
    items = union.alternatives[4].type
    assert isinstance(items, List)
    assert items.item.target is union  # type: ignore[union-attr]
    assert spelled.root.fields[0].wire_name == "@any"
    assert spelled.enums[0].wire_name(spelled.enums[0].members[0][0]) == "the-low"


def test_what_the_first_edition_lacks_is_told_by_its_name() -> None:
    def told(type: Any) -> str | None:
        return beyond_first_edition(Schema("s", Record("R", [Field("a", type)])))

    expected = [
        "union",
        "recursion",
        "open enum",
        "wide enum",
        "fixed bytes",
        "empty record",
        "map whose keys are bools",
    ]
    alone = Union("U", [Alternative("a", u8)])
    assert [
        told(t) for t in (alone, TREE, LEVEL, WIDE, FixedBytes(2), NOTHING_IN_IT, Map(bool_, u8))
    ] == expected
    assert told(Map(Enum("E", u8, ["A"]), u8)) == "map whose keys are enums"
    assert told(timestamp("s")) is None


# --- values ---


@pytest.mark.parametrize(
    ("type", "value", "written"),
    [
        (ANY, ANY("none"), "00000000"),
        (ANY, ANY("number", 2), "020000000200000000000000"),
        (
            ANY,
            ANY("items", [ANY("none"), ANY("text", "a")]),
            "0400000002000000000000000100000001000000" + "61",
        ),
        (NOTHING_IN_IT, (), ""),
        (List(NOTHING_IN_IT), [(), ()], "02000000"),
        (LEVEL, 200, "c8"),
        (Map(bool_, u8), {True: 2, False: 1}, "0200000000010102"),
        (FixedBytes(3), b"abc", "616263"),
        (timestamp("s"), -1, "ffffffffffffffff"),
    ],
)
def test_canonical_bytes(type: Any, value: Any, written: str) -> None:
    root = Schema("s", Record("R", [Field("a", type)])).root
    assert encode(root, (value,)).hex() == written
    assert decode(root, bytes.fromhex(written)) == (value,)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        (
            "any",
            (6, None),
            "Root.any: found (6, None), expected the index of an alternative of Any (0 to 5) and its value",
        ),
        ("any", ANY("text", 3), "Root.any.text: found 3, expected string"),
        ("any", ANY("none", 3), "Root.any.none: found 3, expected None"),
        (
            "any",
            ANY("items", [ANY("items", [ANY("number", "x")])]),
            "Root.any.items[0].items[0].number: found 'x', expected i64",
        ),
        ("digest", b"abcd", "Root.digest: found b'abcd', expected 3 bytes"),
        ("level", 256, "Root.level: found 256, expected u8"),
        ("when", "now", "Root.when: found 'now', expected i64"),
    ],
)
def test_a_wrong_value_is_named_by_its_path(field: str, value: Any, said: str) -> None:
    whole = edge_values(SCHEMA.root)[0]
    at = [f.name for f in SCHEMA.root.fields].index(field)
    wrong = (*whole[:at], value, *whole[at + 1 :])
    assert find_mismatch(SCHEMA.root, wrong) == said
    with pytest.raises(ValueMismatch, match=r"^Root\."):
        encode(SCHEMA.root, wrong)


def test_a_difference_is_named_by_its_path() -> None:
    root = any_of(SCHEMA)
    one, other = ANY("named", {"a": ANY("number", 1)}), ANY("named", {"a": ANY("text", "1")})
    assert first_difference(root, one, other) == "Any.named['a']: found alternative text, expected number"
    assert (
        first_difference(root, one, ANY("named", {"a": ANY("number", 2)}))
        == "Any.named['a'].number: found 2, expected 1"
    )
    assert first_difference(root, one, one) is None


def test_values_have_at_most_so_many_steps_of_recursion() -> None:
    root = any_of(SCHEMA)
    assert decode(root, encode(root, nested(MAX_DEPTH))) == nested(MAX_DEPTH)
    with pytest.raises(ValueMismatch, match="more than 1000 steps of recursion"):
        encode(root, nested(MAX_DEPTH + 1))
    one_step = bytes.fromhex("0400000001000000")
    for steps in (MAX_DEPTH + 1, 1_000_000):
        with pytest.raises(EncodingError, match="more than 1000 steps of recursion"):
            decode(root, one_step * steps + bytes(4))
    assert decode(root, encode(root, nested(3))) == nested(3), "an error leaves nothing behind"


@pytest.mark.parametrize(
    ("type", "data", "said"),
    [
        (ANY, "06000000", "union Any at byte 0: alternative 6; expected 0 to 5"),
        (FixedBytes(3), "0102", "3 bytes at byte 0; 2 bytes are left"),
        (
            List(NOTHING_IN_IT),
            "ffffffff",
            "4294967295 items without content at byte 4; expected at most 65536",
        ),
    ],
)
def test_bytes_that_are_not_canonical_are_refused(type: Any, data: str, said: str) -> None:
    with pytest.raises(EncodingError, match=said):
        decode(Schema("s", Record("R", [Field("a", type)])).root, bytes.fromhex(data))


# --- edges ---


def test_edge_values_are_values_and_come_back() -> None:
    for value in edge_values(SCHEMA.root):
        assert find_mismatch(SCHEMA.root, value) is None
        assert first_difference(SCHEMA.root, value, decode(SCHEMA.root, encode(SCHEMA.root, value))) is None


def test_edges_have_each_alternative_and_depths_of_0_1_5_and_200() -> None:
    def steps(value: Any) -> int:
        return 0 if value is None else 1 + max(steps(value[1]), steps(value[2]))

    def alternatives(value: tuple[int, Any]) -> set[int]:
        index, chosen = value
        inner = chosen if index == 4 else chosen.values() if index == 5 else []
        return {index}.union(*map(alternatives, inner))

    values = edge_values(SCHEMA.root)
    assert {steps(value[1]) - 1 for value in values} == {0, 1, 5, 200}
    assert set().union(*(alternatives(value[0]) for value in values)) == set(range(6))


def test_edges_have_numbers_that_no_member_of_an_open_enum_has() -> None:
    found = {value[2] for value in edge_values(SCHEMA.root)}
    assert found == {1, 3, 4, 255, 0}
    closed = Record("R", [Field("a", Enum("E", u8, [("low", 1), ("high", 3)]))])
    assert {value[0] for value in edge_values(closed)} == {1, 3}


def test_edges_of_recursion_end_where_only_one_alternative_does() -> None:
    add = Record("Add", [Field("left", Ref("Expression")), Field("right", Ref("Expression"))])
    negated = Alternative("negated", Ref("Expression"))
    expression = Union("Expression", [Alternative("add", add), negated, Alternative("number", i32)])
    root = Schema("s", Record("R", [Field("a", expression), Field("b", List(expression))])).root
    for value in edge_values(root):
        assert find_mismatch(root, value) is None
        assert len(encode(root, value)) < 100_000


def test_values_end_where_records_in_a_map_or_list_lead_back() -> None:
    """A record inside a map or list, not the map or list itself, refers back to a type around it. Values can
    end only if such a record is left out of the map or list."""
    line = Record("Line", [Field("space", Ref("Space"))])
    space = Record("Space", [Field("part", Ref("Part"))])
    part = Union(
        "Part",
        [Alternative("space", space), Alternative("lines", Map(i32, line)), Alternative("more", List(line))],
    )
    root = Schema("s", Record("R", [Field("line", line), Field("lines", List(line))]), [space, part]).root
    made = MadeUp(random.Random(7), 3, share=1.0)
    for value in [
        *edge_values(root),
        *(made.value(root) for _ in range(20)),
        *(well_formed(root, 1, n) for n in (1, 4)),
    ]:
        assert decode(root, encode(root, value)) == value


def test_of_many_items_that_lead_back_one_is_as_deep_as_messages_go() -> None:
    """A single one of many items that refer back has the most steps in edge values: if all had that many,
    making one message would take minutes."""
    schema = Schema("s", Record("R", [Field("trees", List(List(TREE)))]))
    tree = next(record for record in schema.records if record.name == "Tree")
    depths = []
    for (trees,) in edge_values(schema.root):
        steps = [steps_of(tree, each) for some in trees for each in some]
        depths.append(max(steps, default=0))
        assert sum(each == depths[-1] for each in steps) == 1 or depths[-1] <= NEAR
    assert max(depths) > NEAR


def test_what_checks_are_found_with_takes_the_alternative_that_ends_soonest() -> None:
    """``well_formed`` makes the value whose broken variants show which checks a codec makes. A value of
    ``Product`` must be its ``number`` here, since its other alternative leads back to it without end."""
    add = Record("Add", [Field("term", Ref("Term"))])
    term = Union("Term", [Alternative("product", Ref("Product"))])
    product = Union("Product", [Alternative("term", Ref("Term")), Alternative("number", i32)])
    root = Schema("s", Record("R", [Field("products", List(product)), Field("sum", add)]), [term]).root
    value = well_formed(root, 1)
    assert decode(root, encode(root, value)) == value


@pytest.mark.parametrize("name", ["kinds", "recursion", "unions"])
def test_workloads_of_the_second_edition_can_be_loaded_and_written(name: str) -> None:
    workload = load_workloads(TEST_WORKLOADS / "grown")[name]
    for value in workload.generate():
        assert decode(workload.schema.root, encode(workload.schema.root, value)) == value


@pytest.mark.parametrize("depth", [0, 3, 400])
def test_made_up_values_are_values_of_at_most_so_many_steps(depth: int) -> None:
    def steps(value: Any) -> int:
        return 0 if value is None else 1 + max(steps(value[1]), steps(value[2]))

    made = MadeUp(random.Random(7), depth, share=1.0)
    values = [made.value(SCHEMA.root) for _ in range(20)]
    for value in values:
        assert decode(SCHEMA.root, encode(SCHEMA.root, value)) == value
    assert max(steps(value[1]) - 1 for value in values) == depth


def test_made_up_values_have_so_many_optionals_and_alternatives_with_a_value() -> None:
    absent = MadeUp(random.Random(7), 3, share=0.0)
    assert {value[0] for value in (absent.value(any_of(SCHEMA)) for _ in range(50))} == {0}
    shared = MadeUp(random.Random(7), 3, share=0.25)
    there = sum(shared.value(Optional(u8)) is not None for _ in range(1000))
    assert 200 < there < 300


def test_what_checks_are_found_with_is_a_value_of_every_type() -> None:
    """Codecs are given broken variants of the value that ``well_formed`` makes, so that value itself must be
    valid."""
    for name, workload in load_workloads(TEST_WORKLOADS / "grown").items():
        for enum, items in ((1, 1), (2, 1), (1, 4)):
            assert (
                find_mismatch(workload.schema.root, well_formed(workload.schema.root, enum, items)) is None
            ), name
