"""Tests of identifiers in generated code: each generator makes valid ones from any declared names, and
formats carry the declared names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from tests.strategies import schemas
from tests.support import TEST_WORKLOADS, examples, glue_of
from tests.unkind import PAIRS

from serbench.codecs.codec import Codec
from serbench.codegen.naming import AS_DECLARED, Naming, Scope
from serbench.codegen.words import package
from serbench.idl import avsc, capnp, fbs, fbs_names, proto, proto_py, thrift
from serbench.idl import emit as emit_idl
from serbench.languages.c import protobuf as c_protobuf
from serbench.languages.c import types as c_types
from serbench.languages.cpp import domain as cpp
from serbench.languages.cpp.generate import write_cells
from serbench.languages.go import domain as go
from serbench.languages.javascript import names as javascript
from serbench.languages.jvm import domain as scala
from serbench.languages.python import domain as python
from serbench.model import (
    Alternative,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Schema,
    Union,
    Walk,
    bytes_,
    i32,
    i64,
    string,
    u8,
)
from serbench.paths import Paths
from serbench.selecting.catalogue import load_codecs
from serbench.workload import load_workloads

NAMINGS = {
    "C++": cpp.NAMING,
    "C": c_types.NAMING,
    "protobuf-c": c_protobuf.NAMING,
    "Go": go.NAMING,
    "Scala": scala.NAMING,
    "Python": python.NAMING,
    "JavaScript": javascript.NAMING,
    "Avro": avsc.NAMING,
    "Cap'n Proto": capnp.NAMING,
    "FlatBuffers": fbs_names.NAMING,
    "Protocol Buffers": proto.NAMING,
    "Protocol Buffers in Python": proto_py.NAMING,
    "Thrift": thrift.NAMING,
}
UNKIND = load_workloads(TEST_WORKLOADS / "unkind")["my-data"]
CODECS = load_codecs(Paths.default().codecs)


def spelled_fields(naming: Naming, *names: str) -> list[str]:
    return [
        f.name for f in naming.spell(Schema("s", Record("R", [Field(n, i32) for n in names]))).root.fields
    ]


def spelled_type(naming: Naming, name: str) -> str:
    return str(naming.spell(Schema("s", Record(name, [Field("x", i32)]))).root.name)


def spelled_members(naming: Naming, *names: str) -> list[str]:
    schema = Schema("s", Record("R", [Field("x", Enum("E", u8, names))]))
    return [name for name, _ in naming.spell(schema).enums[0].members]


# --- a scope ---


def test_a_name_that_can_stay_does_and_another_gives_way() -> None:
    scope = Scope(reserved=frozenset({"class"}), claims=lambda name: (name, f"has_{name}"))
    taken: set[str] = set()
    assert scope.spell(["class", "has_type", "type", "x"], taken) == ["class_", "has_type", "type_", "x"]
    assert {"has_class_", "has_has_type", "has_type_", "has_x"} < taken
    assert scope.spell(["x"], taken) == ["x_"]
    assert scope.spell(["x"], taken) == ["x2_"]


def test_a_pattern_reserves_whole_names() -> None:
    scope = Scope(pattern=re.compile("[A-Z]+"), suffix="Value")
    assert scope.spell(["EOF", "Eof"], set()) == ["EOFValue", "Eof"]


def test_a_name_whose_beginning_is_reserved_gets_another_beginning() -> None:
    def claims(name: str) -> list[str]:
        return [name, *(["!"] if name.startswith("l_") else [])]

    scope = Scope(reserved=frozenset("!"), claims=claims, suffix="Value", prefix="value")
    assert scope.spell(["l_x", "x", "valueL_xValue"], set()) == ["valueL_x2Value", "x", "valueL_xValue"]


# --- a schema ---


@pytest.mark.parametrize("naming", NAMINGS.values(), ids=NAMINGS)
@given(schema=schemas())
@settings(max_examples=examples(60))
def test_identifiers_are_those_that_can_be_used_and_each_is_one_name(naming: Naming, schema: Schema) -> None:
    spelled = naming.spell(schema)
    types = [type.name for type in spelled.named]
    check(naming.types, types)
    others = set(types) if naming.fields_apart else set()
    for record in spelled.records:
        check(naming.fields, [f.name for f in record.fields])
        assert not {f.name for f in record.fields} & others
    for union in spelled.unions:
        check(naming.alternatives or naming.fields, [a.name for a in union.alternatives])
        assert not {a.name for a in union.alternatives} & others
    for enum in spelled.enums:
        check(naming.members, [name for name, _ in (*enum.members, *enum.aliases)])
    # Nothing but names is changed.
    assert [[f.number for f in r.fields] for r in spelled.records] == [
        [f.number for f in r.fields] for r in schema.records
    ]
    assert [[v for _, v in e.members] for e in spelled.enums] == [
        [v for _, v in e.members] for e in schema.enums
    ]
    assert [[a.number for a in u.alternatives] for u in spelled.unions] == [
        [a.number for a in u.alternatives] for u in schema.unions
    ]
    assert [type(composite) for composite in spelled.composites] == [
        type(composite) for composite in schema.composites
    ]
    for now, before in zip(spelled.enums, schema.enums, strict=True):
        assert [written for _, written in now.wire] == [written for _, written in before.wire]
        assert {name for name, _ in now.wire} <= {name for name, _ in (*now.members, *now.aliases)}


def check(scope: Scope, names: list[str]) -> None:
    """Asserts that no two names claim the same identifier, and that none claims a reserved one."""
    claimed: set[str] = set()
    for name in names:
        claims = {name, *scope.claims(name)}
        assert not claims & claimed, name
        assert not claims & scope.reserved, name
        claimed |= claims


def test_without_a_naming_a_schema_stays_as_it_is() -> None:
    assert AS_DECLARED.spell(UNKIND.schema) is UNKIND.schema


def test_a_walk_is_renamed_with_its_fields() -> None:
    arc, name = Record("Arc", [Field("to", i32)]), "class"
    node = Record("Node", [Field(name, List(arc))])
    schema = Schema("net", Record("Net", [Field("from", List(node))]), walk=Walk("from", name, "to"))
    assert cpp.NAMING.spell(schema).walk == Walk("from", "class_", "to")
    assert thrift.NAMING.spell(schema).walk == Walk("from_", "class2_", "to")


def test_what_is_renamed_is_told_where_it_is_generated() -> None:
    schema = Schema(
        "s",
        Record("Builder", [Field("out_edges", i32), Field("type", i32), Field("E", Enum("E", u8, ["EOF"]))]),
    )
    assert fbs_names.NAMING.notes(schema) == ["E.EOF is EOF_", "Builder is Builder_", "Builder.E is E_"]
    assert "// Builder is Builder_.\n" in fbs.emit(schema)
    assert "# Builder is BuilderType.\n" in capnp.emit(schema)
    # a style is no change
    assert capnp.NAMING.notes(Schema("s", Record("R", [Field("out_edges", i32)]))) == []


# --- names that did not build ---


@pytest.mark.parametrize(
    ("naming", "name", "expected"),
    [
        ("Cap'n Proto", "Object", "ObjectType"),
        ("Cap'n Proto", "Builder", "BuilderType"),
        ("FlatBuffers", "Builder", "Builder_"),
        ("Protocol Buffers", "Builder", "Builder_"),
        ("Protocol Buffers", "Message", "Message_"),
        ("Protocol Buffers", "Option", "Option_"),
        ("Protocol Buffers", "Vector", "Vector_"),
        ("Protocol Buffers", "Object", "Object_"),
        ("Protocol Buffers", "Clear", "Clear_"),
        ("Avro", "Object", "Object_value"),
        ("Avro", "Option", "Option_value"),
        ("Avro", "Builder", "Builder_value"),
        ("Avro", "Vector", "Vector_value"),
        ("Thrift", "Builder", "BuilderType"),
        ("Thrift", "Option", "OptionType"),
        ("Thrift", "Vector", "VectorType"),
        ("Thrift", "Record", "RecordType"),
        ("Thrift", "Int64", "Int64Type"),
        ("Scala", "Object", "Object_"),
        ("C++", "EOF", "EOF_"),
        ("C++", "Object", "Object"),
    ],
)
def test_a_record_is_renamed_only_where_its_name_is_taken(naming: str, name: str, expected: str) -> None:
    assert spelled_type(NAMINGS[naming], name) == expected


def test_a_macro_is_no_field_and_no_member() -> None:
    assert spelled_fields(cpp.NAMING, "errno", "unix", "name") == ["errno_", "unix_", "name"]
    assert spelled_members(cpp.NAMING, "NULL", "EOF", "Low") == ["NULL_", "EOF_", "Low"]
    assert spelled_members(thrift.NAMING, "NULL", "EOF") == ["NULL_", "EOF_"]
    assert spelled_members(capnp.NAMING, "NULL", "EOF", "einval", "low") == [
        "nullValue",
        "eofValue",
        "einvalValue",
        "low",
    ]
    # A beginning that a family of macros has: no suffix would help.
    assert spelled_members(capnp.NAMING, "TIME_UTC", "l_x", "red") == [
        "valueTimeUtcValue",
        "valueLXValue",
        "red",
    ]
    assert spelled_members(capnp.NAMING, "TIME_MAX") == ["valueTimeMaxValue"]
    assert spelled_members(fbs_names.NAMING, "NULL", "MIN") == ["NULL_", "MIN_"]
    assert spelled_fields(fbs_names.NAMING, "try", "tries") == ["try_", "tries"]
    # major() is what protoc declares
    assert spelled_fields(proto.NAMING, "errno", "major") == ["errno_", "major_"]
    # protoc's Java has getDescriptor(), whatever underscores follow.
    assert spelled_fields(proto.NAMING, "descriptor", "default_instance") == [
        "descriptor2_",
        "default_instance2_",
    ]
    # flatc knows these words of C++, and not where it tells the type of a union.
    assert spelled_fields(fbs_names.NAMING, "import", "override") == ["import_", "override_"]
    # Avro's Java has getLong$() and getBuilder$().
    assert spelled_fields(avsc.NAMING, "Long", "builder", "Schema") == [
        "Long_value",
        "builder_value",
        "Schema_value",
    ]
    # the class of an optional begins with a capital
    assert spelled_fields(capnp.NAMING, "EINVAL") == ["eINVALValue"]


def test_a_name_hides_nothing_that_java_or_scala_has_in_the_same_place() -> None:
    # Packages that Java's code names in full, and what avro's classes have besides.
    assert spelled_fields(avsc.NAMING, "java", "org", "serbench") == [
        "java_value",
        "org_value",
        "serbench_value",
    ]
    assert spelled_fields(avsc.NAMING, "decoder", "serialVersionUID") == [
        "decoder_value",
        "serialVersionUID_value",
    ]
    assert spelled_members(avsc.NAMING, "org", "low") == ["org_value", "low"]
    assert spelled_fields(thrift.NAMING, "java", "org", "field") == ["java_", "org_", "field"]
    # Java's enums hold their number in a variable of this name.
    assert spelled_members(thrift.NAMING, "value", "low") == ["value_", "low"]
    # The Scala of a string's place, and packages; Scrooge drops underscores at the end.
    assert spelled_fields(thrift.NAMING, "foo", "foo_offset", "serbench") == [
        "foo",
        "foo_offset2_",
        "serbench2_",
    ]


def test_an_alternative_of_thrift_is_none_of_what_scrooge_makes_of_it() -> None:
    """Scrooge derives a class with a capital, and a field, from the name; no two names may be the same."""
    made = [Alternative(name, i32) for name in ("Adapter", "case", "field", "x")]
    spelled = thrift.NAMING.spell(Schema("s", Record("R", [Field("u", Union("U", made))])))
    assert [a.name for a in spelled.unions[0].alternatives] == ["adapter", "caseValue", "fieldValue", "x"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Foo_Bar", "FooBar"), ("EINVAL", "Einval"), ("X_Y", "Xy"), ("Bp_7", "Bp7"), ("Struct", "StructType")],
)
def test_types_of_thrift_are_called_as_in_scrooge(name: str, expected: str) -> None:
    assert spelled_type(thrift.NAMING, name) == expected
    assert thrift.scrooge_name(expected, title=True) == expected


def test_a_field_of_thrift_is_called_as_scrooge_generates_and_as_its_runtime_looks_for() -> None:
    names = ("EINVAL", "NULL", "x_1Y", "Foo_bar", "kind")
    assert spelled_fields(thrift.NAMING, *names) == ["einval", "null2_", "x1y", "Foo_bar", "kind"]


def test_scrooge_finds_what_it_names_twice() -> None:
    # A default's member is written as one whose name was already written: R_Z is RZ, and that Rz.
    assert spelled_members(thrift.NAMING, "R_z", "foo_bar", "x") == ["Rz", "foo_bar", "x"]
    assert spelled_members(thrift.NAMING, "r_z", "R_Z") == ["Rz", "Rz2_"]
    # A word of Scala is between backticks in the midst of the method that writes a list.
    assert spelled_fields(thrift.NAMING, "type", "object", "kind") == ["type2_", "object2_", "kind"]


@pytest.mark.parametrize("other", [name for name in PAIRS if name.endswith("_type") or name == "type_size"])
def test_an_accessor_of_one_field_is_no_other_field_of_protobuf(other: str) -> None:
    # ScalaPB drops the underscore behind a name, so what it calls clearType has to be another name.
    number = "2" if other in ("clear_type", "add_type") else ""
    assert spelled_fields(proto.NAMING, "type", other) == ["type", f"{other}{number}_"]


def test_a_field_is_no_member_of_a_case_class_of_scalapb() -> None:
    names = ("class", "serbench", "serialized_size", "with")
    assert spelled_fields(proto.NAMING, *names) == ["class2_", "serbench2_", "serialized_size2_", "with"]


def test_names_that_a_generator_writes_alike_are_kept_apart() -> None:
    alike = ("foo_bar", "fooBar", "FooBar")
    assert spelled_fields(cpp.NAMING, *alike) == list(alike)
    assert spelled_fields(scala.NAMING, *alike) == ["fooBar", "fooBar_", "fooBar2_"]
    assert spelled_fields(capnp.NAMING, *alike) == ["fooBar", "fooBarValue", "fooBar2Value"]
    assert spelled_fields(proto.NAMING, *alike) == ["foo_bar", "fooBar2_", "FooBar3_"]
    assert spelled_fields(proto.NAMING, "foo", "foo_count", "foo_list") == [
        "foo",
        "foo_count2_",
        "foo_list2_",
    ]


def test_names_of_fields_and_enums_in_go_are_those_of_its_packages() -> None:
    held = Record("Shape", [Field("msgsize", i32), Field("IsKnown", i32)])
    schema = Schema("s", Record("root", [Field("shape", held), Field("a", Enum("color", u8, ["red"]))]))
    spelled = go.NAMING.spell(schema)
    assert [r.name for r in spelled.records] == ["Shape", "Root_"]
    assert [f.name for f in spelled.root.fields] == ["Shape", "A"]
    assert [f.name for f in spelled.records[0].fields] == ["Msgsize_", "IsKnown_"]
    assert spelled.enums[0].members == (("ColorRed", 0),)


def test_a_name_in_scala_is_one_declared_name_in_all_records() -> None:
    """Libraries get one map from names in Scala to declared names, so a Scala name must have one meaning."""
    inner = Record("Inner", [Field("fooBar", i32)])
    schema = Schema(
        "s", Record("Outer", [Field("foo_bar", i32), Field("inner", inner), Field("getClass", i32)])
    )
    names = {"fooBar": "fooBar", "fooBar_": "foo_bar", "inner": "inner", "getClass_": "getClass"}
    assert scala.written_names(schema) == names
    assert '"getClass_" -> "getClass"' in glue_of("jvm/upickle", schema)
    assert '"fooBar_", "foo_bar"' in glue_of("jvm/jackson", schema)


def test_formats_carry_the_declared_names() -> None:
    schema = Schema("s", Record("EOF", [Field("class", Enum("E", u8, ["NULL"])), Field("errno", i32)]))
    header = cpp.domain_header(schema)
    assert 'name = "EOF";' in header and 'fields{"class", "errno"};' in header and 'names{"NULL"};' in header
    assert "use(self.class_, self.errno_)" in header
    maps = glue_of("jvm/msgpack4z", schema)
    assert '"class",' in maps and '"errno",' in maps
    assert 'extends E(0L, "NULL")' in scala.domain_source(schema)


def test_a_record_that_is_made_has_no_name_that_a_field_has() -> None:
    held = Record("R", [Field("Bytes", i32), Field("x", List(bytes_))])
    assert "table BytesMade {" in fbs.emit(Schema("s", held))
    assert "table Bytes {" in fbs.emit(Schema("s", Record("R", held.fields[1:])))


@pytest.mark.parametrize(
    ("name", "expected"), [("low", "LOW"), ("outEdges", "OUT_EDGES"), ("nVAIValue", "N_V_A_I_VALUE")]
)
def test_constants_of_cap_n_proto_are_what_its_compiler_makes_of_names(name: str, expected: str) -> None:
    assert capnp.constant(name) == expected


@pytest.mark.parametrize("glue", ["cpp/capnproto", "cpp/flatbuffers"])
def test_a_record_named_as_one_that_is_made_has_functions_of_its_own(glue: str) -> None:
    declared = Record("ListOfI32", [Field("x", i32)])
    root = Record("R", [Field("a", List(Optional(declared))), Field("b", List(Optional(List(i32))))])
    text = glue_of(glue, Schema("s", root))
    assert len(re.findall(r"^inline Checksum traverse_optional_list_of_i32\(", text, re.MULTILINE)) == 2


def test_maps_of_avro_whose_entries_would_have_one_name_have_two() -> None:
    declared = Record("ListOfI32", [Field("x", i32)])
    root = Record("R", [Field("a", Map(i32, declared)), Field("b", Map(i32, List(i32)))])
    text = avsc.emit(Schema("s", root))
    assert '"name": "I32ToListOfI32Entry"' in text and '"name": "I32ToListOfI32EntryMade"' in text


def test_a_record_of_more_fields_than_functions_of_scala_take_has_a_codec_of_msgpack4z() -> None:
    widest, wider = (
        Schema("s", Record("R", [Field(f"f{n}", i64) for n in range(count)])) for count in (22, 23)
    )
    assert "codec22(" in glue_of("jvm/msgpack4z", widest)
    text = glue_of("jvm/msgpack4z", wider)
    assert "codec23" not in text and "wideRecord[domain.R](" in text and "wideRecordAsMap[domain.R](" in text
    assert "values(22).asInstanceOf[Long]," in text


def test_a_workload_with_a_hyphen_has_packages_and_files_with_none() -> None:
    schema = UNKIND.schema
    assert package(schema) == "my_data"
    assert "package serbench.domain.my_data\n" in scala.domain_source(schema)
    assert "namespace java serbench.thrift_types.my_data\n" in thrift.emit(schema)
    assert package(Schema("package", Record("R", [Field("x", string)]))) == "package_"


@pytest.mark.parametrize("codec", [c for c in CODECS.values() if c.glue.emit or c.idl], ids=lambda c: c.id)
def test_every_generator_writes_unkind_names(codec: Codec) -> None:
    if codec.glue.emit and (text := codec.glue.emit(UNKIND.schema)):
        comment = '"""' if codec.language == "python" else "// "
        assert text.startswith(f"{comment}Generated by serbench from workload my-data:")
        assert not re.search(r"^(package|import|#include) .*my-data", text, re.MULTILINE)
    if codec.idl:
        assert "workload my-data." in emit_idl(codec.idl.language, UNKIND.schema)


