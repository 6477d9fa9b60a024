"""Tests of the import of Avro: the type that each type becomes, exact values, equal bytes, and files that are
refused."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import cramjam
import fastavro
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.avro_drawn import DrawnSchema, as_written, imported, parsed, value_of
from tests.support import glue_of

from serbench.dataset.values import find_mismatch, first_difference
from serbench.errors import InputError
from serbench.idl.avsc import emit
from serbench.imports.avro import read
from serbench.imports.base import Request
from serbench.model.parts import describe
from serbench.model.types import NOTHING

ORDER: dict[str, Any] = {
    "type": "record",
    "name": "Order",
    "namespace": "shop.v1",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "count", "type": "int"},
        {"name": "lines", "type": {"type": "array", "items": "string"}},
    ],
}

NODE = {
    "type": "record",
    "name": "Node",
    "fields": [{"name": "id", "type": "long"}, {"name": "next", "type": ["null", "Node"]}],
}


def field(type: Any, **more: Any) -> dict[str, Any]:
    return {"type": "record", "name": "R", "fields": [{"name": "f", "type": type, **more}]}


def order(n: int) -> dict[str, Any]:
    return {"id": n, "count": -n, "lines": ["a"] * (n % 3)}


def long(value: int) -> bytes:
    out = BytesIO()
    fastavro.schemaless_writer(out, {"type": "long"}, value)
    return out.getvalue()


def with_block(folder: Path, schema: Any, data: bytes, count: int = 1, codec: str = "null") -> Path:
    """Writes an Avro container of one block that holds any bytes; returns its path."""
    file, out = folder / "made.avro", BytesIO()
    fastavro.writer(out, schema, [])
    sync = out.getvalue()[-16:]
    head = out.getvalue().replace(
        b"\x14avro.codec\x08null", b"\x14avro.codec" + long(len(codec)) + codec.encode()
    )
    file.write_bytes(head + long(count) + long(len(data)) + data + sync)
    return file


def refusal(*files: Path, **more: Any) -> str:
    """The message with which the import refuses files, on opening or on reading."""
    with pytest.raises(InputError) as caught:
        found = read(Request(files, **more))
        for _ in (found.values or list)():
            pass
    return str(caught.value)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("boolean", "bool"),
        ("int", "i32"),
        ("long", "i64"),
        ("float", "f32"),
        ("double", "f64"),
        ("bytes", "bytes"),
        ("string", "string"),
        ({"type": "string", "avro.java.string": "String"}, "string"),
        ({"type": {"type": "array", "items": "int"}}, "list<i32>"),
        ({"type": "map", "values": "long"}, "map<string, i64>"),
        (["null", "int"], "optional<i32>"),
        (["int", "null"], "optional<i32>"),
        ({"type": "array", "items": ["null", "int"]}, "list<optional<i32>>"),
        ("null", "Null"),
        (["int", "string"], "RF"),
        ({"type": "fixed", "name": "M", "size": 7}, "bytes<7>"),
        ({"type": "enum", "name": "E", "symbols": ["A"]}, "E"),
        ({"type": "int", "logicalType": "date"}, "date over i32"),
        ({"type": "int", "logicalType": "time-millis"}, "time in ms"),
        ({"type": "long", "logicalType": "time-micros"}, "time in us"),
        ({"type": "long", "logicalType": "timestamp-millis"}, "timestamp in ms"),
        ({"type": "long", "logicalType": "timestamp-nanos"}, "timestamp in ns"),
        ({"type": "long", "logicalType": "local-timestamp-micros"}, "local timestamp in us"),
        ({"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}, "decimal<9, 2> over bytes"),
        (
            {"type": "fixed", "name": "M", "size": 8, "logicalType": "decimal", "precision": 9},
            "decimal<9, 0> over bytes<8>",
        ),
        ({"type": "string", "logicalType": "uuid"}, "uuid over string"),
        ({"type": "fixed", "name": "M", "size": 16, "logicalType": "uuid"}, "uuid over bytes<16>"),
    ],
    ids=str,
)
def test_each_type_has_its_own(theirs: Any, ours: str, tmp_path: Path) -> None:
    found = imported(tmp_path, field(theirs))
    assert describe(found.root.fields[0].type) == ours
    assert found.mapping[0].path == "R.f" and found.mapping[0].ours == ours
    assert not found.losses
    found.schema("s")


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ({"type": "fixed", "name": "D", "size": 12, "logicalType": "duration"}, "bytes<12>"),
        ({"type": "long", "logicalType": "of-somebody"}, "i64"),
        ({"type": "long", "logicalType": "date"}, "i64"),
        ({"type": "string", "logicalType": ["uuid"]}, "string"),
        ({"type": "bytes", "logicalType": "decimal"}, "bytes"),
        ({"type": "bytes", "logicalType": "decimal", "precision": 2, "scale": 3}, "bytes"),
        ({"type": "array", "items": "int", "logicalType": "map"}, "list<i32>"),
        ({"type": "array", "items": ["int", "null"]}, "list<optional<i32>>"),
    ],
    ids=str,
)
def test_what_is_not_held_is_told(theirs: Any, ours: str, tmp_path: Path) -> None:
    found = imported(tmp_path, field(theirs))
    assert describe(found.root.fields[0].type) == ours
    assert [loss.path for loss in found.losses] == ["R.f"]


def test_the_mapping_tells_fields_branches_and_enums_with_their_paths(tmp_path: Path) -> None:
    inner = {"type": "record", "name": "b.Inner", "fields": [{"name": "x-y", "type": "int"}]}
    enum = {"type": "enum", "name": "Color", "symbols": ["RED", "_RED"], "default": "RED"}
    found = imported(tmp_path, {**field(["null", inner, enum]), "namespace": "a"})
    assert [(each.path, each.theirs, each.ours) for each in found.mapping] == [
        ("a.R.f", "[null, record b.Inner, enum a.Color]", "RF"),
        ("a.R.f[null]", "null", "nothing but the choice"),
        ("a.R.f[b.Inner]", "record b.Inner", "Inner"),
        ("a.R.f[a.Color]", "enum a.Color", "Color"),
        ("a.Color", "enum of RED, _RED", "enum Color of i32, numbered in their order"),
        ("b.Inner.x-y", "int", "i32"),
    ]
    assert [loss.path for loss in found.losses] == ["a.Color"]
    schema = found.schema("s")
    inner_ours = next(each for each in schema.records if each.name == "Inner")
    assert (schema.root.wire, inner_ours.wire) == ("a.R", "b.Inner")
    assert (inner_ours.fields[0].name, inner_ours.fields[0].wire) == ("x_y", "x-y")
    assert (
        schema.enums[0].members == (("RED", 0), ("RED_2", 1)) and schema.enums[0].wire_name("RED_2") == "_RED"
    )


@pytest.mark.parametrize(
    ("type", "default", "ours", "emitted"),
    [
        ("int", 5, 5, 5),
        ("double", 5, 5.0, 5.0),
        ("string", "x", "x", "x"),
        (["null", "int"], None, None, None),
        (["int", "null"], 7, 7, 7),
        (["int", "null"], None, NOTHING, NOTHING),
        ({"type": "enum", "name": "E", "symbols": ["A", "B"]}, "B", 1, "B"),
        ("int", "no integer", NOTHING, NOTHING),
        ("int", 1 << 40, NOTHING, NOTHING),
        ("bytes", "x", NOTHING, NOTHING),
        ({"type": "array", "items": "int"}, [], NOTHING, NOTHING),
    ],
    ids=lambda each: "nothing" if each is NOTHING else str(each),
)
def test_plain_defaults_are_kept(type: Any, default: Any, ours: Any, emitted: Any, tmp_path: Path) -> None:
    found = imported(tmp_path, field(type, default=default))
    assert found.root.fields[0].default == ours
    written = json.loads(emit(found.schema("s")))["fields"][0]
    assert written.get("default", NOTHING) == emitted
    fastavro.parse_schema(written | {"type": "record", "name": "R", "fields": [written]})


@settings(max_examples=25)
@given(st.integers(0, 1 << 30))
def test_values_are_exact_and_avro_of_ours_is_avro_of_theirs(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """Values of random schemas, which use every kind of type that Avro has, are read exactly. Written by
    serbench's own schema they have the same bytes; only the index of a branch may differ, where null is the
    second branch of an item's union."""
    draws, folder = Random(seed), tmp_path_factory.mktemp("drawn")
    theirs = DrawnSchema(draws).json
    schema = imported(folder, theirs).schema("s")
    values = [value_of(schema.root, draws) for _ in range(70)]
    their_schema, their_names = parsed(theirs)
    our_schema, our_names = parsed(json.loads(emit(schema)))
    messages = [as_written(their_schema, schema.root, value, their_names) for value in values]
    found = imported(
        folder,
        theirs,
        messages,
        codec=draws.choice(("null", "deflate")),
        sync_interval=draws.choice((1, 16_000)),
    )
    assert found.values
    again = list(found.values())
    assert len(again) == len(values)
    lossy = any("second branch" in loss.what for loss in found.losses)
    for value, read_back, message in zip(values, again, messages, strict=True):
        assert find_mismatch(schema.root, read_back) is None
        assert first_difference(schema.root, value, read_back) is None
        one, other = BytesIO(), BytesIO()
        fastavro.schemaless_writer(one, their_schema, message)
        fastavro.schemaless_writer(other, our_schema, as_written(our_schema, schema.root, value, our_names))
        assert len(one.getvalue()) == len(other.getvalue())
        assert lossy or one.getvalue() == other.getvalue()


