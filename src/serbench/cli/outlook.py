"""How long a job takes on this machine, told before anything is built, and corrected as it goes."""

from __future__ import annotations

import contextlib
import math
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import msgspec

from serbench.building import experience
from serbench.building.prepare import known_variants
from serbench.cli.console import announce
from serbench.cli.effort import Effort
from serbench.cli.other_metrics import WIRE
from serbench.codecs.codec import Variant
from serbench.dataset.cache import dataset_for
from serbench.dataset.file import Dataset
from serbench.errors import DatasetError, SelectionError
from serbench.languages.base import Toolchain
from serbench.measure.budget import fitted, told_of
from serbench.measure.calls import CALLED
from serbench.measure.job import Job
from serbench.measure.pace import Pace
from serbench.measure.plan import Cells, Plan
from serbench.measure.run import Outcome
from serbench.measure.store import Run
from serbench.measure.unit import Unit
from serbench.report.gathering import gathered
from serbench.selecting.selection import POPULAR, select_variants
from serbench.text import long_time
from serbench.workload import WorkloadSpec

TELLING_S = 60.0
"""The seconds that a job still has to take for this to be announced again between its steps."""

LONG_S = 240.0
"""The seconds of a job beyond which the user is told of parts of the selection that take less."""

_TOLD_CROWD = 1.1
"""The factor from which the user is told that other work makes estimates longer."""

_CUT = 0.8
"""The share of its limit from which a warm-up, the mean of some cells, is taken for one that was cut."""

_BRIEFER = 0.6
"""The greatest share of a long job's time that a part of the selection may take to be proposed instead."""


