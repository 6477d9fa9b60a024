"""Tests of the adapters of C, which read bytes that no encoder would write."""

from __future__ import annotations

import os
import struct
import subprocess
from pathlib import Path

import pytest
from tests.support import glue_of
from tests.test_canonical_c import ANY
from tests.test_codegen_c import FLAGS, INCLUDE

from serbench.languages.c.domain import domain_header
from serbench.model import Array, Field, List, Map, Record, Schema, f32, f64, i32, string
from serbench.model.types import MAX_DEPTH
from serbench.paths import PROJECT

MAIN = r"""
#include <stdio.h>

#include "domain.h"
#include "serbench/codec.h"

extern const serbench_codec CODEC;

// Decodes messages, each behind its length, and tells why one is refused, or as which bytes it is written.
int main(void) {
  static uint8_t bytes[32 << 20];
  static char decoder[4096], encoder[4096];
  serbench_message message = {0};
  uint32_t length;
  if (CODEC.decoder.start != NULL) CODEC.decoder.start(decoder);
  if (CODEC.encoder.start != NULL) CODEC.encoder.start(encoder);
  while (fread(&length, sizeof length, 1, stdin) == 1) {
    const serbench_view view = {bytes, fread(bytes, 1, length, stdin)};
    const char* refused = CODEC.decode(decoder, view, &message);
    printf("%s", refused == NULL ? "\t" : refused);
    serbench_view again = {0};
    if (refused == NULL) CODEC.encode(encoder, &message, &again);
    for (size_t n = 0; n < again.size; ++n) printf("%02x", again.data[n]);
    printf("\n");
  }
  return 0;
}
"""
LIBRARIES = {
    "c/libcbor": ("cbor.h", "libcbor_codec", "-lcbor"),
    "c/msgpack": ("msgpack.h", "msgpack_zone_codec", "-lmsgpackc"),
}
MOST_LEVELS = 32
"""The most levels of nested values that the MessagePack library reads."""


DEEP = Schema("deep", Record("Root", [Field("any", ANY), Field("n", i32)]))


def refusals(codec: str, messages: list[bytes], folder: Path, schema: Schema = DEEP) -> list[str]:
    """For each message of a schema, the error that the adapter gives; empty if it reads the message."""
    return [said.partition("\t")[0] for said in told(codec, messages, folder, schema)]


