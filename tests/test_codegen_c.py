"""Tests of generated C: domain types and the code around them, as compilers and clang-format see them, and
whether they read as a person would write them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support import TEST_WORKLOADS, all_workloads, glue_of
from tests.test_golden import GOLDEN

from serbench.languages.c.build import c_compiler, cpp_compiler
from serbench.languages.c.canonical import canonical_source
from serbench.languages.c.domain import domain_header
from serbench.languages.c.protobuf import emit as emit_proto
from serbench.languages.c.types import Types
from serbench.model import (
    Alternative,
    Array,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Schema,
    Type,
    Union,
    bytes_,
    f64,
    i32,
    string,
    u8,
)
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codecs
from serbench.workload import load_workloads

INCLUDE = PROJECT / "runners" / "c" / "include"
FLAGS = ("-std=c11", "-O0", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
PAIR = Record("Pair", [Field("both", Array(Ref("Sum"), 2))])
SUM = Union(
    "Sum", [Alternative("number", i32), Alternative("pair", PAIR), Alternative("negated", Ref("Sum"))]
)


def schema_of(**fields: Type) -> Schema:
    return Schema("sample", Record("Thing", [Field(name, type) for name, type in fields.items()]))


def members(schema: Schema) -> list[str]:
    """The declared members of the root's struct."""
    before, _, _ = domain_header(schema).partition("} sample_thing;")
    return [line.strip() for line in before.rpartition("typedef struct {")[2].strip().splitlines()]


def test_a_list_is_one_type_whether_or_not_it_leads_back() -> None:
    folder = Record(
        "Folder", [Field("folders", List(Ref("Folder"))), Field("by_name", Map(string, Ref("Folder")))]
    )
    header = domain_header(schema_of(folders=List(folder), by_name=Map(string, folder)))
    assert header.count("} sample_folder_list;") == header.count("} sample_text_to_folder;") == 1
    assert header.index("struct sample_folder {") < header.index("struct sample_text_to_folder_entry {")


def test_a_tag_gives_way_to_what_is_declared() -> None:
    union = Union("Any", [Alternative("value_x", i32), Alternative("y")])
    header = domain_header(
        schema_of(a=union, b=Enum("AnyValue", u8, ["x"]), c=Record("AnyTag", [Field("z", i32)]))
    )
    assert "  SAMPLE_ANY_VALUE_X_,\n  SAMPLE_ANY_Y,\n} sample_any_tag_;" in header


def test_a_member_that_tells_of_another_is_no_other_field() -> None:
    assert members(schema_of(has_page=i32, page=Optional(i32))) == [
        "int32_t has_page;",
        "bool has_page_;",
        "int32_t page_;",
    ]


def test_a_made_type_gives_way_to_a_declared_one() -> None:
    declared = Record("I32List", [Field("x", i32)])
    types = Types(schema_of(a=List(i32), b=declared, text=Record("Text", [Field("x", i32)])))
    assert [types.short(field.type) for field in types.schema.root.fields] == [
        "i32_list_",
        "i32_list",
        "text_",
    ]


@pytest.mark.parametrize(
    ("named", "c", "cpp"),
    [("g++", "gcc", "g++"), ("g++-12", "gcc-12", "g++-12"),
     ("/opt/g++/clang++", "/opt/g++/clang", "/opt/g++/clang++"),
     ("gcc", "gcc", "g++"), ("icpx", "icpx", "icpx")],
)  # fmt: skip
def test_each_compiler_of_cpp_has_one_of_c_beside_it(named: str, c: str, cpp: str) -> None:
    assert (c_compiler(named), cpp_compiler(c)) == (c, cpp)


@pytest.mark.parametrize("name", ["everything", "my-data", "kinds", "recursion", "unions"])
def test_compilers_have_nothing_to_say(name: str, tmp_path: Path) -> None:
    known = (
        all_workloads() | load_workloads(TEST_WORKLOADS / "unkind") | load_workloads(TEST_WORKLOADS / "grown")
    )
    schema = known[name].schema.plain()
    (tmp_path / "domain.h").write_text(domain_header(schema))
    (tmp_path / "canonical.c").write_text(canonical_source(schema))
    compile_c(tmp_path, tmp_path / "canonical.c", "-c")


