"""``serbench verify --evolution``: show what programs of one schema read of another one's messages."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Annotated

import typer

from serbench.changes import Change, matching, one_of_each
from serbench.changes.derived import parse_spec
from serbench.cli import options
from serbench.cli.changes_apart import declaring, outcomes_apart, versioned
from serbench.cli.console import Steps, announce
from serbench.cli.ends import as_far_as_it_goes, end_shown
from serbench.cli.old_and_new import SideOptions, incompatible, installed
from serbench.cli.options import flag, option
from serbench.cli.selected import build_units, with_data
from serbench.dataset.cache import dataset_for
from serbench.dataset.canonical import decode
from serbench.errors import SelectionError, ValueMismatch
from serbench.languages.base import Progress
from serbench.measure.job import Job
from serbench.measure.unit import Unit
from serbench.report.across_table import across_tables
from serbench.report.evolution_closing import closing
from serbench.report.evolution_table import evolution_tables, record_of
from serbench.report.show import show
from serbench.system import examples
from serbench.system.locks import using_home
from serbench.verification.evolution import Evolved, Way, ways_between, ways_of
from serbench.verification.processes import Remembering
from serbench.verification.writers import evolved, takes_writer_schema
from serbench.workload import WorkloadSpec, load_workloads


@dataclass(frozen=True)
class Evolution:
    """Options of ``verify`` that are about changed schemas."""

    pair: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[OLD NEW]",
            help="With --evolution: two schemas, whose programs read each other's messages. Each is a "
            f"workload, a file that import takes, or a file at a git revision, such as {examples.REVISION}",
            show_default=False,
        ),
    ] = None
    evolution: Annotated[
        bool,
        flag(
            "--evolution",
            "Show what programs of a changed schema read of messages of the unchanged one, the other way "
            "round, and of their own messages after those programs have written them again.",
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

    def check(self, workloads: Sequence[str], how: SideOptions, interop: bool) -> None:
        """Checks that the options go together with each other, with the workloads of ``--workload``, with
        ``--interop`` and with how files are read.

        Raises:
            SelectionError: they do not, or OLD and NEW are not two.
        """
        names = self.pair or []
        how.check(names)
        if (names or self.change) and not self.evolution:
            found = "--change" if self.change else " and ".join(names)
            raise SelectionError(f"found {found}; expected --evolution too")
        if names and len(names) != 2:
            raise SelectionError(f"found {' and '.join(names)}; expected two schemas, OLD and NEW, or none")
        if names and names[0] == names[1]:
            raise SelectionError(f"found {names[0]} twice; expected two different schemas, OLD and NEW")
        if interop and (names or self.change):
            other = "--change" if self.change else "OLD and NEW"
            raise SelectionError(f"found {other} and --interop; expected only one of them")
        if names and (workloads or self.change):
            other = "--workload" if workloads else "--change"
            raise SelectionError(f"found OLD and NEW and {other}; expected only one of them")


@dataclass(frozen=True)
class Step:
    """A pair of schemas whose programs exchange messages.

    Attributes:
        workload, change: as they are told.
        old, new: the workloads of the two schemas.
        ways: gives every direction between the units of these workloads.
    """

    workload: str
    change: str
    old: WorkloadSpec
    new: WorkloadSpec
    ways: Callable[[Unit, Unit], Sequence[Way]]


def verify_evolution(job: Job, asked: Evolution, across: bool, format: options.TableFormat) -> None:
    """Builds the programs of both schemas of each change, has them read each other's messages, and shows the
    outcomes. Exits with status 1 if something could not be tried.

    Args:
        across: whether codecs also read messages of other codecs of their format.

    Raises:
        SelectionError: they would, but a workload declares no changes.
    """
    apart, others = ([], job.chosen.workloads) if asked.change else declaring(job)
    if across and others:
        names = ", ".join(spec.id for spec in others)
        raise SelectionError(f"found {names}; expected workloads that declare changes, with --interop")
    outcomes, lacking = outcomes_apart(_of(job, apart), across) if apart else ([], 0)
    if others and not lacking:
        stepwise, lacking = _outcomes(job, _catalogue(_of(job, others), asked.change or ()))
        outcomes += stepwise
    tables = [*evolution_tables(outcomes), *across_tables(outcomes)]
    show(tables, [record_of(each) for each in outcomes], format.value)
    end_shown(any(each.outcome == "not tried" for each in outcomes), lacking)


def verify_pair(job: Job, format: options.TableFormat) -> None:
    """Has the programs of two workloads read each other's messages, and shows the outcomes. Exits with status
    1 if something could not be tried, or if a value that both have is misread or lost.

    Raises:
        SelectionError: their schemas have nothing in common.
    """
    old, new = job.chosen.workloads
    lines = incompatible(old, new)
    if old.workload.schema.digest() == new.workload.schema.digest():
        show([], [], format.value)
        same = f"passed: {old.id} and {new.id} have the same schema, so nothing is built"
        announce(same, whole=True)
        return
    outcomes, lacking = _outcomes(job, [Step(old.id, new.id, old, new, ways_between)])
    show(evolution_tables(outcomes), [record_of(each) for each in outcomes], format.value)
    for line in closing(outcomes, lines):
        announce(line, whole=True)
    end_shown(bool(lines) or any(each.outcome == "not tried" or each.is_loss for each in outcomes), lacking)


def _of(job: Job, workloads: Sequence[WorkloadSpec]) -> Job:
    return replace(job, chosen=replace(job.chosen, workloads=workloads))


def _outcomes(job: Job, steps: Sequence[Step]) -> tuple[list[Evolved], int]:
    """The outcomes of all steps, and how many of them are lacking after an interruption. Codecs that nobody
    asked for are left out where they are not installed."""
    specs = {spec.id: spec for step in steps for spec in (step.old, step.new)}
    job, units = build_units(_of(job, list(specs.values())))
    units = units if job.asked.codecs else installed(units)
    limited = [replace(unit, silence_limit_s=job.time_limit_s) for unit in units]
    by_key = {(unit.name, unit.spec.id): unit for unit in limited}
    codecs = list(dict.fromkeys(unit.name for unit in limited))
    twice = {unit.name for unit in limited if takes_writer_schema(unit)}
    with Steps("exchanging") as progress:
        outcomes, lacking = as_far_as_it_goes(
            lambda: _evolved(job, steps, codecs, by_key, progress.step),
            3 * len(steps) * (len(codecs) + len(twice)),
        )
    return list(versioned(job, outcomes)), lacking


def _evolved(
    job: Job,
    steps: Sequence[Step],
    codecs: Sequence[str],
    units: Mapping[tuple[str, str], Unit],
    progress: Progress,
) -> Iterator[Evolved]:
    with tempfile.TemporaryDirectory(prefix="serbench-") as folder:
        for n, (codec, step) in enumerate(product(codecs, steps)):
            progress(n, len(codecs) * len(steps), f"{codec}, {step.change}")
            processes = Remembering()
            for way in step.ways(units[codec, step.old.id], units[codec, step.new.id]):
                way = replace(way, processes=processes)
                yield from evolved(way, step.workload, step.change, job.paths, Path(folder))


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
