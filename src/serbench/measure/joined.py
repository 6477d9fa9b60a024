"""Joins the samples of machines of one kind that shared the cells of a run, as if one machine had measured
all."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

from serbench.measure.taken import CellSamples, Taken
from serbench.stats.disturbance import Deducted
from serbench.stats.machines import error_of_ratio, levels_of, out_of_line
from serbench.stats.stopping import Cell, Column, column_of
from serbench.stats.summary import typical


@dataclass(frozen=True)
class Joined:
    """The samples of machines of a kind, joined as if one machine had taken them.

    Attributes:
        taken: the samples of all machines whose speed is like that of the others.
        left_out: the other machines, each with how many times as long it takes as those.
    """

    taken: Taken
    left_out: Mapping[str, float] = field(default_factory=dict)


def joined(machines: Mapping[str, Taken], links: Collection[str]) -> Joined:
    """Join the samples of machines of one kind.

    The times of each machine are divided by how many times as long it takes as all of them, column by column:
    equal machines differ in their clocks by some percent, and a ratio is then as if taken on one machine. How
    far machines still differ is in ``Taken.spreads``. Both are found by the links or, where some machine
    could measure none of these, by all cells, since each cell is measured on several machines.

    Args:
        machines: the name of each machine → its samples.
        links: the codecs that all machines measured.
    """
    levels = _levels(machines, links)
    effects = levels_of(list(levels.values())).effects
    middle = median([effect for effect in effects if effect is not None] or [0.0])
    strange = {
        name: math.exp(effect - middle)
        for name, effect, is_strange in zip(levels, effects, out_of_line(effects), strict=True)
        if is_strange and effect is not None
    }
    within = {name: taken for name, taken in machines.items() if name not in strange}
    factors, residual = _factors({name: levels[name] for name in within})
    # A machine is told the end where nothing is wanted of any; one that was lost before is not.
    whole = Taken(ended=any(taken.ended for taken in machines.values()))
    for name, taken in within.items():
        _join_units(whole, taken)
        for cell, reason in taken.failures.items():
            whole.failures.setdefault(cell, f"{reason} (on {name})")
        whole.references |= taken.references
        whole.sampled_ns += taken.sampled_ns
        whole.stolen_ns += taken.stolen_ns
        whole.damaged += taken.damaged
    fewest: dict[Column, int] = {}
    for cell in dict.fromkeys(cell for taken in within.values() for cell in taken.cells):
        if cell not in whole.failures:
            column = column_of(cell)
            parts = [
                (taken.cells[cell], factors.get((name, column), 0.0))
                for name, taken in within.items()
                if cell in taken.cells
            ]
            whole.cells[cell] = _cell(parts)
            fewest[column] = min(len(parts), fewest.get(column, len(parts)))
    if residual is not None and len(machines) > 1:
        whole.spreads = {column: error_of_ratio(residual, count) for column, count in fewest.items()}
    return Joined(whole, strange)


def _levels(machines: Mapping[str, Taken], links: Collection[str]) -> dict[str, dict[Cell, float]]:
    """Return, by machine, the times of the links (codecs that all machines measured) as logarithms of
    nanoseconds; or, if a machine has samples but none of a link, the times of all cells."""

    def of(taken: Taken, codecs: Collection[str] | None) -> dict[Cell, float]:
        return {
            cell: math.log(typical(figures.values()))
            for cell, samples in taken.cells.items()
            if (codecs is None or cell[0] in codecs)
            and cell not in taken.failures
            and (figures := samples.figures())
        }

    found = {name: of(taken, links) for name, taken in machines.items()}
    if all(own for own, taken in zip(found.values(), machines.values(), strict=True) if taken.cells):
        return found
    return {name: of(taken, None) for name, taken in machines.items()}


def _factors(
    levels: Mapping[str, Mapping[Cell, float]],
) -> tuple[dict[tuple[str, Column], float], float | None]:
    """Return how much the times of each machine differ from those of all, as logarithms, by machine and
    column; and the variance that remains. Where a column does not tell the difference of a machine, its mean
    difference in the other columns is used."""
    columns = dict.fromkeys(column_of(cell) for own in levels.values() for cell in own)
    factors: dict[tuple[str, Column], float] = {}
    residuals = []
    for column in columns:
        own = [
            {cell: at for cell, at in each.items() if column_of(cell) == column} for each in levels.values()
        ]
        found = levels_of(own)
        residuals += [] if found.residual is None else [found.residual]
        for name, effect in zip(levels, found.effects, strict=True):
            if effect is not None:
                factors[name, column] = effect
    for name in levels:
        known = [factors[name, column] for column in columns if (name, column) in factors]
        for column in columns:
            if known:
                factors.setdefault((name, column), fmean(known))
    return factors, fmean(residuals) if residuals else None


def _join_units(whole: Taken, taken: Taken) -> None:
    """Add the units of a machine to those of all; a unit that succeeded on any machine counts as good."""
    for unit, event in taken.units.items():
        if unit not in whole.units or (event.status == "ok" and whole.units[unit].status != "ok"):
            whole.units[unit] = event


def _cell(parts: Sequence[tuple[CellSamples, float]]) -> CellSamples:
    """Return the samples of a cell on all machines; each part comes with the logarithm by which its machine's
    times differ."""
    whole = CellSamples()
    for samples, factor in parts:
        for number, times in samples.quiet.items():
            whole.quiet.setdefault(number, []).extend(ns / math.exp(factor) for ns in times)
        for number, left in samples.disturbed.items():
            whole.disturbed.setdefault(number, []).extend(
                Deducted(ns / math.exp(factor), doubt) for ns, doubt in left
            )
        whole.unsettled |= samples.unsettled
        whole.allocated += samples.allocated
    return whole
