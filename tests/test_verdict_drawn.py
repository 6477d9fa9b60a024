"""Tests that verdicts, ranks and sentences keep their rules on random records, and tell hardly ever a false
winner of simulated runs."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from random import Random
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.drawn_runs import CELLS, Drawn, drawn_run
from tests.support import examples

from serbench.measure.store import Run
from serbench.report.rows import Row, rows_of
from serbench.report.run_table import run_tables
from serbench.report.table import Table
from serbench.report.verdict import RankPlace, Verdict, place_of, verdict_of
from serbench.stats.summary import ROUNDS_TO_RANK, Interval
from serbench.stats.ties import FAR, is_behind

SEEDS = st.integers(0, 1 << 32)
WRITE, READ = CELLS


@dataclass(frozen=True)
class Judged:
    """A record with all that serbench says of it."""

    drawn: Drawn

    @cached_property
    def run(self) -> Run:
        return self.drawn.run()

    @cached_property
    def rows(self) -> Sequence[Row]:
        return rows_of(self.run)

    @cached_property
    def verdict(self) -> Verdict:
        return verdict_of(self.run, "w", self.rows)

    @cached_property
    def tables(self) -> Sequence[Table]:
        return run_tables(self.run, self.rows, 120)

    @cached_property
    def said(self) -> Mapping[str, str]:
        return {each.label: each.text for each in self.tables[0].verdict}

    def rivals(self, cell: str) -> list[Row]:
        """The rows that compete in a cell, in the order of their times."""
        own = [row for row in self.rows if row.cell == cell and row.time and row.competes and not row.view]
        return sorted(own, key=time_of)

    def rounds(self, row: Row) -> Mapping[int, float]:
        return self.run.taken.cells[row.codec, "w", "", row.cell].figures()

    def shared(self, row: Row, other: Row) -> list[float]:
        """The ratio of two rows in each round that both have."""
        ours, theirs = self.rounds(row), self.rounds(other)
        return [ours[number] / theirs[number] for number in sorted(ours.keys() & theirs.keys())]

    @property
    def named(self) -> Iterator[Row]:
        """The rows that the verdict names as codecs to choose from."""
        told = self.verdict
        yield from (*told.best_in_both, *told.front)
        for each in told.fastest:
            yield from (*each.first, *([each.next] if each.next else ()))
        if told.smallest:
            yield from (*told.smallest.first, *([told.smallest.next] if told.smallest.next else ()))


def time_of(row: Row) -> float:
    assert row.time
    return row.time.estimate


def names(rows: Sequence[Row]) -> set[str]:
    return {row.name for row in rows}


# --- of any record ---


@settings(max_examples=examples(150), deadline=None)
@given(SEEDS)
def test_of_any_record_the_verdict_keeps_the_rules(seed: int) -> None:
    judged = Judged(drawn_run(Random(seed)))
    check_words(judged)
    check_trust(judged)
    check_references(judged)
    for cell in CELLS:
        check_ranks(judged, cell)
    for each in judged.verdict.fastest:
        check_ratios(judged, judged.rivals(f"{each.operation}:{each.memory}"))
    check_winners(judged)
    check_sizes(judged)


def check_words(judged: Judged) -> None:
    """Nothing that is printed has a number that is none, or is negative."""
    records = [record for table in judged.tables for record in table.verdict_records]
    data = json.dumps([records, [row.to_json() for row in judged.rows]], allow_nan=False)
    shown = [[*each.rows, each.notes, each.next_step] for each in judged.tables]
    text = f"{data} {shown} {judged.said}"
    assert not re.search(r"\b(nan|inf|Infinity)\b|×-|(?<![\w.])-\d+(\.\d+)? (ns|µs|ms|s|bytes)\b", text)
    assert not re.search(r'"(time_ns|mean_ns|ratio_best|size_bytes|next_ratio)": -', data)


def check_trust(judged: Judged) -> None:
    """A *yes* has no reasons, and under a *no* nobody has a rank or wins."""
    trust = judged.verdict.trust
    assert (trust.level == "yes") == (not trust.reasons)
    assert judged.said["Trust"].partition(":")[0] == trust.level
    if trust.level == "no":
        assert not any(row.rank for row in judged.rows)
        assert not any(each.first for each in judged.verdict.fastest)
        assert not (judged.verdict.front or judged.verdict.best_in_both)


def check_references(judged: Judged) -> None:
    """References and floors have no rank and are not chosen from; a faster one is told with the winner."""
    apart = {*judged.drawn.references, *judged.drawn.floors}
    assert not any(row.rank for row in judged.rows if row.name in apart)
    assert apart.isdisjoint(row.name for row in judged.named)
    for each in judged.verdict.fastest:
        cell = f"{each.operation}:{each.memory}"
        beside = [row for row in judged.rows if row.cell == cell and row.reference and row.time]
        faster = [row for row in beside if row.ratio and row.ratio.estimate < 1 and not row.view]
        if each.first and faster:
            told = [other.row.name for other in judged.verdict.beside if other.operation == each.operation]
            assert told and told[0] in names(faster) and told[0] in judged.said["Reference"]


def check_ranks(judged: Judged, cell: str) -> None:
    """Ranks do not fall as times rise, and who shares one is not far from each other for certain."""
    own = judged.rivals(cell)
    ranked = [row for row in own if row.rank]
    assert len(ranked) in (0, len(own))
    ranks = [row.rank or 0 for row in ranked]
    assert ranks == sorted(ranks) and ranks[:1] in ([], [1])
    pairs = math.comb(len(ranked), 2)
    for first, second in combinations(ranked, 2):
        if first.rank != second.rank:
            continue
        known = not first.not_known and not second.not_known
        ratios, doubt = judged.shared(second, first), math.hypot(first.doubt, second.doubt)
        if ratios and (min(ratios) > FAR or max(ratios) < 1 / FAR):
            assert not known, "a tie of two that are far from each other in every round"
            certain = len(ratios) >= ROUNDS_TO_RANK and 2 * doubt < math.log(FAR)
            assert not certain or max(ratios) < 1, "not known, though every round says it"
        if is_behind(judged.rounds(first), judged.rounds(second), pairs, doubt):
            assert not known, "a tie, though the one of less time is behind"


def check_ratios(judged: Judged, own: Sequence[Row]) -> None:
    """A ratio is what the rounds say that both have: the mean of logarithms without a fifth on each side."""
    for row in own:
        assert row.ratio
        logs = sorted(map(math.log, judged.shared(row, own[0])))
        if logs:
            cut = int(0.2 * len(logs))
            assert row.ratio.estimate == pytest.approx(math.exp(fmean(logs[cut : len(logs) - cut])))


def check_winners(judged: Judged) -> None:
    """Whoever wins has the least time of all that compete, and is ahead of another library."""
    for each in judged.verdict.fastest:
        own = judged.rivals(f"{each.operation}:{each.memory}")
        label = {"serialize": "Fastest to write", "deserialize": "Fastest to read"}[each.operation]
        if not each.first:
            assert judged.said[label].startswith("too early to call")
            continue
        assert each.first[0] == own[0]
        assert names(each.first) == {row.name for row in own if row.may_lead}
        if not each.is_known:
            assert judged.said[label].startswith("not known: ") and "ahead of" not in judged.said[label]
            continue
        assert {row.name for row in own if row.rank == 1} == names(each.first)
        assert all(row.ratio and row.ratio.high >= 1 for row in own), "the best is behind for certain"
        if each.next:
            assert each.next.library not in {row.library for row in each.first}
            assert each.next.ratio
            ahead = f"ahead of {each.next.name}" in judged.said[label]
            far = min(judged.shared(each.next, each.first[0])) > FAR
            assert ahead == (each.next.ratio.low > 1 or (far and len(each.first) == 1))


def check_sizes(judged: Judged) -> None:
    """The smallest are those of the fewest bytes of all that compete and were measured."""
    sizes = {
        row.name: row.size_bytes or 0
        for row in judged.rows
        if row.time and row.competes and row.size_bytes is not None
    }
    told = judged.verdict.smallest
    assert bool(told) == bool(sizes)
    if told:
        assert names(told.first) == {name for name, size in sizes.items() if size == min(sizes.values())}
        others = {row.name: row.library for row in judged.rows if row.name in sizes}
        libraries = {row.library for row in told.first}
        behind = [sizes[name] for name, library in others.items() if library not in libraries]
        assert (told.next and told.next.size_bytes) == min(behind, default=None)


def conclusions(drawn: Drawn) -> Any:
    """All that does not depend on an order or on the unit of time."""
    judged = Judged(drawn)
    told = judged.verdict
    return {
        "trust": (told.trust.level, told.trust.reasons),
        "fastest": [
            (each.operation, names(each.first), each.next and each.next.name, each.few_rounds, each.is_known)
            for each in told.fastest
        ],
        "smallest": told.smallest and (names(told.smallest.first), told.smallest.size_bytes),
        "best in both": names(told.best_in_both),
        "front": names(told.front),
        "beside": [(each.operation, each.row.name) for each in told.beside],
        "ranks": {(row.name, row.cell): (row.rank, row.not_known, row.may_lead) for row in judged.rows},
    }


@settings(max_examples=examples(60), deadline=None)
@given(SEEDS)
def test_neither_an_order_nor_the_unit_of_time_changes_a_verdict(seed: int) -> None:
    drawn = drawn_run(Random(seed))
    found = conclusions(drawn)
    assert conclusions(drawn.shuffled(Random(seed))) == found
    assert conclusions(replace(drawn, disturbed={}).scaled(0.001)) == conclusions(
        replace(drawn, disturbed={})
    )


@settings(max_examples=examples(60), deadline=None)
@given(SEEDS)
def test_a_slow_codec_makes_no_other_one_win(seed: int) -> None:
    drawn = drawn_run(Random(seed))
    longest = max((time for rounds in drawn.times.values() for time in rounds.values()), default=1.0)
    slow = {("zz/slow", cell): dict.fromkeys(range(1, 38), 1e3 * longest) for cell in CELLS}
    more = replace(drawn, sizes={**drawn.sizes, "zz/slow": 1 << 20}, times={**drawn.times, **slow})
    before, after = Judged(drawn), Judged(more)
    told = {each.operation: each for each in after.verdict.fastest}
    if before.verdict.trust.level == "no":
        return
    for each in before.verdict.fastest:
        # More pairs are compared, so that a narrow lead may be too close to call.
        if each.first and each.is_known:
            first = told[each.operation].first
            assert len(each.first) > 1 or each.first[0].name in names(first)
            assert len(first) > 1 or first[0].name in names(each.first)
            assert "zz/slow" not in names(first)
    if before.verdict.smallest:
        assert after.verdict.smallest and after.verdict.smallest.first
        assert names(after.verdict.smallest.first) == names(before.verdict.smallest.first)


# --- of runs whose truth is known ---


def simulated_run(draws: Random, rounds: int) -> tuple[Drawn, Mapping[str, float]]:
    """A run of some codecs with noise from process to process, single slow processes, and bursts that slow
    half of a round's processes; and codec → its true time."""
    truth = {"cpp/a": 100.0}
    for name in "bcdef"[: draws.choice((1, 1, 2, 3, 5))]:
        truth[f"cpp/{name}"] = 100 * draws.choice((1.0, 1.0, 1.011, 1.02, 1.03, 1.05, 1.1, 1.5))
    noise = {name: draws.choice((0.005, 0.01, 0.0175, 0.03, 0.06, 0.1)) for name in truth}
    times: dict[tuple[str, str], dict[int, float]] = {(name, WRITE): {} for name in truth}
    drift = 0.0
    for number in range(1, rounds + 1):
        drift += draws.gauss(0, 0.02)
        burst = draws.uniform(0.05, 0.5) if draws.random() < 0.08 else 0.0
        for name, time in truth.items():
            slowed = burst * (draws.random() < 0.5) + draws.expovariate(7) * (draws.random() < 0.04)
            times[name, WRITE][number] = time * math.exp(drift + draws.gauss(0, noise[name]) + slowed)
    return Drawn(dict.fromkeys(truth, 100), times), truth