def test_names_may_be_longer_than_lines(tmp_path: Path) -> None:
    nested: Type = i32
    for _ in range(31):
        nested = List(nested)
    (tmp_path / "domain.h").write_text(domain_header(schema_of(x=nested)))
    (tmp_path / "canonical.c").write_text(canonical_source(schema_of(x=nested)))
    compile_c(tmp_path, tmp_path / "canonical.c", "-c")


@pytest.mark.parametrize(
    ("lists", "inside", "steps", "reason"),
    [
        (31, i32, None, None),
        (32, i32, -1, "there can be 33"),
        (13, SUM, 5, None),
        (14, SUM, 4, None),
        (31, SUM, -1, "there can be 35"),
    ],
)
def test_messagepack_is_no_deeper_than_the_stack_of_its_library(
    lists: int, inside: Type, steps: int | None, reason: str | None
) -> None:
    for _ in range(lists):
        inside = List(inside)
    msgpack = load_codecs(Paths.default().codecs)["c/msgpack"].variants["zone"]
    schema = schema_of(x=inside, y=i32)
    limit = msgpack.steps_limit(schema)
    assert (limit and limit.steps) == steps
    said = msgpack.why_not(schema)
    assert (said is None) == (reason is None)
    if said and reason:
        assert said.startswith("its msgpack_unpack reads at most 32 nested arrays and maps, a limit")
        assert said.endswith(reason)


