"""Tests that files which are not JSON Schema, or are made to do harm, end in an error that names the place,
and that documents which violate their schema end in an error that holds no value."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.mutated_inputs import hold_mutants
from tests.test_import_json_schema import imported, of, refusal, types

from serbench.errors import InputError
from serbench.imports.base import Request
from serbench.imports.json.settings import MOST_MEMBERS
from serbench.imports.json.shape import MOST_LEVELS
from serbench.imports.json_schema import FORMAT, combining, documents, mapping

MOST_S = 20
"""The most seconds of processor time for a file: ten times what the slowest takes, since machines differ."""


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ("", "schema.json: found no schema: the file is empty"),
        ("{", "schema.json, line 1, column 2: found unexpected end of data"),
        ("5", "found JSON that is not an object"),
        ("[]", "found JSON that is not an object"),
        ('"x"', "found JSON that is not an object"),
        ("false", "#: found a schema that only null matches"),
        ({"type": "null"}, "#: found a schema that only null matches"),
        ({"type": "object", "additionalProperties": False}, "#: found only empty objects"),
        ({"type": "text"}, "#/type: found an unknown type; expected one or a list of null, boolean"),
        ({"type": []}, "#/type: found an unknown type"),
        ({"type": [{}]}, "#/type: found an unknown type"),
        ({"properties": []}, "#/properties: found array; expected an object of schemas"),
        ({"properties": {"a": 5}}, "#/properties/a: found integer; expected a schema"),
        ({"properties": {"a/b": {"items": {"type": 1}}}},
         "#/properties/a~1b/items/type: found an unknown type"),
        ({"items": "x"}, "#/items: found string; expected a schema"),
        ({"items": [None]}, "#/items/0: found null; expected a schema"),
        ({"allOf": {}}, "#/allOf: found object; expected a list of schemas"),
        ({"anyOf": [[]]}, "#/anyOf/0: found array; expected a schema"),
        ({"$ref": 5}, "#/$ref: found integer; expected a string"),
        ({"$id": [], "properties": {}}, "#/$id: found array; expected a string"),
        ({"$id": "http://[", "properties": {}}, "schema.json: found identifiers that no reference can "
        "contain"),
        ({"enum": "x"}, "#/enum: found string; expected a list of values"),
        ({"minimum": "x"}, "#/minimum: found string; expected a number"),
        ({"exclusiveMaximum": None}, "#/exclusiveMaximum: found null; expected a number"),
        ({"required": "a"}, "#/required: found string; expected a list of names"),
        ({"properties": {"x" * 600: {}}}, "#/properties: found a name of 600 characters"),
        ({"$schema": "http://json-schema.org/draft-03/schema#", "type": "object"},
         "#/$schema: found draft 3 of JSON Schema"),
        ({"$ref": "#"}, "#: found a schema that leads back to itself"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
         "#/$defs/a: found a schema"),
        ({"allOf": [{"anyOf": [{"type": "string"}, {"$ref": "#"}]}]},
         "#: found a schema that leads back to itself"),
        ({"$ref": "#/enum", "enum": []}, "#/$ref: found a reference to something that is not a schema"),
        ({"$ref": "#/enum/0/x", "enum": ["x"]},
         "#/$ref: found a reference to #/enum/0/x; expected one that leads to a schema"),
        ({"type": "array", "items": {"$ref": "#"}}, "#: found endlessly nested lists or maps"),
        ({"type": "object", "additionalProperties": {"$ref": "#"}},
         "#: found endlessly nested lists or maps"),
        ({**of(a={"$ref": "#"}), "required": ["a"]}, "Root: every value of it would hold another one"),
    ],
    ids=lambda each: str(each)[:60],
)  # fmt: skip
def test_what_is_no_schema_is_refused_with_its_place(schema: Any, told: str, tmp_path: Path) -> None:
    assert told in refusal(tmp_path, schema)


def nested(levels: int, before: str = '{"items": ', inside: str = "{}", behind: str = "}") -> str:
    return before * levels + inside + behind * levels


def chain(length: int) -> dict[str, Any]:
    defs = {str(n): {"$ref": f"#/$defs/{n + 1}"} for n in range(length)}
    return {"$ref": "#/$defs/0", "$defs": {**defs, str(length): of(a={"type": "string"})}}


def doubling(word: str, inside: Callable[[int], list[Any]], levels: int) -> dict[str, Any]:
    defs = {str(n): {word: inside(n)} for n in range(levels)}
    return {"$ref": "#/$defs/0", "$defs": {**defs, str(levels): of(z={"type": "string"})}}


def both(n: int) -> list[Any]:
    return [{"$ref": f"#/$defs/{n + 1}"}] * 2


def either(n: int) -> list[Any]:
    inner = {"$ref": f"#/$defs/{n + 1}"}
    return [{"allOf": [{"properties": {f"{name}{n}": {"type": "string"}}}, inner]} for name in "ab"]


def weaving(count: int) -> dict[str, Any]:
    """A schema of records in which each member combines several other records by ``allOf`` and ``anyOf``."""
    refs = [{"$ref": f"#/$defs/{n}"} for n in range(count)]
    defs = {
        str(n): of(**{f"m{k}": {"anyOf": [refs[k], {"allOf": [refs[n], refs[k - 1]]}]} for k in range(count)})
        for n in range(count)
    }
    return {"$ref": "#/$defs/0", "$defs": defs}


def ladder(count: int) -> dict[str, Any]:
    """A schema of records in which each refers to the next one, and the first refers to all."""
    defs = {str(n): of(**{f"m{n}": {"$ref": f"#/$defs/{n + 1}"}}) for n in range(count)}
    last = of(z={"type": "string"})
    return {
        **of(**{f"m{n}": {"$ref": f"#/$defs/{n}"} for n in range(count)}),
        "$defs": {**defs, str(count): last},
    }


BOMBS: dict[str, Callable[[], Any]] = {
    "deep": lambda: "[" * 1_000_000,
    "deep items": lambda: nested(1_000_000),
    "deep properties": lambda: nested(1_000_000, '{"properties":{"a":', "{}", "}}"),
    "levels": lambda: nested(450),
    "levels of objects": lambda: nested(240, '{"properties":{"a":', "{}", "}}"),
    "chain": lambda: chain(50_000),
    "allOf of itself": lambda: doubling("allOf", both, 5_000),
    "anyOf of itself": lambda: doubling("anyOf", both, 1_000),
    "anyOf of many": lambda: doubling("anyOf", both, 20_000),
    "anyOf of all": lambda: doubling("anyOf", either, 200),
    "allOf": lambda: {
        "type": "object",
        "allOf": [{"properties": {f"a{n}": {"type": "string"}}} for n in range(20_000)],
    },
    "anyOf": lambda: {"anyOf": [{"properties": {f"a{n}": {"type": "string"}}} for n in range(20_000)]},
    "product": lambda: {
        "allOf": [{"anyOf": [{"required": [f"a{n}"]}, {"properties": {f"b{n}": {}}}]} for n in range(500)]
    },
    "ladder": lambda: ladder(5000),
    "weaving": lambda: weaving(60),
    "empty schemas": lambda: '{"allOf": [' + ",".join(["{}"] * 250_000) + "]}",
    "members": lambda: of(**{f"a{n}": {} for n in range(110_000)}),
    "members of one name": lambda: of(
        **{chr(0x4E00 + n % 20_000) * (1 + n // 20_000): True for n in range(60_000)}
    ),
    "required": lambda: {"required": [f"a{n}" for n in range(110_000)], "properties": {"a": {}}},
    "records": lambda: of(**{f"a{n}": of(**{f"b{k}": {} for k in range(9000)}) for n in range(12)}),
    "enum": lambda: of(a={"enum": [f"x{n}" for n in range(300_000)]}),
    "enums": lambda: of(
        **{f"a{n}": {"enum": [f"{k}" for k in range(n, n + MOST_MEMBERS)]} for n in range(150)}
    ),
    "numbers": lambda: of(
        a={"enum": [10**4000, 5]},
        b={"type": "integer", "maximum": 10**4000, "minimum": -(10**4000), "multipleOf": 10**400},
    ),
    "types": lambda: {"type": ["string"] * 500_000},
    "names": lambda: (
        of(a={"$ref": "#/$defs/" + "x" * 400})
        | {"$defs": {"x" * 400: nested(3) and of(b={"type": "string"})}}
    ),
    "large": lambda: '{"description": "' + "x" * (9 << 20) + '"}',
    "identifiers": lambda: {
        "$defs": {str(n): {"$id": f"x{n}/"} for n in range(30_000)},
        "properties": {"a": {"type": "string"}},
    },
}
"""Name → function that makes a harmful schema when the schema is needed, since all together take 180 MB."""


@pytest.mark.slow("import schemas that are made to do harm")
@pytest.mark.parametrize("bomb", BOMBS)
def test_what_is_made_to_do_harm_ends_soon(bomb: str, tmp_path: Path) -> None:
    began = time.process_time()
    try:
        found = imported(tmp_path, BOMBS[bomb]())
        found.schema("s")
    except InputError as error:
        assert f"{tmp_path}/schema.json" in str(error) and len(str(error)) < 3000
    assert time.process_time() - began < MOST_S


def test_limits_are_told_with_their_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = refusal(
        tmp_path, nested(MOST_LEVELS + 1, '{"type":"object","properties":{"a":', '{"type":"string"}', "}}")
    )
    assert (
        f"found more than {MOST_LEVELS} levels of nested types" in told
        and "#/properties/a/properties/a" in told
    )
    assert types(
        imported(tmp_path, nested(MOST_LEVELS - 1, '{"properties":{"a":', '{"type":"string"}', "}}"))
    )
    found = imported(tmp_path, of(a={"enum": [f"x{n}" for n in range(MOST_MEMBERS + 1)]}))
    assert types(found)["a"] == "optional<string>" and any(
        "stays a string" in each.what for each in found.losses
    )
    assert f"#/$defs/499: found more than {combining.MOST_LEVELS} references" in refusal(
        tmp_path, chain(1000)
    )
    assert types(imported(tmp_path, chain(combining.MOST_LEVELS - 2)))
    assert "found a schema of" in refusal(tmp_path, BOMBS["large"]())
    assert "found 10,001 nested objects and lists; expected at most 500" in refusal(tmp_path, nested(10_000))
    schema = of(**{f"a{n}": of(b={"enum": ["x", "y"]}) for n in range(10)})
    for module, name, told in (
        (mapping, "MOST_PARTS", "a9: found more than 9 members, alternatives and strings of enums"),
        (mapping, "MOST_FIELDS", "$: found an object of 10 members; expected at most 9"),
        (documents, "MOST_SCHEMAS", "found more than 9 nested schemas"),
        (combining, "MOST_STEPS", "found too many combinations of schemas"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, 9)
            assert told in refusal(tmp_path, schema)


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ('{"id": "secret"}', "line 2, id: found string; expected u8"),
        ('{"id": 7777}', "line 2, id: found an integer of 13 bits; expected u8"),
        ('{"id": 1.5}', "line 2, id: found number; expected u8"),
        ("{}", "line 2, id: found nothing; expected a value"),
        ('{"id": null}', "line 2, id: found null; expected u8"),
        (
            '{"id": 1, "color": "secret"}',
            "line 2, color: found a string of 6 characters; expected one of 2 members",
        ),
        (
            '{"id": 1, "secret": 7777}',
            "line 2, $: found an additional member, whose name has 6 characters; expected the members",
        ),
        ('{"id": 1, "m": {"secret": ["secret"]}}', "line 2, m{}[0]: found string; expected i64"),
        ('{"id": 1, "u": {"secret": 7777}}', "line 2, u: found object; expected boolean or string"),
        ('[{"id": 7777}]', "line 2, $: found array; expected object"),
        ('{"id": 1, "secret": ', "line 2, column 21: found unexpected end of data"),
        ("[" * 1_000_000, "line 2, [][]["),
        ('{"id": NaN}', "line 2, column 8: found NaN or Infinity; expected JSON"),
    ],
)
def test_documents_that_depart_are_refused_without_their_values(
    document: str, told: str, tmp_path: Path
) -> None:
    members = {"id": {"type": "integer", "minimum": 0, "maximum": 255}, "color": {"enum": ["red", "green"]},
               "m": {"additionalProperties": {"items": {"type": "integer"}}},
               "u": {"type": ["string", "boolean"]}}  # fmt: skip
    (tmp_path / "s.json").write_text(json.dumps({**of(**members), "required": ["id"]}))
    for data, written in (("d.jsonl", bytes), ("d.jsonl.gz", gzip.compress)):
        (tmp_path / data).write_bytes(written(b'{"id": 1}\n' + document.encode() + b"\n"))
        found = FORMAT.read(Request((tmp_path / "s.json",), (tmp_path / data,)))
        with pytest.raises(InputError) as caught:
            list(found.values() if found.values else ())
        found_wrong = str(caught.value).replace(str(tmp_path), "")
        assert f"{data}, {told}" in found_wrong
        assert "secret" not in found_wrong and "7777" not in found_wrong


def test_data_have_framings(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps(of(a={"type": "integer"})))
    (tmp_path / "d.json").write_text('[{"a": 1}, {"a": 2}, {"a": "x"}]')
    found = FORMAT.read(Request((tmp_path / "s.json",), (tmp_path / "d.json",)))
    assert found.values
    values = found.values()
    assert [next(values), next(values)] == [(1,), (2,)]
    with pytest.raises(InputError, match=r"d\.json, item 3, a: found string; expected i64"):
        next(values)
    one = FORMAT.read(Request((tmp_path / "s.json",), (tmp_path / "d.json",), framing="one"))
    with pytest.raises(InputError, match=r"d\.json, \$: found array; expected object"):
        list(one.values() if one.values else ())
    with pytest.raises(InputError, match="framing: found 'no'; expected one of auto"):
        FORMAT.read(Request((tmp_path / "s.json",), (tmp_path / "d.json",), framing="no"))


@pytest.mark.slow("damage JSON Schemas")
def test_no_mutant_ends_in_a_traceback_a_crash_a_hang_or_a_gigabyte(request: pytest.FixtureRequest) -> None:
    hold_mutants("json_schema", 3 * request.config.getoption("--mutations"))