@dataclass(frozen=True)
class Outlook:
    """The plan of a job, and an estimate of how long the job takes with it.

    Attributes:
        plan: made once, and then fitted to tasks: to those that are foreseen, and to those that can be
            measured.
    """

    job: Job
    effort: Effort
    known: experience.Experience
    plan: Plan

    @classmethod
    def of(cls, job: Job, effort: Effort) -> Outlook:
        known = experience.Experience.of(job.paths.home)
        # Without builds, the job is of other machines, of which nothing is known.
        slower = known.expected_s(experience.MEASURING, 1.0) if job.builds else 1.0
        return cls(job, effort, known, effort.plan(job, slower))

    @property
    def tasks(self) -> list[Cells]:
        """The tasks that are foreseen: all, if every codec can be built and offers all operations."""
        chosen, tasks = self.job.chosen, list[Cells]()
        for spec in chosen.workloads:
            data = self._data_of(spec)
            size = chosen.foreseen_bytes.get(spec.id, data.canonical_bytes if data else 0)
            for variant in chosen.built:
                codec = variant.codec
                names = [build.name for build in self.job.builds if build.language == codec.language]
                asked = tuple(chosen.operations_of(spec))
                shares = bool(codec.shared)
                own = Cells(variant.id, spec.id, asked, traits=codec.traits, shares=shares)
                own = replace(own, beside=chosen.is_beside(variant), pass_bytes=size)
                own = replace(own, message_bytes=data.canonical_bytes / max(data.messages, 1) if data else 0)
                for compiler in names if len(names) > 1 else [""]:
                    pace = self.pace_of(variant, spec, compiler)
                    tasks.append(replace(own, compiler=compiler, pace=pace))
        return tasks

    def pace_of(self, variant: Variant, spec: WorkloadSpec, compiler: str) -> Pace:
        """The pace of a variant's program for a workload on this machine, as far as it is known."""
        program, traits = self._program(variant, spec, compiler), variant.codec.traits
        return self.known.pace_of(program, traits) if program else Pace.typical(traits)

    def _program(self, variant: Variant, spec: WorkloadSpec, compiler: str) -> str:
        """The name by which experience knows a program; empty where this machine does not build it."""
        for build in self.job.builds:
            if build.language == variant.codec.language and compiler in ("", build.name):
                return experience.program_of(build, variant, spec)
        return ""

    def _data_of(self, spec: WorkloadSpec) -> Dataset | None:
        """The data that a workload is made of, whose messages are as long as its own. They are made where
        single calls are timed, which take as long as a message, and where messages are compressed; None for
        others whose data were not made yet, and where they cannot be made."""
        are_needed = bool(set(self.job.chosen.metrics) & {*CALLED, WIRE})
        with contextlib.suppress(DatasetError):
            return dataset_for(spec.declared, self.job.paths, make=are_needed)
        return None

    def fitted(self, tasks: Sequence[Cells], waited_s: float = 0.0) -> Plan:
        """The plan, fitted to tasks; the plan of a run that is continued is not changed.

        Args:
            waited_s: how long the user of a first look will have waited when it is carried out.
        """
        plan = self.effort.at_first_sight(self.plan, waited_s) if self.job.looks else self.plan
        return plan if self.job.again else fitted(plan, tasks)

    def told(self, plan: Plan, tasks: Sequence[Cells]) -> str:
        """The cuts that make a plan fit into its time, in words; empty for a first look, which is short."""
        is_told = "time" in self.job.chosen.metrics and not self.job.looks
        return told_of(plan, tasks) if is_told else ""

    def told_crowd(self) -> str:
        """The factor by which the job takes longer since others want the cores, in words; empty where that is
        little, and where no step is this machine's."""
        times = self.known.crowd if self.job.builds else 1.0
        if times < _TOLD_CROWD:
            return ""
        return f"other work wants the cores, so estimates are ×{times:.1f} of those for an idle machine"

    def foreseen(self, is_built: bool = False) -> Foreseen:
        """Estimates how long each step of the job takes; building takes none where it ``is_built``."""
        building_s, verifying_s = experience.Preparing.of(self.known, self.job).by(self.known)
        building_s = 0.0 if is_built else building_s
        tasks = self.tasks
        plan = self.fitted(tasks, self.job.waited_s + building_s + verifying_s)
        return Foreseen(building_s, verifying_s, self.rounds_s(plan, tasks))

    def rounds_s(self, plan: Plan, tasks: Sequence[Cells]) -> float:
        """The seconds that a plan's rounds of these tasks take; where a run is continued, those it lacks."""
        if "time" not in self.job.chosen.metrics:
            return 0.0
        again = self.job.again
        if not again:
            return plan.estimate_s(tasks)
        lacking_s = rounds_lacking(again, plan) * plan.round_s(tasks)
        return lacking_s if plan.max_time_s is None else min(lacking_s, plan.max_time_s)

    def tell(self) -> None:
        """Announces how long the job takes, and what would take less where that is long."""
        foreseen, count = self.foreseen(), len(self.job.chosen.variants)
        guess = "" if self.known.factors else "; a rough guess, since nothing was built here yet"
        about = f"about {long_time(foreseen.total_s)} here{foreseen.steps}{guess}"
        codecs = f"{count} codec{'' if count == 1 else 's'}"
        if self.job.again:
            plan = self.plan
            rounds = rounds_lacking(self.job.again, plan)
            lacking = f"{codecs}, {rounds} round{' is' if rounds == 1 else 's are'} lacking: {about}"
            limit_s = plan.budget_s if plan.max_time_s is None else plan.max_time_s
            more = "; rounds for ratios that are still known too little end after {} of measuring"
            announce(lacking + (more.format(long_time(limit_s)) if plan.target and limit_s else ""))
            return
        announce(f"{codecs}: {about}")
        if foreseen.total_s > LONG_S:
            for what, briefer in self._briefer(foreseen.total_s):
                patterns = patterns_for(briefer.job.chosen.variants, known_variants(self.job.paths))
                words = shlex.join(word for pattern in patterns for word in ("-c", pattern))
                announce(f"{what}: about {long_time(briefer.foreseen().total_s)} ({words})")

    def _briefer(self, than_s: float) -> Iterator[tuple[str, Outlook]]:
        """Parts of the selection that take much less, each with its name in words: the codecs that are built
        already, and those of quick languages."""
        variants = self.job.chosen.variants
        built = [v for v in variants if all(program in self.known.programs for program in self._programs(v))]
        quick: list[Variant] = []
        by_language = gathered((variant.codec.language, variant) for variant in variants)
        for own in sorted(by_language.values(), key=lambda own: self._of(own).foreseen().total_s / len(own)):
            if self._of([*quick, *own]).foreseen().total_s <= _BRIEFER * than_s:
                quick += own
        titles = dict.fromkeys(variant.codec.traits.title for variant in quick)
        for what, some in (
            (f"the {len(built)} that are built already", built),
            (f"those of {', '.join(titles)}", quick),
        ):
            if some and self._of(some).foreseen().total_s <= _BRIEFER * than_s:
                yield what, self._of([variant for variant in variants if variant in some])

    def _of(self, variants: Sequence[Variant]) -> Outlook:
        job = replace(self.job, chosen=replace(self.job.chosen, variants=variants))
        return replace(self, job=job, plan=self.effort.plan(job, self.plan.slower))

    def _with(self, units: Sequence[Unit], *statuses: str) -> Outlook:
        """The outlook of those selected variants of which a unit has one of these statuses."""
        those = {unit.variant.id for unit in units if unit.status in statuses}
        return self._of([variant for variant in self.job.chosen.variants if variant.id in those])

    def _programs(self, variant: Variant) -> Iterator[str]:
        for build in self.job.builds:
            if build.language == variant.codec.language:
                yield from (experience.program_of(build, variant, spec) for spec in self.job.chosen.workloads)

    def tell_left_of(self, units: Sequence[Unit]) -> None:
        """Announces how long verifying and measuring take of units of which building made what it could."""
        self.tell_left(self._with(units, "ok").foreseen(is_built=True).total_s)

    def tell_left(self, seconds: float) -> None:
        """Announces that the rest of the job takes so many seconds, if that is long."""
        if seconds > TELLING_S:
            announce(f"about {long_time(seconds)} more")

    def built(self, build: Toolchain, units: Sequence[Unit], took_s: float) -> None:
        """Learns, for later estimates, how long a toolchain took to build units."""
        able = [unit for unit in units if unit.status == "ok"]
        if able:
            programs = [experience.program_of(build, unit.variant, unit.spec) for unit in able]
            new = sum(self.known.is_new(program) for program in programs)
            self.known.learn(*experience.building_step(build, [unit.variant for unit in able], new), took_s)

    def verified(self, units: Sequence[Unit], took_s: float) -> None:
        """Learns, for later estimates, how long verifying took and which programs there are now."""
        tried = self._with(units, "ok", "failed")
        usual_s = experience.Preparing.of(self.known, tried.job).verifying_s
        self.known.learn(experience.VERIFYING, usual_s, took_s)
        for status, take in (("ok", self.known.built), ("not_installed", self.known.lacking)):
            those = {unit.variant.id: unit.variant for unit in units if unit.status == status}
            take(program for variant in those.values() for program in self._programs(variant))
        self.known.keep()

    def measured(self, plan: Plan, outcome: Outcome) -> None:
        """Learns, for later estimates, the pace of programs, and how long rounds took for programs of these
        paces."""
        specs = {spec.id: spec for spec in self.job.chosen.workloads}
        variants = {variant.id: variant for variant in self.job.chosen.built}
        # In a sweep, a program has several passes. The longest comes last, and is kept, but for its warm-up:
        # long passes make it longer than compiling takes, which counts for short ones.
        warmups: dict[str, float | None] = {}
        for task in sorted(plan.tasks, key=lambda task: task.pass_bytes):
            if pace := outcome.paces.get(task.identity):
                program = self._program(variants[task.codec], specs[task.workload], task.compiler)
                pace = msgspec.structs.replace(pace, warmup_s=warmups.setdefault(program, pace.warmup_s))
                is_cut = 1e9 * (pace.warmup_s or 0.0) > _CUT * (plan.warmup_ns or math.inf)
                self.known.paced(program, pace, is_cut)
        tasks = [replace(task, pace=outcome.paces.get(task.identity, task.pace)) for task in plan.tasks]
        typical_s = outcome.planned_rounds * replace(plan, slower=1.0).round_s(tasks)
        self.known.learn(experience.MEASURING, typical_s, outcome.planned_s)
        self.known.keep()


