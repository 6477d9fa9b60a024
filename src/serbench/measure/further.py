"""Finds the cells that need more rounds than planned."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from serbench.measure.plan import Plan, Task
from serbench.measure.taken import Taken
from serbench.stats.stopping import Cell, unconverged, undecided, with_references
from serbench.stats.summary import Rounds

Figures = dict[Cell, Rounds]


def views_of(tasks: Iterable[Task]) -> frozenset[Cell]:
    """Return the cells of tasks that are constant-time views."""
    return frozenset(task.cell(each) for task in tasks for each in task.operations if each.name in task.views)


def competing(plan: Plan, taken: Taken, failures: Collection[Cell]) -> Figures:
    """Return the figures of all cells that compete and have not failed."""
    cells = [
        task.cell(each) for task in plan.tasks if task.codec not in plan.apart for each in task.operations
    ]
    known = [cell for cell in cells if cell in taken.cells and cell not in failures]
    return {cell: taken.cells[cell].figures() for cell in known}


def further(
    plan: Plan, figures: Figures, behind: Collection[Cell], views: Collection[Cell], number: int
) -> set[Cell]:
    """Return the cells to measure in a further round, with the cells to which their ratios are taken, since a
    ratio is taken inside a round. Cells that are ``behind`` have fewer rounds than planned; after
    ``most_rounds``, only they are measured."""
    lacking = with_references(behind, figures, views)
    if plan.target is None or number > plan.most_rounds:
        return lacking
    cells = lacking | with_references(unconverged(figures, plan.target, views), figures, views)
    return cells.union(*undecided(figures, plan.target, views))
