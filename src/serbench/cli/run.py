"""``serbench run``: verify and measure a selection, and print its table."""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import msgspec
import typer

from serbench.cli import options
from serbench.cli.console import Steps, announce, tell_broken
from serbench.cli.ends import kept
from serbench.cli.selected import with_data
from serbench.codec import Variant
from serbench.dataset.cache import dataset_for
from serbench.edition import editions
from serbench.errors import SelectionError
from serbench.examples import epilog
from serbench.languages import languages
from serbench.languages.base import Toolchain
from serbench.locks import claim_core, wait_for_home
from serbench.measure.budget import fitted, told_of
from serbench.measure.cost import measure_costs
from serbench.measure.events import Resume, UnitEvent
from serbench.measure.footprint import FIGURES, measure_footprints
from serbench.measure.manifest import PLANNED, Manifest, manifest_of
from serbench.measure.process import measuring_core
from serbench.measure.reference import reference_kernel
from serbench.measure.resume import check_resumable, check_version
from serbench.measure.run import Outcome, Plan, Unit, execute
from serbench.measure.store import Journal, Run, create_run, find_run, refuse_if_going_on
from serbench.measure.taken import Taken
from serbench.measure.verify import digest_of
from serbench.measure.wire import Sender, measure_wire, wire_estimate_s
from serbench.paths import Paths
from serbench.prepare import (
    Permission,
    Prepared,
    counters_for,
    known_variants,
    least_programs,
    prepare_builds,
    toolchains,
    verified,
    with_layouts,
)
from serbench.report.cost_table import COSTS
from serbench.report.show import show
from serbench.report.tables import tables_of
from serbench.selection import METRICS, Asked, Chosen, Operation, find_suite, select, select_again
from serbench.stats.summary import ROUNDS_TO_RANK
from serbench.suite import load_suites
from serbench.workload import load_workloads

DEFAULT_ROUNDS, ROUNDS_QUICK = 15, 9
"""Of nine rounds one is left out on each side, of fifteen three. Times differ up to ten times as much between processes as inside
one, so many short ones tell more than a few long ones."""

DEAR_ROUNDS, DEAR_ROUNDS_QUICK = 9, ROUNDS_TO_RANK
"""The same where a language takes part whose every cell warms up for seconds in every round."""

TARGET, TARGET_QUICK = 0.02, 0.05
"""How wide the interval of a ratio to the best may be on either side, as a share."""

MOST_ROUNDS_FACTOR = 30
"""Cells that need more get at most so many times the rounds of the others: a few whose times spread over a third, by where their
code came to lie, need hundreds."""

BUDGET_S, BUDGET_S_QUICK = 1800.0, 480.0
"""No further round is started that would end after so many seconds of measuring, unless ``--max-time`` says otherwise; with cells
that warm up the second of them, which their warm-up is made to fit into (measure/budget.py)."""

WARMUP_NS_QUICK = 3_000_000_000
"""Most that a cell warms up for in a quick run; samples say whether that was enough (``settled``)."""

LAYOUTS, LAYOUTS_QUICK = 8, 3
"""How often each program is linked with its functions in other places. Linking one takes 0.16 to 0.18 s of processor
time here where compiling takes 5.7 to 7.3 s: three are less than a tenth more, eight about a quarter."""

WARMED_UP = " or ".join(language.traits.title for language in languages().values() if language.traits.warm_up)

COMPILATIONS, COMPILATIONS_QUICK = 5, 3
"""How often each least program is compiled for its compile time."""


def register(app: typer.Typer) -> None:
    app.command(
        "run",
        short_help="Verify and measure codecs, and print their table.",
        epilog=epilog("run"),
    )(run)


