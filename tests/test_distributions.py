"""Tests of Student's t and the binomial distribution against closed forms, exact sums, and values of SciPy
1.17.1."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serbench.stats.distributions import binomial_quantile, student_quantile, student_tail
from serbench.stats.summary import median_interval


@given(st.floats(min_value=0, max_value=1e6))
def test_the_tail_is_that_of_closed_forms(t: float) -> None:
    """The closed forms for 1, 2 and 4 degrees of freedom are those of Abramowitz and Stegun, 26.7.3 and
    26.7.4, rewritten so that small tails stay exact."""
    assert student_tail(t, 1) == pytest.approx(math.atan2(1, t) / math.pi, rel=1e-8)
    root = math.sqrt(2 + t * t)
    assert student_tail(t, 2) == pytest.approx(1 / (root * (root + t)), rel=1e-8)
    # rest: 1 - sine
    sine, rest = t / math.sqrt(4 + t * t), 4 / (math.sqrt(4 + t * t) * (math.sqrt(4 + t * t) + t))
    assert student_tail(t, 4) == pytest.approx(rest * rest * (2 + sine) / 4, rel=1e-8)


SCIPY = [
    (1.5, 0.25, 0.4162548420016041, 6.016663104427929),
    (1.5, 2.5, 0.08490325130734802, 6.016663104427929),
    (1.5, 11.0, 0.010267913909822192, 6.016663104427929),
    (3.3, 0.25, 0.40867754248119254, 3.024874461840807),
    (3.3, 2.5, 0.040026418154177235, 3.024874461840807),
    (3.3, 11.0, 0.000515832325563634, 3.024874461840807),
    (7.9, 0.25, 0.40448274784401617, 2.311094927866423),
    (7.9, 2.5, 0.018648497668063688, 2.311094927866423),
    (7.9, 11.0, 2.287829090595101e-06, 2.311094927866423),
    (12.25, 0.25, 0.4033653516510682, 2.1738913883920628),
    (12.25, 2.5, 0.013780825090710127, 2.1738913883920628),
    (12.25, 11.0, 5.2135847824359264e-08, 2.1738913883920628),
    (30.6, 0.25, 0.40212907517547564, 2.040594561056215),
    (30.6, 2.5, 0.008998388445649305, 2.040594561056215),
    (30.6, 11.0, 1.849220168708253e-12, 2.040594561056215),
    (250.1, 0.25, 0.4013962879708656, 1.96949456300173),
    (250.1, 2.5, 0.0065303119346257245, 1.96949456300173),
    (250.1, 11.0, 1.623880404681415e-23, 1.96949456300173),
]


@pytest.mark.parametrize(("freedom", "t", "tail", "quantile"), SCIPY)
def test_fractional_degrees_of_freedom_are_scipys(
    freedom: float, t: float, tail: float, quantile: float
) -> None:
    assert student_tail(t, freedom) == pytest.approx(tail, rel=1e-9)
    assert student_quantile(0.975, freedom) == pytest.approx(quantile, rel=1e-9)


@given(st.floats(min_value=1, max_value=1e5), st.floats(min_value=0.5, max_value=0.9999))
def test_the_quantile_is_where_the_tail_is_what_is_left(freedom: float, probability: float) -> None:
    assert student_tail(student_quantile(probability, freedom), freedom) == pytest.approx(
        1 - probability, rel=1e-8
    )


def test_what_is_infinitely_far_away_has_no_tail() -> None:
    assert student_tail(math.inf, 3) == 0


@given(
    st.integers(1, 60),
    st.sampled_from([Fraction(1, 20), Fraction(1, 3)]),
    st.sampled_from([0.9, 0.95, 0.999]),
)
def test_the_binomial_quantile_is_that_of_exact_sums(n: int, chance: Fraction, probability: float) -> None:
    k, below = 0, (1 - chance) ** n
    while below < probability:
        k += 1
        below += math.comb(n, k) * chance**k * (1 - chance) ** (n - k)
    assert binomial_quantile(probability, n, float(chance)) == k


@given(st.integers(1, 300))
def test_the_interval_of_a_median_covers_what_exact_sums_say(n: int) -> None:
    interval = median_interval([float(value) for value in range(1, n + 1)])
    k = round(interval.low)
    below = Fraction(sum(math.comb(n, i) for i in range(k)), 2**n)  # P(X < k)
    assert interval.high == n + 1 - k
    assert interval.coverage == pytest.approx(max(0.0, float(1 - 2 * below)))
    if k > 1:
        assert interval.coverage >= 0.95
    assert 1 - 2 * (below + Fraction(math.comb(n, k), 2**n)) < 0.95, "a narrower one would do"