def test_generated_files_of_a_workload_with_a_hyphen_are_included_by_their_names(tmp_path: Path) -> None:
    write_cells(tmp_path, [CODECS["cpp/protobuf"]], [UNKIND])
    assert (tmp_path / "my-data" / "protobuf" / "my_data.proto").exists()
    assert '#include "my_data.pb.h"' in (tmp_path / "my-data" / "protobuf" / "glue.hpp").read_text()


def test_alternatives_are_named_apart_from_types_and_from_each_other() -> None:
    text, again = Alternative("some_text", string), Alternative("someText", string)
    point = Record("Point", [Field("x", i32)])
    union = Union("Shape", [text, again, Alternative("point", point), Alternative("none")])
    spelled = scala.NAMING.spell(Schema("s", Record("R", [Field("a", union), Field("some_text", i32)])))
    assert [a.name for a in spelled.unions[0].alternatives] == ["SomeText", "SomeText_", "Point_", "None_"]
    assert [f.name for f in spelled.root.fields] == ["a", "someText"]
    assert "Shape.point is Point_" in scala.NAMING.notes(Schema("s", Record("R", [Field("a", union)])))


def test_one_identifier_of_a_case_class_stands_for_one_written_name() -> None:
    one, other = Record("One", [Field("id", i32, wire="@id")]), Record("Other", [Field("id", i32)])
    schema = Schema(
        "s",
        Record(
            "R",
            [Field("a", one), Field("b", other), Field("c", Record("Third", [Field("id", i32, wire="@id")]))],
        ),
    )
    spelled = scala.NAMING.spell(schema)
    assert [r.fields[0].name for r in spelled.records] == ["id", "id_", "id", "a"]
    assert scala.written_names(schema) == {"id": "@id", "id_": "id", "a": "a", "b": "b", "c": "c"}


def test_no_field_of_a_case_class_hides_the_root_of_packages_in_a_macro() -> None:
    """jsoniter's macros define a variable ``_name`` for each field, so a field ``root_`` would hide
    ``_root_``, by which they refer to packages (``_root_.java``)."""
    one, other = Record("One", [Field("root", i64, wire="@root")]), Record("Other", [Field("root", i64)])
    schema = Schema("s", Record("R", [Field("one", one), Field("other", other)]))
    assert scala.written_names(schema) == {"root": "@root", "root2_": "root", "one": "one", "other": "other"}
