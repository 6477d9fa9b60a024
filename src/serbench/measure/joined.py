"""The machines of a kind that shared the cells of a run, joined: as if one machine had measured all."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from serbench.measure.taken import CellSamples, Taken
from serbench.stats.machines import apartness, error_of_all, offsets, out_of_line, scales
from serbench.stats.stopping import Cell
from serbench.stats.summary import typical

Column = tuple[str, str]
"""A workload, and an operation with its memory policy."""


@dataclass(frozen=True)
class Joined:
    """What machines of a kind have taken together.

    Attributes:
        taken: of all machines that are in line.
        left_out: the machines that are not, and how many times as long each takes as the others.
    """

    taken: Taken
    left_out: Mapping[str, float] = field(default_factory=dict)


def joined(machines: Mapping[str, Taken], links: Collection[str]) -> Joined:
    """Joins what machines of a kind have taken.

    The times of each are divided by how many times as long its links take as those of all, column by column:
    equal machines differ in their clocks by some percent, and a ratio is then as if taken on one machine. A
    round of a link is the mean of its machines; of every other cell, one machine measured it.

    Args:
        machines: the name of each → what it has taken.
        links: the codecs that all machines measured.
    """
    levels = {name: _levels(taken, links) for name, taken in machines.items()}
    apart = offsets(list(levels.values()))
    strange = dict(zip(machines, out_of_line(apart), strict=True))
    left_out = {name: math.exp(each) for name, each in zip(machines, apart, strict=True) if strange[name]}
    within = {name: taken for name, taken in machines.items() if not strange[name]}
    tables = list(_tables([levels[name] for name in within]))
    factors = _factors(list(within), tables)
    apart_in = [own for _, table in tables if (own := apartness(table)) is not None]
    whole = Taken(
        ended=all(taken.ended for taken in machines.values()), spread=error_of_all(apart_in, len(within))
    )
    for name, taken in within.items():
        _join_units(whole, taken)
        _join_failures(whole, name, taken)
        whole.references |= taken.references
        whole.sampled_ns += taken.sampled_ns
        whole.stolen_ns += taken.stolen_ns
        whole.damaged += taken.damaged
    for cell in dict.fromkeys(cell for taken in within.values() for cell in taken.cells):
        if cell not in whole.failures:
            parts = [
                (taken.cells[cell], factors[name].get(_column(cell), 0.0))
                for name, taken in within.items()
                if cell in taken.cells
            ]
            whole.cells[cell] = _cell(parts)
    return Joined(whole, left_out)


def _column(cell: Cell) -> Column:
    return (cell[1], cell[3])


def _levels(taken: Taken, links: Collection[str]) -> dict[Cell, float]:
    """What the links take on a machine, as logarithms of nanoseconds."""
    return {
        cell: math.log(typical(figures.values()))
        for cell, samples in taken.cells.items()
        if cell[0] in links and cell not in taken.failures and (figures := samples.figures())
    }


def _tables(levels: Sequence[Mapping[Cell, float]]) -> Iterator[tuple[Column, list[dict[Cell, float]]]]:
    """Each column with the levels of its links on each machine."""
    for column in dict.fromkeys(_column(cell) for own in levels for cell in own):
        yield column, [{cell: at for cell, at in each.items() if _column(cell) == column} for each in levels]


def _factors(
    names: Sequence[str], tables: Sequence[tuple[Column, Sequence[Mapping[Cell, float]]]]
) -> dict[str, dict[Column, float]]:
    """By what each machine's times differ from those of all, as logarithms, by column. Where no link is on
    all machines, it is their mean difference in the columns that have one."""
    factors: dict[str, dict[Column, float]] = {name: {} for name in names}
    for column, table in tables:
        if set.intersection(*map(set, table)):
            for name, scale in zip(names, scales(table), strict=True):
                factors[name][column] = scale
    for own in factors.values():
        known = list(own.values())
        own.update({column: fmean(known) for column, _ in tables if known and column not in own})
    return factors


def _join_units(whole: Taken, taken: Taken) -> None:
    """Adds the units of a machine; one that went well anywhere did."""
    for unit, event in taken.units.items():
        if unit not in whole.units or (event.status == "ok" and whole.units[unit].status != "ok"):
            whole.units[unit] = event


def _join_failures(whole: Taken, name: str, taken: Taken) -> None:
    for cell, reason in taken.failures.items():
        whole.failures.setdefault(cell, f"{reason} (on {name})")


def _cell(parts: Sequence[tuple[CellSamples, float]]) -> CellSamples:
    """The samples of a cell on all machines, each with the logarithm of its machine's factor."""
    whole = CellSamples()
    for samples, factor in parts:
        for own, all_of in ((samples.quiet, whole.quiet), (samples.disturbed, whole.disturbed)):
            for number, values in own.items():
                all_of.setdefault(number, []).extend(value / math.exp(factor) for value in values)
        whole.unsettled |= samples.unsettled
        whole.allocated += samples.allocated
    return whole
