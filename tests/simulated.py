"""Simulates rounds whose true ratios are known, and counts how many intervals hold these ratios.

``PYTHONPATH=src .venv/bin/python -m tests.simulated`` prints a table, each figure from 1,000 simulated
runs; it takes some minutes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from random import Random
from statistics import median

from serbench.cli.effort import DEFAULT_ROUNDS, MOST_ROUNDS_FACTOR, ROUNDS_QUICK, TARGET
from serbench.stats.summary import TRIM, Interval, paired_ratio

PROCESS_SPREAD, OUTLIERS, OUTLIER_SIZE = 0.0175, 0.04, 0.15
"""The standard deviation of the logarithm of times between processes, by the place of data in memory; the
share of processes that something else slows; and the mean of that slowing, 15 %."""

SECOND_MODE = 1.25
"""The factor by which a time with two modes is longer in the slower one. The times of msgpack have two modes,
depending on where its code lies."""

Noise = Callable[[Random], float]
"""A function that draws the logarithm of the factor by which a process is slowed."""


def hit(draws: Random) -> float:
    return math.log1p(draws.expovariate(1 / OUTLIER_SIZE)) if draws.random() < OUTLIERS else 0.0


def even(draws: Random, spread: float = PROCESS_SPREAD) -> float:
    return hit(draws) + draws.gauss(0, spread)


def skewed(draws: Random, mean: float) -> float:
    return draws.expovariate(1 / mean) + hit(draws)


def two_modes(draws: Random, share: float) -> float:
    return even(draws) + (math.log(SECOND_MODE) if draws.random() < share else 0.0)


NOISES: dict[str, Noise] = {
    "even, 1.75 %": even,
    "even, 6 %": partial(even, spread=0.06),
    "skewed, 5 % in the mean": partial(skewed, mean=0.05),
    "skewed, 20 % in the mean": partial(skewed, mean=0.2),
    **{
        f"two modes, {share:.0%} of processes in the slower": partial(two_modes, share=share)
        for share in (0.1, 0.2, 0.25, 0.3, 0.4, 0.5)
    },
}


@cache
def true_ratio(noise: str) -> float:
    """The ratio of a time with a noise, named as in ``NOISES``, to a time with even noise, as the trimmed
    mean of very many logarithms of ratios."""
    draws = Random(0)
    logs = sorted(NOISES[noise](draws) - even(draws) for _ in range(100_000))
    cut = int(TRIM * len(logs))
    return math.exp(math.fsum(logs[cut:-cut]) / (len(logs) - 2 * cut))


def rounds_of(draws: Random, noise: str) -> Callable[[int], Interval]:
    """A function that simulates the round of a given number and returns the interval of the ratio of two
    codecs after that round. The first codec has this noise, named as in ``NOISES``, and the second has even
    noise."""
    contender: dict[int, float] = {}
    best: dict[int, float] = {}

    def take(number: int) -> Interval:
        contender[number], best[number] = math.exp(NOISES[noise](draws)), math.exp(even(draws))
        found = paired_ratio(contender, best)
        assert found is not None
        return found

    return take


def coverage(noise: str, rounds: int, runs: int) -> float:
    """The share of simulated runs of ``rounds`` rounds in which the interval of the ratio holds the true
    ratio."""
    draws, true = Random(rounds), true_ratio(noise)
    held = 0
    for _ in range(runs):
        take = rounds_of(draws, noise)
        *_, found = map(take, range(1, rounds + 1))
        held += found.low <= true <= found.high
    return held / runs


def coverage_when_stopped(noise: str, runs: int) -> tuple[float, float]:
    """The share of simulated runs in which the interval of the ratio holds the true ratio, if rounds end by
    the rule of ``serbench run``; and the median number of rounds."""
    draws, true = Random(runs), true_ratio(noise)
    held, needed = 0, []
    for _ in range(runs):
        take = rounds_of(draws, noise)
        for number in range(1, MOST_ROUNDS_FACTOR * DEFAULT_ROUNDS + 1):
            found = take(number)
            if number >= DEFAULT_ROUNDS and found.relative_reach <= TARGET:
                break
        held += found.low <= true <= found.high
        needed.append(number)
    return held / runs, median(needed)


def main() -> None:
    runs = 1000
    counts = (ROUNDS_QUICK, DEFAULT_ROUNDS, 2 * DEFAULT_ROUNDS)
    print(
        f"| times | {' | '.join(f'{n} rounds' for n in counts)} | until ±{TARGET:.0%} | "
        "rounds until then, median |"
    )
    print("| --- |" + " ---: |" * (len(counts) + 2))
    for noise in NOISES:
        fixed = [f"{coverage(noise, n, runs):.1%}" for n in counts]
        stopped, needed = coverage_when_stopped(noise, runs)
        print(f"| {noise} | {' | '.join(fixed)} | {stopped:.1%} | {needed:g} |", flush=True)


if __name__ == "__main__":
    main()
