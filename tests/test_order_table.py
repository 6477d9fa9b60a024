"""Tests that differences in the order of codecs between kinds of machines are found if there are any, and
only then."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest
from tests.test_pipeline import make_run

from serbench.measure.store import Journal, Run
from serbench.report.order_table import changes_of, order_table
from serbench.stats.machines import changes_sides, on_all
from serbench.stats.summary import Interval

CODECS = ["fake/a", "fake/b", "fake/c"]


def machine(
    folder: Path, times: dict[str, float], seed: int, rounds: int = 9, noise: float = 0.02, waited: float = 0
) -> Run:
    """Makes the run of a machine on which codecs take these times, with some noise. Other processes had the
    core for the share ``waited``; for how long the runner itself had the core is not known."""
    draws, run = random.Random(seed), make_run(folder / str(seed), CODECS)
    with Journal(run) as journal:
        for number in range(1, rounds + 1):
            for codec, time in times.items():
                elapsed = round(1e6 * time * draws.lognormvariate(0, noise))
                who = {"codec": codec, "workload": "fake", "compiler": "", "round": number}
                what = {"operation": "serialize", "memory": "reuse", "iterations": 1, "elapsed_ns": elapsed}
                journal.append({"event": "sample", **who, **what, "waited_ns": round(waited * elapsed)})
    return run


SAME = {"fake/a": 1.0, "fake/b": 1.3, "fake/c": 2.0}
OTHER = {"fake/a": 1.5, "fake/b": 1.2, "fake/c": 2.0}


def test_pairs_that_change_places_are_found_and_no_others(tmp_path: Path) -> None:
    kinds = {"old": [machine(tmp_path, SAME, 1)], "new": [machine(tmp_path, OTHER, 2)]}
    (change,) = changes_of(kinds)
    assert (change.column, change.pair) == (("fake", "serialize:reuse"), ("fake/a", "fake/b"))
    assert change.ratios["old"].estimate == pytest.approx(1 / 1.3, rel=0.03)
    assert change.ratios["new"].estimate == pytest.approx(1.5 / 1.2, rel=0.03)
    table = order_table(kinds)
    assert table and table.headings == ("workload", "operation", "codecs", "old", "new")
    assert table.rows[0][2] == "fake/a / fake/b" and table.rows[0][3].startswith("×0.7")


def test_a_machine_that_is_slower_in_everything_changes_nothing(tmp_path: Path) -> None:
    slow = {codec: 3 * time for codec, time in SAME.items()}
    table = order_table({"old": [machine(tmp_path, SAME, 1)], "slow": [machine(tmp_path, slow, 2)]})
    assert table and not table.rows and "No two codecs change places" in table.notes[0]
    assert order_table({"old": [machine(tmp_path, SAME, 3)]}) is None


def test_what_intervals_do_not_separate_is_no_difference(tmp_path: Path) -> None:
    """Equally fast codecs come in random order, which is no difference between machines. Of 120 pairs of
    codecs on each of 40 pairs of machines, at most one pair may be said to change places, by chance."""
    alike = dict.fromkeys(CODECS, 1.0)
    found = 0
    for seed in range(0, 80, 2):
        kinds = {"one": [machine(tmp_path, alike, seed)], "other": [machine(tmp_path, alike, seed + 1)]}
        found += len(list(changes_of(kinds)))
    assert found <= 1


def test_the_spread_between_equal_machines_is_in_the_interval(tmp_path: Path) -> None:
    """If two machines of one kind contradict each other on which of two codecs is faster, the two are not
    said to change places between this kind and another."""
    both = [machine(tmp_path, SAME, 1), machine(tmp_path, OTHER, 2)]
    assert not list(changes_of({"mixed": both, "other": [machine(tmp_path, OTHER, 3)]}))
    agreed = [machine(tmp_path, SAME, seed) for seed in (4, 5)]
    assert len(list(changes_of({"agreed": agreed, "other": [machine(tmp_path, OTHER, 6)]}))) == 1


def test_the_doubt_that_disturbances_leave_is_in_the_interval(tmp_path: Path) -> None:
    quiet = machine(tmp_path, SAME, 1)
    for waited, told in ((0.02, 1), (0.3, 0)):
        busy = machine(tmp_path / str(waited), OTHER, 2, waited=waited)
        assert len(list(changes_of({"quiet": [quiet], "busy": [busy]}))) == told


def test_floors_are_not_compared(tmp_path: Path) -> None:
    one, other = machine(tmp_path, SAME, 1), machine(tmp_path, OTHER, 2)
    for run in (one, other):
        run.__dict__["manifest"] = msgspec.structs.replace(run.manifest, floors=("fake/a",))
    assert not list(changes_of({"one": [one], "other": [other]}))


def test_of_few_machines_the_interval_reaches_over_all_and_of_many_it_is_their_own() -> None:
    few = on_all([Interval(0.8, 0.7, 0.9, 0.95), Interval(1.25, 1.1, 1.4, 0.95)])
    assert (few.low, few.high) == (0.7, 1.4) and few.estimate == pytest.approx(1.0)
    many = on_all([Interval(each, 0.1, 9.0, 0.95) for each in (0.8, 0.81, 0.79, 0.8, 0.82, 0.78)])
    assert 0.75 < many.low < many.estimate < many.high < 0.85
    assert not changes_sides([many]) and changes_sides([many, Interval(1.2, 1.1, 1.3, 0.95)])
    assert not changes_sides([many, Interval(1.2, 1.2, 1.2, 0.0)])  # a single round
