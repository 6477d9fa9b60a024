"""Tests of importing Protocol Buffers schemas and data that other people wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from google.protobuf.internal.encoder import _VarintBytes  # type: ignore[attr-defined]
from tests.protobuf_messages import message_class, stream

from serbench.dataset.values import find_mismatch
from serbench.errors import InputError
from serbench.imports import formats
from serbench.imports.base import Imported, Request
from serbench.model import Enum, Field, List, Map, Optional, Record, Ref, Union
from serbench.model.types import NOTHING, Alternative, Logical, bytes_, f32, i32, i64, string, u64

READ = formats()["proto"].read

SHOP = """
syntax = "proto3";
package shop.v1;
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
message Order {
  sint64 id = 7;
  optional string note = 2;
  repeated Line lines = 3;
  map<string, fixed64> stock = 4;
  oneof paid { Card card = 5; bytes cash__code = 6; }
  oneof alone { float weight = 8; }
  Status status = 9;
  google.protobuf.Timestamp at = 10;
  google.protobuf.StringValue gift = 11;
  Order follows = 12;
  message Line { int32 count = 1; repeated sfixed32 sizes = 2 [packed = false]; }
}
message Card {}
enum Status { UNKNOWN = 0; PAID = 5; }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop.proto").write_text(SHOP)
    return tmp_path


def _read(folder: Path, text: str = "", **asked: Any) -> Imported:
    """Imports the schema ``text``, or the example schema of a shop if no text is given; ``asked`` are further
    fields of the request to import."""
    if text:
        (folder / "given.proto").write_text(text)
    return READ(Request((folder / ("given.proto" if text else "shop.proto"),), **asked))


def _fault(folder: Path, text: str = "", **asked: Any) -> str:
    with pytest.raises(InputError) as caught:
        imported = _read(folder, text, **asked)
        if imported.values:
            list(imported.values())
    return str(caught.value)


def _data(folder: Path, *messages: Any, name: str = "data.bin") -> tuple[Path, ...]:
    (folder / name).write_bytes(messages[0] if isinstance(messages[0], bytes) else stream(messages))
    return (folder / name,)


def test_fields_keep_their_numbers_their_presence_and_how_they_are_written(folder: Path) -> None:
    order = _read(folder, root="shop.v1.Order").root
    assert order.name == "Order"
    assert order.wire == "shop.v1.Order"
    union = Optional(Ref("OrderPaid"))
    assert order.fields == (
        Field("id", i64, 7, hints=[("proto", "sint64"), ("proto", "implicit")]),
        Field("note", Optional(string), 2),
        Field("lines", List(Ref("Line")), 3),
        Field("stock", Map(string, u64), 4, hints=[("proto", "value fixed64")]),
        Field("paid", union, 5, hints=[("proto", "oneof")]),
        Field("weight", Optional(f32), 8),
        Field("status", Ref("Status"), 9, hints=[("proto", "implicit")]),
        Field("at", Optional(Ref("Timestamp")), 10),
        Field("gift", Optional(Ref("StringValue")), 11),
        Field("follows", Optional(Ref("Order")), 12),
    )


def test_what_a_root_reaches_is_declared(folder: Path) -> None:
    imported = _read(folder, root="Order")
    declared = {each.name: each for each in imported.also}
    cash = Alternative("cash_code", bytes_, 6, "cash__code")
    assert declared["OrderPaid"] == Union(
        "OrderPaid", [Alternative("card", Ref("Card"), 5), cash], "shop.v1.Order.paid"
    )
    assert declared["Card"] == Record("Card", [], "shop.v1.Card")
    assert declared["Status"] == Enum("Status", i32, [("UNKNOWN", 0), ("PAID", 5)], open=True)
    packed = [("proto", "sfixed32"), ("proto", "packed = false")]
    assert declared["Line"].fields[1] == Field("sizes", List(i32), 2, hints=packed)  # type: ignore[union-attr]
    assert imported.schema("shop").is_recursive
    assert imported.values is None


