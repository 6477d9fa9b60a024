"""Tests of partial reads by native programs: the program of a schema with a few of the fields measures on
bytes that the program of the whole schema has encoded, while values change."""

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
from serbench.dataset.file import Dataset, join_messages, split_messages, write_dataset, write_like
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
from serbench.verification.contract import ask
from serbench.verification.watching import judge_of
from serbench.workload import load_workloads

pytestmark = pytest.mark.native

KEEP = "keep=monsters[].name,monsters[].hp,monsters[].weapons[].name"
READERS = ("c/protobuf_c:heap", "go/protobuf:official", "go/encoding_json")
"""Codecs that pass over fields which they do not know; the last decodes domain objects, the others objects of
the library's own."""

MORE = ("cpp/protobuf:default", "rust/prost")
"""Such codecs whose runner is that of C too, and which take much longer to build."""

SAMPLES = 3
CELLS = ("read:reuse", "read:fresh", "decode:reuse", "deserialize:fresh", "serialize:reuse")
"""Cells that start from given bytes, and one of an operation that encodes as ever."""


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

    def measured(self, bodies: Sequence[bytes], cells: Sequence[str]) -> tuple[list[Differing], Path]:
        """Measure cells on given bodies; return those that left wrong results, and the file of what was
        left."""
        given, left = self.folder / "given", self.folder / "left"
        given.write_bytes(join_messages(bodies))
        left.unlink(missing_ok=True)
        words = measuring_words(self.dataset.path, cells, 1, SAMPLES, 1, str(self.edits), iterations=60)
        command = [*self.reader.command, *words, *option_words(encoded=given, left=left)]
        told: Counter[str] = Counter()
        for event in run_runner(
            command, Samples(cells, SAMPLES), silence_limit_s=self.reader.silence_limit_s
        ):
            if isinstance(event, SampleSaid):
                told[event.cell] += event.left
        assert all(told[cell] >= SAMPLES for cell in cells)
        return judge_of(self.reader, self.dataset, str(self.edits)).differing(left, told), left

    def check(self, bodies: Sequence[bytes], edits: Path | None) -> None:
        """Have the runner check itself on given bodies."""
        given = self.folder / "given"
        given.write_bytes(join_messages(bodies))
        words = option_words(dataset=self.dataset.path, encoded=given, edits=edits)
        run_to_end([*self.reader.command, "check", *words], Answers("checked"), self.reader.silence_limit_s)


@pytest.fixture(scope="module", name="units")
def units_by_codec(request: pytest.FixtureRequest) -> dict[str, tuple[Unit, Unit]]:
    """Codec → the unit of the whole schema, and that of the schema with a few of the fields."""
    known = load_variants(PATHS.codecs)
    specs = [parse_spec(text, load_workloads(PATHS.workloads)) for text in ("monsters", f"monsters/{KEEP}")]
    names = [*READERS, *(MORE if request.config.getoption("--all") else ())]
    variants = [known[name] for name in names]
    builds = toolchains(PATHS, variants, specs=specs)
    found = prepare_builds(Job(PATHS, Chosen(variants, specs), builds, Permission(install=True)))
    by_id = {(unit.variant.id, unit.spec.id): unit for unit in found}
    return {name: (by_id[name, specs[0].id], by_id[name, specs[1].id]) for name in names}


@pytest.fixture(params=[*READERS, *MORE], name="read")
def a_partial_read(
    units: dict[str, tuple[Unit, Unit]], request: pytest.FixtureRequest, tmp_path: Path
) -> Read:
    if request.param not in units:
        pytest.skip(f"{request.param} is left to ./serbench test --all")
    whole, reader = units[request.param]
    for unit in (whole, reader):
        if unit.status == "not_installed":
            pytest.skip(unit.reason)
        assert unit.status == "ok", unit.reason
    change = parse(KEEP, whole.spec.workload.schema)
    ((monsters,),) = (decode(change.old.root, each) for each in whole.data.read_messages())
    few = write_dataset(tmp_path, "few", {}, change.old, [(monsters[n:],) for n in (-1, -2, -3)])
    messages = [bytes(each) for each in few.read_messages()]

    def kept(message: bytes) -> bytes:
        return encode(change.new.root, change.forward(decode(change.old.root, message)))

    edited: list[bytes] = []
    edits: list[Edit] = []
    for each in edits_of(few):
        message = bytearray(messages[each.message])
        message[each.offset : each.offset + len(each.bytes)] = each.bytes
        before, after = kept(messages[each.message]), kept(bytes(message))
        if places := [n for n, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]:
            edited.append(bytes(message))
            edits.append(Edit(each.message, places[0], after[places[0] : places[-1] + 1]))
    write_edits(tmp_path / "edits", edits)
    dataset = write_like(tmp_path / "reduced", reader.data, map(kept, messages))
    both = write_like(tmp_path / "whole", few, [*messages, *edited])
    ask(whole, "encoded", "encode", dataset=both.path, memory="reuse", out=tmp_path / "encoded")
    bodies = tuple(bytes(each) for each in split_messages((tmp_path / "encoded").read_bytes()))
    return Read(reader, dataset, tmp_path / "edits", bodies, tmp_path)


def test_bytes_of_the_whole_schema_are_read_while_values_change(read: Read) -> None:
    differing, left = read.measured(read.bodies, CELLS)
    assert not differing
    with left.open("rb") as file:
        in_force = {(record.cell, len(record.edits)) for record in judging._records(file)}
    assert {count for _, count in in_force} <= {0, 1}
    assert {cell for cell, count in in_force if count} == set(CELLS)
    read.check(read.bodies, read.edits)
    read.check(read.bodies[: read.dataset.messages], None)


@pytest.mark.parametrize("cell", ["read:fresh", "decode:reuse"])
def test_bytes_of_other_values_are_caught(read: Read, cell: str) -> None:
    """The body of each edit is that of another one, so that it holds the values of another edit."""
    messages, edits = read.bodies[: read.dataset.messages], read.bodies[read.dataset.messages :]
    try:
        reasons = [each.reason for each in read.measured([*messages, *edits[::-1]], [cell])[0]]
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