def run(
    workload: options.Workloads = None,
    codec: options.Codecs = None,
    operation: options.Operations = None,
    memory: options.MemoryPolicies = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            metavar="NAME",
            help=f"What is measured: {', '.join(METRICS)}; may be repeated. Default: time, for a suite what its table has.",
        ),
    ] = None,
    suite: options.SuiteName = None,
    published: options.ShowPublished = False,
    rounds: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Passes over all cells, each in fresh processes and another order. Default: 15, quick: 9, "
            f"with {WARMED_UP} 9 and 6; and more by --target.",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="PERCENT",
            help="Make more rounds, of the cells that need them, until ratios are known to ± so much. Default: 2%, quick: 5%; "
            "with --rounds or --iterations none.",
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="The fewest rounds that rank, and fewer samples in each.")] = False,
    iterations: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Exactly N passes a sample and one sample a round, as published programs do."),
    ] = None,
    max_time: Annotated[
        float | None,
        typer.Option(
            "--max-time",
            metavar="SECONDS",
            min=0,
            help="Start nothing more after so many seconds of measuring. Default: no new round that would end after 1800, "
            f"quick or with {WARMED_UP}: 480.",
        ),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            metavar="RUN",
            help="Go on with a run that was killed or ended, on the same machine with the same builds and data; "
            "takes its selection and plan.",
        ),
    ] = None,
    layouts: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=64,
            help="Link each compiled program N times with its functions in other places, over which rounds take turns; "
            f"0: measure it as the linker places them. Default: {LAYOUTS}, quick: {LAYOUTS_QUICK}.",
        ),
    ] = None,
    relative_to: options.RelativeTo = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Seed of the order; drawn and recorded where it is not given.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan and the estimated time, and measure nothing.")
    ] = False,
    format: options.OutputFormat = options.Format.table,
    no_install: options.NoInstall = False,
    compilers: options.Compilers = None,
    revision: options.Revisions = None,
    prefix: options.Prefixes = None,
    time_limit: options.TimeLimit = options.TIME_LIMIT_DEFAULT,
) -> None:
    """Verify and measure codecs, and print their table.

    Without a selection: all installed codecs on the default workload, serialize and deserialize.
    """
    paths = Paths.default()
    asked = Asked(workload or (), codec or (), operation or (), memory or (), metric or (), quick)
    workloads, known = load_workloads(paths.workloads), known_variants(paths)
    again = find_run(paths.runs, resume, note=announce) if resume is not None else None
    layouts = _layouts(layouts, quick, again)
    if again:
        check_version(again)
        if iterations:
            raise SelectionError("--resume takes --iterations from the run; leave it out, or make a new run")
        refuse_if_going_on(again)
        if asked != Asked(quick=quick) or suite or compilers or revision or prefix or seed is not None:
            raise SelectionError("--resume takes selection and seed from the run; leave out -w, -c, -o, --suite and the like")
        was = again.manifest
        suite, compilers, revision, prefix = was.suite, list(was.compilers), list(was.revisions), list(was.prefixes)
        chosen = select_again(again.manifest, workloads, known)
    else:
        chosen = select(workloads, known, find_suite(suite, load_suites(paths.suites)), asked)
    tell_broken(workloads, known)
    variants, specs, operations = chosen.variants, chosen.workloads, chosen.operations
    made_from = editions(paths, revision or (), prefix or ())
    builds = toolchains(paths, variants, compilers or (), made_from)
    plan = replace(
        _plan_again(again) if again else _plan(variants, quick, iterations, secrets.randbits(32) if seed is None else seed),
        units=_foreseen(chosen, builds),
        silence_limit_s=time_limit,
        floors=frozenset(v.id for v in variants if v.codec.floor),
    )
    plan = _with_limits(plan, rounds, options.percent(target), max_time)
    plan = plan if again else fitted(plan)
    if "time" in chosen.metrics and (said := told_of(plan)):
        announce(said)
    if dry_run:
        _print_plan(plan)
        if "wire" in chosen.metrics:
            print(f"wire: about {wire_estimate_s(plan, len(plan.units)):.0f} s, and as much again for blocks of many messages")
        return

    wait_for_home(paths.home, announce)
    plan = replace(plan, core=claim_core(plan.core, again is not None, announce))
    specs = with_data(paths, specs, workload or ())
    chosen = replace(chosen, workloads=specs)
    with Steps("building") as steps:
        cells = prepare_builds(builds, paths, variants, specs, Permission(not no_install), announce, steps.step)
    with Steps("verifying") as steps:
        cells = verified(paths, cells, steps.step, time_limit)
    if "time" in chosen.metrics:
        with Steps("linking") as steps:
            cells = with_layouts(cells, builds, layouts, announce, steps.step)
    plan = replace(plan, units=_units(paths, cells, operations))
    asked_builds = {"compilers": tuple(compilers or ()), "revisions": tuple(revision or ()), "prefixes": tuple(prefix or ())}
    manifest = manifest_of(paths, builds, chosen, plan, {"suite": suite, **asked_builds})
    made = _measure(_Built(paths, chosen, builds, cells, plan, Permission(not no_install), quick), manifest, again)
    tables, rows, costs = tables_of(made, paths.suites, published, relative_to, options.width_of(format))
    show(tables, [row.to_json() for row in rows] + [cost.to_json() for cost in costs], format.value)
    if any(row.status == "failed" for row in rows) or any(cell.status == "failed" for cell in cells):
        sys.exit(1)