def test_the_mapping_tells_every_field_in_the_words_of_the_schema(folder: Path) -> None:
    rows = {row.path: row for row in _read(folder, root="Order").mapping}
    assert rows["shop.v1.Order.stock"].theirs == "map<string, fixed64> = 4"
    assert rows["shop.v1.Order.note"].theirs == "optional string = 2"
    assert rows["shop.v1.Order.paid"].ours == "optional<OrderPaid>"
    assert rows["shop.v1.Order.cash__code"].theirs == "in the oneof paid: bytes = 6"
    assert rows["shop.v1.Order.Line.sizes"].theirs == "repeated sfixed32 = 2 [packed = false]"
    assert "--set 'shop.v1.Order.at=timestamp' gives" in rows["shop.v1.Order.at"].why
    assert rows["shop.v1.Status"].theirs == "open enum of 2"
    assert len(rows) == 10 + 2 + 2 + 1 + 2 + 1  # Order, its oneof, Line, Status, Timestamp, StringValue


PROTO2 = """
syntax = "proto2";
package old;
message Root {
  required int32 must = 1;
  optional int32 retries = 2 [default = 3];
  optional Level level = 3 [default = HIGH];
  optional bytes key = 4 [default = "a"];
  repeated int32 loose = 5;
  optional group Inner = 6 { optional bool on = 1; }
  required Leaf leaf = 7;
  extensions 100 to 199;
}
message Leaf { optional string text = 1; }
enum Level { option allow_alias = true; LOW = 1; HIGH = 2; TOP = 2; }
extend Root { optional string note = 100; }
"""


def test_proto2_has_defaults_closed_enums_and_losses_that_are_told(folder: Path) -> None:
    imported = _read(folder, PROTO2, root="old.Root")
    fields = {field.name: field for field in imported.root.fields}
    assert (fields["must"].type, fields["must"].hints) == (i32, (("proto", "required"),))
    assert (fields["retries"].type, fields["retries"].default) == (Optional(i32), 3)
    assert fields["level"].default == 2
    assert fields["key"].default is NOTHING
    assert fields["loose"].hints == (("proto", "packed = false"),)
    assert fields["inner"].hints == (("proto", "group"),)
    assert fields["leaf"].type == Ref("Leaf")
    level = next(each for each in imported.also if each.name == "Level")
    assert level == Enum("Level", i32, [("LOW", 1), ("HIGH", 2)], [("TOP", 2)])
    losses = {loss.path: loss.what for loss in imported.losses}
    assert losses.keys() == {"old.Root", "old.Root.key", "old.Root.inner"}
    assert "old.note = 100" in losses["old.Root"]


def test_editions_have_presence_packing_and_groups_by_feature(folder: Path) -> None:
    text = """edition = "2023"; message Root {
      int32 plain = 1 [features.field_presence = IMPLICIT];
      int32 there = 2 [features.field_presence = LEGACY_REQUIRED];
      repeated bool loose = 3 [features.repeated_field_encoding = EXPANDED];
      Root group = 4 [features.message_encoding = DELIMITED]; }"""
    imported = _read(folder, text)
    types = {field.name: (field.type, [word for _, word in field.hints]) for field in imported.root.fields}
    assert types["plain"] == (i32, ["implicit"])
    assert types["there"] == (i32, ["required"])
    assert types["loose"][1] == ["packed = false"]
    assert types["group"] == (Optional(Ref("Root")), ["group"])


def test_values_are_those_of_the_messages(folder: Path) -> None:
    order = message_class(folder / "shop.proto", "shop.v1.Order")
    full = order(id=-1, note="", stock={"a": 2**64 - 1}, cash__code=b"\0", weight=0, status=99)
    full.lines.add(count=3, sizes=[-1, 1])
    full.at.nanos = 5
    full.follows.SetInParent()
    imported = _read(folder, root="Order", data=_data(folder, full, order()), framing="delimited")
    assert imported.values is not None
    nothing: tuple[Any, ...] = (0, None, [], {}, None, None, 0, None, None, None)
    first = (-1, "", [(3, [-1, 1])], {"a": 2**64 - 1}, (1, b"\0"), 0.0, 99, (0, 5), None, nothing)
    assert list(imported.values()) == [first, nothing]
    assert list(imported.values()) == [first, nothing], "they can be read again"
    assert not imported.losses