def test_golden_files_are_as_clang_format_would_have_them() -> None:
    files = [path for path in sorted(GOLDEN.rglob("*")) if path.suffix in (".c", ".h")]
    assert len(files) > 5
    beside = Path(sys.executable).parent / "clang-format"
    program = str(beside) if beside.exists() else shutil.which("clang-format")
    if not program:
        pytest.skip("no program clang-format")
    done = subprocess.run(
        [program, "--style=file", "--dry-run", "--Werror", *map(str, files)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("type", "c", "cpp"),
    [
        (i32, "from->x != 0", "domain.x != std::int32_t{}"),
        (f64, "from->x != 0 || signbit(from->x)", "domain.x != 0 || std::signbit(domain.x)"),
        (string, "from->x.length != 0", "!domain.x.empty()"),
        (bytes_, "from->x.length != 0", "!domain.x.empty()"),
    ],
    ids=lambda each: each.name if isinstance(each, Scalar) else "",
)
def test_a_field_without_presence_is_set_unless_it_is_zero(type: Scalar, c: str, cpp: str) -> None:
    schema = Schema(
        "sample", Record("Root", [Field("x", type, hints=[("proto", "implicit")]), Field("y", type)])
    )
    in_c, in_cpp = glue_of("c/protobuf_c", schema), glue_of("cpp/protobuf_proto2", schema)
    assert f"if ({c}) {{\n    to->has_x = true;" in in_c
    assert f"if ({cpp}) {{\n" in in_cpp
    assert "} else {\n    native.clear_x();" in in_cpp
    assert in_c.count("if (from") == in_cpp.count("if (") == 1, "a field of other schemas is always there"
    assert "if (" not in glue_of("cpp/protobuf", schema), "proto3 leaves zeros out by itself"


def test_glue_carries_names_as_they_are_written() -> None:
    either = Union("Either", [Alternative("one", i32, wire='the "one"'), Alternative("none", wire="žádná?")])
    schema = Schema("sample", Record("Root", [Field("plus_one", u8, wire="+1"), Field("either", either)]))
    glue = glue_of("c/libcbor", schema)
    assert 'take_name(in, "+1", 2) && read_u8(in, &to->plus_one)' in glue
    assert r'add_characters(out, "the \042one\042", 9) && add_int(out, from->as.one);' in glue
    assert r'if (is_name(&name, "\305\276\303\241dn\303\241\077", 9)) {' in glue


@pytest.mark.parametrize("name", ["kinds", "recursion", "unions"])
@pytest.mark.parametrize("codec", ["c/libcbor", "c/msgpack", "c/protobuf_c"])
def test_compilers_have_nothing_to_say_of_glue(codec: str, name: str, tmp_path: Path) -> None:
    schema, folder = load_workloads(TEST_WORKLOADS / "grown")[name].schema.plain(), PROJECT / "codecs" / codec
    (tmp_path / "domain.h").write_text(domain_header(schema))
    (tmp_path / "glue.h").write_text(glue_of(codec, schema))
    if codec == "c/protobuf_c":
        if not shutil.which("protoc-c"):
            pytest.skip("no program protoc-c")
        (tmp_path / f"{name}.proto").write_text(emit_proto(schema, "proto2"))
        subprocess.run(
            ["protoc-c", f"--proto_path={tmp_path}", f"--c_out={tmp_path}", f"{name}.proto"], check=True
        )
    header = {"c/libcbor": "cbor.h", "c/msgpack": "msgpack.h", "c/protobuf_c": "protobuf-c/protobuf-c.h"}[
        codec
    ]
    if subprocess.run(
        ["gcc", "-include", header, "-fsyntax-only", "-x", "c", os.devnull], capture_output=True
    ).returncode:
        pytest.skip(f"no header {header}")
    not_ours = ("-Wno-pedantic", "-Wno-missing-braces")  # warnings about the libraries' macros
    compile_c(tmp_path, f"-I{folder}", folder / "adapter.c", *not_ours, "-fsyntax-only")


@pytest.mark.parametrize("codec", ["c/libcbor", "c/msgpack"])
def test_a_root_that_leads_back_to_itself_is_a_list_at_the_top_alone(codec: str) -> None:
    schema = Schema("sample", Record("Tree", [Field("trees", List(Ref("Tree")))]))
    glue = glue_of(codec, schema)
    assert (
        "read_tree(in, &to->items[n])" in glue
        or "read_tree(in, &from->via.array.ptr[n], &to->items[n])" in glue
    )
    root = glue[glue.index(" read_root(") :]
    assert "read_tree_list(in" in root and "read_tree(in" not in root


MEMORY = r"""
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "serbench/memory.h"

int main(void) {
  serbench_arena arena = {0};
  for (int round = 0; round < 3; ++round) {
    for (size_t n = 0; n < 1000; ++n) {
      char* block = serbench_allocate(&arena, n % 50, n % 7 + 1);
      assert(block != NULL && (uintptr_t)block % 8 == 0);
      memset(block, 1, n % 50 * (n % 7 + 1));
    }
    serbench_arena_clear(&arena);
  }
  const void* before = arena.blocks;
  const size_t taken = arena.taken;
  assert(serbench_allocate(&arena, 1, 50000) != NULL);  // fits into what three rounds have taken
  assert(arena.blocks == before && arena.taken == taken);
  assert(serbench_allocate(&arena, SIZE_MAX / 4, 8) == NULL);
  serbench_arena_free(&arena);
  assert(arena.blocks == NULL && arena.taken == 0);

  serbench_buffer buffer = {0};
  for (size_t n = 1; n < 1000; ++n) {
    uint8_t* to = serbench_reserve(&buffer, n);
    memset(to, (int)(n % 256), n);
    buffer.size += n;
  }
  assert(buffer.size == 499500 && buffer.data[0] == 1 && buffer.data[499499] == 999 % 256);
  assert(serbench_reserve(&buffer, SIZE_MAX / 2) == NULL);
  serbench_buffer_free(&buffer);
  return 0;
}
"""


def test_memory_is_aligned_kept_and_given_back(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(MEMORY)
    program = tmp_path / "main"
    sources = (str(tmp_path / "main.c"), str(PROJECT / "runners" / "c" / "source" / "memory.c"))
    compile_c(tmp_path, *sources, "-fsanitize=address,undefined", "-o", program)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def compile_c(folder: Path, *words: str | Path) -> None:
    command = ["gcc", *FLAGS, f"-I{INCLUDE}", f"-I{folder}", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