@dataclass(frozen=True)
class Foreseen:
    """An estimate of how long each step of a job takes."""

    building_s: float
    verifying_s: float
    measuring_s: float

    @property
    def total_s(self) -> float:
        return self.building_s + self.verifying_s + self.measuring_s

    @property
    def steps(self) -> str:
        """The steps that take long, in brackets; empty where there is one only."""
        steps = {"building": self.building_s, "verifying": self.verifying_s, "measuring": self.measuring_s}
        long = [f"{step} {long_time(seconds)}" for step, seconds in steps.items() if seconds >= 10]
        return f" ({', '.join(long)})" if len(long) > 1 else ""


def rounds_lacking(run: Run, plan: Plan) -> int:
    """The rounds that the cell with the fewest rounds lacks; failed cells and unasked floors do not count."""
    left_out = run.manifest.beside
    done = min(
        (
            len(samples.rounds)
            for cell, samples in run.taken.cells.items()
            if cell not in run.taken.failures and cell[0] not in left_out
        ),
        default=0,
    )
    return max(0, plan.rounds - done)


def patterns_for(chosen: Sequence[Variant], known: dict[str, Variant]) -> list[str]:
    """Few patterns that select these variants and no others."""
    patterns: list[str] = []
    for language, own in gathered((variant.codec.language, variant) for variant in chosen).items():
        for pattern in (f"{language}/{POPULAR}", f"{language}/*"):
            with contextlib.suppress(SelectionError):  # it selects nothing
                if {v.id for v in select_variants([pattern], known)} == {v.id for v in own}:
                    patterns.append(pattern)
                    break
        else:
            patterns += [variant.id for variant in own]
    return patterns