@pytest.mark.parametrize(
    ("name", "framing", "data"),
    [
        ("a.txtpb", "", b"id: 4 lines { count: 1 } card {}"),
        ("a.json", "", b'{"id": "4", "lines": [{"count": 1}], "card": {}}'),
        ("a.jsonl", "", b'{"id": "4", "lines": [{"count": 1}], "card": {}}\n\n'),
        ("a.log", "json-lines", b'{"id": 4, "lines": [{"count": 1}], "card": {}}'),
        ("a.bin", "", b"\x38\x08\x1a\x02\x08\x01\x2a\x00"),
    ],
)
def test_every_form_of_a_message_is_the_same_value(
    folder: Path, name: str, framing: str, data: bytes
) -> None:
    imported = _read(folder, root="Order", data=_data(folder, data, name=name), framing=framing)
    assert imported.values is not None
    assert [value[:6] for value in imported.values()] == [(4, None, [(1, [])], {}, (0, ()), None)]


def test_a_compiled_schema_is_the_same_as_its_source(folder: Path) -> None:
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    from serbench.imports.protobuf.compiler import compiled

    for name, files in (("all.binpb", slice(None)), ("alone.desc", slice(-1, None))):
        chosen = FileDescriptorSet(file=compiled([folder / "shop.proto"], []).files[files])
        (folder / name).write_bytes(chosen.SerializeToString())
        assert READ(Request((folder / name,), root="Order")) == _read(folder, root="Order")


def test_what_a_timestamp_and_a_wrapper_mean_can_be_set(folder: Path) -> None:
    order = message_class(folder / "shop.proto", "shop.v1.Order")
    settings = {"shop.v1.Order.at": "timestamp", "google.protobuf.StringValue": "string"}
    given = order(gift={"value": "a"}, at={"seconds": -2, "nanos": 5})
    imported = _read(
        folder, root="Order", settings=settings, data=_data(folder, given, order()), framing="delimited"
    )
    fields = {field.name: field for field in imported.root.fields}
    assert fields["at"].type == Optional(Logical("timestamp", i64, "ns"))
    assert fields["gift"].type == Optional(string)
    assert imported.values is not None
    assert [(value[7], value[8]) for value in imported.values()] == [(-1_999_999_995, "a"), (None, None)]
    assert {loss.path for loss in imported.losses} == {"shop.v1.Order.at", "shop.v1.Order.gift"}
    far = _data(folder, order(at={"seconds": 1 << 40}))
    assert "shop.v1.Order.at: a time more than 292 years" in _fault(
        folder, root="Order", settings=settings, data=far, framing="delimited"
    )
    for wrong in (
        {"shop.v1.Order.id": "timestamp"},
        {"shop.v1.Order.at": "date"},
        {"google.protobuf.Duration": "duration"},
    ):
        assert next(iter(wrong)) in _fault(folder, root="Order", settings=wrong)


def test_the_root_is_the_only_message_that_no_other_has(folder: Path) -> None:
    assert (
        _read(
            folder, 'syntax = "proto3"; message A { B b = 1; A a = 2; } message B { int32 x = 1; }'
        ).root.name
        == "A"
    )
    two = 'syntax = "proto3"; package p; message A { int32 x = 1; } message B { int32 x = 1; }'
    assert "p.A, p.B; use --root p.A" in _fault(folder, two)
    assert "p.B" in _fault(folder, two, root="p.Bb")
    for text, root in (("enum E { A = 0; }", ""), ("enum E { A = 0; }", "p.A"), ("message A {}", "A")):
        fault = _fault(folder, f'syntax = "proto3"; {text}', root=root)
        assert "found no message with a field; expected a schema that has one" in fault
    ring = 'syntax = "proto3"; message A { B b = 1; } message B { A a = 1; }'
    assert "found no message that no other refers to" in _fault(folder, ring)


