"""Tests of the history of a library: simulated versions that are all alike, a planted change that is found at
its version, which releases are chosen, and how it is kept and shown."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random

import msgspec
import pytest
from tests.simulated import NOISES, even

from serbench.cli.effort import DEFAULT_ROUNDS
from serbench.cli.history import LAST, Which
from serbench.codecs.codec import Codec
from serbench.errors import FileError, SelectionError, SetupError
from serbench.languages import languages
from serbench.languages.python.versions import PipVersions
from serbench.languages.releases import Release, evenly, releases
from serbench.measure.store import Journal, Run, create_run
from serbench.paths import Paths
from serbench.report.history import History, Series
from serbench.report.history_table import NEWEST, chart, history_tables
from serbench.report.kept import asked_of, finding_of, history_of, keep_history
from serbench.report.table import Table
from serbench.selecting.catalogue import load_codecs
from serbench.stats.history import THRESHOLD, Times, change_of, comparisons, ratio_of, unseen
from serbench.stats.summary import ROUNDS_TO_RANK, Interval

CODECS = load_codecs(Paths.default().codecs)
HISTORIES, VERSIONS = 200, 6
SERIALIZE, DESERIALIZE = "serialize:reuse", "deserialize:reuse"
DAYS = {"1.0": "2026-01-05", "1.1": "2026-03-01", "1.2": "2026-06-30", "1.10": "2026-09-09"}
RELEASES = [Release(version, day) for version, day in DAYS.items()]


def changes(draws: Random, noise: str, effects: Sequence[float], threshold: float = THRESHOLD) -> list[int]:
    """The versions, by their places, that changed in a simulated history of two operations, one of which has
    these true times, and the other is the same in all versions."""
    family, found = comparisons(len(effects), 2), list[int]()
    for own in (effects, [1.0] * len(effects)):
        drifts = [draws.gauss(0, 0.02) for _ in range(DEFAULT_ROUNDS)]
        times = [
            Times({n: effect * math.exp(drift + NOISES[noise](draws)) for n, drift in enumerate(drifts)})
            for effect in own
        ]
        for place, (before, after) in enumerate(pairwise(times), start=1):
            if change_of(ratio_of(after, before, family), threshold):
                found.append(place)
    return found


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("threshold", [THRESHOLD, 0.0])
def test_one_version_under_six_names_has_no_change(noise: str, threshold: float) -> None:
    draws = Random(noise)
    wrong = sum(bool(changes(draws, noise, [1.0] * VERSIONS, threshold)) for _ in range(HISTORIES))
    assert wrong <= 0.05 * HISTORIES


@pytest.mark.parametrize("effect", [1.1, 1 / 1.1])
def test_a_tenth_is_found_at_its_version(effect: float) -> None:
    draws = Random(str(effect))
    effects = [1.0] * 3 + [effect] * (VERSIONS - 3)
    found = [changes(draws, next(iter(NOISES)), effects) for _ in range(HISTORIES)]
    assert sum(each == [3] for each in found) >= 0.9 * HISTORIES
    assert sum(bool(set(each) - {3}) for each in found) <= 0.05 * HISTORIES


def test_all_intervals_of_a_history_hold_together() -> None:
    draws, family = Random(2), comparisons(VERSIONS, 1)
    assert family == 2 * VERSIONS - 3
    missed = 0
    for _ in range(HISTORIES):
        times = [Times({n: math.exp(even(draws)) for n in range(DEFAULT_ROUNDS)}) for _ in range(VERSIONS)]
        pairs = [*pairwise(times), *((each, times[-1]) for each in times[:-2])]
        assert len(pairs) == family
        found = [ratio_of(first, second, family) for first, second in pairs]
        missed += any(each is None or not each.low <= 1 <= each.high for each in found)
    assert missed <= 0.05 * HISTORIES


def test_what_disturbances_leave_open_widens_an_interval_and_few_rounds_have_none() -> None:
    rounds = {n: 1.0 + n / 1000 for n in range(ROUNDS_TO_RANK)}
    sure, doubtful = ratio_of(Times(rounds), Times(rounds), 1), ratio_of(Times(rounds, 0.1), Times(rounds), 1)
    assert sure and doubtful and doubtful.high > 1.1 > sure.high
    assert ratio_of(Times(rounds), Times(dict(list(rounds.items())[1:])), 1) is None
    assert unseen([sure, doubtful, None]) == max(doubtful.high - 1, 1 / doubtful.low - 1)
    assert change_of(Interval(1.2, 1.02, 1.4, 0.95), 0.03) == "" == change_of(None, 0.03)
    assert change_of(Interval(1.2, 1.04, 1.4, 0.95), 0.03) == "slower"
    assert change_of(Interval(0.8, 0.7, 0.96, 0.95), 0.03) == "faster"


class Told(PipVersions):
    """Versions of a package manager that tells them once, and has no network afterwards."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, days: Mapping[str, str]):
        self.asked, self._days = 0, days
        monkeypatch.setattr(type(languages()["python"]), "versions", self)

    def published(self, codec: Codec) -> Sequence[str]:
        self.asked += 1
        if self.asked > 1:
            raise SetupError("no network")
        return ["2.0rc1", *DAYS]

    def released(self, codec: Codec) -> Mapping[str, str]:
        return self._days if self.asked == 1 else {}


