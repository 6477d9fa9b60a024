"""Tests that the canonical encoding in C equals Python's, and of the messages that it refuses."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.support import TEST_WORKLOADS
from tests.test_codegen_c import SUM, compile_c

from serbench.dataset.canonical import encode
from serbench.dataset.edges import edge_values
from serbench.languages.c.canonical import canonical_source
from serbench.languages.c.domain import domain_header
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
    Schema,
    Union,
    bool_,
    i16,
    i32,
    i64,
    string,
    u32,
)
from serbench.model.types import MAX_DEPTH
from serbench.paths import PROJECT
from serbench.workload import load_workloads

LEVEL = Enum("Level", i16, ["low"], aliases=[("least", 0)], open=True)
LIMIT = Enum("Limit", u32, [("none", 0), ("most", (1 << 32) - 1)])
TREE = Record(
    "Tree",
    [Field("value", i32), Field("left", Optional(Ref("Tree"))), Field("both", List(Optional(Ref("Tree"))))],
)
NOTHING = Record("Nothing", [])
ANY = Union(
    "Any",
    [
        Alternative("nothing"),
        Alternative("text", string),
        Alternative("items", List(Ref("Any"))),
        Alternative("digest", FixedBytes(3)),
        Alternative("named", Map(string, Ref("Any"))),
    ],
)
ODD = Schema(
    "odd",
    Record(
        "Root",
        [
            Field("any", ANY),
            Field("all", List(ANY)),
            Field("tree", TREE),
            Field("sum", Optional(SUM)),
            Field("nothings", List(NOTHING)),
            Field("two", Array(NOTHING, 2)),
            Field("levels", Map(LEVEL, Optional(List(LIMIT)))),
            Field("by_flag", Map(bool_, List(List(ANY)))),
            Field("number", i64),
        ],
    ),
)
"""A schema with types in places where no test workload has them."""

MAIN = r"""
#include <stdio.h>

#include "domain.h"
#include "serbench/codec.h"

extern const serbench_domain serbench_domain_of_workload;

// Reads messages, each behind its length, and tells of each its sum and its bytes again, or why it is
// refused.
int main(void) {
  static uint8_t bytes[16 << 20];
  const serbench_domain* domain = &serbench_domain_of_workload;
  serbench_message message = {0};
  uint32_t length;
  while (fread(&length, sizeof length, 1, stdin) == 1) {
    serbench_view canonical = {bytes, fread(bytes, 1, length, stdin)};
    const char* refused = domain->read(canonical, &message);
    if (refused == NULL) refused = domain->write(&message, &canonical);
    if (refused != NULL) {
      printf("%s\n", refused);
      continue;
    }
    printf("%llu ", (unsigned long long)domain->traverse(&message));
    for (size_t n = 0; n < canonical.size; ++n) printf("%02x", canonical.data[n]);
    printf("\n");
  }
  domain->message.end(&message);
  return 0;
}
"""


def told(schema: Schema, messages: Iterable[bytes], folder: Path) -> list[str]:
    """The lines that a program in C prints of these messages of the schema, one for each: it decodes the
    message, and prints its sum and its canonical encoding, or why it refuses the message."""
    sources = {"domain.h": domain_header(schema), "canonical.c": canonical_source(schema), "main.c": MAIN}
    for name, text in sources.items():
        (folder / name).write_text(text)
    memory = PROJECT / "runners" / "c" / "source" / "memory.c"
    compile_c(
        folder,
        folder / "main.c",
        folder / "canonical.c",
        memory,
        "-fsanitize=address,undefined",
        "-o",
        folder / "main",
    )
    given = b"".join(struct.pack("<I", len(message)) + message for message in messages)
    done = subprocess.run([folder / "main"], input=given, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


@pytest.mark.parametrize("name", ["kinds", "recursion", "unions", "odd"])
def test_edge_values_come_back(name: str, tmp_path: Path) -> None:
    schema = ODD if name == "odd" else load_workloads(TEST_WORKLOADS / "grown")[name].schema.plain()
    messages = [encode(schema.root, value) for value in edge_values(schema.root)]
    lines = told(schema, messages, tmp_path)
    assert [line.partition(" ")[2] for line in lines] == [message.hex() for message in messages]


def nested(steps: int, end: bytes = struct.pack("<I", 0)) -> bytes:
    """The bytes of an ``Any`` value with this many steps of recursion; ``end`` has the bytes of the innermost
    value."""
    return struct.pack("<II", 2, 1) * steps + end


def test_a_sum_counts_the_alternative_and_its_value(tmp_path: Path) -> None:
    schema = Schema(
        "sums", Record("Root", [Field("any", ANY), Field("nothing", NOTHING), Field("tree", TREE)])
    )
    tree: Any = (5, (7, None, []), [None, (1, None, [])])
    values: list[Any] = [
        (ANY("nothing"), (), tree),
        (ANY("text", "a"), (), tree),
        (ANY("digest", bytes([1, 2, 3])), (), tree),
        (ANY("items", [ANY("nothing")]), (), tree),
    ]
    lines = told(schema, [encode(schema.root, value) for value in values], tmp_path)
    of_tree = 5 + (1 + 7) + 2 + (1 + 1)
    sums = [0, 1 + 1 + ord("a"), 3 + 3 + 1 + 2 + 3, 2 + 1]
    assert [int(line.split()[0]) for line in lines] == [each + of_tree for each in sums]


def test_recursion_ends_in_an_error_and_not_in_a_crash(tmp_path: Path) -> None:
    schema = Schema("deep", Record("Root", [Field("any", ANY)]))
    empty_list = struct.pack("<II", 2, 0)
    fitting = [nested(MAX_DEPTH), nested(MAX_DEPTH, empty_list), nested(3)]
    lines = told(schema, [*fitting, nested(MAX_DEPTH + 1), nested(1_000_000), nested(3)], tmp_path)
    assert [line.partition(" ")[2] for line in lines[:3]] == [message.hex() for message in fitting]
    assert lines[3:5] == ["more than 1,000 steps of recursion"] * 2
    assert lines[5] == lines[2], "an error leaves nothing behind"


def test_pointers_are_steps_too(tmp_path: Path) -> None:
    schema = Schema("deep", Record("Root", [Field("sum", SUM)]))
    number, negated = struct.pack("<Ii", 0, 7), struct.pack("<I", 2)
    lines = told(
        schema, [negated * steps + number for steps in (MAX_DEPTH, MAX_DEPTH + 1, 1_000_000)], tmp_path
    )
    assert lines[0].endswith(number.hex())
    assert lines[1:] == ["more than 1,000 steps of recursion"] * 2


def test_what_is_not_canonical_is_refused(tmp_path: Path) -> None:
    schema = Schema(
        "refused", Record("Root", [Field("any", ANY), Field("all", List(NOTHING)), Field("limit", LIMIT)])
    )
    count, none = struct.Struct("<I").pack, struct.pack("<I", 0)
    messages = [
        none + count(65_536) + none,
        none + count(65_537) + none,
        count(5) + none + none,
        count(3) + b"ab",
        none + none + count(1),
    ]
    lines = told(schema, messages, tmp_path)
    assert lines[0].partition(" ")[2] == messages[0].hex()
    assert lines[1:] == [
        "a list has more than 65,536 items without content",
        "a union has no such alternative",
        "truncated",
        "an enum has no such value",
    ]
