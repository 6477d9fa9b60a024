"""Tests that imported Protocol Buffers messages, encoded by the schema that serbench writes for codecs, have
their original bytes again."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.protobuf_messages import Emitted, drawn, message_class, stream

from serbench.dataset.canonical import decode, encode
from serbench.dataset.values import find_mismatch
from serbench.imports import formats
from serbench.imports.base import Request
from serbench.imports.protobuf.scalars import SCALARS

NUMBERS = [kind for kind in SCALARS if kind not in ("string", "bytes")]

PROTO3 = f"""
syntax = "proto3";
package fidelity.v3;
import "google/protobuf/timestamp.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/wrappers.proto";
message Root {{
  {" ".join(f"{kind} plain_{kind} = {n};" for n, kind in enumerate(NUMBERS, 1))}
  {" ".join(f"optional {kind} maybe_{kind} = {n};" for n, kind in enumerate(NUMBERS, 21))}
  {" ".join(f"repeated {kind} many_{kind} = {n};" for n, kind in enumerate(NUMBERS, 41))}
  {" ".join(f"repeated {kind} loose_{kind} = {n} [packed = false];" for n, kind in enumerate(NUMBERS, 61))}
  string text = 81; bytes octets = 82; optional string maybe_text = 83; repeated bytes blobs = 84;
  Color color = 85; optional Color maybe_color = 86; repeated Color colors = 87;
  oneof choice {{
    sint32 small = 200; string named = 5000; Root inner = 18999; Empty empty = 20000; Color hue = 536870911;
    google.protobuf.Timestamp when = 203;
  }}
  oneof alone {{ fixed64 only = 210; }}
  Node tree = 101; Empty nothing = 102;
  map<string, Node> nodes = 103; map<sint64, fixed32> numbers = 104;
  map<bool, Color> hues = 105; map<fixed32, bytes> raw = 106;
  google.protobuf.Timestamp at = 107; google.protobuf.Struct any_json = 108;
  google.protobuf.StringValue wrapped = 109;
  int32 class = 110; int32 _odd__name_ = 111; int32 Size = 112; int32 named_size = 113;
  oneof set_text {{ bool size_class = 114; bool maybe_named = 115; }}
}}
message Node {{
  repeated Node children = 1; oneof value {{ string text = 2; double number = 3; Node node = 4; }}
  sint64 count = 5;
}}
message Empty {{}}
enum Color {{ RED = 0; GREEN = 1; BLUE = -7; }}
"""

PROTO2 = f"""
syntax = "proto2";
package fidelity.v2;
message Root {{
  {" ".join(f"required {kind} must_{kind} = {n};" for n, kind in enumerate(NUMBERS, 1))}
  {" ".join(f"optional {kind} maybe_{kind} = {n};" for n, kind in enumerate(NUMBERS, 21))}
  {" ".join(f"repeated {kind} many_{kind} = {n};" for n, kind in enumerate(NUMBERS, 41))}
  {" ".join(f"repeated {kind} tight_{kind} = {n} [packed = true];" for n, kind in enumerate(NUMBERS, 61))}
  required string text = 81; required Color color = 85; repeated Color colors = 87; optional Root inner = 88;
  optional int32 with_default = 90 [default = -5]; optional string text_default = 91 [default = "a \\"b\\""];
  optional Color color_default = 92 [default = BLUE]; required Leaf leaf = 93;
  oneof choice {{ sfixed32 small = 100; Leaf other = 101; }}
}}
message Leaf {{ required bytes octets = 1; }}
enum Color {{ option allow_alias = true; GREEN = 1; BLUE = 7; TEAL = 7; }}
"""

EDITION = """
edition = "2023";
package fidelity.edition;
option features.field_presence = IMPLICIT;
message Root {
  int32 plain = 1;
  int32 maybe = 2 [features.field_presence = EXPLICIT];
  sint32 must = 3 [features.field_presence = LEGACY_REQUIRED];
  repeated fixed32 loose = 4 [features.repeated_field_encoding = EXPANDED];
  repeated sint32 tight = 5;
  Root inner = 6;
  Closed closed = 7 [features.field_presence = EXPLICIT];
}
enum Closed { option features.enum_type = CLOSED; ONE = 1; }
"""

CASES = {
    "proto3": ("fidelity.v3", PROTO3),
    "proto2": ("fidelity.v2", PROTO2),
    "edition": ("fidelity.edition", EDITION),
}


@pytest.mark.parametrize("case", CASES)
def test_bytes_that_came_in_go_out(case: str, tmp_path: Path) -> None:
    package, schema = CASES[case]
    file, data = tmp_path / "given.proto", tmp_path / "data.bin"
    file.write_text(schema)
    cls = message_class(file, f"{package}.Root")
    originals = [drawn(cls, random.Random(f"{case}/{n}")) for n in range(60)]
    data.write_bytes(stream(originals))
    imported = formats()["proto"].read(Request((file,), (data,), root=f"{package}.Root", framing="delimited"))
    made = imported.schema("fidelity")
    emitted = Emitted(made, tmp_path)
    assert imported.values is not None
    values = list(imported.values())
    assert not imported.losses
    for original, value in zip(originals, values, strict=True):
        assert find_mismatch(made.root, value) is None
        assert decode(made.root, encode(made.root, value)) == value
        assert emitted.bytes_of(value) == original.SerializeToString(deterministic=True)
    assert len({emitted.bytes_of(value) for value in values}) > 40
