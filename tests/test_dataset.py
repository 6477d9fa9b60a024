"""Tests of dataset files and their cache: which files are written where, and which are refused."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import schemas_with_values
from tests.support import examples

from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.dataset.canonical import decode
from serbench.dataset.edges import edge_values
from serbench.dataset.file import Dataset, join_messages, read_dataset, split_messages, write_dataset
from serbench.dataset.values import are_same, first_difference
from serbench.errors import DatasetError
from serbench.model import Schema, f32, f64, i32, string, u8, u16
from serbench.model.types import Field, List, Map, Optional, Record
from serbench.paths import PROJECT, Paths
from serbench.workload import Parameter, Workload, WorkloadSpec, load_workloads

POINT = Record("Point", [Field("x", u16), Field("name", string)])
SCHEMA = Schema("points", POINT)
VALUES = [(1, "a"), (2, ""), (3, "é")]
BODY = bytes.fromhex(
    "07 00 00 00  01 00 01 00 00 00 61"
    "06 00 00 00  02 00 00 00 00 00"
    "08 00 00 00  03 00 02 00 00 00 c3 a9"
)  # fmt: skip
REMEDY = "delete the file and run again; it will be regenerated"


@pytest.fixture(name="dataset")
def dataset_of_points(tmp_path: Path) -> Dataset:
    return write_dataset(tmp_path, "points", {"count": 3}, SCHEMA, VALUES)


def refusal(path: Path, change: Callable[[bytearray], object]) -> str:
    """The error with which a dataset file is refused after ``change``."""
    data = bytearray(path.read_bytes())
    change(data)
    path.write_bytes(data)
    with pytest.raises(DatasetError) as caught:
        read_dataset(path)
    return str(caught.value)


def overwrite(at: int, new: bytes) -> Callable[[bytearray], object]:
    def change(data: bytearray) -> None:
        assert data[at : at + len(new)] != new
        data[at : at + len(new)] = new

    return change


# --- the file ---


def test_the_file_has_the_documented_layout(dataset: Dataset) -> None:
    data = dataset.path.read_bytes()
    magic, version, header_bytes, messages, body_bytes = struct.unpack_from("<8sIIQQ", data)
    assert (magic, version, messages, body_bytes) == (b"SERBENCH", 1, 3, len(BODY))
    assert data[32:64] == hashlib.sha256(BODY).digest()
    assert data[64:96].hex() == SCHEMA.digest()
    header = json.loads(data[96 : 96 + header_bytes])
    assert header == {"workload": "points", "parameters": {"count": 3}, "schema": SCHEMA.to_json()}
    assert data[96 + header_bytes :] == BODY


def test_a_file_that_was_written_is_read_again(dataset: Dataset) -> None:
    assert read_dataset(dataset.path) == dataset
    assert (dataset.messages, dataset.body_bytes, dataset.canonical_bytes) == (3, len(BODY), len(BODY) - 12)
    assert dataset.sha256 == hashlib.sha256(BODY).hexdigest()
    assert dataset.schema().root == POINT
    assert dataset.body() == BODY
    assert [decode(POINT, m) for m in dataset.read_messages()] == VALUES


def test_the_file_is_named_by_everything_in_it(tmp_path: Path, dataset: Dataset) -> None:
    again = write_dataset(tmp_path, "points", {"count": 3}, SCHEMA, VALUES)
    assert again.path == dataset.path
    renamed = Schema("points", Record("Point", [Field("y", u16), Field("name", string)]))
    others = [
        write_dataset(tmp_path, "points", {"count": 4}, SCHEMA, VALUES),
        write_dataset(tmp_path, "points", {"count": 3}, SCHEMA, VALUES[:2]),
        write_dataset(tmp_path, "points", {"count": 3}, renamed, VALUES),
    ]
    assert len({d.path for d in [dataset, *others]}) == 4
    assert sorted(tmp_path.iterdir()) == sorted({d.path for d in [dataset, *others]})


def test_no_messages_are_refused(tmp_path: Path) -> None:
    with pytest.raises(
        DatasetError, match=r"workload points with \{\} generated no messages; expected at least one"
    ):
        write_dataset(tmp_path, "points", {}, SCHEMA, [])


def test_a_wrong_value_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(
        DatasetError, match=r"workload points, message 1, Point\.x: found 70000, expected u16"
    ):
        write_dataset(tmp_path, "points", {}, SCHEMA, [(1, "a"), (70000, "b")])
    assert list(tmp_path.iterdir()) == []


@given(st.lists(st.binary(max_size=5)))
def test_joined_messages_are_split_again(messages: list[bytes]) -> None:
    assert [bytes(m) for m in split_messages(join_messages(messages))] == messages


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("01 00 00", "a message's length is cut off at byte 0 of 3"),
        ("00 00 00 00 01 00", "a message's length is cut off at byte 4 of 6"),
        ("02 00 00 00 61", "message at byte 4: length 2, but 1 bytes are left"),
    ],
)
def test_message_lengths_that_do_not_fit_are_refused(body: str, message: str) -> None:
    with pytest.raises(DatasetError) as caught:
        list(split_messages(bytes.fromhex(body)))
    assert str(caught.value) == message


# --- files that are refused ---


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        DatasetError, match=r"gone\.dataset: the dataset cannot be read: No such file or directory"
    ):
        read_dataset(tmp_path / "gone.dataset")


def test_a_file_cut_at_any_length_is_refused(tmp_path: Path, dataset: Dataset) -> None:
    whole = dataset.path.read_bytes()
    for length in range(len(whole)):
        path = tmp_path / "cut.dataset"
        path.write_bytes(whole[:length])
        with pytest.raises(DatasetError, match="truncated"):
            read_dataset(path)


def test_a_truncated_file_is_refused_with_digests_and_remedy(dataset: Dataset) -> None:
    size = dataset.path.stat().st_size
    said = refusal(dataset.path, lambda data: data.pop())
    found = hashlib.sha256(BODY[:-1]).hexdigest()
    assert said == (
        f"dataset {dataset.path} is truncated: {size - 1} bytes, expected {size}; "
        f"its digest is {found}, expected {dataset.sha256}; {REMEDY}"
    )


def test_a_file_with_bytes_added_is_refused(dataset: Dataset) -> None:
    assert f"{dataset.path} is too long" in refusal(dataset.path, lambda data: data.append(0))


def test_an_altered_body_is_refused_with_digests_and_remedy(dataset: Dataset) -> None:
    said = refusal(dataset.path, overwrite(dataset.path.stat().st_size - 1, b"\xa8"))
    found = hashlib.sha256(BODY[:-1] + b"\xa8").hexdigest()
    assert (
        said
        == f"dataset {dataset.path} was altered: its digest is {found}, expected {dataset.sha256}; {REMEDY}"
    )


def test_another_version_is_refused(dataset: Dataset) -> None:
    said = refusal(dataset.path, overwrite(8, struct.pack("<I", 2)))
    assert said == f"dataset {dataset.path} has version 2; this serbench reads version 1; {REMEDY}"


def test_a_file_of_another_kind_is_refused(dataset: Dataset) -> None:
    said = refusal(dataset.path, overwrite(0, b"PK"))
    assert (
        said == f"{dataset.path} is not a dataset file: it begins with b'PKRBENCH', not b'SERBENCH'; {REMEDY}"
    )


def test_an_altered_schema_is_refused(dataset: Dataset) -> None:
    at = dataset.path.read_bytes().index(b'"x"')
    said = refusal(dataset.path, overwrite(at, b'"z"'))
    assert said == (
        f"dataset {dataset.path} was altered: its schema does not match its digest "
        f"{SCHEMA.digest()}; {REMEDY}"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [(b'"u16"', b'"u61"'), (b'"Point"', b'"Paint"'), (b'"schema":{', b'"schema":['), (b'"root"', b'"toor"')],
)
def test_a_header_that_declares_no_schema_is_refused_by_the_name_of_the_file(
    dataset: Dataset, old: bytes, new: bytes
) -> None:
    at = dataset.path.read_bytes().index(old)
    said = refusal(dataset.path, overwrite(at, new))
    assert str(dataset.path) in said
    assert REMEDY in said


@pytest.mark.parametrize(
    "at", [16, 24, 32, 64], ids=["messages", "body_bytes", "body_sha256", "schema_sha256"]
)
def test_an_altered_number_or_digest_of_the_header_is_refused(dataset: Dataset, at: int) -> None:
    old = dataset.path.read_bytes()[at]
    assert str(dataset.path) in refusal(dataset.path, overwrite(at, bytes([old ^ 1])))


# --- the cache ---

COUNTED = Record("Counted", [Field("n", i32)])
RECIPE = """
from serbench.model import Field, Record, i32
from serbench.workload import Parameter, Workload

