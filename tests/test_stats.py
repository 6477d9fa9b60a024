"""Tests of statistics on fixed data: intervals of means and medians, ratios paired by round, and groups of
ties."""

from __future__ import annotations

from math import comb, exp, isfinite, log
from random import Random
from statistics import stdev

import pytest

from serbench.stats.summary import (
    Interval,
    Rounds,
    geometric_interval,
    geometric_mean_ratio,
    median_interval,
    paired_ratio,
    trimmed,
    two_sided_p,
    typical,
)
from serbench.stats.ties import is_behind, standings

# The k of the narrowest interval from the k-th smallest to the k-th greatest of n values that covers the
# median with at least 95 %: from tables of the sign test, such as W. J. Conover, "Practical Nonparametric
# Statistics", table A3.
K_OF_95 = {
    6: 1,
    7: 1,
    8: 1,
    9: 2,
    10: 2,
    11: 2,
    12: 3,
    13: 3,
    14: 3,
    15: 4,
    16: 4,
    17: 5,
    18: 5,
    19: 5,
    20: 6,
}


def coverage(n: int, k: int) -> float:
    """The probability that the median lies between the k-th smallest and the k-th greatest of n values: 1 - 2
    P(X < k) for X binomial (n, 1/2), summed in whole numbers."""
    return 1 - sum(comb(n, j) for j in range(k)) / float(2 ** (n - 1))


@pytest.mark.parametrize(("n", "k"), K_OF_95.items())
def test_the_interval_lies_between_the_order_statistics_of_the_table(n: int, k: int) -> None:
    found = median_interval(list(range(1, n + 1)))
    assert (found.low, found.high) == (k, n + 1 - k)
    assert found.coverage == pytest.approx(coverage(n, k))
    assert coverage(n, k) >= 0.95 > coverage(n, k + 1)


@pytest.mark.parametrize(
    ("n", "low", "high", "covered"), [(6, 1, 6, 0.969), (9, 2, 8, 0.961), (20, 6, 15, 0.959)]
)
def test_coverage_is_the_one_that_the_interval_truly_has(n: int, low: int, high: int, covered: float) -> None:
    found = median_interval(list(range(1, n + 1)))
    assert (found.low, found.high, round(found.coverage, 3)) == (low, high, covered)


@pytest.mark.parametrize(("n", "covered"), [(1, 0.0), (2, 0.5), (3, 0.75), (4, 0.875), (5, 0.9375)])
def test_too_few_values_give_their_range_and_its_coverage(n: int, covered: float) -> None:
    found = median_interval(list(range(1, n + 1)))
    assert (found.low, found.high, round(found.coverage, 6)) == (1, n, covered)


def test_a_lower_confidence_gives_a_narrower_interval() -> None:
    values = list(range(1, 21))
    assert [median_interval(values, c).low for c in (0.5, 0.9, 0.99)] == [8, 6, 4]
    assert [round(coverage(20, k), 3) for k in (9, 8, 7, 6, 5, 4)] == [
        0.497,
        0.737,
        0.885,
        0.959,
        0.988,
        0.997,
    ]


def test_the_order_of_values_does_not_matter() -> None:
    values = [3.0, 1.0, 4.0, 1.5, 9.0, 2.6, 5.0, 3.5, 8.0]
    shuffled = Random(1).sample(values, len(values))
    assert median_interval(shuffled) == median_interval(values)
    assert (median_interval(values).estimate, median_interval(values).low, median_interval(values).high) == (
        3.5,
        1.5,
        8.0,
    )


def test_the_median_of_an_even_number_lies_between_the_middle_two() -> None:
    assert median_interval([1.0, 2.0, 4.0, 9.0]).estimate == 3.0


def test_no_values_have_no_median() -> None:
    with pytest.raises(ValueError, match="no values"):
        median_interval([])


def test_the_half_width_is_relative_to_the_median() -> None:
    assert Interval(10.0, 9.0, 11.4, 0.95).relative_half_width == pytest.approx(0.12)
    assert Interval(0.0, -1.0, 1.0, 0.95).relative_half_width == 0.0


def test_a_trimmed_mean_and_its_error_are_those_of_a_worked_example() -> None:
    # Two of ten values are left out on each side: kept are 3 to 8, winsorized 3 3 3 4 5 6 7 8 8 8 with a sum
    # of squares of 42.5.
    found = trimmed([10, 1, 2, 9, 3, 8, 4, 7, 5, 6])
    assert (found.mean, found.freedom) == (5.5, 5)
    assert found.error == pytest.approx((42.5 / (6 * 5)) ** 0.5)


def test_without_trimming_it_is_the_plain_mean_and_its_error() -> None:
    values = [1.0, 2.0, 4.0, 9.0]
    found = trimmed(values, trim=0)
    assert found.mean == 4.0 and found.error == pytest.approx(stdev(values) / 2) and found.freedom == 3