def test_releases_are_stable_versions_and_are_kept_for_want_of_a_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Told(monkeypatch, DAYS)
    for _ in range(2):
        assert releases(tmp_path, CODECS["python/orjson"]) == RELEASES
    with pytest.raises(SelectionError, match="python/json: this codec has no library"):
        releases(tmp_path, CODECS["python/json"])
    with pytest.raises(
        SelectionError, match=r"versions are for codecs of .*; for those of C\+\+ see --prefix"
    ):
        releases(tmp_path, CODECS["cpp/cereal"])


@pytest.mark.parametrize(
    ("which", "chosen"),
    [
        (Which(last=2), ["1.2", "1.10"]),
        (Which(), [*DAYS][-LAST:]),
        (Which(since="2026-03-01"), ["1.1", "1.2", "1.10"]),
        (Which(versions="1.1..1.2"), ["1.1", "1.2"]),
        (Which(versions="1.2.."), ["1.2", "1.10"]),
        (Which(versions="..1.1"), ["1.0", "1.1"]),
    ],
)
def test_versions_are_chosen_by_number_day_or_ends(which: Which, chosen: list[str]) -> None:
    assert [each.version for each in which.of(RELEASES)] == chosen


@pytest.mark.parametrize(
    ("which", "said"),
    [
        (Which(last=2, since="2026-01-01"), "found --last and --since; expected one of them"),
        (Which(since="2026-12-01"), "the newest release is of 2026-09-09"),
        (Which(since="2026-09-01"), "found one version, 1.10; expected two or more"),
        (Which(versions="1.1"), r"expected A\.\.B"),
        (Which(versions="1.3..1.10"), "there is no release 1.3; the nearest are 1.10, 1.2, 1.1"),
        (Which(versions="1.10..1.2"), "1.10 is newer than 1.2"),
    ],
)
def test_a_choice_of_no_versions_is_refused(which: Which, said: str) -> None:
    with pytest.raises(SelectionError, match=said):
        which.of(RELEASES)
    with pytest.raises(SelectionError, match="does not tell when versions were published"):
        Which(since="2026-01-01").of([Release("1.0"), Release("1.1")])


def test_of_many_versions_some_are_measured_evenly_with_both_ends() -> None:
    many = [Release(f"1.{n}") for n in range(23)]
    assert evenly(many, 12) == many[::2] and evenly(many, 23) == many
    assert evenly(many, 2) == [many[0], many[-1]]


def history(folder: Path, effects: Mapping[str, float], rounds: int = 9) -> History:
    """A made-up history: each version serializes 1000 messages in so many milliseconds, and deserializes them
    in one. That before the first one could not be built, and the usual one is the newest."""
    manifest = {
        "codecs": ["x/one"], "workloads": ["w"], "operations": [SERIALIZE, DESERIALIZE], "rounds": rounds,
        "toolchains": [], "arguments": [], "machine": {"processor": "made up"},
        "datasets": {"w": {"sha256": "", "messages": 1000, "canonical_bytes": 1000}},
    }  # fmt: skip
    run, draws = create_run(folder, manifest), Random(1)
    newest = [*effects][-1]
    with Journal(run) as journal:
        unit = {"codec": "x/one", "workload": "w"}
        failed = {"event": "unit", **unit, "compiler": "y@0.9", "status": "failed", "reason": "no function g"}
        journal.append(failed)
        for compiler, effect in {"y": effects[newest], **{f"y@{n}": t for n, t in effects.items()}}.items():
            about = {**unit, "compiler": compiler}
            size = {"size_bytes": 5000 + len(compiler), "messages": 1000}
            journal.append({"event": "unit", **about, "status": "ok", **size})
            for number in range(rounds):
                for operation, ns in (("serialize", effect * 1e6), ("deserialize", 1e6)):
                    took = round(10 * ns * math.exp(draws.gauss(0, 0.005)))
                    sample = {"operation": operation, "memory": "reuse", "round": number + 1}
                    journal.append(
                        {"event": "sample", **about, **sample, "iterations": 10, "elapsed_ns": took}
                    )
    asked = [Release("0.8"), Release("0.9"), *(Release(each, DAYS.get(each, "")) for each in effects)]
    return History("x/one", newest, asked, THRESHOLD, len(asked), [Run(run.directory)])


@pytest.fixture(name="made")
def made_up(tmp_path: Path) -> History:
    return history(tmp_path, {"1.0": 1.0, "1.1": 1.0, "1.2": 1.3, "1.10": 1.3})


