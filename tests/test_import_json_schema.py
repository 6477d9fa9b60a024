"""Tests of the import of JSON Schema: the type that each keyword becomes, the losses that are told, and that
documents are read unchanged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.json_values import message, same

from serbench.dataset.values import find_mismatch
from serbench.errors import InputError
from serbench.imports import formats
from serbench.imports.base import Imported, Request
from serbench.imports.json_schema import FORMAT
from serbench.imports.recognising import recognised
from serbench.model.types import Enum, Union

DRAFTS = {
    "4": "http://json-schema.org/draft-04/schema#",
    "6": "http://json-schema.org/draft-06/schema#",
    "7": "http://json-schema.org/draft-07/schema#",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
}


def imported(folder: Path, schema: Any, *messages: Any, root: str = "", **wanted: str) -> Imported:
    file, data = folder / "schema.json", folder / "data.jsonl"
    file.write_text(schema if isinstance(schema, str) else json.dumps(schema))
    data.write_text("".join(json.dumps(each) + "\n" for each in messages))
    settings = {path.replace("__", "."): type for path, type in wanted.items()}
    return FORMAT.read(Request((file,), (data,) if messages else (), root=root, settings=settings))


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def types(found: Imported) -> dict[str, str]:
    return {each.path: each.ours for each in found.mapping}


def losses(found: Imported, path: str) -> str:
    return " | ".join(each.what for each in found.losses if each.path == path)


def declared(found: Imported, name: str) -> Any:
    return next(each for each in (found.root, *found.also) if each.name == name)


def the_type(folder: Path, schema: Any, **more: Any) -> str:
    """The type that a schema becomes as a required member."""
    found = imported(folder, {**of(a=schema), "required": ["a"], **more})
    found.schema("s")
    return types(found)["a"]


def check(folder: Path, schema: Any, *messages: Any) -> Imported:
    """Asserts that documents of a schema are imported and converted back to JSON unchanged; returns the
    import."""
    found = imported(folder, schema, *messages)
    whole, wrapped = found.schema("s"), any("messages are not records" in each.what for each in found.losses)
    assert found.values
    values = list(found.values())
    assert [find_mismatch(whole.root, each) for each in values] == [None] * len(messages)
    for value, given in zip(values, messages, strict=True):
        assert same(message(whole, value, wrapped), given)
    return found


def refusal(folder: Path, schema: Any, *messages: Any, **more: Any) -> str:
    with pytest.raises(InputError) as caught:
        found = imported(folder, schema, *messages, **more)
        list(found.values() if found.values else ())
    return str(caught.value)


@pytest.mark.parametrize(
    ("schema", "type"),
    [
        ({"type": "boolean"}, "bool"),
        ({"type": "integer"}, "i64"),
        ({"type": "number"}, "f64"),
        ({"type": "number", "multipleOf": 1}, "i64"),
        ({"type": ["integer", "number"]}, "f64"),
        ({"type": "string"}, "string"),
        ({"type": ["string", "null"]}, "optional<string>"),
        ({"type": "null"}, "optional<string>"),
        ({"type": "array", "items": {"type": "string"}}, "list<string>"),
        ({"type": "array", "items": {"type": ["null", "number"]}}, "list<optional<f64>>"),
        ({"type": "array"}, "list<optional<AnyValue>>"),
        ({"type": "array", "items": False}, "list<string>"),
        ({"type": "object"}, "map<string, optional<AnyValue>>"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "map<string, i64>"),
        ({"type": "object", "patternProperties": {"^x": {"type": "boolean"}}}, "map<string, bool>"),
        ({"type": "object", "patternProperties": {"^x": {"type": "integer"}, "^y": {"type": "number"}}},
         "map<string, f64>"),
        ({"type": "object", "additionalProperties": False}, "A"),
        ({"properties": {"b": {}}}, "A"),
        ({"minimum": 5}, "f64"),
        ({"pattern": "x"}, "string"),
        ({}, "optional<AnyValue>"),
        (True, "optional<AnyValue>"),
        ({"title": "anything"}, "optional<AnyValue>"),
        ({"enum": ["x", "y"]}, "A"),
        ({"const": "x"}, "A"),
        ({"enum": ["x", None]}, "optional<A>"),
        ({"enum": ["x", ""]}, "string"),
        ({"enum": [False]}, "bool"),
        ({"enum": [1, 300]}, "u16"),
        ({"enum": [1, 2.5]}, "f64"),
        ({"const": -1}, "i8"),
        ({"enum": [[1], [2]]}, "list<optional<AnyValue>>"),
        ({"oneOf": [{"type": "null"}, {"type": "string"}]}, "optional<string>"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "A"),
        ({"anyOf": [{"type": "string"}, {}]}, "optional<AnyValue>"),
        ({"anyOf": [{"enum": ["x"]}, {"type": "string"}]}, "string"),
        ({"anyOf": [{"type": "integer", "minimum": 0, "maximum": 9}, {"type": "number"}]}, "f64"),
        ({"anyOf": [{"type": "array", "items": {"type": "string"}},
           {"type": "array", "items": {"type": "null"}}]},
         "list<optional<string>>"),
        ({"allOf": [{"type": "integer"}, {"minimum": 0}, {"maximum": 255}]}, "u8"),
        ({"allOf": [{"type": ["integer", "string"]}, {"type": ["string", "null"]}]}, "string"),
        ({"allOf": [{"enum": ["x", "y"]}, {"enum": ["y", "z"]}]}, "A"),
        ({"type": "string", "anyOf": [{"format": "ipv4"}, {"format": "ipv6"}]}, "string"),
    ],
    ids=str,
)  # fmt: skip
def test_each_keyword_has_its_type(schema: Any, type: str, tmp_path: Path) -> None:
    assert the_type(tmp_path, schema) == type


@pytest.mark.parametrize(
    ("limits", "type"),
    [
        ({"minimum": 0, "maximum": 255}, "u8"),
        ({"minimum": 0, "maximum": 256}, "u16"),
        ({"minimum": -1, "maximum": 127}, "i8"),
        ({"minimum": 0, "exclusiveMaximum": 65536}, "u16"),
        ({"exclusiveMinimum": -1, "maximum": 65536}, "u32"),
        ({"minimum": 0.5, "maximum": 1e3}, "u16"),
        ({"minimum": 0, "maximum": 2**64 - 1}, "u64"),
        ({"minimum": 0}, "u64"),
        ({"maximum": 7}, "i64"),
        ({"minimum": -(2**63), "maximum": 2**63 - 1}, "i64"),
        ({"minimum": -1, "maximum": 2**63}, "f64"),
        ({"minimum": 0, "maximum": 10**30}, "f64"),
    ],
    ids=str,
)
def test_integers_are_as_wide_as_their_bounds(limits: dict[str, Any], type: str, tmp_path: Path) -> None:
    assert the_type(tmp_path, {"type": "integer", **limits}) == type
    found = imported(tmp_path, of(a={"type": "integer", **limits}))
    assert ("beyond 64 bits" in losses(found, "a")) is (type == "f64")


def test_the_limits_of_draft_4_are_booleans(tmp_path: Path) -> None:
    schema = {
        "type": "integer",
        "minimum": -1,
        "exclusiveMinimum": True,
        "maximum": 256,
        "exclusiveMaximum": True,
    }
    assert the_type(tmp_path, schema, **{"$schema": DRAFTS["4"]}) == "u8"


def test_absent_and_null_are_optional(tmp_path: Path) -> None:
    schema = {
        **of(a={"type": "string"}, b={"type": "string"}, c={"type": ["string", "null"]}),
        "required": ["a"],
    }
    found = check(tmp_path, schema, {"a": "x"}, {"a": "x", "b": "y", "c": None}, {"a": "x", "c": "z"})
    assert types(found) == {"a": "string", "b": "optional<string>", "c": "optional<string>"}
    assert {each.path: each.theirs for each in found.mapping}["c"] == "string or null, or missing"
    assert "2 fields may be missing" in losses(found, "$")
    assert losses(found, "c") == "may be missing, and may be null: both become absent"
    assert not losses(found, "a") + losses(found, "b")
    assert (
        "schema.json" not in (told := refusal(tmp_path, schema, {"b": "x"}))
        and "line 1, a: found nothing" in told
    )


@pytest.mark.parametrize("draft", DRAFTS)
def test_references_lead_to_definitions_in_every_draft(draft: str, tmp_path: Path) -> None:
    section, key = ("definitions", "id" if draft == "4" else "$id")
    schema = {
        "$schema": DRAFTS[draft],
        key: "https://example.com/order.json",
        "type": "object",
        "properties": {
            "local": {"$ref": "#/definitions/price"},
            "absolute": {"$ref": "https://example.com/order.json#/definitions/price"},
            "embedded": {"$ref": "place.json"},
            "escaped": {"$ref": "#/definitions/a~1b%20c"},
        },
        section: {
            "price": {"type": "integer", "minimum": 0, "maximum": 9},
            "place": {
                key: "place.json", "type": "object", "properties": {"x": {"$ref": "#/definitions/inner"}},
                "definitions": {"inner": {"type": "boolean"}},
            },
            "a/b c": {"type": "number"},
        },
    }  # fmt: skip
    found = imported(tmp_path, schema)
    assert types(found) == {
        "local": "optional<u8>", "absolute": "optional<u8>", "embedded": "optional<Place>",
        "escaped": "optional<f64>", "embedded.x": "optional<bool>",
    }  # fmt: skip


def test_anchors_are_references_too(tmp_path: Path) -> None:
    schema = {
        **of(a={"$ref": "#it"}, b={"$dynamicRef": "#that"}),
        "$defs": {"x": {"$anchor": "it", "type": "string"}},
    }
    schema["$defs"]["y"] = {"$dynamicAnchor": "that", "type": "boolean"}
    found = imported(tmp_path, schema)
    assert types(found) == {"a": "optional<string>", "b": "optional<bool>"}
    assert "treated as $ref" in losses(found, "#/properties/b")


def test_files_that_are_given_refer_to_each_other(tmp_path: Path) -> None:
    first, other = tmp_path / "order.json", tmp_path / "parts" / "item.json"
    other.parent.mkdir()
    first.write_text(json.dumps(of(item={"$ref": "parts/item.json#/$defs/item"})))
    other.write_text(
        json.dumps({"$defs": {"item": of(name={"type": "string"}, whole={"$ref": "../order.json"})}})
    )
    found = FORMAT.read(Request((first, other)))
    assert types(found) == {
        "item": "optional<Item>",
        "item.name": "optional<string>",
        "item.whole": "optional<Root>",
    }
    with pytest.raises(
        InputError, match=r"order.json, #/properties/item/\$ref: found a reference to parts/item.json"
    ):
        FORMAT.read(Request((first,)))


OUTSIDE = (
    "https://example.com/x.json",
    "other.json",
    "file:///etc/passwd",
    "//host/x",
    "urn:x",
    "#/no",
    "#nowhere",
    "http://[",
)


@pytest.mark.parametrize("reference", OUTSIDE)
def test_what_leads_out_of_the_files_is_refused_and_not_read(reference: str, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"type": "string"}')
    told = refusal(tmp_path, of(a={"items": {"$ref": reference}}))
    assert f"schema.json, #/properties/a/items/$ref: found a reference to {reference}; expected" in told


def test_what_stands_beside_a_reference_counts_since_2019(tmp_path: Path) -> None:
    schema = {
        **of(a={"$ref": "#/definitions/s", "maxLength": 5, "enum": ["x"]}),
        "definitions": {"s": {"type": "string"}},
    }
    assert types(imported(tmp_path, schema))["a"] == "optional<A>"
    found = imported(tmp_path, {**schema, "$schema": DRAFTS["7"]})
    assert types(found)["a"] == "optional<string>"
    assert "beside a $ref" in losses(found, "$") and "#/properties/a" in losses(found, "$")


@pytest.mark.parametrize("draft", ["7", "2020-12"])
def test_tuples_are_lists_of_unions(draft: str, tmp_path: Path) -> None:
    first, rest = ("items", "additionalItems") if draft == "7" else ("prefixItems", "items")
    pair = {"type": "array", first: [{"type": "string"}, {"type": "integer"}], rest: {"type": "boolean"}}
    found = check(
        tmp_path,
        {**of(pairs=pair), "$schema": DRAFTS[draft]},
        {"pairs": ["x", 1]},
        {"pairs": ["x", 1, True, False]},
    )
    assert types(found)["pairs"] == "optional<list<Pair>>" and "by position" in losses(found, "pairs")
    assert [each.name for each in declared(found, "Pair").alternatives] == ["boolean", "integer", "string"]


def test_any_value_is_read(tmp_path: Path) -> None:
    value: list[Any] = [1, -2.5, None, True, "x", [], {}, {"a": {"b": [[1.0]]}}]
    found = check(
        tmp_path,
        of(a={}, b=True, c={"type": "object"}),
        {"a": value},
        {"b": {"x": value}, "c": {"y": value}},
        {"a": None},
    )
    assert sum(isinstance(each, Union) for each in found.also) == 1
    assert "any value" in losses(found, "a") and "any value" in losses(found, "c{}")
    assert "line 1, a[]: found an integer of 64 bits" in refusal(
        tmp_path, of(a={}), {"a": [[2**63]]}
    ).replace("a[0][0]", "a[]")


def test_names_stay_what_they_are_where_they_are_written(tmp_path: Path) -> None:
    schema = of(**{"@id": {"type": "string"}, "+1": {"enum": ["a b", "a-b", "c"]}, "": {"type": "string"}})
    found = check(tmp_path, schema, {"@id": "x", "+1": "a-b"})
    assert [(each.name, each.wire) for each in found.root.fields] == [
        ("id", "@id"),
        ("plus_1", "+1"),
        ("unnamed_2", ""),
    ]
    assert {each.path: each.theirs for each in found.mapping}["+1"] == "one of a b, a-b, c, or missing"
    enum = next(each for each in found.also if isinstance(each, Enum))
    assert [enum.wire_name(name) for name, _ in enum.members] == ["a b", "a-b", "c"]


def test_formats_are_noticed_and_made_types_by_settings(tmp_path: Path) -> None:
    schema = of(
        at={"type": "string", "format": "date-time"}, day={"type": "string", "format": "date"},
        n={"type": "integer"}, id={"type": "string", "format": "uuid"},
        mail={"type": "string", "format": "email"}, any={},
    )  # fmt: skip
    found = imported(tmp_path, schema)
    assert set(types(found).values()) == {"optional<string>", "optional<i64>", "optional<AnyValue>"}
    why = {each.path: each.why for each in found.mapping}
    assert (
        "--set 'at=timestamp in ms'" in why["at"] and "--set 'day=date'" in why["day"] and "uuid" in why["id"]
    )
    wanted = {
        "at": "timestamp in ms",
        "day": "date",
        "id": "uuid",
        "n": "i16",
        "mail": "optional<string>",
        "any": "f32",
    }
    found = imported(
        tmp_path, schema, {"at": "1970-01-01T00:00:01Z", "day": "1970-01-03", "n": 5, "any": 1.5}, **wanted
    )
    assert (
        types(found)["at"] == "optional<timestamp in ms>"
        and types(found)["id"] == "optional<uuid over string>"
    )
    assert found.values and list(found.values()) == [(1000, 2, 5, None, None, 1.5)]
    assert "settings, n: found 'string' for integer" in refusal(tmp_path, schema, n="string")
    assert "settings: found no field at 'no'" in refusal(tmp_path, schema, no="i32")
    assert "settings, mail: found 'enum' for string (email)" in refusal(tmp_path, schema, mail="enum")


def test_messages_that_are_no_records_are_in_one(tmp_path: Path) -> None:
    for schema, value in (
        ({"type": "array", "items": {"type": "integer"}}, [1]),
        ({"type": ["string", "integer"]}, "x"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, {"a": "b"}),
        (True, [{"x": None}]),
        ({**of(a={"type": "string"}), "type": ["object", "null"]}, None),
    ):
        found = check(tmp_path, schema, value)
        assert [each.name for each in found.root.fields] == ["value"]


def test_the_message_is_what_root_says(tmp_path: Path) -> None:
    schema = {"$defs": {"Order": of(id={"type": "integer"}), "Item": of(name={"type": "string"})}}
    assert imported(tmp_path, schema, root="Order").root.name == "Order"
    assert types(imported(tmp_path, schema, root="#/$defs/Item")) == {"name": "optional<string>"}
    assert (
        "does not describe a message; expected a schema that describes the message, or --root: "
        "one of Order, Item" in refusal(tmp_path, schema)
    )
    schema["$defs"]["a/b ~"] = of(x={"type": "string"})
    assert imported(tmp_path, schema, root="a/b ~").root.name == "AB"
    assert "no definition called Oder; expected one of Order" in refusal(tmp_path, schema, root="Oder")
    assert imported(tmp_path, of(a=True) | {"title": "an order"}).root.name == "AnOrder"


def test_keys_twice_in_a_schema_are_told(tmp_path: Path) -> None:
    found = imported(
        tmp_path, '{"type": "object", "properties": {"a": {"type": "string"}, "a": {"type": "boolean"}}}'
    )
    assert types(found) == {"a": "optional<bool>"} and "duplicate" in losses(found, "#/properties/a")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"$schema": "https://json-schema.org/draft/2020-12/schema"}', "json-schema"),
        (
            '{"$schema": "http://json-schema.org/draft-04/schema#", "properties": {' + '"x": {}, ' * 9000,
            "json-schema",
        ),
        ('{"type": "object", "properties": {"a": {"type": "string"}}}', "json-schema"),
        ('{"$schema": "https://example.com/settings.json", "a": 1}', "json"),
        ('{"id": 1, "type": "object"}', "json"),
        ('{"a": {"type": "string"}}\n{"a": {"type": "string"}}', "json"),
        ('[{"type": "string"}]', "json"),
        ('{"properties": {"name": "x"}, "type": "event"}', "json"),
    ],
)
def test_a_file_is_a_schema_or_data(text: str, name: str, tmp_path: Path) -> None:
    file = tmp_path / "file.json"
    file.write_text(text)
    assert recognised([file]).format.name == name
    assert [
        each.name
        for each in formats().values()
        if ".json" in each.suffixes and each.recognises(text.encode())
    ] == [name]
    assert recognised([file], name="json-schema").format.name == "json-schema"
