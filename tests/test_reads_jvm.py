"""Tests of partial reads by programs of the JVM: the program of a schema with a few of the fields is checked
and measured on bytes that the program of the whole schema has encoded, while values change."""

from __future__ import annotations

import pytest
from tests.reads import (
    Read,
    catches_other_values,
    keeping,
    read_of,
    refuses_other_numbers,
    skip_unless_built,
    units_of,
)

from serbench.dataset.file import spread, write_like
from serbench.verification.contract import describe
from serbench.verification.watching import cells_of

pytestmark = pytest.mark.native

KEEP = "keep=monsters[].name,monsters[].hp,monsters[].weapons[].name"
READER = "jvm/protobuf_java"
"""A codec that passes over fields which it does not know, and decodes objects of the library's own."""

DATA_BYTES = 1 << 14
FROM_OBJECTS = {"encode", "serialize", "build", "roundtrip", "native_roundtrip", "cycle"}


@pytest.fixture(scope="module", name="read")
def a_partial_read(tmp_path_factory: pytest.TempPathFactory) -> Read:
    folder = tmp_path_factory.mktemp("read")
    whole, reader = units_of([READER], "monsters", KEEP)[READER]
    skip_unless_built((whole, reader))
    data = write_like(folder / "data", whole.data, spread(whole.data, DATA_BYTES))
    return read_of(whole, reader, keeping(KEEP, whole), folder, data)


def test_every_operation_from_bytes_is_checked_on_those_of_the_whole_schema(read: Read) -> None:
    offered = set(describe(read.reader).operations)
    assert offered > FROM_OBJECTS
    expected = cells_of(sorted(offered - FROM_OBJECTS))
    assert not read.checked(read.bodies, read.edits, expected)
    records = read.records()
    assert {record.cell for record in records} == set(expected)
    assert {record.cell for record in records if record.edits} == set(expected)
    assert max(len(record.edits) for record in records) == 1
    read.checked(read.bodies[: read.dataset.messages], None, ())


def test_bytes_of_the_whole_schema_are_measured_while_values_change(read: Read) -> None:
    cells = ["read:reuse", "read:fresh", "serialize:reuse"]  # the last one encodes, as ever
    assert not read.measured(read.bodies, cells)
    assert max(len(record.edits) for record in read.records()) == 1


@pytest.mark.parametrize("cell", ["read:fresh", "decode:reuse"])
def test_bytes_of_other_values_are_caught(read: Read, cell: str) -> None:
    """The body of each edit is that of another one, so that it holds the values of another edit."""
    messages, edits = read.bodies[: read.dataset.messages], read.bodies[read.dataset.messages :]
    catches_other_values(read, [*messages, *edits[::-1]], cell)


@pytest.mark.parametrize("more", [-1, 1])
def test_there_is_a_body_for_each_message_and_edit(read: Read, more: int) -> None:
    refuses_other_numbers(read, more, "read:reuse")
