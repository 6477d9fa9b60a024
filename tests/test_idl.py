"""Tests of IDL files for types of the type model's second edition: how each IDL expresses them, and that its
own compiler accepts the files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import fastavro
import pytest
from tests.protobuf_messages import Emitted
from tests.support import TEST_WORKLOADS

from serbench.codecs.codec import Codec
from serbench.idl import avsc, emit, fbs, fbs_go, proto
from serbench.idl.abilities import Abilities
from serbench.idl.lower import Lowered, lower
from serbench.idl.nesting import deepest
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
    Type,
    Union,
    bool_,
    bytes_,
    f64,
    i32,
    i64,
    string,
    timestamp,
    u8,
    u32,
    u64,
)
from serbench.model.names import as_identifier
from serbench.model.types import MAX_DEPTH
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codecs
from serbench.workload import Workload, load_workloads

GROWN = load_workloads(TEST_WORKLOADS / "grown")
CODECS = [
    codec for codec in load_codecs(Paths.default().codecs).values() if codec.language == "cpp" and codec.idl
]
EVERY = Abilities(
    open_enums=True,
    wide_enums=True,
    fixed_bytes="own",
    list_alternatives=True,
    empty_alternatives=9,
    optional_items=True,
)

POINT = Record("Point", [Field("x", f64)])
NOTHING = Abilities(plain_alternatives=False, unions_as_items=False, bytes_items=False)


def union(*alternatives: Type | None) -> Union:
    return Union("Any", [Alternative(f"a{n}", type) for n, type in enumerate(alternatives)])


def lowered(type: Type, abilities: Abilities) -> Lowered:
    return lower(Schema("s", Record("Root", [Field("x", type)])), abilities)


def told(types: Lowered, name: str = "Any") -> list[str | None]:
    """The name of each alternative's type in the lowered union ``name``; None for an alternative without a
    type."""
    return [
        None if each.type is None else getattr(each.type, "name", "")
        for each in types.union(name).alternatives
    ]


def made(types: Lowered) -> dict[str, tuple[str, list[tuple[str, Type]]]]:
    return {
        name: (kind, [(f.name, f.type) for f in types.record(name).fields])
        for name, kind in types.made.items()
    }


# --- lowering ---


def test_alternatives_stay_where_the_idl_has_them() -> None:
    for type in (i32, string, POINT, List(POINT), None):
        types = lowered(union(type, bool_), EVERY)
        assert types.union("Any").alternatives[0].type == type
        assert types.made == {}


def test_lists_and_maps_in_a_union_are_in_a_record_where_they_cannot_be_alternatives() -> None:
    types = lowered(union(List(POINT), Map(string, i32), List(u8)), Abilities(maps=True, byte_lists=True))
    assert told(types) == ["ListOfPoint", "MapStringToI32", "bytes"]
    assert made(types)["MapStringToI32"] == ("list", [("items", Map(string, i32))])


def test_an_optional_in_a_union_is_in_a_record_and_what_has_no_value_is_an_empty_one() -> None:
    types = lowered(union(None, Optional(i32), None), Abilities())
    assert told(types) == ["Empty", "OptionalI32", "Empty"]
    assert made(types) == {"Empty": ("empty", []), "OptionalI32": ("optional", [("value", Optional(i32))])}
    assert told(lowered(union(None, i32, None), Abilities(empty_alternatives=1, told_by=repr))) == [
        None,
        "i32",
        "AnyA2",
    ]


def test_where_only_records_are_alternatives_all_others_are_in_one() -> None:
    types = lowered(
        union(i32, i32, POINT, bytes_, FixedBytes(2), Union("Other", [Alternative("b", string)])), NOTHING
    )
    assert told(types) == ["BoxedI32", "BoxedI32", "Point", "Bytes", "Bytes2", "BoxedOther"]
    assert made(types)["BoxedOther"] == ("boxed", [("value", types.union("Other"))])
    fixed = lowered(union(FixedBytes(2)), Abilities(plain_alternatives=False, fixed_bytes="record"))
    assert made(fixed)["Bytes2"] == ("fixed", [("octets", Array(u8, 2))])
    assert made(fixed)["BoxedBytes2"] == ("boxed", [("value", fixed.record("Bytes2"))])


def test_a_made_record_has_a_name_that_the_idl_can_have() -> None:
    kind = Enum("AddType", i32, ["one"])  # in Go, BoxedAddType is what adds a field to a table Boxed
    schema = Schema("s", Record("Root", [Field("x", union(kind, List(kind)))]))
    types = fbs_go.lowered(schema)
    assert told(types) == ["BoxedAddType_", "ListOfAddType_"]
    assert set(made(types)) == {"BoxedAddType_", "ListOfAddType_"}


def test_alternatives_that_an_idl_could_not_tell_apart_have_records_of_their_own() -> None:
    types = lowered(union(i32, string, i32, POINT), Abilities(told_by=lambda type: getattr(type, "name", "")))
    assert told(types) == ["AnyA0", "string", "AnyA2", "Point"]
    assert made(types) == {"AnyA0": ("boxed", [("value", i32)]), "AnyA2": ("boxed", [("value", i32)])}


def test_unions_as_items_are_in_a_record_where_they_are_only_fields() -> None:
    any_union = union(i32)
    types = lowered(List(any_union), Abilities(plain_alternatives=False, unions_as_items=False))
    assert types.record("Root").fields[0].type == List(types.record("BoxedAny"))
    assert lowered(Optional(any_union), NOTHING).record("Root").fields[0].type == Optional(
        lowered(any_union, NOTHING).union("Any")
    )
    assert lowered(List(any_union), EVERY).record("Root").fields[0].type == List(any_union)


def test_what_leads_back_knows_the_lowered_type_and_shares_what_is_made_for_it() -> None:
    back = Union("Any", [Alternative("items", List(Optional(Ref("Any")))), Alternative("x", u8)])
    types = lower(
        Schema(
            "s",
            Record(
                "Root",
                [Field("any", back), Field("all", List(Optional(Ref("Any"))))],
            ),
            [back],
        ),
        Abilities(),
    )
    assert list(types.made) == ["OptionalAny", "ListOfOptionalAny"]
    assert [c.name for c in types.composites] == ["OptionalAny", "ListOfOptionalAny", "Any", "Root"]
    value = types.record("OptionalAny").fields[0].type
    assert isinstance(value, Optional) and isinstance(value.item, Ref)
    assert value.item.target is types.union("Any")


def test_enums_that_an_idl_cannot_hold_are_integers_everywhere() -> None:
    open_enum = Enum("Open", u8, ["A"], open=True)
    types = lowered(
        Map(open_enum, List(Optional(open_enum))),
        Abilities(maps=True, optional_items=True, nested_lists=True),
    )
    assert types.record("Root").fields[0].type == Map(u8, List(Optional(u8)))
    assert types.enums == []
    assert lowered(open_enum, Abilities(open_enums=True)).enums == [open_enum]


@pytest.mark.parametrize(
    ("enum", "fits"),
    [
        (Enum("E", u64, ["A"]), True),
        (Enum("E", u64, [("A", 1 << 31)]), False),
        (Enum("E", i64, [("A", -(1 << 31))]), True),
        (Enum("E", u32, ["A"], open=True), False),
        (Enum("E", i32, ["A"], open=True), True),
    ],
)
def test_an_enum_is_one_of_32_bits_if_all_its_values_are(enum: Enum, fits: bool) -> None:
    expected = enum if fits else enum.underlying
    assert lowered(enum, Abilities(open_enums=True)).record("Root").fields[0].type == expected
    assert lowered(enum, EVERY).record("Root").fields[0].type == enum


def test_enums_as_keys_are_integers_where_only_fields_have_enums() -> None:
    key = Enum("Key", u8, ["A"])
    assert lowered(Map(key, i32), Abilities(maps=True, enum_keys=False)).record("Root").fields[0].type == Map(
        u8, i32
    )
    assert lowered(Map(key, i32), Abilities(maps=True)).record("Root").fields[0].type == Map(key, i32)


def test_logical_types_are_their_bases_and_bytes_of_a_fixed_length_bytes() -> None:
    assert lowered(List(timestamp("s")), Abilities()).record("Root").fields[0].type == List(i64)
    assert lowered(Optional(FixedBytes(3)), Abilities()).record("Root").fields[0].type == Optional(bytes_)
    assert lowered(Optional(FixedBytes(3)), EVERY).record("Root").fields[0].type == Optional(FixedBytes(3))


def test_numbers_that_an_idl_cannot_have_are_those_of_the_order() -> None:
    def numbers(*declared: int) -> list[int]:
        root = Record("Root", [Field(f"f{n}", u8, n) for n in declared])
        types = lower(Schema("s", root), Abilities(max_number=100, reserved_numbers=range(10, 20)))
        return [f.number for f in types.record("Root").fields]

    assert numbers(100, 20, 9) == [100, 20, 9]
    assert numbers(101, 2) == numbers(10, 2) == [1, 2]


def test_what_is_declared_of_a_field_stays() -> None:
    root = Record(
        "Root", [Field("a", List(List(u8)), wire="@a", default=3, hints=[("x", "y")])], wire="shop.Root"
    )
    record = lower(Schema("s", root), Abilities()).record("Root")
    field = record.fields[0]
    assert (record.wire, field.wire, field.default, field.hints) == ("shop.Root", "@a", 3, (("x", "y"),))


def test_how_deep_messages_nest_follows_from_the_types() -> None:
    """Between two steps of recursion, records, unions and lists may be inside each other; a map counts as a
    list of entries."""
    assert deepest(lowered(POINT, Abilities())) == 0
    tree = Record("Root", [Field("left", Optional(Ref("Root")))])
    assert deepest(lower(Schema("s", tree), Abilities())) == MAX_DEPTH + 1
    nested = Record("Root", [Field("x", Map(string, List(Ref("Root"))))])
    assert deepest(lower(Schema("s", nested), Abilities(maps=True, nested_lists=True))) == 4 * (MAX_DEPTH + 1)
    holder = Union("Any", [Alternative("items", List(Ref("Any"))), Alternative("x", u8)])
    assert deepest(lower(Schema("s", Record("Root", [Field("x", holder)])), Abilities())) == 4 * (
        MAX_DEPTH + 1
    )


# --- what each IDL says ---

ALIASED = Enum("Level", u8, [("low", 0), ("high", 3)], aliases=[("top", 3)])
DECLARED = Record(
    "Root",
    [
        Field("text", string, default='a"\\\n'),
        Field("number", u64, default=(1 << 64) - 1),
        Field("real", f64, default=float("inf")),
        Field("yes", bool_, default=True),
        Field("level", ALIASED, default=3),
        Field("maybe", Optional(i32), default=None),
        Field("octets", bytes_, default="YQ=="),
        Field("at", i32, wire="@at"),
    ],
)
SCHEMA = Schema("s", DECLARED)


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def test_protocol_buffers_have_aliases_and_names_in_json_and_proto2_has_defaults() -> None:
    text = lines(emit("proto2", SCHEMA))
    for line in (
        "option allow_alias = true;",
        "LEVEL_TOP = 3;",
        'optional string text = 1 [default = "a\\042\\134\\012"];',
        "optional uint64 number = 2 [default = 18446744073709551615];",
        "optional double real = 3 [default = inf];",
        "optional bool yes = 4 [default = true];",
        "optional Level level = 5 [default = LEVEL_HIGH];",
        "optional int32 maybe = 6;",
        "optional bytes octets = 7;",
        'optional int32 at = 8 [json_name = "@at"];',
    ):
        assert line in text
    assert "string text = 1;" in lines(emit("proto", SCHEMA))


def test_no_name_in_json_is_that_of_a_oneof_that_protoc_adds_or_of_another_part(tmp_path: Path) -> None:
    """A field's JSON name gets an underscore where it equals the name of another part, or of the oneof that
    protoc adds for an optional field, as ``_links`` in GitHub's documents would. Python's library refuses
    both."""
    links = Record("Links", [Field("self", string)])
    fields = [
        *(Field("links", Optional(links), wire="_links"), Field("id", Optional(string), wire="_id")),
        *(Field("id_2", string, wire="_id_"), Field("plain", i32, wire="_plain")),
        *(Field("first", i32, wire="second"), Field("second", i32, wire="first")),
    ]
    schema = Schema("s", Record("M", fields))
    found = emit("proto", schema)
    names = ("_links_", "_id__", "_id_", "_plain", "second_", "first_")
    assert all(f'json_name = "{name}"' in found for name in names)
    value = (("a",), "b", "c", 5, 6, 7)
    assert (
        Emitted(schema, tmp_path).bytes_of(value)
        == b"\x0a\x03\x0a\x01a\x12\x01b\x1a\x01c\x20\x05\x28\x06\x30\x07"
    )


def test_thrift_has_defaults_that_it_can_write() -> None:
    text = lines(emit("thrift", SCHEMA))
    for line in (
        "1: string text;",
        "2: i64 number = -1;",
        "3: double real;",
        "4: bool yes = true;",
        "5: Level level = Level.high;",
        "6: optional i32 maybe;",
    ):
        assert line in text


def test_thrift_requires_only_what_the_original_schema_requires() -> None:
    fields = [Field("a", i32, hints=[("thrift", "required")]), Field("b", i32), Field("c", Optional(i32))]
    text = lines(emit("thrift", Schema("s", Record("R", fields))))
    assert {"1: required i32 a;", "2: i32 b;", "3: optional i32 c;"} <= set(text)


def test_avro_has_defaults_that_json_can_have() -> None:
    found = {
        field["name"]: field.get("default", "none") for field in json.loads(emit("avsc", SCHEMA))["fields"]
    }
    del found["octets"], found["at"]
    assert found == {
        "text": 'a"\\\n',
        "number": -1,
        "real": "none",
        "yes": True,
        "level": "high",
        "maybe": None,
    }


def test_the_oneof_of_a_message_is_called_what_no_alternative_is() -> None:
    def name(*alternatives: str) -> str:
        return proto.oneof(Union("U", [Alternative(each, u8) for each in alternatives]))

    assert name("text") == "value"
    assert name("value", "x") == name("value_case") == name("Value") == "kind"
    assert name("value", "kind", "choice") == "choice_0"


def test_a_record_that_is_an_alternative_is_no_struct_of_flatbuffers_nor_is_an_empty_one() -> None:
    empty = Record("Nothing", [])
    tables = fbs.Tables(
        Schema("s", Record("Root", [Field("x", union(POINT)), Field("y", empty), Field("z", POINT)]))
    )
    assert not any(tables.is_struct(record) for record in tables.lowered.records)
    assert fbs.Tables(Schema("s", Record("Root", [Field("z", POINT)]))).is_struct(POINT)


def test_readers_of_flatbuffers_verify_by_the_types_of_the_whole_message_as_deep_as_it_nests() -> None:
    """The whole message leads back, and the part does not."""
    whole = Schema("s", Record("R", [Field("id", u8), Field("next", Optional(Ref("R")))]))
    part = Schema.made("s", root := Record("R", [Field("id", u8)]), [root], [], whole=whole)
    own, beside = fbs.emit(part).split("namespace serbench.whole;")
    assert "next" not in own and "next" in beside and beside in fbs.emit(whole)
    assert fbs_go.emit(part).count("namespace") == 1
    levels = deepest(fbs.lowered(whole))
    for codec, line in (
        ("cpp/flatbuffers", f"nesting_limit<NativeRoot> = {levels};"),
        ("rust/flatbuffers", f"DEEPEST: usize = {levels};"),
    ):
        glue = load_codecs(PROJECT / "codecs")[codec].glue.emit
        assert glue and line in glue(part) and line in glue(whole)


def test_branches_of_avro_are_the_alternatives_in_their_order() -> None:
    types = avsc.lowered(GROWN["unions"].schema)
    assert told(types, "Shape")[:5] == [None, "ShapeCircle", "ShapeSquare", "string", "Point"]
    assert told(types, "Shape")[7:] == ["OptionalString", "ShapeUnset", "ShapeNames"]
    assert told(avsc.lowered(GROWN["recursion"].schema), "AnyValue")[:4] == ["string", "bool", "i64", "f64"]


# --- compilers ---


@pytest.mark.parametrize("workload", GROWN.values(), ids=lambda w: w.name)
@pytest.mark.parametrize("codec", CODECS, ids=lambda c: c.name)
def test_the_compiler_of_the_idl_takes_it(codec: Codec, workload: Workload, tmp_path: Path) -> None:
    idl: Any = codec.idl
    prefix = os.environ.get("SERBENCH_PREFIX", "")
    program = shutil.which(
        idl.command[0], path=os.pathsep.join([os.environ["PATH"], str(Path(prefix) / "bin")])
    )
    if not program:
        pytest.skip(f"there is no {idl.command[0]}")
    names = {"workload": as_identifier(workload.name), "directory": str(tmp_path)}
    names["file"] = idl.file.format(**names)
    (tmp_path / names["file"]).write_text(emit(idl.language, codec.glue.seen(workload.schema)))
    arguments = [word.format(**names) for word in idl.command[1:]]
    done = subprocess.run([program, *arguments], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    for output in idl.outputs:
        assert (tmp_path / output.format(**names)).exists()


def test_a_union_that_only_made_records_hold_is_in_the_schema_of_avros_c_library() -> None:
    again = Optional(Ref("Any"))
    union = Union("Any", [Alternative("number", i64), Alternative("map", Map(string, again))])
    schema = Schema("s", Record("R", [Field("m", Map(string, again))]), [union])
    emit_glue = load_codecs(PROJECT / "codecs")["cpp/avro_c"].glue.emit
    assert emit_glue
    avro = json.loads(emit_glue(schema).partition('R"avsc(')[2].partition(')avsc"')[0])
    assert fastavro.parse_schema(avro) and avro["name"] == "R"
