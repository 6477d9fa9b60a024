"""Tests by simulation of how many looks at a suspected cell, which are independent verifications of it, have
to agree: how often an honest cell is accused, and how often a cheating one gets through."""

from __future__ import annotations

import random
from math import comb

import pytest

from serbench.measure.agreement import AGREEING, LOOKS, agreed


def test_no_single_look_accuses() -> None:
    looks: list[list[str]] = []

    def clear(cells: list[str]) -> list[str]:
        looks.append(cells)
        return []

    assert agreed(clear, ["decode"]) == []
    assert looks == [["decode"]] * (LOOKS - AGREEING + 1)


def test_looks_end_as_soon_as_they_agree_and_ask_only_for_what_is_undecided() -> None:
    looks: list[list[str]] = []

    def look(cells: list[str]) -> list[str]:
        looks.append(cells)
        return [each for each in cells if each != "honest"]

    assert agreed(look, ["cheats", "honest"]) == ["cheats"]
    assert looks == [["cheats", "honest"]] * 2 + [["cheats"]] * (AGREEING - 3)
    assert agreed(look, []) == []


def of_simulated(rate: float, cells: int, seed: int) -> float:
    """The share of suspected cells that are accused, by simulation; each further look, which is one more
    verification, suspects a cell with probability ``rate``."""
    draws = random.Random(seed)
    found = agreed(lambda asked: [each for each in asked if draws.random() < rate], range(cells))
    return len(found) / cells


def by_formula(rate: float) -> float:
    """The probability that a suspected cell is accused, by formula: all looks after the first, except at most
    one, have to suspect it again, and each look does so with probability ``rate``."""
    further, needed = LOOKS - 1, AGREEING - 1
    return sum(comb(further, k) * rate**k * (1 - rate) ** (further - k) for k in range(needed, further + 1))


@pytest.mark.parametrize("rate", [0.05, 0.1, 0.2, 0.5, 0.95, 0.99])
def test_error_rates_are_those_that_the_choice_rests_on(rate: float) -> None:
    cells = 200_000
    expected = by_formula(rate)
    spread = (expected * (1 - expected) / cells) ** 0.5
    assert abs(of_simulated(rate, cells, seed=42) - expected) < 5 * spread


def test_honest_cells_are_hardly_ever_accused_and_cheats_hardly_ever_get_through() -> None:
    """The test simulates cells that a first look already suspects; the rates that it expects are those that
    the docstring of ``agreement.py`` names."""
    assert 1 / by_formula(0.1) == pytest.approx(270, rel=0.01)
    assert 1 / by_formula(0.01) == pytest.approx(250_000, rel=0.02)
    assert by_formula(0.95) == pytest.approx(0.986, abs=0.001)
    assert 1 / (1 - by_formula(0.99)) == pytest.approx(1_700, rel=0.02)
