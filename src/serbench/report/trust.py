"""Whether a run's figures can be trusted, and if not, why: in words that need no knowledge of the method.

There is one scale: *yes*, all is as it was asked for; *with care*, ranks and intervals hold, and something
makes them say less than they might; *no*, they say nothing. Each reason says why it is no *yes*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from serbench.measure.store import Run
from serbench.measure.taken import Taken
from serbench.report.rows import Row, all_in_doubt, too_few_rounds
from serbench.stats.disturbance import LOST_SHARE, TICK_NS
from serbench.stats.summary import ROUNDS_TO_RANK

Level = Literal["yes", "with care", "no"]


@dataclass(frozen=True)
class Trust:
    """How far the figures of one table can be trusted.

    Attributes:
        level: ``no`` where nothing can be concluded from them.
        reasons: why it is not ``yes``, the gravest first.
    """

    level: Level
    reasons: Sequence[str]

    def in_a_line(self) -> str:
        """``yes``, or the level with its gravest reason and how many more reasons there are."""
        if not self.reasons:
            return self.level
        more = f" (and {len(self.reasons) - 1} more)" if len(self.reasons) > 1 else ""
        return f"{self.level}: {self.reasons[0]}{more}"


def trust_of(run: Run, rows: Sequence[Row]) -> Trust:
    """Judges the rows of one workload, by what the run says of its samples."""
    measured = [row for row in rows if row.time]
    if grave := [*_why_nothing(run, measured)]:
        return Trust("no", grave)
    reasons = [*_of_the_run(run), *_of_cells(measured, run.manifest.target)]
    return Trust("with care" if reasons else "yes", reasons)


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


def _why_nothing(run: Run, measured: Sequence[Row]) -> Iterator[str]:
    """The reason why nothing can be concluded from the rows; no reason where something can."""
    if not measured:
        yield "nothing is measured yet" if run.going_on else "nothing was measured"
    elif all_in_doubt(measured):
        who = "other guests of this machine" if stolen_share(run.taken) else "another process"
        yield (
            f"{who} used the core all the time, and how long is not known; measure again when the machine "
            "is quiet"
        )
    elif few := too_few_rounds([row for row in measured if row.competes] or measured):
        yield f"{few} round{'s' if few > 1 else ''}, but ranking codecs takes {ROUNDS_TO_RANK}"


def _of_the_run(run: Run) -> Iterator[str]:
    if run.going_on:
        yield "it is still being measured"
    elif not run.taken.ended:
        yield "the run is not finished: it was stopped or is still going on"
    if stolen := stolen_share(run.taken):
        yield f"other guests of this machine took {100 * stolen:.1f} % of the core's time"
    if damaged := len(run.taken.damaged):
        lines, are = ("lines", "are") if damaged > 1 else ("line", "is")
        yield f"{damaged} {lines} of its journal {are} damaged"
    if run.is_earlier:
        yield "an older serbench made it, whose operations meant something slightly different"


def _of_cells(measured: Sequence[Row], target: float | None) -> Iterator[str]:
    """Reasons to trust less because of how cells were measured, each with the number of cells."""
    figures = f"of {len(measured)} figures"
    if deducted := sum(2 * row.deducted_rounds > row.rounds for row in measured):
        yield (
            f"other processes or guests used the core while {deducted} {figures} were measured; what they "
            "took is deducted where it is known, and intervals are wider"
        )
    if unsettled := sum(map(is_unsettled, measured)):
        yield f"{unsettled} {figures} were measured before times had settled"
    if wide := sum(is_wide(row, target) for row in measured):
        yield (
            f"{wide} of {len(measured)} ratios are known less precisely than the target of "
            f"±{100 * (target or 0):g} %"
        )
