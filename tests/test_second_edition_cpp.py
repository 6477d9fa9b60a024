"""Tests of unions, recursion and the other new types in C++: the reflection of domain types, canonical
encoding and checksum against Python's, and readers that refuse recursion which is too deep."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support import TEST_WORKLOADS

from serbench.dataset.canonical import decode, encode
from serbench.dataset.edges import edge_values
from serbench.errors import EncodingError
from serbench.languages.cpp.domain import domain_header
from serbench.languages.cpp.reflection import literal, quoted
from serbench.model import (
    Alternative,
    Array,
    Enum,
    Field,
    FixedBytes,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Schema,
    Union,
    i32,
    string,
)
from serbench.model.types import MAX_DEPTH
from serbench.paths import PROJECT
from serbench.workload import load_workloads

SOURCE = r"""
#include "domain.hpp"
#include "codecs/cpp/handwritten/adapter.hpp"
#include "codecs/cpp/iostream/adapter.hpp"
#include "serbench/canonical.hpp"
#include "serbench/checksum.hpp"

#include <cstdio>
#include <cstring>
#include <string>

using serbench::Root;

static Root read(const std::string& reader, const std::vector<std::byte>& bytes) {
  Root root;
  if (reader == "canonical") {
    serbench::canonical::Reader canonical(bytes);
    canonical.decode(root);
    canonical.finish();
  } else if (reader == "handwritten") {
    serbench::HandwrittenAdapter<Root>::Decoder().decode(bytes, root);
  } else {
    serbench::IostreamAdapter<Root>::Decoder().decode(bytes, root);
  }
  return root;
}

/// Of each message of a file: its checksum, whether a copy made of its bytes is equal, and its canonical
/// bytes.
int main(int, char** argv) {
  std::FILE* file = std::fopen(argv[2], "rb");
  for (std::uint32_t size = 0; std::fread(&size, sizeof size, 1, file) == 1;) {
    std::vector<std::byte> bytes(size);
    if (std::fread(bytes.data(), 1, size, file) != size) return 1;
    try {
      const Root root = read(argv[1], bytes);
      serbench::canonical::Buffer again;
      serbench::canonical::encode(root, again);
      const auto sum = static_cast<unsigned long long>(serbench::traverse(root));
      std::printf("%llu %d ", sum, root == read("canonical", again));
      for (const std::byte byte : again) std::printf("%02x", static_cast<unsigned>(byte));
      std::printf("\n");
    } catch (const serbench::DecodeError& error) {
      std::printf("refused: %s\n", error.what());
    }
  }
}
"""

GROWN = load_workloads(TEST_WORKLOADS / "grown")
NESTED = Schema(
    "nested",
    Record(
        "Nested",
        [
            Field("same", List(Optional(Ref("Nested")))),
            Field("pair", Optional(Array(Ref("Half"), 2))),
            Field("left_or_none", Map(string, Optional(Ref("Nested")))),
        ],
    ),
    [
        Union(
            "Half",
            [
                Alternative("half", Ref("Nested")),
                Alternative("nested", Array(Ref("Half"), 2)),
                Alternative("std", i32),
            ],
        )
    ],
)
"""A schema with recursive references inside lists, arrays, maps and optionals, and with alternatives that
have the names of types."""

SCHEMAS = {name: workload.schema for name, workload in GROWN.items()} | {"nested": NESTED}


@pytest.fixture(scope="module", name="programs")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function that gives the path of the test's program, compiled on first use, for the schema of this
    name in ``SCHEMAS``."""
    made: dict[str, Path] = {}

    def program(name: str) -> Path:
        if name not in made:
            folder = tmp_path_factory.mktemp(name)
            (folder / "domain.hpp").write_text(domain_header(SCHEMAS[name].plain()))
            (folder / "main.cpp").write_text(SOURCE)
            includes = [f"-I{PROJECT / 'runners' / 'cpp' / 'include'}", f"-I{PROJECT}", f"-I{folder}"]
            words = [
                "g++",
                "-std=c++20",
                "-O1",
                "-Wall",
                "-Wextra",
                "-Werror",
                *includes,
                "-o",
                str(folder / "main"),
            ]
            subprocess.run([*words, str(folder / "main.cpp")], check=True)
            made[name] = folder / "main"
        return made[name]

    return program


