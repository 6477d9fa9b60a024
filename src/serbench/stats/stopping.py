"""When enough rounds were made: the cells whose ratio is not known well enough yet.

Pure functions over plain numbers. A cell is a tuple of codec, workload, compiler and operation; cells with the same workload and
operation compete.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import median

from serbench.stats.summary import CONFIDENCE, Rounds, paired_ratio

Cell = tuple[str, str, str, str]


def unconverged(figures: Mapping[Cell, Rounds], target: float) -> list[Cell]:
    """The cells whose ratio to the best among their rivals has an interval wider than ``target`` on either side, as a share of
    the ratio, or less confidence than ``CONFIDENCE``."""
    best = _bests(figures)
    wanting = []
    for cell, rounds in figures.items():
        rival = best[_table(cell)]
        if rival == cell:
            continue
        ratio = paired_ratio(rounds, figures[rival])
        if ratio is None or ratio.coverage < CONFIDENCE or ratio.relative_half_width > target:
            wanting.append(cell)
    return wanting


def with_references(cells: Iterable[Cell], figures: Mapping[Cell, Rounds]) -> set[Cell]:
    """The cells and the best among the rivals of each, without which a round gives no ratio."""
    best = _bests(figures)
    return {each for cell in cells for each in (cell, best.get(_table(cell), cell))}


def _table(cell: Cell) -> tuple[str, str]:
    return (cell[1], cell[3])


def _bests(figures: Mapping[Cell, Rounds]) -> dict[tuple[str, str], Cell]:
    """The cell with the least median of each table."""
    medians = {cell: median(rounds.values()) for cell, rounds in figures.items()}
    best: dict[tuple[str, str], Cell] = {}
    for cell, value in medians.items():
        if value < medians.get(best.get(_table(cell), cell), value) or _table(cell) not in best:
            best[_table(cell)] = cell
    return best
