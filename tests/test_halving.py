"""Tests of a history of many versions: some are measured first, then those between two that differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.test_history import SERIALIZE, history

from serbench.cli import history as command
from serbench.cli.effort import Effort
from serbench.codecs.edition import Editions
from serbench.errors import SetupError
from serbench.languages.releases import Release, evenly
from serbench.measure.job import Job
from serbench.measure.store import Run
from serbench.paths import Paths
from serbench.report.history import FIRST, MOST, History, Series
from serbench.report.kept import history_of, keep_history
from serbench.selecting.selection import Chosen
from serbench.stats.history import THRESHOLD, comparisons

RELEASES = [Release(f"1.{n}") for n in range(41)]


def halved(folder: Path, effects: Mapping[int, float]) -> tuple[History, list[list[str]]]:
    """The history of all releases, of which each takes as long as the last one in ``effects`` that is not
    newer, and the versions that each of its runs measured."""

    def time(release: Release) -> float:
        number = int(release.version.partition(".")[2])
        return [1.0, *(effect for first, effect in effects.items() if first <= number)][-1]

    runs: list[Run] = []
    passes: list[list[str]] = []
    some = list(evenly(RELEASES, FIRST))
    while some:
        passes.append([each.version for each in some])
        made = history(folder / str(len(runs)), {each.version: time(each) for each in some}, rounds=15)
        runs += made.runs
        found = History("x/one", "", RELEASES, THRESHOLD, MOST, runs, FIRST)
        some = found.to_halve()
    return found, passes


def changed(found: History) -> list[str]:
    points = found.points(Series("x/one", "w", SERIALIZE))
    return [each.release.version for each in points if each.change]


@pytest.mark.parametrize("effects", [{3: 1.3}, {19: 0.7}, {40: 1.2}, {9: 1.3, 30: 1.0}])
def test_each_version_that_changed_is_found_by_halving(tmp_path: Path, effects: dict[int, float]) -> None:
    found, passes = halved(tmp_path, effects)
    assert changed(found) == [f"1.{n}" for n in effects]
    assert FIRST < len(found.measured) <= MOST
    versions = [each.version for each in found.measured]
    for number in effects:
        assert f"1.{number - 1}" in versions, "a change is told of two releases in a row"
    assert all("1.40" in each for each in passes), "each run has the newest"


def test_where_no_ends_differ_nothing_more_is_measured(tmp_path: Path) -> None:
    found, passes = halved(tmp_path, {})
    assert len(passes) == 1 and len(found.measured) == FIRST and not changed(found)
    assert len(found.skipped) == len(RELEASES) - FIRST


def test_no_more_are_measured_than_may_be(tmp_path: Path) -> None:
    found, _ = halved(tmp_path, {5: 1.3, 13: 1.0, 21: 1.3, 29: 1.0, 37: 1.3})
    assert len(found.measured) == MOST


def test_comparisons_of_halving_are_counted_and_kept(tmp_path: Path) -> None:
    found, _ = halved(tmp_path, {19: 1.3})
    assert found.family == comparisons(MOST, 2, MOST - FIRST) == 2 * (2 * MOST - 3 + 3 * (MOST - FIRST))
    assert len({run.directory.parent for run in found.runs}) > 1  # a test has each in a folder of its own
    one = History(found.codec, "", RELEASES, THRESHOLD, MOST, found.runs[:1], FIRST)
    keep_history(one)
    again = history_of(Run(one.runs[0].directory))
    assert again and again.family == one.family and again.records == one.records


def measured(folder: Path, monkeypatch: pytest.MonkeyPatch, usual: str, built: Sequence[str]) -> Editions:
    """Measure 1.0 and 1.1 of which some could be built, and return the editions that were to be built."""
    made, asked = history(folder, {"1.0": 1.0, "1.1": 1.0}), list[Editions]()

    def build(job: Job) -> tuple[Job, list[SimpleNamespace]]:
        asked.append(job.editions)
        units = [
            SimpleNamespace(compiler=f"y@{each}", status="ok", failure="") if each in built else
            SimpleNamespace(compiler=f"y@{each}", status="failed", failure="failed: no function g")
            for each in ("1.0", "1.1")
        ]  # fmt: skip
        return job, units

    monkeypatch.setattr(command, "build_units", build)
    monkeypatch.setattr(command, "timed", lambda *_: made.runs[0])
    monkeypatch.setattr(command, "claim_core", lambda *_: None)
    some = [Release("1.0"), Release("1.1")]
    begun = partial(History, "x/one", usual, some, THRESHOLD, MOST)
    command._measured(Job(Paths.default(), Chosen([], [])), Effort(), begun, some)
    return asked[0]


@pytest.mark.parametrize(("usual", "alone"), [("1.1", False), ("2.0", True)])
def test_the_usual_version_is_measured_beside_where_it_is_asked_for(
    usual: str, alone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = measured(tmp_path, monkeypatch, usual, ("1.0", "1.1"))
    assert found == Editions("version", ("x/one=1.0", "x/one=1.1"), alone)


def test_one_version_that_can_be_built_is_no_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SetupError) as raised:
        measured(tmp_path, monkeypatch, "2.0", ("1.1",))
    assert "fewer than two of these versions can be measured" in str(raised.value)
    assert str(raised.value).endswith("\n1.0: failed: no function g")
