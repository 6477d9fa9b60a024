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
from serbench.selecting.selection import Asked, Chosen, select_variants
from serbench.verification.conformance import Outcome, conformance_of


def verify_conformance(
    codec: Sequence[str] | None,
    compilers: Sequence[str] | None,
    permission: Permission,
    time_limit_s: float,
    format: options.TableFormat,
) -> None:
    """Has codecs read the cases of their formats' catalogues, and shows what they do. What a library does is
    a fact and no failure: the exit status is 1 where something could not be tried.

    Raises:
        SelectionError: there is no catalogue for the format of any selected codec.
    """
    paths = Paths.default()
    catalogues = load_catalogues(paths.conformance)
    for name, error in catalogues.broken.items():
        announce(f"the catalogue {name} is left out: {error}")
    variants = select_variants(codec or (), known_variants(paths))
    order = Job(
        paths, Chosen(variants, []), permission=permission, time_limit_s=time_limit_s,
        asked=Asked((), codec or ()), compilers=tuple(compilers or ()),
    )  # fmt: skip
    outcomes: list[tuple[Catalogue, Outcome]] = []
    lacking = 0
    for catalogue in catalogues.values():
        if own := [each for each in variants if each.format == catalogue.format]:
            found, left = _held(replace(order, chosen=Chosen(own, [catalogue.spec])), catalogue)
            outcomes += [(catalogue, each) for each in found]
            lacking += left
    if not outcomes:
        known = ", ".join(catalogues)
        raise SelectionError(f"--conformance: no selected codec is of a format with a catalogue: {known}")
    tables = [
        conformance_table(catalogue, found)
        for catalogue in catalogues.values()
        if (found := [each for of, each in outcomes if of is catalogue])
    ]
    show(tables, [record_of(*each) for each in outcomes], format.value)
    end_shown(any(outcome.word == "not tried" for _, outcome in outcomes), lacking)


def _held(job: Job, catalogue: Catalogue) -> tuple[list[Outcome], int]:
    """The outcomes of a job's codecs, all of the catalogue's format; and how many codecs were not reached."""
    job, units = build_units(job)
    with Steps("reading") as steps:
        found, lacking = as_far_as_it_goes(lambda: _outcomes(job, units, catalogue, steps.step), len(units))
    return list(versioned(job, [each for several in found for each in several])), lacking


def _outcomes(
    job: Job, units: Sequence[Unit], catalogue: Catalogue, step: Progress
) -> Iterator[list[Outcome]]:
    for n, unit in enumerate(units):
        step(n, len(units), unit.identity.title)
        yield conformance_of(replace(unit, silence_limit_s=job.time_limit_s), catalogue)
    step(len(units), len(units), "done")
