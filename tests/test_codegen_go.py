"""Tests of generated Go: names, tags, and the files of a module."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.support import TEST_WORKLOADS

from serbench.codecs.codec import Variant
from serbench.errors import SetupError
from serbench.idl import capnp_go
from serbench.languages.go import toolchain
from serbench.languages.go.build import GoBuild, _first_error
from serbench.languages.go.domain import TAGS, domain_source
from serbench.languages.go.options import tags_of
from serbench.languages.go.sources import canonical_source, cell_files, module_files, module_source
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
    bool_,
    bytes_,
    i32,
    string,
    u8,
)
from serbench.model.types import MAX_DEPTH
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codecs
from serbench.workload import load_workload

RUNNER = PROJECT / "runners" / "go"
TREE = Record("Tree", [Field("next", Optional(Ref("Tree")))])
CODECS = {
    name: codec for name, codec in load_codecs(Paths.default().codecs).items() if codec.language == "go"
}

needs_go = pytest.mark.skipif(not toolchain.find_go(), reason="there is no go")


def of(*fields: Field, tags: dict[str, str] | None = None) -> str:
    return domain_source(Schema("odd", Record("Everything", fields)), tags or {})


def test_names_are_those_that_packages_show() -> None:
    held = Record("root", [Field("self", i32), Field("camelCase", u8), Field("camel_case", u8)])
    level = Enum("level", u8, ["low"], [("also_low", 0)])
    text = of(Field("root", held), Field("level", level), Field("msgsize", i32))
    assert "type Root = Everything" in text and "type Root_ struct {" in text
    assert "\tCamelCase  uint8\n\tCamelCase_ uint8\n" in text
    assert "\tLevelLow     Level = 0\n\tLevelAlsoLow Level = 0\n" in text
    assert "\tRoot     Root_\n\tLevel    Level\n\tMsgsize_ int32\n" in text


def test_tags_stand_where_a_codec_wants_them() -> None:
    tags = {"record": "_ struct{}", "field": 'a:"{name},{index}"', "optional": "b", "alternative": "c"}
    union = Union("Any", [Alternative("blob", bytes_), Alternative("more", List(Ref("Any")))])
    text = of(
        Field("out", FixedBytes(2)),
        Field("any", union),
        Field("may", Optional(i32)),
        tags=tags,
    )
    assert '\t_ struct{}\n\n\tOut [2]byte `a:"out,0"`\n\tAny Any     `a:"any,1"`\n\tMay *int32  `b`\n' in text
    assert "\tBlob *[]byte `c`\n\tMore *[]Any  `c`\n" in text


def test_a_root_of_one_field_may_have_a_line_of_its_own() -> None:
    tags = {"record": "_ many", "lone": "_ one"}
    held = Record("Held", [Field("x", i32)])
    text = of(Field("held", held), tags=tags)
    assert "type Everything struct {\n\t_ one\n" in text and "type Held struct {\n\t_ many\n" in text


def test_a_variant_has_its_codecs_tags_but_for_what_it_says() -> None:
    variants = CODECS["go/fxamacker_cbor"].variants
    maps, arrays = tags_of(variants["maps"]), tags_of(variants["arrays"])
    assert "record" not in maps and arrays["record"] == '_ struct{} `cbor:",toarray"`'
    assert arrays.items() >= maps.items()


def test_variables_of_maps_in_maps_are_apart() -> None:
    text = canonical_source(Schema("odd", Record("R", [Field("a", Map(string, Map(bool_, i32)))])))
    assert "var last string" in text and "var last2 bool" in text
    assert "!(key2 && !last2)" in text and "!(key > last)" in text


@pytest.mark.parametrize(
    "codec", ["capnproto", "flatbuffers", "hamba_avro", "protobuf", "thrift", "twmb_avro"]
)
def test_a_message_called_root_that_is_none_has_functions_of_its_own(codec: str) -> None:
    schema = Schema("odd", Record("Odd", [Field("a", Record("Root", [Field("x", List(string))]))]))
    emit = CODECS[f"go/{codec}"].glue.emit
    assert emit
    functions = re.findall(r"^func (\w+)\(", emit(schema), re.MULTILINE)
    assert len(functions) == len(set(functions)) and {"buildRoot", "extractRoot"} < set(functions)


def test_flatbuffers_names_are_those_of_its_compiler_where_a_field_is_a_word_of_go() -> None:
    union = Union("Shape", [Alternative("round", Record("Round", [Field("x", i32)]))])
    emit = CODECS["go/flatbuffers"].glue.emit
    assert emit
    glue = emit(Schema("odd", Record("Odd", [Field("struct", union), Field("shape", union)])))
    assert "fbs.OddAddStruct_type(" in glue and "from.Struct_type()" in glue
    assert "fbs.OddAddShapeType(" in glue and "from.ShapeType()" in glue


def test_capnproto_has_no_field_that_its_futures_have() -> None:
    fields = [Field("struct", i32), Field("future", i32), Field("which", i32), Field("other", i32)]
    low = capnp_go.lowered(Schema("odd", Record("Odd", fields)))
    assert [field.name for field in low.record("Odd").fields] == [
        "structValue",
        "futureValue",
        "whichValue",
        "other",
    ]


def test_a_module_of_a_cell_finds_the_runner_where_it_is() -> None:
    text = module_source(CODECS["go/sonic"], Path("/somewhere/go"))
    assert text.count("replace") == 1 and text.endswith('\n\nreplace serbench => "/somewhere/go"\n')
    assert "github.com/bytedance/sonic v" in text


def test_a_go_that_is_missing_or_old_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "find_go", lambda: "")
    with pytest.raises(SetupError, match=r"no program 'go' is on the path; get Go 1\.24 or newer from"):
        GoBuild(Paths.default(), (), ()).configure()
    monkeypatch.setattr(toolchain, "find_go", lambda: "go")
    monkeypatch.setattr(toolchain, "go_version", lambda go: "go1.19.8")
    with pytest.raises(SetupError, match=r"found go1\.19\.8, expected Go 1\.24 or newer; get Go"):
        toolchain.need_go()


def test_an_error_is_the_line_that_names_something_without_addresses(tmp_path: Path) -> None:
    said = f"# cell/adapter\n{tmp_path}{os.sep}adapter/adapter.go:3:8: undefined: x\n"
    assert _first_error(said, tmp_path) == "adapter/adapter.go:3:8: undefined: x"
    said = 'go: a/b@v1: Get "https://example.org/a/b": no route to host'
    assert _first_error(said, tmp_path) == "go: a/b@v1: Get its registry: no route to host"


def written(folder: Path, variant: Variant, workload: str) -> None:
    """Writes the module of a codec variant with a test workload."""
    schema = load_workload(TEST_WORKLOADS / "grown" / f"{workload}.py").schema
    for name, text in cell_files(variant, schema, module_files(variant.codec, RUNNER)).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@needs_go
@pytest.mark.parametrize("workload", ["kinds", "recursion", "unions"])
def test_generated_files_are_as_gofmt_and_vet_want_them(tmp_path: Path, workload: str) -> None:
    written(tmp_path, CODECS["go/handwritten"].variants["default"], workload)
    gofmt = Path(toolchain.need_go()).parent / "gofmt"
    done = subprocess.run([gofmt, "-l", "."], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == ""
    environment = toolchain.building_environment(toolchain.need_go(), "")
    vetted = subprocess.run(
        [toolchain.need_go(), "vet", "./..."],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert vetted.returncode == 0, vetted.stderr


@needs_go
def test_what_people_write_in_go_is_as_gofmt_wants_it() -> None:
    gofmt = shutil.which("gofmt") or str(Path(toolchain.need_go()).parent / "gofmt")
    folders = [str(RUNNER), str(PROJECT / "codecs" / "go"), str(PROJECT / "tests" / "tricks")]
    done = subprocess.run([gofmt, "-l", *folders], capture_output=True, text=True, check=True)
    assert done.stdout == ""


@needs_go
def test_the_runner_is_as_vet_wants_it() -> None:
    go = toolchain.need_go()
    environment = toolchain.building_environment(go, "")
    done = subprocess.run([go, "vet", "."], cwd=RUNNER, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


MAIN = r"""package main

