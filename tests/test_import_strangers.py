"""Tests that files which hold no data, and text that is nearly JSON, are told by what they are."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import pickle
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import fastavro
import pytest
from tests.test_import_recognised import run

from serbench.imports import formats
from serbench.imports.base import Request
from serbench.imports.encodings import wide_encoding
from serbench.imports.gathering import gathered
from serbench.imports.recognising import recognised
from serbench.imports.strangers import stranger


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERBENCH_HOME", str(tmp_path / "home"))


def told(file: Path, *words: str) -> str:
    return str(run("import", str(file), "--explain", *words).exception)


def zipped(name: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(name, "x" * 20)
    return made.getvalue()


def tarred() -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a.json"))
    return made.getvalue()


STRANGERS = {
    "a pointer of Git LFS": b"version https://git-lfs.example/spec/v1\noid sha256:00\nsize 5\n",
    "a page of HTML": b"<!DOCTYPE html>\n<html><body>404</body></html>\n",
    "XML": b'<?xml version="1.0"?>\n<a/>\n',
    "XML (a mark)": b'\xef\xbb\xbf<?xml version="1.0"?>\n<a/>\n',
    "XML (elements)": b"<!-- of today -->\n<orders>\n  <order>1</order>\n</orders>\n",
    "XML (attributes)": b"<feed xmlns='x'>news</feed>\n",
    "a page of HTML (saved)": b"<!-- saved -->\n<HTML lang=en><body>404</body></HTML>\n",
    "a RAR archive": b"Rar!\x1a\x07\x01\0" + bytes(40),
    "a JSON text sequence (RFC 7464)": b'\x1e{"a": 1}\n\x1e{"a": 2}\n',
    "an Office document": zipped("[Content_Types].xml"),
    "an Office document (openpyxl)": zipped("docProps/app.xml"),
    "a zip archive": zipped("a.json"),
    "a zip archive (of a folder)": zipped("data/xl/a.json"),
    "a tar archive": tarred(),
    "a file packed by bzip2": bz2.compress(b"{}"),
    "a file packed by xz": lzma.compress(b"{}"),
    "an SQLite database": b"SQLite format 3\0" + bytes(100),
    "an image": b"\x89PNG\r\n\x1a\n" + bytes(40),
    "a PDF document": b"%PDF-1.7\n%\xe2\xe3",
    "an ORC file": b"ORC\x0a\x03" + bytes(40),
}


@pytest.mark.parametrize("ending", [".json", ".jsonl", ".csv", ".log", ""])
@pytest.mark.parametrize("what", STRANGERS)
def test_what_holds_no_data_is_told_by_its_first_bytes(what: str, ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"a b{ending}"
    file.write_bytes(STRANGERS[what])
    found = what if "RFC" in what else what.partition(" (")[0]
    assert told(file).startswith(f"{file}: found {found}") and "; expected a " in told(file)


@pytest.mark.parametrize(
    "text",
    ["ORCID,name\n1,x\n2,y\n", "PK,name\n1,x\n2,y\n", "xml,a\n<b>,1\n<c>,2\n", "<DATE>\t<OPEN>\n1\t2\n"],
)
def test_columns_with_such_names_are_data(text: str, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text(text)
    assert run("import", str(file), "--explain").exit_code == 0


@pytest.mark.parametrize(
    ("name", "made"),
    [("a.bin", gzip.compress), ("a b.json", bz2.compress), ("a.csv.xz", lzma.compress), ("a", lzma.compress)],
)
def test_the_command_that_unpacks_works_when_it_is_pasted(
    name: str, made: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_bytes(made(b"x"))
    fault = stranger(file, file.read_bytes(), "data")
    assert fault
    command = str(fault).partition("; expected data; ")[2].removesuffix(" unpacks it")
    if not shutil.which(command.partition(" ")[0]):
        pytest.skip(f"needs {command.partition(' ')[0]}")
    subprocess.run(command, shell=True, check=True, cwd=tmp_path)
    assert (tmp_path / f"unpacked{Path(name.removesuffix('.xz')).suffix}").read_bytes() == b"x"


def test_json_is_recognised_in_a_file_whose_ending_says_csv(tmp_path: Path) -> None:
    for text in ('[{"a": 1}]', '{"a": 1}\n{"a": 2}\n'):
        (tmp_path / "a.csv").write_text(text)
        assert recognised([tmp_path / "a.csv"]).format.name == "json"
    (tmp_path / "a.csv").write_text('json\n"{""a"": 1}"\n')
    assert recognised([tmp_path / "a.csv"]).format.name == "csv"


@pytest.mark.parametrize(
    ("text", "found", "remedy"),
    [
        ('{"a": NaN}', "line 1, column 7: found NaN or Infinity", "write null"),
        ("{'a': 1}", "line 1, column 2: found a value as Python prints it", "json.dumps"),
        ('{"a": None}', "line 1, column 7: found a value as Python prints it", "json.dumps"),
        ("{a: 1}", "line 1, column 2: found a key without quotes", "double quotes"),
        ("a: 1\nb: 2\n", "line 1, column 1: found text such as YAML", "yq -o json"),
        ('call({"a": 1})', "line 1, column 1: found a call, as in JSONP", "take out"),
        ('{"a": 1}\0\0', "line 1, column 9: found a zero byte", "cut off, or padded"),
        ('{"a": 1', "line 1, column 8: found unexpected end of data", "cut off"),
        ('{"a": 1,}', "line 1, column 8: found trailing comma", "take it out"),
        ("1\n2\n", "line 2, column 1: found a second document", "jq -c . "),
    ],
)
def test_what_is_nearly_json_is_told_with_its_remedy(
    text: str, found: str, remedy: str, tmp_path: Path
) -> None:
    (tmp_path / "a.json").write_text(text)
    said = told(tmp_path / "a.json")
    assert found in said and remedy in said.partition("; expected JSON")[2]


AVSC = b'{"type": "record", "name": "R", "fields": [{"name": "a", "type": "long"}]}'


def avro_of(codec: Callable[[bytes], bytes] = bytes) -> bytes:
    made = io.BytesIO()
    fastavro.writer(made, json.loads(AVSC), [{"a": 1}], sync_marker=bytes(range(16)))
    return codec(made.getvalue())


@pytest.mark.parametrize(
    ("name", "data", "found", "remedy"),
    [
        (
            "d.bin",
            b"\xc3\x01" + bytes(8) + b"\2",
            "a message in Avro's single-object encoding",
            "DataFileWriter",
        ),
        ("d.bin", b"\2", "another beginning", "DataFileWriter"),
        ("d.bin", b"", "an empty file", ""),
        ("d.jsonl", b'{"a": 1}\n', "JSON", "avro-tools fromjson --schema-file s.avsc d.jsonl > data.avro"),
        (
            "d.avro.gz",
            avro_of(partial(gzip.compress, mtime=0)),
            "a file packed by gzip",
            "gunzip < d.avro.gz > unpacked.avro",
        ),
        ("d.avro", b"PAR1\x15\x04" + bytes(8), "a file of Parquet", "import it by itself"),
    ],
)
def test_data_of_a_schema_of_avro_that_are_no_container_are_told_by_their_beginning(
    name: str, data: bytes, found: str, remedy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.avsc").write_bytes(AVSC)
    Path(name).write_bytes(data)
    fault = told(Path("s.avsc"), "--data", name)
    assert fault.startswith(f"{name}: found {found}") and "; expected a container file of Avro" in fault
    assert remedy in fault


@pytest.mark.parametrize("name", ["a.avro", "a.avro.gz", "a.parquet", "a.parquet.gz", "a.arrow", "a.avsc"])
def test_what_is_packed_is_told_where_it_cannot_be_read(name: str, tmp_path: Path) -> None:
    if "avsc" not in name and "avro" not in name:
        pytest.importorskip("pyarrow", reason="pyarrow is of the extra serbench[parquet]")
    (tmp_path / name).write_bytes(gzip.compress(avro_of()))
    ending = name.split(".")[1]
    fault = told(tmp_path / name)
    assert "found a file packed by gzip; expected a" in fault and f"> unpacked.{ending} unpacks it" in fault


def test_a_column_may_have_the_name_of_a_mark(tmp_path: Path) -> None:
    for name in ("PAR1", "PARE", "ARROW1", "FEA1", "Obj"):
        (tmp_path / "a.csv").write_text(f"{name},{name}2\n1,2\n")
        ran = run("import", str(tmp_path / "a.csv"), "--explain", "--format", "csv")
        assert ran.exit_code == 0 and f"\n{name},cells,i32," in ran.output


@pytest.mark.parametrize(
    ("ending", "what", "remedy"),
    [
        (".yaml", "YAML", "yq -o json"),
        (".yml", "YAML", "yq -o json"),
        (".msgpack", "MessagePack", "msgpack.Unpacker"),
        (".cbor", "CBOR", "cbor2.load"),
        (".bson", "BSON", "bsondump"),
        (".pkl", "pickles of Python", "pickle.load"),
    ],
)
def test_formats_that_are_not_read_are_told_with_how_to_make_json_of_them(
    ending: str, what: str, remedy: str, tmp_path: Path
) -> None:
    (tmp_path / f"a{ending}").write_bytes(b"a: 1\nb: 2\n")
    fault = told(tmp_path / f"a{ending}")
    assert f"found the ending of {what}; expected a format that is read; " in fault and remedy in fault


def test_the_command_that_makes_json_of_toml_works(tmp_path: Path) -> None:
    file = tmp_path / "a b.toml"
    file.write_text("a = 1\n[b]\nat = 2026-01-02\n")
    command = told(file).partition("; expected a format that is read; ")[2].removesuffix(" makes JSON of it")
    subprocess.run(command.replace("python3", sys.executable, 1), shell=True, check=True, cwd=tmp_path)
    assert json.loads((tmp_path / "data.json").read_text()) == {"a": 1, "b": {"at": "2026-01-02"}}


MSGPACK = b"\x92\x82\xa2id\x01\xa4name\xa1x\x82\xa2id\x02\xa4name\xa1y"
CBOR = b"\xd9\xd9\xf7\x82\xa2\x62id\x01\x64name\x61x\xa2\x62id\x02\x64name\x61y"


@pytest.mark.parametrize("ending", [".json", ".jsonl", ".csv"])
@pytest.mark.parametrize("data", [MSGPACK, CBOR, pickle.dumps([{"a": 1}])])
def test_bytes_that_are_no_text_are_not_taken_for_text_of_western_europe(
    ending: str, data: bytes, tmp_path: Path
) -> None:
    (tmp_path / f"a{ending}").write_bytes(data)
    assert "found bytes that are no text; expected text in UTF-8; is it in a binary" in told(
        tmp_path / f"a{ending}"
    )


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_the_encoding_of_text_is_told_and_numbers_are_not_taken_for_text(encoding: str) -> None:
    text = '[{"a": "é 日本語 \U0001f600"},\r\n\t1]' * 20
    name = f"UTF-{encoding[4:].replace('-', '').upper()}"
    assert [wide_encoding(text.encode(encoding)[:cut]) for cut in (8, 255, 256, 300)] == [name] * 4
    width = int(encoding[4:6]) // 8
    numbers = b"".join(
        n.to_bytes(width, "little" if "le" in encoding else "big") for n in (0x58, 0x10, 0x10, 0x1A)
    )
    assert wide_encoding(numbers) == ""


@pytest.mark.parametrize(
    ("name", "text", "found", "count"),
    [
        ("a.log", '09:00 INFO {"a": 1}\n09:01 INFO {"a": 2}\n', "lines with JSON behind other text", 2),
        ("a", 'k1\t{"a": 1}\nk2\t{"a": 2}\n', "lines with JSON behind other text", 2),
        ("a.js", 'export = [1] or [{"a": 1}];\n', "JSON behind 16 bytes of other text", 0),
        ("a b.txt", 'HTTP/2 200\r\nage: 0\r\n\r\n[{"a": 1}, {"a": 2}]\n', "JSON behind 22 bytes", 2),
        ("a.json", ')]}\'\n[{"a": 1}]', "line 1, column 1: found a line that keeps browsers", 1),
        ("a.jsonl", '{"a": 1},\n{"a": 2}, \r\n', "line 1, column 9: found a comma behind a document", 2),
    ],
)
def test_what_stands_around_json_is_told_with_a_command_that_takes_it_out(
    name: str, text: str, found: str, count: int, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_bytes(text.encode())
    fault = told(file)
    assert found in fault
    command = fault.rpartition("; ")[2].rpartition(" > ")[0]
    done = subprocess.run(command, shell=True, check=True, capture_output=True, text=True)
    if count:
        made = tmp_path / ("made.jsonl" if "sed" in command else "made.json")
        made.write_text(done.stdout)
        found_values = formats()["json"].read(Request((made,))).values
        assert found_values and len(list(found_values())) == count
    else:
        assert done.stdout == '[{"a": 1}];\n'


def messages(folder: Path, *words: str) -> list[Any]:
    """The first column of the paths that the import tells of some files."""
    ran = run("import", *words, "--explain", "--format", "csv")
    assert ran.exit_code == 0, ran.output
    return [line.partition(",")[0] for line in ran.output.splitlines() if ",integer,i64," in line]


def test_the_last_of_several_pages_may_be_empty(tmp_path: Path) -> None:
    pages: list[dict[str, Any]] = [{"items": [{"a": 1}], "next": "x"}, {"items": [], "next": None}]
    for number, page in enumerate(pages):
        (tmp_path / f"{number}.json").write_text(json.dumps(page))
    assert messages(tmp_path, str(tmp_path), "--framing", "items") == ["a"]


def test_lines_that_are_envelopes_have_items(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"Records": [{"a": 1}, {"a": 2}]}\n\n{"Records": [{"a": 3}]}\n')
    assert messages(tmp_path, str(file), "--framing", "items") == ["a"]


def test_a_list_deep_inside_a_document_is_found_where_the_user_says_that_there_is_one(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"data": {"search": {"edges": [{"a": 1}, {"a": 2}]}}}))
    for framing in ("items", "items:data.search.edges"):
        assert messages(tmp_path, str(file), "--framing", framing) == ["a"]


def test_a_list_of_messages_may_be_indented_in_a_file_of_lines(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('[\n  {"a": 1},\n  {"a": 2}\n]\n')
    assert messages(tmp_path, str(file)) == ["a"]
    file.write_text('{\n  "a": 1\n}\n{\n  "a": 2\n}\n')
    assert "line 4, column 1: found a second document" in told(file) and f"jq -c . {file} >" in told(file)


def test_links_that_lead_nowhere_are_told(tmp_path: Path) -> None:
    (tmp_path / "ring.json").symlink_to("ring.json")
    (tmp_path / "gone.json").symlink_to("nowhere.json")
    assert told(tmp_path / "ring.json").endswith("ring.json: a link that leads to itself")
    assert told(tmp_path / "gone.json").endswith("gone.json: a link to nowhere.json, which is not there")
    assert told(tmp_path / "none.json").endswith("none.json: no such file")
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "good.json").symlink_to("a.json")
    assert gathered([str(tmp_path / "good.json")]).files == [tmp_path / "good.json"]