def told(codec: str, messages: list[bytes], folder: Path, schema: Schema) -> list[str]:
    """For each message of a schema, the error that the adapter gives, or a tab and the bytes as which it
    writes what it has read."""
    header, table, library = LIBRARIES[codec]
    if subprocess.run(
        ["gcc", "-include", header, "-fsyntax-only", "-x", "c", os.devnull], capture_output=True
    ).returncode:
        pytest.skip(f"no header {header}")
    (folder / "domain.h").write_text(domain_header(schema))
    (folder / "glue.h").write_text(glue_of(codec, schema))
    (folder / "main.c").write_text(MAIN)
    sources = [
        folder / "main.c",
        PROJECT / "codecs" / codec / "adapter.c",
        PROJECT / "runners" / "c" / "source" / "memory.c",
    ]
    included = [f"-I{INCLUDE}", f"-I{folder}", f"-I{PROJECT / 'codecs' / codec}", f"-DCODEC={table}"]
    command = [
        "gcc",
        *FLAGS,
        "-Wno-pedantic",
        *included,
        *map(str, sources),
        "-o",
        str(folder / "main"),
        library,
    ]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    given = b"".join(struct.pack("<I", len(message)) + message for message in messages)
    done = subprocess.run([folder / "main"], input=given, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().splitlines()


def test_recursion_in_cbor_ends_in_an_error_and_not_in_a_crash(tmp_path: Path) -> None:
    one_step, none = b"\xa1\x65items\x81", b"\xa1\x67nothing\xf6"

    def message(steps: int) -> bytes:
        return b"\xa2\x63any" + one_step * steps + none + b"\x61n\x07"

    found = refusals(
        "c/libcbor", [message(steps) for steps in (3, MAX_DEPTH, MAX_DEPTH + 1, 1_000_000, 3)], tmp_path
    )
    assert found == ["", "", *["more than 1,000 steps of recursion"] * 2, ""]


def test_recursion_in_messagepack_ends_where_that_of_its_library_does(tmp_path: Path) -> None:
    one_step, none = b"\x92\x02\x91", b"\x92\x00\xc0"

    def message(steps: int) -> bytes:
        return b"\x92" + one_step * steps + none + b"\x07"

    most = (MOST_LEVELS - 2) // 2  # a record and the innermost union
    found = refusals("c/msgpack", [message(steps) for steps in (3, most, most + 1, 1_000_000, 3)], tmp_path)
    assert found == [
        "",
        "",
        *["library: out of memory, or more than 32 arrays and maps inside each other"] * 2,
        "",
    ]


def test_floats_in_cbor_are_read_from_fewer_bits_and_not_from_more(tmp_path: Path) -> None:
    schema = Schema("floats", Record("Root", [Field("wide", f64), Field("narrow", f32)]))
    half, single, double = b"\xf9\x3e\x00", b"\xfa\x3f\xc0\x00\x00", b"\xfb\x3f\xf8" + bytes(6)
    pairs = [(half, half), (single, single), (double, single), (double, double), (b"\x01", half)]
    messages = [b"\xa2\x64wide" + wide + b"\x66narrow" + narrow for wide, narrow in pairs]
    found = refusals("c/libcbor", messages, tmp_path, schema)
    refused = ["an item is not of the CBOR type that is expected", "an item is no float"]
    assert found == ["", "", "", *refused]


def of_length(kind: int, parts: list[bytes], is_open: bool, pairs: bool = False) -> bytes:
    """An item of CBOR with parts, of a length that is told or up to a break; ``kind`` is its first byte."""
    count = len(parts) // 2 if pairs else len(parts)
    return bytes([kind + 31, *b"".join(parts), 0xFF] if is_open else [kind + count, *b"".join(parts)])


def text(whole: bytes, is_open: bool) -> bytes:
    chunks = [bytes([0x60 + len(each)]) + each for each in (whole[:1], whole[1:])]
    return of_length(0x60, chunks, True) if is_open else bytes([0x60 + len(whole)]) + whole


def everything_of_length(is_open: bool, more: bytes = b"") -> bytes:
    """A message of the schema ``LENGTHS``, with ``more`` at the end of each of its records."""

    def record(fields: dict[bytes, bytes]) -> bytes:
        parts = [each for name, value in fields.items() for each in (text(name, is_open), value)]
        return of_length(0xA0, [*parts[:-1], parts[-1] + more], is_open, True)

    items = [record({b"n": bytes([n]), b"at": text(b"place", is_open)}) for n in range(9)]
    named = [text(b"one", is_open), b"\x01", text(b"two", is_open), b"\x02"]
    fields = {
        b"items": of_length(0x80, items, is_open),
        b"none": of_length(0x80, [], is_open),
        b"named": of_length(0xA0, named, is_open, True),
        b"three": of_length(0x80, [b"\x07"] * 3, is_open),
        b"any": record({b"items": of_length(0x80, [record({b"nothing": b"\xf6"})] * 5, is_open)}),
    }
    return record(fields)


LENGTHS = Schema(
    "lengths",
    Record(
        "Root",
        [
            Field("items", List(Record("Item", [Field("n", i32), Field("at", string)]))),
            Field("none", List(string)),
            Field("named", Map(string, i32)),
            Field("three", Array(i32, 3)),
            Field("any", ANY),
        ],
    ),
)


def test_cbor_of_indefinite_length_is_read_as_that_of_definite_length(tmp_path: Path) -> None:
    definite, indefinite = everything_of_length(False), everything_of_length(True)
    three, four = bytes([0x80 + 31, 7, 7, 7, 0xFF]), bytes([0x80 + 31, 7, 7, 7, 7, 0xFF])
    assert indefinite.count(three) == 1
    messages = [
        definite,
        indefinite,
        indefinite[:-1],
        indefinite.replace(three, four),
        everything_of_length(True, more=b"\x61x\x01"),
        indefinite.replace(b"\x64lace", b"\x44lace"),  # a chunk of bytes
        indefinite + b"\xff",
    ]
    assert told("c/libcbor", messages, tmp_path, LENGTHS) == [
        *[f"\t{definite.hex()}"] * 2,
        *["an array or record does not end where it is expected to"] * 3,
        "an item is not of the CBOR type that is expected",
        "bytes are left over",
    ]


@pytest.mark.parametrize(
    ("codec", "data", "said"),
    [
        ("c/libcbor", b"\xa2\x63any\xa1\x65other\xf6\x61n\x07", "a union has no alternative of this name"),
        (
            "c/libcbor",
            b"\xa2\x63any\xa1\x67nothing\x07\x61n\x07",
            "an item is not of the CBOR type that is expected",
        ),
        (
            "c/libcbor",
            b"\xa2\x63any\xa2\x67nothing\xf6\x61n\x07",
            "an array or record is not as long as expected",
        ),
        ("c/msgpack", b"\x92\x92\x05\xc0\x07", "a union has no such alternative"),
        ("c/msgpack", b"\x92\x92\x00\x07\x07", "an object is not of the type that is expected"),
        ("c/msgpack", b"\x92\x93\x00\xc0\xc0\x07", "an array is not as long as expected"),
    ],
)
def test_a_union_that_is_none_is_refused(codec: str, data: bytes, said: str, tmp_path: Path) -> None:
    assert refusals(codec, [data], tmp_path) == [said]
