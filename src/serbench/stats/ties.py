"""Tie groups: who is separated from whom, and who is not.

Pure functions over plain numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from serbench.stats.summary import CONFIDENCE, ROUNDS_TO_RANK, Interval, Rounds, paired_ratio

TRIM = 0.2
"""The share of rounds that is left out on each side of a mean: a round in ten or so is hit by something else on the machine."""


@dataclass(frozen=True)
class Standing:
    """Where one contender stands: its rank, 1 for the first group, and its ratio to the best."""

    rank: int
    ratio: Interval


def standings(cells: Mapping[str, Rounds]) -> dict[str, Standing]:
    """Ranks of contenders in tie groups.

    In the order of their ratios to the best, the one with the least median, each contender joins the group before it unless
    it is separated from that group's first member; else it opens the next group. A group's rank is one more than the number
    of contenders before it.

    Separated means ``separation`` at most 1 - ``CONFIDENCE``, divided by the number of all pairs of contenders (Bonferroni):
    which of them would be first was not known before, so any pair may have been compared.
    """
    if not cells:
        return {}
    best = min(cells, key=lambda name: median(cells[name].values()))
    ratios = {name: paired_ratio(rounds, cells[best]) or _unpaired_ratio(rounds, cells[best]) for name, rounds in cells.items()}
    level = (1 - CONFIDENCE) / max(1, math.comb(len(cells), 2))
    result: dict[str, Standing] = {}
    leader, rank = "", 0
    for position, name in enumerate(sorted(ratios, key=lambda name: ratios[name].median), start=1):
        if not leader or separation(cells[name], cells[leader]) <= level:
            leader, rank = name, position
        result[name] = Standing(rank, ratios[name])
    return result


def separation(first: Rounds, second: Rounds) -> float:
    """The two-sided p-value of two contenders being equally fast, paired by round; 1 below ``ROUNDS_TO_RANK`` shared rounds.

    A t-test of the mean of log ratios, trimmed by ``TRIM`` on each side: a median's test could not give 95 % over many pairs
    with the few rounds that are affordable, and a plain mean's would be blinded by one disturbed round.

    Source: J. W. Tukey and D. H. McLaughlin, "Less vulnerable confidence and significance procedures for location based on a
    single sample", Sankhya A 25 (1963), with the standard error of scipy.stats.mstats.trimmed_stde.
    """
    logs = [math.log(first[r] / second[r]) for r in sorted(first.keys() & second.keys())]
    return trimmed_t_test(logs) if len(logs) >= ROUNDS_TO_RANK else 1.0


def trimmed_t_test(values: Sequence[float], trim: float = TRIM) -> float:
    """The two-sided p-value of the centre of ``values`` being 0."""
    from scipy.stats import t  # slow to import, and needed only when a table is made
    from scipy.stats.mstats import trimmed_mean, trimmed_stde

    centre = float(trimmed_mean(values, limits=(trim, trim)))
    error = float(trimmed_stde(values, limits=(trim, trim)))
    if error == 0:
        return 1.0 if centre == 0 else 0.0
    kept = len(values) - 2 * int(trim * len(values))
    return 2 * float(t.sf(abs(centre) / error, kept - 1))


def _unpaired_ratio(numerator: Rounds, denominator: Rounds) -> Interval:
    """For contenders that share no round, a ratio without any confidence."""
    ratio = median(numerator.values()) / median(denominator.values())
    return Interval(ratio, ratio, ratio, 0.0)
