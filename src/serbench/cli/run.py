"""``serbench run``: verify and measure a selection, and print its table."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated

import typer

from serbench.building.prepare import (
    BuildOrder,
    known_variants,
    prepare_builds,
    toolchains,
    with_layouts,
)
from serbench.cli import options
from serbench.cli.asking import Making, Request, What, ask
from serbench.cli.clustered import Clustered, Where, measure_on
from serbench.cli.console import Steps, announce, tell_loaded
from serbench.cli.effort import Effort, print_plan
from serbench.cli.first_look import FirstLook
from serbench.cli.grouped import grouped, words_of
from serbench.cli.measuring import Measurement, measure
from serbench.cli.outlook import Outlook
from serbench.cli.printing import Shown, print_run, tell_left_out
from serbench.cli.selected import with_data
from serbench.cli.watching import can_watch
from serbench.codecs.codec import Variant
from serbench.codecs.edition import editions
from serbench.errors import SelectionError
from serbench.languages import profile_of
from serbench.languages.base import Toolchain
from serbench.measure.budget import told_of
from serbench.measure.manifest import manifest_of
from serbench.measure.plan import Plan, chosen_tasks
from serbench.measure.store import Run
from serbench.measure.unit import Unit
from serbench.measure.wire import wire_estimate_s
from serbench.selecting.need import Need, serving
from serbench.selecting.selection import Chosen, find_suite, select, select_again
from serbench.system.command import COMMAND
from serbench.system.examples import epilog
from serbench.system.locks import claim_core, wait_for_home
from serbench.verification.early import Early
from serbench.verification.units import verified
from serbench.workloads.suite import load_suites
from serbench.workloads.workload import load_workloads


def register(app: typer.Typer) -> None:
    app.command(
        "run",
        short_help="Verify and measure codecs, and print the results.",
        epilog=epilog("run"),
    )(grouped(run))


def run(
    what: What,
    effort: Effort,
    making: Making,
    view: Shown,
    where: Where,
    resume: Annotated[
        str | None,
        typer.Option(
            metavar="RUN",
            help="Continue a run that was stopped or has ended, on the same machine with the same "
            "builds and data; its selection and plan are used.",
        ),
    ] = None,
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Show the table while measuring, updated between processes."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan and the estimated time, without measuring.")
    ] = False,
) -> None:
    """Verify and measure codecs, and print the results.

    By default: all installed codecs, the default workload, serialize and deserialize.
    """
    _carry_out(ask(what, effort, making, resume, where.address is not None), view, where, watch, dry_run)


def run_at_first_sight(what: What, making: Making, view: Shown, where: Where, since: float) -> None:
    """Does what ``run --quick`` does, but for fewer further rounds; what sizes are is shown while programs
    are still being built. The user began to wait at ``since``, by the monotonic clock in seconds."""
    _carry_out(replace(ask(what, Effort(quick=True), making, None), looking_since=since), view, where)


def _carry_out(
    request: Request, view: Shown, where: Where, watch: bool = False, dry_run: bool = False
) -> None:
    chosen = _choose(request)
    if where.address is not None:
        if watch:
            announce("--watch is ignored, since it shows one machine")
        _run_on_cluster(request, chosen, where, view, dry_run)
        return
    builds = _toolchains(request, chosen)
    outlook = Outlook.of(request, chosen, builds)
    plan = outlook.plan()
    _tell_plan(request, plan, chosen, dry_run)
    if dry_run:
        return
    if "time" in chosen.metrics:
        outlook.tell()
    watched = view if watch and can_watch(chosen.metrics) else None
    wait_for_home(request.paths.home, announce)
    plan = replace(plan, core=claim_core(plan.core, request.again is not None, announce))
    named = request.what.workload or ()
    chosen = replace(chosen, workloads=with_data(request.paths, chosen.workloads, named))
    outlook = replace(outlook, chosen=chosen)
    foreseen = outlook.foreseen()
    units = _build(outlook)
    outlook.tell_left(foreseen.verifying_s + foreseen.measuring_s)
    units = _verify(outlook, units)
    plan = _plan_verified(outlook, plan, units)
    made = _measure(outlook, units, plan, watched)
    rows = print_run(made, request.paths, view)
    asked = [unit for unit in units if unit.variant not in chosen.beside]
    if any(row.status == "failed" for row in rows) or any(unit.status == "failed" for unit in asked):
        sys.exit(1)


def _run_on_cluster(request: Request, chosen: Chosen, where: Where, view: Shown, dry_run: bool) -> None:
    making = request.making
    if making.revision or making.prefix or making.profile:
        raise SelectionError(
            "--revision, --prefix and --profile say what this machine builds; expected no --cluster"
        )
    plan = Outlook.of(request, chosen, ()).plan()
    _tell_plan(request, plan, chosen, dry_run)
    if dry_run:
        return
    what = Clustered(
        request.paths,
        chosen,
        request.effort,
        making.compilers or (),
        not making.no_install,
        making.time_limit,
        request.what.suite,
        request.again,
        request.selection,
    )
    made = measure_on(where, what, plan, request.what.workload or ())
    if any(row.status == "failed" for row in print_run(made, request.paths, view)):
        sys.exit(1)


def _choose(request: Request) -> Chosen:
    """The selection that a request asks for; raises SelectionError if a name or pattern selects nothing."""
    workloads, known = load_workloads(*request.paths.all_workloads), known_variants(request.paths)
    if request.again:
        chosen = select_again(request.again.manifest, workloads, known)
    else:
        suite = find_suite(request.what.suite, load_suites(request.paths.suites))
        chosen = select(workloads, known, suite, request.what.asked(request.effort.quick))
        if need := options.need_of(request.what.need):
            chosen = _serving(chosen, need, known)
        chosen = chosen.with_floors(known)
    tell_loaded(workloads, known)
    return chosen


def _serving(chosen: Chosen, need: Need, known: Mapping[str, Variant]) -> Chosen:
    """The selection without the codecs that do not meet the need, which are announced."""
    by_id = {variant.id: variant for variant in chosen.variants}
    left = serving(by_id, need, known, {})
    tell_left_out(need, list(by_id), left)
    return replace(chosen, variants=[by_id[codec] for codec in left])


def _toolchains(request: Request, chosen: Chosen) -> list[Toolchain]:
    making = request.making
    selected = {variant.codec.language for variant in chosen.built}
    profiles = [profile_of(each, selected) for each in making.profile or ()]
    made_from = editions(request.paths, making.revision or (), making.prefix or (), profiles)
    return toolchains(request.paths, chosen.built, making.compilers or (), made_from, chosen.workloads)


def _tell_plan(request: Request, plan: Plan, chosen: Chosen, dry_run: bool) -> None:
    """Announces what was cut to make the plan fit into its time, if that is known before all is built; in a
    dry run, prints the whole plan."""
    if "time" in chosen.metrics and not request.looks and (said := told_of(plan)):
        announce(said)
    if dry_run:
        print_plan(plan)
        if "wire" in chosen.metrics:
            print(
                f"wire: about {wire_estimate_s(plan, len(plan.tasks)):.0f} s, and as much again for blocks "
                "of many messages"
            )


def _plan_verified(outlook: Outlook, plan: Plan, units: Sequence[Unit]) -> Plan:
    """The plan for the units that could be built and verified. If they are fewer, each has more time; a
    change of the plan is announced."""
    request, chosen = outlook.request, outlook.chosen
    tasks = chosen_tasks(units, chosen)
    effort = request.effort
    if request.looks:
        verified = effort.plan_at_first_sight(plan, tasks, request.waited_s)
    else:
        verified = effort.plan_anew(plan, tasks, request.again)
        said = told_of(verified)
        if "time" in chosen.metrics and tasks and said != told_of(plan):
            announce(f"for what could be built: {said or 'all rounds fit, with full warm-ups'}")
    outlook.tell_left(outlook.rounds_s(verified))
    return verified


def _build(outlook: Outlook) -> list[Unit]:
    """Builds the selection, and returns its units; raises SerbenchError if no toolchain works."""
    request, chosen = outlook.request, outlook.chosen
    paths, may = request.paths, request.permission
    order = BuildOrder(outlook.builds, paths, chosen.built, chosen.workloads, may, announce)
    order = replace(order, measured=_measured(request, chosen), took=outlook.built)
    if not request.looks:
        with Steps("building") as steps:
            return prepare_builds(replace(order, step=steps.step))
    look = FirstLook(chosen.beside)
    with Steps("building", look) as steps, Early(paths, request.making.time_limit, look.add) as early:
        units = early.finish(prepare_builds(replace(order, step=steps.step, built=early.begin)))
    look.leave()
    return units


def _measured(request: Request, chosen: Chosen) -> tuple[str, ...]:
    """The operations whose times and watched passes verification looks at: in a quick run, and in one that is
    continued, those that are measured; else all, so empty."""
    some = chosen.metrics == ["time"] and (request.effort.quick or request.again)
    return tuple(dict.fromkeys(each.name for each in chosen.operations)) if some else ()


def _verify(outlook: Outlook, units: Sequence[Unit]) -> list[Unit]:
    """The same units, verified. If times are measured, the units that passed are also linked in all their
    layouts."""
    request, chosen, begun = outlook.request, outlook.chosen, time.monotonic()
    with Steps("verifying") as steps:
        done = verified(request.paths, units, steps.step, request.making.time_limit)
    if _measured(request, chosen):
        workloads = [word for spec in chosen.workloads for word in ("-w", spec.id)]
        all_else = shlex.join([*workloads, *words_of(What(codec=request.what.codec))])
        announce(f"verified what is measured; for the other operations: {COMMAND} verify {all_else}")
    if "time" not in chosen.metrics:
        return done
    with Steps("linking") as steps:
        layouts = request.effort.layouts_of(request.again)
        done = with_layouts(done, outlook.builds, layouts, announce, steps.step)
    outlook.verified(done, time.monotonic() - begun)
    return done


def _measure(outlook: Outlook, units: Sequence[Unit], plan: Plan, watch: Shown | None) -> Run:
    request, chosen, builds = outlook.request, outlook.chosen, outlook.builds
    making = request.making
    made = {
        name: tuple(given or ())
        for name, given in (
            ("compilers", making.compilers),
            ("revisions", making.revision),
            ("prefixes", making.prefix),
            ("profiles", making.profile),
        )
    }
    asked = {"suite": request.what.suite, "selection": request.selection, **made}
    manifest = manifest_of(request.paths, builds, chosen, plan, asked, units)
    return measure(
        Measurement(
            request.paths,
            chosen,
            builds,
            units,
            plan,
            request.permission,
            request.effort.compilations,
            request.again,
            outlook.measured,
            watch,
        ),
        manifest,
    )
