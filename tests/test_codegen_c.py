"""Domain types in C and what is generated around them: what compilers, clang-format and an author would say of it."""

from __future__ import annotations

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
from serbench.model import Array, Enum, Field, List, Map, Optional, Record, Schema, Type, bytes_, i16, i32, string, u8
from serbench.paths import PROJECT
from serbench.workload import load_workloads

INCLUDE = PROJECT / "runners" / "c" / "include"
FLAGS = ("-std=c11", "-O0", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
COLOR = Enum("Color", u8, ["Red", "Green"])


def schema_of(**fields: Type) -> Schema:
    return Schema("sample", Record("Thing", [Field(name, type) for name, type in fields.items()]))


def members(schema: Schema) -> list[str]:
    """The members of the root's struct."""
    before, _, _ = domain_header(schema).partition("} sample_thing;")
    return [line.strip() for line in before.rpartition("typedef struct {")[2].strip().splitlines()]


@pytest.mark.parametrize(
    ("type", "declared"),
    [
        (i16, ["int16_t x;"]),
        (string, ["serbench_text x;"]),
        (COLOR, ["sample_color x;"]),
        (Optional(bytes_), ["bool has_x;", "serbench_bytes x;"]),
        (List(Optional(i32)), ["sample_optional_i32_list x;"]),
        (Array(Array(u8, 2), 3), ["sample_u8_array_2 x[3];"]),
        (Optional(Array(string, 2)), ["bool has_x;", "serbench_text x[2];"]),
        (Map(string, List(i32)), ["sample_text_to_i32_list x;"]),
    ],
)
def test_a_member_is_the_one_that_an_application_would_hold(type: Type, declared: list[str]) -> None:
    assert members(schema_of(x=type)) == declared


def test_a_list_has_a_count_and_a_map_is_pairs() -> None:
    header = domain_header(schema_of(x=Map(string, List(COLOR))))
    assert "typedef struct {\n  size_t count;\n  sample_color* items;\n} sample_color_list;" in header
    assert "typedef struct {\n  serbench_text key;\n  sample_color_list value;\n} sample_text_to_color_list_entry;" in header
    assert "size_t count;\n  sample_text_to_color_list_entry* items;\n} sample_text_to_color_list;" in header


def test_a_member_that_tells_of_another_is_no_other_field() -> None:
    assert members(schema_of(has_page=i32, page=Optional(i32))) == ["int32_t has_page;", "bool has_page_;", "int32_t page_;"]


def test_a_made_type_gives_way_to_a_declared_one() -> None:
    declared = Record("I32List", [Field("x", i32)])
    types = Types(schema_of(a=List(i32), b=declared, text=Record("Text", [Field("x", i32)])))
    assert [types.short(field.type) for field in types.schema.root.fields] == ["i32_list_", "i32_list", "text_"]


def test_strings_of_protocol_buffers_are_bytes_and_maps_are_entries() -> None:
    text = emit_proto(schema_of(base=string, tags=Map(string, i32)), "proto2")
    for line in ("  optional bytes base_value = 1;", "  repeated BytesToI32 tags = 2;", "  optional bytes key = 1;"):
        assert line in text.splitlines()


@pytest.mark.parametrize(
    ("named", "c", "cpp"),
    [("g++", "gcc", "g++"), ("g++-12", "gcc-12", "g++-12"), ("/opt/g++/clang++", "/opt/g++/clang", "/opt/g++/clang++"),
     ("gcc", "gcc", "g++"), ("icpx", "icpx", "icpx")],
)  # fmt: skip
def test_each_compiler_of_cpp_has_one_of_c_beside_it(named: str, c: str, cpp: str) -> None:
    assert (c_compiler(named), cpp_compiler(c)) == (c, cpp)


@pytest.mark.parametrize("name", ["everything", "my-data"])
def test_compilers_have_nothing_to_say(name: str, tmp_path: Path) -> None:
    schema = (all_workloads() | load_workloads(TEST_WORKLOADS / "unkind"))[name].schema
    (tmp_path / "domain.h").write_text(domain_header(schema))
    (tmp_path / "canonical.c").write_text(canonical_source(schema))
    compile_c(tmp_path, tmp_path / "canonical.c", "-c")


def test_golden_files_are_as_clang_format_would_have_them() -> None:
    files = [path for path in sorted(GOLDEN.rglob("*")) if path.suffix in (".c", ".h")]
    assert len(files) > 10
    beside = Path(sys.executable).parent / "clang-format"
    program = str(beside) if beside.exists() else shutil.which("clang-format")
    if not program:
        pytest.skip("no program clang-format")
    done = subprocess.run([program, "--style=file", "--dry-run", "--Werror", *map(str, files)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_two_keys_are_compared_as_the_canonical_encoding_has_them() -> None:
    source = canonical_source(schema_of(names=Map(string, i32), numbers=Map(i16, i32)))
    assert "return compare_text(&a->key, &b->key);" in source
    assert "return (a->key > b->key) - (a->key < b->key);" in source


def test_glue_carries_declared_names() -> None:
    schema = Schema("sample", Record("Root", [Field("fooBar", i32), Field("default", i32)]))
    assert 'add_characters(out, "fooBar", 6) && add_int(out, from->foo_bar)' in glue_of("c/libcbor", schema)
    assert 'take_name(in, "default", 7) && read_i32(in, &to->default_)' in glue_of("c/libcbor", schema)


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
