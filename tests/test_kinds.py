"""Tests of kinds of types: the words with which a codec declares the kinds that it expresses by others, and
the kinds that follow from its IDL."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.test_support import codec

from serbench.errors import FileError, SerbenchError
from serbench.idl import emitters, lowers
from serbench.model.kinds import KINDS, LOGICAL, field_of, kinds_called, schema_of
from serbench.paths import PROJECT
from serbench.selecting.catalogue import load_variants

VARIANTS = load_variants(PROJECT / "codecs")


def test_every_kind_has_an_example_that_stands_beside_all_others() -> None:
    schema = schema_of(KINDS)
    assert [field.name for field in schema.root.fields[1:]] == [field_of(kind) for kind in KINDS]
    assert [field.type for field in schema.root.fields[1:]] == list(KINDS.values())
    assert schema.is_recursive and len({type.name for type in schema.named}) == len(schema.named)


def test_a_word_stands_for_every_kind_that_begins_with_it() -> None:
    assert kinds_called("wide enum") == ("wide enum",)
    assert kinds_called("map") == ("map by string", "map by number", "map by bool", "map by enum")
    assert kinds_called("list") == ("list", "list of lists", "list of optionals")
    with pytest.raises(SerbenchError, match="unknown kind of type 'maps'; did you mean map by"):
        kinds_called("maps")
    with pytest.raises(SerbenchError, match="known: array, bool, bytes, date"):
        kinds_called("§§")


def test_what_a_codec_declares_and_its_variant_adds_is_lowered(tmp_path: Path) -> None:
    variant = codec(tmp_path, 'lowered = ["array"]', before='lowered = ["union"]\n')
    lowered = {kind for kind in KINDS if variant.is_lowered(kind)}
    assert (
        lowered
        == {"union of records", "union of scalars", "union with an empty alternative", "array"} | LOGICAL
    )


def test_a_codec_that_says_nothing_is_not_taken_for_native(tmp_path: Path) -> None:
    assert codec(tmp_path / "silent", "").is_lowered("date") is None
    assert codec(tmp_path / "native", "", before="lowered = []\n").is_lowered("i8") is False


def test_a_library_with_logical_types_has_them_but_for_those_that_it_names(tmp_path: Path) -> None:
    glue = "LOGICAL = True\ndef fits(schema, variant):\n    return None\n"
    variant = codec(tmp_path, "", glue, before='lowered = ["duration"]\n')
    assert {kind for kind in LOGICAL if variant.is_lowered(kind)} == {"duration"}


@pytest.mark.parametrize(
    ("before", "added", "where"), [("lowered", "", "lowered"), ("", "lowered", "variants.default.lowered")]
)
def test_an_unknown_kind_is_a_fault_of_the_file(tmp_path: Path, before: str, added: str, where: str) -> None:
    said = ' = ["map by numbers"]\n'
    with pytest.raises(
        FileError, match=f"{where}: unknown kind of type 'map by numbers'; did you mean map by number"
    ):
        codec(tmp_path, added and added + said, before=before and before + said)


def test_what_an_idl_has_not_is_lowered_without_a_word() -> None:
    told = {language: lowers(language) for language in emitters()}
    assert (
        told["capnp"] >= {"map by string", "fixed bytes", "array", "open enum"}
        and "list of lists" not in told["capnp"]
    )
    assert told["proto2"] - told["proto"] == {"open enum"}
    assert told["thrift"] == told["thrift_plain"]
    # If several numbers share a word of the IDL, it stands for the widest.
    numbers = {language: {kind for kind in kinds if kind[1:].isdecimal()} for language, kinds in told.items()}
    assert numbers["proto"] == {"i8", "i16", "u8", "u16"} and numbers["fbs"] == set()
    assert numbers["thrift"] == {"u8", "u16", "u32", "u64", "f32"}
    assert VARIANTS["cpp/protobuf:default"].is_lowered("list of lists")
    assert VARIANTS["cpp/thrift:binary"].is_lowered("list of lists") is False


def test_no_idl_lowers_everything_or_nothing() -> None:
    for language in emitters():
        assert {"array"} <= lowers(language) and not lowers(language) & {
            "bool",
            "i32",
            "i64",
            "f64",
            "string",
            "record",
            "list",
        }
