"""Tests that dictionaries which are seen once become maps and records stay records; where data leave the
choice open, one line tells the user the setting."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.json_values import same
from tests.support import examples
from tests.test_import_json import back, imported, types

from serbench.errors import InputError
from serbench.imports.base import Imported
from serbench.imports.json.deciding import (
    MANY_ALWAYS,
    MANY_CODES,
    MANY_OBJECTS,
    MANY_PLAIN,
    MANY_RECORDS,
    MANY_WITH_ONE_MEMBER,
    TOLD_PLAIN,
    Seen,
    perhaps_map,
    why_map,
)
from serbench.imports.json.keys import looked_at
from serbench.imports.json.likeness import likeness
from serbench.imports.json.shape import MANY_DATA_KEYS, Shape

NAMES = [
    "acorn",
    "body-parser",
    "bytes",
    "cors",
    "debug",
    "depd",
    "express",
    "lodash",
    "ms",
    "send",
    "vary",
    "ws",
]


def why(found: Imported, path: str) -> str:
    return next(each.why for each in found.mapping if each.path == path)


def package(draws: Random, name: str) -> dict[str, Any]:
    """A random entry of a lock file: some members are always present, and some are dictionaries or have
    values of two types."""
    made: dict[str, Any] = {"version": "1.2.3", "resolved": f"x/{name}.tgz", "integrity": "sha512-x"}
    if draws.random() < 0.5:
        made["dependencies"] = dict.fromkeys(draws.sample(NAMES, 3), "^1.0.0")
    if draws.random() < 0.6:
        made["engines"] = {"node": ">= 0.8"}
    if draws.random() < 0.2:
        made["funding"] = draws.choice([{"url": "x"}, [{"url": "x"}], "x"])
    if draws.random() < 0.3:
        made["dev"] = True
    return made


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("versions", ["1.2.3", "v1.2.3-beta.1", "^1.2.0", "2.0.0-rc.1+5", "1.x", "lodash@4.17.21"]),
        ("paths", ["/pets", "/pets/{id}", "node_modules/a", "application/json", "src\\main", "GET /x", "."]),
        ("dates", ["2026-01-05", "2026-01", "2026-W05", "2026-Q1", "log-2026.01.05", "2026-01-05T10:00:00Z",
                   "2026Q1", "Q1 2026", "FY2026", "2026M01", "Jan 2026", "2026 March"]),
        ("times", ["08:00", "8:30", "23:59:59"]),
        ("numbers", ["1", "-2", "200", "99.9", "50%", "18-25", "1e3"]),
        ("hashes", ["0123456789abcdef", "sha256:00112233445566778899aabbccddeeff", "a1b2c3d"]),
        ("UUIDs", ["0f8fad5b-d9cb-469f-a165-70867728950e", "0F8FAD5B-D9CB-469F-A165-70867728950E"]),
        ("e-mail addresses", ["ann@mail.example", "a.b+c@x.y.org"]),
        ("telephone numbers", ["+491511234567", "+12025550123"]),
        ("colours", ["#ff0000", "#0F0"]),
        ("names with a version", ["nginx:1.25", "redis:7-alpine", "quay.example/team/app:v2.0.1"]),
        ("identifiers", ["user_123456", "i-0123456789abcdef0"]),
        ("URLs", ["urn:isbn:1", "arn:aws:iam::1:user"]),
        ("addresses", ["10.0.0.1", "10.0.0.1:80", "fe80::1:2:3", "00:1b:44:11:3a:b7"]),
        ("host names", ["mail.example", "www.shop.com:443", "com.docker.compose.project"]),
        ("file names", ["README.md", "main.py", "a b.json"]),
        ("languages", ["en", "en-US", "zh_Hans", "pt-BR", "pt-br", "id"]),
        ("codes", ["USD", "EUR", "CHF"]),
    ],
)  # fmt: skip
def test_keys_that_are_data_are_told_from_names(kind: str, keys: list[str]) -> None:
    found = looked_at(keys)
    assert found.are_data and found.names == (kind,)
    for key in keys if kind not in ("languages", "codes") else ():
        assert looked_at([key]).names == (kind,)
    assert not looked_at([*keys, "name"]).are_data


@pytest.mark.parametrize(
    "keys",
    [
        [
            "id",
            "name",
            "createdAt",
            "created_at",
            "first-name",
            "@type",
            "$ref",
            "+1",
            "v1",
            "x2",
            "line1",
            "X",
        ],
        ["id", "no", "to", "is", "at"],
        ["km/h", "mi/h", "req/s"],
        ["is_on", "no_op", "user_1", "line_12", "Q1", "May"],
        ["ID", "URL", "name"],
        ["log.level", "user.id", "disk.io", "error.log", "spring.datasource.url", "process.pid"],
        ["customerAddress2", "facade", "decade", "deadbeef", "GET", "sha256"],
        ["temp_min", "temp_max", "V1", "V28", "q1", "p99", "h264"],
    ],
)
def test_names_of_fields_are_no_data(keys: list[str]) -> None:
    assert not looked_at(keys).data


def test_a_lock_file_has_a_map_of_packages_whatever_its_size(tmp_path: Path) -> None:
    draws = Random(1)
    for names in (NAMES[:4], NAMES, [f"{name}-{n}" for name in NAMES for n in range(20)]):
        packages = {f"node_modules/{name}": package(draws, name) for name in names}
        root = {"name": "app", "version": "1.0.0", "dependencies": {"express": "^4.1.0", "ws": "~8.0.0"}}
        lock = {"name": "app", "lockfileVersion": 3, "packages": {"": root, **packages}}
        found = imported(tmp_path, json.dumps(lock) + "\n")
        assert types(found)["packages"] == "map<string, Package>"
        assert "keys" in why(found, "packages") and "paths" in why(found, "packages")
        assert types(found)["packages{}.dependencies"] == "optional<map<string, string>>"
        assert len(found.mapping) < 25 and not found.open
        assert same(back(found), [lock])


def test_packages_inside_packages_are_the_same_map(tmp_path: Path) -> None:
    inner = {"ms": {"version": "1.0.0", "integrity": "x"}}
    packages: dict[str, Any] = {
        name: {"version": "1.0.0", "integrity": "x", "requires": {"ms": "2.0.0"}} for name in NAMES
    }
    packages["debug"]["dependencies"] = inner
    found = imported(tmp_path, {"lockfileVersion": 1, "dependencies": packages})
    assert types(found)["dependencies"] == "map<string, Dependency>"
    assert types(found)["dependencies{}.dependencies"] == "optional<map<string, Dependency>>"
    assert (
        why(found, "dependencies{}.dependencies") == "members are like the values of another map of this name"
    )


def test_a_registry_has_maps_of_versions_and_times(tmp_path: Path) -> None:
    for count in (3, 30, 3 * MANY_DATA_KEYS):
        versions = [f"1.{n}.0" for n in range(count)]
        each = {
            "name": "x",
            "dist": {"shasum": "ab", "size": 1},
            "dependencies": {"ms": "^2.0.0", "ws": "8.1.0"},
        }
        document = {
            "versions": {version: {**each, "version": version} for version in versions},
            "time": {"created": "2026-01-05T00:00:00Z", "modified": "2026-01-05T00:00:00Z",
                     **dict.fromkeys(versions, "2026-01-05T00:00:00Z")},
        }  # fmt: skip
        found = imported(tmp_path, json.dumps(document) + "\n")
        assert types(found)["versions"] == "map<string, Version>"
        assert types(found)["time"] == "map<string, string>"
        assert sum("--set" in row.why for row in found.mapping) == 1  # one for all times together
        assert same(back(found), [document])


@pytest.mark.parametrize(
    ("document", "path", "type"),
    [
        ({"paths": {"/a": {"get": {"id": "x"}}, "/b": {"post": {"id": "y"}}}}, "paths", "map<string, Path>"),
        ({"x": {"200": {"d": "ok"}, "404": {"d": "no"}, "default": {"d": "?"}}}, "x", "map<string, XItem>"),
        ({"en": {"ok": "Yes"}, "de": {"ok": "Ja"}, "pt-BR": {"ok": "Sim"}}, "$", "map<string, ValueItem>"),
        ({"rates": {"2026-01-05": {"USD": 1.5}, "2026-01-06": {"USD": 2.5}}}, "rates", "map<string, Rate>"),
        ({"labels": {"a.b/name": "x", "a.b/part": "y", "tier": "z"}}, "labels", "map<string, string>"),
        ({"data": {"text/plain": ["1"], "image/png": "x"}}, "data", "map<string, DataItem>"),
        ({"dependencies": {"a": "^1.0.0", "b": "~2.1.0", "c": "*"}}, "dependencies", "map<string, string>"),
        ({"x": {name: {"a": 1, "b": "y"} for name in NAMES[:MANY_RECORDS]}}, "x", "map<string, XItem>"),
        ({"x": {f"k{n}": "text" for n in range(MANY_PLAIN)}}, "x", "map<string, string>"),
        ({"x": {"2026-01-05": {"a": 1}, "2026-01-06": [], "total": {"a": 3}}}, "x", "map<string, XItem>"),
        ({"compilerOptions": {"strict": True, "paths": {"@/*": ["src/*"]}}}, "compilerOptions.paths",
         "map<string, list<string>>"),
    ],
)  # fmt: skip
def test_dictionaries_seen_once_are_maps_and_may_be_set_back(
    tmp_path: Path, document: Any, path: str, type: str
) -> None:
    found = imported(tmp_path, document)
    assert types(found)[path] == type and why(found, path)
    assert same(back(found)[0], document)
    as_record = imported(tmp_path, document, **{path.replace(".", "__"): "record"})
    assert not types(as_record).get(path, "").startswith("map") and same(back(as_record)[0], document)


@pytest.mark.parametrize(
    "document",
    [
        dict.fromkeys(("first", "last", "street", "city", "state", "zip", "email", "title", "team"), "x"),
        {"http": {"host": "h", "port": 1}, "db": {"url": "u", "pool": 5}, "log": {"level": "x", "file": "y"}},
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1.5, 2.5]},
         "properties": {"name": "x", "place": "y"}},
        {f"{a}_{b}": 0.5 for a in ("temp", "load", "flux", "mass", "volt") for b in "abcdefghij"},
        {day: {"open": "9", "close": "17"} for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")},
        {"_links": {name: {"href": "u"} for name in NAMES[: MANY_WITH_ONE_MEMBER - 1]}, "id": 1},
        {"name": "x", "version": "1.2.3", "minimum": "1.0.0"},
        {"id": "x", "to": "y", "no": "z", "is": "w"},
        {"SMA": 1.5, "EMA": 2.5, "RSI": 3.5},
        {"0": "x", "1": 5},
        {"url": "u", "+1": 1, "-1": 2, "laugh": 0},
        {"profit": {"pl": 12.5, "sl": 1.05}, "heart": {"hr": 72, "et": 36}},
        {"parent": {"child": {"parent": {"child": {"name": "x"}}}}},
    ],
    ids=["person", "config", "GeoJSON", "columns", "week", "links", "version", "words", "capitals", "tuple",
         "reactions", "abbreviations", "recursion"],
)  # fmt: skip
def test_records_stay_records(tmp_path: Path, document: dict[str, Any]) -> None:
    found = imported(tmp_path, document)
    assert [field.wire_name for field in found.root.fields] == list(document)
    assert not any(type.startswith("map") for type in types(found).values())


def test_what_is_left_open_is_told_with_the_setting_in_one_line(tmp_path: Path) -> None:
    texts = {f"key{chr(97 + n)}": "2026-01-05" for n in range(TOLD_PLAIN)}
    found = imported(tmp_path, {"id": 1, "texts": texts})
    told = f"{TOLD_PLAIN} members of one kind: --set 'texts=map<string, string>' makes a map of them"
    assert why(found, "texts") == told
    assert [(each.path, each.what) for each in found.open] == [("texts", told)]
    assert sum("--set" in row.why for row in found.mapping) == 1  # and none for each date
    as_map = imported(tmp_path, {"id": 1, "texts": texts}, texts="map<string, string>")
    assert types(as_map)["texts"] == "map<string, string>" and not as_map.open


def test_a_root_that_may_be_a_map_is_told_too(tmp_path: Path) -> None:
    found = imported(tmp_path, {f"key{chr(97 + n)}": n + 0.5 for n in range(TOLD_PLAIN)})
    assert "--set '$=map<string, f64>'" in why(found, "$")
    as_map = imported(tmp_path, {"a": 1.5, "b": 2.5}, **{"$": "map<string, f64>"})
    assert types(as_map)["$"] == "map<string, f64>"


def test_records_of_many_messages_stay_records(tmp_path: Path) -> None:
    """The more objects have all of the keys, the more keys it takes to make a map of them."""
    row = {name: {"low": 1, "high": 2} for name in NAMES[:MANY_RECORDS]}
    few, many = ([{"id": n, "row": row} for n in range(count)] for count in (2, MANY_OBJECTS))
    assert types(imported(tmp_path, *few))["row"] == "map<string, RowItem>"
    assert types(imported(tmp_path, *many))["row"] == "Row"
    wide = [{"id": n, "row": {f"k{k}": 0.5 for k in range(MANY_PLAIN)}} for n in range(MANY_OBJECTS)]
    rows = imported(tmp_path, *wide)
    assert types(rows)["row"] == "Row" and not rows.open
    plain = [
        {"id": n, "of": {"name": "x", "current": "1.2.3", "latest": "2.0.0"}} for n in range(MANY_OBJECTS)
    ]
    assert types(imported(tmp_path, *plain))["of"] == "Of"


@pytest.mark.parametrize(
    ("messages", "path"),
    [
        ([{"of": {"now": "1.2.3", "next": "2.0.0"}}] * 4, "of"),
        ([{"of": {"now": "1.2.3", "next": "2.0.0"}}] * 20 + [{"of": {"now": "1.2.3"}}], "of"),
        ([{"a": {"now": "1.2.3", "next": "2.0.0"}, "b": {"now": "3.2.1", "next": "3.2.1"}}], "a"),
        ([{"of": {name: {"asked": "^1.2.0", "got": "1.2.3"} for name in NAMES}}], "of{}"),
    ],
    ids=["in all", "in most", "side by side", "of a map's values"],
)
def test_versions_under_the_same_keys_in_several_objects_are_a_record(
    tmp_path: Path, messages: list[Any], path: str
) -> None:
    found = imported(tmp_path, *messages)
    inner = [each for each in found.mapping if each.path.startswith(f"{path}.")]
    assert len(inner) == 2 and not types(found).get(path, "").startswith("map")
    assert same(back(found), messages)


def test_packages_with_versions_under_other_keys_are_maps(tmp_path: Path) -> None:
    few = {"a": {"of": {"ms": "^1.0.0", "ws": "^2.0.0"}}, "b": {"of": {"cors": "^1.0.0", "send": "^2.0.0"}}}
    assert types(imported(tmp_path, few))["a.of"] == "map<string, string>"
    packages = [{"of": dict.fromkeys(NAMES[n : n + 3], "^1.0.0")} for n in range(8)]
    assert types(imported(tmp_path, *packages))["of"] == "map<string, string>"


def test_a_few_versions_that_are_seen_once_are_told_with_the_setting_of_a_record(tmp_path: Path) -> None:
    versions = {"current": "1.0.0", "latest": "2.0.0"}
    told = "values are versions (2): --set 'of=record' makes a record of them"
    assert why(imported(tmp_path, {"of": versions}), "of") == told
    assert types(imported(tmp_path, {"of": versions}, of="record"))["of.latest"] == "string"
    many = dict.fromkeys(NAMES, "1.0.0")
    assert why(imported(tmp_path, {"of": many}), "of") == "values are versions (12)"


def test_dependencies_of_dependencies_are_one_map(tmp_path: Path) -> None:
    """Each of them has fewer members than tell a map; that they are inside each other tells it."""

    def tree(depth: int) -> dict[str, Any]:
        end = {"version": "1.0.0", "size": 1}
        inner = {"version": "1.0.0", "needs": tree(depth - 1)} if depth else end
        return {f"ms-{depth}": end, f"ws-{depth}": inner}

    document = {"name": "x", "needs": tree(4)}
    found = imported(tmp_path, document)
    assert types(found)["needs"] == "map<string, Need>"
    assert types(found)["needs{}.needs"] == "optional<map<string, Need>>"
    assert same(back(found)[0], document)


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({"USD": 1.5, "EUR": 1.0}, "keys may be codes (2): --set 'of=map<string, f64>' makes a map of them"),
        ({"EN": "x", "DE": "y"}, "keys may be codes (2): --set 'of=map<string, string>' makes a map of them"),
        ({"de": 1, "fr": 2}, "keys may be languages (2): --set 'of=map<string, i64>' makes a map of them"),
    ],
)
def test_keys_that_may_be_data_are_told(tmp_path: Path, members: dict[str, Any], told: str) -> None:
    found = imported(tmp_path, {"of": members})
    assert types(found)["of"] == "Of" and why(found, "of") == told
    as_map = imported(tmp_path, {"of": members}, of=told.split("=")[1].split("'")[0])
    assert types(as_map)["of"].startswith("map<string, ")


def test_languages_of_numbers_are_a_map_where_there_are_many_or_regions(tmp_path: Path) -> None:
    for keys in (["en", "de", "fr", "es", "pl"], ["en-us", "de-de"]):
        assert types(imported(tmp_path, {"of": dict.fromkeys(keys, 5)}))["of"] == "map<string, i64>"


def test_what_differs_below_a_record_that_may_be_a_map_is_told(tmp_path: Path) -> None:
    counts = {f"count{chr(97 + n)}": n for n in range(TOLD_PLAIN)}
    found = imported(tmp_path, {"of": {**counts, "time": 1700000000123}})
    assert "makes a map of them" in why(found, "of")
    assert "timestamp in ms" in why(found, "of.time")
    assert not why(found, "of.counta")
    maps = {each: {"1.0.0": {"a": n}, "1.1.0": {"a": n}} for n, each in enumerate(("xa", "xb", "xc"))}
    found = imported(tmp_path, {"of": maps})
    assert [why(found, f"of.{each}") for each in maps] == ["keys are versions (2)"] * 3


def test_values_of_maps_of_one_name_are_one_record(tmp_path: Path) -> None:
    text, number = {"type": "string", "format": "x"}, {"type": "number", "items": 1}
    outer = {f"k{n}": [text, number][n % 2] for n in range(MANY_RECORDS)}
    inner = {"one": text, "two": {"type": "date"}}
    found = imported(tmp_path, {"a": {"id": 1, "properties": outer}, "b": {"properties": inner}})
    assert types(found)["a.properties"] == types(found)["b.properties"] == "map<string, Property>"


def test_more_keys_that_are_data_than_are_kept_are_a_map_at_once(tmp_path: Path) -> None:
    many = {f"src/{n}.c": {f"m{k}": {"x": k} for k in range(100)} for n in range(1200)}
    found = imported(tmp_path, {"files": many})  # 240,000 paths, if each were kept
    assert types(found)["files"] == "map<string, map<string, FileItem>>"
    assert f"more than {MANY_DATA_KEYS} keys that are paths" in why(found, "files")
    with pytest.raises(InputError, match="found a record at 'files', which has more than"):
        imported(tmp_path, {"files": many}, files="record")


def of(*objects: Any) -> float:
    """The likeness that the import computes for these values of different keys of one object: 1 if all are
    of one shape, which speaks for a map."""
    shape = Shape()
    shape.add({f"k{n}": each for n, each in enumerate(objects)})
    assert shape.root.fields
    return likeness(shape.root.fields.members.values())


def test_likeness_counts_what_two_values_share() -> None:
    assert of({"a": 1}, {"a": 2.5}, {"a": None}) == of("x", "y", None) == of([1], [], [2]) == 1
    assert of({"a": 1}, {"b": 1}) == of(1, "x") == 0.5
    assert of({"a": 1, "b": 1}, {"a": 1, "c": 1}) == 0.75
    assert of({"a": {"x": "1"}}, {"a": {"y": "2"}}) == 1  # a dictionary in a member
    assert of({"a": {"x": 1, "z": "x"}}, {"a": {"y": 2, "v": "x"}}) == 0.5


SEEN = st.builds(
    Seen,
    st.lists(
        st.sampled_from([*NAMES, "1", "2", "/a", "1.2.3", "USD", "EUR", "en", "de", ""]), unique=True
    ).map(looked_at),
    st.integers(0, 300),
    st.integers(1, 100),
    st.floats(0, 1),
    st.floats(0, 1),
    st.frozensets(st.sampled_from(["string", "number", "object", "array", "boolean"])),
    st.floats(0, 1),
    st.floats(0, 30),
    st.floats(0, 1),
    st.booleans(),
)


@settings(max_examples=examples(300))
@given(SEEN)
def test_more_members_and_more_alike_never_make_a_record_of_a_map(seen: Seen) -> None:
    """If an object is taken for a map, more members that are as alike, or members that are more alike, leave
    it a map, whatever else is known."""
    if why_map(seen) and not seen.keys.data:
        assert why_map(replace(seen, count=seen.count + 50))
        assert why_map(replace(seen, likeness=1.0))
        assert why_map(replace(seen, share=seen.share / 2)) or seen.share == 1


@settings(max_examples=examples(300))
@given(
    st.integers(1, MANY_RECORDS - 1), st.integers(1, 100), st.floats(0, 1),
    st.sampled_from(["string", "number", "object", "array", "boolean"]),
)  # fmt: skip
def test_few_members_that_have_names_are_a_record(n: int, objects: int, like: float, kind: str) -> None:
    seen = Seen(looked_at(NAMES[:n]), n, objects, 1.0, 1.0, frozenset({kind}), like, 3.0)
    assert not why_map(seen)
    assert not perhaps_map(seen) or kind == "object"


@settings(max_examples=examples(300))
@given(st.integers(MANY_ALWAYS, 500), st.integers(1, 100), st.floats(0.5, 1))
def test_many_objects_of_one_shape_are_a_map(n: int, objects: int, like: float) -> None:
    assert why_map(Seen(looked_at(NAMES), n, objects, 1.0, 1.0, frozenset({"object"}), like, 3.0))


def test_codes_are_data_only_where_there_are_many() -> None:
    keys = [a + b + c for a in "ABC" for b in "XY" for c in "MN"]
    assert len(keys) == MANY_CODES
    assert (
        why_map(Seen(looked_at(keys), len(keys), kinds=frozenset({"number"})))
        == f"keys are codes ({len(keys)})"
    )
    assert not why_map(Seen(looked_at(keys[1:]), len(keys) - 1, kinds=frozenset({"number"})))
