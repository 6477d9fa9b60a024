"""Collects the samples of a run by cell, from the run's journal or while the run goes on."""

from __future__ import annotations

import signal
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from statistics import fmean, median

from serbench.measure.events import (
    End,
    Event,
    Failure,
    MachineEvent,
    MetricEvent,
    Resume,
    Round,
    Sample,
    Sampled,
    UnitEvent,
)
from serbench.measure.identity import Identity
from serbench.stats.disturbance import MOST_DOUBT, Deducted, Thefts, deducted, is_disturbed
from serbench.stats.stopping import Cell

SIGNALS_FROM_OUTSIDE = frozenset({signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGTERM})
"""The signals by which a user or the system kills a process, for example when memory runs out; a program that
crashes gets other signals."""


@dataclass
class CellSamples:
    """The samples of one cell.

    Attributes:
        quiet: round → the nanoseconds of a pass in each undisturbed sample.
        disturbed: round → the nanoseconds of a pass in each disturbed sample, less the time that other
            processes took.
        batches: round → the batches of passes by which its process warmed up.
        unsettled: the rounds in which times were still changing when the warm-up ended.
        allocated: the bytes that a pass allocated, for each sample whose runner reports them.
    """

    quiet: dict[int, list[float]] = field(default_factory=dict)
    disturbed: dict[int, list[Deducted]] = field(default_factory=dict)
    batches: dict[int, int] = field(default_factory=dict)
    unsettled: set[int] = field(default_factory=set)
    allocated: list[int] = field(default_factory=list)

    def add(self, sample: Sampled) -> None:
        """Add a sample to the undisturbed or the disturbed ones of its round."""
        if is_disturbed(sample):
            self._add_disturbed(sample)
        else:
            self.quiet.setdefault(sample.round, []).append(sample.elapsed_ns / sample.iterations)
        self.batches[sample.round] = sample.warmups
        if not sample.settled:
            self.unsettled.add(sample.round)
        if sample.allocated_bytes_per_op is not None:
            self.allocated.append(sample.allocated_bytes_per_op)

    def disturb(self, sample: Sampled) -> None:
        """Move a sample that was added as undisturbed to the disturbed ones."""
        quiet = self.quiet.get(sample.round, [])
        time = sample.elapsed_ns / sample.iterations
        if time in quiet:
            quiet.remove(time)
            if not quiet:
                del self.quiet[sample.round]
            self._add_disturbed(sample)

    def _add_disturbed(self, sample: Sampled) -> None:
        left = deducted(sample)
        own = Deducted(left.ns / sample.iterations, left.doubt)
        self.disturbed.setdefault(sample.round, []).append(own)

    def drop(self, number: int) -> None:
        """Remove the samples of a round whose process failed."""
        self.quiet.pop(number, None)
        self.disturbed.pop(number, None)
        self.batches.pop(number, None)
        self.unsettled.discard(number)

    @property
    def rounds(self) -> set[int]:
        return self.quiet.keys() | self.disturbed.keys()

    @property
    def disturbed_count(self) -> int:
        return sum(map(len, self.disturbed.values()))

    @property
    def count(self) -> int:
        """The number of all samples, disturbed ones included."""
        return self.disturbed_count + sum(map(len, self.quiet.values()))

    def used(self) -> dict[int, list[float]]:
        """Return the nanoseconds of a pass in each sample that counts for figures, by round."""
        return {number: [each.ns for each in samples] for number, samples in self._chosen().items()}

    def figures(self) -> dict[int, float]:
        """Return the median nanoseconds of a pass in each round."""
        return {number: _median(values) for number, values in self.used().items()}

    @property
    def deducted_rounds(self) -> int:
        """The number of rounds without undisturbed samples, whose figure is a time with that of other
        processes deducted."""
        return len(self._chosen().keys() - self.quiet.keys())

    @property
    def mostly_deducted(self) -> bool:
        """Whether most rounds are ``deducted_rounds``."""
        return 2 * self.deducted_rounds > len(self._chosen())

    @property
    def doubt(self) -> float:
        """The part of the standard error of the logarithms of figures that disturbances cause. Differences
        between rounds do not show it, since it may be the same in all of them."""
        chosen = self._chosen().values()
        return fmean(median(each.doubt for each in samples) for samples in chosen) if chosen else 0.0

    def _chosen(self) -> dict[int, list[Deducted]]:
        """Return the samples of each round that count: the undisturbed ones, or else those of which the lost
        time is known well. Rounds with neither are left out, unless they are more than half of all."""
        chosen = {
            number: [Deducted(ns, 0.0) for ns in self.quiet[number]]
            if number in self.quiet
            else [each for each in self.disturbed[number] if each.doubt <= MOST_DOUBT]
            for number in sorted(self.rounds)
        }
        known = {number: samples for number, samples in chosen.items() if samples}
        if 2 * len(known) >= len(chosen):
            return known
        return {number: samples or self.disturbed[number] for number, samples in chosen.items()}


