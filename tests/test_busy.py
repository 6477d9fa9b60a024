"""Simulates a busy machine: after the deductions, intervals hold the true ratios, and no codec wins that is
not the fastest.

Another process has the core for a share of each sample, in slices of some milliseconds, as Linux gives them.
The system counts that time, and it is deducted. The system does not count the effect on caches: after each
switch, a codec fills its caches again, which takes up to 60 µs, as long as reading a mebibyte from memory.
Each codec has its own share of this, the same in every round, so no number of rounds averages it away.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

import pytest
from tests.simulated import even
from tests.test_trust import RUNS, SIMULATED

from serbench.measure.events import Sampled
from serbench.measure.taken import CellSamples
from serbench.stats.summary import CONFIDENCE, paired_ratio
from serbench.stats.ties import Doubts, standings

SAMPLE_NS, SLICE_NS = 10_000_000, 4_000_000
MOST_REFILL_NS = 60_000


@dataclass(frozen=True)
class Other:
    """Other work on the machine: the share of a round's time for which it has the core, and the share of
    rounds in which it runs at all."""

    share: float
    rounds: float


OTHERS = {
    "another test now and then": Other(0.3, 0.3),
    "one busy loop": Other(0.5, 1.0),
    "four compilers": Other(0.8, 1.0),
}


def taken(draws: Random, times: Mapping[str, float], other: Other, rounds: int) -> dict[str, CellSamples]:
    """The simulated samples of a run on a busy machine, for codecs with these true times in nanoseconds of a
    pass."""
    cells = {name: CellSamples() for name in times}
    refills = {name: draws.uniform(0, MOST_REFILL_NS) for name in times}
    for number in range(1, rounds + 1):
        for name, time in times.items():
            busy = draws.random() < other.rounds
            for _ in range(2):
                own = SAMPLE_NS * math.exp(even(draws))
                waited = own * other.share / (1 - other.share) * draws.uniform(0.5, 1.5) if busy else 0.0
                own += math.ceil(waited / SLICE_NS) * refills[name]
                cells[name].add(
                    Sampled(
                        codec=name,
                        workload="w",
                        round=number,
                        iterations=max(1, round(SAMPLE_NS / time)),
                        elapsed_ns=round(own + waited),
                        waited_ns=round(waited),
                        own_ns=round(own),
                    )
                )
    return cells


@SIMULATED
@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("rounds", [9, 60])
def test_the_interval_of_a_ratio_holds_the_true_one_beside_other_work(other: Other, rounds: int) -> None:
    draws, held, runs = Random(rounds), 0, RUNS // 5
    for _ in range(runs):
        a, b = taken(draws, {"a": 1000.0, "b": 1300.0}, other, rounds).values()
        ratio = paired_ratio(
            b.figures(), a.figures(), Doubts(0, {"a": a.doubt, "b": b.doubt}).between("a", "b")
        )
        held += ratio is not None and ratio.low <= 1.3 <= ratio.high
    assert held >= CONFIDENCE * runs - 2 * math.sqrt(runs * CONFIDENCE * (1 - CONFIDENCE))


@SIMULATED
@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_nobody_wins_beside_other_work_who_is_not_the_first(other: Other) -> None:
    draws = Random(3)
    times = {f"codec {n}": 1000.0 * 1.3**n for n in range(8)} | {"far": 38_000.0}
    named = wrong = 0
    for _ in range(RUNS // 10):
        cells = taken(draws, times, other, 15)
        doubts = Doubts(0, {name: cell.doubt for name, cell in cells.items()})
        found = standings({name: cell.figures() for name, cell in cells.items()}, doubts)
        first = [name for name, standing in found.items() if standing.may_lead]
        assert "far" not in first
        named += len(first) == 1
        wrong += "codec 0" not in first
    assert wrong <= (1 - CONFIDENCE) * RUNS // 10 and named > RUNS // 20