def test_a_p_value_is_that_of_the_table_of_student_s_t() -> None:
    assert two_sided_p(2.571, 1.0, 5) == pytest.approx(0.05, abs=1e-4)
    assert two_sided_p(-12.706, 1.0, 1) == pytest.approx(0.05, abs=1e-4)
    assert (two_sided_p(0.0, 0.0, 5), two_sided_p(0.1, 0.0, 5)) == (1.0, 0.0)


# --- trimmed means of logarithms ---


def test_a_figure_is_the_geometric_mean_without_the_extremes_and_its_interval_that_of_the_t_test() -> None:
    # Two of ten are left out on each side; the t-test of the logarithms gives the interval.
    values = [6, 4, 4, 6, 4, 6, 5, 6, 5, 4]
    found = geometric_interval(values)
    assert found.estimate == pytest.approx((4 * 4 * 5 * 5 * 6 * 6) ** (1 / 6)) == typical(values)
    of_test = trimmed([log(value) for value in values])
    half = 2.5706 * of_test.error  # Student's t with five degrees of freedom
    assert (found.low, found.high) == pytest.approx(
        (found.estimate * exp(-half), found.estimate * exp(half)), rel=1e-4
    )
    assert found.coverage == 0.95


def test_an_interval_reaches_to_the_means_that_other_cuts_would_give() -> None:
    # A second mode that holds just as many values as are left out: a t-test alone would know of none.
    one_mode, two_modes = [1.0] * 15, [1.0] * 12 + [1.25] * 3
    assert (geometric_interval(one_mode).low, geometric_interval(one_mode).high) == (1.0, 1.0)
    found = geometric_interval(two_modes)
    # With the cuts moved up by four values, the greatest eight are kept, and three of these are of the second
    # mode.
    assert (found.estimate, found.low, found.high) == pytest.approx((1.0, 1.0, 1.25 ** (3 / 8)))


def test_a_single_value_has_no_interval_and_wild_ones_a_finite_one() -> None:
    found = geometric_interval([7.0])
    assert (found.estimate, found.low, found.high, found.coverage) == pytest.approx((7.0, 7.0, 7.0, 0.0))
    wild = geometric_interval([1e-9, 1e9])
    assert isfinite(wild.high) and wild.low >= 0
    with pytest.raises(ValueError, match="no values"):
        geometric_interval([])


# --- ratios ---

DRIFT = {r: 100.0 * 1.5**r for r in range(1, 11)}
"""Round → the time on a machine that becomes slower: each round takes 1.5 times as long as the one before."""


def times(rounds: Rounds, factor: float) -> dict[int, float]:
    return {r: factor * v for r, v in rounds.items()}


def test_a_common_drift_cancels() -> None:
    ratio = paired_ratio(times(DRIFT, 1.25), DRIFT)
    assert ratio is not None
    assert [ratio.estimate, ratio.low, ratio.high] == pytest.approx([1.25, 1.25, 1.25])
    assert median_interval(list(DRIFT.values())).relative_half_width > 1


def test_only_shared_rounds_are_compared() -> None:
    ratio = paired_ratio({1: 2.0, 2: 6.0, 3: 900.0}, {2: 3.0, 1: 1.0, 4: 1.0})
    assert ratio and (ratio.estimate, ratio.low, ratio.high, ratio.coverage) == pytest.approx(
        (2.0, 2.0, 2.0, 0.95)
    )
    assert paired_ratio({1: 2.0}, {2: 1.0}) is None


def test_a_geometric_mean_is_taken_of_ratios_inside_each_round() -> None:
    pairs = [({1: 2.0, 2: 8.0, 3: 1.0}, {1: 1.0, 2: 2.0}), ({1: 8.0, 2: 4.0}, {1: 1.0, 2: 1.0, 4: 5.0})]
    found = geometric_mean_ratio(pairs)
    assert found and (found.estimate, found.low, found.high) == pytest.approx((4.0, 4.0, 4.0))
    turned = geometric_mean_ratio([(second, first) for first, second in pairs])
    assert turned and turned.estimate == pytest.approx(1 / 4)
    assert geometric_mean_ratio([({1: 1.0}, {1: 1.0}), ({2: 1.0}, {2: 1.0})]) is None


# --- ranks ---


def noisy(centre: float, spread: float, rounds: int = 12) -> dict[int, float]:
    """Round → a time that lies alternately above and below ``centre``."""
    return {r: centre * (1 + (spread if r % 2 else -spread)) for r in range(1, rounds + 1)}


def ranks(cells: dict[str, dict[int, float]]) -> dict[str, int]:
    return {name: s.rank for name, s in standings(cells).items()}


def test_contenders_that_are_separated_have_ranks_of_their_own() -> None:
    assert ranks({"slow": times(DRIFT, 3.0), "fast": DRIFT, "middle": times(DRIFT, 2.0)}) == {
        "fast": 1,
        "middle": 2,
        "slow": 3,
    }


