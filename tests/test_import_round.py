"""Tests that the import of an IDL reads back what serbench writes in that IDL: the same types, as far as the
IDL can express them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.drawn import EDITIONS, drawn_schemas
from tests.support import TEST_WORKLOADS

from serbench.idl import capnp, emit, fbs, thrift
from serbench.idl.lower import Lowered
from serbench.imports import formats
from serbench.imports.base import Imported, Request
from serbench.imports.names import identifier
from serbench.model import (
    Alternative,
    Array,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Schema,
    Type,
    Union,
)
from serbench.model.parts import resolved
from serbench.model.types import SCALARS, bytes_, string
from serbench.paths import Paths
from serbench.workload import load_workloads

SCHEMAS = {
    name: workload.schema
    for folder in (Paths.default().workloads, TEST_WORKLOADS / "grown")
    for name, workload in load_workloads(folder).items()
}

PROGRAMS = {"fbs": "flatc", "capnp": "capnp", "thrift": "thrift"}

CXX = (
    "@0xbdf87d7bb8304e81; annotation namespace(file) :Text; annotation name(field, "
    "enumerant, struct, enum) :Text;"
)
"""The part that tests need of the schema that every Cap'n Proto schema for C++ imports; the original comes
with the C++ headers, not with capnp."""

Told = dict[str, list[tuple[str, str]]]
"""Name of each type → the names and types of its parts."""


def need(language: str) -> None:
    """Skips a test of an IDL whose compiler is not installed."""
    if not shutil.which(PROGRAMS[language]):
        pytest.skip(f"no {PROGRAMS[language]}, which reads {language}")


def imported(language: str, text: str, folder: Path, root: str) -> Imported:
    (folder / "include" / "capnp").mkdir(parents=True, exist_ok=True)
    (folder / "include" / "capnp" / "c++.capnp").write_text(CXX)
    (folder / f"given.{language}").write_text(text)
    return formats()[language].read(
        Request((folder / f"given.{language}",), root=root, folders=(folder / "include",))
    )


def known_as(type: Any) -> str:
    """The name under which a type is compared. The written name of an enum in an IDL is ignored, but that of
    a record is kept."""
    return identifier(type.name) if isinstance(type, Enum) else str(type.name)


class Expected:
    """The types that an IDL file expresses, derived from a lowered schema.

    Attributes:
        types: the schema lowered for the IDL.
    """

    def __init__(self, types: Lowered):
        self.types = types

    def told(self) -> Told:
        found: Told = {}
        left: list[Type] = [self.types.record(self.types.schema.root.name)]
        while left:
            type = left.pop()
            type = resolved(type)
            if known_as(type) in found:
                continue
            match type:
                case Enum():
                    found[known_as(type)] = self.enum(type)
                case Union(name):
                    found[name] = [
                        (each.name, self.alternative(each, left)) for each in self.alternatives(type)
                    ]
                case Record(name):
                    found[name] = [(each.name, self.field(type, each, left)) for each in self.fields(type)]
        return found

    def enum(self, enum: Enum) -> list[tuple[str, str]]:
        return [
            (name, f"{number} of {enum.underlying.name}")
            for name, number in sorted(enum.members, key=lambda m: m[1])
        ]

    def fields(self, record: Record) -> list[Field]:
        return sorted(record.fields, key=lambda field: field.number)

    def alternatives(self, union: Union) -> list[Alternative]:
        return sorted(union.alternatives, key=lambda each: each.number)

    def alternative(self, alternative: Alternative, left: list[Type]) -> str:
        return "nothing" if alternative.type is None else self.item(alternative.type, left)

    def field(self, record: Record, field: Field, left: list[Type]) -> str:
        return self.item(field.type, left)

    def item(self, type: Type, left: list[Type]) -> str:
        """The text by which a type is compared, such as ``list<u8>``; the declared types in it are appended
        to ``left``, which lists the types that are still to be described."""
        match type:
            case Optional(item):
                return f"optional<{self.item(item, left)}>"
            case List(item):
                return f"list<{self.item(item, left)}>"
            case Array(item, length):
                return f"array<{self.item(item, left)}, {length}>"
            case Map(key, value):
                return f"map<{self.item(key, left)}, {self.item(value, left)}>"
            case Scalar(name):
                return name
        left.append(type)
        return known_as(type)


class Fbs(Expected):
    def __init__(self, schema: Schema):
        self.tables = fbs.Tables(schema)
        super().__init__(self.tables.lowered)

    def field(self, record: Record, field: Field, left: list[Type]) -> str:
        if self.tables.is_struct(record):
            declared = {f.name: f.type for f in self.tables.declared(record).fields}[field.name]
            return self.item(declared if isinstance(declared, Array) else field.type, left)
        match field.type:
            case List(Scalar("u8")) | Optional(List(Scalar("u8"))) | Scalar("bytes"):
                return "optional<bytes>"
            case Optional(List()):
                return self.item(field.type.item, left)
            case Scalar("string"):
                return "optional<string>"
        return self.item(field.type, left)

    def item(self, type: Type, left: list[Type]) -> str:
        match type:
            case List(Record(name) as entry) if self.types.made.get(name) == "entry":
                key, value = entry.fields
                return f"map<{self.item(key.type, left)}, {self.field(entry, value, left)}>"
        return super().item(type, left)


class Capnp(Expected):
    def __init__(self, schema: Schema):
        super().__init__(capnp.lowered(schema))

    def enum(self, enum: Enum) -> list[tuple[str, str]]:
        return [(name, f"{number} of u16") for number, (name, _) in enumerate(enum.members)]

    def alternatives(self, union: Union) -> list[Alternative]:
        """The alternatives of a union. A union with a single alternative becomes a struct, in which a field
        without a value is left out."""
        alone = len(union.alternatives) == 1 and union.alternatives[0].type is None
        return [] if alone else super().alternatives(union)

    def field(self, record: Record, field: Field, left: list[Type]) -> str:
        match field.type:
            case Optional(List()):
                return self.item(field.type.item, left)
            case Scalar("string" | "bytes") | Record() | Union() | Ref():
                return f"optional<{self.item(field.type, left)}>"
        return self.item(field.type, left)


class Thrift(Expected):
    WORDS: Mapping[str, str] = {"u8": "i8", "u16": "i32", "u32": "i64", "u64": "i64", "f32": "f64"}

    def __init__(self, schema: Schema):
        super().__init__(thrift.lowered(schema))

    def enum(self, enum: Enum) -> list[tuple[str, str]]:
        return [(name, f"{number} of i32") for name, number in sorted(enum.members, key=lambda m: m[1])]

    def fields(self, record: Record) -> list[Field]:
        return list(record.fields)

    def alternatives(self, union: Union) -> list[Alternative]:
        return list(union.alternatives)

    def item(self, type: Type, left: list[Type]) -> str:
        told = super().item(type, left)
        return self.WORDS.get(told, told) if isinstance(type, Scalar) else told


EXPECTED: Mapping[str, Callable[[Schema], Expected]] = {"fbs": Fbs, "capnp": Capnp, "thrift": Thrift}


def told_by(found: Imported) -> Told:
    """The types that were imported, under the names that they had in the IDL."""
    names = {
        each.name: (each.wire if not isinstance(each, Enum) else "") or each.name
        for each in (found.root, *found.also)
    }
    short = {name: wire.rpartition(".")[2] for name, wire in names.items()}

    def word(type: Type | None) -> str:
        match type:
            case None:
                return "nothing"
            case Optional(item):
                return f"optional<{word(item)}>"
            case List(item):
                return f"list<{word(item)}>"
            case Array(item, length):
                return f"array<{word(item)}, {length}>"
            case Map(key, value):
                return f"map<{word(key)}, {word(value)}>"
            case Ref(name):
                return short[name]
        return str(type.name)  # type: ignore[union-attr]

    told: Told = {}
    for each in (found.root, *found.also):
        if isinstance(each, Enum):
            members = sorted(each.members, key=lambda member: member[1])
            told[short[each.name]] = [
                (each.wire_name(name), f"{number} of {each.underlying.name}") for name, number in members
            ]
        else:
            parts = each.fields if isinstance(each, Record) else each.alternatives
            told[short[each.name]] = [(part.wire_name, word(part.type)) for part in parts]
    return told


@pytest.mark.parametrize("language", EXPECTED)
@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_that_was_written_is_read_as_it_was(language: str, name: str, tmp_path: Path) -> None:
    need(language)
    expected = EXPECTED[language](SCHEMAS[name])
    root = expected.types.schema.root.name
    assert told_by(imported(language, emit(language, SCHEMAS[name]), tmp_path, root)) == expected.told()


@pytest.mark.slow("draw schemas for the compilers of IDLs")
@pytest.mark.parametrize("language", EXPECTED)
def test_a_drawn_schema_that_was_written_is_read_as_it_was(language: str, tmp_path: Path) -> None:
    need(language)
    for schema in (schema for edition in EDITIONS for schema in drawn_schemas(40, edition)):
        expected = EXPECTED[language](schema)
        root = expected.types.schema.root.name
        assert told_by(imported(language, emit(language, schema), tmp_path, root)) == expected.told(), emit(
            language, schema
        )


def test_all_types_are_among_those_that_were_written() -> None:
    met = {
        type
        for schema in SCHEMAS.values()
        for record in schema.records
        for type in (f.type for f in record.fields)
    }
    assert {*SCALARS.values()} <= met
    assert any(isinstance(type, Map) for type in met) and any(isinstance(type, Optional) for type in met)
    assert {string, bytes_} <= met
