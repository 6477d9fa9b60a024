"""``serbench verify --evolution``: show what programs of one schema read of another one's messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import typer

from serbench.changes import Change, between, matching, one_of_each
from serbench.changes.derived import parse_spec
from serbench.cli import options
from serbench.cli.changes_apart import declaring, outcomes_apart, versioned
from serbench.cli.console import Steps, announce
from serbench.cli.ends import as_far_as_it_goes, end_shown
from serbench.cli.options import flag, option
from serbench.cli.selected import build_units, with_data
from serbench.dataset.cache import dataset_for
from serbench.dataset.canonical import decode
from serbench.errors import SelectionError, ValueMismatch
from serbench.languages.base import Progress
from serbench.measure.job import Job
from serbench.measure.unit import Unit
from serbench.report.evolution_table import evolution_tables, record_of
from serbench.report.show import show
from serbench.system.locks import using_home
from serbench.verification.evolution import Evolved, Way, evolve, ways_between, ways_of
from serbench.workload import WorkloadSpec, load_workloads


@dataclass(frozen=True)
class Evolution:
    """Options of ``verify`` that are about changed schemas."""

    pair: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[OLD NEW]",
            help="With --evolution: two workloads, whose programs read each other's messages.",
            show_default=False,
        ),
    ] = None
    evolution: Annotated[
        bool,
        flag(
            "--evolution",
            "Show what programs of a changed schema read of messages of the unchanged one, and the other "
            "way round.",
        ),
    ] = False
    change: Annotated[
        list[str] | None,
        option(
            "PATTERN",
            "With --evolution: a change, or a pattern of changes or their words; may be repeated. "
            "Examples: add 'drop=*'. Default: one change of each kind.",
            "--change",
        ),
    ] = None

    def check(self, workloads: Sequence[str]) -> None:
        """Checks that the options go together with each other and with the workloads of ``--workload``.

        Raises:
            SelectionError: they do not, or OLD and NEW are not two.
        """
        names = self.pair or []
        if (names or self.change) and not self.evolution:
            found = "--change" if self.change else " and ".join(names)
            raise SelectionError(f"found {found}; expected --evolution too")
        if names and len(names) != 2:
            raise SelectionError(f"found {' and '.join(names)}; expected two workloads, OLD and NEW, or none")
        if names and (workloads or self.change):
            other = "--workload" if workloads else "--change"
            raise SelectionError(f"found OLD and NEW and {other}; expected only one of them")


@dataclass(frozen=True)
class Step:
    """A pair of schemas whose programs exchange messages.

    Attributes:
        workload, change: as they are told.
        old, new: the workloads of the two schemas.
        ways: gives both directions between the units of these workloads.
    """

    workload: str
    change: str
    old: WorkloadSpec
    new: WorkloadSpec
    ways: Callable[[Unit, Unit], Sequence[Way]]


def verify_evolution(job: Job, asked: Evolution, format: options.TableFormat) -> None:
    """Builds the programs of both schemas of each change, has them read each other's messages, and shows the
    outcomes. Exits with status 1 if something could not be tried, or if a value of two workloads is lost.

    Args:
        job: has the chosen codecs and workloads; OLD and NEW where these were given.
    """
    apart, others = declaring(job) if not asked.pair and not asked.change else ([], job.chosen.workloads)
    outcomes, lacking = outcomes_apart(_of(job, apart)) if apart else ([], 0)
    if others and not lacking:
        steps = [_pair(others)] if asked.pair else _catalogue(_of(job, others), asked.change or ())
        stepwise, lacking = _outcomes(job, steps)
        outcomes += stepwise
    show(evolution_tables(outcomes), [record_of(each) for each in outcomes], format.value)
    end_shown(any(each.outcome == "not tried" or each.is_loss for each in outcomes), lacking)


def _of(job: Job, workloads: Sequence[WorkloadSpec]) -> Job:
    return replace(job, chosen=replace(job.chosen, workloads=workloads))


def _outcomes(job: Job, steps: Sequence[Step]) -> tuple[list[Evolved], int]:
    """The outcomes of all steps, and how many of them are lacking after an interruption."""
    specs = {spec.id: spec for step in steps for spec in (step.old, step.new)}
    job, units = build_units(_of(job, list(specs.values())))
    limited = [replace(unit, silence_limit_s=job.time_limit_s) for unit in units]
    by_key = {(unit.name, unit.spec.id): unit for unit in limited}
    codecs = list(dict.fromkeys(unit.name for unit in limited))
    with Steps("exchanging") as progress:
        outcomes, lacking = as_far_as_it_goes(
            lambda: _evolved(job, steps, codecs, by_key, progress.step), 2 * len(steps) * len(codecs)
        )
    return list(versioned(job, outcomes)), lacking


def _evolved(
    job: Job,
    steps: Sequence[Step],
    codecs: Sequence[str],
    units: Mapping[tuple[str, str], Unit],
    progress: Progress,
) -> Iterator[Evolved]:
    for n, codec in enumerate(codecs):
        for m, step in enumerate(steps):
            progress(n * len(steps) + m, len(codecs) * len(steps), f"{codec}, {step.change}")
            for way in step.ways(units[codec, step.old.id], units[codec, step.new.id]):
                yield evolve(way, step.workload, step.change, job.paths)


def _pair(specs: Sequence[WorkloadSpec]) -> Step:
    """The step from one workload to another.

    Raises:
        SelectionError: there are not two workloads, or their schemas have nothing in common.
    """
    if len(specs) != 2:
        raise SelectionError(
            f"found {', '.join(spec.id for spec in specs)}; expected two different workloads, OLD and NEW"
        )
    old, new = specs
    for one, other in ((old, new), (new, old)):
        between(one.workload.schema, other.workload.schema)
    return Step(old.id, new.id, old, new, ways_between)


def _catalogue(job: Job, patterns: Sequence[str]) -> list[Step]:
    """The steps of the changes that patterns select, or of one change of each kind, for each workload.

    Raises:
        SelectionError: a pattern selects nothing in any of the workloads, with the nearest changes.
    """
    with using_home(job.paths.home, announce):
        job = with_data(job)
    known = load_workloads(*job.paths.all_workloads)
    steps: dict[str, Step] = {}
    unmet = dict.fromkeys(patterns)
    refusals: dict[str, SelectionError] = {}
    for spec in job.chosen.workloads:
        fits = _fits(spec, job)
        found = [] if patterns else one_of_each(spec.workload.schema, fits)
        for pattern in patterns:
            try:
                found += matching(spec.workload.schema, pattern, fits)
                unmet.pop(pattern, None)
            except SelectionError as error:
                refusals.setdefault(pattern, error)
        for change in found:
            new = parse_spec(f"{spec.id}/{change.text}", known)
            steps[new.id] = Step(spec.id, change.text, spec, new, _ways(change))
    for pattern in unmet:
        raise refusals[pattern]
    if not steps:
        raise SelectionError(f"{', '.join(spec.id for spec in job.chosen.workloads)}: no change fits")
    return list(steps.values())


def _ways(change: Change) -> Callable[[Unit, Unit], Sequence[Way]]:
    return lambda old, new: ways_of(change, old, new)


def _fits(spec: WorkloadSpec, job: Job) -> Callable[[Change], bool]:
    root = spec.workload.schema.root
    values = [decode(root, message) for message in dataset_for(spec, job.paths).read_messages()]

    def fits(change: Change) -> bool:
        try:
            for value in values:
                change.forward(value)
        except ValueMismatch:
            return False
        return True

    return fits
