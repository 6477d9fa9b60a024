"""Tests of the catalogues of formats that need a schema: other implementations, and readers that are written
from the specifications, do with each case what the catalogue says; planted faults fail at their section."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from typing import Any

import fastavro
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError
from tests.thrift_readers import Binary, Compact, struct_of

from serbench.dataset.values import first_difference
from serbench.model import List, Optional, Record, Type, Union
from serbench.paths import Paths
from serbench.selecting.conformance import Case, Catalogue, load_catalogues

CATALOGUES = load_catalogues(Paths.default().conformance)
Read = Callable[[bytes], tuple[Any, ...]]
ONEOF = "one"

_PROTO = descriptor_pb2.FieldDescriptorProto
_PROTO_TYPES = {
    "string": _PROTO.TYPE_STRING,
    "bytes": _PROTO.TYPE_BYTES,
    "i32": _PROTO.TYPE_INT32,
    "i64": _PROTO.TYPE_INT64,
    "u64": _PROTO.TYPE_UINT64,
    "f32": _PROTO.TYPE_FLOAT,
    "f64": _PROTO.TYPE_DOUBLE,
    "bool": _PROTO.TYPE_BOOL,
}
_AVRO_TYPES = {"i32": "int", "i64": "long", "f32": "float", "f64": "double", "bool": "boolean"}


def _root(catalogue: Catalogue) -> Record:
    root = catalogue.spec.workload.root
    assert isinstance(root, Record)
    return root


def _by_protobuf(catalogue: Catalogue) -> Read:
    """Google's reader of a schema in proto3; its errors are no values."""
    file = descriptor_pb2.FileDescriptorProto(name="cases.proto", package="cases", syntax="proto3")

    def add(of: Record | Union) -> None:
        made = file.message_type.add(name=of.name)
        if isinstance(of, Union):
            made.oneof_decl.add(name=ONEOF)
        for number, field in enumerate(of.parts, 1):
            item = field.type.item if isinstance(field.type, List) else field.type
            repeated = _PROTO.LABEL_REPEATED if item is not field.type else _PROTO.LABEL_OPTIONAL
            added = made.field.add(name=field.name, number=number, label=repeated)
            if isinstance(of, Union):
                added.oneof_index = 0
            if isinstance(item, Record | Union):
                add(item)
                added.type, added.type_name = _PROTO.TYPE_MESSAGE, f".cases.{item.name}"
            else:
                added.type = _PROTO_TYPES[str(getattr(item, "name", ""))]

    add(_root(catalogue))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    generated = message_factory.GetMessageClass(pool.FindMessageTypeByName(f"cases.{_root(catalogue).name}"))

    def read(message: bytes) -> tuple[Any, ...]:
        try:
            found = generated.FromString(message)
        except DecodeError as error:
            raise ValueError(error) from error
        return tuple(_plain(field.type, getattr(found, field.name)) for field in _root(catalogue).fields)

    return read


def _plain(type: Type, value: Any) -> Any:
    if isinstance(type, Union):
        chosen = value.WhichOneof(ONEOF)
        return [each.name for each in type.alternatives].index(chosen), getattr(value, chosen)
    if isinstance(type, Record):
        return tuple(getattr(value, field.name) for field in type.fields)
    return list(value) if isinstance(type, List) else value


def _avro_type(type: Type) -> Any:
    if isinstance(type, List):
        return {"type": "array", "items": _avro_type(type.item)}
    if isinstance(type, Optional):
        return ["null", _avro_type(type.item)]
    name = str(getattr(type, "name", ""))
    return _AVRO_TYPES.get(name, name)


def _by_fastavro(catalogue: Catalogue) -> Read:
    fields = [{"name": each.name, "type": _avro_type(each.type)} for each in _root(catalogue).fields]
    schema = fastavro.parse_schema({"type": "record", "name": "Case", "fields": fields})

    def read(message: bytes) -> tuple[Any, ...]:
        try:
            found: Any = fastavro.schemaless_reader(io.BytesIO(message), schema, None)
        except (EOFError, IndexError, OverflowError, MemoryError) as error:
            raise ValueError(error) from error
        return tuple(found.values())

    return read


