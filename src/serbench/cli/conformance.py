"""``serbench verify --conformance``: show whether codecs keep to the specifications of their formats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from serbench.building.prepare import known_variants
from serbench.cli import options
from serbench.cli.changes_apart import versioned
from serbench.cli.console import Steps, announce
from serbench.cli.ends import as_far_as_it_goes, end_shown
from serbench.cli.selected import build_units
from serbench.errors import SelectionError
from serbench.languages.base import Progress
from serbench.measure.job import Job, Permission
from serbench.measure.unit import Unit
from serbench.paths import Paths
from serbench.report.conformance_table import conformance_table, record_of
from serbench.report.show import show
from serbench.selecting.conformance import Catalogue, load_catalogues
from serbench.selecting.profiles import judges_of
from serbench.selecting.selection import Asked, Chosen, select_variants
from serbench.verification.conformance import Outcome, conformance_of


def verify_conformance(
    codec: Sequence[str] | None,
    compilers: Sequence[str] | None,
    permission: Permission,
    time_limit_s: float,
    format: options.TableFormat,
    profiles: Sequence[str] | None = None,
) -> None:
    """Has codecs read the cases of their formats' catalogues, and shows what they do. What a library does is
    a fact and no failure: the exit status is 1 where something could not be tried.

    Args:
        profiles: those that judge, each behind its format and a colon; each format's own specification where
            none is given.

    Raises:
        SelectionError: a format or a profile does not exist, or there is no catalogue for the format of any
            selected codec.
    """
    paths = Paths.default()
    loaded = load_catalogues(paths.conformance)
    for name, error in loaded.broken.items():
        announce(f"the catalogue {name} is left out: {error}")
    judges = judges_of(loaded, profiles or ())
    variants = select_variants(codec or (), known_variants(paths))
    order = Job(
        paths, Chosen(variants, []), permission=permission, time_limit_s=time_limit_s,
        asked=Asked((), codec or ()), compilers=tuple(compilers or ()),
    )  # fmt: skip
    outcomes: list[tuple[Catalogue, list[Outcome]]] = []
    lacking = 0
    for name, own in judges.items():
        if chosen := [each for each in variants if each.format == name]:
            found, left = _held(replace(order, chosen=Chosen(chosen, [own[0].spec])), own)
            outcomes += zip(own, found, strict=True)
            lacking += left
    if not outcomes:
        what = "of --format-profile" if profiles else "with a catalogue"
        raise SelectionError(f"--conformance: no selected codec is of a format {what}: {', '.join(judges)}")
    tables = [conformance_table(by, own) for by, own in outcomes]
    records = [record_of(by, each) for by, own in outcomes for each in own]
    show(tables, records, format.value)
    end_shown(any(each.word == "not tried" for _, own in outcomes for each in own), lacking)


def _held(job: Job, judges: Sequence[Catalogue]) -> tuple[list[list[Outcome]], int]:
    """The outcomes of a job's codecs by each profile of their format, and how many were not reached."""
    job, units = build_units(job)
    with Steps("reading") as steps:
        found, lacking = as_far_as_it_goes(lambda: _outcomes(job, units, judges, steps.step), len(units))
    by_judge = [[each for of_unit in found for each in of_unit[n]] for n in range(len(judges))]
    return [list(versioned(job, own)) for own in by_judge], lacking


def _outcomes(
    job: Job, units: Sequence[Unit], judges: Sequence[Catalogue], step: Progress
) -> Iterator[list[list[Outcome]]]:
    for n, unit in enumerate(units):
        step(n, len(units), unit.identity.title)
        yield conformance_of(replace(unit, silence_limit_s=job.time_limit_s), *judges)
    step(len(units), len(units), "done")