def test_a_change_has_its_version_and_its_interval(made: History) -> None:
    points = {each.release.version: each for each in made.points(Series("x/one", "w", SERIALIZE))}
    assert {version: each.change for version, each in points.items()} == {
        "0.9": "", "1.0": "", "1.1": "", "1.2": "slower", "1.10": "",
    }  # fmt: skip
    changed = points["1.2"].ratio_before
    assert changed and changed.low < 1.3 < changed.high and points["1.2"].before == "1.1"
    assert points["1.0"].before == "" and points["1.10"].ratio_newest is None
    assert points["0.9"].reason == "no function g" and points["0.9"].time is None
    time = points["1.0"].time
    assert time and time.estimate == pytest.approx(1000, rel=0.01), "nanoseconds of a message"
    assert made.family == comparisons(6, 2) and [each.version for each in made.skipped] == ["0.8"]


def test_programs_get_an_object_for_each_version_and_operation(made: History) -> None:
    told = {(each["version"], each["operation"]): each for each in json.loads(json.dumps(made.records))}
    assert len(told) == 6 * 2
    one = told["1.2", SERIALIZE]
    assert one["codec"] == "x/one" and one["released"] == DAYS["1.2"] and one["changed"] is True
    assert one["interval"][0] < one["ratio_newest"] < one["interval"][1] and one["bytes"] == 5.005
    assert one["interval_before"][0] < 1.3 < one["interval_before"][1] and one["before"] == "1.1"
    assert told["1.2", DESERIALIZE]["changed"] is False and told["1.0", SERIALIZE]["changed"] is None
    assert told["0.9", SERIALIZE]["reason"] == "no function g" and told["0.9", SERIALIZE]["time_ns"] is None
    assert told["0.8", SERIALIZE]["reason"] == "skipped"


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_has_versions_in_rows_the_newest_first(made: History, width: int) -> None:
    tables = history_tables(made, width)
    assert all(table.width <= width for table in tables)
    assert all("" in table.headings for table in tables), "each operation has its chart"
    assert [row[0] for row in tables[0].rows] == ["1.10", "1.2", "1.1", "1.0", "0.9"]
    rows = {row[0]: row for row in tables[0].rows}
    assert NEWEST in rows["1.10"] and "–" in rows["0.9"] and DAYS["1.1"] in rows["1.1"]
    assert [cell for cell in rows["1.2"] if cell.startswith("slower ×1.")]
    said = {each.label: each.text for each in tables[0].verdict}
    assert said[SERIALIZE].startswith(f"slower since 1.2 of {DAYS['1.2']}: ×1.")
    assert said[SERIALIZE].endswith("the time of 1.1")
    assert said[DESERIALIZE].startswith("no version changed it by more than 3 % for certain")
    notes = notes_of(tables)
    assert "0.9: no function g" in notes and "Not measured: 0.8." in notes
    assert "All 18 intervals hold together with 95 %" in notes
    assert "Two builds of 1.10 differ by chance" in notes


def test_small_steps_are_told_together_and_few_rounds_tell_nothing(tmp_path: Path) -> None:
    creeping = history(tmp_path / "a", {"1.0": 1.0, "1.1": 1.03, "1.2": 1.06, "1.10": 1.09})
    said = [each.text for table in history_tables(creeping, 120) for each in table.verdict]
    assert said[0].startswith("1.0 took ×0.9") and "in steps none of which" in said[0]
    few = history(tmp_path / "b", {"1.0": 1.0, "1.1": 2.0}, rounds=ROUNDS_TO_RANK - 1)
    assert [each.text for each in history_tables(few, 120)[0].verdict] == ["not known: too few rounds"] * 2
    one = history(tmp_path / "c", {"1.0": 1.0})
    assert "fewer than two versions have times" in history_tables(one, 120)[0].verdict[0].text


def test_a_chart_has_a_dot_its_interval_and_the_newest_version() -> None:
    scale = (math.log(0.5), math.log(2.0))
    assert chart(None, scale) == "        ●"
    assert chart(Interval(2.0, 1.5, 9.0, 0.95), scale) == "        │    ───●"
    assert chart(Interval(0.5, 0.1, 0.6, 0.95), scale) == "●──     │"


def test_a_history_is_kept_beside_its_samples(made: History) -> None:
    keep_history(made)
    (run,) = made.runs
    again = history_of(Run(run.directory))
    assert again and again.records == made.records
    finding = finding_of(run)
    assert finding and finding.records == made.records
    assert finding.tables(120)[0].rows == history_tables(made, 120)[0].rows
    assert asked_of(run) == "x/one: which version changed the times?"
    path = run.directory / "history.json"
    kept = json.loads(path.read_text())
    path.write_bytes(msgspec.json.encode(kept | {"runs": ["../elsewhere"]}))
    with pytest.raises(FileError, match="names no run that is there"):
        history_of(run)
    path.write_bytes(msgspec.json.encode(kept | {"most": 1}))
    with pytest.raises(FileError):
        history_of(run)
    path.unlink()
    assert history_of(run) is None


def notes_of(tables: Sequence[Table]) -> str:
    return "\n".join(note for table in tables for note in table.notes)
