"""The few functions of Student's t and of the binomial distribution that tables and doctor need.

SciPy has them too, in 216 MB with NumPy: more than all the rest of an installation.
"""

from __future__ import annotations

import math
from statistics import NormalDist

_MOST_STEPS = 10_000
"""The most steps of the continued fraction. It takes as many as about the square root of its greater
parameter: 2,300 for 10^7."""


def student_tail(t: float, freedom: float) -> float:
    """The probability that Student's t with ``freedom`` degrees of freedom is ``t`` (0 or more) or greater.

    Source: NIST Digital Library of Mathematical Functions, 8.17(i); Abramowitz and Stegun, 26.7.1.
    """
    if math.isinf(t):
        return 0.0
    square = t * t
    return _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + square), square / (freedom + square)) / 2


def student_quantile(probability: float, freedom: float) -> float:
    """The value below which Student's t lies with ``probability``, which has to be 1/2 or more.

    Newton's method begins at the quantile of the normal distribution, which is never greater. The tail is
    convex there, so each step comes nearer from below.
    """
    wanted = 1 - probability
    t = NormalDist().inv_cdf(probability)
    while (step := (student_tail(t, freedom) - wanted) / _student_density(t, freedom)) > 1e-14 * t:
        t += step
    return t


def _student_density(t: float, freedom: float) -> float:
    logarithm = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - math.log(freedom * math.pi) / 2
    return math.exp(logarithm - (freedom + 1) / 2 * math.log1p(t * t / freedom))


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """The regularised incomplete beta function I_x(a, b); ``rest`` is 1 - x, exact where x is close to 1.

    Source: the continued fraction 8.17.22 of the NIST Digital Library of Mathematical Functions, evaluated
    from its front by the method of Lentz, and 8.17.4 where it converges slowly.
    """
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, rest, x)
    fraction, upper, lower = 1.0, 1.0, 0.0
    for n in range(1, _MOST_STEPS):
        m = n // 2
        factor = -(a + m) * (a + b + m) if n % 2 else m * (b - m)
        term = factor * x / ((a + n - 1) * (a + n))
        lower = 1 / (1 + term * lower)
        upper = 1 + term / upper
        fraction *= upper * lower
        if abs(upper * lower - 1) < 1e-15:
            break
    scale = a * math.log(x) + b * math.log(rest) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(scale) / (a * fraction)


def binomial_quantile(probability: float, n: int, chance: float) -> int:
    """The least k so that, with ``probability``, at most k of ``n`` events of this ``chance`` happen."""
    k, term = 0, (1 - chance) ** n
    below = term
    while below < probability and k < n:
        k += 1
        term *= (n - k + 1) / k * chance / (1 - chance)
        below += term
    return k