def _median(values: list[float]) -> float:
    """Return the median, faster than ``statistics`` does for the one or two samples of a round of a quick
    run."""
    return sum(values) / len(values) if len(values) <= 2 else median(values)


@dataclass
class Taken:
    """The samples and events of all cells of a run.

    Attributes:
        units: the event of each unit (codec variant, workload and compiler): whether it was built and
            verified, or why not.
        failures: the reason of each cell that failed.
        costs: the events of metrics other than time.
        references: round → the nanoseconds of the calibration loop by the kind of work.
        ended: whether the plan was carried out to its end.
        damaged: the lines of the journal that could not be read, each with the reason.
        killed: the cells whose process was killed from outside; they are tried again when the run is
            continued.
        retried: the cells that were ``killed`` before the run was continued.
        retried_units: the units whose verification was killed from outside before the run was continued.
        first_round: the number of the next round to make or to finish.
        machines: the state of each machine, for a run of several.
        spreads: workload and operation → the standard error that differences between machines add to the
            logarithm of a ratio, which differences between rounds do not show. Empty for a single machine.
        sampled_ns, stolen_ns: the duration of all samples together, and how much of it the hypervisor took.
    """

    cells: dict[Cell, CellSamples] = field(default_factory=dict)
    units: dict[tuple[str, str, str], UnitEvent] = field(default_factory=dict)
    failures: dict[Cell, str] = field(default_factory=dict)
    costs: list[MetricEvent] = field(default_factory=list)
    references: dict[int, dict[str, int]] = field(default_factory=dict)
    first_round: int = 1
    ended: bool = False
    damaged: list[str] = field(default_factory=list)
    killed: set[Cell] = field(default_factory=set)
    retried: set[Cell] = field(default_factory=set)
    retried_units: set[tuple[str, str, str]] = field(default_factory=set)
    machines: dict[str, MachineEvent] = field(default_factory=dict)
    spreads: dict[tuple[str, str], float] = field(default_factory=dict)
    sampled_ns: int = 0
    stolen_ns: int = 0
    _thefts: Thefts[Sample] = field(default_factory=Thefts)

    @classmethod
    def of(cls, events: Iterable[Event]) -> Taken:
        """Return what the events of a run's journal tell."""
        taken = cls()
        for event in events:
            taken.add(event)
        return taken

    def add(self, event: Event) -> None:
        """Add an event of the run to what was collected of it."""
        match event:
            case Sample():
                cell = event.cell
                samples = self.cells.get(cell)
                if samples is None:
                    samples = self.cells[cell] = CellSamples()
                samples.add(event)
                self.sampled_ns += event.elapsed_ns
                self.stolen_ns += max(0, event.stolen_ns)
                for each in self._thefts.take(event):
                    if each.cell in self.cells:  # else it failed meanwhile
                        self.cells[each.cell].disturb(each)
            case UnitEvent():
                if self.was_killed(event.identity):
                    self.retried_units.add(event.identity)
                self.units[event.identity] = event
            case Failure():
                self._fail(event)
            case Round():
                self.first_round = event.round
                self.references[event.round] = event.reference
            case End():
                self.ended = True
            case Resume():
                self.ended = False
                for cell in self.killed:  # not the codec's fault, perhaps: out of memory, or a user's kill
                    del self.failures[cell]
                self.retried |= self.killed
                self.killed = set()
            case MachineEvent():
                before = self.machines.get(event.machine)
                if before and before.kind_id == event.kind_id:
                    event.kind = before.kind  # which is called otherwise where other machines are there
                self.machines[event.machine] = event
            case _:
                self.costs.append(event)

    def was_killed(self, unit: Identity) -> bool:
        """Whether the verification of a unit was killed from outside, so that the unit is tried again when
        the run is continued."""
        return unit in self.units and self.units[unit].signal in SIGNALS_FROM_OUTSIDE

    def _fail(self, event: Failure) -> None:
        cell = event.cell
        self.failures[cell] = event.reason
        if event.signal in SIGNALS_FROM_OUTSIDE:
            self.killed.add(cell)
        else:
            self.killed.discard(cell)
        if cell in self.cells and event.round is not None:
            self.cells[cell].drop(event.round)
            if not self.cells[cell].rounds:
                del self.cells[cell]

    def rounds_of(self, cell: Cell) -> Collection[int]:
        return self.cells[cell].rounds if cell in self.cells else ()