def test_schemas_are_found_in_the_given_folders_and_nowhere_else(folder: Path) -> None:
    (folder / "include" / "deep").mkdir(parents=True)
    (folder / "include" / "deep" / "b.proto").write_text(
        'syntax = "proto3"; package b; message B { int32 x = 1; }'
    )
    text = 'syntax = "proto3"; import "deep/b.proto"; message A { b.B b = 1; }'
    assert _read(folder, text, folders=(folder / "include",)).root.name == "A"
    assert "-I" in _fault(folder, text)
    for path in (
        folder / "include" / "deep" / "b.proto",
        "../b.proto",
        "/etc/passwd",
        "deep/../deep/b.proto",
    ):
        fault = _fault(folder, text.replace("deep/b.proto", str(path)), folders=(folder / "include",))
        assert "given.proto, line 1" in fault
    odd = folder / "a:b=c, d"
    odd.mkdir()
    assert _read(odd, 'syntax = "proto3"; message A { int32 x = 1; }').root.name == "A"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            'syntax = "proto3";\nmessage A { int32 x = 1\n}',
            "given.proto, line 3, column 1: found a schema that protoc rejects (Expected",
        ),
        (
            'syntax = "proto3";\nmessage A { B b = 1; }',
            'line 2, column 13: found a schema that protoc rejects ("B" is not defined)',
        ),
        ('syntax = "proto2"; message A { required A a = 1; }', "every value of it would hold another one"),
        ("\0", "given.proto"),
        ('syntax = "proto3"; ' + "message A {" * 100_000, "given.proto, line 1"),
    ],
    ids=["syntax", "name", "endless", "binary", "deep"],
)
def test_a_schema_that_is_none_is_told_with_its_line(folder: Path, text: str, told: str) -> None:
    assert told in _fault(folder, text, root="A")


def test_a_set_that_is_none_is_told(folder: Path) -> None:
    names = (b"\x0a\x03\x0a\x01-", b"\x0a\x03\x0a\x01\xff", b"\x0a\x04\x0a\x02\xffa")
    for data in (b"", b"\xff", *names, (folder / "shop.proto").read_bytes()):
        (folder / "a.binpb").write_bytes(data)
        with pytest.raises(InputError, match=r"a\.binpb"):
            READ(Request((folder / "a.binpb",)))


def test_what_a_newer_schema_has_is_counted_and_told(folder: Path) -> None:
    newer = SHOP.replace("string note = 2;", "string note = 2; int32 extra = 77;").replace(
        "int32 count", "int32 more = 5; int32 count"
    )
    (folder / "newer.proto").write_text(newer)
    order = message_class(folder / "newer.proto", "shop.v1.Order")
    one, two = order(id=1, extra=2), order(id=1, extra=3, lines=[{"more": 1}, {"more": 2}])
    losses = _read(folder, root="Order", data=_data(folder, one, two), framing="delimited").losses
    assert [(loss.path, loss.what.split(";")[0]) for loss in losses] == [
        ("shop.v1.Order, number 77", "a field that is not in the schema, in 2 messages"),
        ("shop.v1.Order.Line, number 5", "a field that is not in the schema, in 1 message"),
    ]


def test_a_number_without_a_name_in_a_closed_enum_is_a_loss(folder: Path) -> None:
    losses = _read(folder, PROTO2, root="old.Root", data=_data(folder, b"\x08\x00\x18\x09\x3a\x00")).losses
    assert "a number that old.Level has no name for, in 1 message" in next(
        x.what for x in losses if "number 3" in x.path
    )


def test_a_message_that_is_written_otherwise_is_a_loss(folder: Path) -> None:
    losses = _read(folder, root="Order", data=_data(folder, b"\x38\x80\x00")).losses
    assert ["the way messages are written" in loss.what for loss in losses] == [True]


SECRET = b"s3cret"

WRONG = {
    "cut off": (
        "",
        b"\x12\x09" + SECRET,
        "data.bin: found no message shop.v1.Order in any framing (one: 8 invalid bytes, expected a message",
    ),
    "another type": ("", b"\x38\x01\x3a\x06" + SECRET, "bytes with a length under the number 7"),
    "another root": ("", b"\xfa\x07\x06" + SECRET, "no field of shop.v1.Order in any message"),
    "no text": ("", b"\x12\x07\xff" + SECRET, "a string that is not UTF-8"),
    "cut in a length": ("delimited", b"\x00\x80", "message 2 at byte 1: found the end of the file"),
    "cut in a message": ("delimited", b"\x00\x09\x12\x07" + SECRET, "message 2 at byte 1: found 8 bytes"),
    "a giant": ("delimited", b"\xff\xff\xff\xff\x0f", "message 1 at byte 0: found a length of 4294967295"),
    "no length": ("delimited", b"\xff" * 11, "found no length"),
    "no JSON": (
        "json",
        b'{"note": s3cret}',
        "line 1, column 10: found unexpected character; expected a JSON value",
    ),
    "another JSON": (
        "json",
        b'{"lines": [{"count": "s3cret"}]}',
        "shop.v1.Order.lines.count: found a message that is not a shop.v1.Order",
    ),
    "an unknown key": ("json", b'{"s3cret": 1}', "found a message that is not a shop.v1.Order"),
    "a key of a map": ("json", b'{"stock": {"s3cret": {}}}', "shop.v1.Order.stock"),
    "deep JSON": ("json", b'{"follows": ' * 5000, "data.bin"),
    "JSON of depth": ("json", b'{"follows": ' * 150 + b"{}" + b"}" * 150, "too deep"),
    "no text format": ("text", b'id: 4\nnote: s3cret"', "line 2, column 7: found a message that is not a"),
    "deep text": ("text", b"follows {" * 100_000, "too deep"),
    "an unknown framing": ("lines", b"", "the framing 'lines'; expected one of auto, one, delimited"),
}


