"""Tests that the format of users' files is recognised: with any file ending, in folders with other files, and
in other text encodings."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import fastavro
import pytest
import typer
from typer.testing import CliRunner

from serbench.cli.app import register
from serbench.errors import InputError
from serbench.imports import formats
from serbench.imports.base import Request
from serbench.imports.gathering import gathered
from serbench.imports.recognising import recognised

SCHEMA = {"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}
GEOJSON = '{"type": "FeatureCollection", "features": [{"n": 1}, {"n": 2}]}'
JSON_SCHEMA = '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}'
PROTO = '// orders\n/* of\n a shop */ syntax = "proto3";\nmessage Order { int32 id = 1; }\n'


def container() -> bytes:
    stream = io.BytesIO()
    fastavro.writer(stream, SCHEMA, [{"id": 7}], sync_marker=bytes(range(16)))
    return stream.getvalue()


def written(folder: Path, files: Mapping[str, str | bytes]) -> list[Path]:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return [folder / name for name in files]


@pytest.mark.parametrize(
    ("name", "data", "format", "words"),
    [
        ("pt.geojson", GEOJSON, "json", "it begins with {"),
        ("nb.ipynb", '\n  {\n "cells": []}', "json", "it begins with {"),
        ("none", "{}\n", "json", "it begins with {"),
        ("app.log", '{"at": 1}\n{"at": 2}\n', "json", "it begins with {"),
        ("app.log.gz", gzip.compress(b'{"at": 1}\n{"at": 2}\n', mtime=0), "json", "it begins with {"),
        ("marked.txt", b'\xef\xbb\xbf[{"a": 1}]', "json", "it begins with ["),
        ("numbers.dat", "[1, 2, 3]", "json", "it begins with ["),
        ("rows.dat", "[1]\n[2]\n", "json", "it begins with ["),
        ("long.log", '{"a": 1, "text": "' + "x" * 70_000 + '"}', "json", "it begins with {"),
        ("order.schema", JSON_SCHEMA, "json-schema", "it is a JSON Schema"),
        ("part-0", container(), "avro", "it begins with Obj and a 1"),
        ("part-1", b"PAR1\x15\x04", "parquet", "it begins with PAR1"),
        ("a.bin", b"ARROW1\0\0", "arrow", "it begins with ARROW1"),
        ("b.bin", b"\xff\xff\xff\xff\x78\x00\x00\x00", "arrow", "it begins as Arrow's streams do"),
        ("wrong.csv", b"PAR1\x15\x04", "parquet", "it begins with PAR1"),
        ("wrong.arrow", b"PAR1\x15\x04", "parquet", "it begins with PAR1"),
        ("wrong.parquet", b"ARROW1\0\0", "arrow", "it begins with ARROW1"),
        ("wrong.avro", b"ARROW1\0\0", "arrow", "it begins with ARROW1"),
        ("wrong.feather", container(), "avro", "it begins with Obj and a 1"),
        ("wrong.tsv", container(), "avro", "it begins with Obj and a 1"),
        ("wrong.pq", '{"a": 1}\n{"a": 2}\n', "json", "it begins with {"),
        ("wrong.json", b"PAR1\x15\x04", "parquet", "it begins with PAR1"),
        ("order.txt", PROTO, "proto", "it begins with a syntax of Protocol Buffers"),
        ("order", "# ids\n@0xa93fc509624c72d1;\nstruct A {}\n", "capnp", "the id of a schema of Cap'n Proto"),
        ("order.idl", "namespace py shop\nstruct A { 1: i32 id }\n", "thrift", "a namespace of Thrift"),
        ("t.txt", "id,name\n1,a\n2,b\n", "csv", "it begins with 3 lines of 2 cells separated by commas"),
        ("t", "id\tname\n1\ta\n2\tb\n", "csv", "3 lines of 2 cells separated by tabs, the first of names"),
    ],
)
def test_the_first_bytes_tell_where_the_ending_does_not(
    name: str, data: str | bytes, format: str, words: str, tmp_path: Path
) -> None:
    found = recognised(written(tmp_path, {name: data}))
    assert found.format.name == format
    assert len(found.notes) == 1
    assert f"{name}: taken as {formats()[format].title}: " in found.notes[0] and words in found.notes[0]


@pytest.mark.parametrize(
    "data",
    [
        "[INFO] started\n[INFO] stopped\n",
        "[2026-01-01 12:00:00] started\n",
        "[1234] started\n",
        "[12, 5] is no list\n"[1:],
        "{{ template }}\n",
        "{a: 1}\n",
        "2026-01-01 12:00:00,123 started\n2026-01-01 12:00:01,456 stopped\n2026-01-01 12:00:02,1 x\n",
        "Dear all,\nas you know,\nthis is prose,\n",
        "name,other\na,b\nc,d\n",
        "id,name\n1,a,b\n2,c\n",
        b"\xff\xff\xff\xff\xff\xff\xff\xff",
        "7\n",
    ],
    ids=str,
)
def test_what_begins_like_no_format_is_asked_for_briefly(data: str | bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        recognised(written(tmp_path, {"notes.log": data}))
    told = str(caught.value)
    assert "notes.log: found the ending '.log', and no beginning that tells the format; expected " in told
    assert "JSON (.json .jsonl .ndjson)" in told and ".gz" not in told and len(told) < 600
    assert "name it with --from: arrow, avro, " in told


def test_an_empty_file_and_another_encoding_are_told(tmp_path: Path) -> None:
    empty, wide = written(tmp_path, {"a.log": "", "b.log": '{"a": 1}'.encode("utf-16")})
    with pytest.raises(InputError, match=r"a\.log: found an empty file; expected a schema or data"):
        recognised([empty])
    with pytest.raises(InputError, match=r"b\.log: found text in UTF-16; .*; iconv -f UTF-16 -t"):
        recognised([wide])


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (
            '// for the editor\n{"a": 1}\n',
            "line 1, column 1: found a comment; expected JSON; JSON has no com",
        ),
        ('{\n  "a": 1, /* one */\n  "b": 2\n}', "line 2, column 11: found a comment; expected JSON"),
        ('\n\n{"a": 1 # one\n}', "line 3, column 9: found a comment"),
        ('{"a": 1,\n}', "line 1, column 8: found trailing comma is not allowed; expected JSON"),
        (
            '{"a": 1}'.encode("utf-16"),
            "found text in UTF-16; expected text in UTF-8; iconv -f UTF-16 -t",
        ),
        ('{"a": 1}'.encode("utf-16-le"), "found text in UTF-16LE; expected text in UTF-8; iconv -f UTF-16LE"),
        ('{"a": 1}'.encode("utf-32-be"), "found text in UTF-32BE; expected text in UTF-8"),
        ('{"a":\n "\xe9"}'.encode("latin-1"), "line 2, column 3: found bytes that are not valid UTF-8"),
        ("", "found no message; expected at least one"),
        (" \n", "found no message; expected at least one"),
        (
            '{"a": 1\n}\n{"a": 2\n}\n',
            "line 3, column 1: found a second document; expected JSON; jq -c .",
        ),
    ],
    ids=repr,
)
def test_a_file_that_ends_in_json_is_told_what_is_wrong_with_it(
    data: str | bytes, told: str, tmp_path: Path, home: Path
) -> None:
    (file,) = written(tmp_path, {"x.json": data})
    failed = run("import", str(file))
    assert str(failed.exception).startswith(f"{file}")
    assert told in str(failed.exception) and len(str(failed.exception)) < 2 * len(str(file)) + 200


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SERBENCH_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def run(*words: str) -> Any:
    app = typer.Typer()
    register(["import", "try"], app)
    return CliRunner().invoke(app, [*words])


BESIDE: dict[str, str | bytes] = {
    "README.md": "# Schemas\n",
    "LICENSE": "All rights.\n",
    "_SUCCESS": "",
    ".DS_Store": b"\0\0\0\1Bud1",
    ".a.avsc.crc": b"crc\0",
    "b.avsc.sha256": "00",
    ".git/config": "[core]\n",
    "_delta_log/0.json": "{}",
}


def test_what_lies_beside_data_is_passed_over_and_told(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    written(folder, {**BESIDE, "a.avsc": json.dumps(SCHEMA), "pom.xml": "<project/>", "empty.log": ""})
    found = gathered([str(folder)])
    assert [path.name for path in found.files] == ["a.avsc", "empty.log", "pom.xml"]
    (note,) = found.notes
    assert note.startswith("passed over, since they lie beside data: ") and note.endswith(" and 5 more")
    known = recognised(found.files, found.found)
    assert [path.name for path in known.files] == ["a.avsc"] and known.format.name == "avro"
    assert known.notes == ("passed over, since they are of no known format: empty.log, pom.xml",)
    with pytest.raises(InputError, match=r"empty\.log: found an empty file"):
        recognised(found.files)


def test_what_a_shell_made_of_a_pattern_is_passed_over_too_but_not_what_is_all(tmp_path: Path) -> None:
    readme, schema = written(tmp_path, {"README.md": "# x\n", "a.avsc": json.dumps(SCHEMA)})
    assert gathered([str(readme), str(schema)]).files == [schema]
    assert gathered([str(tmp_path / "*")]).passed_over == [readme]
    assert gathered([str(readme)]).files == [readme]
    written(tmp_path / "in", {"README.md": "# x\n"})
    with pytest.raises(InputError, match=r"in: this folder contains no file with data, only .*: README\.md"):
        gathered([str(tmp_path / "in")])


def test_a_folder_with_files_of_several_formats_is_refused_briefly(tmp_path: Path) -> None:
    files = {f"{n}.avsc": json.dumps(SCHEMA) for n in range(30)} | {"a.json": "{}", "t.csv": "a,b\n1,2\n"}
    found = gathered([str(tmp_path / "in")] if written(tmp_path / "in", files) else [])
    with pytest.raises(InputError) as caught:
        recognised(found.files, found.found)
    assert str(caught.value) == (
        "the files are of several formats: Avro (0.avsc, 1.avsc, 10.avsc and 27 more), JSON (a.json), CSV "
        "(t.csv); expected files of one format, such as those that match '*.avsc', and data files with --data"
    )


def test_the_command_tells_what_it_took_and_passed_over(tmp_path: Path, home: Path) -> None:
    written(tmp_path / "in", {"README.md": "# x\n", "a.geojson": GEOJSON})
    said = unbroken(run("import", str(tmp_path / "in"), "--framing", "items").output)
    for line in (
        "passed over, since they lie beside data: README.md",
        "a.geojson: taken as JSON: it begins with {",
        "a.geojson: messages are the items of its list features (2 items)",
        "JSON of a.geojson",
    ):
        assert unbroken(line) in said
    hinted = unbroken(run("import", str(tmp_path / "in" / "a.geojson"), "--explain").output)
    assert unbroken("one message; --framing items takes the items of its list features (2 items)") in hinted


def unbroken(text: str) -> str:
    """The text without white space, since a long path may be broken over lines at any of its parts."""
    return "".join(text.split())


SCHEMAS = {
    "a.proto": PROTO,
    "a.fbs": "table Order { id:int; }\n",
    "a.capnp": "@0xa93fc509624c72d1;\nstruct Order { id @0 :Int32; }\n",
    "a.thrift": "struct Order { 1: i32 id }\n",
    "a.avsc": json.dumps(SCHEMA),
    "a.json": JSON_SCHEMA,
}


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("encoding", ["UTF-16", "UTF-16LE", "UTF-16BE"])
def test_schemas_in_another_encoding_are_told_as_data_are(name: str, encoding: str, tmp_path: Path) -> None:
    (file,) = written(tmp_path, {name: SCHEMAS[name].encode(encoding)})
    with pytest.raises(InputError) as caught:
        recognised([file]).format.read(Request((file,)))
    assert str(caught.value) == (
        f"{file}: found text in {encoding}; expected text in UTF-8; iconv -f {encoding} -t UTF-8 {file} "
        "makes UTF-8 of it"
    )


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        (
            "d.json",
            '{"id":\n "\xe9"}'.encode("latin-1"),
            "line 2, column 3: found bytes that are not valid UTF-8",
        ),
        ("d.jsonl", b'{"id": 1}\n// no\n', "line 2, column 1: found a comment; expected JSON"),
        ("d.txtpb", "id: 1".encode("utf-16"), "d.txtpb: found text in UTF-16; expected text in UTF-8; iconv"),
        ("d.txtpb", b"\n# \xe9\nid: 1", "line 2, column 3: found bytes that are not valid UTF-8"),
    ],
)
def test_text_of_protocol_buffers_is_told_what_is_wrong_with_it(
    name: str, data: bytes, told: str, tmp_path: Path
) -> None:
    schema, file = written(tmp_path, {"a.proto": PROTO, name: data})
    with pytest.raises(InputError) as caught:
        found = formats()["proto"].read(Request((schema,), (file,), framing={"d.json": "json"}.get(name, "")))
        list(found.values() if found.values else ())
    assert told in str(caught.value)