def test_a_branch_is_the_one_that_was_written(tmp_path: Path) -> None:
    """A value is read in the branch of the union in which it was written, though in Python values of several
    branches may look the same."""
    schema = field(
        ["int", "long", "null", "float", "double", {"type": "enum", "name": "E", "symbols": ["A"]}, "string"]
    )
    written = [("int", 1), ("long", 1), None, ("float", 1.0), ("double", 1.0), ("E", "A"), ("string", "A")]
    found = imported(tmp_path, schema, [{"f": each} for each in written])
    assert found.values
    assert list(found.values()) == [((n, value),) for n, value in enumerate((1, 1, None, 1.0, 1.0, 0, "A"))]
    assert list(found.values()) == list(found.values())


def test_an_optional_with_null_last_stays_so(tmp_path: Path) -> None:
    found = imported(tmp_path, field(["string", "null"]), [{"f": "x"}, {"f": None}])
    assert found.values and list(found.values()) == [("x",), (None,)]
    assert json.loads(emit(found.schema("s")))["fields"][0]["type"] == ["string", "null"]
    assert "null_last<domain::R>{true}" in glue_of("cpp/avro_c", found.schema("s"))
    assert "null_last" not in glue_of("cpp/avro_c", imported(tmp_path, field(["null", "string"])).schema("s"))