@pytest.mark.parametrize("rounds", range(3, 13))
def test_a_codec_that_is_truly_slower_hardly_ever_wins(rounds: int) -> None:
    draws, runs, wrong = Random(rounds), 60, 0
    for _ in range(runs):
        drawn, truth = simulated_run(draws, rounds)
        for each in Judged(drawn).verdict.fastest:
            if each.is_known and len(each.first) == 1:
                wrong += truth[each.first[0].name] > 1.01 * min(truth.values())
    assert wrong < 0.05 * runs


# --- faults that were found so ---


def record(
    times: Mapping[str, Mapping[int, float]], sizes: Mapping[str, int] | None = None, **more: Any
) -> Judged:
    """A record of writing: codec → round → nanoseconds."""
    told = sizes or dict.fromkeys(times, 100)
    return Judged(Drawn(told, {(codec, WRITE): rounds for codec, rounds in times.items()}, **more))


def rounds_at(time: float, first: int, last: int, noise: float = 0.001) -> dict[int, float]:
    return {number: time * (1 + noise * (number % 3)) for number in range(first, last + 1)}


def test_further_rounds_on_a_slower_machine_make_no_other_codec_the_fastest() -> None:
    """In each round that both have, a is ahead of b. The machine is slower in the further rounds of a."""
    judged = record(
        {"cpp/a": rounds_at(100, 1, 9) | rounds_at(150, 10, 30, 0.002), "cpp/b": rounds_at(110, 1, 9)}
    )
    a, b = (row for row in judged.rows if row.operation == "serialize")
    assert (a.rank, b.rank) == (1, 2)
    assert b.ratio and b.ratio.estimate == pytest.approx(1.1)
    assert time_of(b) / time_of(a) == pytest.approx(1.1)
    assert judged.said["Fastest to write"].startswith("cpp/a (")
    assert "ahead of cpp/b: ×1.1" in judged.said["Fastest to write"]


