"""Tests of verifying many units at once, and of looking once more at some of them alone."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

import serbench.verification.units as verifying
from serbench.dataset.cache import dataset_for, edge_dataset_for
from serbench.measure.unit import Unit, Verification
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_variants
from serbench.verification.units import verified
from serbench.workload import load_workloads, parse_workload

TRIPS = Verification(True, "", size_bytes=10, operations=("encode", "decode"))
PASSED = Verification(ok=True, reason="", size_bytes=10)
VIEW = replace(PASSED, views=("decode",))
TOO_QUICK = Verification(
    ok=False, reason="decode takes 5 ns for 2 messages and 5 ns for 16", suspected="decode"
)
OTHERWISE = replace(TOO_QUICK, suspected="encode")
CRASHED = Verification(ok=False, reason="the runner was killed by signal 9", signal=9)


class Looks:
    """A stand-in for the verification of a unit: gives prepared results, and remembers how many units were
    verified at once.

    Args:
        answers: codec → the results of verifying it the first time, the second time and so on; the last one
            repeats.
    """

    def __init__(self, answers: dict[str, list[Verification]]):
        self._answers = answers
        self._lock = threading.Lock()
        self._now = 0
        self.together: threading.Barrier | None = None
        self.calls: list[str] = []
        self.most: dict[str, list[int]] = {}
        self.views: list[str] = []

    def confirmed(self, unit: Unit, found: Verification) -> Verification:
        if not found.views:
            return found
        self.views.append(unit.variant.id)
        return self.verify(unit)

    def verify(self, unit: Unit) -> Verification:
        with self._lock:
            self._now += 1
            self.calls.append(unit.variant.id)
        if self.together:
            self.together.wait(20)
        else:
            time.sleep(0.05)  # long enough to meet another one
        with self._lock:
            self.most.setdefault(unit.variant.id, []).append(self._now)
            self._now -= 1
            answers = self._answers.get(unit.variant.id, [PASSED])
            return answers.pop(0) if len(answers) > 1 else answers[0]


def units_of(tmp_path: Path, *codecs: str) -> tuple[Paths, list[Unit]]:
    paths = Paths(PROJECT, tmp_path)
    spec = parse_workload("monsters:count=2", load_workloads(paths.workloads))
    known, data, edge = load_variants(paths.codecs), dataset_for(spec, paths), edge_dataset_for(spec, paths)
    return paths, [Unit(known[codec], spec, data, edge, command=("/bin/true", codec)) for codec in codecs]


def looked(monkeypatch: pytest.MonkeyPatch, answers: dict[str, list[Verification]]) -> Looks:
    looks = Looks(answers)
    monkeypatch.setattr(verifying, "verify", looks.verify)
    monkeypatch.setattr(verifying, "confirmed", looks.confirmed)
    monkeypatch.setattr(verifying, "usable_cores", lambda: 2)
    monkeypatch.setattr(
        verifying,
        "round_trips",
        lambda unit: replace(TRIPS, reason="lost" * (unit.variant.id == "c/protobuf_c:heap")),
    )
    return looks


def test_units_are_verified_beside_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = looked(monkeypatch, {})
    looks.together = threading.Barrier(2)  # each waits for the other
    paths, units = units_of(tmp_path, "cpp/cereal", "cpp/boost")
    found = verified(paths, units, lambda *_: None, 60)
    assert [unit.verification for unit in found] == [PASSED, PASSED]
    assert sorted(looks.calls) == ["cpp/boost", "cpp/cereal"]


@pytest.mark.parametrize("first", [TOO_QUICK, VIEW])
def test_what_times_say_unusual_beside_others_counts_only_if_they_say_it_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: Verification
) -> None:
    looks = looked(monkeypatch, {"cpp/cereal": [first, PASSED], "cpp/boost": [VIEW]})
    paths, units = units_of(tmp_path, "cpp/cereal", "cpp/boost", "cpp/handwritten:checked")
    found = verified(paths, units, lambda *_: None, 60)
    assert [unit.verification for unit in found] == [PASSED, VIEW, PASSED]
    # it takes two looks that find nothing to clear a unit that failed, and views are looked at elsewhere
    assert looks.calls.count("cpp/cereal") == 3 - first.ok
    assert looks.most["cpp/cereal"][1:] == [1] * (2 - first.ok)
    # a unit that passed but for a view is not verified from the beginning
    assert sorted(looks.views) == ["cpp/boost", *["cpp/cereal"] * first.ok]
    assert [unit.status for unit in found] == ["ok", "ok", "ok"]


def test_a_codec_that_is_too_quick_alone_too_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked(monkeypatch, {"cpp/cereal": [TOO_QUICK]})
    paths, units = units_of(tmp_path, "cpp/cereal")
    (found,) = verified(paths, units, lambda *_: None, 60)
    assert (found.status, found.reason) == ("failed", f"not verified: {TOO_QUICK.reason}")


@pytest.mark.parametrize("codec", ["cpp/cereal", "javascript/bson"])
@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([TOO_QUICK, PASSED, PASSED, TOO_QUICK], PASSED),
        ([TOO_QUICK, TOO_QUICK, PASSED, TOO_QUICK, PASSED, TOO_QUICK], PASSED),
        ([TOO_QUICK, PASSED, TOO_QUICK, TOO_QUICK, TOO_QUICK, PASSED], TOO_QUICK),
        ([TOO_QUICK, OTHERWISE, PASSED, TOO_QUICK], PASSED),
        ([TOO_QUICK, OTHERWISE, OTHERWISE, PASSED, PASSED, TOO_QUICK], PASSED),
        ([TOO_QUICK, CRASHED, PASSED, PASSED], CRASHED),
    ],
)
def test_only_looks_that_agree_on_a_cell_accuse_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    codec: str,
    answers: list[Verification],
    expected: Verification,
) -> None:
    looked(monkeypatch, {codec: list(answers)})
    paths, units = units_of(tmp_path, codec)
    (found,) = verified(paths, units, lambda *_: None, 60)
    assert found.verification == expected


@pytest.mark.parametrize("codec", ["c/protobuf_c:heap", "javascript/bson"])
def test_what_failed_without_times_is_not_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, codec: str
) -> None:
    """The failure has nothing to do with times, so a second look could not change it."""
    looks = looked(monkeypatch, {codec: [CRASHED, PASSED]})
    paths, units = units_of(tmp_path, codec)
    (found,) = verified(paths, units, lambda *_: None, 60)
    assert found.status == "failed" and looks.calls == [codec]


def test_only_what_counts_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = looked(monkeypatch, {"cpp/cereal": [VIEW, PASSED]})
    paths, units = units_of(tmp_path, "cpp/cereal")
    assert verified(paths, units, lambda *_: None, 60)[0].verification == PASSED
    assert verified(paths, units, lambda *_: None, 60)[0].verification == PASSED
    assert looks.calls == ["cpp/cereal"] * 2
    verified(paths, units, lambda *_: None, 60, anew=True)
    assert looks.calls == ["cpp/cereal"] * 3