@dataclass(frozen=True)
class _Built:
    """A selection that is built and verified, and how it is to be measured."""

    paths: Paths
    chosen: Chosen
    builds: Sequence[Toolchain]
    cells: Sequence[Prepared]
    plan: Plan
    permission: Permission
    quick: bool


def _measure(built: _Built, manifest: Manifest, again: Run | None) -> Run:
    """Takes every metric into a new run, or into one that is continued; returns the run.

    Raises:
        SerbenchError: the run to continue is of something else.
    """
    plan, metrics, cells = built.plan, set(built.chosen.metrics), built.cells
    units = [_unit_event(cell) for cell in cells]
    taken = Run(again.directory).taken if again else Taken()  # of its own: to what it holds comes more
    if again:
        check_resumable(again.manifest, manifest, taken, units)
        units = [unit for unit in units if taken.was_killed(unit.unit)]
        taken.add(Resume())
        for unit in units:
            taken.add(unit)
    made = again or create_run(built.paths.runs, msgspec.to_builtins(manifest))
    with kept(made), Journal(made) as journal:
        for event in [*([Resume()] if again else []), *units]:
            journal.append(msgspec.to_builtins(event))
        if "time" in metrics:
            start = time.monotonic()
            with Steps("measuring") as steps:
                outcome = execute(plan, journal, steps, lambda: reference_kernel(plan.core), taken)
            _announce_outcome(outcome, plan, time.monotonic() - start)
        if metrics & set(COSTS):
            times = COMPILATIONS_QUICK if built.quick else COMPILATIONS
            with Steps("costs") as steps:
                programs = least_programs(cells, built.builds, steps.step)
                measure_costs(programs, built.chosen.metrics, times, plan.seed, journal, steps)
        if metrics & set(FIGURES):
            with Steps("footprints") as steps:
                counters = counters_for(list(metrics), cells, built.builds, built.permission, announce, steps.step)
                measure_footprints(plan, built.chosen.operations, built.chosen.metrics, counters, journal, steps)
        if "wire" in metrics:
            with Steps("wire") as steps:
                in_time = measure_wire([_sender(built.paths, cell) for cell in cells], plan, journal, steps)
            if not in_time:
                announce("the time given by --max-time was spent before the last round of wire cost")
        journal.append({"event": "end"})
    return made


def _foreseen(chosen: Chosen, builds: Sequence[Toolchain]) -> list[Unit]:
    """What would be measured if everything could be built and did all operations."""
    names: dict[str, list[str]] = {}
    for build in builds:
        names.setdefault(build.language, []).append(build.name)
    return [
        Unit(v.id, s.id, (), "", tuple(chosen.operations), name, traits=v.codec.traits)
        for s in chosen.workloads
        for v in chosen.variants
        for name in (names[v.codec.language] if len(names[v.codec.language]) > 1 else [""])
    ]


def _plan(variants: Sequence[Variant], quick: bool, iterations: int | None, seed: int) -> Plan:
    """The plan of a new run, still without units."""
    dear = any(variant.codec.traits.warm_up for variant in variants)
    rounds = (DEAR_ROUNDS, DEAR_ROUNDS_QUICK) if dear else (DEFAULT_ROUNDS, ROUNDS_QUICK)
    return Plan(
        units=[],
        rounds=rounds[quick],
        seed=seed,
        target=None if iterations else TARGET_QUICK if quick else TARGET,
        budget_s=BUDGET_S_QUICK if quick or dear else BUDGET_S,
        samples=1 if iterations else 2 if quick else 3,
        iterations=iterations,
        warmup_ns=WARMUP_NS_QUICK if quick else None,
        core=measuring_core(),
    )


def _plan_again(run: Run) -> Plan:
    """The plan of a run that is continued, still without units; time begins anew."""
    return Plan(units=[], **{name: getattr(run.manifest, name) for name in PLANNED} | {"max_time_s": None})


