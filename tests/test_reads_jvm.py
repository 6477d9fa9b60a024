"""Tests of partial reads by programs of the JVM: the program of a schema with a few of the fields is checked
and measured on bytes that the program of the whole schema has encoded, while values change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.support import PATHS

from serbench.building.prepare import prepare_builds, toolchains
from serbench.changes import parse
from serbench.changes.derived import parse_spec
from serbench.dataset.canonical import decode, encode
from serbench.dataset.edits import Edit, edits_of, write_edits
from serbench.dataset.file import Dataset, join_messages, split_messages, spread, write_like
from serbench.errors import RunnerError
from serbench.measure import judging
from serbench.measure.conversation import Answers, Samples
from serbench.measure.job import Job, Permission
from serbench.measure.judging import Differing
from serbench.measure.process import measuring_words, option_words, run_runner, run_to_end
from serbench.measure.said import SampleSaid
from serbench.measure.unit import Unit
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import Chosen
from serbench.verification.contract import ask, describe
from serbench.verification.watching import cells_of, judge_of
from serbench.workload import load_workloads

pytestmark = pytest.mark.native

KEEP = "keep=monsters[].name,monsters[].hp,monsters[].weapons[].name"
READER = "jvm/protobuf_java"
"""A codec that passes over fields which it does not know, and decodes objects of the library's own."""

DATA_BYTES = 1 << 14
SAMPLES = 2
FROM_OBJECTS = {"encode", "serialize", "build", "roundtrip", "native_roundtrip", "cycle"}


@dataclass(frozen=True)
class Read:
    """A program of the schema with a few of the fields, and the files for it.

    Attributes:
        bodies: the messages as the program of the whole schema encoded them, then each with one edit.
    """

    reader: Unit
    dataset: Dataset
    edits: Path
    bodies: tuple[bytes, ...]
    folder: Path

    def _given(self, bodies: Sequence[bytes]) -> dict[str, Path]:
        """Write bodies to a file; return it and that of what is left, as options."""
        files = {name: self.folder / name for name in ("encoded", "left")}
        files["encoded"].write_bytes(join_messages(bodies))
        files["left"].unlink(missing_ok=True)
        return files

    def measured(self, bodies: Sequence[bytes], cells: Sequence[str]) -> list[Differing]:
        """Measure cells on given bodies; return those that left wrong results."""
        words = measuring_words(self.dataset.path, cells, 1, SAMPLES, 1, str(self.edits), iterations=60)
        command = [*self.reader.command, *words, *option_words(**self._given(bodies))]
        told: Counter[str] = Counter()
        for event in run_runner(
            command, Samples(cells, SAMPLES), silence_limit_s=self.reader.silence_limit_s
        ):
            if isinstance(event, SampleSaid):
                told[event.cell] += event.left
        assert told == dict.fromkeys(cells, SAMPLES)
        return self.differing(told)

    def check(self, bodies: Sequence[bytes], edits: Path | None) -> None:
        """Have the runner check itself on given bodies."""
        words = option_words(dataset=self.dataset.path, edits=edits, **self._given(bodies))
        run_to_end([*self.reader.command, "check", *words], Answers("checked"), self.reader.silence_limit_s)

    def differing(self, told: dict[str, int]) -> list[Differing]:
        return judge_of(self.reader, self.dataset, str(self.edits)).differing(self.folder / "left", told)

    def records(self) -> list[judging.LeftRecord]:
        with (self.folder / "left").open("rb") as file:
            return list(judging._records(file))


@pytest.fixture(scope="module", name="read")
def a_partial_read(tmp_path_factory: pytest.TempPathFactory) -> Read:
    folder = tmp_path_factory.mktemp("read")
    variant = load_variants(PATHS.codecs)[READER]
    specs = [parse_spec(text, load_workloads(PATHS.workloads)) for text in ("monsters", f"monsters/{KEEP}")]
    builds = toolchains(PATHS, [variant], specs=specs)
    found = prepare_builds(Job(PATHS, Chosen([variant], specs), builds, Permission(install=True)))
    whole, reader = sorted(found, key=lambda unit: [each.id for each in specs].index(unit.spec.id))
    for unit in (whole, reader):
        if unit.status == "not_installed":
            pytest.skip(unit.reason)
        assert unit.status == "ok", unit.reason
    messages = spread(whole.data, DATA_BYTES)
    data = write_like(folder / "data", whole.data, messages)
    change = parse(KEEP, whole.spec.workload.schema)

    def kept(message: bytes) -> bytes:
        return encode(change.new.root, change.forward(decode(change.old.root, message)))

    edited: list[bytes] = []
    edits: list[Edit] = []
    for each in edits_of(data):
        message = bytearray(messages[each.message])
        message[each.offset : each.offset + len(each.bytes)] = each.bytes
        before, after = kept(messages[each.message]), kept(bytes(message))
        if places := [n for n, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]:
            edited.append(bytes(message))
            edits.append(Edit(each.message, places[0], after[places[0] : places[-1] + 1]))
    write_edits(folder / "edits", edits)
    dataset = write_like(folder / "reduced", reader.data, map(kept, messages))
    both = write_like(folder / "whole", whole.data, [*messages, *edited])
    ask(whole, "encoded", "encode", dataset=both.path, memory="reuse", out=folder / "encoded")
    bodies = tuple(bytes(each) for each in split_messages((folder / "encoded").read_bytes()))
    return Read(reader, dataset, folder / "edits", bodies, folder)


def test_every_operation_from_bytes_is_checked_on_those_of_the_whole_schema(read: Read) -> None:
    read.check(read.bodies, read.edits)
    offered = set(describe(read.reader).operations)
    assert offered > FROM_OBJECTS
    expected = cells_of(sorted(offered - FROM_OBJECTS))
    assert not read.differing(dict.fromkeys(expected, 1))
    records = read.records()
    assert {record.cell for record in records} == set(expected)
    assert {record.cell for record in records if record.edits} == set(expected)
    assert max(len(record.edits) for record in records) == 1


def test_bytes_of_the_whole_schema_are_measured_while_values_change(read: Read) -> None:
    cells = ["read:reuse", "read:fresh", "serialize:reuse"]  # the last one encodes, as ever
    assert not read.measured(read.bodies, cells)
    assert max(len(record.edits) for record in read.records()) == 1


@pytest.mark.parametrize("cell", ["read:fresh", "decode:reuse"])
def test_bytes_of_other_values_are_caught(read: Read, cell: str) -> None:
    """The body of each edit is that of another one, so that it holds the values of another edit."""
    messages, edits = read.bodies[: read.dataset.messages], read.bodies[read.dataset.messages :]
    try:
        reasons = [each.reason for each in read.measured([*messages, *edits[::-1]], [cell])]
    except RunnerError as error:  # the runner itself compares sums
        reasons = [str(error)]
    assert reasons and all("after its values changed" in reason for reason in reasons), reasons


@pytest.mark.parametrize("more", [-1, 1])
def test_there_is_a_body_for_each_message_and_edit(read: Read, more: int) -> None:
    bodies = [*read.bodies, b""][: len(read.bodies) + more]
    messages, edits = read.dataset.messages, len(read.bodies) - read.dataset.messages
    said = f"has {len(bodies)} bodies; expected one for each of {messages} messages and {edits} edits"
    with pytest.raises(RunnerError, match=said):
        read.measured(bodies, ["read:reuse"])
    with pytest.raises(RunnerError, match=said):
        read.check(bodies, read.edits)
    with pytest.raises(RunnerError, match=f"{messages} messages and 0 edits"):
        read.check(bodies, None)
    read.check(bodies[:messages], None)