def test_times_stay_as_they_are_where_all_have_the_same_rounds() -> None:
    judged = record({"cpp/a": rounds_at(100, 1, 9, 0), "cpp/b": rounds_at(110, 1, 9, 0)})
    assert [time_of(row) for row in judged.rivals(WRITE)] == pytest.approx([100, 110])


def test_nobody_is_ahead_by_a_ratio_whose_interval_holds_one() -> None:
    """Codec b is slower in all rounds but two of twelve, in which it is much faster. These may be a mode of
    its times, so that the interval reaches there."""
    b = {number: 103 + 0.1 * number if number > 2 else 50.0 for number in range(1, 13)}
    judged = record({"cpp/a": rounds_at(100, 1, 12), "cpp/b": b})
    (row,) = (row for row in judged.rows if row.name == "cpp/b" and row.time)
    assert row.ratio and row.ratio.low < 1 < row.ratio.estimate
    assert {each.rank for each in judged.rivals(WRITE)} == {1}
    assert judged.said["Fastest to write"] == "too close to call: cpp/a, cpp/b"


def test_a_codec_behind_only_one_of_the_first_is_not_said_to_be_behind_all() -> None:
    rounds = range(1, 10)
    restless = (0.9, 1.0, 1.1, 1.12, 0.92, 1.0, 1.08, 0.93, 1.0)
    a = {number: 100 * factor for number, factor in zip(rounds, restless, strict=True)}
    judged = record({"cpp/a": a, "cpp/b": rounds_at(100.5, 1, 9), "cpp/c": rounds_at(106, 1, 9)})
    (write,) = judged.verdict.fastest
    assert names(write.first) == {"cpp/a", "cpp/b"} and write.is_known
    assert write.next and write.next.ratio and write.next.ratio.low < 1
    assert "; then cpp/c: ×1." in judged.said["Fastest to write"]


