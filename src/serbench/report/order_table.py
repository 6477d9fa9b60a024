"""The table of codecs that change places from one kind of machine to another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

from serbench.measure.store import Run
from serbench.report.gathering import gathered
from serbench.report.table import Table
from serbench.stats.machines import changes_sides, on_all
from serbench.stats.stopping import Column
from serbench.stats.summary import Interval, Rounds, paired_ratio, typical
from serbench.text import counted

SHOWN = 40
"""How many pairs are shown, those first that change most."""


class Figure(NamedTuple):
    """A contender's time in each round, and the error that rounds do not show (``CellSamples.doubt``)."""

    rounds: Rounds
    doubt: float


Figures = Mapping[str, Figure]
"""Contender → its figure on one machine."""


@dataclass(frozen=True)
class OrderChange:
    """Two contenders that change places, and the ratio of the first to the second on each kind."""

    column: Column
    pair: tuple[str, str]
    ratios: Mapping[str, Interval]

    @property
    def reach(self) -> float:
        """How far apart the kinds' ratios are, as a logarithm."""
        logs = [math.log(each.estimate) for each in self.ratios.values()]
        return max(logs) - min(logs)


def order_table(kinds: Mapping[str, Sequence[Run]]) -> Table | None:
    """A line for each pair of codecs of which one is faster on a kind of machine and the other on another,
    beyond their intervals; None where there is one kind only.

    Args:
        kinds: the runs of machines of each kind.
    """
    if len(kinds) < 2:
        return None
    changes = sorted(changes_of(kinds), key=lambda change: -change.reach)
    rows = [
        (
            *change.column,
            " / ".join(change.pair),
            *(_words(change.ratios[kind]) if kind in change.ratios else "–" for kind in kinds),
        )
        for change in changes[:SHOWN]
    ]
    notes = [
        "How many times as long the first takes as the second, with the interval: below 1 on one kind and "
        "above 1 on another."
    ]
    if not changes:
        notes = ["No two codecs change places between these kinds of machines, beyond their intervals."]
    if len(changes) > SHOWN:
        notes.append(f"Not shown: {counted(len(changes) - SHOWN, 'more pair')}, with smaller changes.")
    return Table(
        "where the order differs",
        ("workload", "operation", "codecs", *kinds),
        rows,
        frozenset(range(3, 3 + len(kinds))),
        notes,
    )


def _words(ratio: Interval) -> str:
    return f"×{ratio.estimate:.2f} ({ratio.low:.2f} to {ratio.high:.2f})"


def changes_of(kinds: Mapping[str, Sequence[Run]]) -> Iterator[OrderChange]:
    """The pairs that change places. Only pairs whose order by mean times differs are tested, so that the work
    grows with machines plus pairs, and not with machines times pairs."""
    known = {kind: [_figures(run) for run in runs] for kind, runs in kinds.items()}
    columns = dict.fromkeys(column for of_kind in known.values() for one in of_kind for column in one)
    for column in columns:
        spreads = {
            kind: max(run.taken.spreads.get(column, 0.0) for run in runs) for kind, runs in kinds.items()
        }
        machines = {kind: [one[column] for one in own if column in one] for kind, own in known.items()}
        levels = {kind: _levels(own) for kind, own in machines.items() if own}
        names = sorted({name for level in levels.values() for name in level})
        for first, second in combinations(names, 2):
            signs = {
                level[first] < level[second]
                for level in levels.values()
                if first in level and second in level
            }
            if len(signs) == 2:
                ratios = _ratios(machines, spreads, first, second)
                if changes_sides(list(ratios.values())):
                    yield OrderChange(column, (first, second), ratios)


def _ratios(
    machines: Mapping[str, Sequence[Figures]], spreads: Mapping[str, float], first: str, second: str
) -> dict[str, Interval]:
    """The ratio of two contenders on each kind whose machines have both; ``spreads`` add to its error."""
    ratios = {}
    for kind, own in machines.items():
        of_each = [
            paired_ratio(
                figures[first].rounds,
                figures[second].rounds,
                math.hypot(spreads[kind], figures[first].doubt, figures[second].doubt),
            )
            for figures in own
            if first in figures and second in figures
        ]
        if known := [each for each in of_each if each]:
            ratios[kind] = on_all(known)
    return ratios


def _levels(machines: Sequence[Figures]) -> dict[str, float]:
    """The mean time of each contender on machines of a kind, as a logarithm."""
    logs = gathered(
        (name, math.log(typical(figure.rounds.values())))
        for figures in machines
        for name, figure in figures.items()
    )
    return {name: fmean(values) for name, values in logs.items()}


def _figures(run: Run) -> Mapping[Column, Figures]:
    """The figures of the contenders that can be compared, by column: no floors, references or views."""
    manifest = run.manifest
    taken, apart = run.taken, {*manifest.floors, *manifest.beside, *manifest.references}
    found: dict[Column, dict[str, Figure]] = {}
    for cell, samples in taken.cells.items():
        codec, workload, compiler, operation = cell
        unit = taken.units.get((codec, workload, compiler))
        views = unit.views if unit else ()
        compared = codec not in apart and operation.partition(":")[0] not in views
        if compared and cell not in taken.failures:
            name = f"{codec} {compiler}".rstrip()
            found.setdefault((workload, operation), {})[name] = Figure(samples.figures(), samples.doubt)
    return found
