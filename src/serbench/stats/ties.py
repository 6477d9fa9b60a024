"""Ranks: which contenders are told apart, which share a rank, and whose times vary too much to tell."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeVar

from serbench.stats.comparison import without_drift
from serbench.stats.summary import (
    CONFIDENCE,
    ROUNDS_TO_RANK,
    Interval,
    Rounds,
    paired_ratio,
    trimmed,
    two_sided_p,
    typical,
)

SHARE_OF_TEST = 0.5
"""The share of the permitted error that tests may use. The rest is spent by stopping: rounds end where
intervals look narrow, which they sometimes do by chance (by simulation, tests/test_trust.py)."""

ALIKE = 1.25
"""Two contenders are too close to call only where their ratio, with its interval, is within this factor.
Where it may be greater, and yet nothing tells them apart, their order is not known. Nine rounds of a quick
run, whose times vary by 1.75 % from process to process, know a ratio to ± 3 %."""

FAR = 1.5
"""A ratio that is greater than this in every shared round is no matter of chance, however much it varies
above: six rounds or more would all have to be wrong in the same direction, each by half."""

FEWEST_SHARED = 3
"""The fewest shared rounds by which one contender is told to be behind another, however far it is."""

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class Standing:
    """The standing of one contender.

    Attributes:
        rank: 1 for the first group.
        ratio: its time divided by that of the best.
        not_known: whether it shares its rank with a contender that may well be far from it, so that their
            order is not known, and it is the one of both whose times are known less well.
        may_lead: whether it may be the fastest of all: it is not behind any contender of the first group for
            certain, though its own group may be a later one.
    """

    rank: int
    ratio: Interval
    not_known: bool = False
    may_lead: bool = False


@dataclass(frozen=True)
class Doubts:
    """The errors that rounds do not show, as standard errors of logarithms.

    Attributes:
        of_ratios: the error of each ratio, such as how far machines are apart.
        of_times: the error of each contender's time; 0 for a contender without an entry.
    """

    of_ratios: float = 0.0
    of_times: Mapping[Any, float] = field(default_factory=dict)

    def between(self, first: Hashable, second: Hashable) -> float:
        """The error of the ratio of two contenders."""
        return math.hypot(self.of_ratios, self.of_times.get(first, 0.0), self.of_times.get(second, 0.0))


NO_DOUBTS = Doubts()


def levels(cells: Mapping[Name, Rounds]) -> dict[Name, float]:
    """The typical time of each contender, brought to the same rounds where they have different ones.

    Further rounds are made of some contenders alone, and the machine drifts meanwhile, so that their own
    times do not compare. A time is then that of the best contender, times the ratio to it. The best one's is
    found likewise, by the ratio to the contender that has most rounds.
    """
    times = {name: typical(rounds.values()) for name, rounds in cells.items()}
    if len({frozenset(rounds) for rounds in cells.values()}) < 2:
        return times
    most = max(cells, key=lambda name: (len(cells[name]), -times[name]))
    found = first = _brought(cells, times, most)
    tried: set[Name] = set()
    while (best := min(found, key=found.__getitem__)) not in tried:
        tried.add(best)
        found = _brought(cells, first, best)
    return found


def _brought(cells: Mapping[Name, Rounds], times: Mapping[Name, float], to: Name) -> dict[Name, float]:
    """The ``times`` with each replaced by the ratio ``to`` one contender, times the time of that. With fewer
    shared rounds than ``FEWEST_SHARED`` that ratio is not known, and the time stays."""
    shared = {name: rounds.keys() & cells[to].keys() for name, rounds in cells.items()}
    return {
        name: times[to] * typical(rounds[r] / cells[to][r] for r in shared[name])
        if name != to and len(shared[name]) >= FEWEST_SHARED
        else times[name]
        for name, rounds in cells.items()
    }


def fastest(cells: Mapping[Name, Rounds], times: Mapping[Name, float] | None = None) -> Name | None:
    """The contender with the least of the ``times``, to which ratios are taken; None if there is none."""
    return min(cells, key=(times or levels(cells)).__getitem__, default=None)


def standings(
    cells: Mapping[Name, Rounds], doubts: Doubts = NO_DOUBTS, times: Mapping[Name, float] | None = None
) -> dict[Name, Standing]:
    """Ranks of contenders in tie groups, the best first.

    Args:
        times: the times that are shown, if not the ``levels`` of these contenders alone.

    In the order of their times, each contender joins the group before it unless it is slower than one of that
    group's members for certain (``is_behind``); else it opens the next group. So a contender whose times vary
    too much to be separated from anybody ties with its neighbours, but does not tie them with each other. A
    group's rank is one more than the number of contenders before it. The order is that of the figures that
    are shown, so ranks never fall where times rise.
    """
    times = times or levels(cells)
    best = fastest(cells, times)
    if best is None:
        return {}
    ratios = {
        name: paired_ratio(rounds, cells[best], doubts.between(name, best))
        or _unpaired_ratio(times[name] / times[best])
        for name, rounds in cells.items()
    }
    pairs = math.comb(len(cells), 2)

    def is_behind_one(name: Name, members: Collection[Name]) -> bool:
        return any(
            is_behind(cells[name], cells[member], pairs, doubts.between(name, member)) for member in members
        )

    groups: dict[int, list[Name]] = {}
    rank = 1
    for position, name in enumerate(sorted(cells, key=times.__getitem__), start=1):
        if is_behind_one(name, groups.get(rank, ())):
            rank = position
        groups.setdefault(rank, []).append(name)
    not_known = _not_known(cells, groups.values(), doubts)
    return {
        name: Standing(rank, ratios[name], name in not_known, rank == 1 or not is_behind_one(name, groups[1]))
        for rank, members in groups.items()
        for name in members
    }


def is_behind(slower: Rounds, faster: Rounds, pairs: int = 1, spread: float = 0.0) -> bool:
    """Whether one contender is slower than another for certain: where the test of ``separation`` says so and
    the interval of their ratio, which is shown, leaves no doubt of it; or where it took more than ``FAR``
    times as long in each of ``ROUNDS_TO_RANK`` shared rounds or more. Where some rounds of one were lost,
    those that are left have to say as much together.

    Args:
        pairs: how many pairs are compared. The test's level is (1 - ``CONFIDENCE``) times ``SHARE_OF_TEST``,
            divided by that (Bonferroni): nobody knew before which contenders would meet, so any pair may have
            been compared.
        spread: a standard error of the log ratio that rounds do not show. Where twice that error is more than
            ``FAR``, it may be why all rounds agree, so each of them has to show more than four times it.
    """
    shared = slower.keys() & faster.keys()
    if len(shared) < FEWEST_SHARED or max(len(slower), len(faster)) < ROUNDS_TO_RANK:
        return False
    least = math.log(FAR) * max(1.0, ROUNDS_TO_RANK / len(shared))
    if 2 * spread >= math.log(FAR):
        least = max(least, 4 * spread)
    if all(math.log(slower[r] / faster[r]) > least for r in shared):
        return True
    if len(shared) < ROUNDS_TO_RANK:
        return False
    level = (1 - CONFIDENCE) * SHARE_OF_TEST / max(1, pairs)
    if separation(slower, faster, spread) > level:
        return False
    ratio = paired_ratio(slower, faster, spread)
    return ratio is not None and ratio.low > 1


def are_alike(first: Rounds, second: Rounds, spread: float = 0.0) -> bool:
    """Whether two contenders are known to be within ``ALIKE`` of each other."""
    ratio = paired_ratio(first, second, spread)
    shared = len(first.keys() & second.keys())
    return ratio is not None and shared >= ROUNDS_TO_RANK and ratio.high <= ALIKE and ratio.low >= 1 / ALIKE


def _not_known(cells: Mapping[Name, Rounds], groups: Collection[list[Name]], doubts: Doubts) -> set[Name]:
    """The contenders whose order is not known: of each tied pair not known to be alike, the less certain.

    Args:
        groups: each in the order of times. Where rounds tell that the one of less time is behind, though its
            time says otherwise, they are not alike either.
    """
    pairs = math.comb(len(cells), 2)
    apart = [
        (first, second)
        for members in groups
        for first, second in combinations(members, 2)
        for doubt in [doubts.between(first, second)]
        if not are_alike(cells[first], cells[second], doubt)
        or is_behind(cells[first], cells[second], pairs, doubt)
    ]
    if not apart:
        return set()
    errors = {
        name: math.hypot(
            trimmed([math.log(time) for time in rounds.values()]).error if len(rounds) > 1 else math.inf,
            doubts.of_times.get(name, 0.0),
        )
        for name, rounds in without_drift(cells).items()
    }
    return {max(pair, key=lambda name: errors[name]) for pair in apart}


def separation(first: Rounds, second: Rounds, spread: float = 0.0) -> float:
    """The two-sided p-value of two contenders being equally fast, paired by round; 1 below ``ROUNDS_TO_RANK``
    shared rounds.

    It is the t-test of the trimmed mean of log ratios. A test of medians could not give 95 % over many pairs
    with the few rounds that are affordable, and one of plain means would be blinded by a single disturbed
    round.
    """
    logs = [math.log(first[r] / second[r]) for r in sorted(first.keys() & second.keys())]
    if len(logs) < ROUNDS_TO_RANK:
        return 1.0
    centre = trimmed(logs)
    return two_sided_p(centre.mean, math.hypot(centre.error, spread), centre.freedom)


def _unpaired_ratio(ratio: float) -> Interval:
    """The ratio of contenders that share no round, without an interval, since nothing pairs their times."""
    return Interval(ratio, ratio, ratio, 0.0)
