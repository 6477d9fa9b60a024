"""Tests of generated JavaScript: names, conversions, and whether Node and TypeScript accept the code."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.test_golden import FILES

from serbench.dataset.canonical import encode
from serbench.errors import SetupError
from serbench.idl import emit
from serbench.languages.javascript import packages
from serbench.languages.javascript.canonical import canonical_source
from serbench.languages.javascript.domain import domain_source
from serbench.languages.javascript.names import broken
from serbench.languages.javascript.plain import Form
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
    bytes_,
    f32,
    i16,
    i32,
    i64,
    string,
    u8,
    u16,
    u32,
    u64,
)
from serbench.model.types import MAX_DEPTH
from serbench.page.building import SOURCES, get_packages
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codecs

RUNNER = PROJECT / "runners" / "javascript"
TREE = Record("Tree", [Field("next", Optional(Ref("Tree")))])
KIND = Enum("Kind", u8, ["low", "high"])
ANY = Union("Any", [Alternative("none"), Alternative("blob", bytes_), Alternative("more", List(Ref("Any")))])
WHOLE = Record(
    "Whole",
    [
        Field("small", i16),
        Field("wide", u64),
        Field("ratio", f32),
        Field("text", string),
        Field("digest", FixedBytes(2)),
        Field("kind", KIND),
        Field("by_number", Map(i64, Optional(KIND))),
        Field("any", ANY),
        Field("tree", TREE),
    ],
)
VALUE = (
    -2,
    2**64 - 1,
    0.5,
    "Mie ☃",
    b"\x00\xff",
    1,
    {-1: 1, 5: None},
    (2, [(0, None), (1, b"x")]),
    ((None,),),
)


def of(*fields: Field) -> Schema:
    return Schema("odd", Record("Everything", fields))


# --- names ---


def test_names_that_javascript_reserves_are_others_and_formats_keep_them() -> None:
    held = Record("Map", [Field("class", i32), Field("constructor", string), Field("type", u8)])
    schema = of(Field("map", held), Field("at", u8, wire="@at"))
    text = domain_source(schema)
    assert "export class Map_ {" in text and "constructor(class_, constructor_, type) {" in text
    assert "// Map.class is class_." in text
    glue = Form().source(schema)
    assert "return { class: value.class_, constructor: value.constructor_, type: value.type };" in glue
    assert 'return { map: buildMap_(value.map), "@at": value.at };' in glue
    assert 'new Everything(extractMap_(plain.map), plain["@at"])' in glue


@pytest.mark.parametrize(("name", "refused"), [("0", True), ("none", False)])
def test_names_that_are_numbers_are_refused_where_numbers_are_text(name: str, refused: bool) -> None:
    (variant,) = load_codecs(Paths.default().codecs)["javascript/builtin_json"].variants.values()
    digit = Enum("Digit", u64, [("zero", 5)], wire=[("zero", name)], open=True)
    found = variant.why_not(Schema("odd", Record("Odd", [Field("digit", digit)])))
    assert (found is not None) == refused and (not refused or "a name is a number" in str(found))


def test_avsc_has_a_branch_by_its_name_only_where_two_are_of_one_kind() -> None:
    emit = load_codecs(Paths.default().codecs)["javascript/avsc"].glue.emit
    assert emit
    apart = Union("Apart", [Alternative("none"), Alternative("size", i64), Alternative("name", string)])
    alike = Union("Alike", [Alternative("size", u16), Alternative("ratio", f32), Alternative("none")])
    glue = emit(of(Field("apart", apart), Field("alike", alike), Field("count", u32), Field("sum", u64)))
    assert 'if (typeof held === "bigint") {' in glue and "return { value: { int: value.value } };" in glue
    assert 'return new Alike("ratio", held.float);' in glue and "u32(message.count)" in glue
    assert '"type": "u64"' in glue and "buildEverything(value) {" in glue
    assert "export const build = undefined;" in emit(of(Field("names", List(string)), Field("sum", u64)))


def test_entries_of_maps_in_a_long_line_stay_whole() -> None:
    emit = load_codecs(Paths.default().codecs)["javascript/avsc"].glue.emit
    point = Record("Point", [Field("x_of_the_point", u32)])
    of_each = Map(i32, List(point))
    assert emit
    glue = emit(
        of(Field("points_of_each_and_every_day", List(of_each)), Field("points_of_each_day", of_each))
    )
    assert (
        """    points_of_each_and_every_day: value.points_of_each_and_every_day.map(
      (item) => Array.from(item, ([key, item]) => ({ key, value: item })),
    ),
    points_of_each_day: Array.from(value.points_of_each_day, ([key, item]) => ({ key, value: item })),
