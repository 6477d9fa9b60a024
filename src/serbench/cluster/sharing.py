"""Measures on machines of one kind that share the cells of a run (``measure/shares.py``)."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from serbench.cluster.part import MachinePart
from serbench.measure.events import End
from serbench.measure.further import Figures, competing, further, views_of
from serbench.measure.joined import Joined, joined
from serbench.measure.plan import Plan
from serbench.measure.shares import Share, dealt
from serbench.measure.store import Journal
from serbench.measure.taken import Taken
from serbench.stats.stopping import Cell, unconverged

Carry = Callable[[MachinePart, Journal], bool]
"""A function that carries out the plan of a part; returns False where its machine is lost before the end."""


@dataclass
class Sharing:
    """Measures the cells of a run on the machines of one kind that share them.

    Attributes:
        parts: the parts of the machines that are connected.
        links: the codecs that all of them measure.
        absent: the samples of machines of the kind that are not connected now.
        announce: called with a line on each machine whose times deviate.
        give_up: ends the work of all machines, where anything goes wrong on one.
        there: the machines that have not been lost.
    """

    parts: Sequence[MachinePart]
    links: frozenset[str]
    absent: Mapping[str, Taken]
    carry: Carry
    announce: Callable[[str], None]
    give_up: Callable[[], None]

    def __post_init__(self) -> None:
        self.there = list(self.parts)
        self.plans = {part.member.name: part.plan for part in self.parts}
        tasks = {task.identity: task for part in self.parts for task in part.plan.tasks}
        self.plan: Plan = replace(self.parts[0].plan, tasks=list(tasks.values()))
        self.views = views_of(tasks.values())
        self.begun = time.monotonic()
        self.journals: dict[str, Journal] = {}

    def run(self) -> None:
        """Measure the planned rounds, each machine its share, and then more rounds of the cells that need
        them, including those that a lost machine had not sent."""
        with contextlib.ExitStack() as stack:
            self.journals = {part.member.name: stack.enter_context(Journal(part.run)) for part in self.parts}
            self.measure()
            found = self.found()
            for name, factor in found.left_out.items():
                self.announce(
                    f"{name} is out of line: it takes {factor:.2f} times as long as others of its kind"
                )
            if not self.behind(found, self.cells(self.parts)):
                for part in self.parts:
                    self.journals[part.member.name].note(End(), part.taken)

    def found(self) -> Joined:
        """Return the samples of all machines so far, joined."""
        return joined(self._taken(), self.links)

    def _taken(self) -> dict[str, Taken]:
        return {**self.absent, **{part.member.name: part.taken for part in self.parts}}

    def measure(self) -> None:
        if not any(taken.cells for taken in self._taken().values()):
            self._planned_rounds()
        state, round_s = None, 0.0
        while self.there and self._has_time(round_s) and state != (state := self._state()):
            begun = time.monotonic()
            if not self._further_round(self._last_round() + 1):
                break
            round_s = time.monotonic() - begun
        self._conclude()

    def _state(self) -> tuple[int, ...]:
        """Return counts of samples, failures and machines: after a round that changes none, no other is
        tried."""
        taken = [part.taken for part in self.parts]
        failures = sum(len(each.failures) for each in taken)
        return (sum(each.sampled_ns for each in taken), failures, len(self.there))

    def cells(self, parts: Sequence[MachinePart]) -> set[Cell]:
        """Return the cells that these machines can measure."""
        tasks = [task for part in parts for task in self.plans[part.member.name].tasks]
        return {task.cell(each) for task in tasks for each in task.operations}

    def behind(self, found: Joined, cells: Collection[Cell]) -> list[Cell]:
        """Return the cells that have fewer rounds than planned."""
        left = cells - found.taken.failures.keys()
        return [cell for cell in left if len(found.taken.rounds_of(cell)) < self.plan.rounds]

    def _planned_rounds(self) -> None:
        codecs = list(dict.fromkeys(task.codec for task in self.plan.tasks))
        workloads = list(dict.fromkeys(task.workload for task in self.plan.tasks))
        for at, part in enumerate(self.parts):
            share = Share(at, len(self.parts), self.links, codecs, workloads)
            part.plan = replace(self.plans[part.member.name], share=share, target=None)
        self._carry(self.parts)

    def _further_round(self, number: int) -> bool:
        """Measure one round of the cells that need it; return False where none does."""
        found = self.found()
        able = [part for part in self.there if part.member.name not in found.left_out]
        offered = [self.cells([part]) - part.taken.failures.keys() for part in able]
        cells = set().union(*offered) - found.taken.failures.keys()
        limit = self.plan.further_s
        plan = self.plan if limit is None or self._since() < limit else replace(self.plan, target=None)
        wanted = further(plan, self._figures(found), self.behind(found, cells), self.views, number) & cells
        hands = dealt(wanted, offered, self.links, number)
        busy = [(part, hand) for part, hand in zip(able, hands, strict=True) if hand]
        for part, hand in busy:
            part.taken.first_round = number
            part.plan = self._one_round(self.plans[part.member.name], hand, number)
        self._carry([part for part, _ in busy])
        return bool(busy)

    def _one_round(self, plan: Plan, cells: Collection[Cell], number: int) -> Plan:
        """Return the plan of one further round of these cells."""
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

    def _carry(self, parts: Sequence[MachinePart]) -> None:
        """Have machines carry out their plans at the same time; remove those that are lost."""

        def carry(part: MachinePart) -> bool:
            try:
                return self.carry(part, self.journals[part.member.name])
            except BaseException:
                self.give_up()
                raise

        with ThreadPoolExecutor(max(len(parts), 1)) as threads:
            done = list(threads.map(carry, parts))
        lost = {part.member.name for part, well in zip(parts, done, strict=True) if not well}
        self.there = [part for part in self.there if part.member.name not in lost]

    def _last_round(self) -> int:
        """Return the number of the last round of which any machine has a sample."""
        taken = self._taken().values()
        rounds = [number for each in taken for samples in each.cells.values() for number in samples.rounds]
        return max(rounds, default=0)

    def _since(self) -> float:
        return time.monotonic() - self.begun

    def _has_time(self, round_s: float) -> bool:
        """Whether a round may begin, and whether it would end within the budget if it took as long as the one
        before."""
        budget, most = self.plan.budget_s, self.plan.max_time_s
        fits = budget is None or self._since() + round_s < budget
        return fits and (most is None or self._since() < most)

    def _conclude(self) -> None:
        """Record the cells that did not converge, by the samples of all machines, in the first machine's
        outcome."""
        first = next((part.outcome for part in self.parts if part.outcome), None)
        if first and self.plan.target is not None:
            first.unconverged = unconverged(self._figures(self.found()), self.plan.target, self.views)

    def _figures(self, found: Joined) -> Figures:
        return competing(self.plan, found.taken, found.taken.failures)