import (
	"fmt"
	"os"

	"cell/domain"
)

func main() {
	for n := range 6 {
		bytes, _ := os.ReadFile(fmt.Sprint(n))
		var root domain.Root
		if err := domain.Canonical.Parse(bytes, &root); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println("read")
	}
}
"""


@needs_go
def test_a_canonical_reader_has_an_error_where_a_message_is_wrong(tmp_path: Path) -> None:
    schema = Schema("deep", Record("Root", [Field("tree", TREE), Field("by_name", Map(string, i32))]))
    (tmp_path / "domain").mkdir()
    (tmp_path / "domain" / "domain.go").write_text(domain_source(schema, {}))
    (tmp_path / "domain" / "canonical.go").write_text(canonical_source(schema))
    (tmp_path / "main.go").write_text(MAIN)
    (tmp_path / "go.mod").write_text(module_source(CODECS["go/memcpy"], RUNNER))
    messages = [b"\1" * steps + b"\0" + b"\0" * 4 for steps in (MAX_DEPTH, MAX_DEPTH + 1, 100_000)]
    pair = b"\1\0\0\0a" + b"\0" * 4
    messages += [b"\0\2\0\0\0" + pair + pair, b"\0" * 5 + b"\7", b"\0\1\0\0\0\1\0\0\0\xff" + b"\0" * 4]
    for n, message in enumerate(messages):
        (tmp_path / str(n)).write_bytes(message)
    go = toolchain.need_go()
    environment = toolchain.building_environment(go, "")
    done = subprocess.run([go, "run", "."], cwd=tmp_path, env=environment, capture_output=True, text=True)
    deep = f"more than {MAX_DEPTH} steps of recursion"
    expected = ["read", deep, deep, "the keys of a map do not ascend", "1 bytes are left over"]
    assert done.stdout.splitlines() == [*expected, "a string is not valid UTF-8"], done.stderr


def test_the_page_on_codecs_shows_the_files_of_one() -> None:
    page = (PROJECT / "docs" / "add-a-go-codec.md").read_text()
    codec = PROJECT / "codecs" / "go" / "goccy_json"
    assert (codec / "adapter.go").read_text() in page
    shown = page.partition("```toml\n")[2].partition("```")[0]
    assert all(line in (codec / "codec.toml").read_text().splitlines() for line in shown.splitlines())
    assert all(f"| `{part}` | {what} |" in page for part, what in TAGS.items())
    module = (PROJECT / "codecs" / "go" / "memcpy" / "go.mod").read_text()
    assert all(line.strip() in page for line in module.splitlines())


def test_an_adapter_of_a_library_that_derives_is_the_calls_into_it() -> None:
    adapters = [path.read_text() for path in (PROJECT / "codecs" / "go").glob("*/adapter.go")]
    derived = [text for text in adapters if "serbench.Functions[" in text]
    assert len(derived) >= 5
    assert all(len(text.splitlines()) < 40 for text in derived)
