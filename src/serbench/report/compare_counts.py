"""The table that compares counts of instructions, which are free of noise, so that no test is needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from serbench.measure.events import FootprintFailure, Instructions
from serbench.report.compare_table import Side, cell_in_json, contender, shared_data
from serbench.report.numbers import rounded
from serbench.report.table import Table
from serbench.stats.stopping import Cell

EQUAL = 0.001
"""The share by which counts of one program may differ from run to run: counts that differ less are equal."""


@dataclass(frozen=True)
class Counted:
    """The instructions of a cell's pass before and after; a growth beyond ``limit`` is a regression."""

    cell: Cell
    before: float
    after: float
    limit: float

    @property
    def ratio(self) -> float:
        return self.after / self.before

    @property
    def regression(self) -> bool:
        return self.after > (1 + self.limit) * self.before

    @property
    def verdict(self) -> str:
        return "equal" if abs(self.ratio - 1) <= EQUAL else "more" if self.ratio > 1 else "fewer"

    def to_json(self) -> dict[str, Any]:
        """The comparison of the cell in plain values, for ``--format json``."""
        return {
            **cell_in_json(self.cell),
            "metric": "instructions",
            "before_instructions": round(self.before, 3),
            "after_instructions": round(self.after, 3),
            "ratio": round(self.ratio, 5),
            "verdict": self.verdict,
            "regression": self.regression,
        }


def compare_counts(before: Side, after: Side, threshold: float) -> list[Counted]:
    """The cells whose instructions were counted by the same tool on both sides, the greatest ratio first.

    Args:
        threshold: a cell whose instructions grew by more than this share is a regression.
    """
    shared = shared_data(before, after)
    old, new = (
        {
            event.cell: event
            for event in side.taken.costs
            if isinstance(event, Instructions) and event.workload in shared
        }
        for side in (before, after)
    )
    found = [
        Counted(cell, was.instructions_per_pass, now.instructions_per_pass, max(threshold, EQUAL))
        for cell, was in old.items()
        if (now := new.get(cell)) and now.tool == was.tool and was.instructions_per_pass > 0
    ]
    return sorted(found, key=lambda each: -each.ratio)


def why_uncounted(*sides: Side) -> str:
    """Why instructions of a cell could not be counted, in words; empty where none was to be."""
    failed = [
        event
        for side in sides
        for event in side.taken.costs
        if isinstance(event, FootprintFailure) and event.figure == "instructions"
    ]
    return f"; instructions of {failed[0].codec}: {failed[0].reason}" if failed else ""


def counts_table(
    found: Sequence[Counted], before: Side, after: Side, threshold: float, changed_only: bool
) -> Table:
    """The table of instructions before and after, with a summary below it."""
    shown = [each for each in found if not changed_only or each.verdict != "equal"]
    body = [
        [
            contender(each.cell),
            *each.cell[1::2],
            rounded(each.before, 4),
            rounded(each.after, 4),
            f"×{each.ratio:.3f}",
            each.verdict + (" !" if each.regression else ""),
        ]
        for each in shown
    ]
    count = Counter(each.verdict for each in found)
    regressions = sum(each.regression for each in found)
    note = (
        f"{len(found)} cells: {count['more']} more, {count['fewer']} fewer, "
        f"{count['equal']} equal within {100 * EQUAL:g} %; {regressions} more by more "
        f"than {100 * threshold:g} % (!)."
    )
    headings = ["codec", "workload", "operation", "before", "after", "ratio", "verdict"]
    title = f"instructions of a pass, {before.name} → {after.name}"
    return Table(title, headings, body, frozenset(range(3, 6)), [note])
