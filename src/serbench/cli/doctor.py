"""``serbench doctor``: whether this machine can be trusted, and what to do about it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import Annotated

from serbench.building.prepare import known_work
from serbench.cli import options
from serbench.cli.console import Steps, announce
from serbench.cli.effort import DEFAULT_ROUNDS
from serbench.cli.ends import end_shown
from serbench.cli.options import flag, option
from serbench.doctor import selftests
from serbench.doctor.checkup import check_up
from serbench.doctor.crosscheck import cross_check_table, failures, judge, other_samplers, prepare
from serbench.doctor.files import observe
from serbench.doctor.verdicts import findings_table
from serbench.languages.base import OtherSampler
from serbench.measure.job import Permission
from serbench.measure.machine import describe_machine, git_revision
from serbench.measure.plan import Plan
from serbench.measure.process import measuring_core
from serbench.measure.store import create_run
from serbench.paths import Paths
from serbench.report.show import show
from serbench.report.table import Table
from serbench.system.finding import Finding, Meaning, summary
from serbench.system.locks import claim_core, wait_for_home

LOOK_S = 1.0
"""How many seconds the counters of load, stolen time, heat and swap are watched."""

REFERENCE_S = 0.13
"""Seconds of each round that the reference kernel takes."""

COMPARISONS = 20
"""The usual number of comparisons: enough to tell, more often than not, if a fifth of equal pairs are called
different and not a twentieth."""

CrossChecked = Annotated[
    list[str] | None,
    option(
        "NAME",
        "A language whose codecs --cross-check times, which it implies; may be repeated. "
        "Default: that of the codecs which a plain run measures.",
        "--language",
    ),
]


def doctor(
    deep: Annotated[
        bool,
        flag(
            "--deep",
            "Also measure work whose duration is known, and print the smallest difference this "
            "machine can detect. Takes some minutes.",
        ),
    ] = False,
    comparisons: Annotated[
        int,
        option("N", "How many comparisons --deep makes of equal work and of work with known delays.", min=1),
    ] = COMPARISONS,
    cross_check: Annotated[
        bool,
        flag(
            "--cross-check",
            "Also time three codecs with another benchmark library and compare. Takes two minutes, or "
            "as long as it says for another --language.",
        ),
    ] = False,
    language: CrossChecked = None,
    format: options.OutputFormat = options.TableFormat.table,
    no_install: options.NoInstall = False,
    compilers: options.Compilers = None,
) -> None:
    """Check whether this machine is fit for measuring, and say what to do about it. Exits with status 1 if
    something is bad.

    Takes a second, during which nothing else should be started.
    """
    paths = Paths.default()
    others = other_samplers(language or (), paths) if cross_check or language else []
    findings = check_up(observe(LOOK_S), paths)
    tables = [findings_table(f"this machine: {summary(findings)}", findings)]
    if deep or others:
        wait_for_home(paths.home, announce)
        claim_core(measuring_core(), True, announce)
    if deep:
        tested, run = _test(paths, compilers or (), comparisons)
        tables.append(findings_table(f"known work, measured as codecs are: {summary(tested)}", tested))
        tables[-1].notes += [
            "The noise floor is for two contenders; comparing many, or codecs that use memory "
            "differently, takes more rounds.",
            f"Every sample: {run}",
        ]
        findings += tested
    for other in others:
        checked, table = _cross_check(other, paths, compilers or (), Permission(not no_install))
        tables.append(table)
        findings += checked
    show(tables, [finding.to_json() for finding in findings], format.value)
    end_shown(any(finding.verdict is Meaning.bad for finding in findings))


def _test(paths: Paths, compilers: Sequence[str], comparisons: int) -> tuple[list[Finding], Path]:
    """Measures the self-tests of ``--deep``; returns their findings, and the folder with the samples."""
    seed = secrets.randbits(32)
    selftest = known_work(paths, compilers)
    known = selftests.plan_of(
        [selftests.known_task(selftest, selftests.offered_operations(selftest))], DEFAULT_ROUNDS, seed
    )
    compared = selftests.plan_of(selftests.contenders(selftest), DEFAULT_ROUNDS * comparisons, seed)
    told = {"compiler": selftest.compiler, "flags": selftest.flags, "comparisons": comparisons}
    _announce("self-tests", known, compared)
    (figures,), _, _ = _measured("known work", known, paths, told)
    compared_figures, references, folder = _measured("comparing", compared, paths, told)
    judged = selftests.judge_contenders(compared_figures, DEFAULT_ROUNDS)
    return [*selftests.judge_known_work(figures), *judged, selftests.judge_drift(references)], folder


def _announce(what: str, *plans: Plan) -> None:
    seconds = sum(plan.estimate_s(plan.tasks) + REFERENCE_S * plan.rounds for plan in plans)
    announce(f"{what}: about {ceil(seconds / 60)} min; do not use the machine meanwhile")


def _measured(
    label: str, plan: Plan, paths: Paths, told: Mapping[str, object], length: int = DEFAULT_ROUNDS
) -> tuple[list[selftests.Figures], selftests.References, Path]:
    """Measures a plan; returns figures of every ``length`` successive rounds, the times of the calibration
    loop, and the samples' folder. ``told`` are more entries for the manifest."""
    here = {"serbench": git_revision(), "machine": describe_machine()}
    run = create_run(paths.home / "doctor", {**here, **told, "seed": plan.seed, "rounds": length})
    with Steps(label) as steps:
        return *selftests.measure(plan, run, steps, length), run.directory


def _cross_check(
    other: OtherSampler, paths: Paths, compilers: Sequence[str], permission: Permission
) -> tuple[list[Finding], Table]:
    """Times the same passes by our sampler and by another library's; returns findings and a table."""
    with Steps("building") as steps:
        trios, build = prepare(other, paths, compilers, permission, announce, steps.step)
    plan = selftests.plan_of(
        [task for trio in trios for task in trio.tasks], other.rounds, secrets.randbits(32)
    )
    plan = replace(plan, sample_ns=other.sample_ns, samples=other.samples, warmup_ns=other.warmup_ns)
    _announce(f"cross-check with {other.title}", plan)
    (figures,), _, folder = _measured("cross-check", plan, paths, build, plan.rounds)
    checks, missing = list(judge(trios, figures)), failures(trios)
    table = cross_check_table(checks, missing, build)
    table.notes.append(f"Every sample: {folder}")
    return [*(check.finding() for check in checks), *missing], table
