"""``serbench verify``: check that every unit keeps the timing contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from serbench.cli import options
from serbench.cli.clustered import Where, verify_on
from serbench.cli.conformance import verify_conformance
from serbench.cli.console import Steps, announce
from serbench.cli.determinism import verify_determinism
from serbench.cli.ends import as_far_as_it_goes, end_shown
from serbench.cli.evolution import Evolution, verify_evolution, verify_pair
from serbench.cli.hostile import withstand_hostile
from serbench.cli.old_and_new import SideOptions, chosen_for, old_and_new
from serbench.cli.options import flag, option
from serbench.cli.sanitizing import verify_sanitized
from serbench.cli.selected import build_units, chosen_job, with_data
from serbench.codecs.edition import Editions
from serbench.dataset.edges import DEEPEST
from serbench.errors import SelectionError, in_short
from serbench.measure.job import Job, Permission
from serbench.measure.unit import Unit, Verification
from serbench.report.interop_table import interop_tables, record_of
from serbench.report.numbers import count, growth_in_words
from serbench.report.show import show
from serbench.report.table import Table
from serbench.selecting.selection import READING, UPDATING
from serbench.selecting.support import limits_of_leaves
from serbench.system import examples
from serbench.system.locks import using_home
from serbench.verification.interop import (
    Exchange,
    edge_values_of_both,
    exchange_all,
    exchange_parts,
    shared_formats,
)
from serbench.verification.units import verified

INTEROP = (
    "Check that codecs of the same format can read each other's bytes; with --evolution, what they read of "
    "each other's messages of a changed schema."
)

HOSTILE = "Feed each decoder 1,000 malformed messages, and show what it does with them."
SANITIZE = "Build with sanitizers, and show memory errors and undefined behaviour of each codec."
CONFORMANCE = (
    "Show what each codec does with messages of which its format's specification says what a reader does."
)
FormatProfiles = Annotated[
    list[str] | None,
    option(
        "PROFILE",
        "With --conformance, the profile of a format by which its cases are judged, in place of the format's "
        f"own specification; * stands for any. May be repeated. Example: {examples.PROFILE}",
        "--format-profile",
    ),
]


def verify(
    workload: options.Workloads = None,
    codec: options.Codecs = None,
    interop: Annotated[bool, flag("--interop", INTEROP)] = False,
    hostile: Annotated[bool, flag("--hostile", HOSTILE)] = False,
    sanitize: Annotated[bool, flag("--sanitize", SANITIZE)] = False,
    determinism: Annotated[
        bool, flag("--determinism", "Show whether each codec writes the same bytes for equal values.")
    ] = False,
    conformance: Annotated[bool, flag("--conformance", CONFORMANCE)] = False,
    format_profile: FormatProfiles = None,
    format: options.OutputFormat = options.TableFormat.table,
    no_install: options.NoInstall = False,
    compilers: options.Compilers = None,
    version: options.Versions = None,
    time_limit: options.TimeLimit = options.TIME_LIMIT_DEFAULT,
    *,
    evolution: Evolution,
    how: SideOptions,
    where: Where,
) -> None:
    """Check that every codec round-trips the workload's data and edge values.

    Checks every operation that can be measured, without reusing earlier results.
    """
    evolution.check(workload or (), how, interop)
    is_changed = evolution.evolution
    alone = _of_one_machine(
        interop and not is_changed, hostile, sanitize, is_changed, determinism, conformance
    )
    if (on_cluster := where.address() is not None) and alone:
        raise SelectionError(f"{alone} is of one machine; expected no --cluster")
    if version and (other := alone or ("--cluster" if on_cluster else "")):
        raise SelectionError(f"--version and {other} cannot be combined")
    _check_cases(conformance, workload, format_profile)
    if conformance:
        verify_conformance(codec, compilers, Permission(not no_install), time_limit, format, format_profile)
        return
    job = chosen_job(workload, codec, compilers, Permission(not no_install), time_limit)
    job = replace(job, editions=Editions.of({"version": version}))
    if on_cluster:
        _on_cluster(where, job, format)
        return
    if sanitize:
        verify_sanitized(job, format)
        return
    if is_changed:
        _evolution(job, evolution, how, interop, format)
        return
    job, units = build_units(job)
    if hostile:
        withstand_hostile(job, units, format)
    elif interop:
        _interop(job, units, format)
    elif determinism:
        verify_determinism(job, units, format)
    else:
        _verify(job, units, format)


def _check_cases(conformance: bool, workload: Sequence[str] | None, profiles: Sequence[str] | None) -> None:
    """Refuses options that are not of ``--conformance``, or of nothing else."""
    if conformance and workload:
        raise SelectionError("--conformance has messages of its own; expected no -w")
    if profiles and not conformance:
        raise SelectionError("--format-profile is of --conformance; expected both")


def _verify(job: Job, units: list[Unit], format: options.TableFormat) -> None:
    """Verifies units that were built, and shows a table for each workload."""
    with Steps("verifying") as steps:
        found, lacking = as_far_as_it_goes(
            lambda: verified(job.paths, units, steps.step, job.time_limit_s, anew=True), len(units)
        )
    specs = job.chosen.workloads
    tables = [_table(spec.id, [c for c in found if c.spec.id == spec.id]) for spec in specs]
    show(tables, [_record(unit) for unit in found], format.value)
    end_shown(any(unit.status == "failed" for unit in found), lacking)


def _evolution(
    job: Job, asked: Evolution, how: SideOptions, across: bool, format: options.TableFormat
) -> None:
    if not asked.pair:
        verify_evolution(job, asked, across, format)
        return
    with old_and_new(asked.pair, how, job.paths) as sides:
        verify_pair(chosen_for(job, sides), format)


def _of_one_machine(
    interop: bool, hostile: bool, sanitize: bool, evolution: bool, determinism: bool, conformance: bool
) -> str:
    """The one of these options that was given, such as ``--interop``; empty where none was.

    Raises:
        SelectionError: there are several.
    """
    options = {
        "--interop": interop,
        "--hostile": hostile,
        "--sanitize": sanitize,
        "--evolution": evolution,
        "--determinism": determinism,
        "--conformance": conformance,
    }
    asked = [name for name, wanted in options.items() if wanted]
    if len(asked) > 1:
        raise SelectionError(
            f"found {' and '.join(asked)}; expected only one of them, since each prints its own tables"
        )
    return asked[0] if asked else ""


def _on_cluster(where: Where, job: Job, format: options.TableFormat) -> None:
    """Verifies on the machines of a cluster, and shows a table for each kind of them."""
    with using_home(job.paths.home, announce):
        job = with_data(job)
    found = verify_on(where, job)
    kinds = dict.fromkeys(kind for kind, _ in found)
    tables = [
        _table(f"{spec.id}, {kind}", [unit for own, unit in found if own == kind and unit.spec.id == spec.id])
        for kind in kinds
        for spec in job.chosen.workloads
    ]
    show(tables, [{"kind": kind, **_record(unit)} for kind, unit in found], format.value)
    end_shown(any(unit.status == "failed" for _, unit in found))


def _interop(job: Job, units: list[Unit], format: options.TableFormat) -> None:
    """Lets units that share a format read what the others wrote; shows results, and what was not built."""
    units = [replace(unit, silence_limit_s=job.time_limit_s) for unit in units]
    edges = edge_values_of_both(job.paths)
    works: list[Callable[[Callable[[str], None]], list[Exchange]]] = []
    for spec in (each for each in job.chosen.workloads if each.operation != UPDATING):
        built = [unit for unit in units if unit.spec == (spec.whole or spec)]
        for shared, group in shared_formats(built).items():
            if spec.whole is None:
                works.append(partial(exchange_all, group, edges))
                continue
            own = [each for each in units if each.spec == spec and each.status == "ok"]
            readers = [each for each in own if each.variant.format == shared]
            works.append(partial(exchange_parts, group, readers))
    with Steps("exchanging") as steps:

        def exchanged() -> Iterator[list[Exchange]]:
            for n, work in enumerate(works):
                yield work(partial(steps.step, n, len(works)))

        by_group, lacking = as_far_as_it_goes(exchanged, len(works))
    exchanges = [each for group in by_group for each in group]
    tables = interop_tables(exchanges) or [Table("no two of the selected codecs share a format", ("",), ())]
    tables[-1].notes += [
        f"{c.name} × {c.spec.id}: {c.status.replace('_', ' ')}: {c.reason}" for c in units if c.status != "ok"
    ]
    show(tables, [record_of(each) for each in exchanges], format.value)
    failed = any(each.failed for each in exchanges) or any(unit.status == "failed" for unit in units)
    end_shown(failed, lacking)


def _table(workload: str, units: list[Unit]) -> Table:
    rows = []
    for unit in units:
        found = unit.verification
        size = count(found.size_bytes) if found and found.ok else "–"
        rows.append((unit.name, unit.status.replace("_", " "), size, _explanation(unit)))
    return Table(workload, ("codec", "status", "size in bytes", "checked"), rows, frozenset({2}))


def _explanation(unit: Unit) -> str:
    if unit.status != "ok" or not unit.verification:
        return in_short(unit.reason)
    return "; ".join([f"{len(unit.verification.checked)} paths", *_remarks(unit, unit.verification)])


def _remarks(unit: Unit, found: Verification) -> Iterator[str]:
    """Remarks on a verified unit: its views, losses, growing memory, unseen checks, and its data's limits."""
    if unit.way:
        by = f"reads by {unit.way}" if unit.spec.operation == READING else f"updates: {unit.way}"
        yield by if not unit.way_reason else f"reads everything: {unit.way_reason}"
    if found.views:
        yield f"constant-time views: {', '.join(found.views)}"
    schema = unit.spec.workload.schema
    if loss := unit.variant.tolerance.loss_in([schema]):
        yield f"declared loss: {loss}"
    if found.growth:
        yield f"memory grows with {growth_in_words(found.growth)}"
    if unseen := [name for name, is_seen in found.seen.items() if not is_seen]:
        yield f"declares checks that were not seen: {', '.join(unseen)}"
    limit = unit.variant.steps_limit(schema)
    if limit and limit.steps < DEEPEST:
        yield f"at most {limit.steps} steps of recursion: {limit.reason}"
    if reasons := dict.fromkeys(reason for _, reason in limits_of_leaves(unit.variant, schema)):
        yield f"edge values without what it does not take: {'; '.join(reasons)}"


_OF_PARTS = ("way", "way_reason", "unchecked")
"""The attributes of units that read a part of messages, as JSON has them."""


def _record(unit: Unit) -> dict[str, Any]:
    found = unit.verification
    return {
        **unit.identity.fields,
        "status": unit.status,
        "reason": unit.reason,
        "size_bytes": found.size_bytes if found and found.ok else None,
        "messages": found.messages if found and found.ok else None,
        "checked": list(found.checked) if found else [],
        "views": list(found.views) if found else [],
        "growth": dict(found.growth) if found else {},
        "seen": dict(found.seen) if found else {},
        **({name: getattr(unit, name) for name in _OF_PARTS} if unit.spec.whole else {}),
    }
