"""When enough rounds were made: the cells whose ratio or rank is not known well enough yet.

Pure functions over plain numbers. A cell is a tuple of codec, workload, compiler and operation; cells with the same workload and
operation compete; constant-time views among themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from statistics import median

from serbench.stats.summary import CONFIDENCE, Rounds, paired_ratio
from serbench.stats.ties import standings

Cell = tuple[str, str, str, str]
"""Codec, workload, compiler, and operation with memory policy."""


def unconverged(figures: Mapping[Cell, Rounds], target: float, views: Collection[Cell] = ()) -> list[Cell]:
    """The cells whose ratio to the best among their rivals has an interval wider than ``target`` on either side, as a share of
    the ratio, or less confidence than ``CONFIDENCE``; ``views`` are the constant-time views."""
    best = _bests(figures, views)
    wanting = []
    for cell, rounds in figures.items():
        rival = best[_table(cell, views)]
        if rival == cell:
            continue
        ratio = paired_ratio(rounds, figures[rival])
        if ratio is None or ratio.coverage < CONFIDENCE or ratio.relative_reach > target:
            wanting.append(cell)
    return wanting


def with_references(cells: Iterable[Cell], figures: Mapping[Cell, Rounds], views: Collection[Cell] = ()) -> set[Cell]:
    """The cells and the best among the rivals of each, without which a round gives no ratio."""
    best = _bests(figures, views)
    return {each for cell in cells for each in (cell, best.get(_table(cell, views), cell))}


def undecided(figures: Mapping[Cell, Rounds], target: float, views: Collection[Cell] = ()) -> list[tuple[Cell, Cell]]:
    """Each cell with the first of its tie group, where they are not separated though one takes longer by more than ``target``:
    neither known to differ nor alike as far as one can see."""
    tables: dict[Table, dict[Cell, Rounds]] = {}
    for cell, rounds in figures.items():
        tables.setdefault(_table(cell, views), {})[cell] = rounds
    pairs = []
    for cells in tables.values():
        first: dict[int, Cell] = {}
        for cell, standing in standings(cells).items():
            leader = first.setdefault(standing.rank, cell)
            ratio = paired_ratio(cells[cell], cells[leader])
            if ratio and ratio.median > 1 + target:
                pairs.append((cell, leader))
    return pairs


Table = tuple[str, str, bool]


def _table(cell: Cell, views: Collection[Cell]) -> Table:
    return (cell[1], cell[3], cell in views)


def _bests(figures: Mapping[Cell, Rounds], views: Collection[Cell]) -> dict[Table, Cell]:
    """The cell with the least median of each table."""
    best: dict[Table, tuple[float, Cell]] = {}
    for cell, rounds in figures.items():
        table, value = _table(cell, views), median(rounds.values())
        if table not in best or value < best[table][0]:
            best[table] = (value, cell)
    return {table: cell for table, (_, cell) in best.items()}
