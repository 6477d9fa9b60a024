"""Times of parts of messages, of kinds of values and of other forms, as far as time allows."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from serbench.changes.catalogue import choices_of
from serbench.changes.change import declared
from serbench.changes.derived import parse_spec
from serbench.changes.paths import place_of
from serbench.cli.console import Steps, announce
from serbench.cli.effort import Effort
from serbench.cli.ends import Interrupted
from serbench.cli.outlook import Outlook
from serbench.cli.selected import build_units
from serbench.cli.timing import timed
from serbench.dataset.cache import dataset_for
from serbench.errors import RunnerError, SelectionError
from serbench.idl import dialect_of
from serbench.measure.budget import briefest
from serbench.measure.job import Job
from serbench.measure.store import Run
from serbench.measure.unit import Unit
from serbench.model import Record
from serbench.report.kept import keep_why
from serbench.report.why import ALL, DROP, Why
from serbench.stats.summary import ROUNDS_TO_RANK
from serbench.text import long_time
from serbench.verification.sizes import Size, size_of
from serbench.workload import Workload, WorkloadSpec, load_workloads

MOST_TIMED = 40
"""The most parts that are timed in the same rounds, those with most bytes first."""

MOST_KINDS = 4
"""The most kinds of values that are timed beside the parts, those with most bytes first: each takes the time
of a part."""

NEARLY_ALL = 0.95
"""The share of the bytes or of a time above which a kind is nearly the whole message, as lists often are: its
time would tell nothing else."""

MOST_RUNS = 3
"""How often parts are timed that are in those of the time before."""

MOST_DROPPED = 8
"""The most parts without which programs are built."""

MOST_CHOICES, MOST_PLACES = 4, 200
"""The most other forms of values with which programs are built, those of most places first, and the most
places of one: its programs are built and its messages are made place by place."""

_RESERVES = (2.0, 1.2)
"""How many times the foreseen time is left for parts, since passes over long messages take longer than is
foreseen, and where no part fits so; rounds beyond those that conclusions take use the rest."""


@dataclass
class Timing:
    """Takes times of messages with changes.

    Attributes:
        units: the units of the workload as it is, which were built.
        core: the core that is claimed.
        begun: when measuring began, in seconds of the monotonic clock.
    """

    job: Job
    units: Sequence[Unit]
    effort: Effort
    core: int | None
    begun: float = field(default_factory=time.monotonic)

    @property
    def left_s(self) -> float | None:
        """The seconds that are left for measuring; None for no limit."""
        limit_s = self.effort.max_time
        return None if limit_s is None else max(0.0, limit_s - (time.monotonic() - self.begun))

    def fitting(self, changes: Sequence[str]) -> Sequence[str]:
        """The first of these changes: as many as can be timed in as many rounds as conclusions take, with
        warm-ups and samples cut as a time limit cuts them."""
        datasets, _ = self.room()
        return changes[: min(datasets - (datasets > 1), MOST_TIMED)]

    def room(self) -> tuple[int, float]:
        """How many changes can be timed beside the messages as they are, and how many times the foreseen
        time that leaves. Where there are two, one of them is the change that empties every part."""
        left_s, reserve = self.left_s, _RESERVES[0]
        if left_s is None:
            return 1 + MOST_TIMED, reserve
        one_s = _dataset_s(Outlook.of(self.job, self.effort))
        for reserve in _RESERVES:
            datasets = max(0, int(left_s / (reserve * one_s)) - 1)
            if datasets > 1:
                break
        return datasets, reserve

    def kinds(self, found: Why, parts: int) -> list[str]:
        """The changes that empty the kinds of values with most bytes, as many as fit beside so many parts."""
        kinds = [kind for kind in found.kinds if found.greatest(kind) < NEARLY_ALL]
        changes = [kind.change for kind in kinds[:MOST_KINDS]]
        if self.left_s is None:
            return changes
        fitting = len(self.fitting([ALL] * MOST_TIMED))
        return changes[: max(0, fitting - parts)]

    def timed(self, found: Why, changes: Sequence[str], reserve: float) -> tuple[Why, Interrupted | None]:
        """The costs with the times of the messages as they are and with each change, measured in the same
        rounds and by the same programs, with so many times the foreseen time; and whether it was
        interrupted."""
        job = self.job
        (spec,) = job.chosen.workloads
        workloads = load_workloads(*job.paths.all_workloads)
        specs = [spec, *(parse_spec(f"{spec.id}/{change}", workloads) for change in changes)]
        job, limit_s = replace(job, chosen=replace(job.chosen, workloads=specs)), self.left_s
        with Steps("making messages") as steps:
            for n, each in enumerate(specs):
                steps.step(n, len(specs), each.id)
                dataset_for(each, job.paths)
        units = [_with_data(unit, each, job) for unit in self.units for each in specs]
        return self._measured(found, job, units, limit_s, reserve)

    def _measured(
        self, found: Why, job: Job, units: Sequence[Unit], limit_s: float | None, reserve: float = 1
    ) -> tuple[Why, Interrupted | None]:
        """The costs with those of one run more, which has them from its beginning on, so that an interrupted
        one shows them too; and whether it was interrupted.

        Args:
            limit_s: the seconds that measuring may take, beside making and verifying messages.
        """
        begun: list[Run] = []

        def keep(run: Run) -> None:
            begun.append(run)
            keep_why(replace(found, runs=[*found.runs, run]), begun)

        effort = replace(self.effort, max_time=limit_s)
        interrupted: Interrupted | None = None
        try:
            timed(job, units, effort, self.core, begun=keep, reserve=reserve)
        except Interrupted as error:
            interrupted = error
        return replace(found, runs=[*found.runs, *(Run(each.directory) for each in begun)]), interrupted

    def again(self, found: Why) -> tuple[Why, Interrupted | None]:
        """The costs with further rounds of each of their runs: as many in all as were asked for, or else as
        many more as were planned; and whether measuring was interrupted. Runs, and parts that were not timed
        before, share the time that is left.

        Raises:
            SerbenchError: a run measured something else, such as other messages.
        """
        runs = [*found.runs]
        shares = len(runs) + bool(found.to_time(True))
        for n, run in enumerate(runs):
            limit_s = None if self.left_s is None else self.left_s / (shares - n)
            rounds = self.effort.rounds or run.taken.first_round + run.manifest.rounds
            effort = replace(self.effort, rounds=rounds, max_time=limit_s)
            job, units = self._made_again(run)
            try:
                timed(replace(job, again=run, layouts=effort.layouts_of(run)), units, effort, self.core)
            except Interrupted as error:
                return found, error
            finally:
                runs[n] = Run(run.directory)
                found = replace(found, runs=runs)
        return found, None

    def _made_again(self, run: Run) -> tuple[Job, list[Unit]]:
        """The job and the units of a run that was made of these units."""
        workloads = load_workloads(*self.job.paths.all_workloads)
        specs = [parse_spec(each, workloads) for each in run.manifest.workloads]
        job = replace(self.job, chosen=replace(self.job.chosen, workloads=specs))
        if {spec.workload.name for spec in specs} == {unit.spec.workload.name for unit in self.units}:
            return job, [_with_data(unit, each, job) for unit in self.units for each in specs]
        job, units = build_units(job)
        return job, [unit for unit in units if unit.variant.id in {each.variant.id for each in self.units}]

    def of_parts(self, found: Why, all_of_them: bool) -> tuple[Why, Interrupted | None]:
        """The costs with the times of parts, and of those in what takes time, as far as measuring came; and
        whether it was interrupted.

        Args:
            all_of_them: whether parts directly in the message that were left out come later.
        """
        for _ in range(MOST_RUNS):
            parts = found.to_time(all_of_them)
            changes, (datasets, reserve) = self.fitting([part.change for part in parts]), self.room()
            if not changes:
                if parts and self.left_s and not found.runs:
                    least_s = 2 * _RESERVES[-1] * _dataset_s(Outlook.of(self.job, self.effort))
                    announce(f"no part is timed, since one takes about {long_time(least_s)} with --max-time")
                break
            announce(f"{len(changes)} of {len(parts)} parts are timed")
            beside = [] if found.runs or datasets < 2 else [ALL, *self.kinds(found, len(parts))]
            found, interrupted = self.timed(found, [*beside, *changes], reserve)
            if interrupted:
                return found, interrupted
        return found, None

    def without(
        self, asked: Job, found: Why, most: int, choices: Sequence[str]
    ) -> tuple[Why, Interrupted | None]:
        """The costs with those of programs that lack a part, for the parts that matter most, and of programs
        with other forms of values; and whether measuring was interrupted.

        Args:
            asked: the job as it was before its programs were built.
            choices: the changes that give values other forms.
        """
        (spec,) = asked.chosen.workloads
        workloads = load_workloads(*asked.paths.all_workloads)
        dropping, undropped = _dropping(spec, found, most, workloads)
        found = replace(found, undropped=undropped)
        specs = {**dropping, **{change: parse_spec(f"{spec.id}/{change}", workloads) for change in choices}}
        if not specs:
            return found, None
        announce(f"{len(dropping)} programs without a field each, {len(choices)} with other forms of values")
        chosen = replace(asked.chosen, workloads=[spec, *specs.values()])
        job, units = build_units(replace(asked, chosen=chosen))
        units = [unit for unit in units if unit.variant.id in {each.variant.id for each in self.units}]
        sizes: dict[str, dict[str, Size]] = {path: {} for path in ("", *specs)}
        paths = {each.id: path for path, each in [("", spec), *specs.items()]}
        for unit in units:
            if not unit.failure:
                with contextlib.suppress(RunnerError):  # its verification tells the reason
                    sizes[paths[unit.spec.id]][unit.name] = size_of(unit)
        dropped = {path: sizes[path] for path in ("", *dropping)}
        found = replace(found, dropped=dropped, chosen={change: sizes[change] for change in choices})
        return self._measured(found, job, units, self.left_s)


def _dataset_s(outlook: Outlook) -> float:
    """The seconds foreseen for one dataset in the rounds that conclusions take, with warm-ups and samples as
    short as a time limit may make them."""
    plan = briefest(outlook.plan, outlook.tasks)
    return min(plan.rounds, ROUNDS_TO_RANK) * plan.round_s(outlook.tasks)


def forms_offered(job: Job) -> list[str]:
    """The changes that give values other forms of which a codec of a job has the choice, at most
    ``MOST_CHOICES``; without those that cannot be at all of their places."""
    (spec,) = job.chosen.workloads
    workloads = load_workloads(*job.paths.all_workloads)
    idls = {dialect_of(each.codec.idl.language) for each in job.chosen.variants if each.codec.idl}
    found: list[str] = []
    for change, count in choices_of(spec.workload.schema, idls).items():
        if len(found) < MOST_CHOICES and count <= MOST_PLACES:
            with contextlib.suppress(SelectionError):
                parse_spec(f"{spec.id}/{change}", workloads)
                found.append(change)
    return found


def _dropping(
    spec: WorkloadSpec, found: Why, most: int, workloads: dict[str, Workload]
) -> tuple[dict[str, WorkloadSpec], dict[str, str]]:
    """The workload without each of the parts that matter most, by path, at most so many; and the parts that
    cannot be left out, each with the reason."""
    owners = declared(spec.workload.schema)
    specs: dict[str, WorkloadSpec] = {}
    reasons: dict[str, str] = {}
    for part in found.to_drop(MOST_DROPPED):
        if len(specs) == most:
            break
        if not isinstance(owners[place_of(spec.workload.schema, part.path).owner], Record):
            reasons[part.path] = "it is an alternative, and messages have it"
            continue
        try:
            specs[part.path] = parse_spec(f"{spec.id}/{DROP}={part.path}", workloads)
        except SelectionError as error:
            reasons[part.path] = str(error)
    return specs, reasons


def _with_data(unit: Unit, spec: WorkloadSpec, job: Job) -> Unit:
    """The unit with the messages of a changed workload, which its program writes as it does its own."""
    if spec.id == unit.spec.id:
        return unit
    return replace(unit, spec=spec, data=dataset_for(spec, job.paths), round_trips=None, verification=None)