def answers(program: Path, reader: str, messages: list[bytes]) -> list[str]:
    """The lines that the program prints of these messages, one for each; ``reader`` names the code that reads
    them, such as ``canonical``."""
    path = program.with_name("messages")
    path.write_bytes(b"".join(struct.pack("<I", len(message)) + message for message in messages))
    done = subprocess.run([program, reader, path], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def checksum(type: Any, value: Any) -> Any:
    """The checksum of a value by the rules of docs/protocol.md, to compare with the one that C++ computes."""
    match type:
        case Scalar(name) if name == "string":
            return len(value.encode()) + sum(value.encode())
        case Scalar(name) if name == "bytes":
            return len(value) + sum(value)
        case FixedBytes():
            return len(value) + sum(value)
        case Scalar(name) if name in ("f32", "f64"):
            return int.from_bytes(encode(type, value), "little")
        case Scalar() | Enum():
            return int(value)
        case List(item):
            return len(value) + sum(checksum(item, each) for each in value)
        case Array(item, _):
            return sum(checksum(item, each) for each in value)
        case Map(key, item):
            return len(value) + sum(checksum(key, k) + checksum(item, v) for k, v in value.items())
        case Optional(item):
            return 0 if value is None else 1 + checksum(item, value)
        case Record(_, fields):
            return sum(checksum(f.type, each) for f, each in zip(fields, value, strict=True))
        case Union(_, alternatives):
            index, chosen = value
            return index + (checksum(alternatives[index].type, chosen) if alternatives[index].type else 0)
        case Ref():
            return checksum(type.target, value)
    raise TypeError(f"{type!r}")


@pytest.mark.slow("compile C++ beside the tests")
@pytest.mark.parametrize("name", SCHEMAS)
def test_cpp_reads_and_writes_the_canonical_bytes_of_python(
    programs: Callable[[str], Path], name: str
) -> None:
    root = SCHEMAS[name].plain().root
    values = list(edge_values(root))
    messages = [encode(root, value) for value in values]
    for reader in ("canonical", "iostream"):
        found = [answer.split() for answer in answers(programs(name), reader, messages)]
        assert [bytes.fromhex(each[2]) for each in found] == messages
        assert {each[1] for each in found} == {"1"}
        assert [int(each[0]) for each in found] == [checksum(root, value) % (1 << 64) for value in values]


def deep(steps: int) -> dict[str, bytes]:
    """Field of the workload ``recursion`` → a message with this many steps of recursion in that field."""
    root = GROWN["recursion"].schema.root
    least = next(value for value in edge_values(root) if not value[0])
    fields = {field.name: encode(field.type, value) for field, value in zip(root.fields, least, strict=True)}
    zero, one = bytes(4), (1).to_bytes(4, "little")
    any_value = {
        name: n.to_bytes(4, "little")
        for n, name in enumerate(("text", "flag", "number", "real", "values", "fields"))
    }
    made = {
        "attributes": one + zero + (any_value["values"] + one) * steps + any_value["text"] + zero,
        "tree": (zero + b"\1") * steps + zero + bytes(1 + 1 + steps),
        "root": (zero + one) * steps + zero + zero,
        "scope": (zero + one + zero) * steps + zero + zero,
        "expression": (2).to_bytes(4, "little") * steps + zero + zero,
        "person": (zero + b"\1" + zero + one) * steps + zero + b"\0",
    }
    return {name: b"".join((fields | {name: message}).values()) for name, message in made.items()}


@pytest.mark.slow("compile C++ beside the tests")
@pytest.mark.parametrize("reader", ["canonical", "iostream"])
def test_recursion_deeper_than_the_limit_is_an_error_and_no_crash(
    programs: Callable[[str], Path], reader: str
) -> None:
    root = GROWN["recursion"].schema.root
    for steps, refused in ((MAX_DEPTH, False), (MAX_DEPTH + 1, True), (1_000_000, True)):
        messages = deep(steps)
        said = answers(programs("recursion"), reader, list(messages.values()))
        for name, message, answer in zip(messages, messages.values(), said, strict=True):
            assert (answer == f"refused: more than {MAX_DEPTH} steps of recursion") == refused, (
                name,
                steps,
                answer[:100],
            )
            assert refused or bytes.fromhex(answer.split()[2]) == message
            if refused:
                with pytest.raises(EncodingError, match=f"more than {MAX_DEPTH} steps of recursion"):
                    decode(root, message)
            else:
                assert encode(root, decode(root, message)) == message


@pytest.mark.slow("compile C++ beside the tests")
def test_the_handwritten_reader_has_the_same_limit(programs: Callable[[str], Path]) -> None:
    before = bytes(8 + 6 + 16 + 12)  # the fields in front of `expression`, all empty
    after = bytes(8 + 1 + 1 + 1 + 8)  # and those behind it
    messages = [
        before + (2).to_bytes(4, "little") * steps + bytes(8) + after
        for steps in (MAX_DEPTH, MAX_DEPTH + 1, 1_000_000)
    ]
    said = answers(programs("recursion"), "handwritten", messages)
    assert [answer.startswith("refused: more than") for answer in said] == [False, True, True]


@pytest.mark.slow("compile C++ beside the tests")
def test_a_list_of_empty_records_has_a_limit_and_alternatives_and_members_are_checked(
    programs: Callable[[str], Path],
) -> None:
    root = SCHEMAS["kinds"].plain().root
    empty = next(iter(edge_values(root)))
    whole = encode(root, empty)
    assert whole[:9] == bytes(9)  # maybe, some, by_name
    many = [
        bytes(1) + count.to_bytes(4, "little") + whole[5:]
        for count in (1 << 16, (1 << 16) + 1, (1 << 32) - 1)
    ]
    said = answers(programs("kinds"), "canonical", many)
    assert [answer.startswith("refused: a count of") for answer in said] == [False, True, True]
    unions = SCHEMAS["unions"].root
    single = encode(unions, next(iter(edge_values(unions))))[:-12]
    said = answers(
        programs("unions"), "canonical", [single + struct.pack("<Iq", index, 0) for index in (0, 1)]
    )
    assert (
        said[0].split()[1] == "1" and said[1] == "refused: found the alternative 1, which the union has not"
    )


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (-1, "-1"),
        (-(1 << 63), "-9223372036854775807 - 1"),
        ((1 << 63) - 1, "9223372036854775807"),
        (1 << 63, "9223372036854775808U"),
    ],
)
def test_numbers_are_literals_that_there_are(value: int, written: str) -> None:
    assert literal(value) == written


def test_written_names_are_string_literals() -> None:
    assert quoted('a"b\\c\n-é') == '"a\\"b\\\\c\\012-é"'