counted = Record("Counted", [Field("n", i32)])

def generate(count):
    yield from ((n,) for n in range(count))

workload = Workload("counted", "numbers", counted, generate, [Parameter("count", 2, "how many")])
"""


def counted(calls: list[int], count: int) -> WorkloadSpec:
    """A workload that appends its count to ``calls`` whenever its data are generated."""

    def generate(count: int) -> Iterator[Any]:
        calls.append(count)
        yield from ((n,) for n in range(count))

    return WorkloadSpec(
        Workload("counted", "", COUNTED, generate, [Parameter("count", 2, "")]), {"count": count}
    )


def test_data_are_generated_once_and_found_again(tmp_path: Path) -> None:
    paths, calls = Paths(PROJECT, tmp_path), list[int]()
    first = dataset_for(counted(calls, 3), paths)
    assert dataset_for(counted(calls, 3), paths) == first
    assert calls == [3]
    assert [decode(COUNTED, m) for m in first.read_messages()] == [(0,), (1,), (2,)]
    assert first.path.parent == paths.datasets


def test_other_parameters_give_another_file(tmp_path: Path) -> None:
    paths, calls = Paths(PROJECT, tmp_path), list[int]()
    one, other = dataset_for(counted(calls, 3), paths), dataset_for(counted(calls, 4), paths)
    assert one.path != other.path
    assert calls == [3, 4]
    assert (one.messages, other.messages) == (3, 4)
    assert dataset_for(counted(calls, 3), paths) == one


def test_a_deleted_file_is_generated_anew(tmp_path: Path) -> None:
    paths, calls = Paths(PROJECT, tmp_path), list[int]()
    first = dataset_for(counted(calls, 3), paths)
    first.path.unlink()
    assert dataset_for(counted(calls, 3), paths) == first
    assert calls == [3, 3]


@pytest.mark.parametrize(
    ("yielded", "said"),
    [
        ("{'n': 1}", "message 1, Counted: found {'n': 1}, expected a tuple of 1 fields"),
        ("('x',)", r"message 1, Counted\.n: found 'x', expected i32"),
        ("None + n", r"its generator failed at .*counted\.py, line \d+: TypeError"),
    ],
)
def test_faulty_data_are_named_by_message_and_field(tmp_path: Path, yielded: str, said: str) -> None:
    (tmp_path / "counted.py").write_text(RECIPE.replace("((n,)", f"((n,) if n != 1 else {yielded}"))
    workload = load_workloads(tmp_path)["counted"]
    with pytest.raises(DatasetError, match=f"workload counted.*{said}"):
        dataset_for(WorkloadSpec(workload, {"count": 2}), Paths(PROJECT, tmp_path))
    assert not list(tmp_path.rglob("*.dataset"))


@pytest.mark.parametrize(
    "damage", ["", "../outside", "/etc/passwd", "gone.dataset", "a\0b", "x" * 100_000, "\ud800"]
)
def test_a_damaged_index_only_costs_the_time_to_generate(tmp_path: Path, damage: str) -> None:
    paths, calls = Paths(PROJECT, tmp_path), list[int]()
    first = dataset_for(counted(calls, 3), paths)
    (index,) = (paths.datasets / "index").iterdir()
    index.write_bytes(damage.encode("utf-8", "surrogatepass"))
    assert dataset_for(counted(calls, 3), paths) == first
    assert calls == [3, 3] and index.read_text() == first.path.name


def test_a_changed_recipe_is_not_served_old_data(tmp_path: Path) -> None:
    paths = Paths(PROJECT, tmp_path)
    found = []
    for folder, recipe in (("old", RECIPE), ("same", RECIPE), ("new", RECIPE.replace("((n,)", "((n + 1,)"))):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "counted.py").write_text(recipe)
        workload = load_workloads(tmp_path / folder)["counted"]
        found.append(dataset_for(WorkloadSpec(workload, {"count": 2}), paths))
    assert found[0] == found[1]
    assert [decode(COUNTED, m) for m in found[2].read_messages()] == [(1,), (2,)]


def test_a_cached_file_with_any_byte_altered_is_refused_and_kept(tmp_path: Path) -> None:
    paths, calls = Paths(PROJECT, tmp_path), list[int]()
    path = dataset_for(counted(calls, 3), paths).path
    whole, accepted = path.read_bytes(), []
    for at in range(len(whole)):
        damaged = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        path.write_bytes(damaged)
        try:
            dataset_for(counted(calls, 3), paths)
            accepted.append(at)
        except DatasetError:
            assert path.read_bytes() == damaged
    assert accepted == []
    assert calls == [3]


def test_edge_values_have_a_file_of_their_own(tmp_path: Path) -> None:
    paths, calls = Paths(PROJECT, tmp_path), list[int]()
    data, edge = dataset_for(counted(calls, 3), paths), edge_dataset_for(counted(calls, 3), paths)
    assert edge.path != data.path
    assert [decode(COUNTED, m) for m in edge.read_messages()] == edge_values(COUNTED)
    assert edge_dataset_for(counted(calls, 4), paths) == edge


# --- differences ---

TREE = Record(
    "Tree", [Field("points", List(POINT)), Field("map", Map(string, Optional(f32))), Field("real", f64)]
)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (([(1, "a")], {"k": 1.5}, 0.0), None),
        (([(2, "a")], {"k": 1.5}, 0.0), "Tree.points[0].x: found 2, expected 1"),
        (([(1, "b")], {"k": 1.5}, 0.0), "Tree.points[0].name: found 'b', expected 'a'"),
        (([], {"k": 1.5}, 0.0), "Tree.points: found 0 items, expected 1"),
        (([(1, "a")], {"j": 1.5}, 0.0), "Tree.map: found keys ['j'], expected ['k']"),
        (([(1, "a")], {"k": None}, 0.0), "Tree.map['k']: found None, expected 1.5"),
        (([(1, "a")], {"k": 1.25}, 0.0), "Tree.map['k']: found 1.25, expected 1.5"),
        (([(1, "a")], {"k": 1.5}, -0.0), "Tree.real: found -0.0, expected 0.0"),
    ],
)
def test_the_first_difference_is_named_by_its_place(found: Any, message: str | None) -> None:
    assert first_difference(TREE, ([(1, "a")], {"k": 1.5}, 0.0), found) == message


def test_a_tolerance_holds_for_floats_alone() -> None:
    assert first_difference(f32, 1.0, 1.25, float_absolute=0.25) is None
    assert first_difference(f32, -0.0, 0.0, float_absolute=0.25) is None
    assert first_difference(f32, float("inf"), float("inf"), float_absolute=0.25) is None
    assert first_difference(f32, 1.0, 1.5, float_absolute=0.25) == "f32: found 1.5, expected 1.0"
    assert first_difference(f32, float("nan"), float("nan"), float_absolute=0.25) is None
    assert first_difference(f32, 1.0, float("nan"), float_absolute=0.25) == "f32: found nan, expected 1.0"
    assert first_difference(u8, 1, 2, float_absolute=5.0) == "u8: found 2, expected 1"


@given(schemas_with_values())
@settings(max_examples=examples(60), deadline=None)
def test_a_value_does_not_differ_from_itself(sample: tuple[Schema, Any]) -> None:
    schema, value = sample
    assert first_difference(schema.root, value, value) is None


@pytest.mark.parametrize(
    ("one", "other", "is_seen"),
    [
        ((1, ["a"], {"k": 1.5}), (1, ["a"], {"k": 1.5}), True),
        (0.0, -0.0, False),
        (1, True, False),
        ("1", 1, False),
        (b"a", "a", False),
        ([None], [], False),
        (float("nan"), struct.unpack("<d", bytes.fromhex("010000000000f87f"))[0], False),
    ],
)
def test_values_are_the_same_at_a_glance_only_where_all_bits_are(one: Any, other: Any, is_seen: bool) -> None:
    assert are_same(one, other) is is_seen