@pytest.mark.parametrize(
    ("schema", "message", "value"),
    [
        ("long", 5, 5),
        (["null", "int"], None, None),
        ({"type": "map", "values": "int"}, {"a": 1}, {"a": 1}),
        (["int", NODE], ("int", 5), (0, 5)),
        (["int", NODE], ("Node", {"id": 1, "next": None}), (1, (1, None))),
    ],
    ids=str,
)
def test_a_message_that_is_no_record_is_in_one(schema: Any, message: Any, value: Any, tmp_path: Path) -> None:
    found = imported(tmp_path, schema, [message] * 100)
    assert found.values and list(found.values()) == [(value,)] * 100
    assert found.mapping[0].path == "Message.value" and "takes no bytes" in found.mapping[0].why
    assert find_mismatch(found.schema("s").root, (value,)) is None


def test_values_of_logical_types_are_those_of_their_bases(tmp_path: Path) -> None:
    """The timestamp lies beyond the range of Python's dates, and the decimal has more digits than it
    declares; both are read as values of their base types."""
    schema = {
        **ORDER,
        "fields": [
            {"name": "t", "type": {"type": "long", "logicalType": "timestamp-nanos"}},
            {"name": "d", "type": {"type": "bytes", "logicalType": "decimal", "precision": 2}},
            {"name": "u", "type": {"type": "string", "logicalType": "uuid"}},
        ],
    }
    file, out = tmp_path / "m.avro", BytesIO()
    fastavro.writer(out, schema, [])
    body = long(-(1 << 63)) + long(3) + b"\x7f\0\1" + long(2) + b"no"
    file.write_bytes(out.getvalue() + long(1) + long(len(body)) + body + out.getvalue()[-16:])
    found = read(Request((file,)))
    assert found.values and list(found.values()) == [(-(1 << 63), b"\x7f\0\1", "no")]


def test_files_refer_to_each_other_in_any_order(tmp_path: Path) -> None:
    files = []
    for name, type in (("A", ["null", "b.B"]), ("B", "c.C"), ("C", "int")):
        files.append(tmp_path / f"{name}.avsc")
        schema = {
            "type": "record",
            "name": name,
            "namespace": name.lower(),
            "fields": [{"name": "f", "type": type}],
        }
        files[-1].write_text(json.dumps(schema))
    for order in (files, files[::-1]):
        found = read(Request(tuple(order)))
        assert found.root.wire == "a.A" and [each.name for each in found.also] == ["B", "C"]
    assert read(Request(tuple(files), root="b.B")).root.name == "B"
    assert read(Request(tuple(files), root="B")).root.name == "B"
    assert "c.C" in refusal(files[0], files[1])
    told = refusal(*files, root="D")
    assert "no record with fields that is called 'D'; expected the full name of one: a.A, b.B, c.C" in told
    (tmp_path / "D.avsc").write_text(json.dumps({"type": "record", "name": "d.D", "fields": []}))
    told = refusal(*files, tmp_path / "D.avsc")
    assert "2 records that no other refers to; expected the full name of one: a.A, d.D" in told


def test_a_list_declares_types(tmp_path: Path) -> None:
    found = imported(
        tmp_path, [{"type": "record", "name": "Top", "fields": [{"name": "n", "type": "Node"}]}, NODE]
    )
    assert found.root.name == "Top" and found.schema("s").is_recursive


