"""Tests of edits of values while a process measures, and messages of high entropy: edited messages are still
values of the schema, with as many bytes."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from tests.strategies import schemas_with_values
from tests.support import PATHS, all_workloads, examples, small_spec

from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.dataset.canonical import decode, encode
from serbench.dataset.edits import EDITS, MESSAGES, Edit, edits_beside, edits_of
from serbench.dataset.entropy import Drawn, drawn_like
from serbench.dataset.file import Dataset, write_dataset
from serbench.model import Field, List, Map, Record, Schema, bool_, f64, i8, i64, string, u8, u64
from serbench.model.types import Type
from serbench.paths import Paths
from serbench.selecting.catalogue import load_variants

Folders = pytest.TempPathFactory


@pytest.fixture(name="folders", scope="module")
def folders_of_the_module(tmp_path_factory: Folders) -> Folders:
    return tmp_path_factory


def dataset_of(folder: Path, schema: Schema, *values: object) -> Dataset:
    return write_dataset(folder, "drawn", {}, schema, values)


def edited(message: bytes, edit: Edit) -> bytes:
    return message[: edit.offset] + edit.bytes + message[edit.offset + len(edit.bytes) :]


@settings(max_examples=examples(200), deadline=None)
@given(schemas_with_values())
def test_an_edit_makes_another_value_of_the_schema(folders: Folders, drawn: tuple[Schema, object]) -> None:
    schema, value = drawn
    data = dataset_of(folders.mktemp("data"), schema, value)
    (message,) = (bytes(each) for each in data.read_messages())
    for edit in [*edits_of(data), *edits_of(data, resizes=True)]:
        after = edited(message, edit)
        assert after != message
        assert encode(schema.root, decode(schema.root, after)) == after


@settings(max_examples=examples(200), deadline=None)
@given(schemas_with_values())
def test_drawn_messages_are_values_of_the_schema(folders: Folders, drawn: tuple[Schema, object]) -> None:
    schema, value = drawn
    made = drawn_like(dataset_of(folders.mktemp("data"), schema, value))
    for message in made.messages:
        assert encode(schema.root, decode(schema.root, message)) == message
    assert made.least_bytes <= sum(map(len, made.messages))


def test_no_drawn_integer_is_beyond_what_a_codec_takes(tmp_path: Path) -> None:
    schema = Schema("numbers", Record("Numbers", [Field("a", List(u64)), Field("b", List(i64))]))
    data = dataset_of(tmp_path, schema, ([1] * 500, [1] * 500))
    free, kept = drawn_like(data), drawn_like(data, greatest=(1 << 63) - 1)

    def values(made: Drawn) -> list[list[int]]:
        first: list[list[int]] = decode(schema.root, made.messages[0])
        return first

    assert max(values(free)[0]) >= 1 << 63 > max(values(kept)[0])
    assert min(values(kept)[1]) < 0
    assert kept.bits == pytest.approx(500 * (63 + 64)) and free.bits == 500 * 128
    few = values(drawn_like(data, greatest=7))
    assert {*few[0]} == set(range(8)) and {*few[1]} == set(range(-8, 8))


@pytest.mark.parametrize("name", sorted(all_workloads()))
def test_every_workload_has_values_that_may_change(name: str) -> None:
    for data in (dataset_for(small_spec(name), PATHS), edge_dataset_for(small_spec(name), PATHS)):
        edits = edits_of(data)
        assert edits == edits_of(data)
        assert edits == sorted(edits, key=lambda edit: (edit.message, edit.offset))
        messages = {edit.message for edit in edits}
        assert 0 < len(messages) <= MESSAGES
        assert max(sum(edit.message == message for edit in edits) for message in messages) <= EDITS


def test_drawn_messages_cannot_be_compressed_below_what_is_said_of_them() -> None:
    made = drawn_like(dataset_for(small_spec("nobid"), PATHS))
    packed = len(zlib.compress(b"".join(made.messages), 9))
    assert 100 < made.least_bytes < packed


def offsets(folder: Path, type: Type, value: object) -> dict[int, bytes]:
    schema = Schema("one", Record("One", [Field("value", type)]))
    return {edit.offset: edit.bytes for edit in edits_of(dataset_of(folder, schema, (value,)))}


def test_what_an_edit_makes_has_as_many_digits(tmp_path: Path) -> None:
    assert offsets(tmp_path, i8, -10) == {0: (-11).to_bytes(1, "little", signed=True)}
    assert offsets(tmp_path, u8, 127) == {0: bytes([126])}
    assert offsets(tmp_path, string, "az9-") == {4: b"b", 5: b"y", 6: b"8"}


def test_what_has_no_neighbour_of_as_many_digits_stays(tmp_path: Path) -> None:
    for type, value in ((u8, 0), (u8, 1), (i8, -1), (i8, -128), (bool_, True), (string, "ß-")):
        assert offsets(tmp_path, type, value) == {}
    assert offsets(tmp_path, Map(u8, u8), {7: 8}) == {5: b"\x09"}  # and not the key


def test_floats_change_where_there_is_nothing_else(tmp_path: Path) -> None:
    assert len(offsets(tmp_path, f64, 1.5)) == 1
    schema = Schema("two", Record("Two", [Field("real", f64), Field("whole", u8)]))
    assert {edit.offset for edit in edits_of(dataset_of(tmp_path, schema, (1.5, 7)))} == {8}


def test_the_file_of_edits_is_made_once_and_there_is_none_without_edits(tmp_path: Path) -> None:
    one = Schema("one", Record("One", [Field("value", u8)]))
    first = edits_beside(dataset_of(tmp_path, one, (7,)))
    assert first and first == edits_beside(dataset_of(tmp_path, one, (7,)))
    assert Path(first).read_bytes()[:8] == b"SERBEDIT"
    assert edits_beside(dataset_of(tmp_path, one, (0,))) is None


def test_who_tells_no_float_from_its_neighbour_has_no_edits_of_floats(tmp_path: Path) -> None:
    one = dataset_of(tmp_path, Schema("one", Record("One", [Field("real", f64)])), (1.5,))
    assert edits_beside(one) and edits_beside(one, floats=False) is None
    two = Schema("two", Record("Two", [Field("real", f64), Field("whole", u8)]))
    data = dataset_of(tmp_path, two, (1.5, 7))
    assert edits_of(data, floats=False) == edits_of(data) != []
    assert edits_beside(data, floats=False) != edits_beside(data)
    variants = load_variants(Paths.default().codecs)
    assert (
        not variants["cpp/bitsery:compression"].tells_floats and variants["cpp/bitsery:general"].tells_floats
    )
