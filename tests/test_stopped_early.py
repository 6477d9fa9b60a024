"""Tests that an interrupted ``verify``, with any of its options, shows the results that it has."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from tests.test_verifying import VIEW, Looks, looked, units_of

from serbench.cli import hostile, sanitizing, verify
from serbench.cli.clustered import Where
from serbench.cli.ends import Interrupted
from serbench.cli.evolution import Evolution
from serbench.cli.old_and_new import SideOptions
from serbench.cli.options import TableFormat
from serbench.errors import StoppedEarly
from serbench.languages.base import Sanitizes
from serbench.measure.job import Job
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.selecting.selection import Chosen
from serbench.verification.hostile import HARM, Withstood
from serbench.verification.interop import Exchange
from serbench.verification.sanitize import Sanitized
from serbench.verification.units import verified

CODECS = ("cpp/cereal", "cpp/boost", "cpp/handwritten:checked")
HERE = Where()


def job_of(paths: Paths, units: Sequence[Unit]) -> Job:
    return Job(paths, Chosen([], [units[0].spec]))


def interrupts_at(number: int) -> Callable[..., None]:
    """A stand-in for a progress report, which acts as if the user pressed Ctrl-C at the step of this
    number."""
    calls: list[object] = []

    def step(*words: object) -> None:
        calls.append(words)
        if len(calls) == number:
            raise KeyboardInterrupt

    return step


def records_of(capsys: pytest.CaptureFixture[str], lacking: int, work: Callable[[], object]) -> list[Any]:
    with pytest.raises(Interrupted, match=f"is shown, and {lacking} more were not looked at"):
        work()
    return cast("list[Any]", json.loads(capsys.readouterr().out))


@pytest.mark.parametrize("step", [1, 3])
def test_verification_keeps_the_units_that_are_settled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """Results from before Ctrl-C are kept. It comes at the progress report numbered ``step``; the third one
    comes when the first codec is to be verified once more."""
    looks: Looks = looked(monkeypatch, {"cpp/boost": [VIEW]} if step == 3 else {})
    paths, (first, second, absent) = units_of(tmp_path, *CODECS)
    absent = replace(absent, status="not_installed", reason="no library")
    with pytest.raises(StoppedEarly) as stopped:
        verified(paths, [first, second, absent], interrupts_at(step), 60)
    *done, last = stopped.value.results
    assert last.status == "not_installed" and len(done) == 1 and done[0].verification.ok
    assert step == 1 or (done[0].variant.id == "cpp/cereal" and looks.calls.count("cpp/boost") == 1)


def test_verify_shows_what_was_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    paths, units = units_of(tmp_path, *CODECS)

    def stopped(*_: object, **__: object) -> list[Unit]:
        raise StoppedEarly(units[:1])

    monkeypatch.setattr(verify, "build_units", lambda _: (job_of(paths, units), units))
    monkeypatch.setattr(verify, "verified", stopped)
    (record,) = records_of(
        capsys,
        2,
        lambda: verify.verify(format=TableFormat.json, evolution=Evolution(), how=SideOptions(), where=HERE),
    )
    assert record["codec"] == "cpp/cereal"


def test_verify_hostile_shows_what_was_fed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def withstand(unit: Unit, *_: object) -> Withstood:
        if unit.variant.id == CODECS[1]:
            raise KeyboardInterrupt
        return Withstood(1000, 400, 600, dict.fromkeys(HARM, 0), 0, [])

    paths, units = units_of(tmp_path, *CODECS)
    monkeypatch.setattr(hostile, "withstand", withstand)
    work = lambda: hostile.withstand_hostile(job_of(paths, units), units, TableFormat.json)  # noqa: E731
    (record,) = records_of(capsys, 2, work)
    assert (record["codec"], record["inputs"]) == ("cpp/cereal", 1000)


def test_verify_sanitize_shows_what_was_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def sanitize(unit: Unit, _: Sanitizes) -> Sanitized:
        if unit.variant.id == CODECS[1]:
            raise KeyboardInterrupt
        return Sanitized(unit)

    paths, units = units_of(tmp_path, *CODECS)
    made = [(replace(units[0], status="failed", reason="no compiler"), None), (units[1], object())]
    monkeypatch.setattr(sanitizing, "to_build", lambda job: job)
    monkeypatch.setattr(sanitizing, "prepare_sanitized", lambda *_: made)
    monkeypatch.setattr(sanitizing, "sanitize", sanitize)
    work = lambda: sanitizing.verify_sanitized(job_of(paths, units), TableFormat.json)  # noqa: E731
    (record,) = records_of(capsys, 1, work)
    assert (record["codec"], record["status"]) == ("cpp/cereal", "failed")


def test_verify_interop_shows_what_was_exchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    paths, units = units_of(tmp_path, "c/libcbor", "cpp/libcbor", "cpp/msgpack:default", "c/msgpack:zone")

    def exchange_all(group: Sequence[Unit], *_: object) -> list[Exchange]:
        if group[0].variant.format != "cbor":
            raise KeyboardInterrupt
        return [Exchange("cbor", group[0].spec.id, group[0].variant.id, group[1].variant.id)]

    monkeypatch.setattr(verify, "build_units", lambda _: (job_of(paths, units), units))
    monkeypatch.setattr(verify, "exchange_all", exchange_all)

    def work() -> None:
        verify.verify(
            interop=True, format=TableFormat.json, evolution=Evolution(), how=SideOptions(), where=HERE
        )

    (record,) = records_of(capsys, 1, work)
    assert (record["writer"], record["reader"]) == ("c/libcbor", "cpp/libcbor")
