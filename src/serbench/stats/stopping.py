"""Tells when enough rounds were made, by the cells whose ratio or rank is not known well enough yet.

A cell is a tuple of codec, workload, compiler and operation. Cells with the same workload and operation
compete; constant-time views compete among themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import combinations

from serbench.stats.summary import ROUNDS_TO_RANK, Rounds, paired_ratio
from serbench.stats.ties import fastest, standings

Cell = tuple[str, str, str, str]
"""Codec, workload, compiler, and operation with memory policy."""

Column = tuple[str, str]
"""A workload, and an operation with its memory policy."""


def column_of(cell: Cell) -> Column:
    return (cell[1], cell[3])


def unconverged(figures: Mapping[Cell, Rounds], target: float, views: Collection[Cell] = ()) -> list[Cell]:
    """The cells whose ratio to the fastest of their rivals is not known well enough: its interval reaches
    farther than ``target`` on a side, as a share of the ratio, or there are fewer than ``ROUNDS_TO_RANK``
    rounds. ``views`` are the constant-time views."""
    best = _bests(figures, views)
    wanting = []
    for cell, rounds in figures.items():
        rival = best[_table(cell, views)]
        if rival == cell:
            continue
        ratio = paired_ratio(rounds, figures[rival])
        shared = len(rounds.keys() & figures[rival].keys())
        if ratio is None or shared < ROUNDS_TO_RANK or ratio.relative_reach > target:
            wanting.append(cell)
    return wanting


def with_references(
    cells: Iterable[Cell], figures: Mapping[Cell, Rounds], views: Collection[Cell] = ()
) -> set[Cell]:
    """The cells, and the fastest rival of each: a round without the rival gives no ratio."""
    best = _bests(figures, views)
    return {each for cell in cells for each in (cell, best.get(_table(cell, views), cell))}


def undecided(
    figures: Mapping[Cell, Rounds], target: float, views: Collection[Cell] = ()
) -> list[tuple[Cell, Cell]]:
    """The pairs of cells, the slower first, that share a rank though one seems to take longer by more than
    ``target``: neither known to differ, nor alike as far as one can see."""
    pairs = []
    for cells in _tables(figures, views).values():
        groups: dict[int, list[Cell]] = {}
        for cell, standing in standings(cells).items():
            groups.setdefault(standing.rank, []).append(cell)
        for members in groups.values():
            for faster, slower in combinations(members, 2):
                ratio = paired_ratio(cells[slower], cells[faster])
                if ratio and ratio.estimate > 1 + target:
                    pairs.append((slower, faster))
    return pairs


Table = tuple[str, str, bool]


def _table(cell: Cell, views: Collection[Cell]) -> Table:
    return (*column_of(cell), cell in views)


def _tables(figures: Mapping[Cell, Rounds], views: Collection[Cell]) -> dict[Table, dict[Cell, Rounds]]:
    """The cells by table: workload, operation, and whether they are views. Those of one table compete."""
    tables: dict[Table, dict[Cell, Rounds]] = {}
    for cell, rounds in figures.items():
        tables.setdefault(_table(cell, views), {})[cell] = rounds
    return tables


def _bests(figures: Mapping[Cell, Rounds], views: Collection[Cell]) -> dict[Table, Cell]:
    """The fastest cell of each table (see ``_tables``)."""
    return {table: best for table, cells in _tables(figures, views).items() if (best := fastest(cells))}
