"""Tests of names in Scala: those that other generators make and that glue has to refer to, and those of
generated functions."""

from __future__ import annotations

import re

import pytest
from tests.support import glue_of

from serbench.codecs.glue import load_beside
from serbench.idl.thrift import scrooge_name
from serbench.languages.jvm.canonical import canonical_source
from serbench.model import Alternative, Enum, Field, List, Record, Schema, Union, bytes_, i8, i32, i64, u64
from serbench.paths import Paths

PROTOBUF, SCALAPB_GLUE = (
    load_beside(Paths.default().codecs / "jvm" / name, "glue") for name in ("protobuf_java", "scalapb")
)

# As protoc 4.36.2 and ScalaPB 0.11.20 wrote them for a file with these fields.
SCALAPB = {
    "foo_count": "fooCount",
    "class": "_class",
    "a1b": "a1B",
    "Upper_case": "upperCase",
    "type": "`type`",
    "copy": "_copy",
    "serialized_size": "_serializedSize",
    "fooBar9x_y": "fooBar9XY",
}
JAVA = {
    "foo_count": "FooCount",
    "class": "Class_",
    "a1b": "A1B",
    "Upper_case": "UpperCase",
    "serialized_size": "SerializedSize_",
    "fooBar9x_y": "FooBar9XY",
}


def test_fields_of_scalapb_are_found() -> None:
    assert {name: SCALAPB_GLUE.member(name) for name in SCALAPB} == SCALAPB


def test_getters_of_scalapb_have_no_underscore() -> None:
    fields = [Field("serialized_size", Record("Size", [Field("x", i32)])), Field("wait", i32)]
    text = glue_of("jvm/scalapb", Schema("sizes", Record("Sizes", fields)))
    assert ".getSerializedSize" in text and "._wait" in text


@pytest.mark.parametrize("codec", ["jvm/avro_java", "jvm/avrohugger"])
def test_symbols_of_avro_that_are_words_of_scala_are_quoted(codec: str) -> None:
    words = Enum("Words", i8, [("object", 0), ("plain", 1)])
    text = glue_of(codec, Schema("words", Record("Root", [Field("word", words)])))
    assert "Words.`object`" in text and "Words.plain" in text


def test_a_union_of_one_and_null_of_avro_is_built_of_the_type_of_the_one() -> None:
    union = Union("Maybe", [Alternative("number", i64), Alternative("none")])
    text = glue_of("jvm/avro_java", Schema("maybe", Record("Root", [Field("maybe", union)])))
    assert "new native.Maybe(value.asInstanceOf[java.lang.Long])" in text


# As Scrooge 22.7.0 wrote them for a struct with these fields.
SCROOGE = {
    "foo_count": "fooCount",
    "A1_bC": "a1BC",
    "Upper_CASE": "upperCase",
    "x_1Y": "x1y",
    "type_": "type",
}


def test_names_of_scrooge_are_found() -> None:
    assert {name: scrooge_name(name) for name in SCROOGE} == SCROOGE
    assert scrooge_name("upper_CASE", title=True) == "UpperCase"
    union = Union("Shape", [Alternative("x_1Y", i32), Alternative("type", i32)])
    fields = [Field("A1_bC", i32), Field("shape", union)]
    text = glue_of("jvm/scrooge", Schema("names", Record("Some_names", fields)))
    assert "native.SomeNames(" in text and "message.a1BC" in text
    assert "native.Shape.X1y(" in text and "native.Shape.TypeValue(" in text


def test_accessors_of_protoc_are_found() -> None:
    assert {name: PROTOBUF.accessor(name) for name in JAVA} == JAVA


def test_the_outer_class_gives_way_to_a_message_of_its_name() -> None:
    root = Record("Root", [Field("x", i32)])
    assert PROTOBUF.outer_class(Schema("root", root)) == "RootOuterClass"
    assert PROTOBUF.outer_class(Schema("some_data", root)) == "SomeData"


CLASH = Schema("clash", Record("ListOfI32", [Field("items", List(i32))]))


@pytest.mark.parametrize(
    "text",
    [
        canonical_source(CLASH),
        *(glue_of(f"jvm/{codec}", CLASH) for codec in ("csv", "scrooge", "thrift_java")),
    ],
    ids=["canonical", "csv", "scrooge", "thrift_java"],
)
def test_no_two_functions_share_a_name(text: str) -> None:
    names = re.findall(r"private def (\w+)", text)
    assert len(names) > 3
    assert sorted(names) == sorted(set(names))


def test_no_instance_of_circe_hides_one_that_is_imported() -> None:
    adapter = (Paths.default().codecs / "jvm" / "circe" / "CirceAdapter.scala").read_text()
    imported = set(re.findall(r"(?:val|def) (\w+)", adapter))
    names = [name.removeprefix("encode") for name in imported if re.match("encode.", name)]
    assert {"Enum", "Bytes", "Double"} <= set(names)
    fields = [Field(f"of_{name}", Record(name, [Field("x", bytes_)])) for name in names]
    unions = [Field("of_union", Union("Union", [Alternative("x", i8)]))]
    text = glue_of("jvm/circe", Schema("names", Record("Root", [*fields, *unions])))
    made = set(re.findall(r"implicit lazy val (\w+)", text))
    assert len(made) == 2 * (len(fields) + 2) and made.isdisjoint(imported)


def test_an_open_enum_with_a_number_for_a_name_is_its_number_in_csv() -> None:
    """An open enum is written to CSV by its number if the written name of a member is a number: a name 0
    could not be told from the number 0 of an unknown member."""
    zero = Enum("Zero", u64, [("zero", 5), ("one", 1)], wire=[("zero", "0")], open=True)
    closed = Enum("Closed", i8, [("zero", 5)], wire=[("zero", "0")])
    named = Enum("Named", i8, ["low"], open=True)
    fields = [Field("zero", zero), Field("closed", closed), Field("named", named)]
    text = glue_of("jvm/csv", Schema("numbers", Record("Root", fields)))
    assert "out.u64(value.zero.number)" in text and "domain.Zero.of(in.u64())" in text
    assert "out.string(value.closed.name)" in text and "domain.Closed.of(in.string())" in text
    assert "out.string(value.named.name)" in text and "domain.Named.ofKey(in.string())" in text