def test_contenders_whose_ratio_includes_one_share_a_rank_and_the_next_rank_skips() -> None:
    assert ranks({"a": noisy(1.0, 0.0), "b": noisy(1.01, 0.05), "c": noisy(2.0, 0.0)}) == {
        "a": 1,
        "b": 1,
        "c": 3,
    }
    late = {r: 2.02 * (1.05 if r > 6 else 0.95) for r in range(1, 13)}
    cells = {
        "a": noisy(1.0, 0.0),
        "b": noisy(2.0, 0.0),
        "c": noisy(2.01, 0.05),
        "d": late,
        "e": noisy(9.0, 0.0),
    }
    assert ranks(cells) == {"a": 1, "b": 2, "c": 2, "d": 2, "e": 5}


def test_a_tie_group_does_not_reach_beyond_the_ties_of_its_first_member() -> None:
    # b is tied with a, and c with b, but c is not with a.
    cells = {"a": noisy(1.0, 0.0), "b": noisy(1.03, 0.04), "c": noisy(1.06, 0.03)}
    assert ranks(cells) == {"a": 1, "b": 1, "c": 3}


def leader_that_is_hit(
    times: dict[str, float], factor: float = 20, hit: int = 2
) -> dict[str, dict[int, float]]:
    """Codec → round → its time, with 1 % of noise, in nine rounds; in the first ``hit`` rounds, the first
    codec takes ``factor`` times as long."""
    draws = Random(4)
    cells = {
        name: {r: time * exp(draws.gauss(0, 0.01)) for r in range(1, 10)} for name, time in times.items()
    }
    first = next(iter(times))
    return {**cells, first: {r: t * factor if r <= hit else t for r, t in cells[first].items()}}


def test_a_noisy_leader_does_not_tie_those_behind_it_with_each_other() -> None:
    cells = leader_that_is_hit({"unsteady": 3.6, "b": 7.0, "c": 12.0, "d": 23.0})
    found = standings(cells)
    assert {name: s.rank for name, s in found.items()} == {"unsteady": 1, "b": 1, "c": 3, "d": 4}
    assert [name for name, s in found.items() if s.not_known] == ["unsteady"]


def test_a_contender_whose_times_vary_is_not_known_wherever_it_stands() -> None:
    cells = leader_that_is_hit({"unsteady": 5.0, "a": 3.6, "b": 5.4, "c": 12.0}, factor=3)
    found = standings(cells)
    assert [found[name].rank for name in "abc"] == [1, 2, 4] or [found[name].rank for name in "abc"] == [
        1,
        3,
        4,
    ]
    assert not any(found[name].not_known for name in "abc")


def test_an_order_is_known_where_contenders_are_near_each_other() -> None:
    assert not any(s.not_known for s in standings({"a": noisy(1.0, 0.01), "b": noisy(1.005, 0.02)}).values())


@pytest.mark.parametrize(
    ("rounds", "expected"), [(5, {"a": 1, "b": 1, "c": 1}), (6, {"a": 1, "b": 2, "c": 3})]
)
def test_too_few_rounds_separate_nobody(rounds: int, expected: dict[str, int]) -> None:
    assert ranks({name: noisy(10.0**n, 0.0, rounds) for n, name in enumerate("abc")}) == expected


def test_a_contender_that_is_far_behind_stays_so_where_it_lost_rounds() -> None:
    best, near = noisy(1.0, 0.0, 6), noisy(1.1, 0.0, 6)
    for lost, factor, leads in ((1, 25.0, False), (3, 2.3, False), (3, 2.2, True), (4, 25.0, True)):
        late = {n: factor * time for n, time in best.items() if n not in [*best][:lost]}
        assert standings({"a": best, "b": near, "c": late})["c"].may_lead is leads, (lost, factor)


def test_a_contender_that_is_far_behind_stays_so_beside_much_other_work() -> None:
    best, slow = noisy(1.0, 0.0, 6), noisy(25.0, 0.0, 6)
    for spread, behind in ((0.1, True), (0.6, True), (0.9, False), (1e9, False)):
        assert is_behind(slow, best, spread=spread, pairs=10_000) is behind


def test_the_ratio_of_a_standing_is_to_the_best_even_in_a_later_group() -> None:
    found = standings({"c": times(DRIFT, 4.0), "b": times(DRIFT, 2.0), "a": DRIFT})
    assert [(name, s.ratio.estimate) for name, s in found.items()] == [("a", 1.0), ("b", 2.0), ("c", 4.0)]


def test_nobody_stands_alone_below_the_first_rank() -> None:
    assert ranks({"only": noisy(1.0, 0.1)}) == {"only": 1}
    assert standings({}) == {}


def test_drift_does_not_make_a_rank() -> None:
    # b was stopped before the machine became fast again; in every round that both have, b is the faster one.
    slow_then_fast = {r: 100.0 if r <= 8 else 10.0 for r in range(1, 21)}
    found = standings({"a": slow_then_fast, "b": dict.fromkeys(range(1, 9), 90.0)})
    assert found["b"].rank == 1
    assert found["b"].ratio.estimate <= found["a"].ratio.estimate


def test_a_contender_that_shares_no_round_with_the_best_does_not_vanish() -> None:
    assert set(standings({"a": {1: 1.0, 2: 1.0}, "b": {3: 2.0, 4: 2.0}})) == {"a", "b"}