"""
        in glue
    )


def test_the_content_of_the_last_brackets_has_a_line_of_its_own() -> None:
    def told(value: str) -> list[str]:
        return broken("key: ", value, ",", 100)

    assert told("short") == ["key: short,"]
    assert told("value.f() ?? null") == ["key: value.f() ?? null,"]
    assert told("counted(list, 2).map(extract)") == ["key: counted(list, 2).map(", "  extract,", "),"]
    assert told('f(value[")"])') == ["key: f(", '  value[")"],', "),"]
    assert told("a === null ? null : (b ?? c)") == ["key: a === null ? null : (", "  b ?? c", "),"]


def test_flatbuffers_names_are_those_of_all_versions_of_its_compiler() -> None:
    """Generated names avoid those that flatc spells in more than one way: with an underscore at the end,
    which differs between methods, and with a capital, which differs between versions."""
    union = Union("Shape", [Alternative("round", Record("Round", [Field("x", i32)]))])
    codec = load_codecs(Paths.default().codecs)["javascript/flatbuffers"]
    assert codec.glue.emit and codec.idl
    schema = of(Field("struct", union), Field("outEdges", List(i32)), Field("Array", union))
    glue = codec.glue.emit(schema)
    assert "from.structFieldType()" in glue and "fbs.Everything.addStructFieldType(to, " in glue
    assert "fbs.Everything.createOutEdgesVector(to, value.outEdges)" in glue and "from.array(" in glue
    assert "  struct_field:Shape (required);" in emit(codec.idl.language, schema)


def test_flatbuffers_has_integers_for_enums_where_its_compiler_cannot_have_them() -> None:
    point = Record("Point", [Field("x", f32), Field("kind", KIND)])
    wide = Enum("Wide", u64, ["low", "high"])
    far = Enum("Far", i64, [("least", -5), ("most", 5)])
    schema = of(Field("at", List(point)), Field("kind", KIND), Field("wides", List(wide)), Field("far", far))
    text = emit("fbs_ts", schema)
    assert "  kind:ubyte;\n" in text and "  kind:Kind;\n" in text
    assert "  wides:[ulong];" in text and "  far:long = -5;" in text
    assert "  wides:[Wide];" in emit("fbs", schema) and "  far:Far = least;" in emit("fbs", schema)


def test_flatbuffers_takes_no_struct_two_of_whose_members_have_one_name() -> None:
    (variant,) = load_codecs(Paths.default().codecs)["javascript/flatbuffers"].variants.values()
    inner = Record("Inner", [Field("b", i32)])
    alike, apart = (
        of(Field("all", List(Record("Outer", [Field("a", inner), Field(name, i32)]))))
        for name in ("a_b", "ab")
    )
    assert "two parameters of one name" in (variant.why_not(alike) or "")
    assert variant.why_not(apart) is None


def test_a_program_that_npm_does_not_bring_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    codec = load_codecs(Paths.default().codecs)["javascript/flatbuffers"]
    monkeypatch.setattr("shutil.which", lambda name: None)
    found = packages.installed(codec, tmp_path)
    assert not found.installed and found.missing == "no program 'flatc' is on the path"


def test_what_a_library_takes_as_it_is_is_not_converted() -> None:
    plain = of(Field("names", List(string)), Field("by_name", Map(string, i32)))
    assert "export const build = undefined;" in Form().source(plain)
    assert "by_name: Object.fromEntries(value.by_name)" in Form(maps="objects").source(plain)
    either = Form(maps="either").source(plain)
    assert "export const build = undefined;" in either and "new Map(entriesOf(plain.by_name))" in either


def test_node_cbor_is_refused_what_hides_the_constructor_of_an_object() -> None:
    node_cbor = load_codecs(Paths.default().codecs)["javascript/node_cbor"].variants["default"]
    assert "URL_" in domain_source(of(Field("from", Record("URL", [Field("path", string)]))))
    assert "hides" in (node_cbor.why_not(of(Field("held", string, wire="constructor"))) or "")
    assert node_cbor.why_not(of(Field("constructor", string, wire="made_by"))) is None


# --- Node ---


def run(folder: Path, program: str, *words: str) -> str:
    (folder / "program.js").write_text(program)
    (folder / "package.json").write_text('{ "type": "module" }')
    modules = folder / "node_modules" / "serbench"
    if not modules.exists():
        shutil.copytree(RUNNER, modules)
    done = subprocess.run(["node", "program.js", *words], cwd=folder, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return done.stderr  # the harness prints there


def write(folder: Path, schema: Schema, form: Form | None = None) -> None:
    (folder / "domain.js").write_text(domain_source(schema))
    (folder / "canonical.js").write_text(canonical_source(schema))
    (folder / "glue.js").write_text((form or Form()).source(schema))


READS = """
import fs from "node:fs";
import { Reader, Writer } from "serbench";
import { read, write } from "./canonical.js";

