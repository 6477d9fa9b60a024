"""Whether a run's figures can be trusted, and if not, why: in words that need no knowledge of the method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from serbench.measure.store import Run
from serbench.measure.taken import Taken
from serbench.report.rows import Row
from serbench.stats.disturbance import LOST_SHARE, TICK_NS
from serbench.stats.summary import ROUNDS_TO_RANK

Level = Literal["yes", "with care", "no"]


@dataclass(frozen=True)
class Trust:
    """How far the figures of one table can be trusted.

    Attributes:
        level: ``no`` where nothing can be concluded from them.
        reasons: why it is not ``yes``, the gravest first; for ``yes``, what one should know all the same.
    """

    level: Level
    reasons: Sequence[str]

    def in_a_line(self) -> str:
        """``yes``, or the level with its gravest reason and how many more there are."""
        if not self.reasons:
            return self.level
        more = f" (and {len(self.reasons) - 1} more)" if len(self.reasons) > 1 else ""
        return f"{self.level}: {self.reasons[0]}{more}"


def trust_of(run: Run, rows: Sequence[Row]) -> Trust:
    """Judges the rows of one workload, by what the run says of its samples."""
    measured = [row for row in rows if row.time]
    if grave := _why_nothing(run, measured):
        return Trust("no", grave)
    if reasons := [*_of_the_run(run), *_of_cells(measured)]:
        return Trust("with care", reasons)
    return Trust("yes", _all_the_same(measured, run.manifest.target))


def is_unsettled(row: Row) -> bool:
    """Whether the row's times had not settled when they were measured, in at least half of its rounds."""
    return row.time is not None and 2 * row.unsettled >= row.rounds


def is_wide(row: Row, target: float | None) -> bool:
    """Whether the row's ratio to the best is known less precisely than ``target``."""
    return bool(target and row.rank and row.ratio and row.ratio.relative_reach > target)


def stolen_share(taken: Taken) -> float:
    """The share of all samples' time that the hypervisor took, where it is more than a sample may lose; else
    0. Over all samples, ticks are fine enough to tell it."""
    if taken.stolen_ns <= max(TICK_NS, LOST_SHARE * taken.sampled_ns):
        return 0.0
    return taken.stolen_ns / taken.sampled_ns


def too_few_rounds(rows: Sequence[Row]) -> int:
    """The rounds of the cell that has most, where they are too few to conclude anything from; else 0."""
    rounds = max((row.rounds for row in rows if row.time), default=0)
    return rounds if rounds < ROUNDS_TO_RANK else 0


def _why_nothing(run: Run, measured: Sequence[Row]) -> list[str]:
    """Why nothing can be concluded; empty where something can."""
    if not measured:
        return ["nothing is measured yet" if run.going_on else "nothing was measured"]
    contenders = [row for row in measured if not row.floor]
    if contenders and all(row.overrun for row in contenders):
        who = "other guests of this machine" if stolen_share(run.taken) else "another process"
        return [
            f"{who} used the core all the time, so nothing is ranked; measure again when the machine is quiet"
        ]
    if few := too_few_rounds(measured):
        return [f"{few} round{'s' if few > 1 else ''}, but ranking codecs takes {ROUNDS_TO_RANK}"]
    return []


def _of_the_run(run: Run) -> list[str]:
    reasons = []
    if run.going_on:
        reasons.append("it is still being measured")
    elif not run.taken.ended:
        reasons.append("the run is not finished: it was stopped or is still going on")
    if stolen := stolen_share(run.taken):
        reasons.append(f"other guests of this machine took {100 * stolen:.1f} % of the core's time")
    if damaged := len(run.taken.damaged):
        reasons.append(
            f"{damaged} line{'s' if damaged > 1 else ''} of its journal "
            f"{'are' if damaged > 1 else 'is'} damaged"
        )
    if run.is_earlier:
        reasons.append("an older serbench made it, whose operations meant something slightly different")
    return reasons


def _of_cells(measured: Sequence[Row]) -> list[str]:
    """How many cells were not measured as they should be, by reason."""
    figures = f"of {len(measured)} figures"
    reasons = []
    if overrun := sum(row.overrun for row in measured):
        reasons.append(
            f"another process used the core while {overrun} {figures} were measured, so these are not ranked"
        )
    if unsettled := sum(map(is_unsettled, measured)):
        reasons.append(f"{unsettled} {figures} were measured before times had settled")
    return reasons


def _all_the_same(measured: Sequence[Row], target: float | None) -> list[str]:
    """What one should know of figures that can be trusted; ranks and intervals allow for it."""
    told = []
    if wide := sum(is_wide(row, target) for row in measured):
        told.append(
            f"{wide} of {len(measured)} ratios are known less precisely than the target of "
            f"±{100 * (target or 0):g} %"
        )
    disturbed, taken = (sum(getattr(row, what) for row in measured) for what in ("disturbed", "samples"))
    if disturbed:
        told.append(f"{disturbed:,} of {taken:,} samples were left out because another process used the core")
    return told