def test_one_name_has_one_declaration(tmp_path: Path) -> None:
    one, other, same = tmp_path / "1.avsc", tmp_path / "2.avsc", tmp_path / "3.avsc"
    one.write_text(json.dumps(ORDER))
    same.write_text(json.dumps(ORDER))
    other.write_text(json.dumps({**ORDER, "fields": ORDER["fields"][:1]}))
    assert read(Request((one, same), root="Order")).root.name == "Order"
    assert "2.avsc, shop.v1.Order: found another declaration of it" in refusal(one, other)
    assert "redefined named type" in (
        told := refusal(
            *_written(
                tmp_path,
                [NODE, {**field(NODE), "fields": [*field(NODE)["fields"], {"name": "g", "type": NODE}]}],
            )
        )
    )
    assert "m.avsc" in told


def _written(folder: Path, *schemas: Any) -> list[Path]:
    files = []
    for n, schema in enumerate(schemas):
        files.append(folder / f"m{n or ''}.avsc")
        files[-1].write_text(schema if isinstance(schema, str) else json.dumps(schema))
    return files


@pytest.mark.parametrize("codec", ["null", "deflate", "bzip2", "xz", "lz4", "snappy"])
def test_every_codec_is_unpacked(codec: str, tmp_path: Path) -> None:
    found = imported(tmp_path, ORDER, [order(n) for n in range(1000)], codec=codec, sync_interval=500)
    assert found.values and [value[0] for value in found.values()] == [*range(1000)]


def test_zstandard_is_unpacked_and_an_unknown_codec_is_named(tmp_path: Path) -> None:
    """fastavro by itself unpacks zstandard only with a package that serbench does not depend on."""
    data = b"".join(long(n) + long(n) + b"\0" for n in range(100))
    file = with_block(tmp_path, ORDER, zstandard.compress(data), 100, "zstandard")
    found = read(Request((file,)))
    assert found.values and [value[0] for value in found.values()] == [*range(100)]
    told = refusal(with_block(tmp_path, ORDER, data, 1, "brotli"))
    assert "packed by brotli, which serbench does not unpack; expected one of null, deflate" in told


def test_a_block_of_snappy_is_refused_if_it_is_damaged_or_too_large(tmp_path: Path) -> None:
    data = b"".join(long(n) + long(n) + b"\0" for n in range(100))
    packed, checksum = bytes(cramjam.snappy.compress_raw(data)), crc32(data).to_bytes(4, "big")
    whole = with_block(tmp_path, ORDER, packed + checksum, 100, "snappy")
    assert (found := read(Request((whole,)))).values and len([*found.values()]) == 100
    for damaged in (packed + checksum[::-1], packed[:-1] + checksum, packed, b"abc", b""):
        told = refusal(with_block(tmp_path, ORDER, damaged, 100, "snappy"))
        assert "block 1, at byte" in told and "bytes that are not packed by snappy" in told
    claimed = b"\xff\xff\xff\xff\x0f" + packed[2:] + checksum
    assert "more than 128 MiB" in refusal(with_block(tmp_path, ORDER, claimed, 100, "snappy"))


def test_data_follow_a_schema_or_each_other(tmp_path: Path) -> None:
    for n in range(2):
        (tmp_path / str(n)).mkdir()
        imported(tmp_path / str(n), ORDER, [order(n)])
    files = tuple(tmp_path / str(n) / "m.avro" for n in range(2))
    [schema] = _written(tmp_path, ORDER)
    expected = [(0, 0, []), (1, -1, ["a"])]
    for request in (
        Request(files),
        Request(files[:1], data=files[1:]),
        Request((schema,), data=files),
        Request((schema, *files)),
    ):
        found = read(request)
        assert found.values and list(found.values()) == expected
    assert read(Request((schema,))).values is None
    assert "found JSON; expected a container file of Avro" in refusal(schema, data=(schema,))


def test_data_of_another_schema_are_refused_with_the_place(tmp_path: Path) -> None:
    changed = json.loads(json.dumps(ORDER))
    changed["fields"][1]["type"] = "long"
    imported(tmp_path, changed, [order(1)])
    schemas = _written(tmp_path, ORDER)
    told = refusal(*schemas, data=(tmp_path / "m.avro",))
    assert "m.avro, shop.v1.Order.count: found long; expected int" in told
    enums = [field({"type": "enum", "name": "E", "symbols": symbols}) for symbols in (["A", "B"], ["B", "A"])]
    imported(tmp_path, enums[0], [{"f": "A"}])
    assert "m.avro, E: found enum of A, B; expected enum of B, A" in refusal(
        *_written(tmp_path, enums[1]), data=(tmp_path / "m.avro",)
    )
