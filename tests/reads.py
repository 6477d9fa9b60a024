"""Partial reads for tests of runners: a program that reads bytes which a program of another schema, with more
fields, has encoded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.support import PATHS

from serbench.building.prepare import prepare_builds, toolchains
from serbench.changes import parse
from serbench.changes.derived import parse_spec
from serbench.dataset.canonical import decode, encode
from serbench.dataset.edits import Edit, edits_of, write_edits
from serbench.dataset.file import Dataset, join_messages, split_messages, write_like
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

SAMPLES = 3


@dataclass(frozen=True)
class Read:
    """A program that reads, and the files for it.

    Attributes:
        dataset, edits: of the reader's schema.
        bodies: the messages as the program of the other schema encoded them, then each with one edit.
        folder: the folder for files of the processes.
    """

    reader: Unit
    dataset: Dataset
    edits: Path
    bodies: tuple[bytes, ...]
    folder: Path

    def measured(self, bodies: Sequence[bytes], cells: Sequence[str]) -> list[Differing]:
        """Measure cells on given bodies; return those that left wrong results. The file of what was left is
        ``left``."""
        words = measuring_words(self.dataset.path, cells, 1, SAMPLES, 1, str(self.edits), iterations=60)
        command = [*self.reader.command, *words, *self._files(bodies)]
        told: Counter[str] = Counter()
        for event in run_runner(
            command, Samples(cells, SAMPLES), silence_limit_s=self.reader.silence_limit_s
        ):
            if isinstance(event, SampleSaid):
                told[event.cell] += event.left
        assert all(told[cell] >= SAMPLES for cell in cells), told
        return self._differing(told)

    def checked(self, bodies: Sequence[bytes], edits: Path | None, cells: Sequence[str]) -> list[Differing]:
        """Have the runner check itself on given bodies; return those of ``cells`` that left wrong results, or
        none at all."""
        words = option_words(dataset=self.dataset.path, edits=edits, place=1)
        command = [*self.reader.command, "check", *words, *self._files(bodies)]
        run_to_end(command, Answers("checked"), self.reader.silence_limit_s)
        return self._differing(Counter(cells))

    @property
    def left(self) -> Path:
        return self.folder / "left"

    def records(self) -> list[judging.LeftRecord]:
        """The results that passes left."""
        with self.left.open("rb") as file:
            return list(judging._records(file))

    def _files(self, bodies: Sequence[bytes]) -> list[str]:
        given = self.folder / "given"
        given.write_bytes(join_messages(bodies))
        self.left.write_bytes(b"")
        return option_words(encoded=given, left=self.left)

    def _differing(self, told: Counter[str]) -> list[Differing]:
        return judge_of(self.reader, self.dataset, str(self.edits)).differing(self.left, told)


def keeping(change: str, whole: Unit) -> Callable[[bytes], bytes]:
    """Return the function that makes of a message of the whole schema, in canonical bytes, that of the schema
    with this change."""
    made = parse(change, whole.spec.workload.schema)
    return lambda message: encode(made.new.root, made.forward(decode(made.old.root, message)))


def read_of(
    whole: Unit, reader: Unit, kept: Callable[[bytes], bytes], folder: Path, data: Dataset | None = None
) -> Read:
    """Have the program of the whole schema encode ``data``, or else its own, and each message with each edit
    that ``kept`` leaves something of."""
    data = data or whole.data
    messages = [bytes(each) for each in data.read_messages()]
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
    both = write_like(folder / "whole", data, [*messages, *edited])
    ask(whole, "encoded", "encode", dataset=both.path, memory="reuse", out=folder / "encoded")
    bodies = tuple(bytes(each) for each in split_messages((folder / "encoded").read_bytes()))
    dataset = write_like(folder / "reduced", reader.data, map(kept, messages))
    return Read(reader, dataset, folder / "edits", bodies, folder)


def units_of(names: Sequence[str], workload: str, keep: str) -> dict[str, tuple[Unit, Unit]]:
    """Build codecs: codec → the unit of the whole schema, and that of the schema with a few of the fields."""
    known = load_variants(PATHS.codecs)
    specs = [parse_spec(text, load_workloads(PATHS.workloads)) for text in (workload, f"{workload}/{keep}")]
    variants = [known[name] for name in names]
    builds = toolchains(PATHS, variants, specs=specs)
    found = prepare_builds(Job(PATHS, Chosen(variants, specs), builds, Permission(install=True)))
    by_id = {(unit.variant.id, unit.spec.id): unit for unit in found}
    return {name: (by_id[name, specs[0].id], by_id[name, specs[1].id]) for name in names}


def skip_unless_built(units: Iterable[Unit]) -> None:
    """Skips a test of units whose libraries are not installed; fails it if one could not be built."""
    for unit in units:
        if unit.status == "not_installed":
            pytest.skip(unit.reason)
        assert unit.status == "ok", unit.reason


def catches_other_values(read: Read, bodies: Sequence[bytes], cell: str) -> None:
    """Fails unless bodies that hold the values of other edits are caught."""
    try:
        reasons = [each.reason for each in read.measured(bodies, [cell])]
    except RunnerError as error:  # the runner itself compares sums
        reasons = [str(error)]
    assert reasons and all("after its values changed" in reason for reason in reasons), reasons


def refuses_other_numbers(read: Read, more: int, cell: str) -> None:
    """Fails unless ``more`` bodies than messages and edits, or fewer, are refused."""
    bodies = [*read.bodies, b""][: len(read.bodies) + more]
    messages, edits = read.dataset.messages, len(read.bodies) - read.dataset.messages
    said = f"has {len(bodies)} bodies; expected one for each of {messages} messages and {edits} edits"
    with pytest.raises(RunnerError, match=said):
        read.measured(bodies, [cell])
    with pytest.raises(RunnerError, match=said):
        read.checked(bodies, read.edits, ())
    with pytest.raises(RunnerError, match=f"{messages} messages and 0 edits"):
        read.checked(bodies, None, ())