READERS: dict[str, Callable[[Catalogue], Read]] = {
    "protobuf": _by_protobuf,
    "avro": _by_fastavro,
    "thrift-binary": lambda catalogue: lambda message: struct_of(Binary(message), _root(catalogue)),
    "thrift-compact": lambda catalogue: lambda message: struct_of(Compact(message), _root(catalogue)),
}
ENDS = {"protobuf": b"", "avro": b"", "thrift-binary": b"\0", "thrift-compact": b"\0"}


def _usual(catalogue: Catalogue) -> bytes:
    parts = [catalogue.bytes_of(each.forms[0]) for each in catalogue.fields.values()]
    return _unshared(catalogue, parts) + ENDS[catalogue.format]


def _unshared(catalogue: Catalogue, parts: list[bytes]) -> bytes:
    """Parts one behind another, without the bytes of the next one with which one ends."""
    made = b""
    for part in parts:
        made = made.removesuffix(part) + part
    return made


def _wrong(catalogue: Catalogue, read: Read) -> list[tuple[str, str]]:
    """The cases with which a reader does not do what the catalogue says, each as its section and name."""
    return [(case.section, case.name) for case in catalogue.cases if not _is_right(catalogue, case, read)]


def _is_right(catalogue: Catalogue, case: Case, read: Read) -> bool:
    message = catalogue.message(case, _usual(catalogue))
    assert isinstance(message, bytes), (case.name, message)
    if case.verdict == "may":
        return True
    try:
        found = read(message)
    except (ValueError, RecursionError):
        return case.verdict in ("reject", "either")
    found = tuple(math.nan if each != each else each for each in found)
    return case.verdict in ("accept", "either") and not first_difference(
        _root(catalogue), catalogue.value(case), found
    )


LENIENT = {
    "avro": [
        ("Primitive Types: int, long", "int of 2^31, beyond 32 bits"),
        ("Primitive Types: int, long", "long of eleven bytes"),
        ("Unions", "branch -1"),
    ]
}
"""The cases of which the other implementation is known to read more than its specification has."""


@pytest.mark.parametrize("name", READERS)
def test_another_implementation_does_with_each_case_what_the_catalogue_says(name: str) -> None:
    catalogue = CATALOGUES[name]
    assert _wrong(catalogue, READERS[name](catalogue)) == LENIENT.get(name, [])


def _without_sign(catalogue: Catalogue, read: Read) -> Read:
    at = list(catalogue.fields).index("whole")

    def unsigned(message: bytes) -> tuple[Any, ...]:
        found = read(message)
        return (*found[:at], abs(found[at]), *found[at + 1 :])

    return unsigned


@pytest.mark.parametrize("name", READERS)
def test_a_dropped_sign_is_found_where_numbers_are_specified(name: str) -> None:
    catalogue = CATALOGUES[name]
    found = _wrong(catalogue, _without_sign(catalogue, READERS[name](catalogue)))
    signed = [
        (case.section, case.name)
        for case in catalogue.cases
        if case.at == "whole" and case.verdict == "accept" and case.accept < 0
    ]
    assert [each for each in found if each not in LENIENT.get(name, [])] == signed != []


@pytest.mark.parametrize(
    ("name", "section", "case"),
    [
        ("protobuf", "Base 128 Varints", "a varint that ends within"),
        ("avro", "Records", "the message without its last field"),
        ("thrift-binary", "Struct", "no stop at the end"),
        ("thrift-compact", "Struct", "no stop at the end"),
    ],
)
def test_reading_beyond_the_end_is_found_at_its_section(name: str, section: str, case: str) -> None:
    catalogue = CATALOGUES[name]
    read = READERS[name](catalogue)
    found = _wrong(catalogue, lambda message: read(message + b"\0"))
    assert (section, case) in found
    assert (section, case) not in _wrong(catalogue, read)