@pytest.mark.parametrize("case", WRONG)
def test_data_that_are_none_are_told_without_what_they_hold(folder: Path, case: str) -> None:
    framing, data, told = WRONG[case]
    fault = _fault(folder, root="Order", data=_data(folder, data), framing=framing)
    assert told in fault
    assert "s3cret" not in fault


def test_data_of_proto2_need_what_is_required_and_text(folder: Path) -> None:
    assert "old.Root.leaf, which is required" in _fault(
        folder, PROTO2, root="old.Root", data=_data(folder, b"\x08\x01")
    )
    bad = _data(folder, b"\x08\x01\x3a\x04\x0a\x02\xff\xff")
    assert "old.Leaf.text: a string that is not UTF-8" in _fault(folder, PROTO2, root="old.Root", data=bad)


def test_messages_are_as_deep_as_protobuf_reads(folder: Path) -> None:
    def deep(levels: int) -> tuple[Path, ...]:
        data = b""
        for _ in range(levels):
            data = b"\x62" + _VarintBytes(len(data)) + data
        return _data(folder, data)

    imported = _read(folder, root="Order", data=deep(99))
    assert imported.values is not None
    (value,) = imported.values()
    assert find_mismatch(imported.schema("deep").root, value) is None
    assert "too deep" in _fault(folder, root="Order", data=deep(150))


def test_fields_called_as_methods_of_messages_are_fields(folder: Path) -> None:
    names = [
        "HasField",
        "ByteSize",
        "ListFields",
        "WhichOneof",
        "CopyFrom",
        "class",
        "DESCRIPTOR",
        "SerializeToString",
    ]
    text = 'syntax = "proto3"; message A { %s oneof Clear { int32 None = 50; int32 self = 51; } }'
    text %= " ".join(f"optional int32 {name} = {n};" for n, name in enumerate(names, 1))
    imported = _read(folder, text, data=_data(folder, b"\x08\x05\x30\x06\x98\x03\x07"))
    assert imported.values is not None
    assert list(imported.values()) == [(5, None, None, None, None, 6, None, None, (1, 7))]


def test_a_message_of_few_bytes_may_not_take_all_memory(folder: Path) -> None:
    text = 'syntax = "proto3"; message A { repeated B b = 1; } message B { %s }'
    text %= " ".join(f"string s{n} = {n};" for n in range(1, 1000))
    assert "more than 400 MiB of memory" in _fault(folder, text, data=_data(folder, b"\x0a\x00" * 100_000))
    assert _read(folder, text, data=_data(folder, b"\x0a\x00" * 1000)).values is not None


def test_an_optional_may_have_the_json_name_that_protoc_gives_its_oneof(folder: Path) -> None:
    text = """syntax = "proto3"; message M { optional string note = 1 [json_name = "_note"];
    optional int32 _n = 2 [json_name = "_"]; optional int32 n = 3 [json_name = "__n"];
    message _note_ {} oneof _note__ { int32 x = 4; } }"""
    data = _data(folder, b'{"_note": "a", "_": 2}\n{"__n": 3}\n', name="data.jsonl")
    imported = _read(folder, text, data=data)
    assert imported.values
    assert [field.type for field in imported.root.fields[:3]] == [
        Optional(string),
        Optional(i32),
        Optional(i32),
    ]
    assert [tuple(value)[:3] for value in imported.values()] == [("a", 2, None), (None, None, 3)]