def _with_limits(plan: Plan, rounds: int | None, target: float | None, max_time: float | None) -> Plan:
    """The plan with what was asked for by name; a number of rounds is meant as it is, unless a target is named too."""
    plan = replace(plan, rounds=rounds or plan.rounds, target=target or (None if rounds else plan.target))
    if max_time is not None:
        plan = replace(plan, max_time_s=max_time, budget_s=None)
    return replace(plan, most_rounds=MOST_ROUNDS_FACTOR * plan.rounds)


def _layouts(asked: int | None, quick: bool, again: Run | None) -> int:
    """How many layouts each program has; those of the run that is continued.

    Raises:
        SelectionError: a run is continued and another number is asked for.
    """
    if not again:
        return (LAYOUTS_QUICK if quick else LAYOUTS) if asked is None else asked
    if asked is not None:
        raise SelectionError("--resume takes the number of layouts from the run; leave out --layouts")
    return max((len(unit.layouts) for unit in again.taken.units.values()), default=0)


def _units(paths: Paths, cells: Sequence[Prepared], operations: Sequence[Operation]) -> list[Unit]:
    """What is measured: the verified cells with the operations that they offer."""
    units = []
    for cell in cells:
        if cell.status == "ok" and cell.verification:
            offered = tuple(o for o in operations if o.name in cell.verification.operations)
            if offered:
                units.append(
                    Unit(
                        codec=cell.variant.id,
                        workload=cell.spec.id,
                        command=cell.command,
                        dataset=str(dataset_for(cell.spec, paths).path),
                        operations=offered,
                        compiler=cell.compiler,
                        views=cell.verification.views,
                        traits=cell.variant.codec.traits,
                        layouts=cell.layouts,
                    )
                )
    return units


def _sender(paths: Paths, cell: Prepared) -> Sender:
    """What is asked for the bytes of a cell, or why it has none."""
    offers = cell.verification.operations if cell.verification else ()
    failure = f"{cell.status.replace('_', ' ')}: {cell.reason}" if cell.status != "ok" else ""
    failure = failure or ("" if "encode" in offers else "offers no encode")
    return Sender(cell.identity, cell.command, None if failure else dataset_for(cell.spec, paths), failure)


def _print_plan(plan: Plan) -> None:
    for unit in plan.units:
        print(f"{' '.join(filter(None, (unit.codec, unit.compiler)))} × {unit.workload}: {', '.join(map(str, unit.operations))}")
    cells = sum(len(u.operations) for u in plan.units)
    print(
        f"{cells} cells in {len(plan.units)} processes a round, {plan.rounds} rounds, seed {plan.seed}: "
        f"about {plan.estimate_s():.0f} s of measuring once built{', and more where ratios need it' if plan.target else ''}; "
        "operations that a codec does not offer are left out"
    )
    for title in dict.fromkeys(unit.traits.title for unit in plan.units if unit.traits.warm_up):
        count = sum(unit.traits.title == title for unit in plan.units)
        print(f"{count} of the processes are of {title}, and are verified first in three starts each, unless they were before")


def _unit_event(cell: Prepared) -> UnitEvent:
    event = UnitEvent(
        codec=cell.variant.id, workload=cell.spec.id, compiler=cell.compiler, status=cell.status, reason=cell.reason
    )
    if cell.verification and cell.verification.ok:
        found = cell.verification
        event.size_bytes, event.messages, event.operations = found.size_bytes, found.messages, found.operations
        event.views, event.executable = found.views, digest_of(cell.command)
        event.layouts = tuple(map(digest_of, cell.layouts))
    elif cell.verification:
        event.signal = cell.verification.signal
    return event


def _announce_outcome(outcome: Outcome, plan: Plan, elapsed_s: float) -> None:
    further = outcome.rounds_done - plan.rounds
    rounds = f"{plan.rounds} rounds and {further} of cells that needed more" if further > 0 else f"{outcome.rounds_done} rounds"
    announce(f"measured for {elapsed_s:.0f} s, {rounds}")
    if outcome.out_of_time:
        limit = "--max-time" if plan.max_time_s is not None else f"{plan.budget_s:g} s, which --max-time changes"
        announce(f"no more rounds were made, since the time for it was over ({limit})")
    if outcome.unconverged:
        announce(f"{len(outcome.unconverged)} ratios are not within ±{100 * (plan.target or 0):g} %; --resume goes on")
