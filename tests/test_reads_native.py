"""Tests of partial reads by native programs: the program of a schema with a few of the fields measures on
bytes that the program of the whole schema has encoded, while values change."""

from __future__ import annotations

from pathlib import Path

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

from serbench.dataset.canonical import decode, encode
from serbench.dataset.file import join_messages, split_messages, write_dataset
from serbench.measure.unit import Unit
from serbench.verification.checks import fed
from serbench.verification.contract import ask, encoded_by

pytestmark = pytest.mark.native

KEEP = "keep=monsters[].name,monsters[].hp,monsters[].weapons[].name"
READERS = ("c/protobuf_c:heap", "go/protobuf:official", "go/encoding_json")
"""Codecs that pass over fields which they do not know; the last decodes domain objects, the others objects of
the library's own."""

MORE = ("cpp/protobuf:default", "rust/prost")
"""Such codecs whose runner is that of C too, and which take much longer to build."""

PATHS = "monsters[].pos.y,monsters[].hp"
IN_PLACE = ("cpp/flatbuffers", "rust/flatbuffers")
"""Codecs whose verifier looks at a message before fields are read in place."""

CELLS = ("read:reuse", "read:fresh", "decode:reuse", "deserialize:fresh", "serialize:reuse")
"""Cells that start from given bytes, and one of an operation that encodes as ever."""


@pytest.fixture(scope="module", name="units")
def units_by_codec(request: pytest.FixtureRequest) -> dict[str, tuple[Unit, Unit]]:
    names = [*READERS, *(MORE if request.config.getoption("--all") else ())]
    return units_of(names, "monsters", KEEP)


@pytest.fixture(params=[*READERS, *MORE], name="read")
def a_partial_read(
    units: dict[str, tuple[Unit, Unit]], request: pytest.FixtureRequest, tmp_path: Path
) -> Read:
    if request.param not in units:
        pytest.skip(f"{request.param} is left to ./serbench test --all")
    whole, reader = units[request.param]
    skip_unless_built((whole, reader))
    schema = whole.spec.workload.schema
    ((monsters,),) = (decode(schema.root, each) for each in whole.data.read_messages())
    few = write_dataset(tmp_path, "few", {}, schema, [(monsters[n:],) for n in (-1, -2, -3)])
    return read_of(whole, reader, keeping(KEEP, whole), tmp_path, few)


def test_bytes_of_the_whole_schema_are_read_while_values_change(read: Read) -> None:
    assert not read.measured(read.bodies, CELLS)
    in_force = {(record.cell, len(record.edits)) for record in read.records()}
    assert {count for _, count in in_force} <= {0, 1}
    assert {cell for cell, count in in_force if count} == set(CELLS)
    read.checked(read.bodies, read.edits, ())
    read.checked(read.bodies[: read.dataset.messages], None, ())


@pytest.mark.parametrize("cell", ["read:fresh", "decode:reuse"])
def test_bytes_of_other_values_are_caught(read: Read, cell: str) -> None:
    """The body of each edit is that of another one, so that it holds the values of another edit."""
    messages, edits = read.bodies[: read.dataset.messages], read.bodies[read.dataset.messages :]
    catches_other_values(read, [*messages, *edits[::-1]], cell)


@pytest.mark.parametrize("more", [-1, 1])
def test_there_is_a_body_for_each_message_and_edit(read: Read, more: int) -> None:
    refuses_other_numbers(read, more, "read:reuse")


@pytest.fixture(scope="module", name="in_place")
def units_in_place() -> dict[str, tuple[Unit, Unit]]:
    return units_of(IN_PLACE, "monsters", f"read={PATHS}")


@pytest.mark.parametrize("codec", IN_PLACE)
def test_a_verifier_looks_at_fields_that_the_reader_has_not(
    in_place: dict[str, tuple[Unit, Unit]], codec: str, tmp_path: Path
) -> None:
    """A text of such a field gets a length, and the offset that leads to it a place, beyond the message."""
    whole, reader = in_place[codec]
    skip_unless_built((whole, reader))
    weapon = ("a sword", 1)
    monster: tuple[object, ...] = ((1.0, 2.0, 3.0), 4, 5, "a name", [], 0, [weapon], weapon, [])
    message = encode(whole.data.schema().root, ([monster],))
    (body,) = encoded_by(whole, [message])
    (tmp_path / "encoded").write_bytes(join_messages([body]))
    ask(reader, "decoded", "decode", encoded=tmp_path / "encoded", out=tmp_path / "out")
    kept = keeping(f"keep={PATHS}", whole)(message)
    assert [*map(bytes, split_messages((tmp_path / "out").read_bytes()))] == [kept]
    length = body.index(b"a name") - 4
    (offset,) = (
        at for at in range(0, length, 4) if at + int.from_bytes(body[at : at + 4], "little") == length
    )
    wrong = [body[:at] + b"\xff\xff\xff\x7f" + body[at + 4 :] for at in (length, offset)]
    assert fed(reader, {"good": [body], "wrong": wrong}) == {"good": [True], "wrong": [False, False]}
