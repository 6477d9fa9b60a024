"""Tests of adapters that cheat with the encoder, the decoder, or both, from a moment on that they choose: all
are caught, in every language.

Each language has one adapter for this, ``tricks:chosen``, whose trick an environment variable chooses. Tricks
that begin only after verification are caught in rounds, which are judged in the same way.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from tests.refusals import refusals
from tests.support import TRICKS, sharing

from serbench.building.prepare import prepare_builds
from serbench.changes.derived import parse_spec
from serbench.dataset.edits import edits_of, write_edits
from serbench.languages import languages
from serbench.languages.base import BuildOrder
from serbench.measure import judging
from serbench.measure.conversation import Samples
from serbench.measure.job import Job
from serbench.measure.process import measuring_words, run_runner
from serbench.measure.said import SampleSaid
from serbench.measure.unit import Unit
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_variants
from serbench.selecting.selection import POLICIES, Chosen, Operation
from serbench.verification.contract import verify
from serbench.workload import load_workloads

pytestmark = pytest.mark.native

TRIGGERS = {
    "always": "always",
    "after_1": "from its 2nd call on",
    "after_500": "from its 501st call on",
    "after_5000": "from its 5,001st call on",
    "after_500000": "from its 500,001st call on",
    "measure": "where its command line says that it measures",
    "succession": "once calls come one right after the other",
    "after_50ms": "from 50 ms after its start on",
    "environment": "by an environment variable",
    "parent": "by the process that started it",
    "files": "by a file that it has open",
}
"""Trigger → the moment from which the adapter cheats, in words."""

HANDS = ("encode", "decode", "both")

LANGUAGES = ("c", "cpp", "go", "javascript", "jvm", "python", "rust")
"""The languages that have the cheating adapter."""

WORDS = (
    "after its values changed: the timed code returns remembered results, or skips work",
    "times as long for new messages as for known ones: the timed code returns remembered results",
    "does not round-trip: message",
    "differ, but were encoded to the same bytes",
    " bytes and then to ",
)
"""Parts of errors about tricks; each trick gets one of these."""

LATE_PASSES = 180_000
"""The passes of a sample by which a process of four samples sees a trick that begins with call 500,001. The
last sample begins later: a trick that begins in its midst may remember what no longer changes."""


def is_usual(language: str, trigger: str, hand: str) -> bool:
    """Whether a way of cheating is always tested. In each language every other trigger (when cheating begins)
    is tested with one hand (encoder, decoder, both), and the next language takes the other triggers and
    another hand, so that each combination occurs."""
    turn = LANGUAGES.index(language) + list(TRIGGERS).index(trigger)
    return HANDS[turn % len(HANDS)] == hand and turn % 2 == 0


@cache
def unit_of(language: str, variant: str = "chosen", workload: str = "small_struct:count=1") -> Unit:
    """The unit of a language's cheating adapter; usually with one short message, so that half a million calls
    take little time."""
    paths = Paths(PROJECT, sharing(TRICKS.home))
    spec = parse_spec(workload, load_workloads(paths.workloads))
    known = load_variants(Path(__file__).parent / "tricks" / "codecs")
    chosen = known[f"{language}/tricks:{variant}"]
    builds = languages()[language].toolchains(BuildOrder(paths, [chosen.codec], [spec.workload]))
    (unit,) = prepare_builds(Job(paths, Chosen([chosen], [spec]), list(builds)))
    assert unit.status == "ok", unit.reason
    return unit


def measured(unit: Unit, iterations: int | None = None) -> list[str]:
    """Takes samples of a verified unit as in a round; returns why they are refused."""
    cells = [Operation(name, memory) for name in ("encode", "decode") for memory in POLICIES]
    return refusals(unit, cells, iterations=iterations, warmup_ns=200_000_000)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests all ways of cheating with ``--all``, otherwise those of ``is_usual``."""
    if "trigger" in metafunc.fixturenames:
        tricks = [
            (language, trigger, hand) for language in LANGUAGES for trigger in TRIGGERS for hand in HANDS
        ]
        tried = [trick for trick in tricks if metafunc.config.getoption("all") or is_usual(*trick)]
        metafunc.parametrize(("language", "trigger", "hand"), tried, ids=map("-".join, tried))


def test_no_trick_gets_through(
    language: str, trigger: str, hand: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit = unit_of(language)
    monkeypatch.setenv("SERBENCH_TRICK", f"{trigger}/{hand}")
    found = verify(unit)
    reasons = [found.reason]
    if found.ok:
        late = LATE_PASSES if trigger == "after_500000" else None
        reasons = measured(replace(unit, verification=found), late)
    assert reasons
    assert all(any(words in reason for words in WORDS) for reason in reasons), reasons


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_message_is_never_what_it_was_when_passes_were_looked_at_before(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A runner now and then writes down what a timed pass left of a message. Even if the message has only one
    edit, each such record must hold another value than the one before, so that an adapter that returns an
    earlier result is caught."""
    monkeypatch.delenv("SERBENCH_TRICK", raising=False)
    unit = unit_of(language)
    edits, left = tmp_path / "edits", tmp_path / "left"
    write_edits(edits, edits_of(unit.data)[:1])
    cells, samples = ["encode:reuse", "decode:reuse", "decode:fresh"], 4
    further = {"iterations": 100, "warmup_ns": 0}
    words = measuring_words(unit.data.path, cells, 1_000, samples, 1, str(edits), **further)
    command = [*unit.command, *words, "--left", str(left)]
    events = run_runner(command, Samples(cells, samples), silence_limit_s=unit.silence_limit_s)
    taken = [event for event in events if isinstance(event, SampleSaid)]
    assert len(taken) == len(cells) * samples and all(sample.left for sample in taken)
    with left.open("rb") as file:
        records = list(judging._records(file))
    for cell in cells:
        own = [record.edits for record in records if record.cell == cell]
        assert {*own} == {(), (0,)}
        lefts = [sample.left for sample in taken if sample.cell == cell]
        first = len(own) - sum(lefts)  # a process that failed may have written some before
        ends = [own[first + sum(lefts[: n + 1]) - 1] for n in range(len(lefts))]
        assert all(one != other for one, other in pairwise(ends)), own


def test_the_table_of_tricks_has_each_trigger_and_hand() -> None:
    page = (PROJECT / "docs" / "laboratory" / "tricks.md").read_text(encoding="utf-8")
    head, _, *rows = page[page.index("| begins |") :].split("\n\n")[0].splitlines()
    assert [cell.strip("` ") for cell in head.split("|")[2:-1]] == list(HANDS)
    assert [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows] == [
        [begins, *["caught"] * len(HANDS)] for begins in TRIGGERS.values()
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_adapter_without_a_trick_passes(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SERBENCH_TRICK", raising=False)
    unit = unit_of(language)
    found = verify(unit)
    assert found.ok, found.reason
    assert measured(replace(unit, verification=found)) == []
