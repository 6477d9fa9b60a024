"""Tests of the code that all generators of conversions share: it compares a domain type with the type that a
codec has for it, and chooses the kind of each step and the functions to write."""

from __future__ import annotations

import pytest

from serbench.codegen.steps import Wanted, of_graph, step_of, values_of
from serbench.model import (
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
    Type,
    Union,
    Walk,
    bytes_,
    i32,
    string,
    u8,
    u16,
)
from serbench.model.parts import resolved

LEVEL = Enum("Level", u8, ["low", "high"])
ENTRY = Record("StringToI32", [Field("key", string), Field("value", i32)])
LEAF = Record("Leaf", [])


@pytest.mark.parametrize(
    ("type", "low", "kind"),
    [
        (u16, i32, "number"),
        (LEVEL, LEVEL, "number"),
        (LEVEL, u8, "number"),
        (string, string, "text"),
        (FixedBytes(4), bytes_, "octets"),
        (FixedBytes(4), FixedBytes(4), "octets"),
        (Array(u8, 4), bytes_, "octets"),
        (Optional(i32), Optional(i32), "optional"),
        (Optional(i32), Record("OptionalI32", [Field("value", Optional(i32))]), "composite"),
        (LEAF, LEAF, "composite"),
        (Array(i32, 2), List(i32), "items"),
        (Map(string, i32), Map(string, i32), "pairs"),
        (Map(string, i32), List(ENTRY), "entries"),
    ],
)
def test_a_step_is_told_by_both_types(type: Type, low: Type, kind: str) -> None:
    assert step_of(type, low).kind == kind


def test_types_that_lowering_does_not_make_of_each_other_are_refused() -> None:
    with pytest.raises(TypeError, match="is not expected as"):
        step_of(i32, List(i32))


def test_a_step_has_the_length_that_a_message_may_lack() -> None:
    assert step_of(FixedBytes(4), bytes_).length == 4
    assert step_of(Array(i32, 2), List(i32)).length == 2
    assert step_of(List(i32), List(i32)).length is None


def test_references_are_followed_and_remembered() -> None:
    tree = Record("Tree", [Field("next", Optional(Ref("Tree")))])
    root = Schema("trees", tree).root
    back = root.fields[0].type
    assert isinstance(back, Optional)
    step = step_of(back.item, back.item)
    assert (step.kind, step.type, step.is_back) == ("composite", root, True)
    assert resolved(back.item) is step.type and not step_of(root, root).is_back


def test_made_records_have_the_value_that_they_were_made_for() -> None:
    map = Map(string, i32)
    place = "value.{}".format
    assert values_of(map, ENTRY, "entry", place, "(*value)") == [(string, "key"), (i32, "(*value)")]
    assert values_of(map, Record("Maps", [Field("items", map)]), "list", place, "it") == [(map, "it")]
    assert values_of(LEAF, Record("Empty", []), "empty", place, "it") == []
    assert values_of(ENTRY, ENTRY, "", place, "it") == [(string, "value.key"), (i32, "value.value")]


def test_functions_are_written_once_in_the_order_of_their_calls() -> None:
    wanted = Wanted(lambda kind, low: f"{kind}{low.name}", "_", ["buildRoot"])
    written = []
    assert wanted.call("build", LEAF, LEAF) == wanted.call("build", LEAF, LEAF) == "buildLeaf"

    def function(kind: str, name: str, type: Type, low: Type) -> None:
        written.append((kind, name))
        if kind == "build":
            wanted.call("sum", LEAF, LEAF)

    wanted.write(function)
    assert written == [("build", "buildLeaf"), ("sum", "sumLeaf")]


def test_names_of_functions_are_told_apart() -> None:
    wanted = Wanted(lambda kind, low: f"{kind}{low.name}", "_", ["buildRoot"])
    assert wanted.call("build", i32, Record("Root", [])) == "buildRoot_1"
    assert wanted.call("build", Union("Any", []), LEAF) == "buildLeaf"
    assert wanted.call("build", Optional(LEAF), LEAF) == "buildLeaf_3"


def test_a_graph_has_records_of_nodes_and_edges() -> None:
    edge = Record("Edge", [Field("to", i32)])
    node = Record("Node", [Field("out", List(edge))])
    root = Record("Graph", [Field("name", string), Field("nodes", List(node))])
    assert of_graph(root, Walk("nodes", "out", "to")) == (node, edge)
