"""Tests of schemas inferred from JSON: the type that each kind of data becomes, and that imported values give
back the JSON."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.json_values import message, same
from tests.support import examples

from serbench.dataset.values import find_mismatch
from serbench.errors import InputError
from serbench.imports.base import Imported, Request
from serbench.imports.json import FORMAT, read_values
from serbench.imports.json.building import build
from serbench.imports.json.deciding import MANY_KEYS, MANY_RECORDS, SOME_KEYS
from serbench.imports.json.files import sources
from serbench.imports.json.scanning import SAMPLE_MESSAGES, Scan
from serbench.imports.json.settings import PathSettings
from serbench.imports.json.settling import settle
from serbench.imports.json.shape import MOST_KEYS
from serbench.imports.json.sharing import share
from serbench.imports.json.values import Converters
from serbench.model.parts import describe
from serbench.model.types import Record, Union

WRAPPED = "messages are not records"


def imported(folder: Path, *messages: Any, **wanted: str) -> Imported:
    file = folder / "data.jsonl"
    file.write_text(
        "".join(
            each if isinstance(each, str) and each.endswith("\n") else json.dumps(each) + "\n"
            for each in messages
        )
    )
    return FORMAT.read(
        Request((file,), settings={path.replace("__", "."): type for path, type in wanted.items()})
    )


def types(found: Imported) -> dict[str, str]:
    return {each.path: each.ours for each in found.mapping}


def losses(found: Imported) -> dict[str, str]:
    return {each.path: each.what for each in found.losses}


def values(found: Imported) -> list[Any]:
    assert found.values
    made = list(found.values())
    root = found.schema("test").root
    assert [find_mismatch(root, value) for value in made] == [None] * len(made)
    return made


def back(found: Imported) -> list[Any]:
    """The imported messages converted back to JSON, without the records that the import put around them."""
    schema, wrapped = found.schema("test"), any(WRAPPED in each.what for each in found.losses)
    return [message(schema, value, wrapped) for value in values(found)]


def the_type(folder: Path, *of_a: Any) -> str:
    """The inferred type of a member that has these values, each in a message of its own."""
    return types(imported(folder, *({"a": each} for each in of_a)))["a"]


@pytest.mark.parametrize(
    ("of_a", "type"),
    [
        ((1, -5), "i64"),
        ((1, 2.5), "f64"),
        ((2.0,), "f64"),
        ((1, 2**63), "u64"),
        ((-1, 2**63), "f64"),
        ((2**64,), "f64"),
        ((True, False), "bool"),
        (("x", None), "optional<string>"),
        ((None,), "optional<string>"),
        (([], []), "list<string>"),
        (([1], [2.5, 3]), "list<f64>"),
        (([1, None],), "list<optional<i64>>"),
        (([[1]], [[]]), "list<list<i64>>"),
        (("0f8fad5b-d9cb-469f-a165-70867728950e",), "uuid over string"),
        (("0F8FAD5B-D9CB-469F-A165-70867728950E",), "string"),
        (("2026-11-22T15:04:05Z",), "string"),
        (("aGVsbG8gd29ybGQ=",), "string"),
        (({},), "A"),
    ],
)
def test_values_at_a_path_have_a_type(tmp_path: Path, of_a: tuple[Any, ...], type: str) -> None:
    assert the_type(tmp_path, *of_a) == type


def test_numbers_with_an_exponent_are_no_integers(tmp_path: Path) -> None:
    assert types(imported(tmp_path, '{"a": 1E2, "b": -0.0, "c": -0}\n')) == {
        "a": "f64",
        "b": "f64",
        "c": "i64",
    }


def test_integers_that_doubles_round_are_told(tmp_path: Path) -> None:
    found = imported(tmp_path, {"a": 2**64, "b": 2**53 + 1, "c": 2**53}, {"a": 1, "b": 0.5, "c": 0.5})
    assert losses(found).keys() == {"a", "b"}
    assert values(found)[0] == (2.0**64, 2.0**53, 2.0**53)


def test_missing_and_null_are_absent_and_both_at_once_are_told(tmp_path: Path) -> None:
    found = imported(tmp_path, {"a": 1, "b": None, "c": None}, {"a": 2, "b": 1}, {"b": 1, "c": 3})
    assert types(found) == dict.fromkeys("abc", "optional<i64>")
    assert {each.path: each.theirs for each in found.mapping}["c"] == "integer or null, or missing"
    assert list(losses(found)) == ["c", "$"]
    assert losses(found)["$"].startswith("2 fields are missing in some objects: ")


def test_one_missing_field_is_told_in_the_singular(tmp_path: Path) -> None:
    found = imported(tmp_path, {"a": 1, "b": 2}, {"a": 2})
    assert losses(found)["$"].startswith("1 field is missing in some objects: ")


def test_kinds_that_mix_are_a_union_and_told(tmp_path: Path) -> None:
    messages = [{"a": each} for each in (1, "x", None, True, [1], {"b": 2}, 2.5)]
    found = imported(tmp_path, *messages)
    union = next(type for type in found.also if isinstance(type, Union))
    assert [each.name for each in union.alternatives] == ["boolean", "number", "string", "array", "object"]
    assert types(found)["a"] == "optional<A>"
    assert "become a union" in losses(found)["a"]
    assert all(map(same, back(found), messages))
    assert values(found)[:2] == [((1, 1),), ((2, "x"),)]


def test_a_tuple_is_a_list_of_a_union(tmp_path: Path) -> None:
    found = imported(tmp_path, {"pair": ["x", 1]}, {"pair": ["y", 2]})
    assert types(found)["pair"] == "list<PairItem>"
    assert types(found)["pair[] as string"] == "string"
    assert "pair[]" in losses(found)


def test_keys_that_are_data_make_a_map(tmp_path: Path) -> None:
    found = imported(
        tmp_path,
        {"events": {"138586341": {"id": 1}, "2": {"id": 2, "x": None}}, "reactions": {"+1": 1, "-1": 2}},
    )
    assert types(found)["events"] == "map<string, Event>"
    assert types(found)["events{}.id"] == "i64"
    assert types(found)["reactions.+1"] == "i64"
    reactions = next(t for t in found.also if t.name == "Reactions")
    assert isinstance(reactions, Record) and [(f.name, f.wire) for f in reactions.fields] == [
        ("plus_1", "+1"),
        ("minus_1", "-1"),
    ]
    assert same(back(found)[0]["events"], {"138586341": {"id": 1}, "2": {"id": 2}})


def test_keys_that_are_data_of_values_that_are_not_alike_make_a_record(tmp_path: Path) -> None:
    assert types(imported(tmp_path, {"a": {"0": "x", "1": 5}}))["a"] == "A"


def test_many_keys_that_are_seldom_there_make_a_map(tmp_path: Path) -> None:
    seldom = [{"a": {f"k{n}": n, f"k{n + 1}": n}} for n in range(MANY_KEYS)]
    assert types(imported(tmp_path, *seldom))["a"] == "map<string, i64>"
    assert types(imported(tmp_path, *seldom[: SOME_KEYS - 2]))["a"] == "A"
    usual = [{"a": {**each["a"], "id": 1}} for each in seldom[: MANY_KEYS - 3]]
    assert types(imported(tmp_path, *usual))["a"] == "A"
    mixed = [*seldom, {"a": {"k1": "x"}}]
    assert types(imported(tmp_path, *mixed))["a"] == "A"
    always = [{"a": {f"k{n}": n for n in range(2 * MANY_KEYS)}}]
    assert types(imported(tmp_path, *always))["a"] == "A"


def test_many_objects_of_one_shape_are_the_values_of_a_map(tmp_path: Path) -> None:
    one_shape = {f"k{n}": {"x": n, "y": "z"} for n in range(MANY_RECORDS)}
    assert types(imported(tmp_path, {"a": one_shape}))["a"] == "map<string, AItem>"
    one_shape.popitem()
    assert types(imported(tmp_path, {"a": one_shape}))["a"] == "A"
    shapes = {f"k{n}": {f"x{n}": n} for n in range(MANY_RECORDS)}
    assert types(imported(tmp_path, {"a": shapes}))["a"] == "A"


def test_more_keys_than_are_kept_make_a_map_at_once(tmp_path: Path) -> None:
    messages = [{"a": {f"k{n}": n if n % 2 else "x"}} for n in range(MOST_KEYS + 5)]
    found = imported(tmp_path, *messages)
    assert types(found)["a"] == "map<string, AItem>"
    assert back(found) == messages
    with pytest.raises(InputError, match="has more than 1000 different keys"):
        imported(tmp_path, *messages, a="record")


def test_trees_lead_back_to_themselves(tmp_path: Path) -> None:
    tree = {
        "name": "a",
        "children": [{"name": "b", "children": [{"name": "c"}]}, {"name": "d", "children": None}],
    }
    found = imported(tmp_path, {"tree": tree})
    assert types(found)["tree.children"] == "optional<list<Tree>>"
    assert found.schema("test").is_recursive
    assert same(back(found)[0], {"tree": tree})


def test_an_object_that_is_only_alike_inside_is_no_tree(tmp_path: Path) -> None:
    found = imported(tmp_path, {"id": 1, "user": {"id": 2, "name": "x"}, "reply": {"id": 3}})
    assert types(found)["user"] == "User" and types(found)["reply"] == "Reply"
    assert not imported(tmp_path, {"v": 1, "next": {"v": "x", "next": None}}).schema("test").is_recursive


def test_objects_of_the_same_keys_and_kinds_are_one_record(tmp_path: Path) -> None:
    user = {"login": "x", "id": 1, "email": "y"}
    found = imported(
        tmp_path,
        {"owner": user, "sender": {**user, "email": None}, "other": {**user, "id": "1"}, "from": {"id": 1}},
    )
    assert {path: types(found)[path] for path in ("owner", "sender", "other", "from")} == {
        "owner": "Owner", "sender": "Owner", "other": "Other", "from": "From",
    }  # fmt: skip
    assert types(found)["owner.email"] == "optional<string>"


def test_objects_of_one_key_are_one_record_under_one_name_only(tmp_path: Path) -> None:
    found = imported(tmp_path, {"a": {"x": {"v": 1}, "y": {"v": 1}}, "b": {"x": {"v": 2}, "z": 1}})
    assert [types(found)[path] for path in ("a.x", "a.y", "b.x")] == ["X", "Y", "X"]


def test_uuids_among_other_kinds_are_strings_and_crash_nothing(tmp_path: Path) -> None:
    uuid = "0f8fad5b-d9cb-469f-a165-70867728950e"
    for _ in range(20):
        found = imported(tmp_path, {"u": uuid}, {"u": [uuid]})
        assert types(found)["u as string"] == "string"
        assert len(values(found)) == 2
        gc.collect()


@pytest.mark.parametrize(
    ("messages", "type"),
    [
        ([1, 2], "i64"),
        (["x", None], "optional<string>"),
        ([[{"a": 1}]], "list<ValueItem>"),
        ([{"1": 2}, {"2": 3}], "map<string, i64>"),
        ([{"a": 1}, 5], "Value"),
    ],
)
def test_messages_that_are_no_records_are_put_into_one(
    tmp_path: Path, messages: list[Any], type: str
) -> None:
    found = imported(tmp_path, *messages)
    assert [field.name for field in found.root.fields] == ["value"]
    assert types(found)["$"] == type
    assert any(each.path == "$" and WRAPPED in each.what for each in found.losses)
    assert all(map(same, back(found), messages))


def test_order_and_names_are_those_of_the_data(tmp_path: Path) -> None:
    found = imported(tmp_path, {"b-c": 1, "a": 2}, {"b_c": 1, "b.c": 3})
    assert [(field.name, field.wire_name) for field in found.root.fields] == [
        ("b_c", "b-c"), ("a", "a"), ("b_c_2", "b_c"), ("b_c_3", "b.c"),
    ]  # fmt: skip
    assert list(types(found)) == ["b-c", "a", "b_c", '"b.c"']


def test_a_key_without_characters_is_told(tmp_path: Path) -> None:
    found = imported(tmp_path, {"": 1, "unnamed": 2})
    assert values(found) == [(1, 2)]
    assert [field.wire_name for field in found.root.fields] == ["unnamed_2", "unnamed"]
    assert list(losses(found)) == ['""']


def test_a_key_twice_in_an_object_is_told_and_the_last_counts(tmp_path: Path) -> None:
    late = ['{"a": {"x": 1}, "t": "a:b"}\n'] * (SAMPLE_MESSAGES + 5)
    found = imported(tmp_path, *late, '{"a": {"x": 1, "x": 2}, "t": "a:b"}\n')
    assert list(losses(found)) == ["a.x"]
    assert values(found)[-1] == ((2,), "a:b")
    hidden = imported(tmp_path, *late, '{"a": {"x": 1, "x": 2}, "t": "a\\u003ab"}\n')
    assert list(losses(hidden)) == ["a.x"]
    assert not imported(tmp_path, *late).losses


def test_guesses_say_what_they_follow_from(tmp_path: Path) -> None:
    messages = [
        {"t": "2026-11-22T15:04:05Z", "d": "2026-11-22", "e": "xy"[n % 2], "n": None, "u": f"s{n}"}
        for n in range(200)
    ]
    why = {each.path: each.why for each in imported(tmp_path, *messages).mapping}
    assert "--set 't=timestamp in ms'" in why["t"]
    assert "--set 'd=date'" in why["d"]
    assert why["e"].startswith("2 different strings") and "--set 'e=enum'" in why["e"]
    assert why["n"] == "all values are null"
    assert not why["u"]


KEYS = st.sampled_from(["a", "b", "id", "", "+1", "1", "2", 'q"', "b\\", "é", "a b", "x" * 30, "\x00"])
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    st.just("0f8fad5b-d9cb-469f-a165-70867728950e"), st.integers(0, 3),
)  # fmt: skip
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
MESSAGES = st.lists(st.dictionaries(KEYS, JSON, min_size=1, max_size=4) | JSON, min_size=1, max_size=6)


def without_empty_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {key or "?": without_empty_keys(each) for key, each in value.items()}
    return [without_empty_keys(each) for each in value] if isinstance(value, list) else value


@settings(max_examples=examples(100))
@given(MESSAGES)
def test_values_are_the_json_again(tmp_path_factory: pytest.TempPathFactory, messages: list[Any]) -> None:
    messages = [without_empty_keys(each) for each in messages]
    if not any(messages) and all(isinstance(each, dict) for each in messages):
        messages.append({"a": 1})
    found = imported(tmp_path_factory.mktemp("json"), *messages)
    assert all(map(same, back(found), messages))


@settings(max_examples=examples(100))
@given(MESSAGES)
def test_how_it_is_read_makes_no_difference(
    tmp_path_factory: pytest.TempPathFactory, messages: list[Any]
) -> None:
    """The first pass skims messages and the second uses classes of msgspec, both only for speed; reading
    without them must give the same."""
    file = tmp_path_factory.mktemp("json") / "data.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in [*messages, {"z": 1}] * 2))
    files = sources([file], "")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("serbench.imports.json.scanning.SAMPLE_MESSAGES", 1)
        patch.setattr("serbench.imports.json.scanning._NEWS", 0)
        patch.setattr("serbench.imports.json.files._PIECE", 8)
        made = []
        for skims in (True, False):
            root = Scan(files, skims).shape.root
            settle(root, PathSettings.parse({}))
            share(root)
            made.append(build(root, "Root", ""))
    attributes = ("root", "wrapped", "declared", "keys", "kinds", "mapping", "losses", "open")
    one, other = ([getattr(each, name) for name in attributes] for each in made)
    assert one == other
    convert = Converters(made[0]).of_messages()
    slow = [convert(json.loads(line)) for line in file.read_text().splitlines()]
    assert list(read_values(files, made[0])) == slow
    assert describe(made[0].root) == "Root"


GOOD = '{"a": 1}\n'


@pytest.mark.parametrize(
    "lines",
    [
        '{"a": 1} {"a": 2}\n',
        '{"a": 1}{"a": 2}\n{"a":\n3}\n',
        '{"a": 1}\n{"a":\n',
        '{"a": 1},\n',
        '{"a": 1}\r{"a": 2}\n',
    ],
    ids=["two on a line", "as many as lines", "half a message", "a comma", "carriage return"],
)
def test_lines_that_are_skimmed_together_are_one_message_each(tmp_path: Path, lines: str) -> None:
    """A line that is not exactly one message is refused, also where one call of msgspec skims many lines;
    msgspec alone would accept all of these lines except the one with a comma."""
    file = tmp_path / "data.jsonl"
    many = 20 * SAMPLE_MESSAGES
    file.write_text(GOOD * many + lines + GOOD * 10)
    for skims in (True, False):
        with pytest.raises(InputError) as told:
            Scan(sources([file], ""), skims)
        assert f"line {many + (2 if lines.startswith(GOOD) else 1)}" in str(told.value)


def test_lines_that_are_skimmed_together_are_counted_and_repeated_keys_are_told(tmp_path: Path) -> None:
    file = tmp_path / "data.jsonl"
    many = 20 * SAMPLE_MESSAGES
    file.write_text(GOOD * many + '\n{"a": 2}\r\n  \n{"a": 3, "a": 4}\n' + GOOD * many)
    for skims in (True, False):
        found = Scan(sources([file], ""), skims)
        assert found.messages == 2 * many + 2 and list(found.repeated) == [("a",)]