for (const path of process.argv.slice(2)) {
  try {
    const bytes = fs.readFileSync(path);
    const reader = new Reader(bytes);
    const value = read(reader);
    reader.finish();
    const writer = new Writer();
    write(writer, value);
    console.log(writer.written().equals(bytes) ? "same" : "other");
  } catch (error) {
    console.log(String(error));
  }
}
"""


def test_canonical_bytes_come_back_and_others_are_refused(tmp_path: Path) -> None:
    schema = Schema("whole", WHOLE)
    write(tmp_path, schema)
    good = encode(schema.root, VALUE)
    bad = [good[:-1], good + b"\0", good.replace("☃".encode(), b"\xff\xff\xff"), good[:-1] + b"\2"]
    for n, bytes in enumerate([good, *bad]):
        (tmp_path / str(n)).write_bytes(bytes)
    said = run(tmp_path, READS, *map(str, range(5))).splitlines()
    assert said[0] == "same"
    assert said[1] == "Error: truncated: 1 bytes are needed, 0 are left"
    assert said[2] == "Error: 1 bytes are left over"
    assert "encoded data was not valid" in said[3]
    assert said[4] == "Error: a bool or presence byte is 2"


HOT = """
import v8 from "node:v8";
import { build } from "./glue.js";

const value = { rows: [[{ x: 1 }, { x: 2 }], [{ x: 3 }]] };
const lengths = new Set();
for (let n = 0; n < 200_000; ++n) lengths.add(v8.serialize(build(value)).length);
console.error(lengths.size);
"""


def test_packed_arrays_stay_packed_when_the_engine_optimises(tmp_path: Path) -> None:
    """V8's serializer writes an array that may have holes more slowly, item by item, each with its index. So
    generated code must make arrays that V8 keeps as packed, which have none."""
    point = Record("Point", [Field("x", i32, wire="delete")])
    rows = Schema("rows", Record("Rows", [Field("rows", List(List(point)))]))
    write(tmp_path, rows, Form(packed=True))
    assert run(tmp_path, HOT) == "1\n"
    write(tmp_path, rows)
    assert run(tmp_path, HOT) != "1\n", "packed has become needless"


def test_recursion_ends_with_an_error(tmp_path: Path) -> None:
    write(tmp_path, Schema("deep", TREE))
    (tmp_path / "0").write_bytes(b"\1" * MAX_DEPTH + b"\0")
    (tmp_path / "1").write_bytes(b"\1" * (MAX_DEPTH + 1) + b"\0")
    said = run(tmp_path, READS, "0", "1").splitlines()
    assert said == ["same", f"Error: more than {MAX_DEPTH} steps of recursion"]


CONVERTS = """
import fs from "node:fs";
import { Reader, Writer } from "serbench";
import { read, write } from "./canonical.js";
import { build, extract } from "./glue.js";

const bytes = fs.readFileSync("value");
const plain = build === undefined ? read(new Reader(bytes)) : build(read(new Reader(bytes)));
const kept = process.argv[2] === "json" ? JSON.parse(JSON.stringify(plain)) : structuredClone(plain);
const writer = new Writer();
write(writer, extract(kept));
console.log(writer.written().equals(bytes));
if (process.argv[2] === "json") console.log(JSON.stringify(plain));
"""

TEXT = Form(maps="objects", enums="names", wide="text", floats="text", octets="numbers")
FORMS = {
    "json": TEXT,
    "clone": Form(unions="tagged", wide_are_exact=True),
    "arrays": Form(records="arrays", unions="pairs", lone=True),
    "entries": Form(maps="entries", signed=True),
    "either": Form(maps="either"),
}


@pytest.mark.parametrize("name", FORMS)
def test_domain_objects_come_back_from_plain_ones(name: str, tmp_path: Path) -> None:
    schema = Schema("whole", WHOLE)
    write(tmp_path, schema, FORMS[name])
    (tmp_path / "value").write_bytes(encode(schema.root, VALUE))
    said = run(tmp_path, CONVERTS, name).splitlines()
    assert said[0] == "true"
    if name == "json":
        found = json.loads(said[1])
        assert found["wide"] == str(2**64 - 1) and found["kind"] == "high"
        assert found["by_number"] == {"-1": "high", "5": None}
        assert found["any"] == {"more": [{"none": None}, {"blob": [120]}]}


STRICT = """
import { Writer } from "serbench";
import { Whole } from "./domain.js";
import { write } from "./canonical.js";