def test_a_reference_with_few_rounds_is_named_beside_the_winner_that_it_seems_to_beat() -> None:
    what = {"cpp/hand": "code written by hand"}
    judged = record({"cpp/a": rounds_at(100, 1, 9), "cpp/hand": rounds_at(50, 1, 2)}, references=what)
    assert judged.said["Reference"] == (
        "cpp/hand (code written by hand): too few rounds to compare it with the fastest library to write"
    )


def test_a_ratio_without_an_interval_tells_no_place() -> None:
    judged = record({"cpp/a": rounds_at(100, 1, 9), "cpp/b": rounds_at(100, 1, 9)})
    first, second = judged.rivals(WRITE)
    unknown = replace(second, not_known=True, ratio=Interval(9.0, 9.0, 9.0, 0.0))
    assert place_of(unknown, [first, unknown]) == RankPlace(1, 2)


def test_the_only_codec_of_a_front_beats_nobody_that_does_something_better() -> None:
    """Codec b only writes, and does that faster than a; and c is as fast as a."""
    times = {
        ("cpp/a", WRITE): rounds_at(100, 1, 9), ("cpp/a", READ): rounds_at(100, 1, 9),
        ("cpp/b", WRITE): rounds_at(50, 1, 9),
        ("cpp/c", WRITE): rounds_at(100, 1, 9), ("cpp/c", READ): rounds_at(200, 1, 9),
    }  # fmt: skip
    judged = Judged(Drawn({"cpp/a": 10, "cpp/b": 20, "cpp/c": 10}, times))
    assert judged.said["Size against time"] == "cpp/a; no other codec is as good in size and all times"
