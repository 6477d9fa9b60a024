"""``serbench run``: verify and measure a selection, and print its table."""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer

from serbench import __version__
from serbench.build.toolchain import Toolchain
from serbench.cli import options
from serbench.cli.console import Steps, announce
from serbench.dataset.cache import dataset_for
from serbench.errors import SetupError
from serbench.measure.cost import measure_costs
from serbench.measure.footprint import FIGURES, measure_footprints
from serbench.measure.machine import describe_machine, git_revision
from serbench.measure.process import measuring_core
from serbench.measure.run import Outcome, Plan, Unit, execute
from serbench.measure.store import Journal, create_run
from serbench.paths import Paths
from serbench.prepare import (
    Permission,
    Prepared,
    counters_for,
    known_variants,
    minimal_programs,
    prepare_builds,
    toolchains,
    verified,
)
from serbench.report.cost_table import COSTS
from serbench.report.table import show
from serbench.report.tables import tables_of
from serbench.selection import METRICS, Asked, Chosen, Operation, find_suite, select
from serbench.stats.summary import ROUNDS_TO_RANK
from serbench.suite import load_suites
from serbench.workload import load_workloads

DEFAULT_ROUNDS = 9
"""Nine values are the fewest whose 95 % interval of the median leaves out the least and the greatest of them."""


WARMUP_NS_QUICK = 3_000_000_000
"""Most that a JVM cell warms up for in a quick run; samples say whether that was enough (``settled``)."""

COMPILATIONS, COMPILATIONS_QUICK = 5, 3
"""How often each least program is compiled for its compile time."""


def register(app: typer.Typer) -> None:
    app.command(
        "run",
        short_help="Verify and measure codecs, and print their table.",
        epilog="Example: ./serbench run -w record:ids=mixed -c 'cpp/*' -o encode -o decode",
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
            metavar="N", min=1, help="Passes over all cells, each in fresh processes and another order. Default: 9, quick: 6."
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="The fewest rounds that rank, and fewer samples in each.")] = False,
    iterations: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Exactly N passes a sample and one sample a round, as published programs do."),
    ] = None,
    max_time: Annotated[
        float | None,
        typer.Option("--max-time", metavar="SECONDS", min=0, help="Start nothing more after so many seconds of measuring."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Seed of the order; drawn and recorded where it is not given.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan and the estimated time, and measure nothing.")
    ] = False,
    format: options.OutputFormat = options.Format.table,
    no_install: options.NoInstall = False,
    cxx: options.Cxx = None,
    time_limit: options.TimeLimit = options.TIME_LIMIT_DEFAULT,
) -> None:
    """Verify and measure codecs, and print their table.

    Without a selection: all installed codecs on `monsters`, serialize and deserialize.
    """
    paths = Paths.default()
    chosen = select(
        load_workloads(paths.workloads),
        known_variants(paths),
        find_suite(suite, load_suites(paths.suites)),
        Asked(workload or (), codec or (), operation or (), memory or (), metric or (), quick),
    )
    variants, specs, operations = chosen.variants, chosen.workloads, chosen.operations
    plan = Plan(
        units=[Unit(v.id, s.id, (), "", tuple(operations), c) for s in specs for v in variants for c in cxx or [""]],
        rounds=rounds or (ROUNDS_TO_RANK if quick else DEFAULT_ROUNDS),
        seed=secrets.randbits(32) if seed is None else seed,
        max_time_s=max_time,
        samples=1 if iterations else 2 if quick else 3,
        iterations=iterations,
        warmup_ns=WARMUP_NS_QUICK if quick else None,
        core=measuring_core(),
        silence_limit_s=time_limit,
    )
    if dry_run:
        _print_plan(plan)
        return

    builds = toolchains(paths, variants, cxx or ())
    with Steps("building") as steps:
        cells = prepare_builds(builds, paths, variants, specs, Permission(not no_install), announce, steps.step)
    with Steps("verifying") as steps:
        cells = verified(paths, cells, steps.step, time_limit)
    plan = replace(plan, units=_units(paths, cells, operations))
    made = create_run(paths.runs, {"suite": suite, **_manifest(paths, builds, chosen, plan)})
    with Journal(made) as journal:
        for cell in cells:
            journal.append(_unit_event(cell))
        if "time" in chosen.metrics:
            start = time.monotonic()
            with Steps("measuring") as steps:
                outcome = execute(plan, journal, steps)
            _announce_outcome(outcome, plan, time.monotonic() - start)
        if set(chosen.metrics) & set(COSTS):
            times = COMPILATIONS_QUICK if quick else COMPILATIONS
            with Steps("costs") as steps:
                programs = minimal_programs(cells, builds, steps.step)
                measure_costs(programs, chosen.metrics, times, plan.seed, journal, steps)
        if set(chosen.metrics) & set(FIGURES):
            with Steps("footprints") as steps:
                counters = counters_for(chosen.metrics, cells, builds, Permission(not no_install), announce, steps.step)
                measure_footprints(plan, operations, chosen.metrics, counters, journal, steps)
        journal.append({"event": "end"})
    tables, rows, costs = tables_of(made, paths.suites, published)
    show(tables, [row.to_json() for row in rows] + [cost.to_json() for cost in costs], format.value)
    if any(row.status == "failed" for row in rows) or any(cell.status == "failed" for cell in cells):
        sys.exit(1)


