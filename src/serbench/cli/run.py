"""``serbench run``: verify and measure a selection, and print its table."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import typer

from serbench.cli import options
from serbench.cli.clustered import Clustered, Where, measure_on
from serbench.cli.console import Steps, announce, tell_loaded
from serbench.cli.effort import Effort, at_first_sight, print_plan
from serbench.cli.first_look import FirstLook
from serbench.cli.grouped import grouped
from serbench.cli.measuring import Measurement, measure
from serbench.cli.printing import Shown, print_run, tell_left_out
from serbench.cli.selected import with_data
from serbench.cli.watching import can_watch
from serbench.codec import Variant
from serbench.early import Early
from serbench.edition import editions
from serbench.errors import SelectionError
from serbench.examples import epilog
from serbench.languages import profile_of
from serbench.languages.base import Toolchain
from serbench.locks import claim_core, wait_for_home
from serbench.measure.budget import told_of
from serbench.measure.manifest import manifest_of
from serbench.measure.plan import Plan, Task, chosen_tasks
from serbench.measure.resume import check_version
from serbench.measure.store import Run, find_run, refuse_if_going_on
from serbench.measure.unit import Unit
from serbench.measure.wire import wire_estimate_s
from serbench.paths import Paths
from serbench.prepare import (
    BuildOrder,
    Permission,
    known_variants,
    prepare_builds,
    toolchains,
    with_layouts,
)
from serbench.selection import METRICS, Asked, Chosen, Need, find_suite, select, select_again, serving
from serbench.suite import load_suites
from serbench.verifying import verified
from serbench.workload import load_workloads


@dataclass(frozen=True)
class What:
    """The options that say what is measured. The suite, or else a default, decides what is not given."""

    workload: options.Workloads = None
    codec: options.Codecs = None
    operation: options.Operations = None
    memory: options.MemoryPolicies = None
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            metavar="NAME",
            help=f"What to measure: {', '.join(METRICS)}; may be repeated. Default: time, or for a suite "
            "what its table shows.",
        ),
    ] = None
    suite: options.SuiteName = None
    need: options.Needs = None

    def asked(self, quick: bool) -> Asked:
        return Asked(
            self.workload or (),
            self.codec or (),
            self.operation or (),
            self.memory or (),
            self.metric or (),
            quick,
        )


@dataclass(frozen=True)
class Making:
    """The options that say what programs are built from, and what may be done for it."""

    no_install: options.NoInstall = False
    compilers: options.Compilers = None
    revision: options.Revisions = None
    prefix: options.Prefixes = None
    profile: options.Profiles = None
    time_limit: options.TimeLimit = options.TIME_LIMIT_DEFAULT


@dataclass(frozen=True)
class Request:
    """What the user asks for, or what was asked for in the run that is continued (``again``).

    Attributes:
        looking_since: when the user began to wait for a first look, by the monotonic clock in seconds: sizes
            are shown while programs are still being built, and measuring ends sooner. None for a run that
            takes its time.
    """

    paths: Paths
    what: What
    effort: Effort
    making: Making
    again: Run | None
    looking_since: float | None = None

    @property
    def looks(self) -> bool:
        return self.looking_since is not None

    @property
    def waited_s(self) -> float:
        """Seconds for which the user has been waiting for a first look; 0 for a run that takes its time."""
        return 0.0 if self.looking_since is None else time.monotonic() - self.looking_since

    @property
    def permission(self) -> Permission:
        return Permission(not self.making.no_install)


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
    _carry_out(_ask(what, effort, making, resume, where.address is not None), view, where, watch, dry_run)


def run_at_first_sight(what: What, making: Making, view: Shown, where: Where, since: float) -> None:
    """Does what ``run --quick`` does, but for fewer further rounds; what sizes are is shown while programs
    are still being built. The user began to wait at ``since``, by the monotonic clock in seconds."""
    _carry_out(replace(_ask(what, Effort(quick=True), making, None), looking_since=since), view, where)


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
    plan = _plan(request, chosen, builds)
    _tell_plan(request, plan, chosen, dry_run)
    if dry_run:
        return
    watched = view if watch and can_watch(chosen.metrics) else None
    wait_for_home(request.paths.home, announce)
    plan = replace(plan, core=claim_core(plan.core, request.again is not None, announce))
    named = request.what.workload or ()
    chosen = replace(chosen, workloads=with_data(request.paths, chosen.workloads, named))
    units = _verify(request, chosen, builds, _build(request, chosen, builds))
    plan = _plan_verified(request, chosen, plan, units)
    made = _measure(request, chosen, builds, units, plan, watched)
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
    plan = _plan(request, chosen, ())
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
    )
    made = measure_on(where, what, plan, request.what.workload or ())
    if any(row.status == "failed" for row in print_run(made, request.paths, view)):
        sys.exit(1)


def _ask(what: What, effort: Effort, making: Making, resume: str | None, on_cluster: bool = False) -> Request:
    """What the user asks for, or, if a run is continued (``resume``), what was asked for in that run.

    Raises:
        SelectionError: there is no such run, it cannot be continued, or options are given that it has
            already.
    """
    paths = Paths.default()
    if resume is None:
        return Request(paths, what, effort, making, None)
    again = find_run(paths.runs, resume, note=announce)
    effort.refuse_for(again)
    check_version(again)
    refuse_if_going_on(again)
    if bool(again.manifest.cluster) != on_cluster:
        expected = f"--cluster {again.manifest.cluster}" if again.manifest.cluster else "no --cluster"
        raise SelectionError(f"--resume: run {again.id} is continued where it was made; expected {expected}")
    given = (what.suite, what.need, making.compilers, making.revision, making.prefix, making.profile)
    if what.asked(effort.quick) != Asked(quick=effort.quick) or any(given) or effort.seed is not None:
        raise SelectionError(
            "--resume uses the selection and seed of the run; leave out -w, -c, -o, --suite and similar "
            "options"
        )
    was = again.manifest
    made = replace(
        making,
        compilers=list(was.compilers),
        revision=list(was.revisions),
        prefix=list(was.prefixes),
        profile=list(was.profiles),
    )
    return Request(paths, replace(what, suite=was.suite), effort, made, again)


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


def _foreseen(chosen: Chosen, builds: Sequence[Toolchain]) -> list[Task]:
    """The tasks that would be measured if every codec could be built and offered all operations."""
    tasks = []
    for spec in chosen.workloads:
        for variant in chosen.built:
            codec = variant.codec
            names = [build.name for build in builds if build.language == codec.language]
            for name in names if len(names) > 1 else [""]:
                task = Task(variant.id, spec.id, (), "", tuple(chosen.operations), name, traits=codec.traits)
                tasks.append(task.beside_others() if variant in chosen.beside else task)
    return tasks


def _plan(request: Request, chosen: Chosen, builds: Sequence[Toolchain]) -> Plan:
    """The plan for all that is selected, if every codec could be built."""
    tasks = _foreseen(chosen, builds)
    plan = request.effort.plan(chosen, tasks, request.making.time_limit, request.again)
    return at_first_sight(plan, request.waited_s) if request.looks else plan


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


def _plan_verified(request: Request, chosen: Chosen, plan: Plan, units: Sequence[Unit]) -> Plan:
    """The plan for the units that could be built and verified. If they are fewer, each has more time; a
    change of the plan is announced."""
    tasks = chosen_tasks(units, chosen)
    effort = request.effort
    if request.looks:
        verified = effort.plan_at_first_sight(plan, tasks, request.waited_s)
    else:
        verified = effort.plan_anew(plan, tasks, request.again)
    told = "" if request.looks else told_of(plan)
    if "time" in chosen.metrics and (said := told_of(verified)) != told and tasks:
        announce(f"for what could be built: {said or 'all rounds fit, with full warm-ups'}")
    return verified


def _build(request: Request, chosen: Chosen, builds: Sequence[Toolchain]) -> list[Unit]:
    """Builds the selection, and returns its units; raises SerbenchError if no toolchain works."""
    paths, may = request.paths, request.permission
    order = BuildOrder(builds, paths, chosen.built, chosen.workloads, may, announce)
    if not request.looks:
        with Steps("building") as steps:
            return prepare_builds(replace(order, step=steps.step))
    look = FirstLook(chosen.beside)
    with Steps("building", look) as steps, Early(paths, request.making.time_limit, look.add) as early:
        units = early.finish(prepare_builds(replace(order, step=steps.step, built=early.begin)))
    look.leave()
    return units


def _verify(
    request: Request, chosen: Chosen, builds: Sequence[Toolchain], units: Sequence[Unit]
) -> list[Unit]:
    """The same units, verified. If times are measured, the units that passed are also linked in all their
    layouts."""
    with Steps("verifying") as steps:
        done = verified(request.paths, units, steps.step, request.making.time_limit)
    if "time" not in chosen.metrics:
        return done
    with Steps("linking") as steps:
        layouts = request.effort.layouts_of(request.again, request.waited_s)
        return with_layouts(done, builds, layouts, announce, steps.step)


def _measure(
    request: Request,
    chosen: Chosen,
    builds: Sequence[Toolchain],
    units: Sequence[Unit],
    plan: Plan,
    watch: Shown | None,
) -> Run:
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
    asked = {"suite": request.what.suite, **made}
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
            watch,
        ),
        manifest,
    )
