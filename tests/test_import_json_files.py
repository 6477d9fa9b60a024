"""Tests of importing JSON files: how messages follow one another, the settings that users may give, and that
each file ends in a schema or an error."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard
from tests.mutated_inputs import hold_mutants

from serbench.dataset.values import find_mismatch
from serbench.errors import InputError
from serbench.imports import formats
from serbench.imports.base import Imported, Request
from serbench.imports.json import FORMAT
from serbench.paths import PROJECT

LINES = b'{"a": 1}\n\n {"a": 2} \r\n'
ITEMS = b'[{"a": 1},\n {"a": 2}]\n'
ONE = b'{\n "a": 1\n}\n'


def written(folder: Path, data: bytes | str, name: str = "data.jsonl") -> Path:
    file = folder / name
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return file


def imported(*files: Path, framing: str = "", **wanted: str) -> Imported:
    return FORMAT.read(
        Request(
            files,
            framing=framing,
            settings={path.replace("__", "[]."): type for path, type in wanted.items()},
        )
    )


def values(found: Imported) -> list[Any]:
    assert found.values
    return list(found.values())


def types(found: Imported) -> dict[str, str]:
    return {each.path: each.ours for each in found.mapping}


def refusal(
    folder: Path, data: bytes | str, name: str = "data.jsonl", framing: str = "", **wanted: str
) -> str:
    """The error message that a user gets for a file that the import refuses, either while it infers the
    schema or while it reads the values."""
    with pytest.raises(InputError) as caught:
        values(imported(written(folder, data, name), framing=framing, **wanted))
    return str(caught.value).replace(f"{folder}/", "")


@pytest.mark.parametrize(
    ("name", "data", "framing", "found"),
    [
        ("x.jsonl", LINES, "", [(1,), (2,)]),
        ("x.ndjson", LINES, "auto", [(1,), (2,)]),
        ("x.json", LINES, "auto", [(1,), (2,)]),
        ("x.json", ITEMS, "auto", [(1,), (2,)]),
        ("x.json", ONE, "auto", [(1,)]),
        ("x.json", b"\xef\xbb\xbf" + ONE, "", [(1,)]),
        ("x.jsonl", b"\xef\xbb\xbf" + LINES, "", [(1,), (2,)]),
        ("x.json", b"[1, 2]", "", [([1, 2],)]),
        ("x.json", b"[1, 2]", "items", [(1,), (2,)]),
        ("x.json", ITEMS, "one", [([(1,), (2,)],)]),
        ("x.txt", LINES, "lines", [(1,), (2,)]),
        ("x.json", b"7", "", [(7,)]),
    ],
)
def test_messages_follow_one_another_in_each_way(
    tmp_path: Path, name: str, data: bytes, framing: str, found: list[Any]
) -> None:
    for suffix, packed in (("", data), (".gz", gzip.compress(data)), (".zst", zstandard.compress(data))):
        assert values(imported(written(tmp_path, packed, name + suffix), framing=framing)) == found


def test_files_are_one_dataset(tmp_path: Path) -> None:
    first, second = written(tmp_path, '{"a": 1}', "1.json.gz"), written(tmp_path, '{"a": 2}', "2.json")
    last = written(tmp_path, '{"b": 3}', "3.jsonl")
    found = FORMAT.read(Request((first, second), data=(last,)))
    assert values(found) == [(1, None), (2, None), (None, 3)]
    assert values(found) == values(found)


def test_the_format_is_found_by_name() -> None:
    assert formats()["json"] is FORMAT
    assert {"auto", "lines", "one", "items", "items:NAME"} == FORMAT.framings.keys()
    assert next(iter(FORMAT.framings)) == "auto"


SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {"a": {"type": "string"}},
}


@pytest.mark.parametrize(
    ("value", "is_data"),
    [
        (SCHEMA, False),
        ({**SCHEMA, "$schema": "http://json-schema.org/draft-04/schema#"}, False),
        ({"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": True}}, False),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "integer"}}}, False),
        ({"anyOf": [{"type": "string"}]}, False),
        ({"title": "x", "definitions": {"a": {"enum": [1]}}, "x-own": 1}, False),
        ({"a": 1}, True),
        ([SCHEMA], True),
        ({"type": "Feature", "properties": {"name": "x"}, "geometry": None}, True),
        ({"type": "Feature", "properties": {}}, True),
        ({"$schema": "https://example.org/settings.json", "compiler": {"strict": True}}, True),
        ({"type": "string", "value": 5}, True),
        ({"items": [1, 2], "title": "x"}, True),
    ],
)
def test_a_json_schema_is_another_format(value: Any, is_data: bool) -> None:
    text = json.dumps(value).encode()
    assert FORMAT.recognises(text) is is_data
    assert FORMAT.recognises(gzip.compress(text)) is is_data
    assert FORMAT.recognises(zstandard.compress(text)) is is_data


def test_the_beginning_of_a_file_tells_the_format() -> None:
    assert FORMAT.recognises(LINES) and FORMAT.recognises(b'[{"a": "' + b"x" * 70_000)
    assert not FORMAT.recognises(json.dumps(SCHEMA | {"x": "y" * 70_000}).encode()[:65536])
    assert not FORMAT.recognises(b'{"title": "x", "type": "object", "properties": {"a": {')
    many = b"".join(b'{"n": %d}\n' % (n * 7919 % 10007) for n in range(100_000))
    assert FORMAT.recognises(gzip.compress(many)[:65536]) and FORMAT.recognises(
        zstandard.compress(many)[:65536]
    )
    assert (
        not FORMAT.recognises(b"\x1f\x8b" + b"x" * 20)
        and not FORMAT.recognises(b"PK\x03\x04")
        and not FORMAT.recognises(b"")
    )


DATA = """\
{"n": 1, "f": 1.5, "t": "2026-11-22T15:04:05.250Z", "d": "2026-11-22", "e": "on", \
"m": {"x": 1}, "l": [1], "k": {"1": 2}}
{"n": 2, "f": 2.0, "t": "2026-11-22T16:04:05+01:00", "d": "1969-12-31", "e": "not on", \
"m": {"y": 2}, "l": [], "k": {"2": 2}}
"""


@pytest.mark.parametrize(
    ("path", "type", "ours", "made"),
    [
        ("n", "u8", "u8", [1, 2]),
        ("n", "f32", "f32", [1.0, 2.0]),
        ("n", "timestamp in us", "timestamp in us", [1, 2]),
        ("n", "local timestamp in us", "local timestamp in us", [1, 2]),
        ("n", "optional<i32>", "optional<i32>", [1, 2]),
        ("n", "*", "i64", [1, 2]),
        ("t", "timestamp in ms", "timestamp in ms", [1795359845250, 1795359845000]),
        ("t", "timestamp in ns", "timestamp in ns", [1795359845250000000, 1795359845000000000]),
        ("d", "date", "date over i32", [20779, -1]),
        ("e", "enum", "E", [0, 1]),
        ("m", "map<string, u16>", "map<string, u16>", [{"x": 1}, {"y": 2}]),
        ("l", "list<i16>", "list<i16>", [[1], []]),
        ("k", "map<i32, *>", "map<i32, i64>", [{1: 2}, {2: 2}]),
        ("k", "record", "K", [(2, None), (None, 2)]),
    ],
)
def test_a_user_may_say_what_a_field_is(
    tmp_path: Path, path: str, type: str, ours: str, made: list[Any]
) -> None:
    found = imported(written(tmp_path, DATA), **{path: type})
    assert types(found)[path] == ours
    at = [field.name for field in found.root.fields].index(path)
    read = values(found)
    assert [value[at] for value in read] == made
    root = found.schema("test").root
    assert not any(find_mismatch(root, value) for value in read)


def test_members_of_an_enum_keep_their_names_on_the_wire(tmp_path: Path) -> None:
    enum = next(each for each in imported(written(tmp_path, DATA), e="enum").schema("test").enums)
    assert [(name, enum.wire_name(name)) for name, _ in enum.members] == [("on", "on"), ("not_on", "not on")]


@pytest.mark.parametrize(
    ("path", "type", "told"),
    [
        ("x", "i32", "settings: found no field at 'x'"),
        ("l[]x", "i32", "settings: found no field at 'l[]x'; did you mean l[]"),
        ("n", "i33", "settings: found 'n=i33'; expected a type such as"),
        ("n", "list<", "settings: found 'n=list<'"),
        ("n", "optional<optional<i32>>", "expected one optional"),
        ("m", "map<f32, i32>", "expected a map such as map<string, *>"),
        ("n", "string", "settings, n: found 'string' for integer"),
        ("e", "i32", "settings, e: found 'i32' for string"),
        ("e", "list<*>", "settings, e: found 'list' for string"),
        ("n", "enum", "settings, n: found 'enum' for integer"),
        ("f", "i32", "data.jsonl, line 1, f: found number; expected i32"),
        (
            "t",
            "timestamp in s",
            "line 1, t: found a string of 24 characters; expected a time such as 2026-11-22T15:04:05Z",
        ),
        (
            "t",
            "local timestamp in s",
            "characters; expected a time such as 2026-11-22T15:04:05 that is whole in s",
        ),
        ("e", "uuid", "line 1, e: found a string of 2 characters; expected a UUID in lower-case letters"),
        ("e", "date", "line 1, e: found a string of 2 characters; expected a date such as 2026-11-22"),
        ("n", "bytes", "settings: found 'n=bytes'"),
        ("n", "list<" * 200, "settings: found "),
    ],
)
def test_what_a_user_says_has_to_go_with_the_data(tmp_path: Path, path: str, type: str, told: str) -> None:
    assert told in refusal(tmp_path, DATA, **{path: type})


def test_numbers_beyond_a_type_are_refused_without_them(tmp_path: Path) -> None:
    assert "line 2, a: found an integer of 17 bits; expected u16" in refusal(
        tmp_path, '{"a": 1}\n{"a": 77777}\n', a="u16"
    )
    assert "a[0]: found a number beyond its range; expected f32" in refusal(
        tmp_path, '{"a": [1e300]}', **{"a[]": "f32"}
    )


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (
            '{"a": 1}\n{"a": 4711,}\n',
            "data.jsonl, line 2, column 11: found trailing comma is not allowed; expected JSON",
        ),
        ('{"a": NaN}', "line 1, column 7: found NaN or Infinity; expected JSON; JSON has finite numbers"),
        ('{"a": -Infinity}', "line 1, column 8: found NaN or Infinity"),
        ('{"a": 1e999}', "line 1, column 7: found number is infinity when parsed as double"),
        ('{"a": 1' + "0" * 400 + "}", "line 1, a: found a number beyond its range; expected f64"),
        ('{"a": 1' + "0" * 5000 + "}", "line 1, column 7: found number is infinity when parsed as double"),
        (
            '{"a": "\\ud800"}',
            "column 8: found no low surrogate in string; expected JSON; JSON in UTF-8 has surr",
        ),
        (
            b'{"a": "\xff"}',
            "line 1, column 8: found bytes that are not valid UTF-8; expected text in UTF-8; is it of "
            "Western Europe? iconv -f WINDOWS-1252 -t UTF-8 data.jsonl makes UTF-8 of it",
        ),
        (b'{"a": "\xed\xa0\x80"}', "column 8: found half a surrogate pair in three bytes"),
        (
            '{"a": 1}\n// 4711\n',
            "line 2, column 1: found a comment; expected JSON; JSON has no comments: take",
        ),
        ('{"a": 1', "line 1, column 8: found unexpected end of data"),
        ("{}\n{}\n", "found only empty objects; expected a message with a member"),
        ("", "found no message; expected at least one"),
        ("\n \n", "found no message"),
        *(
            ('{"a": 1}'.encode(encoding), f"found text in {told}; expected text in UTF-8; iconv -f {told} -t")
            for encoding, told in (
                ("utf-16", "UTF-16"),
                ("utf-16-le", "UTF-16LE"),
                ("utf-16-be", "UTF-16BE"),
                ("utf-32", "UTF-32"),
                ("utf-32-le", "UTF-32LE"),
                ("utf-32-be", "UTF-32BE"),
            )
        ),
        (
            gzip.compress('{"a": 1}'.encode("utf-16-le"), mtime=0),
            "found text in UTF-16LE; expected text in UTF-8",
        ),
        (b"\x1f\x8b\x08\x00garbage", "found what cannot be read"),
        (gzip.compress(LINES * 1000, mtime=0)[:-20], "found what cannot be read"),
        (b"\x28\xb5\x2f\xfdgarbage", "found what cannot be read"),
    ],
)
def test_what_is_no_message_is_refused_with_its_place(tmp_path: Path, data: bytes | str, told: str) -> None:
    found = refusal(tmp_path, data).replace(str(tmp_path), "")
    assert told in found
    assert "4711" not in found


def test_what_is_no_list_or_no_file_is_refused(tmp_path: Path) -> None:
    said = refusal(tmp_path, ONE, "x.json", "items")
    assert "found JSON that is not a list, and has no list of objects in it; expected a list of" in said
    assert "found 'frames'; expected one of auto, lines, one, items, items:NAME" in refusal(
        tmp_path, ONE, "x.json", "frames"
    )
    with pytest.raises(InputError, match="found what cannot be read: No such file or directory"):
        imported(tmp_path / "none.json")


def test_values_that_changed_meanwhile_are_refused_without_them(tmp_path: Path) -> None:
    file = written(tmp_path, '{"a": {"b": [1]}, "m": {"1": 1}}\n{"a": {"b": [2]}, "m": {"2": 1}}')
    found = imported(file)
    for late, told in (
        ('{"a": {"b": [1, 2, "secret"]}, "m": {}}', r"line 1, a.b\[2\]: found string; expected i64"),
        (
            '{"a": {"b": [], "secret": 1}, "m": {}}',
            "line 1, a: found an additional member, whose name has 6 characters",
        ),
        ('{"m": {}}', "line 1, a: found nothing; expected a value"),
        ('{"a": {"b": []}, "m": {"secret": "x"}}', r"line 1, m{}: found string; expected i64"),
    ):
        written(tmp_path, late)
        with pytest.raises(InputError, match=told) as caught:
            values(found)
        assert "secret" not in str(caught.value)


def test_a_packed_file_may_not_grow_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("serbench.imports.packed._PACKED", 1 << 20)
    for packed in (gzip.compress(b"\n" * (8 << 20)), zstandard.compress(b"\n" * (8 << 20))):
        assert "1 MiB when unpacked, 250 times its size" in refusal(tmp_path, packed)


def test_what_needs_too_much_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("serbench.imports.json.files.MOST_MEMORY", 8 << 20)
    text = b"[" + b"[]," * 400_000 + b"[]]"
    assert "line 1: found 1200004 bytes of JSON in one piece" in refusal(tmp_path, text)
    assert "jq -c" in refusal(tmp_path, text, "x.json")
    monkeypatch.setattr("serbench.imports.json.files.LONGEST_TEXT", 2 << 20)
    for name in ("x.jsonl", "x.json"):
        assert "found more than 2 MiB of JSON in one piece" in refusal(
            tmp_path, b'{"a": "' + b"x" * (2 << 20) + b'"}', name
        )


def test_too_many_paths_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("serbench.imports.json.shape.MOST_PATHS", 50)
    lines = "".join(json.dumps({f"k{n}": {f"x{n}": 1}}) + "\n" for n in range(30))
    assert "line 26: found more than 50 different paths of keys" in refusal(tmp_path, lines)


@pytest.mark.slow("damage JSON")
@pytest.mark.parametrize("framing", ["lines", "items", "one"])
def test_no_mutant_ends_in_a_traceback_a_crash_a_hang_or_a_gigabyte(
    framing: str, request: pytest.FixtureRequest
) -> None:
    hold_mutants(f"json_{framing}", 5 * request.config.getoption("--mutations"))


def test_a_deep_tree_is_read_by_a_program_with_few_calls_left(tmp_path: Path) -> None:
    """The program runs in a process with Python's default limit of 1,000 calls, while other parts of serbench
    raise the limit."""
    text = '{"v": [' * 240 + '{"v": []}' + "]}" * 240
    program = (
        "from pathlib import Path; from serbench.imports.base import Request; "
        "from serbench.imports.json import FORMAT\n"
        f"found = FORMAT.read(Request((Path({str(written(tmp_path, text))!r}),)))\n"
        "print(len(list(found.values())), found.schema('test').is_recursive)"
    )
    environment = {**os.environ, "PYTHONPATH": str(PROJECT / "src")}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert (done.stdout, done.stderr) == ("1 True\n", "")