const good = [1, 2n, 0.5, "", new Uint8Array(2), 0, new Map(), null, null];
const bad = [["1"], [40_000], [1, 2], [1, 2n, "1"], [1, 2n, 0.1, 7], [1, 2n, 0.5, "", new Uint8Array(3)]];
for (const values of [...bad, [1, 2n, 0.5, "", new Uint8Array(2), 9]]) {
  try {
    write(new Writer(), new Whole(...values, ...good.slice(values.length)));
  } catch (error) {
    console.log(String(error));
  }
}
"""


def test_no_value_of_another_type_is_written(tmp_path: Path) -> None:
    """A value of another type is an error, since converting it in serbench's code would spare the codec that
    work. Only a number that is no f32 is rounded to one, as every writer of floats does."""
    write(tmp_path, Schema("whole", WHOLE))
    said = run(tmp_path, STRICT).splitlines()
    assert said[0] == "TypeError: found string, expected number"
    assert said[1].startswith("RangeError") and "40" in said[1]
    assert said[2] == "TypeError: found number, expected bigint"
    assert said[3] == "TypeError: found string, expected number"
    assert said[4] == "TypeError: found number, expected string"
    assert said[5] == "RangeError: found 3 items, expected 2"
    assert said[6] == "Error: an enum has the value 9"


# --- as its users have it ---


def test_sources_are_as_eslint_and_prettier_have_them(tmp_path: Path) -> None:
    get_packages(lambda _: None, to_check=True)
    for name, text in FILES.items():
        if name.endswith((".js", ".d.ts")):
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    programs = SOURCES / "node_modules" / ".bin"
    folders = [RUNNER / "src", PROJECT / "codecs" / "javascript", PROJECT / "tests" / "tricks", tmp_path]
    formatted = ["--config", str(SOURCES / "package.json"), "--no-editorconfig", "--check"]
    files = [str(path) for folder in folders for path in folder.rglob("*.js")]
    files += map(str, tmp_path.rglob("*.d.ts"))
    assert len(files) > 30
    done = subprocess.run([programs / "prettier", *formatted, *files], capture_output=True, text=True)
    assert not done.returncode, done.stdout + done.stderr
    linted = ["--config", str(SOURCES / "eslint.config.mjs"), *map(str, folders[:3])]
    done = subprocess.run([programs / "eslint", *linted], cwd=PROJECT, capture_output=True, text=True)
    assert not done.returncode, done.stdout + done.stderr
    declared = [*map(str, tmp_path.rglob("*.d.ts"))]
    strict = ["--noEmit", "--strict", "--target", "es2022"]
    done = subprocess.run([programs / "tsc", *strict, *declared], capture_output=True, text=True)
    assert not done.returncode, done.stdout + done.stderr


# --- packages ---


def test_locks_have_no_addresses_and_are_of_what_codecs_declare() -> None:
    codecs = [c for c in load_codecs(Paths.default().codecs).values() if c.language == "javascript"]
    locked = 0
    for codec in codecs:
        wanted = json.loads(packages.manifest(codec))["dependencies"]
        lock = codec.directory / packages.LOCK
        assert lock.exists() == bool(wanted), codec.id
        if wanted:
            locked += 1
            assert "://" not in lock.read_text() and "resolved" not in lock.read_text(), codec.id
            assert json.loads(lock.read_text())["packages"][""]["dependencies"] == wanted, codec.id
    assert locked >= 4


def test_a_missing_node_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupError, match="no program 'node' is on the path; JavaScript codecs need Node 20"):
        packages.need("node")


def test_an_old_node_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\necho v16.20.1\n")
    node.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    packages.node_version.cache_clear()
    with pytest.raises(SetupError, match=r"found Node 16\.20\.1, expected 20 or newer"):
        packages.node_version()
    packages.node_version.cache_clear()


def test_the_page_on_codecs_shows_the_files_of_one() -> None:
    page = (PROJECT / "docs" / "add-a-javascript-codec.md").read_text()
    codec = PROJECT / "codecs" / "javascript" / "msgpack"
    assert (codec / "adapter.js").read_text() in page
    assert (codec / "glue.py").read_text() in page
    shown = page.partition("```toml\n")[2].partition("```")[0]
    assert all(line in (codec / "codec.toml").read_text().splitlines() for line in shown.splitlines())


def test_entries_of_maps_without_a_key_or_a_value_are_zero() -> None:
    """protobuf.js gives the key of a map's entry as a text of eight characters and its value as bytes. If a
    writer left them out, it gives the text "0" and an array, which glue has to make zero and no bytes."""
    schema = Schema("wide", Record("Wide", [Field("blobs", Map(u64, bytes_))]))
    emit_glue = load_codecs(Paths.default().codecs)["javascript/protobufjs"].glue.emit
    assert emit_glue
    text = emit_glue(schema)
    assert 'key === "0" ? 0n : longFromHash(key, true).toBigInt()' in text
    assert "item.length > 0 ? item : new Uint8Array(0)" in text
