"""Tests of combined schemas in JSON Schema: ``allOf``, ``anyOf``, ``oneOf``, and members whose names the
schema does not list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.test_import_json_schema import check, declared, imported, losses, of, refusal, types

from serbench.imports.json_schema.combining import MOST_CASES, MOST_PRODUCTS
from serbench.model.types import Record


def test_a_tree_leads_back_to_itself(tmp_path: Path) -> None:
    schema = {
        **of(id={"type": "integer"}, children={"type": "array", "items": {"$ref": "#"}}),
        "required": ["id"],
    }
    found = check(tmp_path, schema, {"id": 1, "children": [{"id": 2}, {"id": 3, "children": []}]})
    assert types(found) == {"id": "i64", "children": "optional<list<Root>>"}
    assert found.schema("s").is_recursive


def test_all_of_is_one_record(tmp_path: Path) -> None:
    base = {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "x": {"type": ["string", "null"]}},
        "required": ["id"],
    }
    more = {
        "properties": {"name": {"type": "string"}, "x": {"type": ["string", "integer"]}},
        "required": ["name"],
    }
    schema = {"$defs": {"base": base}, "allOf": [{"$ref": "#/$defs/base"}, more]}
    found = check(tmp_path, schema, {"id": 1, "name": "n"}, {"id": 1, "name": "n", "x": "y"})
    assert types(found) == {"id": "i64", "x": "optional<string>", "name": "string"}


def test_alternatives_of_different_kinds_are_a_union(tmp_path: Path) -> None:
    kinds: list[Any] = [
        {"type": "boolean"},
        {"type": "integer"},
        {"type": "string"},
        {"type": "array", "items": {"type": "string"}},
    ]
    schema = {**of(a={"oneOf": [*kinds, of(x={"type": "string"}), {"type": "null"}]}), "required": ["a"]}
    found = check(tmp_path, schema, *({"a": each} for each in (True, 5, "x", ["y"], {"x": "z"}, None)))
    assert [each.name for each in declared(found, "A").alternatives] == [
        "boolean",
        "integer",
        "string",
        "array",
        "object",
    ]
    assert types(found)["a"] == "optional<A>" and types(found)["a as object"] == "AObject"
    assert "become a union" in losses(found, "a")


def test_objects_that_json_does_not_tell_apart_are_one_record(tmp_path: Path) -> None:
    circle = {**of(kind={"const": "circle"}, r={"type": "number"}), "required": ["kind", "r"]}
    square = {**of(kind={"const": "square"}, a={"type": "integer"}), "required": ["kind", "a"]}
    schema = {
        "oneOf": [{"$ref": "#/$defs/circle"}, {"$ref": "#/$defs/square"}],
        "$defs": {"circle": circle, "square": square},
    }
    found = check(tmp_path, schema, {"kind": "circle", "r": 1.5}, {"kind": "square", "a": 2})
    assert types(found) == {"kind": "Kind", "r": "optional<f64>", "a": "optional<i64>"}
    assert [name for name, _ in declared(found, "Kind").members] == ["circle", "square"]
    assert "2 alternatives that are objects become one record" in losses(found, "$")


def test_records_and_maps_that_json_does_not_tell_apart_are_a_map(tmp_path: Path) -> None:
    schema = of(
        a={
            "anyOf": [
                of(x={"type": "string"}),
                {"type": "object", "additionalProperties": {"type": "string"}},
            ]
        }
    )
    found = check(tmp_path, schema, {"a": {"x": "y"}}, {"a": {"z": "y"}})
    assert types(found)["a"] == "optional<map<string, string>>" and "become one map" in losses(found, "a")


def test_what_is_required_in_one_way_or_another_is_no_alternative(tmp_path: Path) -> None:
    schema = {
        **of(a={"type": "string"}, b={"type": "string"}),
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }
    found = check(tmp_path, schema, {"a": "x"}, {"b": "x"})
    assert not [each for each in found.losses if "alternatives" in each.what]


def test_conditions_add_what_may_be_there(tmp_path: Path) -> None:
    schema = {
        **of(kind={"type": "string"}, config={"type": "object"}),
        "if": {"properties": {"kind": {"const": "x"}}},
        "then": {
            "properties": {"size": {"type": "integer"}, "config": of(deep={"type": "boolean"})},
            "required": ["size"],
        },
        "else": {"properties": {"name": {"type": "string"}}},
        "dependentSchemas": {"kind": {"properties": {"more": {"type": "null"}}}},
    }
    found = imported(tmp_path, schema)
    assert types(found) == {
        "kind": "optional<string>", "config": "optional<Config>", "size": "optional<i64>",
        "name": "optional<string>", "more": "optional<string>", "config.deep": "optional<bool>",
    }  # fmt: skip
    assert "if (1)" in losses(found, "$") and "dependentSchemas (1)" in losses(found, "$")


def test_conditions_are_all_that_is_known(tmp_path: Path) -> None:
    condition = {
        "if": {"type": "string"},
        "then": {"type": "string", "format": "date"},
        "else": {"type": "integer"},
    }
    found = check(tmp_path, {**of(a=condition), "required": ["a"]}, {"a": "2026-11-22"}, {"a": 5})
    assert types(found)["a"] == "A" and types(found)["a as integer"] == "i64"


def test_members_beside_named_ones_are_told_and_may_be_a_map(tmp_path: Path) -> None:
    rest = {"type": "array", "items": {"type": "string"}}
    schema = of(a={"type": "object", "properties": {"x": {"type": "string"}}, "additionalProperties": rest})
    found = check(tmp_path, schema, {"a": {"x": "y"}})
    assert types(found)["a"] == "optional<A>" and "--set 'a=map<string, *>'" in losses(found, "a")
    assert "line 1, a: found an additional member" in refusal(tmp_path, schema, {"a": {"z": ["y"]}})
    assert types(imported(tmp_path, schema, a="map<string, *>"))["a"] == "optional<map<string, AItem>>"


def test_members_of_one_plain_type_are_a_map_though_some_have_names(tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "properties": {"PATH": {"type": "string"}},
        "additionalProperties": {"type": "string"},
    }
    found = check(tmp_path, of(env=schema), {"env": {"PATH": "x", "HOME": "y"}})
    assert types(found)["env"] == "optional<map<string, string>>"


def test_objects_that_are_not_closed_say_so(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    found = imported(tmp_path, schema)
    assert "which its objects may have (1 records)" in losses(found, "$")
    told = refusal(tmp_path, schema, {"a": "x", "secret": 1})
    assert "found an additional member, whose name has 6 characters" in told and "secret" not in told


def test_equal_schemas_in_several_places_are_one_type(tmp_path: Path) -> None:
    inner = {"$ref": "#/$defs/inner"}
    schema = of(
        a=inner, b={"allOf": [inner]}, c={"anyOf": [inner, {"type": "null"}]}, d={"$ref": "#/$defs/other"}
    )
    schema["$defs"] = {
        "inner": of(x={"type": "string"}),
        "other": {"description": "of it", "$ref": "#/$defs/inner"},
    }
    found = imported(tmp_path, schema)
    assert list(types(found).values()) == ["optional<Inner>"] * 4 + ["optional<string>"]
    assert len([each for each in found.also if isinstance(each, Record)]) == 1


def test_too_many_combinations_become_one_and_are_told(tmp_path: Path) -> None:
    pairs = [
        {
            "anyOf": [
                {"properties": {f"a{n}": {"type": "string"}}},
                {"properties": {f"b{n}": {"type": "string"}}},
            ]
        }
        for n in range(9)
    ]
    assert 2 ** len(pairs) > MOST_PRODUCTS
    found = check(tmp_path, {"type": "object", "allOf": pairs}, {"a0": "x", "b8": "y"})
    assert len(found.root.fields) == 18 and "treated as one" in losses(found, "#")
    many = {"anyOf": [{"properties": {f"a{n}": {"type": "string"}}} for n in range(MOST_CASES + 1)]}
    found = imported(tmp_path, {"type": "object", **many})
    assert len(found.root.fields) == MOST_CASES + 1 and "treated as one" in losses(found, "#")
    assert "alternatives that" not in losses(found, "$")


def test_an_alternative_that_nothing_fits_is_none(tmp_path: Path) -> None:
    possible = {**of(a={"type": "string"}), "required": ["a"]}
    for never in (False, {"type": "integer", "enum": ["x"]}, {"allOf": [{"enum": ["x"]}, {"enum": ["y"]}]},
                  {"type": "integer", "minimum": 5, "maximum": 4}):  # fmt: skip
        found = check(tmp_path, {"oneOf": [possible, {**of(b=never), "required": ["b"]}]}, {"a": "x"})
        assert types(found) == {"a": "string"}


def test_schemas_that_exclude_each_other(tmp_path: Path) -> None:
    never = {"allOf": [{"type": "string"}, {"type": "integer"}]}
    found = imported(tmp_path, of(a=never, b={"type": "string"}, c=False))
    assert (
        list(types(found)) == ["b"] and "exclude each other" in losses(found, "a") and not losses(found, "c")
    )
    told = refusal(tmp_path, {**of(a=never), "required": ["a"]})
    assert "schema.json, #/properties/a/allOf/0: found a schema that no value matches" in told
