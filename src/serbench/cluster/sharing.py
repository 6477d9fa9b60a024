"""Measures on machines of one kind that share the cells of a run (``measure/shares.py``)."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from serbench.cluster.part import Part
from serbench.measure.further import Figures, competing, further, views_of
from serbench.measure.joined import Joined, joined
from serbench.measure.plan import Plan, Task
from serbench.measure.shares import Share, dealt
from serbench.measure.store import Journal
from serbench.stats.stopping import Cell, unconverged

Carry = Callable[[Part, Journal], bool]
"""Carries the plan of a part to its end; False where its machine is lost before."""


def measure_shared(
    parts: Sequence[Part], links: frozenset[str], carry: Carry, announce: Callable[[str], None]
) -> None:
    """Measures on machines of a kind: first the planned rounds, each machine its share, and then round after
    round what is still wanted, among it what a lost machine had not sent.

    Args:
        links: the codecs that all of them measure.
        announce: is told of machines that are out of line.
    """
    with contextlib.ExitStack() as stack:
        journals = {part.member.name: stack.enter_context(Journal(part.run)) for part in parts}
        sharing = _Sharing(parts, links, lambda part: carry(part, journals[part.member.name]))
        sharing.measure()
        for name, factor in sharing.together.left_out.items():
            announce(f"{name} is out of line: it takes {factor:.2f} times as long as others of its kind")
        for part in sharing.there:
            part.end(journals[part.member.name])


@dataclass
class _Sharing:
    """Machines of a kind at work.

    Attributes:
        there: the machines that have not been lost.
    """

    parts: Sequence[Part]
    links: frozenset[str]
    carry: Callable[[Part], bool]

    def __post_init__(self) -> None:
        self.there = list(self.parts)
        self.plans = {part.member.name: part.plan for part in self.parts}
        tasks = {task.unit: task for part in self.parts for task in part.plan.tasks}
        self.plan: Plan = replace(self.parts[0].plan, tasks=list(tasks.values()))
        self.views = views_of(tasks.values())
        self.begun = time.monotonic()

    @property
    def together(self) -> Joined:
        """What all machines have taken so far."""
        return joined({part.member.name: part.taken for part in self.parts}, self.links)

    def measure(self) -> None:
        if not any(part.taken.cells for part in self.parts):
            self._planned_rounds()
        took = -1
        while self.there and self._has_time() and took < (took := self._sampled_ns()):
            if not self._further_round(self._last_round() + 1):
                break
        self._conclude()

    def _planned_rounds(self) -> None:
        codecs = list(dict.fromkeys(task.codec for task in self.plan.tasks))
        workloads = list(dict.fromkeys(task.workload for task in self.plan.tasks))
        for at, part in enumerate(self.parts):
            share = Share(at, len(self.parts), self.links, codecs, workloads)
            part.plan = replace(self.plans[part.member.name], share=share, target=None)
        self._carry(self.parts)

    def _further_round(self, number: int) -> bool:
        """Measures what is still wanted in one round; False where nothing is."""
        found = self.together
        able = [part for part in self.there if part.member.name not in found.left_out]
        offered = [_cells(self.plans[part.member.name].tasks, part.taken.failures) for part in able]
        cells = set().union(*offered) - found.taken.failures.keys()
        behind = [cell for cell in cells if len(found.taken.rounds_of(cell)) < self.plan.rounds]
        wanted = further(self.plan, self._figures(found), behind, self.views, number) & cells
        hands = dealt(wanted, offered, self.links, number)
        busy = [(part, hand) for part, hand in zip(able, hands, strict=True) if hand]
        for part, hand in busy:
            part.taken.first_round = number
            part.plan = self._one_round(self.plans[part.member.name], hand, number)
        self._carry([part for part, _ in busy])
        return bool(busy)

    def _one_round(self, plan: Plan, cells: Collection[Cell], number: int) -> Plan:
        """The plan of one further round of these cells."""
        tasks = [
            replace(task, operations=tuple(each for each in task.operations if task.cell(each) in cells))
            for task in plan.tasks
        ]
        limits = [limit for limit in (plan.budget_s, plan.max_time_s) if limit is not None]
        return replace(
            plan,
            tasks=[task for task in tasks if task.operations],
            rounds=number,
            target=None,
            share=None,
            further_s=0.0,
            budget_s=None,
            max_time_s=min(limits) - self._since() if limits else None,
        )

    def _carry(self, parts: Sequence[Part]) -> None:
        """Has machines carry out their plans at the same time; those that are lost are not there any more."""
        with ThreadPoolExecutor(max(len(parts), 1)) as threads:
            done = list(threads.map(self.carry, parts))
        lost = {part.member.name for part, well in zip(parts, done, strict=True) if not well}
        self.there = [part for part in self.there if part.member.name not in lost]

    def _figures(self, found: Joined) -> Figures:
        return competing(self.plan, found.taken, found.taken.failures)

    def _last_round(self) -> int:
        """The number of the last round that any machine has begun."""
        taken = [part.taken for part in self.parts]
        rounds = [number for each in taken for samples in each.cells.values() for number in samples.rounds]
        return max(rounds, default=0)

    def _sampled_ns(self) -> int:
        return sum(part.taken.sampled_ns for part in self.parts)

    def _since(self) -> float:
        return time.monotonic() - self.begun

    def _has_time(self) -> bool:
        limits = (self.plan.budget_s, self.plan.max_time_s, self.plan.further_s)
        return all(limit is None or self._since() < limit for limit in limits)

    def _conclude(self) -> None:
        """Says of the first machine what the outcome is of all."""
        first = next((part.outcome for part in self.parts if part.outcome), None)
        if first and self.plan.target is not None:
            first.unconverged = unconverged(self._figures(self.together), self.plan.target, self.views)


def _cells(tasks: Sequence[Task], failures: Mapping[Cell, str]) -> set[Cell]:
    """What a machine can measure."""
    cells = {task.cell(each) for task in tasks for each in task.operations}
    return cells - failures.keys()