def _units(paths: Paths, cells: Sequence[Prepared], operations: Sequence[Operation]) -> list[Unit]:
    """What is measured: the verified cells with the operations that they offer."""
    units = []
    for cell in cells:
        if cell.status == "ok" and cell.verification:
            offered = tuple(o for o in operations if o.name in cell.verification.operations)
            if offered:
                dataset = str(dataset_for(cell.spec, paths).path)
                units.append(Unit(cell.variant.id, cell.spec.id, cell.command, dataset, offered, cell.compiler))
    return units


def _print_plan(plan: Plan) -> None:
    for unit in plan.units:
        print(f"{' '.join(filter(None, (unit.codec, unit.compiler)))} × {unit.workload}: {', '.join(map(str, unit.operations))}")
    cells = sum(len(u.operations) for u in plan.units)
    print(
        f"{cells} cells in {len(plan.units)} processes a round, {plan.rounds} rounds, seed {plan.seed}: "
        f"about {plan.estimate_s():.0f} s of measuring once built; operations that a codec does not offer are left out"
    )


def _manifest(paths: Paths, builds: Sequence[Toolchain], chosen: Chosen, plan: Plan) -> dict[str, Any]:
    datasets = {}
    for spec in chosen.workloads:
        data = dataset_for(spec, paths)
        datasets[spec.id] = {
            "sha256": data.sha256,
            "messages": data.messages,
            "canonical_bytes": data.canonical_bytes,
            "parameters": spec.parameters,
        }
    return {
        "serbench": __version__,
        "revision": git_revision(),
        "arguments": sys.argv[1:],
        "codecs": [v.id for v in chosen.variants],
        "floors": [v.id for v in chosen.variants if v.codec.floor],
        "features": {v.id: dict(v.codec.features) for v in chosen.variants},
        "workloads": [spec.id for spec in chosen.workloads],
        "operations": [str(o) for o in chosen.operations] if "time" in chosen.metrics else [],
        "metrics": list(chosen.metrics),
        "datasets": datasets,
        "rounds": plan.rounds,
        "seed": plan.seed,
        "max_time_s": plan.max_time_s,
        "sample_ns": plan.sample_ns,
        "samples": plan.samples,
        "iterations": plan.iterations,
        "core": plan.core,
        "toolchains": [_toolchain(build, chosen) for build in builds],
        "dynamic": [v.id for v in chosen.variants if v.codec.is_dynamic],
        "machine": describe_machine(),
    }


def _toolchain(build: Toolchain, chosen: Chosen) -> dict[str, Any]:
    """A toolchain for the manifest, with ``missing`` in place of a compiler where there is none."""
    own = {"name": build.name, "language": build.language, "libraries": _versions(build, chosen)}
    try:
        return own | dict(build.describe())
    except SetupError as error:
        return own | {"missing": str(error)}


def _versions(build: Toolchain, chosen: Chosen) -> dict[str, str]:
    """Of the libraries that were found, by codec."""
    found = {v.codec.id: build.found.get(v.codec.name) for v in chosen.variants if v.codec.language == build.language}
    return {codec: library.version for codec, library in found.items() if library and library.installed}


def _unit_event(cell: Prepared) -> dict[str, Any]:
    event: dict[str, Any] = {
        "event": "unit",
        **cell.identity,
        "status": cell.status,
        "reason": cell.reason,
    }
    if cell.verification and cell.verification.ok:
        found = cell.verification
        event |= {"size_bytes": found.size_bytes, "messages": found.messages, "operations": list(found.operations)}
    return event


def _announce_outcome(outcome: Outcome, plan: Plan, elapsed_s: float) -> None:
    announce(f"measured for {elapsed_s:.0f} s, {outcome.rounds_done} of {plan.rounds} rounds")
    if outcome.out_of_time:
        announce("the time given by --max-time was spent before the last round; intervals are wider for it")
