"""Compares two runs, or two halves of a run: which figures changed, and by how much."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Generic, Literal, TypeVar

from serbench.stats.distributions import student_quantile
from serbench.stats.summary import CONFIDENCE, Interval, Rounds, Trimmed, trimmed, two_sided_p

Verdict = Literal["faster", "slower", "too close to call", "unreliable"]
"""The verdict on a cell; ``unreliable`` if it was disturbed in one of the runs, so that no test is made."""

CONTROLS = 3
"""The fewest cells with the same program in both runs from which a change of the machine itself is
estimated."""

_FEWEST_ROUNDS = 3

Key = TypeVar("Key", bound=Hashable)

Derived = Callable[[Mapping[Key, Rounds]], Mapping[Key, Rounds]]
"""Makes further cells of cells: figures that are computed of theirs, round by round."""


@dataclass(frozen=True)
class CellChange:
    """The change of one cell from one run to another.

    Attributes:
        ratio: the time after divided by the time before, so slower is above 1, with the machine's drift
            divided out; its interval has ``CONFIDENCE``.
        p: the two-sided p-value of no change, not corrected.
        verdict: whether it changed, by the p-value corrected for the number of cells that were compared.
    """

    ratio: Interval
    p: float
    verdict: Verdict


@dataclass(frozen=True)
class Comparison(Generic[Key]):
    """The changes of the cells that two runs share.

    Attributes:
        drift: the ratio that is divided out of every cell: how much cells of the same program changed.
        spread: the standard deviation of log ratios of cells of the same program: how much a cell's time
            differs from run to run on this machine.
        controls: how many cells ``drift`` and ``spread`` were estimated from; with fewer than ``CONTROLS``
            they are 1 and 0.
    """

    drift: float
    spread: float
    controls: int
    changes: Mapping[Key, CellChange]


def compare(
    before: Mapping[Key, Rounds],
    after: Mapping[Key, Rounds],
    same: Collection[Key],
    paired: bool = False,
    apart: Mapping[Key, float] | None = None,
    derived: Sequence[Derived[Key]] = (),
) -> Comparison[Key]:
    """Compares the cells that have at least three rounds in both runs.

    Args:
        same: the cells whose program is the same in both.
        paired: whether both were measured in the same rounds.
        apart: for each cell, a further standard error of the logarithm of its ratio, which differences
            between rounds do not show: from several machines or from disturbances.
        derived: for the cells before and for those after, makes further cells that are compared as well. They
            tell nothing new of the machine, so that its drift is estimated without them.

    Each change is tested by Yuen's test on logarithms, the two-sample t-test of trimmed means with unequal
    variances. Where both runs were measured in the same rounds, the test is the trimmed t-test of log ratios.
    Verdicts follow from p-values corrected for the number of cells (``holm``). Cells of the same program tell
    how the machine itself changed: their median change is divided out of all cells, and their spread is added
    to the error of each, or ``apart`` where that is greater.

    Source: K. K. Yuen, "The two-sample trimmed t for unequal population variances", Biometrika 61 (1974); S.
    Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6
    (1979).
    """
    old, new = ({**each} if paired else without_drift(each) for each in (before, after))
    for cells, further in zip((old, new), derived, strict=False):
        cells |= further(cells)
    if paired:
        shared = {key: old[key].keys() & new.get(key, {}).keys() for key in old}
        shifts = {
            key: trimmed([math.log(new[key][r] / old[key][r]) for r in rounds])
            for key, rounds in shared.items()
            if len(rounds) >= _FEWEST_ROUNDS
        }
    else:
        shifts = {
            key: _shift(old[key], new[key])
            for key in old
            if key in new and min(len(old[key]), len(new[key])) >= _FEWEST_ROUNDS
        }
    controls = [shifts[key] for key in shifts if key in same]
    drift, spread = _machine(controls) if len(controls) >= CONTROLS else (0.0, 0.0)
    # The spread of controls has how far machines are apart already.
    errors = {key: max(spread, (apart or {}).get(key, 0.0)) for key in shifts}
    tested = {key: _tested(shift, drift, errors[key]) for key, shift in shifts.items()}
    adjusted = holm({key: p for key, (_, p) in tested.items()})
    changes = {
        key: CellChange(ratio, p, _verdict(ratio, adjusted[key])) for key, (ratio, p) in tested.items()
    }
    return Comparison(math.exp(drift), spread, len(controls), changes)


def without_drift(cells: Mapping[Key, Rounds]) -> dict[Key, Rounds]:
    """The same cells, each time divided by its round's drift: how much slower than usual the cells of the
    round were, by their median. With fewer than ``CONTROLS`` cells, times stay as they are."""
    if len(cells) < CONTROLS:
        return {key: dict(rounds) for key, rounds in cells.items()}
    levels = {key: median(rounds.values()) for key, rounds in cells.items()}
    departures: dict[int, list[float]] = {}
    for key, rounds in cells.items():
        for number, value in rounds.items():
            departures.setdefault(number, []).append(value / levels[key])
    effects = {
        number: median(values) if len(values) >= CONTROLS else 1.0 for number, values in departures.items()
    }
    return {
        key: {number: value / effects[number] for number, value in rounds.items()}
        for key, rounds in cells.items()
    }


def holm(p_values: Mapping[Key, float]) -> dict[Key, float]:
    """Correct p-values for how many there are, by Holm's method: the k-th smallest of n is multiplied by n -
    k + 1, and none becomes less than the one before it, or more than 1."""
    adjusted: dict[Key, float] = {}
    least = 0.0
    for position, (key, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        least = max(least, min(1.0, p * (len(p_values) - position)))
        adjusted[key] = least
    return adjusted


def _tested(shift: Trimmed, drift: float, spread: float) -> tuple[Interval, float]:
    """The ratio with its interval, ``drift`` divided out, and the p-value; ``spread`` adds to the error."""
    centre = shift.mean - drift
    error = math.hypot(shift.error, spread)
    half = student_quantile((1 + CONFIDENCE) / 2, shift.freedom) * error
    ratio = Interval(math.exp(centre), math.exp(centre - half), math.exp(centre + half), CONFIDENCE)
    return ratio, two_sided_p(centre, error, shift.freedom)


def _shift(before: Rounds, after: Rounds) -> Trimmed:
    """The trimmed mean of the logarithms ``after``, less that of ``before``."""
    old, new = (trimmed([math.log(value) for value in rounds.values()]) for rounds in (before, after))
    error = math.hypot(old.error, new.error)
    # Welch and Satterthwaite's degrees of freedom.
    parts = sum(each.error**4 / each.freedom for each in (old, new))
    return Trimmed(new.mean - old.mean, error, error**4 / parts if parts else old.freedom + new.freedom)


def _machine(controls: Collection[Trimmed]) -> tuple[float, float]:
    """The median change of cells that are the same program, and the standard deviation around it."""
    drift = median(shift.mean for shift in controls)
    # The standard deviation of a normal distribution is 1.4826 times its median absolute deviation.
    return drift, 1.4826 * median(abs(shift.mean - drift) for shift in controls)


def _verdict(ratio: Interval, adjusted: float) -> Verdict:
    if adjusted > 1 - CONFIDENCE:
        return "too close to call"
    return "faster" if ratio.estimate < 1 else "slower"
