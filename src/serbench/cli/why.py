"""``serbench why``: what each part of a workload's messages costs."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from serbench.changes.catalogue import choices_of
from serbench.changes.change import declared
from serbench.changes.derived import parse_spec
from serbench.changes.emptying import inside, kinds_to_empty, parts_to_empty
from serbench.changes.paths import place_of
from serbench.cli import options
from serbench.cli.console import Steps, announce
from serbench.cli.effort import Effort
from serbench.cli.ends import Interrupted, end_shown
from serbench.cli.options import flag, option
from serbench.cli.outlook import Outlook
from serbench.cli.quantities import TIMES, seconds
from serbench.cli.selected import build_units, job_of_one
from serbench.cli.timing import of_headline, timed, untimed
from serbench.dataset.cache import dataset_for
from serbench.errors import RunnerError, SelectionError, SetupError
from serbench.idl import dialect_of
from serbench.measure.budget import briefest
from serbench.measure.job import Job, Permission
from serbench.measure.process import measuring_core
from serbench.measure.store import Run
from serbench.measure.unit import Unit
from serbench.model import Record
from serbench.report.kept import keep_why
from serbench.report.show import show
from serbench.report.why import ALL, DROP, Why
from serbench.report.why_table import why_tables
from serbench.stats.summary import ROUNDS_TO_RANK
from serbench.system.command import COMMAND
from serbench.system.locks import claim_core
from serbench.text import long_time
from serbench.verification.emptied import weigh
from serbench.verification.sizes import Size, size_of
from serbench.workload import Workload, WorkloadSpec, load_workloads

MOST_WEIGHED = 200
"""The most parts whose sizes are taken, in the order of the schema, those near the root first."""

WEIGHING_S = 60.0
"""The seconds after which the sizes of no further parts are taken."""

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

_RESERVES = (2.0, 1.2)
"""How many times the foreseen time is left for parts, since passes over long messages take longer than is
foreseen, and where no part fits so; rounds beyond those that conclusions take use the rest."""

MOST_DROPPED, DROPPED = 8, 3
"""The most parts without which programs are built, and how many by default: a build takes some seconds."""

MOST_CHOICES, MOST_PLACES = 4, 200
"""The most other forms of values with which programs are built, those of most places first, and the most
places of one: its programs are built and its messages are made place by place."""

MOST_CODECS = 6
"""The most codecs that are looked at side by side."""

_Choices = Annotated[
    bool,
    flag(
        "--choices",
        "Also build programs in which all whole numbers have another form that the format has, or all texts "
        f"are bytes, at most {MOST_CHOICES}.",
    ),
]


def why(
    workload: Annotated[
        str | None,
        option("NAME", "Workload, with parameters after a colon, and changes.", "-w", "--workload"),
    ] = None,
    codec: options.Codecs = None,
    path: Annotated[
        list[str] | None,
        option("PATH", "Look at this part and those in it alone; may be repeated.", "--field"),
    ] = None,
    rounds: Annotated[
        int | None, option("N", "Number of rounds. Default: as many as run plans.", min=1)
    ] = None,
    quick: Annotated[bool, flag("--quick", "Measure fewer rounds, with fewer samples in each.")] = False,
    max_time: Annotated[
        float | None,
        option(
            "TIME",
            f"Measure no longer than this, {TIMES}; parts with few bytes are left out.",
            parser=seconds(least=0),
        ),
    ] = None,
    drop: Annotated[
        int | None,
        option(
            "N",
            f"Also build programs without each of the N fields that matter most, at most {MOST_DROPPED}. "
            f"Default: {DROPPED}; with --quick or --max-time, none.",
            min=0,
            max=MOST_DROPPED,
        ),
    ] = None,
    choices: _Choices = False,
    format: options.OutputFormat = options.TableFormat.table,
    no_install: options.NoInstall = False,
    time_limit: options.TimeLimit = options.TIME_LIMIT_DEFAULT,
) -> None:
    """Show what each part of the messages costs: its bytes, and the time to write and to read it.

    The same program writes and reads messages in which the values of a part are empty, absent or zero, in the
    same rounds as the messages themselves. Programs without the fields that matter most follow, which tell
    what these cost when they are empty, and with --choices those in which a kind of value has another form.
    """
    effort = Effort(rounds=rounds, quick=quick, max_time=max_time)
    asked = _job([workload] if workload else (), codec, effort, no_install, time_limit)
    job, units, found = _weighed(asked, path or ())
    timing = _Timing(job, units, effort, claim_core(measuring_core(), False, announce))
    if drop is None:
        drop = 0 if quick or max_time is not None else DROPPED
    found, interrupted = timing.of_parts(found, all_of_them=max_time is not None)
    if (drop or choices) and not interrupted:
        found, interrupted = timing.without(asked, found, drop, _choices(asked) if choices else [])
    runs = found.runs or ([] if interrupted else [untimed(job, units, effort)])
    keep_why(found, runs)
    show(why_tables(found, format.room), found.records, format.value)
    for made in runs[-1:]:
        announce(f"this is kept: {COMMAND} show {made.id}")
    if interrupted:
        raise interrupted
    end_shown(bool(found.weighed.failures or found.failures))


def _job(
    workload: Sequence[str],
    codec: Sequence[str] | None,
    effort: Effort,
    no_install: bool,
    time_limit_s: float,
) -> Job:
    """The job of one workload, whose programs are still to be built.

    Raises:
        SelectionError: not one workload is selected, none or too many codecs are, or messages are read in
            part.
    """
    job = job_of_one(workload, codec, None, Permission(not no_install), time_limit_s)
    if len(job.chosen.variants) > MOST_CODECS:
        raise SelectionError(f"found {len(job.chosen.variants)} codecs; expected at most {MOST_CODECS}")
    return of_headline(job, effort)


def _weighed(job: Job, paths: Sequence[str]) -> tuple[Job, list[Unit], Why]:
    """The job with its units, which are built, and the sizes of their messages with each part empty.

    Raises:
        SelectionError: a path is not there.
        SetupError: no codec could be built, or none writes the messages.
    """
    (spec,) = job.chosen.workloads
    schema = spec.workload.schema
    listed = parts_to_empty(schema)
    parts = inside(listed, schema, paths)
    job, units = build_units(job)
    nearest = sorted(parts, key=lambda part: part.depth)[:MOST_WEIGHED]
    kinds = [] if paths else kinds_to_empty(schema)
    with Steps("weighing") as steps:
        weighed = weigh(units, [ALL, *(each.change for each in (*kinds, *nearest))], steps.step, WEIGHING_S)
    if not weighed.whole.sizes:
        raise SetupError("; ".join(f"{name}: {reason}" for name, reason in weighed.failures.items()))
    units = [unit for unit in units if unit.name in weighed.whole.sizes]
    known = {unit.name: unit.identity for unit in units}
    return job, units, Why(spec.id, known, parts, weighed, units[0].data.messages)


@dataclass
class _Timing:
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

    def timed(self, changes: Sequence[str], reserve: float) -> Run:
        """Measures the messages as they are and with each change, in the same rounds and by the same
        programs, with so many times the foreseen time."""
        job = self.job
        (spec,) = job.chosen.workloads
        workloads = load_workloads(*job.paths.all_workloads)
        specs = [spec, *(parse_spec(f"{spec.id}/{change}", workloads) for change in changes)]
        job = replace(job, chosen=replace(job.chosen, workloads=specs))
        units = [_with_data(unit, each, job) for unit in self.units for each in specs]
        return timed(job, units, replace(self.effort, max_time=self.left_s), self.core, reserve=reserve)

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
            try:
                run = self.timed([*beside, *changes], reserve)
            except Interrupted as error:
                return found, error
            found = replace(found, runs=[*found.runs, run])
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
        try:
            run = timed(job, units, replace(self.effort, max_time=self.left_s), self.core)
        except Interrupted as error:
            return found, error
        return replace(found, runs=[*found.runs, run]), None


def _dataset_s(outlook: Outlook) -> float:
    """The seconds foreseen for one dataset in the rounds that conclusions take, with warm-ups and samples as
    short as a time limit may make them."""
    plan = briefest(outlook.plan, outlook.tasks)
    return min(plan.rounds, ROUNDS_TO_RANK) * plan.round_s(outlook.tasks)


def _choices(job: Job) -> list[str]:
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
