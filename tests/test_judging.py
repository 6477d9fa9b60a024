"""Tests that the results of timed passes are judged outside of the measured process, in verification and in
rounds."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.test_pipeline import Quiet, make_run
from tests.test_verify import FAKE, faulty
from tests.test_verify import unit_of_monsters as unit_of_monsters

from serbench.cluster import host
from serbench.dataset.edits import edits_beside, edits_of, read_edits
from serbench.dataset.file import ORIGIN, write_messages
from serbench.errors import DatasetError, RunnerError
from serbench.measure.judging import Differing
from serbench.measure.plan import Plan, Task
from serbench.measure.process import measuring_words
from serbench.measure.run import Process, execute
from serbench.measure.store import Journal
from serbench.measure.unit import Unit
from serbench.selecting.selection import Operation
from serbench.verification.contract import verify
from serbench.verification.watching import first_raised, judge_of

REMEMBERED = (
    "does not match message 0 after its values changed: the timed code returns remembered results, "
    "or skips work"
)


def test_a_record_of_a_cell_that_nobody_asked_for_is_told_after_those_that_were() -> None:
    asked, stray = Differing("decode:reuse", "asked"), Differing("nothing:reuse", "stray")
    for differing in ([asked, stray], [stray, asked]):
        with pytest.raises(RunnerError, match="asked"):
            first_raised(differing, ["encode:reuse", "decode:reuse"])
    with pytest.raises(RunnerError, match="stray"):
        first_raised([stray], ["encode:reuse"])


@pytest.mark.parametrize("cell", ["encode:reuse", "serialize:fresh", "decode:reuse", "deserialize:fresh"])
def test_a_remembered_result_fails_verification_with_its_place(unit: Unit, cell: str) -> None:
    found = verify(faulty(unit, f"remembers@{cell}"))
    assert not found.ok
    said = re.escape(f"the result of {cell.partition(':')[0]} {REMEMBERED}")
    assert re.search(rf"{said} \(Monsters\.monsters\[0\]\.\S+: found .+, expected .+\)", found.reason)


def test_what_is_right_passes_and_is_told_as_watched(unit: Unit) -> None:
    found = verify(faulty(unit, "leaks@nowhere"))
    assert found.ok
    assert [path for path in found.checked if path.startswith("watched")] == [
        f"watched {operation}:{memory}"
        for operation in ("serialize", "encode", "deserialize", "decode")
        for memory in ("reuse", "fresh")
    ]


def test_of_private_data_no_value_is_in_the_reason(unit: Unit, tmp_path: Path) -> None:
    unit = faulty(unit, "remembers@decode:reuse")
    (message,) = unit.data.read_messages()
    schema = unit.data.schema()
    private = write_messages(tmp_path / "private", "own", {ORIGIN: "data"}, schema, [bytes(message)])
    told = r"\(Monsters\.\S+: found (.+), expected (.+)\)$"
    plain = re.search(told, verify(unit).reason)
    hidden = re.search(told, verify(replace(unit, data=private)).reason)
    assert plain and hidden
    assert any(character.isdigit() for character in plain[1])
    assert re.fullmatch(r"(an integer of \d+ bits|a text of \d+ characters)", hidden[1])


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("leaves_nothing", "the runner wrote 0 records of what passes left, expected 2"),
        ("leaves_nonsense", REMEMBERED),
        ("leaves_no_record", "the runner wrote something to --left that is no record"),
        ("has_other_edits", "with edits [1048576] of message 0, which there are not"),
    ],
)
@pytest.mark.parametrize("cell", ["encode:reuse", "decode:fresh"])
def test_what_cannot_be_judged_fails(unit: Unit, fault: str, said: str, cell: str) -> None:
    found = verify(faulty(unit, f"{fault}@{cell}"))
    assert not found.ok and said in found.reason


OPERATIONS = tuple(Operation(name, "reuse") for name in ("encode", "decode", "serialize"))


def measured(unit: Unit, fault: str) -> Task:
    edits = edits_beside(unit.data)
    return Task("cpp/cereal", "fake", OPERATIONS, (*FAKE, fault), str(unit.data.path), edits=edits)


def test_in_a_round_only_the_cell_that_differs_fails(unit: Unit, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", ["cpp/cereal"])
    with Journal(run) as journal:
        outcome = execute(Plan([measured(unit, "remembers@decode:reuse")], 2, 1), journal, Quiet())
    assert [cell[3] for cell in outcome.failures] == ["decode:reuse"]
    assert REMEMBERED in next(iter(outcome.failures.values()))
    taken = run.taken
    assert {cell[3]: len(each.rounds) for cell, each in taken.cells.items()} == {
        "encode:reuse": 2,
        "serialize:reuse": 2,
    }


def test_what_left_something_else_before_its_process_died_fails_too(unit: Unit, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", ["cpp/cereal"])
    with Journal(run) as journal:
        outcome = execute(Plan([measured(unit, "remembers_and_dies@decode:reuse")], 1, 1), journal, Quiet())
    reasons = {cell[3]: reason for cell, reason in outcome.failures.items()}
    assert REMEMBERED in reasons.pop("decode:reuse")
    assert all("killed by signal 9" in reason for reason in reasons.values())
    assert {cell[3] for cell in run.taken.cells}.isdisjoint(outcome.failures)


def test_a_worker_judges_what_its_own_processes_left(unit: Unit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "still_used", lambda folder: None)
    unit = faulty(unit, "remembers@decode:reuse")
    edits = edits_beside(unit.data)
    assert edits
    cells = ("encode:reuse", "decode:reuse")
    words = measuring_words(unit.data.path, cells, 1000, 1, 1, edits)
    process = Process(
        (*unit.command, *words),
        cells,
        1,
        None,
        20.0,
        False,
        judge_of(unit, unit.data, edits),
    )
    with pytest.raises(host._Unknown):
        host.measure(process)  # only programs that were prepared here are started
    host._remember([unit.command])
    took = host.measure(process)
    assert [sample["operation"] for sample in took.samples] == ["encode", "decode"]
    assert [each.cell for each in took.differing] == ["decode:reuse"]


def test_edits_are_read_as_they_were_written(unit: Unit, tmp_path: Path) -> None:
    path = Path(edits_beside(unit.data) or "")
    assert read_edits(path) == edits_of(unit.data)
    damaged = tmp_path / "edits"
    for body, said in ((path.read_bytes()[:-1], "is cut off"), (b"x" * 40, "is no file of edits")):
        damaged.write_bytes(body)
        with pytest.raises(DatasetError, match=said):
            read_edits(damaged)
