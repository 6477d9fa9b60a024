"""Finds the cells that need more rounds than were planned."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from serbench.measure.plan import Plan, Task
from serbench.measure.taken import Taken
from serbench.stats.stopping import Cell, unconverged, undecided, with_references
from serbench.stats.summary import Rounds

Figures = dict[Cell, Rounds]


def views_of(tasks: Iterable[Task]) -> frozenset[Cell]:
    """The cells that are constant-time views."""
    return frozenset(task.cell(each) for task in tasks for each in task.operations if each.name in task.views)


def competing(plan: Plan, taken: Taken, failures: Collection[Cell]) -> Figures:
    """The figures of all competing cells that have not failed."""
    cells = [
        task.cell(each) for task in plan.tasks if task.codec not in plan.apart for each in task.operations
    ]
    known = [cell for cell in cells if cell in taken.cells and cell not in failures]
    return {cell: taken.cells[cell].figures() for cell in known}


def further(
    plan: Plan, figures: Figures, behind: Collection[Cell], views: Collection[Cell], number: int
) -> set[Cell]:
    """The cells of a further round, with those that ratios are to, since a ratio is taken inside a round.

    Args:
        behind: cells that lack rounds of the plan.
        number: the number of the round; after ``most_rounds`` there are none for the sake of the target.
    """
    lacking = with_references(behind, figures, views)
    if plan.target is None or number > plan.most_rounds:
        return lacking
    cells = lacking | with_references(unconverged(figures, plan.target, views), figures, views)
    return cells.union(*undecided(figures, plan.target, views))
