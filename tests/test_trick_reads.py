"""Tests of readers that cheat: a program that reads a part of what another program wrote gives sums that it
remembers, that are of other values, or that the other program has left for it. All are caught, in every
language.

Each language has one adapter for this, ``tricks:reads``, whose trick an environment variable chooses. Tricks
that begin only after verification are caught in rounds.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from tests.refusals import refusals
from tests.support import has_namespaces
from tests.test_trick_hands import LANGUAGES, WORDS, unit_of

from serbench.dataset.canonical import decode
from serbench.dataset.edits import edits_of
from serbench.dataset.file import write_dataset
from serbench.measure.unit import Unit
from serbench.model import Enum, Field, List, Record, Schema, bool_, f64, string, u8
from serbench.paths import PROJECT, Paths
from serbench.selecting.selection import POLICIES, Operation
from serbench.stats.summary import ROUNDS_TO_RANK
from serbench.verification.contract import verify
from serbench.verification.partial import part_of

pytestmark = pytest.mark.native

TRICKS = {
    "address": "gives the sum that it remembers of the bytes at this address",
    "count": "gives the sum that it remembers of as many bytes",
    "content": "gives the sum that it remembers of these very bytes",
    "fewer": "reads half of the values, and takes the others for what they were first",
    "nothing": "reads nothing",
    "tail": "has the encoder put the sum behind the bytes, and reads that alone",
    "beside": "has the encoder put the sum into a file, and reads that alone",
}
"""Trick → what the adapter does, in words."""

BEGINNINGS = ("always", "measure", "after_50ms")
"""The triggers that these tricks are tried with."""

NOT_READ = "it does not read what the message holds"
CAUGHT = {
    "content": "times as long for new messages as for known ones: the timed code returns remembered results",
    "beside": (
        "cannot write a file beside",
        "Read-only file system",
        "o such file or directory",
        NOT_READ,
        *WORDS,
    ),
}
"""Trick → the error about it, or several errors of which it gets one; the others get one of ``WORDS``."""


@cache
def written(language: str) -> Unit:
    """The verified unit of a language whose adapter reads, without a trick."""
    unit = unit_of(language, "reads", "monsters")
    found = verify(unit)
    assert found.ok, found.reason
    return replace(unit, verification=found)


def refused(unit: Unit) -> list[str]:
    """Has a unit read what it writes itself, as it would read a part of another one's messages; returns the
    reasons for which it or its samples are refused, if they are."""
    part = part_of(Paths.default(), unit, unit)
    if part.status != "ok" or not part.given:
        return [part.reason or part.way_reason]
    cells = [Operation("read", memory) for memory in POLICIES]
    # As many rounds as a run has at least: only some draws show a reader of what is behind the bytes.
    return refusals(part, cells, ROUNDS_TO_RANK, warmup_ns=200_000_000)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests all tricks with ``--all``, otherwise another one in each language."""
    if "trick" in metafunc.fixturenames:
        tricks = [
            (language, trigger, trick)
            for n, language in enumerate(LANGUAGES)
            for k, trigger in enumerate(BEGINNINGS)
            for m, trick in enumerate(TRICKS)
            if metafunc.config.getoption("all") or (m == n % len(TRICKS) and k == n % 2)
        ]
        metafunc.parametrize(("language", "trigger", "trick"), tricks, ids=map("-".join, tricks))


def test_no_reader_that_cheats_gets_through(
    language: str, trigger: str, trick: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if trick == "beside" and not has_namespaces():
        pytest.skip("no process can be kept from files here")
    unit = written(language)
    monkeypatch.setenv("SERBENCH_TRICK", f"{trigger}/{trick}")
    reasons = refused(unit)
    expected = CAUGHT.get(trick, (*WORDS, NOT_READ))
    known = (expected,) if isinstance(expected, str) else expected
    assert reasons and all(any(words in reason for words in known) for reason in reasons), reasons


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_adapter_without_a_trick_reads(
    language: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if language not in LANGUAGES[::3] and not request.config.getoption("--all"):
        pytest.skip(f"{language} is left to ./serbench test --all")
    monkeypatch.delenv("SERBENCH_TRICK", raising=False)
    assert refused(written(language)) == []


def test_the_table_of_tricks_has_each_reader() -> None:
    page = (PROJECT / "docs" / "laboratory" / "tricks.md").read_text(encoding="utf-8")
    _, _, *rows = page[page.index("| the reader |") :].split("\n\n")[0].splitlines()
    assert [row.split("|")[1].strip() for row in rows] == list(TRICKS.values())


def test_each_value_that_a_reader_reads_may_change(tmp_path: Path) -> None:
    """A reader of a truth value, an enum or a float, whatever else it reads, is given messages in which that
    is another one."""
    kind = Enum("Kind", u8, [("one", 1), ("two", 2)])
    fields = [Field("on", bool_), Field("kind", kind), Field("share", f64), Field("flags", List(bool_))]
    schema = Schema("few", Record("Few", [*fields, Field("name", string)]))
    value = (True, 1, 0.5, [True], "abc" * 200)
    data = write_dataset(tmp_path, "drawn", {}, schema, [value])
    (message,) = (bytes(each) for each in data.read_messages())
    changed = set()
    for edit in edits_of(data, resizes=True):
        after = message[: edit.offset] + edit.bytes + message[edit.offset + len(edit.bytes) :]
        now = decode(schema.root, after)
        changed |= {n for n, (one, other) in enumerate(zip(value, now, strict=True)) if one != other}
    assert changed == {0, 1, 2, 4}
